//! The append-only ladder of schema versions.
//!
//! A rung is never edited once released: databases out there have climbed it.

use rusqlite::{Connection, Transaction, TransactionBehavior};

/// One rung each; the number of rungs is the schema version.
pub(super) const LADDER: &[&str] = &[include_str!("schema/1.sql")];

/// Marks a database as ours (`ccmc` in ASCII).
pub(super) const APPLICATION_ID: i64 = 0x6363_6d63;

/// The schema version after climbing `ladder`.
pub(super) fn version_of(ladder: &[&str]) -> i64 {
    i64::try_from(ladder.len()).unwrap_or(i64::MAX)
}

/// The schema version of a database.
pub(super) fn version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

/// Climbs the missing rungs in one transaction: all of them, or none.
pub(super) fn climb(connection: &mut Connection, ladder: &[&str]) -> rusqlite::Result<()> {
    // Looked at without a write lock first: nearly always there is nothing to do.
    if version(connection)? >= version_of(ladder) {
        return Ok(());
    }
    let transaction = Transaction::new(connection, TransactionBehavior::Immediate)?;
    let reached = usize::try_from(version(&transaction)?).unwrap_or(0);
    for rung in ladder.iter().skip(reached) {
        transaction.execute_batch(rung)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", version_of(ladder))?;
    transaction.commit()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO: &[&str] = &[
        "CREATE TABLE a (x INTEGER) STRICT; INSERT INTO a VALUES (1);",
        "ALTER TABLE a ADD COLUMN y INTEGER; UPDATE a SET y = x + 1;",
    ];

    #[test]
    fn an_old_database_climbs_only_what_it_lacks() {
        let mut connection = Connection::open_in_memory().unwrap();
        climb(&mut connection, &TWO[..1]).unwrap();
        assert_eq!(version(&connection).unwrap(), 1);
        climb(&mut connection, TWO).unwrap();
        assert_eq!(version(&connection).unwrap(), 2);
        let row: (i64, i64) = connection.query_row("SELECT x, y FROM a", [], |row| row.try_into()).unwrap();
        assert_eq!(row, (1, 2));
        climb(&mut connection, TWO).unwrap();
        assert_eq!(connection.query_row("SELECT count(*) FROM a", [], |row| row.get(0)), Ok(1));
    }

    #[test]
    fn a_failed_upgrade_leaves_the_database_as_it_was() {
        let mut connection = Connection::open_in_memory().unwrap();
        climb(&mut connection, &TWO[..1]).unwrap();
        let broken = [TWO[0], TWO[1], "INSERT INTO nowhere VALUES (1);"];
        climb(&mut connection, &broken).unwrap_err();
        assert_eq!(version(&connection).unwrap(), 1);
        assert!(connection.prepare("SELECT y FROM a").is_err(), "the second rung must be rolled back too");
        climb(&mut connection, TWO).unwrap();
        assert_eq!(version(&connection).unwrap(), 2);
    }

    #[test]
    fn the_real_ladder_can_be_climbed() {
        let mut connection = Connection::open_in_memory().unwrap();
        climb(&mut connection, LADDER).unwrap();
        let id: i64 = connection.pragma_query_value(None, "application_id", |row| row.get(0)).unwrap();
        assert_eq!((id, version(&connection).unwrap()), (APPLICATION_ID, version_of(LADDER)));
    }
}
