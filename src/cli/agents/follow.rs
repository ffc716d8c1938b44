//! `agents read --follow` and `--raw`: what happens, and what Claude prints, as it comes.

use std::time::Duration;

use serde::Serialize;
use tokio::time::sleep;

use super::{
    alone,
    event::{ends_turn, line},
    outcome,
    wait::past,
    words::time,
};
use crate::{
    cli::Terminal,
    core::{
        agents::{AgentEvent, Agents, Cursor, LONGEST_WAIT, ReadAgent, Until, WaitAgent},
        error::{Error, ExitStatus, Result},
        ids::AgentId,
    },
};

/// How often new frames are looked for: they are written in batches about as often.
const LOOK: Duration = Duration::from_millis(100);

/// Prints an agent's events until its turn ends; the result then.
pub(super) async fn events(agents: &Agents, id: AgentId, json: bool, terminal: Terminal) -> Result<ExitStatus> {
    let past = past(agents, id).await?;
    for event in &past.recent {
        print_event(event, json, terminal)?;
    }
    let wait = |after: Cursor, until: Until| {
        let (agent_ids, after_cursor) = (vec![id], after.to_string());
        agents.wait_agent(WaitAgent { agent_ids, after_cursor, timeout: LONGEST_WAIT, until }, None)
    };
    if !past.state.is_busy() {
        terminal.remark(&format!("There is nothing to follow: the agent is {}.", past.state));
        return match past.last_end.filter(|_| !json) {
            Some(end) => outcome::print(&wait(Cursor(end.0 - 1), Until::TurnEnd).await?.results, terminal),
            None => Ok(ExitStatus::Ok),
        };
    }
    if alone::is_alone(agents, std::iter::once(past.state)) {
        alone::remark(terminal);
    }
    let mut after = past.newest;
    loop {
        let waited = wait(after, Until::Any).await?;
        after = waited.cursor;
        for event in &waited.events {
            print_event(event, json, terminal)?;
        }
        let is_over = |event: &AgentEvent| {
            ends_turn(event) || matches!(event.kind.as_str(), "agent.closed" | "agent.needs_attention")
        };
        if waited.events.iter().any(is_over) {
            return if json { Ok(ExitStatus::Ok) } else { outcome::print(&waited.results, terminal) };
        }
    }
}

/// Prints what Claude prints until the agent's turn ends.
pub(super) async fn frames(agents: &Agents, id: AgentId, terminal: Terminal) -> Result<ExitStatus> {
    let mut after = None;
    loop {
        if !print_frames(agents, id, &mut after, terminal).await? {
            return Ok(ExitStatus::Ok);
        }
        sleep(LOOK).await;
    }
}

/// Prints the frames that are there after `after`, each as one line of JSON. Whether the agent is busy: then there
/// will be more.
pub(super) async fn print_frames(
    agents: &Agents,
    id: AgentId,
    after: &mut Option<Cursor>,
    terminal: Terminal,
) -> Result<bool> {
    loop {
        let input = ReadAgent {
            include_raw: true,
            after_raw_cursor: after.map(|cursor| cursor.to_string()),
            limit: 1000,
            ..ReadAgent::new(id)
        };
        let answer = agents.read_agent(input).await?;
        for frame in answer.raw_events.iter().flatten() {
            print_line(&frame.payload, terminal)?;
        }
        *after = answer.raw_cursor;
        if !answer.raw_has_more.unwrap_or_default() {
            return Ok(answer.agent.state.is_busy());
        }
    }
}

fn print_event(event: &AgentEvent, json: bool, terminal: Terminal) -> Result<()> {
    if json {
        return print_line(event, terminal);
    }
    terminal.write(format!("{}  {}\n", time(event.created_at), line(event)).as_bytes())
}

fn print_line(value: &impl Serialize, terminal: Terminal) -> Result<()> {
    let line = serde_json::to_string(value).map_err(|error| Error::internal("writing the output", error))?;
    terminal.exactly().write(format!("{line}\n").as_bytes())
}
