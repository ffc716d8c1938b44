//! Styles by what they mean. Written always: whoever writes to a terminal takes them out where they are not wanted.

pub(super) const RESET: &str = "\u{1b}[0m";
pub(super) const ERROR: &str = "\u{1b}[1;31m";
pub(super) const OK: &str = "\u{1b}[32m";
pub(super) const WARN: &str = "\u{1b}[33m";
pub(super) const DIM: &str = "\u{1b}[2m";
/// Names and headings.
pub(super) const BOLD: &str = "\u{1b}[1m";
/// What a search found.
pub(super) const MATCH: &str = "\u{1b}[1;33m";
/// Who asks, and the branch that a session goes on with.
pub(super) const BRIGHT: &str = "\u{1b}[1;36m";
/// What is marked at the side: compactions and sub-agents.
pub(super) const MARK: &str = "\u{1b}[35m";

/// The text in a style.
pub(super) fn paint(style: &str, text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("{style}{text}{RESET}") }
}
