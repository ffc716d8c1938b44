//! What the agents' tools take. Bounds and defaults stand in the descriptions too: some clients strip them elsewhere.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::core::{
    agents::{Effort, Until},
    claude::Profile,
    ids::{AgentId, SessionId},
    store::AgentState,
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SpawnAgentParams {
    /// What the agent is to do first. Complete in itself: the agent sees neither this conversation nor CLAUDE.md.
    #[schemars(length(min = 1))]
    pub(super) task: String,
    /// The directory to work in: an absolute path that exists. Default: the server's own. Give every agent that writes
    /// at the same time as others a git worktree of its own; writers of one worktree take turns.
    #[schemars(length(min = 1))]
    pub(super) cwd: Option<String>,
    /// `read_only` (default): read and search files, nothing else. `workspace_write`: also edit files and run commands.
    pub(super) permission_profile: Option<Profile>,
    /// `fable` for routine work, `sonnet` for complex coding and review, `opus` for the hardest, or a full model id.
    /// Default: what the local Claude Code is set to. Leave it out unless you have a reason.
    #[schemars(length(min = 1))]
    pub(super) model: Option<String>,
    /// `low` for mechanical work, `medium` for normal work, `high` for debugging and review; `xhigh` and `max` rarely.
    /// Default: the model's own.
    pub(super) effort: Option<Effort>,
    /// A name for people, shown in lists.
    #[schemars(length(min = 1))]
    pub(super) name: Option<String>,
    /// The longest that one turn may take, in seconds (1 to 604800, default: no limit); then it ends as `timed_out`.
    #[schemars(range(min = 1, max = 604_800))]
    pub(super) max_turn_seconds: Option<u64>,
    /// What the agent may cost in its whole life, in US dollars (more than 0, default: no limit).
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub(super) max_budget_usd: Option<f64>,
    /// Go on with this existing Claude Code session of `cwd` (a UUID) instead of a new one. It must not be open
    /// elsewhere.
    pub(super) resume_session_id: Option<SessionId>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SendMessageParams {
    /// The agent (a UUID).
    pub(super) agent_id: AgentId,
    /// The context. Not empty.
    #[schemars(length(min = 1))]
    pub(super) message: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct FollowupTaskParams {
    /// The agent (a UUID).
    pub(super) agent_id: AgentId,
    /// What it is to do next. Not empty.
    #[schemars(length(min = 1))]
    pub(super) message: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct WaitAgentParams {
    /// The agents to wait for: 1 to 8 ids (UUIDs). The first event of any of them ends the wait.
    #[schemars(length(min = 1, max = 8))]
    pub(super) agent_ids: Vec<AgentId>,
    /// Only events after this: the `cursor` of an earlier answer about these agents (default "0": from the beginning).
    #[schemars(length(min = 1))]
    pub(super) after_cursor: Option<String>,
    /// How long to wait, in milliseconds (0 to 600000, default 30000). Stay below your client's own limit on a call.
    #[schemars(range(max = 600_000))]
    pub(super) timeout_ms: Option<u64>,
    /// `any` (default): any event. `turn_end`: a turn has ended. `idle`: an agent has nothing left to do. Trouble
    /// (`needs_attention`, stalled, closed) ends every wait.
    pub(super) until: Option<Until>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct InterruptAgentParams {
    /// The agent (a UUID).
    pub(super) agent_id: AgentId,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ListAgentsParams {
    /// Only agents in this state.
    pub(super) state: Option<AgentState>,
    /// At most so many agents (1 to 1000, default 20).
    #[schemars(range(min = 1, max = 1000))]
    pub(super) limit: Option<u32>,
    /// Leave out so many of the most recently changed first (default 0).
    pub(super) offset: Option<u32>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ListModelsParams {}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ReadAgentParams {
    /// The agent (a UUID).
    pub(super) agent_id: AgentId,
    /// Only events after this (default "0": from the beginning).
    #[schemars(length(min = 1))]
    pub(super) after_cursor: Option<String>,
    /// At most so many events, and so many raw frames (1 to 1000, default 100).
    #[schemars(range(min = 1, max = 1000))]
    pub(super) limit: Option<u32>,
    /// Whether to add what the CLI printed, frame by frame, tool calls included (default false).
    pub(super) include_raw: Option<bool>,
    /// Only raw frames after this `raw_cursor` (default "0": from the beginning).
    #[schemars(length(min = 1))]
    pub(super) after_raw_cursor: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CloseAgentParams {
    /// The agent (a UUID).
    pub(super) agent_id: AgentId,
    /// Whether to remove its record too (default false). Its Claude Code session stays on disk.
    pub(super) delete: Option<bool>,
}
