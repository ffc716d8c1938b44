//! Raw frames: what the CLI printed, line by line.

use rusqlite::{Row, params};

use super::{Change, StoreError, View};
use crate::core::{
    clock::Timestamp,
    ids::{AgentId, TurnId},
};

/// A frame that was just read.
#[derive(Clone, Debug)]
pub struct NewFrame {
    /// The turn that was in progress.
    pub turn_id: Option<TurnId>,
    /// Its `type`.
    pub kind: String,
    /// The line, as printed.
    pub payload: String,
    /// When it was read.
    pub at: Timestamp,
}

/// A frame on record.
#[derive(Clone, Debug)]
pub struct FrameRow {
    /// Its place among all frames; never used twice.
    pub sequence: i64,
    /// Whose process printed it.
    pub agent_id: AgentId,
    /// The turn that was in progress.
    pub turn_id: Option<TurnId>,
    /// Its `type`.
    pub kind: String,
    /// The line, as printed.
    pub payload: String,
    /// When it was read.
    pub created_at: Timestamp,
}

const COLUMNS: &str = "sequence, agent_id, turn_id, type, payload, created_at";

fn read(row: &Row<'_>) -> rusqlite::Result<FrameRow> {
    Ok(FrameRow {
        sequence: row.get(0)?,
        agent_id: row.get(1)?,
        turn_id: row.get(2)?,
        kind: row.get(3)?,
        payload: row.get(4)?,
        created_at: row.get(5)?,
    })
}

impl View<'_> {
    /// The sequence of an agent's newest frame; 0 without one.
    pub fn newest_frame_of(&self, agent: AgentId) -> Result<i64, StoreError> {
        self.value("SELECT coalesce(max(sequence), 0) FROM raw_events WHERE agent_id = ?", [agent])
    }

    /// An agent's frames after a cursor, ascending, at most `limit`.
    pub fn frames(&self, agent: AgentId, after: i64, limit: u32) -> Result<Vec<FrameRow>, StoreError> {
        self.all(
            &format!("SELECT {COLUMNS} FROM raw_events WHERE agent_id = ? AND sequence > ? ORDER BY sequence LIMIT ?"),
            params![agent, after, limit],
            read,
        )
    }

    /// One frame.
    pub fn frame(&self, sequence: i64) -> Result<Option<FrameRow>, StoreError> {
        self.one(&format!("SELECT {COLUMNS} FROM raw_events WHERE sequence = ?"), [sequence], read)
    }

    /// The frame that ended the newest turn that ended by one.
    pub fn latest_result(&self, agent: AgentId) -> Result<Option<FrameRow>, StoreError> {
        self.one(
            &format!(
                "SELECT {COLUMNS} FROM raw_events WHERE sequence =
                     (SELECT max(result_sequence) FROM turns WHERE agent_id = ?)"
            ),
            [agent],
            read,
        )
    }
}

impl Change<'_> {
    /// Puts frames on record; the sequence of the last one.
    pub fn add_frames(&self, agent: AgentId, frames: &[NewFrame]) -> Result<Option<i64>, StoreError> {
        let mut last = None;
        for frame in frames {
            last = Some(self.insert(
                "INSERT INTO raw_events (agent_id, turn_id, type, payload, created_at) VALUES (?, ?, ?, ?, ?)",
                params![agent, frame.turn_id, frame.kind, frame.payload, frame.at],
            )?);
        }
        Ok(last)
    }
}
