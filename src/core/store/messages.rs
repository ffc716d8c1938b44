//! The mailbox, and every attempt to deliver from it.

use rusqlite::{Row, params};

use super::{Change, MessageKind, MessageState, StoreError, View};
use crate::core::{
    clock::Timestamp,
    ids::{AgentId, ChildId, InputId, MessageId, OwnerId, TurnId},
};

/// One message in an agent's mailbox.
#[derive(Clone, Debug)]
pub struct MessageRow {
    /// Its place among all messages.
    pub sequence: i64,
    /// Its id.
    pub message_id: MessageId,
    /// Whose mailbox it is in.
    pub agent_id: AgentId,
    /// A followup's own turn; for context, the turn that it became part of.
    pub turn_id: Option<TurnId>,
    /// What it wants.
    pub kind: MessageKind,
    /// How far it got.
    pub state: MessageState,
    /// Its text.
    pub body: String,
    /// Whether an earlier attempt to deliver it was written to a process.
    pub tried: bool,
    /// When it was sent.
    pub created_at: Timestamp,
}

const COLUMNS: &str = "sequence, message_id, agent_id, turn_id, kind, state, body, created_at, \
                       EXISTS (SELECT 1 FROM attempts WHERE attempts.message_id = messages.message_id)";

fn read(row: &Row<'_>) -> rusqlite::Result<MessageRow> {
    Ok(MessageRow {
        sequence: row.get(0)?,
        message_id: row.get(1)?,
        agent_id: row.get(2)?,
        turn_id: row.get(3)?,
        kind: row.get(4)?,
        state: row.get(5)?,
        body: row.get(6)?,
        created_at: row.get(7)?,
        tried: row.get(8)?,
    })
}

impl View<'_> {
    /// One message.
    pub fn message(&self, id: MessageId) -> Result<Option<MessageRow>, StoreError> {
        self.one(&format!("SELECT {COLUMNS} FROM messages WHERE message_id = ?"), [id], read)
    }

    /// An agent's messages that nobody has written to a process, the oldest first.
    pub fn pending(&self, agent: AgentId) -> Result<Vec<MessageRow>, StoreError> {
        let sql = format!("SELECT {COLUMNS} FROM messages WHERE agent_id = ? AND state = 'pending' ORDER BY sequence");
        self.all(&sql, [agent], read)
    }

    /// How many messages wait in an agent's mailbox.
    pub fn pending_count(&self, agent: AgentId) -> Result<u64, StoreError> {
        let count: i64 =
            self.value("SELECT count(*) FROM messages WHERE agent_id = ? AND state = 'pending'", [agent])?;
        Ok(u64::try_from(count).unwrap_or_default())
    }

    /// Agents of `server` with a live process that could take the context at the head of their mailbox.
    pub fn deliverable(&self, server: OwnerId) -> Result<Vec<AgentId>, StoreError> {
        self.all(
            "SELECT DISTINCT children.agent_id FROM children JOIN messages USING (agent_id)
             WHERE children.server_id = ? AND children.phase IN ('idle', 'busy')
               AND messages.state = 'pending' AND messages.kind = 'message'
               AND NOT EXISTS (
                   SELECT 1 FROM messages AS before WHERE before.agent_id = messages.agent_id
                   AND before.state = 'pending' AND before.kind = 'followup' AND before.sequence < messages.sequence)",
            [server],
            |row| row.get(0),
        )
    }

    /// Queued turns of an agent whose followup was discarded, the oldest first.
    pub fn turns_without_mail(&self, agent: AgentId) -> Result<Vec<TurnId>, StoreError> {
        self.all(
            "SELECT turns.turn_id FROM turns JOIN messages USING (turn_id)
             WHERE turns.agent_id = ? AND turns.status = 'queued'
               AND messages.kind = 'followup' AND messages.state = 'discarded' ORDER BY turns.number",
            [agent],
            |row| row.get(0),
        )
    }

    /// The sequence of an agent's newest message; 0 without one.
    pub fn newest_message(&self, agent: AgentId) -> Result<i64, StoreError> {
        self.value("SELECT coalesce(max(sequence), 0) FROM messages WHERE agent_id = ?", [agent])
    }

    /// How many messages of a turn's input the CLI confirmed.
    pub fn acknowledged_count(&self, turn: TurnId) -> Result<u64, StoreError> {
        let count: i64 =
            self.value("SELECT count(*) FROM messages WHERE turn_id = ? AND state = 'acknowledged'", [turn])?;
        Ok(u64::try_from(count).unwrap_or_default())
    }
}

