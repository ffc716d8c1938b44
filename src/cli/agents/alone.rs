//! What to say when no server is there to run anything.

use crate::{
    cli::Terminal,
    core::{agents::Agents, store::AgentState},
};

/// Whether work that is queued or under way has nobody to do it. Where it cannot be told, somebody may be there.
pub(super) fn is_alone(agents: &Agents, mut states: impl Iterator<Item = AgentState>) -> bool {
    states.any(AgentState::is_busy) && !agents.has_server().unwrap_or(true)
}

/// Says so.
pub(super) fn remark(terminal: Terminal) {
    terminal.remark("No ccmcp server is running: these agents wait until an MCP client starts one.");
}
