//! A connection to read with.

use rusqlite::{Connection, OptionalExtension, Params, Row};

use super::StoreError;

/// Reads one state of the database: every method of one `View` sees the same commit when it is part of a [`Change`],
/// and of a [`super::Store::read`].
///
/// [`Change`]: super::Change
pub struct View<'c> {
    pub(super) connection: &'c Connection,
}

impl View<'_> {
    /// The first row, if there is one.
    pub(super) fn one<T>(
        &self,
        sql: &str,
        parameters: impl Params,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>, StoreError> {
        Ok(self.connection.prepare_cached(sql)?.query_row(parameters, read).optional()?)
    }

    /// The one value of an aggregate.
    pub(super) fn value<T: rusqlite::types::FromSql>(
        &self,
        sql: &str,
        parameters: impl Params,
    ) -> Result<T, StoreError> {
        Ok(self.connection.prepare_cached(sql)?.query_row(parameters, |row| row.get(0))?)
    }

    /// Every row.
    pub(super) fn all<T>(
        &self,
        sql: &str,
        parameters: impl Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, StoreError> {
        let mut statement = self.connection.prepare_cached(sql)?;
        let rows = statement.query_map(parameters, read)?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}
