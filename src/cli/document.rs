//! A thread as a Markdown document.

use std::fmt::{Display, Write};

use crate::core::history::{Branch, Role, Thread, ThreadMessage, ToolCall};

/// Everything that was said, as it was said.
pub(super) fn markdown(thread: &Thread) -> String {
    let mut text = format!("# Session {}\n\n", thread.session_id);
    line(&mut text, format_args!("- Directory: {}", code(thread.cwd.as_deref().unwrap_or(&thread.project))));
    let branch = if thread.branch == Branch::Primary { "primary" } else { "abandoned" };
    line(&mut text, format_args!("- Branch: {branch}"));
    line(&mut text, format_args!("- Messages: {}", thread.total));
    for message in &thread.messages {
        one_message(&mut text, message);
    }
    text
}

fn one_message(text: &mut String, message: &ThreadMessage) {
    let role = match message.role {
        Role::User => "User",
        Role::Assistant => "Assistant",
        Role::Tool => "Tool",
        Role::System => "System",
    };
    let at = message.timestamp.map_or_else(String::new, |at| format!(" · {at}"));
    line(text, format_args!("\n## {role}{at}"));
    let said = message.text.trim_end();
    if !said.is_empty() {
        line(text, format_args!("\n{said}"));
    }
    if !message.tools.is_empty() {
        let names: Vec<_> = message.tools.iter().map(|name| code(name)).collect();
        line(text, format_args!("\nTools: {}", names.join(", ")));
    }
    for call in &message.tool_calls {
        one_call(text, call);
    }
}

fn one_call(text: &mut String, call: &ToolCall) {
    line(text, format_args!("\nTool {}:\n", code(&call.name)));
    fenced(text, "json", &format!("{:#}", call.input));
    if let Some(result) = &call.result {
        line(text, format_args!("\n{}:\n", if call.is_error { "Failed" } else { "Result" }));
        fenced(text, "", result);
    }
}

/// A block whose fence is longer than any in it.
fn fenced(text: &mut String, language: &str, content: &str) {
    let fence = "`".repeat(longest_run(content).max(2) + 1);
    line(text, format_args!("{fence}{language}\n{}\n{fence}", content.trim_end_matches('\n')));
}

/// A word as code, whatever it holds.
fn code(word: &str) -> String {
    let fence = "`".repeat(longest_run(word) + 1);
    let word = word.replace(['\n', '\r'], " ");
    if word.starts_with('`') || word.ends_with('`') {
        format!("{fence} {word} {fence}")
    } else {
        format!("{fence}{word}{fence}")
    }
}

/// How many backticks stand in a row at most.
fn longest_run(text: &str) -> usize {
    text.split(|character| character != '`').map(str::len).max().unwrap_or_default()
}

fn line(text: &mut String, line: impl Display) {
    // A text takes whatever is written to it.
    writeln!(text, "{line}").ok();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fences_are_longer_than_what_they_hold() {
        let mut text = String::new();
        fenced(&mut text, "", "a\n````\nb\n");
        assert_eq!(text, "`````\na\n````\nb\n`````\n");
        assert_eq!(code("a`b"), "``a`b``");
        assert_eq!(code("`a"), "`` `a ``");
    }
}
