//! Which agent a person means: an id, the beginning of one, a name, or `last`.

use super::hub::Hub;
use crate::core::{
    error::{Error, ErrorCode, Result},
    ids::AgentId,
    nearest::{did_you_mean, nearest, nearest_ids},
    store::{AgentFilter, AgentRow},
};

/// How many candidates an error names.
const NAMED: usize = 5;

/// The agent that `text` means.
pub(super) async fn find(hub: &Hub, text: &str) -> Result<AgentId> {
    let text = text.to_owned();
    hub.store
        .read(move |view| {
            // A whole id is that agent, whatever others are called.
            if let Ok(id) = text.parse()
                && let Some(agent) = view.agent(id)?
            {
                return Ok(agent.agent_id);
            }
            // `last` is the first of them; of everything else there may be several.
            let limit = if text == "last" { 1 } else { u32::MAX };
            let (agents, _) = view.agents(AgentFilter { state: None, limit, offset: 0 })?;
            match (text.as_str(), meant(&agents, &text).as_slice()) {
                ("last", _) => agents.first().map(|agent| agent.agent_id).ok_or_else(none_at_all),
                (_, [one]) => Ok(one.agent_id),
                (_, []) => Err(none(&agents, &text)),
                (_, several) => Err(ambiguous(&text, several)),
            }
        })
        .await
}

/// A name beats the beginning of an id, but not a whole one.
fn meant<'a>(agents: &'a [AgentRow], text: &str) -> Vec<&'a AgentRow> {
    let named: Vec<_> = agents.iter().filter(|agent| agent.name.as_deref() == Some(text)).collect();
    if !named.is_empty() || text.is_empty() {
        return named;
    }
    let prefix = text.to_lowercase();
    agents.iter().filter(|agent| agent.agent_id.to_string().starts_with(&prefix)).collect()
}

fn none_at_all() -> Error {
    Error::new(ErrorCode::AgentNotFound, "There are no agents.")
        .hint("`list_agents` shows the agents there are: MCP clients spawn them with the tool `spawn_agent`.")
}

fn none(agents: &[AgentRow], text: &str) -> Error {
    let mut near: Vec<String> = Vec::new();
    for name in nearest(text, agents.iter().filter_map(|agent| agent.name.clone())) {
        if !near.contains(&name) {
            near.push(name);
        }
    }
    if near.is_empty() {
        near = nearest_ids(text, agents.iter().map(|agent| agent.agent_id)).iter().map(ToString::to_string).collect();
    }
    let list = "`list_agents` shows the agents there are.";
    let hint = did_you_mean(&near).map_or_else(|| list.to_owned(), |question| format!("{question} {list}"));
    Error::new(ErrorCode::AgentNotFound, format!("There is no agent `{text}`."))
        .hint(hint)
        .details(|details| details.candidates = near)
}

fn ambiguous(text: &str, agents: &[&AgentRow]) -> Error {
    let ids: Vec<String> = agents.iter().take(NAMED).map(|agent| agent.agent_id.to_string()).collect();
    let more = if agents.len() > NAMED { ", …" } else { "" };
    Error::new(ErrorCode::AgentNotFound, format!("`{text}` fits {} agents.", agents.len()))
        .hint(format!("Name one of them by its id: {}{more}", ids.join(", ")))
        .details(|details| details.candidates = ids)
}
