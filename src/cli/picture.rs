//! A session drawn: the branch that it goes on with straight down, the others beside it.

use super::{
    columns::{cut, width},
    dates::Dates,
    style::{BOLD, BRIGHT, DIM, MARK, paint},
};
use crate::core::history::{Branch, Outline, Role, Said, Step, Subagent, Way};

/// From this width on, there is room for dates at the right.
const DATED: usize = 80;
/// As much as a date takes.
const DATE: usize = 17;
/// Fewer columns than these are not cut to, however deep the branch.
const NARROWEST: usize = 16;

/// The picture of a session.
pub(super) fn picture(outline: &Outline, dates: &Dates, columns: usize) -> String {
    let mut pen = Pen { dates, columns, text: String::new() };
    let several = outline.beginnings.len() > 1;
    for (number, way) in outline.beginnings.iter().enumerate() {
        if several {
            let gap = if number == 0 { "" } else { "\n" };
            let name = format!("beginning {} of {}", number + 1, outline.beginnings.len());
            pen.text.push_str(gap);
            pen.line("", &paint(DIM, &name), "");
        }
        pen.way(way, "", "");
    }
    for agent in &outline.stray_agents {
        pen.line("", &paint(MARK, &agent_name(agent)), "");
    }
    pen.text
}

struct Pen<'a> {
    dates: &'a Dates,
    columns: usize,
    text: String,
}

impl Pen<'_> {
    /// Draws a way: `first` stands before its first line, `rest` before the others.
    fn way(&mut self, way: &Way, first: &str, rest: &str) {
        let primary = way.branch == Branch::Primary;
        let mut before = first;
        for (number, step) in way.steps.iter().enumerate() {
            match step {
                Step::Said(said) => self.said(said, primary, before),
                Step::Compacted(compaction) => {
                    self.line(before, &paint(MARK, "═ compacted"), &self.dates.show(compaction.timestamp));
                }
                Step::Started(agent) => self.line(before, &paint(MARK, &format!("↳ {}", agent_name(agent))), ""),
                Step::Passed(prompts) => {
                    self.line(before, &paint(DIM, &format!("⋮ {prompts} prompts, shown with --all")), "");
                }
                Step::Left(other) => {
                    let last = number + 1 == way.steps.len() && !primary;
                    let (fork, beside) = if last { ("└─", "  ") } else { ("├─", "│ ") };
                    self.way(other, &format!("{rest}{fork}"), &format!("{rest}{beside}"));
                }
            }
            before = rest;
        }
        let short: String = way.leaf_uuid.chars().take(8).collect();
        let messages = super::sessions::count(way.message_count, "message");
        if primary {
            self.line(before, &paint(BRIGHT, &format!("▸ goes on here ({short})")), "");
        } else if way.steps.is_empty() {
            self.line(before, &paint(DIM, &format!("○ {messages}, --thread {short}")), "");
        } else {
            self.line(before, &paint(DIM, &format!("╵ {messages}, --thread {short}")), "");
        }
    }

    fn said(&mut self, said: &Said, primary: bool, before: &str) {
        let mark = match (said.role, primary) {
            (Role::User, true) => "●",
            (Role::User, false) => "○",
            (_, true) => "■",
            (_, false) => "□",
        };
        let answers = if said.answers > 1 { format!("  ({} answers)", said.answers) } else { String::new() };
        let room = self.room(before).saturating_sub(2 + width(&answers)).max(NARROWEST);
        let text = match cut(&said.preview, room) {
            empty if empty.is_empty() => "(nothing to show)".to_owned(),
            text => text,
        };
        let styled = if primary {
            format!("{} {}", paint(BRIGHT, mark), paint(BOLD, &text))
        } else {
            paint(DIM, &format!("{mark} {text}"))
        };
        self.line(before, &format!("{styled}{}", paint(DIM, &answers)), &self.dates.show(said.timestamp));
    }

    /// How much fits between the branches at the left and the date at the right.
    fn room(&self, before: &str) -> usize {
        let date = if self.columns >= DATED { DATE + 2 } else { 0 };
        self.columns.saturating_sub(width(before) + date)
    }

    fn line(&mut self, before: &str, styled: &str, date: &str) {
        let line = format!("{}{styled}", paint(DIM, before));
        let shown = width(&anstream::adapter::strip_str(&line).to_string());
        self.text.push_str(&line);
        // Without a width to align to, the date simply follows.
        if !date.is_empty() && self.columns >= DATED {
            let right = self.columns.min(120);
            let gap = right.saturating_sub(shown + width(date)).max(2);
            self.text.push_str(&" ".repeat(gap));
            self.text.push_str(&paint(DIM, date));
        }
        self.text.push('\n');
    }
}

fn agent_name(agent: &Subagent) -> String {
    let name = agent.agent_type.as_deref().unwrap_or("sub-agent");
    let about = agent.description.as_deref().map_or_else(String::new, |about| format!(": {about}"));
    let id = agent.agent_id.as_deref().map_or_else(String::new, |id| format!(" ({id})"));
    super::columns::one_line(&format!("{name}{about}{id}"))
}
