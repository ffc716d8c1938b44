//! What one process asks another to do: interrupts and evictions. They are durable, so that a request outlives both.

use rusqlite::{Row, params};

use super::{Change, RequestKind, StoreError, View};
use crate::core::ids::{AgentId, OwnerId, TurnId};

/// A request.
#[derive(Clone, Debug)]
pub struct RequestRow {
    /// Its place among all requests; never used twice.
    pub sequence: i64,
    /// Whom it is about.
    pub agent_id: AgentId,
    /// What to do.
    pub kind: RequestKind,
    /// The turn to interrupt.
    pub turn_id: Option<TurnId>,
    /// Mail up to here is discarded with the turn; 0: none.
    pub mail_until: i64,
}

const COLUMNS: &str = "sequence, agent_id, kind, turn_id, mail_until";

fn read(row: &Row<'_>) -> rusqlite::Result<RequestRow> {
    Ok(RequestRow {
        sequence: row.get(0)?,
        agent_id: row.get(1)?,
        kind: row.get(2)?,
        turn_id: row.get(3)?,
        mail_until: row.get(4)?,
    })
}

impl View<'_> {
    /// The request of a kind about an agent.
    pub fn request(&self, agent: AgentId, kind: RequestKind) -> Result<Option<RequestRow>, StoreError> {
        let sql = format!("SELECT {COLUMNS} FROM requests WHERE agent_id = ? AND kind = ?");
        self.one(&sql, params![agent, kind], read)
    }

    /// The requests about agents whose process `server` holds.
    pub fn requests_for(&self, server: OwnerId) -> Result<Vec<RequestRow>, StoreError> {
        self.all(
            &format!(
                "SELECT {COLUMNS} FROM requests
                 WHERE agent_id IN (SELECT agent_id FROM children WHERE server_id = ?) ORDER BY sequence"
            ),
            [server],
            read,
        )
    }

    /// Grows with every event and every request that anybody commits.
    pub(super) fn news(&self) -> Result<(i64, i64), StoreError> {
        Ok((self.newest_of("events")?, self.newest_of("requests")?))
    }
}

impl Change<'_> {
    /// Asks; an equal request that nobody has carried out yet stays as it is. Whether it is new.
    pub fn add_request(
        &self,
        agent: AgentId,
        kind: RequestKind,
        turn: Option<TurnId>,
        mail_until: i64,
    ) -> Result<bool, StoreError> {
        let added = self.run(
            "INSERT INTO requests (agent_id, kind, turn_id, mail_until, created_at) VALUES (?, ?, ?, ?, ?)
             ON CONFLICT (agent_id, kind) DO NOTHING",
            params![agent, kind, turn, mail_until, self.now()],
        )?;
        self.announce();
        Ok(added > 0)
    }

    /// Forgets a request: it was carried out, or has become moot.
    pub fn remove_request(&self, agent: AgentId, kind: RequestKind) -> Result<(), StoreError> {
        self.run("DELETE FROM requests WHERE agent_id = ? AND kind = ?", params![agent, kind])?;
        Ok(())
    }
}
