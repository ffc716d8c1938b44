//! Where transcripts are: projects, sessions and sub-agents, found by listing and never by building a path.

use std::{
    ffi::OsStr,
    fs::{self, DirEntry, Metadata},
    io,
    path::{Path, PathBuf},
};

use super::{
    agents::AgentFile,
    slug::{LONGEST, slug},
};
use crate::core::{clock::Timestamp, ids::SessionId};

/// The directory that holds one folder per project (`<config dir>/projects`).
///
/// Ids and slugs from outside are only ever compared with the names found here, so nothing a caller passes
/// can name a file elsewhere. A symlink counts only when it leads to a place inside the directory. A
/// directory that does not exist is an empty one.
#[derive(Clone, Debug)]
pub struct Projects {
    root: PathBuf,
}

/// One folder of [`Projects`]: the transcripts of one working directory (or of several with the same slug).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Project {
    /// The folder's name.
    pub slug: String,
    path: PathBuf,
    root: PathBuf,
}

/// One session's transcript.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionFile {
    /// The file.
    pub path: PathBuf,
    /// The slug of the project that it lies in.
    pub project: String,
    /// The session: the file's name.
    pub id: SessionId,
    /// Size in bytes when it was listed.
    pub size: u64,
    /// When the file was last written, as the file system says.
    pub modified: Timestamp,
}

/// What one project's folder holds.
#[derive(Clone, Debug, Default)]
pub struct Contents {
    /// The sessions, by id.
    pub sessions: Vec<SessionFile>,
    /// The sub-agents' own transcripts (the flat layout and `subagents/`), by session, then by name.
    pub agents: Vec<AgentFile>,
}

impl Projects {
    /// The projects directory; nothing is read yet.
    pub fn new(root: PathBuf) -> Self {
        Self { root }
    }

    /// The directory itself.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Every project, by slug.
    ///
    /// # Errors
    /// The directory exists and cannot be listed.
    pub fn list(&self) -> io::Result<Vec<Project>> {
        let mut projects = Vec::new();
        for entry in entries(&self.root)? {
            let Ok(name) = entry.file_name().into_string() else { continue };
            if let Some((path, metadata)) = inside(&self.root, &entry)
                && metadata.is_dir()
            {
                projects.push(Project { slug: name, path, root: self.root.clone() });
            }
        }
        projects.sort_unstable_by(|a, b| a.slug.cmp(&b.slug));
        Ok(projects)
    }

    /// The transcripts of session `id`: one per directory in which the id was used.
    ///
    /// # Errors
    /// The directory exists and cannot be listed. A project that cannot be listed is skipped.
    pub fn sessions_named(&self, id: SessionId) -> io::Result<Vec<SessionFile>> {
        let mut found = Vec::new();
        for project in self.list()? {
            for entry in entries(&project.path).unwrap_or_default() {
                if session_id(&entry.file_name()) == Some(id) {
                    found.extend(project.session(&entry, id));
                }
            }
        }
        Ok(found)
    }

    /// The session of the working directory `cwd` (its real path) whose transcript was written last.
    ///
    /// # Errors
    /// The directory exists and cannot be listed, or a transcript cannot be read.
    pub fn newest_session_of(&self, cwd: &str) -> io::Result<Option<SessionFile>> {
        let mut sessions = Vec::new();
        for project in self.of_cwd(cwd)? {
            sessions.extend(project.contents()?.sessions);
        }
        sessions.sort_by_key(|session| std::cmp::Reverse(session.modified));
        for session in sessions {
            // Two directories can share a slug, so the records decide. A transcript without a cwd has no say.
            if session.first_cwd()?.is_some_and(|recorded| recorded == cwd) {
                return Ok(Some(session));
            }
        }
        Ok(None)
    }

    /// The projects whose slug can be that of `cwd`: usually one, more when the slug is so long that it was cut.
    ///
    /// # Errors
    /// The directory exists and cannot be listed.
    pub fn of_cwd(&self, cwd: &str) -> io::Result<Vec<Project>> {
        let slug = slug(cwd);
        let mut projects = self.list()?;
        // A slug is ASCII, so bytes are characters.
        match slug.get(..LONGEST) {
            Some(prefix) if slug.len() > LONGEST => projects.retain(|project| project.slug.starts_with(prefix)),
            _ => projects.retain(|project| project.slug == slug),
        }
        Ok(projects)
    }
}

