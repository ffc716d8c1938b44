//! Opening the database: is it ours, is it new enough.

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::Duration,
};

use rusqlite::{Connection, OpenFlags};

use super::{
    StoreError,
    migrations::{self, APPLICATION_ID, LADDER},
    place::{DATABASE, make_private_dir, private_file},
};

/// How long a statement waits for another process's transaction. Transactions take milliseconds; this is for a
/// machine that stands still.
const BUSY: Duration = Duration::from_secs(30);

/// No database of ours is larger, in bytes, before it has its log (and then there are no journals any more).
const NEW_SIZE: u64 = 4 << 20;

/// Whose database a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Whose {
    /// There is none, or an empty one.
    Nobody,
    /// Ours, with this schema version.
    Ours(i64),
    /// Another program's.
    Foreign,
}

/// Looks, without changing anything.
pub(super) fn whose(path: &Path) -> Result<Whose, StoreError> {
    let io = |source| StoreError::Io { path: path.to_path_buf(), source };
    let size = match fs::metadata(path) {
        Ok(metadata) if metadata.len() == 0 => return Ok(Whose::Nobody),
        Ok(metadata) => metadata.len(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Whose::Nobody),
        Err(source) => return Err(io(source)),
    };
    let looked = match marks(path, OpenFlags::SQLITE_OPEN_READ_ONLY) {
        // Somebody was killed in the middle of a transaction, and to roll that back is to write.
        Err(error) if error.sqlite_error_code() == Some(rusqlite::ErrorCode::ReadOnly) => {
            if size > NEW_SIZE {
                return Ok(Whose::Foreign);
            }
            let copy = tempfile::tempdir_in(path.parent().unwrap_or(path)).map_err(io)?;
            let place = copy.path().join(DATABASE);
            fs::copy(path, &place).and_then(|_| fs::copy(journal(path), journal(&place))).map_err(io)?;
            marks(&place, OpenFlags::SQLITE_OPEN_READ_WRITE)
        }
        looked => looked,
    };
    match looked {
        Ok((APPLICATION_ID, version, _)) => Ok(Whose::Ours(version)),
        // Ours, from a server that ended between making the file and the first migration.
        Ok((0, 0, 0)) => Ok(Whose::Nobody),
        Ok(_) => Ok(Whose::Foreign),
        Err(error) if not_a_database(&error) => Ok(Whose::Foreign),
        Err(error) => Err(error.into()),
    }
}

/// What tells whose a database is: its application id, its version, and how many tables it has.
fn marks(path: &Path, flags: OpenFlags) -> rusqlite::Result<(i64, i64, i64)> {
    let connection = connect(path, flags)?;
    let id = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
    let tables = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    Ok((id, migrations::version(&connection)?, tables))
}

fn journal(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push("-journal");
    name.into()
}

fn not_a_database(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(rusqlite::ErrorCode::NotADatabase)
}

/// Opens the database in `dir`, makes or upgrades it.
pub(super) fn open(dir: &Path) -> Result<Connection, StoreError> {
    open_with(dir, LADDER)
}

fn open_with(dir: &Path, ladder: &[&str]) -> Result<Connection, StoreError> {
    make_private_dir(dir)?;
    let path = dir.join(DATABASE);
    // One process at a time: SQLite does not wait when two switch the journal mode at once.
    let lock_path = dir.join("open.lock");
    let lock = private_file(&lock_path)?;
    lock.lock().map_err(|source| StoreError::Io { path: lock_path, source })?;
    let known = migrations::version_of(ladder);
    match whose(&path)? {
        Whose::Foreign => return Err(StoreError::Foreign(path)),
        Whose::Ours(found) if found > known => return Err(StoreError::TooNew { path, found, known }),
        Whose::Nobody | Whose::Ours(_) => {}
    }
    // Made with its mode before SQLite would make it with the usual one.
    drop(private_file(&path)?);
    let mut connection = reopen(dir)?;
    migrations::climb(&mut connection, ladder)?;
    Ok(connection)
}

