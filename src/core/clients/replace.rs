//! Replaces a file in one step, with what was there kept in a backup, and without losing what others write to it.

use std::{
    ffi::OsString,
    fs::{self, File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
};

use super::error::ConfigError;

/// Links that lead to links, at most.
const LINKS: usize = 40;
/// Backups beside one file, at most.
const BACKUPS: usize = 1000;

/// What became of a replacement.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Replaced {
    /// It is in place; what was there before, if anything, is kept here.
    Done(Option<PathBuf>),
    /// Somebody has written to the file since the snapshot: nothing was done.
    Outdated,
}

/// A file as it was at one moment.
#[derive(Debug)]
pub(super) struct Snapshot {
    /// The path that people know.
    path: PathBuf,
    /// The file itself, at the end of all links. It may not be there yet.
    target: PathBuf,
    /// What it held; `None` if there was none.
    bytes: Option<Vec<u8>>,
}

impl Snapshot {
    pub(super) fn take(path: &Path) -> Result<Self, ConfigError> {
        let target = behind_links(path);
        let bytes = read(&target)?;
        Ok(Self { path: path.to_path_buf(), target, bytes })
    }

    pub(super) fn bytes(&self) -> &[u8] {
        self.bytes.as_deref().unwrap_or_default()
    }

    /// Puts `new` in its place, with a backup of what was there.
    ///
    /// The file keeps its permissions and, where the system allows it, its owner; a link to it stays one.
    pub(super) fn replace(&self, new: &[u8]) -> Result<Replaced, ConfigError> {
        let directory = self.target.parent().unwrap_or(Path::new("/"));
        fs::create_dir_all(directory).map_err(ConfigError::while_("its directory cannot be made"))?;
        let metadata = self.bytes.as_ref().and_then(|_| fs::metadata(&self.target).ok());
        if metadata.as_ref().is_some_and(|metadata| metadata.permissions().readonly()) {
            return Err(ConfigError::ReadOnly);
        }
        let mut file = beside(directory, metadata.as_ref())
            .map_err(ConfigError::while_("no file can be made in its directory"))?;
        file.write_all(new)
            .and_then(|()| file.as_file().sync_all())
            .map_err(ConfigError::while_("the new one cannot be written"))?;
        let backup = match &self.bytes {
            Some(bytes) => Some(
                back_up(&self.path, bytes, metadata.as_ref())
                    .map_err(ConfigError::while_("no backup can be made beside it"))?,
            ),
            None => None,
        };
        let undo = || backup.as_ref().map_or(Ok(()), fs::remove_file);
        match read(&self.target) {
            Ok(now) if now == self.bytes => {}
            changed => {
                undo().ok();
                return changed.map(|_| Replaced::Outdated);
            }
        }
        settle(self.path.parent());
        if let Err(error) = file.persist(&self.target) {
            undo().ok();
            return Err(ConfigError::System { what: "it cannot be replaced", error: error.error });
        }
        settle(Some(directory));
        Ok(Replaced::Done(backup))
    }
}

/// Puts the names in a directory on the disk. Not every file system can, and then it does so by itself.
#[cfg(unix)]
fn settle(directory: Option<&Path>) {
    directory.and_then(|directory| File::open(directory).ok()).and_then(|directory| directory.sync_all().ok());
}

/// Windows writes names down with the files.
#[cfg(windows)]
fn settle(_: Option<&Path>) {}

fn read(path: &Path) -> Result<Option<Vec<u8>>, ConfigError> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(ConfigError::System { what: "it cannot be read", error }),
    }
}

/// The end of a chain of links, whether there is a file or not.
fn behind_links(path: &Path) -> PathBuf {
    let mut path = path.to_path_buf();
    for _ in 0..LINKS {
        match fs::read_link(&path) {
            Ok(next) => path = path.parent().unwrap_or(Path::new("/")).join(next),
            Err(_) => break,
        }
    }
    path
}

/// A temporary file in the same directory, with the rights of the one that it will replace.
fn beside(directory: &Path, metadata: Option<&fs::Metadata>) -> io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".ccmcp-");
    #[cfg(unix)]
    let everyone = std::os::unix::fs::PermissionsExt::from_mode(0o666);
    #[cfg(unix)]
    if metadata.is_none() {
        // What a new file gets; the system takes away what the user's mask says.
        builder.permissions(everyone);
    }
    let file = builder.tempfile_in(directory)?;
    if let Some(metadata) = metadata {
        like(file.as_file(), metadata)?;
    }
    Ok(file)
}

/// Keeps the bytes in a new file beside this one, whose name nothing has yet.
fn back_up(path: &Path, bytes: &[u8], metadata: Option<&fs::Metadata>) -> io::Result<PathBuf> {
    for number in 1..=BACKUPS {
        let mut name = OsString::from(path);
        name.push(".ccmcp-backup");
        if number > 1 {
            name.push(format!("-{number}"));
        }
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = match options.open(&name) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
            other => other?,
        };
        // It has to be on the disk before the file that it is a copy of goes.
        let written = file
            .write_all(bytes)
            .and_then(|()| metadata.map_or(Ok(()), |metadata| like(&file, metadata)))
            .and_then(|()| file.sync_all());
        return match written {
            Ok(()) => Ok(name.into()),
            Err(error) => {
                fs::remove_file(&name).ok();
                Err(error)
            }
        };
    }
    Err(io::Error::new(io::ErrorKind::AlreadyExists, "there are too many of them"))
}

/// Gives a file the rights of another one and, as far as that is allowed, its owner.
#[cfg(unix)]
fn like(file: &File, metadata: &fs::Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, fchown};
    let own = file.metadata()?;
    if (own.uid(), own.gid()) != (metadata.uid(), metadata.gid()) {
        // Only root may give files away; otherwise it becomes the user's, who may write here.
        fchown(file, Some(metadata.uid()), Some(metadata.gid())).ok();
    }
    file.set_permissions(metadata.permissions())
}

/// Windows: a new file takes its rights from the directory.
#[cfg(windows)]
#[expect(clippy::unnecessary_wraps, reason = "it can fail on the others")]
fn like(_: &File, _: &fs::Metadata) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_somebody_else_writes_meanwhile_is_not_lost() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        fs::write(&path, "old").unwrap();
        let snapshot = Snapshot::take(&path).unwrap();
        fs::write(&path, "theirs").unwrap();
        assert_eq!(snapshot.replace(b"ours").unwrap(), Replaced::Outdated);
        assert_eq!(fs::read_to_string(&path).unwrap(), "theirs");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing else is left");
        let backup = folder.path().join("f.ccmcp-backup");
        let replaced = Snapshot::take(&path).unwrap().replace(b"ours").unwrap();
        assert_eq!(replaced, Replaced::Done(Some(backup.clone())));
        assert_eq!((fs::read(&path).unwrap(), fs::read(backup).unwrap()), (b"ours".to_vec(), b"theirs".to_vec()));
    }

    #[test]
    fn no_backup_is_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f.json");
        let replace = |new: &str| Snapshot::take(&path).unwrap().replace(new.as_bytes()).unwrap();
        let backups = ["f.json.ccmcp-backup", "f.json.ccmcp-backup-2"].map(|name| folder.path().join(name));
        assert_eq!(replace("1"), Replaced::Done(None));
        assert_eq!(replace("2"), Replaced::Done(Some(backups[0].clone())));
        assert_eq!(replace("3"), Replaced::Done(Some(backups[1].clone())));
        assert_eq!(backups.map(|path| fs::read_to_string(path).unwrap()), ["1", "2"]);
    }
}
