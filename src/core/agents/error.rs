//! Errors of the agents' tools: a fixed text per code; the hint and the details say which and what to do.

use crate::core::{
    claude::{MINIMUM_FOR_AGENTS, Unusable, Version},
    error::{Error, ErrorCode, ProcessDetails},
    ids::AgentId,
    store::{AgentRow, ChildRow},
};

/// An argument is missing, or not what it has to be. Never says the value.
pub(super) fn invalid_input(field: &str, expected: &str) -> Error {
    Error::new(ErrorCode::InvalidInput, "Invalid tool arguments.")
        .hint(format!("`{field}` has to be {expected}."))
        .details(|details| {
            details.field = Some(field.to_owned());
            details.expected = Some(expected.to_owned());
        })
}

/// There is no such agent.
pub(super) fn not_found(agent: AgentId) -> Error {
    Error::new(ErrorCode::AgentNotFound, "No such agent.")
        .hint("`list_agents` shows the agents there are.")
        .details(|details| details.agent_id = Some(agent))
}

/// The agent's state does not allow this.
pub(super) fn invalid_state(agent: &AgentRow, hint: &str) -> Error {
    Error::new(ErrorCode::InvalidState, "The agent's state does not allow this.").hint(hint).details(|details| {
        details.agent_id = Some(agent.agent_id);
        details.state = Some(agent.state.as_str().to_owned());
        details.reason = agent.reason.map(|reason| reason.as_str().to_owned());
    })
}

/// Nobody can tell whether the agent's process is dead.
pub(super) fn uncertain(agent: &AgentRow, child: Option<&ChildRow>) -> Error {
    let hint = "Its process may still be alive. Call `interrupt_agent` to end it, or end it yourself and call again.";
    invalid_state(agent, hint).details(|details| {
        details.process = child.and_then(|child| {
            let claude = child.pid.map(|pid| (pid, &child.started));
            let (pid, start) = claude.or(child.supervisor_pid.map(|pid| (pid, &child.supervisor_started)))?;
            Some(ProcessDetails { pid, started_at: start.clone() })
        });
    })
}

/// The cursor is malformed, or newer than everything there is.
pub(super) fn cursor_expired(field: &str) -> Error {
    Error::new(ErrorCode::CursorExpired, "The cursor is not valid.")
        .hint("Use a cursor from an earlier answer, or \"0\" to begin at the oldest event.")
        .details(|details| details.field = Some(field.to_owned()))
}

/// The session's transcript is gone.
pub(super) fn resume_failed(agent: Option<AgentId>) -> Error {
    Error::new(ErrorCode::ResumeFailed, "The session cannot be resumed.")
        .hint("Its transcript does not exist (any more) for this directory. Spawn a new agent.")
        .details(|details| details.agent_id = agent)
}

/// The CLI cannot be used.
pub(super) fn cli_unavailable(why: Unusable) -> Error {
    let Error { message, hint, .. } = why.into();
    let hint = hint.map_or_else(|| message.clone(), |hint| format!("{message} {hint}"));
    Error::new(ErrorCode::CliUnavailable, "The Claude CLI cannot be used.").hint(hint)
}

/// The CLI is too old for agents, or does not say its version.
pub(super) fn too_old(version: Option<Version>) -> Error {
    let found = version.map_or_else(|| "an unknown version".to_owned(), |version| format!("version {version}"));
    Error::new(ErrorCode::CliUnavailable, "The Claude CLI cannot be used.")
        .hint(format!("It is {found}, and agents need {MINIMUM_FOR_AGENTS} or newer. Run `claude update`."))
}

/// A fault of our own.
pub(super) fn internal(what: &str, cause: impl std::fmt::Display) -> Error {
    Error::new(ErrorCode::AgentsInternal, "Internal error.").hint(format!("{what}: {cause}. Run `ccmcp doctor`."))
}
