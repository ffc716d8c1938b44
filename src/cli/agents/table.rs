//! Agents as a table: one line each, and as much as fits.

use std::path::Path;

use comfy_table::Color;

use super::words::{age, directory, dollars, fit};
use crate::{
    cli::table::Rows,
    core::{
        agents::{AgentSummary, ListedAgents},
        claude::Profile,
        clock::Timestamp,
        store::{AgentState, TurnStatus},
    },
};

/// The widest that a name is shown.
const NAME: usize = 20;

/// The narrowest that a directory is still worth its place.
const DIRECTORY: usize = 16;

/// From these widths on, there is room for what something costs, for how it runs, and for whole ids.
const MEDIUM: usize = 80;
const WIDE: usize = 120;
const WHOLE_IDS: usize = 170;

/// Renders the agents for a terminal of so many columns. Directories under `home` begin with `~`.
pub(super) fn table(agents: &[AgentSummary], home: &Path, columns: usize) -> String {
    let now = Timestamp::now();
    let id = |agent: &AgentSummary| {
        let id = agent.agent_id.to_string();
        if columns < WHOLE_IDS { id.chars().take(8).collect() } else { id }
    };
    let text = |text: &Option<String>, none: &str| fit(text.as_deref().unwrap_or(none), NAME);
    let mut rows = Rows::new(columns);
    rows.column("AGENT", agents.iter().map(id)).bold();
    if agents.iter().any(|agent| agent.name.is_some()) {
        rows.column("NAME", agents.iter().map(|agent| text(&agent.name, "-")));
    }
    let states: Vec<_> = agents.iter().map(state).collect();
    rows.column("STATE", states.iter().map(|(state, _)| state.clone()))
        .colored(states.iter().map(|(_, color)| *color).collect());
    let turns: Vec<_> = agents.iter().map(|agent| turn(agent.last_turn_status)).collect();
    rows.column("TURN", turns.iter().map(|(turn, _)| turn.clone()))
        .colored(turns.iter().map(|(_, color)| *color).collect());
    rows.column("ACTIVE", agents.iter().map(|agent| age(agent.last_activity_at, now))).right();
    if columns >= MEDIUM {
        rows.column("COST", agents.iter().map(|agent| dollars(agent.total_cost_usd))).right();
    }
    if columns >= WIDE {
        rows.column("MAIL", agents.iter().map(|agent| agent.pending_message_count.to_string())).right();
        rows.column("MODEL", agents.iter().map(|agent| text(&agent.model, "default")));
        rows.column("PROFILE", agents.iter().map(|agent| profile(agent).to_owned()));
    }
    let room = rows.room().min(columns / 3);
    if room >= DIRECTORY {
        rows.column("DIRECTORY", agents.iter().map(|agent| directory(&agent.cwd, home, room))).dim();
    }
    rows.to_string()
}

/// How many agents are not listed.
pub(super) fn rest(listed: &ListedAgents, offset: u32) -> Option<String> {
    let rest = listed.total.saturating_sub(u64::from(offset)).saturating_sub(listed.agents.len() as u64);
    (rest > 0).then(|| format!("{rest} more"))
}

/// An agent's state, with what is wrong about it.
pub(super) fn state(agent: &AgentSummary) -> (String, Option<Color>) {
    let color = match agent.state {
        AgentState::Queued => Some(Color::Cyan),
        AgentState::Running => Some(Color::Green),
        AgentState::Cancelling => Some(Color::Yellow),
        AgentState::NeedsAttention => Some(Color::Red),
        AgentState::Closed => Some(Color::DarkGrey),
        AgentState::Idle => None,
    };
    match agent.reason {
        Some(reason) => (format!("{} ({reason})", agent.state), color),
        None if agent.stalled => (format!("{} (stalled)", agent.state), Some(Color::Yellow)),
        None => (agent.state.to_string(), color),
    }
}

/// How a turn stands.
pub(super) fn turn(status: Option<TurnStatus>) -> (String, Option<Color>) {
    let color = match status {
        Some(TurnStatus::Failed | TurnStatus::TimedOut) => Some(Color::Red),
        Some(TurnStatus::Interrupted) => Some(Color::Yellow),
        _ => None,
    };
    (status.map_or("-", TurnStatus::as_str).to_owned(), color)
}

/// What an agent may do.
pub(super) fn profile(agent: &AgentSummary) -> &'static str {
    match agent.permission_profile {
        Profile::ReadOnly => "read_only",
        Profile::WorkspaceWrite => "workspace_write",
    }
}
