//! A server's sign of life: a file that the kernel keeps locked for as long as the server lives, however it dies.
//! No heartbeat, no clock, no trouble with a machine that sleeps.

use std::{
    fs::{self, File, TryLockError},
    io,
    path::{Path, PathBuf},
    time::Duration,
};

use crate::core::{
    ids::OwnerId,
    store::{StoreError, make_private_dir, private_file},
};

/// How old a file without a registered server has to be before it counts as left behind.
const YOUNG: Duration = Duration::from_mins(1);

/// Our own sign of life; it ends when this is dropped.
#[derive(Debug)]
pub(super) struct Life {
    path: PathBuf,
    _lock: File,
}

impl Life {
    /// Gives a sign of life. Do this before registering: whoever is registered and gives none is dead.
    pub(super) fn begin(state: &Path, me: OwnerId) -> Result<Self, StoreError> {
        make_private_dir(&directory(state))?;
        let path = path(state, me);
        let lock = private_file(&path)?;
        // Whoever looks at it just now holds it for a moment.
        lock.lock().map_err(|source| StoreError::Io { path: path.clone(), source })?;
        Ok(Self { path, _lock: lock })
    }

    /// Takes the sign back for good, once nobody looks for it any more.
    pub(super) fn end(self) {
        // A file that cannot be removed is unlocked all the same.
        let _ = fs::remove_file(&self.path);
    }
}

/// Whether `server` gives no sign of life.
pub(super) fn is_dead(state: &Path, server: OwnerId) -> io::Result<bool> {
    match File::open(path(state, server)) {
        // Shared, so that two who look at once do not take each other for the server.
        Ok(file) => match file.try_lock_shared() {
            Ok(()) => Ok(true),
            Err(TryLockError::WouldBlock) => Ok(false),
            Err(TryLockError::Error(error)) => Err(error),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(true),
        Err(error) => Err(error),
    }
}

/// The servers of the state directory that are dead, and that nobody has cleaned up after. Changes nothing.
///
/// # Errors
/// The directory exists and cannot be listed, or a file cannot be looked at.
pub fn dead_servers(state: &Path) -> io::Result<Vec<OwnerId>> {
    Ok(servers(state)?.into_iter().filter(|(_, is_dead)| *is_dead).map(|(server, _)| server).collect())
}

/// Whether any server of the state directory lives.
///
/// # Errors
/// As [`dead_servers`].
pub fn has_server(state: &Path) -> io::Result<bool> {
    Ok(servers(state)?.iter().any(|(_, is_dead)| !is_dead))
}

/// All servers that have a file, and whether each is dead.
fn servers(state: &Path) -> io::Result<Vec<(OwnerId, bool)>> {
    let entries = match fs::read_dir(directory(state)) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut servers = Vec::new();
    for entry in entries {
        let name = entry?.file_name();
        if let Some(server) = name.to_str().and_then(|name| name.strip_suffix(".lock")?.parse().ok()) {
            servers.push((server, is_dead(state, server)?));
        }
    }
    Ok(servers)
}

/// Removes the files of servers that died before they were registered. Young ones may be about to register.
pub(super) fn bury_strays(state: &Path, registered: &[OwnerId]) {
    let old = |server: &OwnerId| {
        let modified = fs::metadata(path(state, *server)).and_then(|metadata| metadata.modified());
        modified.is_ok_and(|at| at.elapsed().is_ok_and(|age| age > YOUNG))
    };
    let strays = dead_servers(state).unwrap_or_default();
    strays.iter().filter(|server| !registered.contains(server) && old(server)).for_each(|server| bury(state, *server));
}

/// Removes what a dead server left.
pub(super) fn bury(state: &Path, server: OwnerId) {
    // A leftover file is harmless.
    let _ = fs::remove_file(path(state, server));
}

fn directory(state: &Path) -> PathBuf {
    state.join("servers")
}

fn path(state: &Path, server: OwnerId) -> PathBuf {
    directory(state).join(format!("{server}.lock"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_lives_as_long_as_it_holds_its_lock() {
        let state = tempfile::tempdir().unwrap();
        let me = OwnerId::new();
        assert!(is_dead(state.path(), me).unwrap());
        let life = Life::begin(state.path(), me).unwrap();
        assert!(!is_dead(state.path(), me).unwrap());
        assert_eq!(dead_servers(state.path()).unwrap(), []);
        drop(life);
        assert!(is_dead(state.path(), me).unwrap(), "dropped is dead, with the file still there");
        assert_eq!(dead_servers(state.path()).unwrap(), [me]);
        Life::begin(state.path(), me).unwrap().end();
        assert!(!path(state.path(), me).exists());
    }
}
