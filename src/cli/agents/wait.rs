//! `agents wait`.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use tokio::time::Instant;

use super::{
    alone,
    arguments::WaitArgs,
    event::{ends_turn, line},
    outcome,
    words::time,
};
use crate::{
    cli::{Terminal, spinner::Spinner},
    core::{
        agents::{AgentEvent, Agents, Cursor, LONGEST_WAIT, ReadAgent, Until, WaitAgent, Waited},
        error::{ExitStatus, Result},
        ids::AgentId,
        store::{AgentState, TurnStatus},
    },
};

/// How many events are read at once on the way to the newest.
const PAGE: u32 = 1000;

/// Runs `ccmcp agents wait`.
pub(super) async fn wait(agents: &Agents, args: WaitArgs, terminal: Terminal) -> Result<ExitStatus> {
    let (ids, after, states) = begin(agents, &args).await?;
    let is_alone = alone::is_alone(agents, states.into_iter());
    if is_alone {
        alone::remark(terminal);
    }
    let spinner = Mutex::new(Spinner::new(terminal.has_status_line()));
    let tell = |message: String| {
        let mut spinner = spinner.lock().unwrap_or_else(PoisonError::into_inner);
        // The events of a wait name their agent, by an id that says little to a person.
        spinner.tell(message.split(' ').next().unwrap_or_default().to_owned());
        spinner.show();
    };
    tell("waiting".to_owned());
    let end = args.timeout_ms.map(|timeout| Instant::now() + Duration::from_millis(timeout));
    let waited = loop {
        let left = end.map_or(LONGEST_WAIT, |end| end.saturating_duration_since(Instant::now()).min(LONGEST_WAIT));
        let input =
            WaitAgent { agent_ids: ids.clone(), after_cursor: after.to_string(), timeout: left, until: args.until };
        let waited = agents.wait_agent(input, Some(&tell)).await?;
        if !waited.timed_out || end.is_some_and(|end| end <= Instant::now()) {
            break waited;
        }
    };
    spinner.into_inner().unwrap_or_else(PoisonError::into_inner).hide();
    show(&waited, &args, is_alone, terminal)
}

/// Whom to wait for, from where, and what they are doing. An agent at rest has nothing to wait for: what its last turn came to is the answer.
async fn begin(agents: &Agents, args: &WaitArgs) -> Result<(Vec<AgentId>, Cursor, Vec<AgentState>)> {
    let mut at_rest: Vec<(AgentId, Cursor)> = Vec::new();
    let mut at_work = Vec::new();
    let mut states = Vec::new();
    for name in &args.agents {
        let id = agents.find(name).await?;
        let past = past(agents, id).await?;
        states.push(past.state);
        match past.last_end.filter(|_| !past.state.is_busy() && args.until != Until::Any) {
            // Just before the end of its last turn, so that the wait finds that.
            Some(end) => at_rest.push((id, Cursor(end.0 - 1))),
            None => at_work.push((id, past.newest)),
        }
    }
    let chosen = if at_rest.is_empty() { at_work } else { at_rest };
    let after = chosen.iter().map(|(_, cursor)| *cursor).min().unwrap_or_default();
    Ok((chosen.into_iter().map(|(id, _)| id).collect(), after, states))
}

/// An agent's state, and where it stands in the order of events.
pub(super) struct Past {
    pub(super) state: AgentState,
    pub(super) newest: Cursor,
    pub(super) last_end: Option<Cursor>,
    /// Its events since its newest turn started or was asked for.
    pub(super) recent: Vec<AgentEvent>,
}

/// Reads an agent's events to the newest. The state is as of that one.
pub(super) async fn past(agents: &Agents, id: AgentId) -> Result<Past> {
    let mut past = Past { state: AgentState::Idle, newest: Cursor(0), last_end: None, recent: Vec::new() };
    loop {
        let after_cursor = Some(past.newest.to_string());
        let answer = agents.read_agent(ReadAgent { after_cursor, limit: PAGE, ..ReadAgent::new(id) }).await?;
        for event in answer.events {
            if matches!(event.kind.as_str(), "turn.started" | "agent.queued" | "agent.created") {
                past.recent.clear();
            }
            if ends_turn(&event) {
                past.last_end = Some(event.sequence);
            }
            past.recent.push(event);
        }
        (past.state, past.newest) = (answer.agent.state, answer.cursor);
        if !answer.has_more {
            return Ok(past);
        }
    }
}

fn show(waited: &Waited, args: &WaitArgs, is_alone: bool, terminal: Terminal) -> Result<ExitStatus> {
    let failed = waited.results.iter().any(|result| result.status != TurnStatus::Succeeded);
    let status = match (waited.timed_out, failed) {
        (true, _) => ExitStatus::TimedOut,
        (_, true) => ExitStatus::Failed,
        _ => ExitStatus::Ok,
    };
    if args.json {
        terminal.write_json(waited)?;
        return Ok(status);
    }
    if waited.timed_out {
        let rest = if is_alone { "nobody runs the agents." } else { "the agents go on." };
        terminal.say(&format!("The time ran out; {rest}"));
        return Ok(status);
    }
    if waited.results.is_empty() {
        // No turn has ended: what has happened is the answer.
        for event in &waited.events {
            terminal.write(format!("{}  {}\n", time(event.created_at), line(event)).as_bytes())?;
        }
    }
    outcome::print(&waited.results, terminal)?;
    Ok(status)
}
