//! One hit of a search as it is shown.

use super::{
    columns::{cut, one_line, width, wrap},
    dates::Dates,
    resume::{labelled, resume},
    sessions::shown_directory,
    style::{BOLD, DIM, MATCH, paint},
};
use crate::core::{
    Core,
    history::{Branch, Role, SearchHit},
};

/// What stands before a text: a role, and the space after it.
const MARGIN: usize = 12;
/// Fewer columns than these are not wrapped to.
const NARROWEST: usize = 20;

/// What showing a hit needs beside the hit.
pub(super) struct Surroundings<'a> {
    pub(super) core: &'a Core,
    pub(super) dates: &'a Dates,
    pub(super) columns: usize,
}

impl Surroundings<'_> {
    /// The hit: where it is, what was said before, the text with the matches highlighted, and how to go on with it or read it.
    pub(super) fn show(&self, hit: &SearchHit) -> String {
        let mut text = self.heading(hit);
        let room = self.columns.saturating_sub(MARGIN).max(NARROWEST);
        for ancestor in &hit.ancestors {
            let line = format!("{}{}", margin(role(ancestor.role)), cut(&ancestor.preview, room));
            text.push_str(&paint(DIM, &line));
            text.push('\n');
        }
        let bright = |index| hit.matches.iter().any(|span| (span.start..span.end).contains(&index));
        for (number, line) in wrap(&hit.snippet, room, bright).iter().enumerate() {
            text.push_str(&margin(if number == 0 { role(hit.role) } else { "" }));
            for piece in line {
                text.push_str(&if piece.bright { paint(MATCH, &piece.text) } else { piece.text.clone() });
            }
            text.push('\n');
        }
        if !hit.also_in.is_empty() {
            let others: Vec<String> = hit.also_in.iter().map(|id| id.to_string().chars().take(8).collect()).collect();
            let line = format!("{}{}", margin("also in"), cut(&others.join(", "), room));
            text.push_str(&paint(DIM, &line));
            text.push('\n');
        }
        let here = self.core.settings().working_dir.as_deref();
        let (label, commands) = match reading(hit) {
            Some(command) => ("read", vec![command]),
            None => ("go on", resume(hit.session_id, hit.cwd.as_deref(), here, room)),
        };
        for line in labelled(&margin(label), &commands, self.columns) {
            text.push_str(&paint(DIM, &line));
            text.push('\n');
        }
        text
    }

    /// Where the hit is: as much as fits, but the session's id always whole.
    fn heading(&self, hit: &SearchHit) -> String {
        let id = hit.session_id.to_string();
        let mut facts = vec![self.dates.show(hit.timestamp)];
        facts.extend((hit.branch == Branch::Abandoned).then(|| "abandoned branch".to_owned()));
        facts.extend(hit.agent_id.as_ref().map(|agent| format!("sub-agent {agent}")));
        facts.push(shown_directory(self.core, hit.cwd.as_deref(), &hit.project));
        let facts = facts.join(" · ");
        if width(&id) + 2 + width(&facts) <= self.columns {
            format!("{}  {}\n", paint(BOLD, &id), paint(DIM, &one_line(&facts)))
        } else {
            let facts = cut(&facts, self.columns.saturating_sub(2));
            format!("{}\n{}\n", paint(BOLD, &id), paint(DIM, &format!("  {facts}")))
        }
    }
}

/// What is on an abandoned branch is not what a resumed session goes on with: it can be read.
fn reading(hit: &SearchHit) -> Option<String> {
    if hit.branch == Branch::Primary || hit.agent_id.is_some() {
        return None;
    }
    let short: String = hit.uuid.chars().take(8).collect();
    let session: String = hit.session_id.to_string().chars().take(8).collect();
    Some(format!("ccmcp tree {session} --thread {short}"))
}

pub(super) fn role(role: Role) -> &'static str {
    match role {
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::Tool => "tool",
        Role::System => "system",
    }
}

fn margin(text: &str) -> String {
    format!("  {text:<width$}", width = MARGIN - 2)
}
