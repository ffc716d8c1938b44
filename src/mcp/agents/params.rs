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
    /// What to do first. Complete in itself: the agent sees nothing of this conversation.
    #[schemars(length(min = 1))]
    pub(super) task: String,
    /// Where to work, an absolute path (default: the server's own). A git worktree for each agent that writes at the
    /// same time as others: writers of one take turns.
    #[schemars(length(min = 1))]
    pub(super) cwd: Option<String>,
    /// `read_only` (default): read and search files only. `workspace_write`: also edit files and run commands.
    pub(super) permission_profile: Option<Profile>,
    /// `fable` for routine work, `sonnet` for complex coding and review, `opus` for the hardest, or a full model id.
    /// Best left out (default: the local Claude Code's own).
    #[schemars(length(min = 1))]
    pub(super) model: Option<String>,
    /// `low` for mechanical work, `medium` for normal, `high` for debugging and review, `xhigh` and `max` rarely
    /// (default: the model's own).
    pub(super) effort: Option<Effort>,
    /// A name for people, shown in lists (at most 100 characters).
    #[schemars(length(min = 1, max = 100))]
    pub(super) name: Option<String>,
    /// End a turn after so many seconds (1 to 604800, default: no limit).
    #[schemars(range(min = 1, max = 604_800))]
    pub(super) max_turn_seconds: Option<u64>,
    /// US dollars for its whole life (more than 0, default: no limit).
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub(super) max_budget_usd: Option<f64>,
    /// Go on with this session of `cwd` (a UUID), which must not be open elsewhere.
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
    /// What to do next. Not empty.
    #[schemars(length(min = 1))]
    pub(super) message: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct WaitAgentParams {
    /// 1 to 8 agents (UUIDs). The first event of any of them ends the wait.
    #[schemars(length(min = 1, max = 8))]
    pub(super) agent_ids: Vec<AgentId>,
    /// Only events after this `cursor` of an earlier answer (default "0": all).
    #[schemars(length(min = 1))]
    pub(super) after_cursor: Option<String>,
    /// Milliseconds (0 to 600000, default 30000). Stay below your client's own limit on a call.
    #[schemars(range(max = 600_000))]
    pub(super) timeout_ms: Option<u64>,
    /// `any` event (default); `turn_end`: a turn has ended; `idle`: nothing left to do. Trouble (needs attention,
    /// stalled, closed) ends every wait.
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
    /// How many to list (1 to 1000, default 20).
    #[schemars(range(min = 1, max = 1000))]
    pub(super) limit: Option<u32>,
    /// How many to pass over (default 0).
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
    /// Only events after this (default "0": all).
    #[schemars(length(min = 1))]
    pub(super) after_cursor: Option<String>,
    /// How many events, and raw frames (1 to 1000, default 100).
    #[schemars(range(min = 1, max = 1000))]
    pub(super) limit: Option<u32>,
    /// Also what the CLI printed, tool calls included (default false).
    pub(super) include_raw: Option<bool>,
    /// Only raw frames after this `raw_cursor` (default "0": all).
    #[schemars(length(min = 1))]
    pub(super) after_raw_cursor: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CloseAgentParams {
    /// The agent (a UUID).
    pub(super) agent_id: AgentId,
    /// Remove its record too (default false). Its Claude Code session stays on disk.
    pub(super) delete: Option<bool>,
}
