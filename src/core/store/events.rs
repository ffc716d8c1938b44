//! Events: global, append-only, in one order.

use rusqlite::params;
use serde_json::Value;

use super::{Change, StoreError, View};
use crate::core::{clock::Timestamp, ids::AgentId};

/// One event.
#[derive(Clone, Debug)]
pub struct EventRow {
    /// Its place in the order of all events; never used twice.
    pub sequence: i64,
    /// Whom it is about.
    pub agent_id: AgentId,
    /// What happened.
    pub kind: String,
    /// More about it.
    pub payload: Value,
    /// When.
    pub created_at: Timestamp,
}

impl View<'_> {
    /// The sequence of the newest event there ever was; 0 before the first. Deleted agents' events count.
    pub fn newest_event(&self) -> Result<i64, StoreError> {
        self.newest_of("events")
    }

    /// The sequence of an agent's newest event; 0 without one.
    pub fn newest_event_of(&self, agent: AgentId) -> Result<i64, StoreError> {
        self.value("SELECT coalesce(max(sequence), 0) FROM events WHERE agent_id = ?", [agent])
    }

    /// The events of `agents` after a cursor, ascending, at most `limit`.
    pub fn events(&self, agents: &[AgentId], after: i64, limit: u32) -> Result<Vec<EventRow>, StoreError> {
        let ids: Vec<String> = agents.iter().map(AgentId::to_string).collect();
        self.all(
            "SELECT sequence, agent_id, type, payload, created_at FROM events
             WHERE agent_id IN (SELECT value FROM json_each(?1)) AND sequence > ?2 ORDER BY sequence LIMIT ?3",
            params![serde_json::to_string(&ids).unwrap_or_default(), after, limit],
            |row| {
                let payload: String = row.get(3)?;
                Ok(EventRow {
                    sequence: row.get(0)?,
                    agent_id: row.get(1)?,
                    kind: row.get(2)?,
                    payload: serde_json::from_str(&payload).unwrap_or_default(),
                    created_at: row.get(4)?,
                })
            },
        )
    }

    /// Whom the events after a sequence are about, and the sequence of the last one.
    pub fn agents_with_news(&self, after: i64) -> Result<(Vec<AgentId>, i64), StoreError> {
        let newest = self.newest_event()?;
        let sql = "SELECT DISTINCT agent_id FROM events WHERE sequence > ? AND sequence <= ?";
        Ok((self.all(sql, [after, newest], |row| row.get(0))?, newest))
    }

    pub(super) fn newest_of(&self, table: &str) -> Result<i64, StoreError> {
        let newest = self.one("SELECT seq FROM sqlite_sequence WHERE name = ?", [table], |row| row.get(0))?;
        Ok(newest.unwrap_or(0))
    }
}

impl Change<'_> {
    /// Appends an event; its sequence.
    pub fn add_event(&self, agent: AgentId, kind: &str, payload: &Value) -> Result<i64, StoreError> {
        let sequence = self.insert(
            "INSERT INTO events (agent_id, type, payload, created_at) VALUES (?, ?, ?, ?)",
            params![agent, kind, payload.to_string(), self.now()],
        )?;
        self.appended_event(sequence);
        Ok(sequence)
    }
}
