//! Claude's directories and ours.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use super::report::Check;
use crate::core::config::Settings;

/// Looks at every directory that is read or written.
pub(super) fn checks(settings: &Settings) -> Vec<Check> {
    let places = &settings.places;
    vec![
        readable("claude configuration", &places.claude_config),
        readable("claude projects", &places.projects()),
        private("state directory", &places.state),
        private("lock directory", &places.locks),
    ]
}

/// A directory of Claude's, which may not be there yet.
fn readable(name: &'static str, path: &Path) -> Check {
    let shown = path.display();
    match fs::read_dir(path).and_then(Iterator::collect::<io::Result<Vec<_>>>) {
        Ok(_) => Check::ok(name, shown.to_string()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Check::ok(name, format!("{shown} (not there yet: Claude has not run with it)"))
        }
        Err(error) => Check::fail(
            name,
            format!("{shown} cannot be read: {error}"),
            "Give yourself the right to read it; CLAUDE_CONFIG_DIR names another place.",
        ),
    }
}

/// A directory of ours, which is made when it is first needed.
fn private(name: &'static str, path: &Path) -> Check {
    let shown = path.display();
    let metadata = match fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return creatable(name, path),
        Err(error) => {
            return Check::fail(
                name,
                format!("{shown} cannot be looked at: {error}"),
                "Mend the rights of its parents.",
            );
        }
    };
    if !metadata.is_dir() {
        return Check::fail(name, format!("{shown} is not a directory"), "Move it out of the way.");
    }
    if let Err(error) = writable(path) {
        return Check::fail(
            name,
            format!("{shown} cannot be written: {error}"),
            "Give yourself the right to write there.",
        );
    }
    match strangers_may(&metadata) {
        Some(mode) => Check::fail(
            name,
            format!("{shown} is open to others (mode {mode:o})"),
            format!("Run `chmod 700 '{shown}'`: it holds conversations."),
        ),
        None => Check::ok(name, shown.to_string()),
    }
}

/// Whether the directory can be made: the nearest one that is there has to be writable.
fn creatable(name: &'static str, path: &Path) -> Check {
    let shown = path.display();
    let nearest = path.ancestors().find(|ancestor| ancestor.exists()).map(PathBuf::from).unwrap_or_default();
    match writable(&nearest) {
        Ok(()) => Check::ok(name, format!("{shown} (not there yet: it is made when it is needed)")),
        Err(error) => Check::fail(
            name,
            format!("{shown} cannot be made: {} cannot be written ({error})", nearest.display()),
            "Give yourself the right to write there, or set HOME to a directory of your own.",
        ),
    }
}

/// Tries it: rights alone do not tell of read-only file systems.
fn writable(directory: &Path) -> io::Result<()> {
    let probe = directory.join(format!(".ccmcp-doctor-{}", std::process::id()));
    fs::File::create_new(&probe)?;
    fs::remove_file(&probe)
}

/// The mode, if anybody but the owner has any right.
#[cfg(unix)]
fn strangers_may(metadata: &fs::Metadata) -> Option<u32> {
    use std::os::unix::fs::PermissionsExt;
    let mode = metadata.permissions().mode() & 0o777;
    (mode & 0o077 != 0).then_some(mode)
}

/// Windows: the default place is inside the user's profile, which is the user's own.
#[cfg(windows)]
fn strangers_may(_: &fs::Metadata) -> Option<u32> {
    None
}
