//! Agents as a table: one line each, and as much as fits.

use std::path::Path;

use comfy_table::{Attribute, Cell, CellAlignment, Color, ContentArrangement, Table, presets};
use unicode_width::UnicodeWidthStr;

use super::words::{age, directory, dollars, fit};
use crate::{
    cli::Terminal,
    core::{
        agents::AgentSummary,
        claude::Profile,
        clock::Timestamp,
        store::{AgentState, TurnStatus},
    },
};

/// What is between two columns.
const GAP: usize = 2;

/// The widest that a name is shown.
const NAME: usize = 20;

/// The narrowest that a directory is still worth its place.
const DIRECTORY: usize = 12;

/// A column: its title, and how wide the terminal has to be to show it.
struct Column {
    title: &'static str,
    from: u16,
    right: bool,
    cell: fn(&AgentSummary, Timestamp) -> (String, Option<Color>),
}

const COLUMNS: &[Column] = &[
    Column {
        title: "NAME",
        from: 0,
        right: false,
        cell: |agent, _| (fit(agent.name.as_deref().unwrap_or("-"), NAME), None),
    },
    Column { title: "STATE", from: 0, right: false, cell: |agent, _| state(agent) },
    Column { title: "TURN", from: 0, right: false, cell: |agent, _| turn(agent.last_turn_status) },
    Column { title: "ACTIVE", from: 0, right: true, cell: |agent, now| (age(agent.last_activity_at, now), None) },
    Column { title: "COST", from: 70, right: true, cell: |agent, _| (dollars(agent.total_cost_usd), None) },
    Column { title: "MAIL", from: 110, right: true, cell: |agent, _| (agent.pending_message_count.to_string(), None) },
    Column {
        title: "MODEL",
        from: 110,
        right: false,
        cell: |agent, _| (fit(agent.model.as_deref().unwrap_or("default"), NAME), None),
    },
    Column { title: "PROFILE", from: 110, right: false, cell: |agent, _| (profile(agent).to_owned(), None) },
];

/// From here on ids are shown whole.
const WHOLE_IDS: u16 = 160;

/// Renders the agents. Directories under `home` begin with `~`.
pub(super) fn table(agents: &[AgentSummary], home: &Path, terminal: Terminal) -> String {
    let (width, now) = (terminal.width(), Timestamp::now());
    let id = |agent: &AgentSummary| {
        let id = agent.agent_id.to_string();
        if width < WHOLE_IDS { id.chars().take(8).collect() } else { id }
    };
    let columns: Vec<&Column> = COLUMNS.iter().filter(|column| column.from <= width).collect();
    let mut rows: Vec<Vec<(String, Option<Color>)>> = Vec::new();
    for agent in agents {
        let cells = columns.iter().map(|column| (column.cell)(agent, now));
        rows.push(std::iter::once((id(agent), None)).chain(cells).collect());
    }
    let mut titles: Vec<&str> = std::iter::once("AGENT").chain(columns.iter().map(|column| column.title)).collect();
    let used: usize = (0..titles.len()).map(|at| widest(titles[at], &rows, at) + GAP).sum();
    let left = usize::from(width).saturating_sub(used);
    if left >= DIRECTORY {
        titles.push("DIRECTORY");
        for (row, agent) in rows.iter_mut().zip(agents) {
            row.push((directory(&agent.cwd, home, left), None));
        }
    }
    render(&titles, &columns, rows)
}

fn widest(title: &str, rows: &[Vec<(String, Option<Color>)>], at: usize) -> usize {
    let cells = rows.iter().filter_map(|row| row.get(at)).map(|(text, _)| text.width());
    cells.chain([title.len()]).max().unwrap_or_default()
}

fn render(titles: &[&str], columns: &[&Column], rows: Vec<Vec<(String, Option<Color>)>>) -> String {
    let mut table = Table::new();
    // What fits was worked out above; styled always: whoever writes it takes the styles out where they are not wanted.
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled).enforce_styling();
    table.set_header(titles.iter().map(|title| Cell::new(title).add_attribute(Attribute::Bold)));
    for row in rows {
        table.add_row(row.into_iter().map(|(text, color)| match color {
            Some(color) => Cell::new(text).fg(color),
            None => Cell::new(text),
        }));
    }
    for (at, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, 2));
        if at > 0 && columns.get(at - 1).is_some_and(|column| column.right) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    lines(&table)
}

/// A table's lines, without the white space that fills up the last column.
pub(super) fn lines(table: &Table) -> String {
    table.lines().flat_map(|line| [line.trim_end().to_owned(), "\n".to_owned()]).collect()
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
