//! Servers, and the processes that they hold.

use rusqlite::{Row, params};

use super::{Change, Phase, StoreError, View};
use crate::core::{
    clock::Timestamp,
    ids::{AgentId, ChildId, OwnerId, TurnId},
};

/// A server that registered. Whether it lives is told by its lock file alone.
#[derive(Clone, Debug)]
pub struct ServerRow {
    /// Its id.
    pub server_id: OwnerId,
    /// Its process id.
    pub pid: u32,
    /// Its exact start, in the system's own unit.
    pub started: String,
}

/// A live process of an agent: a slot, and, while it has a turn, the workspace lock.
#[derive(Clone, Debug)]
pub struct ChildRow {
    /// The lease: one for each time that a process is claimed.
    pub child_id: ChildId,
    /// Whose it is.
    pub agent_id: AgentId,
    /// The server that holds it.
    pub server_id: OwnerId,
    /// What it is doing.
    pub phase: Phase,
    /// The turn that it runs.
    pub turn_id: Option<TurnId>,
    /// Claude's process id.
    pub pid: Option<u32>,
    /// Claude's exact start.
    pub started: Option<String>,
    /// The supervisor's process id.
    pub supervisor_pid: Option<u32>,
    /// The supervisor's exact start.
    pub supervisor_started: Option<String>,
    /// Since when it is idle.
    pub idle_since: Option<Timestamp>,
    /// When it was claimed.
    pub created_at: Timestamp,
}

const CHILD_COLUMNS: &str = "child_id, agent_id, server_id, phase, turn_id, pid, started, supervisor_pid, \
                             supervisor_started, idle_since, created_at";

fn read_child(row: &Row<'_>) -> rusqlite::Result<ChildRow> {
    Ok(ChildRow {
        child_id: row.get(0)?,
        agent_id: row.get(1)?,
        server_id: row.get(2)?,
        phase: row.get(3)?,
        turn_id: row.get(4)?,
        pid: row.get(5)?,
        started: row.get(6)?,
        supervisor_pid: row.get(7)?,
        supervisor_started: row.get(8)?,
        idle_since: row.get(9)?,
        created_at: row.get(10)?,
    })
}

impl View<'_> {
    /// Every registered server.
    pub fn servers(&self) -> Result<Vec<ServerRow>, StoreError> {
        self.all("SELECT server_id, pid, started FROM servers", [], |row| {
            Ok(ServerRow { server_id: row.get(0)?, pid: row.get(1)?, started: row.get(2)? })
        })
    }

    /// Whether a server is registered.
    pub fn is_registered(&self, server: OwnerId) -> Result<bool, StoreError> {
        self.value("SELECT EXISTS (SELECT 1 FROM servers WHERE server_id = ?)", [server])
    }

    /// Every live process, over all servers.
    pub fn children(&self) -> Result<Vec<ChildRow>, StoreError> {
        self.all(&format!("SELECT {CHILD_COLUMNS} FROM children ORDER BY created_at, child_id"), [], read_child)
    }

    /// One live process.
    pub fn child(&self, id: ChildId) -> Result<Option<ChildRow>, StoreError> {
        self.one(&format!("SELECT {CHILD_COLUMNS} FROM children WHERE child_id = ?"), [id], read_child)
    }

    /// An agent's live process.
    pub fn child_of(&self, agent: AgentId) -> Result<Option<ChildRow>, StoreError> {
        self.one(&format!("SELECT {CHILD_COLUMNS} FROM children WHERE agent_id = ?"), [agent], read_child)
    }
}

impl Change<'_> {
    /// Registers a server.
    pub fn add_server(&self, server: &ServerRow) -> Result<(), StoreError> {
        self.run(
            "INSERT INTO servers (server_id, pid, started, created_at) VALUES (?, ?, ?, ?)",
            params![server.server_id, server.pid, server.started, self.now()],
        )?;
        Ok(())
    }

    /// Forgets a server.
    pub fn remove_server(&self, server: OwnerId) -> Result<(), StoreError> {
        self.run("DELETE FROM servers WHERE server_id = ?", [server])?;
        Ok(())
    }

    /// Takes a slot for a process that is about to be started.
    pub fn add_child(&self, child: ChildId, agent: AgentId, server: OwnerId, turn: TurnId) -> Result<(), StoreError> {
        self.run(
            "INSERT INTO children (child_id, agent_id, server_id, phase, turn_id, created_at)
             VALUES (?, ?, ?, 'starting', ?, ?)",
            params![child, agent, server, turn, self.now()],
        )?;
        Ok(())
    }

    /// Records who a process is, as (pid, exact start): Claude and its supervisor.
    pub fn identify_child(
        &self,
        child: ChildId,
        claude: (Option<u32>, Option<&str>),
        supervisor: (Option<u32>, Option<&str>),
    ) -> Result<(), StoreError> {
        self.run(
            "UPDATE children SET pid = ?2, started = ?3, supervisor_pid = ?4, supervisor_started = ?5
             WHERE child_id = ?1",
            params![child, claude.0, claude.1, supervisor.0, supervisor.1],
        )?;
        Ok(())
    }

    /// Records what a process is doing; with a turn it holds its agent's workspace.
    pub fn set_child_phase(&self, child: ChildId, phase: Phase, turn: Option<TurnId>) -> Result<(), StoreError> {
        let idle_since = (phase == Phase::Idle).then_some(self.now());
        self.run(
            "UPDATE children SET phase = ?2, turn_id = ?3, idle_since = ?4 WHERE child_id = ?1",
            params![child, phase, turn, idle_since],
        )?;
        Ok(())
    }

    /// Frees the slot: the process is gone.
    pub fn remove_child(&self, child: ChildId) -> Result<(), StoreError> {
        self.run("DELETE FROM children WHERE child_id = ?", [child])?;
        self.announce();
        Ok(())
    }
}
