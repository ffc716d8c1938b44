//! What clients are told of each of the agents' tools.

use futures_util::future::BoxFuture;
use schemars::JsonSchema;

use super::{
    super::{
        reply::Reply,
        tool::{Call, Effect, Entry},
    },
    calls,
    params::{
        CloseAgentParams, FollowupTaskParams, InterruptAgentParams, ListAgentsParams, ListModelsParams,
        ReadAgentParams, SendMessageParams, SpawnAgentParams, WaitAgentParams,
    },
};
use crate::core::{
    agents::{
        ClosedAgent, FollowedUp, InterruptedAgent, ListedAgents, ListedModels, ReadAgentAnswer, SentMessage,
        SpawnedAgent, Waited,
    },
    error::{ErrorCode, Result},
};

/// The name that sessions and agents both have a tool of.
pub(in crate::mcp) const SEND_MESSAGE: &str = "send_message";

/// The tools, in the contract's order.
pub(in crate::mcp) fn tools() -> Vec<Entry> {
    vec![
        tool::<SpawnAgentParams, SpawnedAgent>(
            "spawn_agent",
            "Spawn an agent",
            "Start a Claude Code agent in the background, for long work or several things in parallel. Returns at once: \
             then call wait_agent with the returned agent_id and cursor and until \"turn_end\", which brings the result; \
             followup_task gives it more work. Agents run without CLAUDE.md, skills, plugins, hooks, MCP servers and \
             sub-agents: say in the task what matters.",
            Effect::Starts,
            calls::spawn_agent,
        ),
        tool::<SendMessageParams, SentMessage>(
            SEND_MESSAGE,
            "Give an agent context",
            "Give an agent context without asking for a turn. A turn in progress gets it at once (queued_only: false); \
             otherwise it comes first in the agent's next turn. To give it work, call followup_task instead.",
            Effect::Continues,
            calls::send_message,
        ),
        tool::<FollowupTaskParams, FollowedUp>(
            "followup_task",
            "Give an agent a task",
            "Give an agent another task in the same session: one turn of its own, after those that wait already. \
             Returns at once; call wait_agent with the returned cursor.",
            Effect::Continues,
            calls::followup_task,
        ),
        tool::<WaitAgentParams, Waited>(
            "wait_agent",
            "Wait for agents",
            "Wait until something happens to agents. Pass the cursor of the last answer about them, and nothing is \
             missed. `results` has each ended turn's status, reason, result (what the agent said, cut at 8 kB) and \
             permission_denials: no further call is needed. A time-out is no error (timed_out: true): call again with \
             the same cursor.",
            Effect::Reads,
            calls::wait_agent,
        ),
        tool::<InterruptAgentParams, InterruptedAgent>(
            "interrupt_agent",
            "Interrupt an agent",
            "Stop an agent's turn and drop the mail that waits. The agent stays usable: followup_task goes on. Also the \
             way out of needs_attention. On an idle agent it is no error (interrupted: false).",
            Effect::Continues,
            calls::interrupt_agent,
        ),
        tool::<ListAgentsParams, ListedAgents>(
            "list_agents",
            "List agents",
            "List the agents of this machine, the last changed first: id, name, state, last turn, waiting mail, cost. \
             For results: wait_agent, read_agent.",
            Effect::Reads,
            calls::list_agents,
        ),
        tool::<ListModelsParams, ListedModels>(
            "list_models",
            "List models",
            "List the models and effort levels for spawn_agent, and what each is good for. Seldom needed: both have \
             defaults.",
            Effect::Reads,
            calls::list_models,
        ),
        tool::<ReadAgentParams, ReadAgentAnswer>(
            "read_agent",
            "Read an agent",
            "Read one agent: its turns, events, and latest_result, whose payload is Claude's own result frame (result \
             is the full text; look at is_error and terminal_reason). To wait, call wait_agent instead. A succeeded \
             turn does not prove that files changed: check them. permission_denials tells what was refused; reason and \
             stderr_tail tell why a turn failed.",
            Effect::Reads,
            calls::read_agent,
        ),
        tool::<CloseAgentParams, ClosedAgent>(
            "close_agent",
            "Close an agent",
            "Close an agent that is idle or needs attention, for good: waiting mail is dropped, its process \
             ends. One that works has to be interrupted first.",
            Effect::Destroys,
            calls::close_agent,
        ),
    ]
}

fn tool<A: JsonSchema, O: JsonSchema>(
    name: &'static str,
    title: &str,
    description: &str,
    effect: Effect,
    run: fn(Call) -> BoxFuture<'static, Result<Reply>>,
) -> Entry {
    Entry::new::<A, O>(name, title, description.to_owned(), effect, ErrorCode::InvalidInput, run)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Codex drops all property descriptions of a tool whose schema is longer.
    const BUDGET: usize = 5_000;

    #[test]
    fn every_schema_fits_the_clients_budget() {
        for entry in tools() {
            let tool = serde_json::to_string(&entry.tool).unwrap();
            assert!(tool.len() < BUDGET, "{} has {} bytes", entry.tool.name, tool.len());
        }
    }

    #[test]
    fn the_order_is_the_contracts() {
        let names: Vec<_> = tools().iter().map(|entry| entry.tool.name.to_string()).collect();
        let order = "spawn_agent send_message followup_task wait_agent interrupt_agent list_agents list_models \
                     read_agent close_agent";
        assert_eq!(names.join(" "), order);
    }
}
