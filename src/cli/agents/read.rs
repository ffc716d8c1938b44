//! `agents read`.

use std::{fmt::Write, path::Path};

use serde_json::Value;

use super::{
    arguments::ReadArgs,
    event, follow, outcome,
    table::{profile, state, turn},
    words::{age, brief, directory, dollars, duration, fit, moment},
};
use crate::{
    cli::{Terminal, clean::printable, table::Rows},
    core::{
        Core,
        agents::{AgentSummary, AgentTurn, ReadAgent, ReadAgentAnswer},
        clock::Timestamp,
        error::{ExitStatus, Result},
        store::TurnStatus,
    },
};

/// How many of the newest turns are shown.
const TURNS: usize = 10;

/// Runs `ccmcp agents read`.
pub(super) async fn read(core: &Core, args: ReadArgs, terminal: Terminal) -> Result<ExitStatus> {
    let agents = core.agents();
    let id = agents.find(&args.agent).await?;
    match (args.follow, args.raw) {
        (true, true) => return follow::frames(agents, id, terminal).await,
        (true, false) => return follow::events(agents, id, args.json, terminal).await,
        (false, true) if !args.json => {
            follow::print_frames(agents, id, &mut None, terminal).await?;
            return Ok(ExitStatus::Ok);
        }
        (false, _) => {}
    }
    let answer = agents.read_agent(ReadAgent { include_raw: args.raw, ..ReadAgent::new(id) }).await?;
    if args.json {
        terminal.write_json(&answer)?;
        return Ok(ExitStatus::Ok);
    }
    let columns = usize::from(terminal.width());
    terminal.write(head(&answer.agent, &core.settings().places.home, columns).as_bytes())?;
    terminal.write(turns(&answer, columns).as_bytes())?;
    if args.events {
        events(core, &answer, terminal).await?;
    }
    if let Some(result) = &answer.latest_result {
        let text = result.payload.get("result").and_then(Value::as_str).or_else(|| result.payload.as_str());
        let denied = result.payload.get("permission_denials").and_then(outcome::refused);
        if let Some(text) = text.filter(|text| !text.is_empty()) {
            terminal.write(b"\n")?;
            outcome::write_text(text, terminal)?;
        }
        if let Some(denied) = denied {
            terminal.remark(&format!("refused: {denied}"));
        }
    }
    Ok(ExitStatus::Ok)
}

fn head(agent: &AgentSummary, home: &Path, columns: usize) -> String {
    let now = Timestamp::now();
    let width = columns.saturating_sub(11);
    let mut text = String::new();
    let mut line = |name: &str, value: String| {
        // A string takes all that is written to it.
        writeln!(text, "{name:<10} {value}").ok();
    };
    line("agent", agent.agent_id.to_string());
    if let Some(name) = &agent.name {
        line("name", fit(name, width));
    }
    line("session", agent.session_id.to_string());
    line("state", state(agent).0);
    if agent.pending_message_count > 0 {
        line("mail", format!("{} waiting", agent.pending_message_count));
    }
    line("directory", directory(&agent.cwd, home, width));
    let or_default = |value: &Option<String>| printable(value.as_deref().unwrap_or("default")).into_owned();
    line(
        "runs as",
        fit(
            &format!("{} · model {} · effort {}", profile(agent), or_default(&agent.model), or_default(&agent.effort)),
            width,
        ),
    );
    line("cost", dollars(agent.total_cost_usd));
    line("created", format!("{} ({} ago)", moment(agent.created_at), age(agent.created_at, now)));
    line("active", format!("{} ago", age(agent.last_activity_at, now)));
    text
}

fn turns(answer: &ReadAgentAnswer, columns: usize) -> String {
    if answer.turns.is_empty() {
        return String::new();
    }
    let now = Timestamp::now();
    let shown = || answer.turns.iter().take(TURNS);
    let mut rows = Rows::new(columns);
    rows.column("TURN", shown().map(|turn| turn.number.to_string())).right();
    let states: Vec<_> = shown().map(|shown| turn(Some(shown.status))).collect();
    rows.column("STATUS", states.iter().map(|(status, _)| status.clone()))
        .colored(states.iter().map(|(_, color)| *color).collect());
    rows.column("STARTED", shown().map(|turn| turn.started_at.map(|at| brief(at, now)).unwrap_or_default()));
    rows.column("TOOK", shown().map(took)).right();
    rows.column("COST", shown().map(|turn| turn.cost_usd.map(dollars).unwrap_or_default())).right();
    let room = rows.room();
    if shown().any(|turn| !why(turn).is_empty()) {
        rows.column("WHY", shown().map(|turn| fit(&why(turn), room)));
    }
    let hidden = answer.turns.len().saturating_sub(TURNS) as u64 + answer.turns_omitted.unwrap_or_default();
    let hidden = if hidden > 0 { format!("and {hidden} older\n") } else { String::new() };
    let tail = answer.turns.first().and_then(|newest| newest.stderr_tail.as_deref()).unwrap_or_default();
    let tail = printable(tail);
    let tail: String = tail.lines().flat_map(|line| ["claude: ", line, "\n"]).collect();
    format!("\n{rows}{hidden}{tail}")
}

fn took(turn: &AgentTurn) -> String {
    match (turn.status, turn.started_at) {
        (TurnStatus::Running, Some(start)) => format!("{} so far", age(start, Timestamp::now())),
        _ => turn.duration_ms.map(duration).unwrap_or_default(),
    }
}

/// Why a turn did not succeed, in a few words.
fn why(turn: &AgentTurn) -> String {
    let mut parts: Vec<String> = Vec::new();
    parts.extend(turn.reason.map(|reason| reason.to_string()).filter(|reason| reason != turn.status.as_str()));
    parts.extend(turn.api_error_status.map(|status| format!("HTTP {status}")));
    parts.extend(turn.exit_code.filter(|_| turn.status == TurnStatus::Failed).map(|code| format!("exit {code}")));
    parts.extend(turn.signal.map(|signal| format!("signal {signal}")));
    parts.extend(turn.resets_at.map(|at| format!("resets {}", moment(at))));
    parts.extend(turn.permission_denials.as_ref().and_then(outcome::refused).map(|tools| format!("refused: {tools}")));
    parts.join(" · ")
}

/// All events, however many.
async fn events(core: &Core, first: &ReadAgentAnswer, terminal: Terminal) -> Result<()> {
    terminal.write(b"\n")?;
    let (mut page, mut has_more, mut cursor) = (first.events.clone(), first.has_more, first.cursor);
    loop {
        for shown in &page {
            let line = format!("{:<10}  {}\n", brief(shown.created_at, Timestamp::now()), event::line(shown));
            terminal.write(line.as_bytes())?;
        }
        if !has_more {
            return Ok(());
        }
        let after_cursor = Some(cursor.to_string());
        let input = ReadAgent { after_cursor, limit: 1000, ..ReadAgent::new(first.agent.agent_id) };
        let answer = core.agents().read_agent(input).await?;
        (page, has_more, cursor) = (answer.events, answer.has_more, answer.cursor);
    }
}
