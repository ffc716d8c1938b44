//! Turns.

use rusqlite::{Row, params};

use super::{Change, StoreError, TurnReason, TurnStatus, View};
use crate::core::{
    clock::Timestamp,
    ids::{AgentId, OwnerId, TurnId},
};

/// One turn of an agent.
#[derive(Clone, Debug)]
pub struct TurnRow {
    /// Its place in the queue of all agents' turns.
    pub position: i64,
    /// Its id.
    pub turn_id: TurnId,
    /// Whose it is.
    pub agent_id: AgentId,
    /// The agent's how many-th, from 1.
    pub number: u32,
    /// How it stands.
    pub status: TurnStatus,
    /// Why it did not succeed.
    pub reason: Option<TurnReason>,
    /// How often it was started.
    pub attempt: u32,
    /// How often its process ended in the middle of it.
    pub deaths: u32,
    /// How often its process could not be started.
    pub launch_failures: u32,
    /// Not to be started before.
    pub not_before: Option<Timestamp>,
    /// When its last attempt began.
    pub started_at: Option<Timestamp>,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// What it cost, in US dollars, where that is known.
    pub cost_usd: Option<f64>,
    /// How many model turns it took.
    pub num_turns: Option<i64>,
    /// The process's exit status, where it ended the turn.
    pub exit_code: Option<i32>,
    /// The signal that ended the process, where that ended the turn.
    pub signal: Option<i32>,
    /// The API's HTTP status, where the API failed.
    pub api_error_status: Option<u16>,
    /// When a limit ends.
    pub resets_at: Option<Timestamp>,
    /// The last part of what the process wrote to standard error.
    pub stderr_tail: Option<String>,
    /// The raw frame that ended it.
    pub result_sequence: Option<i64>,
    /// When it was asked for.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// A turn at the head of its agent's queue, with what decides whether it may start.
#[derive(Clone, Debug)]
pub struct QueueRow {
    /// The turn.
    pub turn_id: TurnId,
    /// Whose it is.
    pub agent_id: AgentId,
    /// The agent's how many-th, from 1.
    pub number: u32,
    /// Not to be started before.
    pub not_before: Option<Timestamp>,
    /// The key of the agent's workspace lock.
    pub workspace: String,
    /// What the agent may do.
    pub permission_profile: String,
    /// The server that runs the agent's turns.
    pub owner: Option<OwnerId>,
    /// What the agent may cost in its life, in US dollars.
    pub max_budget_usd: Option<f64>,
    /// What it has cost so far, in US dollars.
    pub total_cost_usd: f64,
}

/// How a turn ended.
#[derive(Clone, Debug)]
pub struct TurnEnd {
    /// The final status.
    pub status: TurnStatus,
    /// Why it did not succeed.
    pub reason: Option<TurnReason>,
    /// What it cost, in US dollars, where that is known.
    pub cost_usd: Option<f64>,
    /// How many model turns it took.
    pub num_turns: Option<i64>,
    /// The process's exit status, where it ended the turn.
    pub exit_code: Option<i32>,
    /// The signal that ended the process, where that ended the turn.
    pub signal: Option<i32>,
    /// The API's HTTP status, where the API failed.
    pub api_error_status: Option<u16>,
    /// When a limit ends.
    pub resets_at: Option<Timestamp>,
    /// The last part of standard error.
    pub stderr_tail: Option<String>,
    /// The raw frame that ended it.
    pub result_sequence: Option<i64>,
}

impl TurnEnd {
    /// An end about which nothing more is known.
    pub fn new(status: TurnStatus, reason: Option<TurnReason>) -> Self {
        Self {
            status,
            reason,
            cost_usd: None,
            num_turns: None,
            exit_code: None,
            signal: None,
            api_error_status: None,
            resets_at: None,
            stderr_tail: None,
            result_sequence: None,
        }
    }
}

const COLUMNS: &str = "position, turn_id, agent_id, number, status, reason, attempt, deaths, launch_failures, \
                       not_before, started_at, ended_at, cost_usd, num_turns, exit_code, signal, api_error_status, \
                       resets_at, stderr_tail, result_sequence, created_at, updated_at";

fn read(row: &Row<'_>) -> rusqlite::Result<TurnRow> {
    // A word that this version does not know is no reason to hide the turn.
    let reason: Option<String> = row.get(5)?;
    Ok(TurnRow {
        position: row.get(0)?,
        turn_id: row.get(1)?,
        agent_id: row.get(2)?,
        number: row.get(3)?,
        status: row.get(4)?,
        reason: reason.as_deref().and_then(TurnReason::from_word),
        attempt: row.get(6)?,
        deaths: row.get(7)?,
        launch_failures: row.get(8)?,
        not_before: row.get(9)?,
        started_at: row.get(10)?,
        ended_at: row.get(11)?,
        cost_usd: row.get(12)?,
        num_turns: row.get(13)?,
        exit_code: row.get(14)?,
        signal: row.get(15)?,
        api_error_status: row.get(16)?,
        resets_at: row.get(17)?,
        stderr_tail: row.get(18)?,
        result_sequence: row.get(19)?,
        created_at: row.get(20)?,
        updated_at: row.get(21)?,
    })
}

impl View<'_> {
    /// One turn.
    pub fn turn(&self, id: TurnId) -> Result<Option<TurnRow>, StoreError> {
        self.one(&format!("SELECT {COLUMNS} FROM turns WHERE turn_id = ?"), [id], read)
    }

