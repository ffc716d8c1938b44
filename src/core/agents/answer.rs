//! What the agents' operations answer: the shapes of the contract.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::{Cursor, input::Effort};
use crate::core::{
    claude::Profile,
    clock::Timestamp,
    ids::{AgentId, MessageId, SessionId, TurnId},
    store::{AgentState, AttentionReason, TurnReason, TurnStatus},
};

/// A new agent.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SpawnedAgent {
    /// The agent.
    pub agent_id: AgentId,
    /// Its Claude Code session.
    pub session_id: SessionId,
    /// Its first turn.
    pub turn_id: TurnId,
    /// What it is doing.
    pub state: AgentState,
    /// Pass it to `wait_agent` to see everything that comes after this call.
    pub cursor: Cursor,
}

/// Context for an agent.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SentMessage {
    /// The message.
    pub message_id: MessageId,
    /// Whether it only waits in the mailbox (true), or was handed to the agent's live process already (false).
    pub queued_only: bool,
    /// How many messages wait in the mailbox.
    pub mailbox_depth: u64,
    /// Pass it to `wait_agent` to see everything that comes after this call.
    pub cursor: Cursor,
}

/// A task for an agent.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FollowedUp {
    /// The message.
    pub message_id: MessageId,
    /// The turn that it will be.
    pub turn_id: TurnId,
    /// What the agent is doing.
    pub state: AgentState,
    /// Pass it to `wait_agent` to see everything that comes after this call.
    pub cursor: Cursor,
}

/// Events.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Waited {
    /// What happened, in order.
    pub events: Vec<AgentEvent>,
    /// Where to go on: the last event's sequence, or the cursor that was passed in.
    pub cursor: Cursor,
    /// Whether the time ran out before anything matched.
    pub timed_out: bool,
    /// Whether there are more events after these.
    pub has_more: bool,
    /// The result of every turn whose end is among the events.
    pub results: Vec<TurnResult>,
}

/// One event.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct AgentEvent {
    /// Its place in the order of all events.
    pub sequence: Cursor,
    /// Whom it is about.
    pub agent_id: AgentId,
    /// What happened.
    #[serde(rename = "type")]
    pub kind: String,
    /// More about it.
    pub payload: Value,
    /// When.
    pub created_at: Timestamp,
}

/// The result of a turn.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TurnResult {
    /// Whose turn.
    pub agent_id: AgentId,
    /// The turn.
    pub turn_id: TurnId,
    /// How it ended.
    pub status: TurnStatus,
    /// Why it did not succeed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<TurnReason>,
    /// What the model said last; cut at 8 kB, with a mark.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// What the permission rules refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permission_denials: Option<Value>,
}

/// What became of an interrupt.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct InterruptedAgent {
    /// What the agent is doing.
    pub state: AgentState,
    /// Whether a turn was interrupted before this answer.
    pub interrupted: bool,
    /// Pass it to `wait_agent` to see everything that comes after the request.
    pub cursor: Cursor,
}

/// Agents.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ListedAgents {
    /// The last changed first.
    pub agents: Vec<AgentSummary>,
    /// How many there are in all.
    pub total: u64,
}

/// An agent at a glance.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AgentSummary {
    /// The agent.
    pub agent_id: AgentId,
    /// Its Claude Code session.
    pub session_id: SessionId,
    /// What its caller calls it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What it is doing.
    pub state: AgentState,
    /// Why it needs attention.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<AttentionReason>,
    /// How its newest turn stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_turn_status: Option<TurnStatus>,
    /// How many messages wait in its mailbox.
    pub pending_message_count: u64,
    /// The directory that it works in.
    pub cwd: String,
    /// What it may do.
    pub permission_profile: Profile,
    /// The model; without it the CLI's default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The effort; without it the CLI's default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effort: Option<String>,
    /// When something last happened to it.
    pub last_activity_at: Timestamp,
    /// Whether its turn has been silent for too long.
    pub stalled: bool,
    /// What it has cost so far, in US dollars.
    pub total_cost_usd: f64,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// A turn.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AgentTurn {
    /// The turn.
    pub turn_id: TurnId,
    /// Whose it is.
    pub agent_id: AgentId,
    /// The agent's how many-th, from 1.
    pub number: u32,
    /// How it stands.
    pub status: TurnStatus,
    /// Why it did not succeed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<TurnReason>,
    /// When its last attempt began.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Timestamp>,
    /// When it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Timestamp>,
    /// How long it took, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<i64>,
    /// What it cost, in US dollars.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    /// How many model turns it took.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub num_turns: Option<i64>,
    /// What the permission rules refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permission_denials: Option<Value>,
    /// The process's exit status, where it ended the turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// The signal that ended the process, where that ended the turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
    /// The API's HTTP status, where the API failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api_error_status: Option<u16>,
    /// When a limit ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resets_at: Option<Timestamp>,
    /// The last part of what the process wrote to standard error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stderr_tail: Option<String>,
    /// When it was asked for.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// An agent in full.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ReadAgentAnswer {
    /// The agent at a glance.
    pub agent: AgentSummary,
    /// Its turns, the newest first.
    pub turns: Vec<AgentTurn>,
    /// How many older turns were left out to keep the answer short.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turns_omitted: Option<u64>,
    /// The newest result of a real turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latest_result: Option<LatestResult>,
    /// What happened, in order.
    pub events: Vec<AgentEvent>,
    /// Where to go on with events.
    pub cursor: Cursor,
    /// Whether there are more events after these.
    pub has_more: bool,
    /// What the CLI printed, line by line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub raw_events: Option<Vec<RawEvent>>,
    /// Where to go on with raw frames.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub raw_cursor: Option<Cursor>,
    /// Whether there are more raw frames after these.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub raw_has_more: Option<bool>,
}

/// The newest `result` frame of a real turn.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LatestResult {
    /// The turn that it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<TurnId>,
    /// When it came.
    pub created_at: Timestamp,
    /// The frame; look at its `is_error` and `terminal_reason`.
    pub payload: Value,
}

/// One line of what the CLI printed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RawEvent {
    /// Its place in the order of all frames.
    pub sequence: Cursor,
    /// Whose process printed it.
    pub agent_id: AgentId,
    /// The turn that was in progress.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<TurnId>,
    /// The frame's type.
    #[serde(rename = "type")]
    pub kind: String,
    /// The frame; a long one is cut, as text, with a mark.
    pub payload: Value,
    /// When it was read.
    pub created_at: Timestamp,
}

/// What became of an agent that was closed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ClosedAgent {
    /// What the agent is doing: nothing any more.
    pub state: AgentState,
}

/// What was, or would be, removed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PrunedAgents {
    /// The agents, the least recently changed first.
    pub agents: Vec<AgentSummary>,
    /// Whether they were removed; false for a dry run.
    pub removed: bool,
}

/// The models that agents can be given.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ListedModels {
    /// Models.
    pub models: Vec<ModelChoice>,
    /// Effort levels, the lowest first.
    pub effort_levels: Vec<Effort>,
    /// Whether `model` may also be a full model id.
    pub accepts_full_model_id: bool,
    /// What this list does not promise.
    pub availability_note: String,
}

/// A model.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ModelChoice {
    /// What it is called.
    pub id: String,
    /// What to pass as `model`; null: leave it out.
    pub spawn_value: Option<String>,
    /// What it is good for.
    pub recommended_for: String,
}
