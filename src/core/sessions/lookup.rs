//! The transcript that a session id and a directory mean.

use std::{
    io,
    path::{Path, PathBuf},
};

use super::request::check_cwd;
use crate::core::{
    claude::live_owner,
    config::Places,
    error::{Error, ErrorCode, Result},
    ids::SessionId,
    nearest::did_you_mean,
    transcript::{Projects, SessionFile, beginning_with, nearly_named},
};

/// How a person names a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionName {
    /// The newest one of the current directory that nobody has open.
    Last,
    /// An id, or a prefix of one.
    Prefix(String),
}

impl From<&str> for SessionName {
    fn from(text: &str) -> Self {
        if text == "last" { Self::Last } else { Self::Prefix(text.to_owned()) }
    }
}

/// The session that a name means.
#[derive(Clone, Debug)]
pub struct Found {
    /// Its transcript.
    pub file: SessionFile,
    /// With [`SessionName::Last`]: the newest session of the directory, if somebody has that one open.
    pub open_elsewhere: Option<SessionId>,
}

/// Finds the transcript of `id` that was started in `cwd`, else `SESSION_NOT_FOUND` with a hint that names the right
/// directory where there is one. Two directories are the same when their real paths are.
pub(super) fn in_directory(projects: &Projects, id: SessionId, cwd: &Path) -> Result<SessionFile> {
    let wanted = dunce::canonicalize(cwd).unwrap_or_else(|_| cwd.to_path_buf());
    let files = projects.sessions_named(id).map_err(unreadable)?;
    let mut elsewhere = Vec::new();
    for file in files {
        let Some(started) = file.first_cwd().map_err(unreadable)? else { continue };
        if dunce::canonicalize(&started).is_ok_and(|real| real == wanted) || Path::new(&started) == wanted {
            return Ok(file);
        }
        elsewhere.push(started);
    }
    Err(not_here(elsewhere))
}

/// There is no such session in the directory asked for; it is `elsewhere`, if anywhere.
fn not_here(elsewhere: Vec<String>) -> Error {
    let error = Error::new(ErrorCode::SessionNotFound, "There is no session with this id in that directory.");
    match elsewhere.as_slice() {
        [] => error.hint("Check the id (`ccmcp sessions` lists them), or start a new session."),
        places => error.hint(format!("It was started in {}: pass that as cwd.", places.join(" and in "))),
    }
    .details(|details| details.candidates = elsewhere)
}

/// Finds the session that a person means by `name`, seen from `cwd`.
pub(super) fn by_name(
    projects: &Projects,
    places: &Places,
    name: &SessionName,
    cwd: &Path,
    only_here: bool,
) -> Result<Found> {
    match name {
        SessionName::Last => newest(projects, places, cwd),
        SessionName::Prefix(prefix) => {
            let file = by_prefix(projects, prefix, only_here.then_some(cwd))?;
            Ok(Found { file, open_elsewhere: None })
        }
    }
}

/// The real path of the directory that was named.
fn real(cwd: &Path) -> Result<PathBuf> {
    check_cwd(cwd)?;
    dunce::canonicalize(cwd).map_err(unreadable)
}

fn newest(projects: &Projects, places: &Places, cwd: &Path) -> Result<Found> {
    let real = real(cwd)?;
    let mut files = Vec::new();
    for project in projects.of_cwd(&real.to_string_lossy()).map_err(unreadable)? {
        files.extend(project.contents().map_err(unreadable)?.sessions);
    }
    files.sort_by_key(|file| std::cmp::Reverse(file.modified));
    let mut open_elsewhere = None;
    for file in files {
        if file.first_cwd().map_err(unreadable)?.is_none_or(|started| Path::new(&started) != real) {
            continue;
        }
        if live_owner(&places.live_sessions(), file.id).map_err(unreadable)?.is_none() {
            return Ok(Found { file, open_elsewhere });
        }
        open_elsewhere.get_or_insert(file.id);
    }
    Err(Error::new(ErrorCode::SessionNotFound, "There is no session of this directory to go on with.")
        .hint("Start one with `ccmcp start`, or name one: `ccmcp sessions` lists them."))
}

fn by_prefix(projects: &Projects, prefix: &str, cwd: Option<&Path>) -> Result<SessionFile> {
    if prefix.is_empty() {
        // Every id begins with it.
        return Err(Error::new(ErrorCode::SchemaValidation, "The session's name is empty.")
            .hint("Give an id, the beginning of one, or `last`.")
            .details(|details| details.field = Some("SESSION".to_owned())));
    }
    let mut all = Vec::new();
    for project in projects.list().map_err(unreadable)? {
        all.extend(project.contents().map_err(unreadable)?.sessions);
    }
    let mut found: Vec<_> = beginning_with(&all, prefix).cloned().collect();
    let mut elsewhere = Vec::new();
    if let Some(cwd) = cwd {
        let real = real(cwd)?;
        found.retain(|file| {
            let Some(started) = file.first_cwd().ok().flatten() else { return false };
            let here = dunce::canonicalize(&started).is_ok_and(|started| started == real);
            if !here && !elsewhere.contains(&started) {
                elsewhere.push(started);
            }
            here
        });
    }
    match found.len() {
        0 if !elsewhere.is_empty() => Err(not_here(elsewhere)),
        0 => {
            let near = nearly_named(&all, prefix);
            let list = "`ccmcp sessions` lists the sessions with their ids.";
            let hint = did_you_mean(&near).map_or_else(|| list.to_owned(), |question| format!("{question} {list}"));
            Err(Error::new(ErrorCode::SessionNotFound, "No session id begins like that.")
                .hint(hint)
                .details(|details| details.sessions = near))
        }
        1 => Ok(found.remove(0)),
        count => Err(Error::new(ErrorCode::SessionAmbiguous, format!("{count} sessions begin like that."))
            .hint("Give more characters of the id, or `--cwd` with the directory of the one you mean.")
            .details(|details| details.sessions = found.iter().take(20).map(|file| file.id).collect())),
    }
}

/// The transcripts cannot be read.
#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
pub(super) fn unreadable(error: io::Error) -> Error {
    Error::new(ErrorCode::HistoryUnreadable, format!("Claude's transcripts cannot be read: {error}."))
        .hint("Check the permissions of Claude's configuration directory; `ccmcp doctor` names it.")
}
