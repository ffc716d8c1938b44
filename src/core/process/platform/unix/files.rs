//! Files and directories for this user alone.

use std::{
    fs, io,
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::Path,
};

/// Makes a directory, and those above it, for this user alone.
pub(in super::super::super) fn private_directory(path: &Path) -> io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Opens a file for this user alone, and makes it when it is missing. Closed on exec, as all files of std are.
pub(in super::super::super) fn private_file(path: &Path) -> io::Result<fs::File> {
    fs::OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).open(path)
}
