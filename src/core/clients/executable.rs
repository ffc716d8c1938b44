//! The path of ccmcp that an entry holds.

use std::path::{Path, PathBuf};

use crate::core::config::Settings;

/// The path by which the running program will still be found after an upgrade.
///
/// Package managers put each version into a directory of its own and a link to it into `PATH`
/// (`/opt/homebrew/bin/ccmcp`, `~/.nix-profile/bin/ccmcp`). The system names a running program by the former on some
/// systems, so a link in `PATH` that leads to it is the better name.
pub fn lasting_executable(settings: &Settings) -> PathBuf {
    let running = &settings.executable;
    let own_name = running.file_name().unwrap_or_default().to_owned();
    let base = settings.working_dir.as_deref().unwrap_or(Path::new("/"));
    let path = settings.environment.get("PATH");
    let candidates = [std::ffi::OsStr::new("ccmcp"), &own_name];
    let found = candidates.iter().flat_map(|name| which::which_in_all(name, path, base).into_iter().flatten());
    let mut usable = found.filter(|candidate| candidate.is_absolute() && is_same_file(candidate, running));
    usable.next().unwrap_or_else(|| running.clone())
}

/// Whether both are there, and lead to one file.
pub fn is_same_file(one: &Path, other: &Path) -> bool {
    match (dunce::canonicalize(one), dunce::canonicalize(other)) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    }
}
