//! Which agent is meant: an id, the beginning of one, a name, or `last`.

use crate::core::{
    agents::{AgentSummary, Agents, ListAgents},
    error::{Error, ErrorCode, Result},
    ids::AgentId,
};

/// How many agents are looked at in one go.
const PAGE: u32 = 1000;

/// How many candidates an error names.
const NAMED: usize = 5;

/// The agent that `text` means.
///
/// # Errors
/// `agent_not_found`: none, or more than one.
pub(super) async fn find(agents: &Agents, text: &str) -> Result<AgentId> {
    if let Ok(id) = text.parse() {
        // Whether there is such an agent is for the operation itself to say.
        return Ok(id);
    }
    if text == "last" {
        let newest = agents.list_agents(ListAgents { limit: 1, ..ListAgents::default() }).await?.agents;
        return newest.first().map(|agent| agent.agent_id).ok_or_else(|| none(text));
    }
    let mut all = Vec::new();
    loop {
        let offset = u32::try_from(all.len()).unwrap_or(u32::MAX);
        let page = agents.list_agents(ListAgents { limit: PAGE, offset, ..ListAgents::default() }).await?;
        let is_last = page.agents.is_empty();
        all.extend(page.agents);
        if is_last || all.len() as u64 >= page.total {
            break;
        }
    }
    match meant(&all, text).as_slice() {
        [one] => Ok(one.agent_id),
        [] => Err(none(text)),
        several => Err(ambiguous(text, several)),
    }
}

/// A name beats the beginning of an id.
fn meant<'a>(agents: &'a [AgentSummary], text: &str) -> Vec<&'a AgentSummary> {
    let named: Vec<_> = agents.iter().filter(|agent| agent.name.as_deref() == Some(text)).collect();
    if !named.is_empty() || text.is_empty() {
        return named;
    }
    let prefix = text.to_lowercase();
    agents.iter().filter(|agent| agent.agent_id.to_string().starts_with(&prefix)).collect()
}

fn none(text: &str) -> Error {
    let message =
        if text == "last" { "There are no agents.".to_owned() } else { format!("There is no agent `{text}`.") };
    Error::new(ErrorCode::AgentNotFound, message).hint("`ccmcp agents list` shows the agents there are.")
}

fn ambiguous(text: &str, agents: &[&AgentSummary]) -> Error {
    let ids: Vec<String> = agents.iter().take(NAMED).map(|agent| agent.agent_id.to_string()).collect();
    let more = if agents.len() > NAMED { ", …" } else { "" };
    Error::new(ErrorCode::AgentNotFound, format!("`{text}` fits {} agents.", agents.len()))
        .hint(format!("Name one of them by its id: {}{more}", ids.join(", ")))
        .details(|details| details.candidates = ids)
}