impl Change<'_> {
    /// Puts a message into a mailbox; its sequence.
    pub fn add_message(
        &self,
        id: MessageId,
        agent: AgentId,
        kind: MessageKind,
        turn: Option<TurnId>,
        body: &str,
    ) -> Result<i64, StoreError> {
        self.insert(
            "INSERT INTO messages (message_id, agent_id, turn_id, kind, state, body, created_at, updated_at)
             VALUES (?1, ?2, ?3, ?4, 'pending', ?5, ?6, ?6)",
            params![id, agent, turn, kind, body, self.now()],
        )
    }

    /// Notes that a message is about to be written to a process as `input`, as part of `turn` where there is one.
    pub fn lease_message(
        &self,
        message: MessageId,
        turn: Option<TurnId>,
        input: InputId,
        child: ChildId,
    ) -> Result<(), StoreError> {
        self.run(
            "UPDATE messages SET state = 'leased', turn_id = coalesce(?2, turn_id), updated_at = ?3
             WHERE message_id = ?1",
            params![message, turn, self.now()],
        )?;
        self.run(
            "INSERT INTO attempts (input_id, message_id, child_id, created_at) VALUES (?, ?, ?, ?)",
            params![input, message, child, self.now()],
        )?;
        Ok(())
    }

    /// Notes that the CLI confirmed `input`: every message in it is acknowledged. How many that were.
    pub fn acknowledge(&self, input: InputId) -> Result<usize, StoreError> {
        let now = self.now();
        self.run(
            "UPDATE attempts SET confirmed_at = ?2 WHERE input_id = ?1 AND confirmed_at IS NULL",
            params![input, now],
        )?;
        self.run(
            "UPDATE messages SET state = 'acknowledged', updated_at = ?2 WHERE state = 'leased'
             AND message_id IN (SELECT message_id FROM attempts WHERE input_id = ?1)",
            params![input, now],
        )
    }

    /// Puts an agent's written but unconfirmed messages back into the mailbox: their process is gone. Context is
    /// no longer part of the turn that it was written to.
    pub fn return_mail(&self, agent: AgentId) -> Result<(), StoreError> {
        self.run(
            "UPDATE messages SET state = 'pending', updated_at = ?2,
                 turn_id = CASE kind WHEN 'followup' THEN turn_id END
             WHERE agent_id = ?1 AND state = 'leased'",
            params![agent, self.now()],
        )?;
        Ok(())
    }

    /// Puts a turn's input back into the mailbox, confirmed or not: the turn is going to be repeated. Context that was
    /// written while the turn ran stays as it is: once confirmed it is in the transcript.
    pub fn return_turn(&self, turn: TurnId) -> Result<(), StoreError> {
        self.run(
            "UPDATE messages SET state = 'pending', updated_at = ?2,
                 turn_id = CASE kind WHEN 'followup' THEN turn_id END
             WHERE state IN ('leased', 'acknowledged') AND message_id IN (
                 SELECT message_id FROM attempts WHERE input_id IN (
                     SELECT input_id FROM attempts JOIN messages USING (message_id)
                     WHERE messages.turn_id = ?1 AND messages.kind = 'followup'))",
            params![turn, self.now()],
        )?;
        Ok(())
    }

    /// Discards an agent's undelivered messages up to `until` (0: none; `i64::MAX`: all). How many that were.
    pub fn discard_mail(&self, agent: AgentId, until: i64) -> Result<usize, StoreError> {
        self.run(
            "UPDATE messages SET state = 'discarded', updated_at = ?3
             WHERE agent_id = ?1 AND sequence <= ?2 AND state = 'pending'",
            params![agent, until, self.now()],
        )
    }

    /// Discards what a turn was made of and the CLI never confirmed.
    pub fn discard_turn(&self, turn: TurnId) -> Result<usize, StoreError> {
        self.run(
            "UPDATE messages SET state = 'discarded', updated_at = ?2
             WHERE turn_id = ?1 AND state IN ('pending', 'leased')",
            params![turn, self.now()],
        )
    }
}