    /// An agent's turns, the newest first, at most `limit`, and how many there are in all.
    pub fn turns(&self, agent: AgentId, limit: u32) -> Result<(Vec<TurnRow>, u64), StoreError> {
        let total: i64 = self.value("SELECT count(*) FROM turns WHERE agent_id = ?", [agent])?;
        let turns = self.all(
            &format!("SELECT {COLUMNS} FROM turns WHERE agent_id = ? ORDER BY number DESC LIMIT ?"),
            params![agent, limit],
            read,
        )?;
        Ok((turns, u64::try_from(total).unwrap_or_default()))
    }

    /// How the agent's newest turn stands.
    pub fn last_turn_status(&self, agent: AgentId) -> Result<Option<TurnStatus>, StoreError> {
        self.one("SELECT status FROM turns WHERE agent_id = ? ORDER BY number DESC LIMIT 1", [agent], |row| row.get(0))
    }

    /// The agent's running turn.
    pub fn running_turn(&self, agent: AgentId) -> Result<Option<TurnRow>, StoreError> {
        let sql = format!("SELECT {COLUMNS} FROM turns WHERE agent_id = ? AND status = 'running'");
        self.one(&sql, [agent], read)
    }

    /// The agent's queued turns, the oldest first.
    pub fn queued_turns(&self, agent: AgentId) -> Result<Vec<TurnRow>, StoreError> {
        let sql = format!("SELECT {COLUMNS} FROM turns WHERE agent_id = ? AND status = 'queued' ORDER BY number");
        self.all(&sql, [agent], read)
    }

    /// The first queued turn of every agent that is queued itself, the oldest first.
    pub fn queue(&self) -> Result<Vec<QueueRow>, StoreError> {
        self.all(
            "SELECT turns.turn_id, turns.agent_id, turns.number, turns.not_before, agents.workspace,
                 agents.permission_profile, agents.owner, agents.max_budget_usd, agents.total_cost_usd
             FROM agents JOIN turns ON turns.position = (
                 SELECT min(position) FROM turns WHERE turns.agent_id = agents.agent_id AND turns.status = 'queued')
             WHERE agents.state = 'queued' ORDER BY turns.position",
            [],
            |row| {
                Ok(QueueRow {
                    turn_id: row.get(0)?,
                    agent_id: row.get(1)?,
                    number: row.get(2)?,
                    not_before: row.get(3)?,
                    workspace: row.get(4)?,
                    permission_profile: row.get(5)?,
                    owner: row.get(6)?,
                    max_budget_usd: row.get(7)?,
                    total_cost_usd: row.get(8)?,
                })
            },
        )
    }

    /// When the first turn that waits for its time becomes due.
    pub fn next_retry(&self) -> Result<Option<Timestamp>, StoreError> {
        self.value("SELECT min(not_before) FROM turns WHERE status = 'queued'", [])
    }
}

impl Change<'_> {
    /// Adds a queued turn at the end of the queue; its number.
    pub fn add_turn(&self, turn: TurnId, agent: AgentId) -> Result<u32, StoreError> {
        self.run(
            "INSERT INTO turns (turn_id, agent_id, number, status, created_at, updated_at)
             SELECT ?1, ?2, 1 + coalesce(max(number), 0), 'queued', ?3, ?3 FROM turns WHERE agent_id = ?2",
            params![turn, agent, self.now()],
        )?;
        self.value("SELECT number FROM turns WHERE turn_id = ?", [turn])
    }

    /// Begins the next attempt of a turn; its number, from 1.
    pub fn start_turn(&self, turn: TurnId) -> Result<u32, StoreError> {
        self.run(
            "UPDATE turns SET status = 'running', attempt = attempt + 1, not_before = NULL, started_at = ?2,
                 updated_at = ?2 WHERE turn_id = ?1",
            params![turn, self.now()],
        )?;
        self.value("SELECT attempt FROM turns WHERE turn_id = ?", [turn])
    }

    /// Puts a turn back into its old place in the queue.
    pub fn requeue_turn(
        &self,
        turn: TurnId,
        deaths: u32,
        launch_failures: u32,
        not_before: Option<Timestamp>,
    ) -> Result<(), StoreError> {
        self.run(
            "UPDATE turns SET status = 'queued', deaths = ?2, launch_failures = ?3, not_before = ?4, updated_at = ?5
             WHERE turn_id = ?1",
            params![turn, deaths, launch_failures, not_before, self.now()],
        )?;
        Ok(())
    }

    /// Ends a turn.
    pub fn end_turn(&self, turn: TurnId, end: &TurnEnd) -> Result<(), StoreError> {
        self.run(
            "UPDATE turns SET status = ?2, reason = ?3, cost_usd = ?4, num_turns = ?5, exit_code = ?6, signal = ?7,
                 api_error_status = ?8, resets_at = ?9, stderr_tail = ?10, result_sequence = ?11, not_before = NULL,
                 ended_at = ?12, updated_at = ?12 WHERE turn_id = ?1",
            params![
                turn,
                end.status,
                end.reason,
                end.cost_usd,
                end.num_turns,
                end.exit_code,
                end.signal,
                end.api_error_status,
                end.resets_at,
                end.stderr_tail,
                end.result_sequence,
                self.now(),
            ],
        )?;
        Ok(())
    }
}
