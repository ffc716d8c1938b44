//! Agents.

use rusqlite::{Row, params};

use super::{AgentState, AttentionReason, Change, StoreError, View};
use crate::core::{
    clock::Timestamp,
    ids::{AgentId, OwnerId, SessionId},
};

/// An agent that does not exist yet.
#[derive(Clone, Debug)]
pub struct NewAgent {
    /// Its id.
    pub agent_id: AgentId,
    /// Its session.
    pub session_id: SessionId,
    /// Whether the session exists already.
    pub session_seen: bool,
    /// What its caller calls it.
    pub name: Option<String>,
    /// The directory that it works in.
    pub cwd: String,
    /// The key of its workspace lock.
    pub workspace: String,
    /// What it may do.
    pub permission_profile: String,
    /// The model; none: the CLI's default.
    pub model: Option<String>,
    /// The effort; none: the CLI's default.
    pub effort: Option<String>,
    /// Longest turn, in seconds.
    pub max_turn_seconds: Option<i64>,
    /// What it may cost in its life, in US dollars.
    pub max_budget_usd: Option<f64>,
    /// The server that runs its turns.
    pub owner: OwnerId,
}

/// An agent.
#[derive(Clone, Debug)]
pub struct AgentRow {
    /// Its id.
    pub agent_id: AgentId,
    /// Its session.
    pub session_id: SessionId,
    /// Whether a transcript of its session is known to have existed.
    pub session_seen: bool,
    /// What its caller calls it.
    pub name: Option<String>,
    /// What it is doing.
    pub state: AgentState,
    /// Why it needs attention; set exactly when it does.
    pub reason: Option<AttentionReason>,
    /// The directory that it works in.
    pub cwd: String,
    /// The key of its workspace lock.
    pub workspace: String,
    /// What it may do.
    pub permission_profile: String,
    /// The model.
    pub model: Option<String>,
    /// The effort.
    pub effort: Option<String>,
    /// Longest turn, in seconds.
    pub max_turn_seconds: Option<i64>,
    /// What it may cost in its life, in US dollars.
    pub max_budget_usd: Option<f64>,
    /// What it has cost so far, in US dollars.
    pub total_cost_usd: f64,
    /// The server that runs its turns.
    pub owner: Option<OwnerId>,
    /// Whether its turn has been silent for too long.
    pub stalled: bool,
    /// When something last happened to it.
    pub last_activity_at: Timestamp,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// Which agents to list.
#[derive(Clone, Copy, Debug)]
pub struct AgentFilter {
    /// Only those in this state.
    pub state: Option<AgentState>,
    /// At most so many.
    pub limit: u32,
    /// After so many.
    pub offset: u32,
}

const COLUMNS: &str = "agent_id, session_id, session_seen, name, state, reason, cwd, workspace, permission_profile, \
                       model, effort, max_turn_seconds, max_budget_usd, total_cost_usd, owner, stalled, \
                       last_activity_at, created_at, updated_at";

fn read(row: &Row<'_>) -> rusqlite::Result<AgentRow> {
    Ok(AgentRow {
        agent_id: row.get(0)?,
        session_id: row.get(1)?,
        session_seen: row.get(2)?,
        name: row.get(3)?,
        state: row.get(4)?,
        reason: row.get(5)?,
        cwd: row.get(6)?,
        workspace: row.get(7)?,
        permission_profile: row.get(8)?,
        model: row.get(9)?,
        effort: row.get(10)?,
        max_turn_seconds: row.get(11)?,
        max_budget_usd: row.get(12)?,
        total_cost_usd: row.get(13)?,
        owner: row.get(14)?,
        stalled: row.get(15)?,
        last_activity_at: row.get(16)?,
        created_at: row.get(17)?,
        updated_at: row.get(18)?,
    })
}

impl View<'_> {
    /// One agent.
    pub fn agent(&self, id: AgentId) -> Result<Option<AgentRow>, StoreError> {
        self.one(&format!("SELECT {COLUMNS} FROM agents WHERE agent_id = ?"), [id], read)
    }

    /// Agents, the last changed first, and how many there are in all.
    pub fn agents(&self, filter: AgentFilter) -> Result<(Vec<AgentRow>, u64), StoreError> {
        let total: i64 = self.value("SELECT count(*) FROM agents WHERE ?1 IS NULL OR state = ?1", [filter.state])?;
        let agents = self.all(
            &format!(
                "SELECT {COLUMNS} FROM agents WHERE ?1 IS NULL OR state = ?1
                 ORDER BY updated_at DESC, agent_id LIMIT ?2 OFFSET ?3"
            ),
            params![filter.state, filter.limit, filter.offset],
            read,
        )?;
        Ok((agents, u64::try_from(total).unwrap_or_default()))
    }

