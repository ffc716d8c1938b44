//! `agents read`.

use std::fmt::Write;

use comfy_table::{Cell, CellAlignment, ContentArrangement, Table, presets};
use serde_json::Value;

use super::{
    arguments::ReadArgs,
    event, follow, outcome,
    table::{lines, profile, state, turn},
    words::{age, brief, directory, dollars, duration, fit, moment},
};
use crate::{
    cli::{Terminal, clean::printable},
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
    terminal.write(head(core, &answer.agent, terminal).as_bytes())?;
    terminal.write(turns(&answer, terminal).as_bytes())?;
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

fn head(core: &Core, agent: &AgentSummary, terminal: Terminal) -> String {
    let now = Timestamp::now();
    let width = usize::from(terminal.width()).saturating_sub(11);
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
    line("directory", directory(&agent.cwd, &core.settings().places.home, width));
    let or_default = |value: &Option<String>| printable(value.as_deref().unwrap_or("default")).into_owned();
    line(
        "runs as",
        format!("{} · model {} · effort {}", profile(agent), or_default(&agent.model), or_default(&agent.effort)),
    );
    line("cost", dollars(agent.total_cost_usd));
    line("created", format!("{} ({} ago)", moment(agent.created_at), age(agent.created_at, now)));
    line("active", format!("{} ago", age(agent.last_activity_at, now)));
    text
}

fn turns(answer: &ReadAgentAnswer, terminal: Terminal) -> String {
    if answer.turns.is_empty() {
        return String::new();
    }
    let now = Timestamp::now();
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    table.set_width(terminal.width()).enforce_styling();
    table.set_header(
        ["TURN", "STATUS", "STARTED", "TOOK", "COST", "WHY"]
            .map(|title| Cell::new(title).add_attribute(comfy_table::Attribute::Bold)),
    );
    for shown in answer.turns.iter().take(TURNS) {
        let (status, color) = turn(Some(shown.status));
        let status = color.map_or_else(|| Cell::new(&status), |color| Cell::new(&status).fg(color));
        table.add_row([
            Cell::new(shown.number),
            status,
            Cell::new(shown.started_at.map(|at| brief(at, now)).unwrap_or_default()),
            Cell::new(took(shown)),
            Cell::new(shown.cost_usd.map(dollars).unwrap_or_default()),
            Cell::new(why(shown)),
        ]);
    }
    for (at, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, 2));
        if matches!(at, 0 | 3 | 4) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let hidden = answer.turns.len().saturating_sub(TURNS) as u64 + answer.turns_omitted.unwrap_or_default();
    let hidden = if hidden > 0 { format!("and {hidden} older\n") } else { String::new() };
    let tail = answer.turns.first().and_then(|newest| newest.stderr_tail.as_deref()).unwrap_or_default();
    let tail = printable(tail);
    let tail: String = tail.lines().flat_map(|line| ["claude: ", line, "\n"]).collect();
    format!("\n{}{hidden}{tail}", lines(&table))
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