impl Project {
    /// Lists the folder: its sessions and their sub-agents.
    ///
    /// # Errors
    /// The folder cannot be listed. A sub-agents' folder that cannot be listed is skipped.
    pub fn contents(&self) -> io::Result<Contents> {
        let mut contents = Contents::default();
        for entry in entries(&self.path)? {
            let name = entry.file_name();
            if let Some(id) = session_id(&name) {
                contents.sessions.extend(self.session(&entry, id));
            } else if let Some(agent) = agent_id(&name) {
                contents.agents.extend(self.agent(&entry, None, agent));
            } else if let Some(session) = name.to_str().and_then(|name| name.parse().ok()) {
                self.subagents(&entry, session, &mut contents.agents);
            }
        }
        contents.sessions.sort_unstable_by_key(|session| session.id);
        contents.agents.sort_unstable_by(|a, b| (a.session, &a.path).cmp(&(b.session, &b.path)));
        Ok(contents)
    }

    /// The transcripts in `<session>/subagents/`.
    fn subagents(&self, folder: &DirEntry, session: SessionId, found: &mut Vec<AgentFile>) {
        let Some((path, metadata)) = inside(&self.root, folder) else { return };
        if !metadata.is_dir() {
            return;
        }
        for entry in entries(&path).unwrap_or_default() {
            if entry.file_name() != "subagents" {
                continue;
            }
            let Some((path, _)) = inside(&self.root, &entry) else { continue };
            for entry in entries(&path).unwrap_or_default() {
                if let Some(agent) = agent_id(&entry.file_name()) {
                    found.extend(self.agent(&entry, Some(session), agent));
                }
            }
        }
    }

    fn session(&self, entry: &DirEntry, id: SessionId) -> Option<SessionFile> {
        let (path, metadata) = file(&self.root, entry)?;
        Some(SessionFile { path, project: self.slug.clone(), id, size: metadata.len(), modified: modified(&metadata) })
    }

    fn agent(&self, entry: &DirEntry, session: Option<SessionId>, id: String) -> Option<AgentFile> {
        let (path, metadata) = file(&self.root, entry)?;
        Some(AgentFile {
            path,
            project: self.slug.clone(),
            session,
            id,
            size: metadata.len(),
            modified: modified(&metadata),
        })
    }
}

/// The session whose transcript has this name (`<uuid>.jsonl`).
fn session_id(name: &OsStr) -> Option<SessionId> {
    name.to_str()?.strip_suffix(".jsonl")?.parse().ok()
}

/// The sub-agent whose transcript has this name (`agent-<id>.jsonl`).
fn agent_id(name: &OsStr) -> Option<String> {
    Some(name.to_str()?.strip_suffix(".jsonl")?.strip_prefix("agent-")?.to_owned())
}

/// The entries of a folder that exists, none of one that does not.
fn entries(folder: &Path) -> io::Result<Vec<DirEntry>> {
    match fs::read_dir(folder) {
        Ok(entries) => Ok(entries.filter_map(Result::ok).collect()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

/// The entry's path and what is there, unless it leads out of `root` or to nothing.
fn inside(root: &Path, entry: &DirEntry) -> Option<(PathBuf, Metadata)> {
    let path = entry.path();
    if !entry.file_type().ok()?.is_symlink() {
        return Some((path, entry.metadata().ok()?));
    }
    let target = dunce::canonicalize(&path).ok()?;
    target
        .starts_with(dunce::canonicalize(root).ok()?)
        .then(|| fs::metadata(&target).ok().map(|data| (target, data)))?
}

/// Like [`inside`], for regular files only: a pipe or a device would block the reader.
fn file(root: &Path, entry: &DirEntry) -> Option<(PathBuf, Metadata)> {
    inside(root, entry).filter(|(_, metadata)| metadata.is_file())
}

/// When the file was last written. Where the file system does not say, now: the newest that it can be.
fn modified(metadata: &Metadata) -> Timestamp {
    let since_epoch = metadata.modified().ok().and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok());
    let milliseconds = since_epoch.and_then(|time| i64::try_from(time.as_millis()).ok());
    milliseconds.and_then(Timestamp::from_millis).unwrap_or_else(Timestamp::now)
}
