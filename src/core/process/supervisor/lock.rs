//! The lock file, waited for without losing sight of the server.

use std::{
    fs::{File, TryLockError},
    io,
    path::Path,
    time::Duration,
};

use crate::core::process::platform::{self, Notice, Seat};

/// How often a taken lock is tried again. The kernel has no queue that could be left again when the server goes.
const TRY_AGAIN: Duration = Duration::from_millis(25);

/// Takes the lock; `None` when the server gave up meanwhile. The lock lives as long as the file that is returned.
pub(super) fn take(path: &Path, seat: &mut Seat) -> io::Result<Option<File>> {
    if let Some(directory) = path.parent() {
        platform::private_directory(directory)?;
    }
    let file = platform::private_file(path)?;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(Some(file)),
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) => return Err(error),
        }
        match seat.wait(Some(TRY_AGAIN))? {
            Notice::Elapsed => {}
            Notice::Command(_) | Notice::Closed | Notice::Exited(_) => return Ok(None),
        }
    }
}