/// One more connection to a database that [`open`] has prepared.
pub(super) fn reopen(dir: &Path) -> Result<Connection, StoreError> {
    let connection = connect(&dir.join(DATABASE), OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
    // Safe against every death of a process; after a power failure the last commits may be missing, never torn.
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.set_prepared_statement_cache_capacity(128);
    Ok(connection)
}

/// A connection for looking: nothing can be changed through it.
pub(super) fn look(dir: &Path) -> Result<Connection, StoreError> {
    Ok(connect(&dir.join(DATABASE), OpenFlags::SQLITE_OPEN_READ_ONLY)?)
}

fn connect(path: &Path, flags: OpenFlags) -> rusqlite::Result<Connection> {
    // Each connection stays on one thread at a time; SQLite's own locking is not needed.
    let connection = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    connection.busy_timeout(BUSY)?;
    Ok(connection)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(dir: &Path) -> Vec<u8> {
        fs::read(dir.join(DATABASE)).unwrap()
    }

    #[test]
    fn a_newer_database_is_refused_untouched() {
        let dir = tempfile::tempdir().unwrap();
        let newer = [LADDER, &["CREATE TABLE later (x) "]].concat();
        drop(open_with(dir.path(), &newer).unwrap());
        let before = bytes(dir.path());
        assert!(matches!(open(dir.path()), Err(StoreError::TooNew { .. })));
        assert_eq!(bytes(dir.path()), before);
        assert!(open_with(dir.path(), &newer).is_ok());
    }

    #[test]
    fn an_upgrade_that_fails_leaves_a_database_that_still_opens() {
        let dir = tempfile::tempdir().unwrap();
        drop(open(dir.path()).unwrap());
        let broken = [LADDER, &["CREATE TABLE later (x) STRICT; nonsense"]].concat();
        assert!(open_with(dir.path(), &broken).is_err());
        let connection = open(dir.path()).unwrap();
        assert_eq!(migrations::version(&connection).unwrap(), migrations::version_of(LADDER));
    }

    #[test]
    fn somebody_elses_file_is_refused_untouched_with_a_hint() {
        let other = |fill: &dyn Fn(&Path)| {
            let dir = tempfile::tempdir().unwrap();
            fill(&dir.path().join(DATABASE));
            let before = bytes(dir.path());
            let error = open(dir.path()).unwrap_err();
            assert!(matches!(error, StoreError::Foreign(_)), "{error}");
            assert_eq!(bytes(dir.path()), before);
            let error = crate::core::error::Error::from(error);
            assert!(error.hint.unwrap().contains("--state-dir"));
        };
        other(&|path| {
            let connection = Connection::open(path).unwrap();
            connection.execute_batch("CREATE TABLE agents (id TEXT)").unwrap();
        });
        other(&|path| {
            let connection = Connection::open(path).unwrap();
            connection.execute_batch("PRAGMA user_version = 1").unwrap();
        });
        other(&|path| fs::write(path, "these are notes, long enough to be no empty header at all".repeat(10)).unwrap());
    }

    /// What a kill in the middle of a transaction leaves in `dir`, of a database that has no log yet.
    fn cut_off(dir: &Path, before: &str) {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join(DATABASE);
        let connection = Connection::open(&path).unwrap();
        connection.execute_batch(before).unwrap();
        // So little memory that pages are written before the commit.
        connection.execute_batch("PRAGMA cache_size = 1; BEGIN IMMEDIATE; CREATE TABLE half (x BLOB)").unwrap();
        for _ in 0..50 {
            connection.execute("INSERT INTO half VALUES (randomblob(4000))", []).unwrap();
        }
        for name in [DATABASE.to_owned(), format!("{DATABASE}-journal")] {
            fs::copy(place.path().join(&name), dir.join(&name)).unwrap();
        }
        let only_looking = connect(&dir.join(DATABASE), OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
        migrations::version(&only_looking).expect_err("the journal is hot");
    }

    #[test]
    fn a_creation_or_an_upgrade_that_was_cut_off_is_no_obstacle() {
        let ours = format!("CREATE TABLE old (x); PRAGMA application_id = {APPLICATION_ID}");
        for (before, expected) in [("PRAGMA user_version = 0", Whose::Nobody), (ours.as_str(), Whose::Ours(0))] {
            let dir = tempfile::tempdir().unwrap();
            cut_off(dir.path(), before);
            assert_eq!(whose(&dir.path().join(DATABASE)).unwrap(), expected);
            cut_off(dir.path(), before);
            let connection = open(dir.path()).unwrap();
            assert_eq!(migrations::version(&connection).unwrap(), migrations::version_of(LADDER));
            connection.prepare("SELECT x FROM half").expect_err("rolled back");
        }
        let dir = tempfile::tempdir().unwrap();
        cut_off(dir.path(), "CREATE TABLE theirs (x); INSERT INTO theirs VALUES (7)");
        let before = bytes(dir.path());
        assert!(matches!(open(dir.path()), Err(StoreError::Foreign(_))));
        assert_eq!(bytes(dir.path()), before, "its journal is its owner's business");
        let theirs = Connection::open(dir.path().join(DATABASE)).unwrap();
        assert_eq!(theirs.query_row("SELECT x FROM theirs", [], |row| row.get(0)), Ok(7));
    }

    #[test]
    fn opening_twice_and_at_once_works() {
        let dir = tempfile::tempdir().unwrap();
        let threads: Vec<_> = (0..8)
            .map(|_| {
                let dir = dir.path().to_path_buf();
                std::thread::spawn(move || open(&dir).map(|connection| migrations::version(&connection).unwrap()))
            })
            .collect();
        for thread in threads {
            assert_eq!(thread.join().unwrap().unwrap(), migrations::version_of(LADDER));
        }
    }

    #[cfg(unix)]
    #[test]
    fn everything_is_the_owners_alone() {
        use std::os::unix::fs::PermissionsExt;

        let root = tempfile::tempdir().unwrap();
        let dir = root.path().join("a").join("state");
        let connection = open(&dir).unwrap();
        connection.execute_batch("CREATE TABLE t (x); INSERT INTO t VALUES (1)").unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&dir), 0o700);
        let mut names: Vec<_> = fs::read_dir(&dir).unwrap().map(|entry| entry.unwrap().path()).collect();
        names.sort();
        assert_eq!(names.len(), 4, "{names:?}");
        for file in names {
            assert_eq!(mode(&file), 0o600, "{}", file.display());
        }
        fs::set_permissions(&dir, fs::Permissions::from_mode(0o755)).unwrap();
        drop(open(&dir).unwrap());
        assert_eq!(mode(&dir), 0o700);
    }
}
