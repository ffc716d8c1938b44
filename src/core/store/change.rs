//! A transaction to write in.

use std::{cell::Cell, ops::Deref};

use rusqlite::{Connection, Params};

use super::{StoreError, View};
use crate::core::clock::Timestamp;

/// One transaction: a state change and its events. It is committed when the closure that got it returns `Ok`.
pub struct Change<'c> {
    view: View<'c>,
    now: Timestamp,
    cursor: Cell<Option<i64>>,
    news: Cell<bool>,
}

impl<'c> Change<'c> {
    pub(super) fn new(connection: &'c Connection) -> Self {
        Self { view: View { connection }, now: Timestamp::now(), cursor: Cell::new(None), news: Cell::new(false) }
    }

    /// The time that everything in this transaction is stamped with.
    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// The last event that this transaction appended.
    pub fn cursor(&self) -> Option<i64> {
        self.cursor.get()
    }

    /// Whether anybody should look again after the commit.
    pub(super) fn has_news(&self) -> bool {
        self.news.get()
    }

    pub(super) fn appended_event(&self, sequence: i64) {
        self.cursor.set(Some(sequence));
        self.news.set(true);
    }

    /// Wakes whoever waits for news, though there is no event.
    pub fn announce(&self) {
        self.news.set(true);
    }

    /// Runs a statement; the number of rows that it changed.
    pub(super) fn run(&self, sql: &str, parameters: impl Params) -> Result<usize, StoreError> {
        Ok(self.view.connection.prepare_cached(sql)?.execute(parameters)?)
    }

    /// Runs an insert; the new row's number.
    pub(super) fn insert(&self, sql: &str, parameters: impl Params) -> Result<i64, StoreError> {
        Ok(self.view.connection.prepare_cached(sql)?.insert(parameters)?)
    }
}

impl<'c> Deref for Change<'c> {
    type Target = View<'c>;

    fn deref(&self) -> &View<'c> {
        &self.view
    }
}
