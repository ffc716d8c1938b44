//! What can go wrong, with what to pass instead.

use std::{io, path::PathBuf};

use crate::core::{
    error::{Error, ErrorCode},
    ids::SessionId,
    nearest::did_you_mean,
};

/// How many candidates an error lists.
const CANDIDATES: usize = 20;

/// A question about history that has no answer.
#[derive(Debug, thiserror::Error)]
pub enum HistoryError {
    /// The projects directory or a transcript cannot be read.
    #[error("{path} cannot be read: {source}", path = path.display())]
    Unreadable {
        /// What cannot be read.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// No project fits.
    #[error("no project fits {asked}")]
    NoProject {
        /// What was asked for.
        asked: Asked,
        /// The directories that are called nearly so.
        nearest: Vec<String>,
    },
    /// Several projects fit; their slugs.
    #[error("{count} projects fit {asked}", count = .candidates.len())]
    ManyProjects {
        /// What was asked for.
        asked: Asked,
        /// The slugs of those that fit.
        candidates: Vec<String>,
    },
    /// No session fits.
    #[error("no session fits {asked}")]
    NoSession {
        /// What was asked for.
        asked: Asked,
        /// Those whose ids begin nearly so.
        nearest: Vec<SessionId>,
    },
    /// Several sessions fit: a prefix, or one id in several projects.
    #[error("{count} sessions fit {asked}", count = .sessions.len())]
    ManySessions {
        /// What was asked for.
        asked: Asked,
        /// Those that fit.
        sessions: Vec<SessionId>,
        /// The slugs of their projects.
        projects: Vec<String>,
    },
    /// The session has no such record, or no such fork.
    #[error("session {session} has no {what} {asked}")]
    NoRecord {
        /// The session.
        session: SessionId,
        /// `record` or `fork`.
        what: &'static str,
        /// What was asked for.
        asked: Asked,
        /// Those whose uuids begin nearly so.
        nearest: Vec<String>,
    },
    /// A uuid prefix fits several records.
    #[error("{count} records of session {session} start with {asked}", count = .candidates.len())]
    ManyRecords {
        /// The session.
        session: SessionId,
        /// What was asked for.
        asked: Asked,
        /// The uuids of those that fit.
        candidates: Vec<String>,
    },
    /// The query is empty or no regular expression.
    #[error("the query {0}")]
    Query(String),
    /// An argument is out of range or malformed.
    #[error("{field} {problem}")]
    Argument {
        /// The argument.
        field: &'static str,
        /// What is wrong with it.
        problem: String,
        /// What it has to be.
        expected: &'static str,
    },
    /// The caller cancelled.
    #[error("the search was cancelled")]
    Cancelled,
}

/// What a caller asked for, quoted and cut so that it is safe in a message.
#[derive(Clone, Debug)]
pub struct Asked(String);

impl Asked {
    pub(super) fn new(text: &str) -> Self {
        const LONGEST: usize = 80;
        Self(text.chars().take(LONGEST).collect())
    }
}

impl std::fmt::Display for Asked {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", self.0)
    }
}

impl HistoryError {
    /// For `map_err`: `path` could not be read.
    pub(super) fn unreadable(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Unreadable { path, source }
    }
}

impl From<HistoryError> for Error {
    fn from(error: HistoryError) -> Self {
        let message = error.to_string();
        match error {
            HistoryError::Unreadable { .. } => Self::new(ErrorCode::HistoryUnreadable, message)
                .hint("Check that this user may read it, or run `ccmcp doctor`."),
            HistoryError::NoProject { nearest, .. } => Self::new(ErrorCode::ProjectNotFound, message)
                .hint(suggesting(
                    &nearest,
                    "Pass a slug, a working directory or a unique part of either, as `list_projects` shows them.",
                ))
                .details(|details| details.candidates = nearest),
            HistoryError::ManyProjects { candidates, .. } => Self::new(ErrorCode::ProjectAmbiguous, message)
                .hint("Pass one of the slugs in `candidates`, or a longer part of the working directory.")
                .details(|details| details.candidates = candidates.into_iter().take(CANDIDATES).collect()),
            HistoryError::NoSession { nearest, .. } => Self::new(ErrorCode::SessionNotFound, message)
                .hint(suggesting(
                    &nearest,
                    "Pass a session id or a unique prefix of one, as `list_sessions` shows them; leave `project` out to look everywhere.",
                ))
                .details(|details| details.sessions = nearest),
            HistoryError::ManySessions { sessions, projects, .. } => many_sessions(message, sessions, projects),
            HistoryError::NoRecord { what, nearest, .. } => Self::new(ErrorCode::RecordNotFound, message)
                .hint(suggesting(&nearest, match what {
                    "fork" => "Leave `fork_uuid` out to list every fork of the session.",
                    _ => "Pass the uuid of a record of this session, such as a leaf that `get_tree` lists, or leave it out for the primary thread.",
                }))
                .details(|details| details.candidates = nearest),
            HistoryError::ManyRecords { candidates, .. } => Self::new(ErrorCode::RecordNotFound, message)
                .hint("Pass more characters of the uuid.")
                .details(|details| details.candidates = candidates.into_iter().take(CANDIDATES).collect()),
            HistoryError::Query(_) => Self::new(ErrorCode::QueryInvalid, message)
                .hint("Pass at least one character that is not blank; for a plain text leave `mode` at `text`."),
            HistoryError::Argument { field, expected, .. } => Self::new(ErrorCode::SchemaValidation, message)
                .hint(format!("Pass {expected} as `{field}`."))
                .details(|details| {
                    details.field = Some(field.to_owned());
                    details.expected = Some(expected.to_owned());
                }),
            HistoryError::Cancelled => {
                Self::new(ErrorCode::Cancelled, message).hint("Nothing was changed; ask again, or for less at a time.")
            }
        }
    }
}

/// What to do, after what may have been meant.
fn suggesting(nearest: &[impl std::fmt::Display], next: &str) -> String {
    did_you_mean(nearest).map_or_else(|| next.to_owned(), |question| format!("{question} {next}"))
}

fn many_sessions(message: String, mut sessions: Vec<SessionId>, mut projects: Vec<String>) -> Error {
    sessions.sort_unstable();
    sessions.dedup();
    projects.sort_unstable();
    projects.dedup();
    let hint = if sessions.len() == 1 {
        "The id was used in several directories: pass `project` as well."
    } else {
        "Pass more characters of the id, or one of the ids in `sessions`."
    };
    Error::new(ErrorCode::SessionAmbiguous, message).hint(hint).details(|details| {
        details.sessions = sessions.into_iter().take(CANDIDATES).collect();
        if details.sessions.len() == 1 {
            details.candidates = projects.into_iter().take(CANDIDATES).collect();
        }
    })
}