    /// Agents in `state` whose owner is none of `alive`.
    pub fn orphans(&self, state: AgentState, alive: &[OwnerId]) -> Result<Vec<AgentRow>, StoreError> {
        let mut agents = self.all(&format!("SELECT {COLUMNS} FROM agents WHERE state = ?"), [state], read)?;
        agents.retain(|agent| agent.owner.is_none_or(|owner| !alive.contains(&owner)));
        Ok(agents)
    }

    /// Whether a live agent has this session.
    pub fn agent_of_session(&self, session: SessionId) -> Result<Option<AgentId>, StoreError> {
        self.one("SELECT agent_id FROM agents WHERE session_id = ? AND state <> 'closed' LIMIT 1", [session], |row| {
            row.get(0)
        })
    }

    /// Idle and closed agents without a process that have not changed since `before`.
    pub fn prunable(&self, before: Timestamp) -> Result<Vec<AgentRow>, StoreError> {
        self.all(
            &format!(
                "SELECT {COLUMNS} FROM agents WHERE state IN ('idle', 'closed') AND updated_at < ?
                 AND agent_id NOT IN (SELECT agent_id FROM children) ORDER BY updated_at, agent_id"
            ),
            [before],
            read,
        )
    }
}

impl Change<'_> {
    /// Makes an agent, queued.
    pub fn add_agent(&self, agent: &NewAgent) -> Result<(), StoreError> {
        let now = self.now();
        self.run(
            "INSERT INTO agents (agent_id, session_id, session_seen, name, state, cwd, workspace, permission_profile,
                 model, effort, max_turn_seconds, max_budget_usd, owner, last_activity_at, created_at, updated_at)
             VALUES (?1, ?2, ?3, ?4, 'queued', ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?13, ?13)",
            params![
                agent.agent_id,
                agent.session_id,
                agent.session_seen,
                agent.name,
                agent.cwd,
                agent.workspace,
                agent.permission_profile,
                agent.model,
                agent.effort,
                agent.max_turn_seconds,
                agent.max_budget_usd,
                agent.owner,
                now,
            ],
        )?;
        Ok(())
    }

    /// Moves an agent to a state; `reason` goes with `needs_attention` and nothing else.
    pub fn set_agent_state(
        &self,
        id: AgentId,
        state: AgentState,
        reason: Option<AttentionReason>,
    ) -> Result<(), StoreError> {
        let sql = "UPDATE agents SET state = ?2, reason = ?3, stalled = 0, updated_at = ?4, last_activity_at = ?4
                   WHERE agent_id = ?1";
        self.run(sql, params![id, state, reason, self.now()])?;
        Ok(())
    }

    /// Gives an agent to a server.
    pub fn set_owner(&self, id: AgentId, owner: OwnerId) -> Result<(), StoreError> {
        self.run("UPDATE agents SET owner = ?2 WHERE agent_id = ?1", params![id, owner])?;
        Ok(())
    }

    /// Notes that something happened to an agent, which also ends a stall.
    pub fn touch_agent(&self, id: AgentId, at: Timestamp) -> Result<(), StoreError> {
        let sql = "UPDATE agents SET last_activity_at = max(last_activity_at, ?2), updated_at = max(updated_at, ?2),
                       stalled = 0 WHERE agent_id = ?1";
        self.run(sql, params![id, at])?;
        Ok(())
    }

    /// Marks an agent as stalled.
    pub fn set_stalled(&self, id: AgentId) -> Result<(), StoreError> {
        self.run("UPDATE agents SET stalled = 1, updated_at = ?2 WHERE agent_id = ?1", params![id, self.now()])?;
        Ok(())
    }

    /// Notes that the agent's session has a transcript.
    pub fn set_session_seen(&self, id: AgentId) -> Result<(), StoreError> {
        self.run("UPDATE agents SET session_seen = 1 WHERE agent_id = ? AND session_seen = 0", [id])?;
        Ok(())
    }

    /// Adds to what an agent has cost, in US dollars.
    pub fn add_cost(&self, id: AgentId, dollars: f64) -> Result<(), StoreError> {
        self.run("UPDATE agents SET total_cost_usd = total_cost_usd + ?2 WHERE agent_id = ?1", params![id, dollars])?;
        Ok(())
    }

    /// Removes an agent and everything of it. Its process must be gone.
    pub fn remove_agent(&self, id: AgentId) -> Result<(), StoreError> {
        self.run("DELETE FROM agents WHERE agent_id = ?", [id])?;
        Ok(())
    }
}
