//! The program that an entry names, as far as it can be found from here.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::core::{clients::ServerEntry, config::Settings};

/// What is behind a word of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Program {
    /// Only the client can tell: it puts something in, or runs the program in a directory of its choice.
    Unknown,
    /// Nothing that could be run.
    Absent,
    There(PathBuf),
}

impl Program {
    /// Looks for the program as the client would.
    pub(super) fn of(settings: &Settings, entry: &ServerEntry, word: &str) -> Self {
        let here = settings.working_dir.as_deref().unwrap_or(Path::new("/"));
        let path = Path::new(word);
        let sets_path = entry.env.iter().any(|(name, _)| name.eq_ignore_ascii_case("PATH"));
        let base = match is_bare(word) {
            _ if has_variable(word) => None,
            true => Some(here.to_path_buf()).filter(|_| !sets_path),
            false if path.is_absolute() => Some(here.to_path_buf()),
            false => directory(entry),
        };
        let Some(base) = base else { return Self::Unknown };
        match which::which_in(word, settings.environment.get("PATH"), base) {
            Ok(path) => Self::There(path),
            Err(_) => Self::Absent,
        }
    }
}

/// Whether a word is a name to be looked for in `PATH`.
pub(super) fn is_bare(word: &str) -> bool {
    Path::new(word).components().count() == 1
}

/// Clients put in what `${workspaceFolder}`, `~` and the like stand for, each in its own way.
fn has_variable(word: &str) -> bool {
    word.starts_with('~') || word.contains(['$', '%'])
}

/// The directory that the client starts the program in.
fn directory(entry: &ServerEntry) -> Option<PathBuf> {
    let project = entry.scope.directory();
    match entry.table.get("cwd").and_then(Value::as_str) {
        Some(cwd) if has_variable(cwd) => None,
        Some(cwd) if Path::new(cwd).is_absolute() => Some(PathBuf::from(cwd)),
        Some(cwd) => Some(project?.join(cwd)),
        None => project.map(Path::to_path_buf),
    }
}
