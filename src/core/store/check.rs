//! Is the database sound: for `ccmcp doctor`.

use std::path::Path;

use super::{
    DATABASE, StoreError,
    migrations::{self, LADDER},
    open::{self, Whose},
};

/// What a check of the database found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Soundness {
    /// There is no database yet.
    Absent,
    /// All is well.
    Sound,
    /// SQLite's own words for what is wrong.
    Damaged(Vec<String>),
}

/// How many faults are worth telling.
const MOST: u32 = 20;

/// Checks the database in `dir`: whose it is, its structure, and its references. Changes nothing. It reads the whole
/// database, so call it off the async threads.
pub fn check(dir: &Path) -> Result<Soundness, StoreError> {
    let path = dir.join(DATABASE);
    let known = migrations::version_of(LADDER);
    match open::whose(&path) {
        Ok(Whose::Nobody) => return Ok(Soundness::Absent),
        Ok(Whose::Foreign) => return Err(StoreError::Foreign(path)),
        Ok(Whose::Ours(found)) if found > known => return Err(StoreError::TooNew { path, found, known }),
        Ok(Whose::Ours(_)) => {}
        Err(StoreError::Sqlite(error)) => return damage(&error).ok_or(StoreError::Sqlite(error)),
        Err(error) => return Err(error),
    }
    let connection = open::look(dir)?;
    let look = || {
        let mut faults = connection
            .prepare(&format!("PRAGMA integrity_check({MOST})"))?
            .query_map([], |row| row.get(0))?
            .collect::<rusqlite::Result<Vec<String>>>()?;
        faults.retain(|line| line != "ok");
        let mut references = connection.prepare("PRAGMA foreign_key_check")?;
        let mut rows = references.query([])?;
        while let Some(row) = rows.next()? {
            let (table, parent): (String, String) = (row.get(0)?, row.get(2)?);
            faults.push(format!("a row of {table} refers to a row of {parent} that does not exist"));
        }
        Ok(faults)
    };
    match look() {
        Ok(faults) if faults.is_empty() => Ok(Soundness::Sound),
        Ok(faults) => Ok(Soundness::Damaged(faults)),
        Err(error) => damage(&error).ok_or(StoreError::Sqlite(error)),
    }
}

fn damage(error: &rusqlite::Error) -> Option<Soundness> {
    let damaged = error.sqlite_error_code() == Some(rusqlite::ErrorCode::DatabaseCorrupt);
    damaged.then(|| Soundness::Damaged(vec![error.to_string()]))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_good_database_is_sound_and_none_is_absent() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(check(dir.path()).unwrap(), Soundness::Absent);
        assert!(!dir.path().join(DATABASE).exists());
        drop(open::open(dir.path()).unwrap());
        assert_eq!(check(dir.path()).unwrap(), Soundness::Sound);
    }

    #[test]
    fn damage_and_dangling_references_are_told() {
        let dir = tempfile::tempdir().unwrap();
        let connection = open::open(dir.path()).unwrap();
        connection
            .execute_batch(
                "PRAGMA foreign_keys = OFF;
                 INSERT INTO events (agent_id, type, payload, created_at) VALUES ('nobody', 't', '{}', 0);",
            )
            .unwrap();
        drop(connection);
        let Soundness::Damaged(faults) = check(dir.path()).unwrap() else { panic!("it looks sound") };
        assert!(faults[0].contains("events"), "{faults:?}");

        let path = dir.path().join(DATABASE);
        let mut bytes = fs::read(&path).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle..].fill(0x55);
        fs::write(&path, bytes).unwrap();
        assert!(matches!(check(dir.path()).unwrap(), Soundness::Damaged(_)));
    }
}
