//! Threads and forks as text.

use std::fmt::Write;

use super::{
    clean::printable,
    columns::{cut, width},
    dates::Dates,
    hits::role,
    sessions::count,
    style::{BOLD, BRIGHT, DIM, ERROR, paint},
};
use crate::core::history::{Branch, Fork, ForkKind, Forks, Role, Thread, ThreadMessage, ToolCall};

/// Before what somebody said.
const INDENT: &str = "  ";

/// A thread, message by message. Texts are not wrapped: they may be code, and are copied from here.
pub(super) fn thread(thread: &Thread, dates: &Dates) -> String {
    let mut text = String::new();
    if thread.branch == Branch::Abandoned {
        line(&mut text, &paint(DIM, "an abandoned branch"));
    }
    for message in &thread.messages {
        one_message(&mut text, message, dates);
    }
    text
}

fn one_message(text: &mut String, message: &ThreadMessage, dates: &Dates) {
    let short: String = message.uuid.chars().take(8).collect();
    let style = if message.role == Role::User { BRIGHT } else { BOLD };
    let about = format!("  {}  {short}", dates.show(message.timestamp));
    line(text, &format!("{}{}", paint(style, role(message.role)), paint(DIM, &about)));
    let said = printable(message.text.trim());
    indented(text, &said, None);
    if message.truncated {
        line(text, &paint(DIM, &format!("{INDENT}… cut; --max-chars shows more")));
    }
    if !message.tools.is_empty() {
        let names = printable(&message.tools.join(", ")).into_owned();
        line(text, &paint(DIM, &format!("{INDENT}[{names}]")));
    }
    for call in &message.tool_calls {
        one_call(text, call);
    }
    text.push('\n');
}

fn one_call(text: &mut String, call: &ToolCall) {
    let input = match &call.input {
        serde_json::Value::String(beginning) => format!("{beginning} …"),
        input => input.to_string(),
    };
    line(text, &format!("{INDENT}[{}] {}", printable(&call.name), paint(DIM, &printable(&input))));
    let Some(result) = &call.result else { return };
    if call.is_error {
        line(text, &format!("{INDENT}{}", paint(ERROR, "failed")));
    }
    indented(text, &printable(result.trim_end()), Some(DIM));
    if call.truncated {
        line(text, &paint(DIM, &format!("{INDENT}… cut; --max-chars shows more")));
    }
}

fn indented(text: &mut String, said: &str, style: Option<&str>) {
    for part in said.lines() {
        let part = format!("{INDENT}{part}");
        line(text, &style.map_or_else(|| part.clone(), |style| paint(style, &part)));
    }
}

/// The forks, each with its branches.
pub(super) fn forks(forks: &Forks, dates: &Dates, columns: usize) -> String {
    let texts: Vec<_> = forks.forks.iter().map(|fork| one_fork(fork, dates, columns)).collect();
    texts.join("\n")
}

fn one_fork(fork: &Fork, dates: &Dates, columns: usize) -> String {
    let (kind, why) = match fork.kind {
        ForkKind::Rewind => ("rewind", "somebody went back and typed something else"),
        ForkKind::Retry => ("retry", "the same prompt was answered again"),
        ForkKind::Divergence => ("divergence", "two writers, or resumed from an earlier point"),
    };
    let mut text = String::new();
    let short: String = fork.fork_uuid.chars().take(8).collect();
    let about =
        cut(&format!("{short} · {} · {why}", dates.show(fork.timestamp)), columns.saturating_sub(kind.len() + 2));
    line(&mut text, &format!("{}  {}", paint(BOLD, kind), paint(DIM, &about)));
    let shared = format!("{INDENT}{} ", role(fork.role));
    line(&mut text, &format!("{shared}{}", cut(&fork.preview, columns.saturating_sub(width(&shared)))));
    let last = fork.branches.len().saturating_sub(1);
    for (number, way) in fork.branches.iter().enumerate() {
        let primary = way.branch == Branch::Primary;
        let corner = if number == last { "└─" } else { "├─" };
        let mark = if primary { "●" } else { "○" };
        let leaf: String = way.leaf_uuid.chars().take(8).collect();
        let more = format!("  {}, leaf {leaf}", count(way.descendant_count + 1, "message"));
        let before = format!("{INDENT}{corner}{mark} ");
        let preview = cut(&way.preview, columns.saturating_sub(width(&before) + width(&more)).max(8));
        let preview = if primary { paint(BOLD, &preview) } else { paint(DIM, &preview) };
        line(&mut text, &format!("{before}{preview}{}", paint(DIM, &more)));
    }
    let hidden = fork.branch_count.saturating_sub(fork.branches.len());
    if hidden > 0 {
        line(&mut text, &paint(DIM, &format!("{INDENT}   … and {hidden} more")));
    }
    text
}

fn line(text: &mut String, line: &str) {
    // A text takes whatever is written to it.
    writeln!(text, "{line}").ok();
}
