//! The text of messages as it is shown: what was typed, what was answered, which tools were called.

use std::borrow::Cow;

use crate::core::transcript::{Block, Record, blocks, head, typed_text, unescape};

/// An escape takes up to twelve bytes for one character.
const LONGEST_ESCAPE: usize = 12;
/// What an editor puts before a prompt is rarely longer.
const PRECEDING: usize = 64 * 1024;

/// The typed text of a `user` record, at least its first `characters`.
pub(super) fn typed_of(record: &Record<'_>, characters: usize) -> String {
    let mut text = String::new();
    each_block(record, &mut |block| match block {
        Block::Text(raw) => join(&mut text, typed_text(&beginning(raw, characters))),
        Block::Media => join(&mut text, "[image]"),
        _ => {}
    });
    text
}

/// The answered text of an `assistant` record, at least its first `characters`.
pub(super) fn answered_of(record: &Record<'_>, characters: usize) -> String {
    let mut text = String::new();
    each_block(record, &mut |block| {
        if let Block::Text(raw) = block {
            join(&mut text, &beginning(raw, characters));
        }
    });
    text
}

/// Calls `found` with every block of the record's message.
pub(super) fn each_block<'a>(record: &Record<'a>, found: &mut dyn FnMut(Block<'a>)) {
    if let Some(content) = record.message.as_ref().and_then(|message| message.content) {
        blocks(content).for_each(found);
    }
}

/// The text that the beginning of a raw text stands for: a text of any length costs only what is shown.
pub(super) fn beginning(raw: &str, characters: usize) -> Cow<'_, str> {
    let most = characters.saturating_add(1).saturating_mul(LONGEST_ESCAPE).max(PRECEDING);
    if raw.len() <= most {
        unescape(raw)
    } else {
        unescape(raw.get(..raw.floor_char_boundary(most)).unwrap_or_default())
    }
}

/// Blocks of one message stand apart.
pub(super) fn join(text: &mut String, more: &str) {
    if !text.is_empty() && !more.is_empty() {
        text.push_str("\n\n");
    }
    text.push_str(more);
}

/// Cuts a text to so many characters; says whether anything was cut.
pub(super) fn cut(text: &mut String, characters: usize) -> bool {
    let end = text.char_indices().nth(characters).map(|(end, _)| end);
    if let Some(end) = end {
        text.truncate(end);
    }
    end.is_some()
}

/// The text on one line, cut to so many characters with an ellipsis.
pub(super) fn one_line(text: &str, characters: usize) -> String {
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        // What is cut anyway need not be put together.
        if line.len() > characters.saturating_mul(4) {
            break;
        }
    }
    if cut(&mut line, characters) {
        line.pop();
        line.push('…');
    }
    line
}

/// One line that tells what a record of any kind is about.
pub(super) fn preview_of(record: &Record<'_>, characters: usize) -> String {
    let mut text = if record.is("user") { typed_of(record, characters) } else { answered_of(record, characters) };
    if text.is_empty() {
        each_block(record, &mut |block| match block {
            Block::Call { name, .. } => join(&mut text, &format!("[{}]", unescape(name))),
            // Injected texts tell at least what they are.
            Block::Text(raw) => join(&mut text, &unescape(head(raw))),
            _ => {}
        });
    }
    if let Some(content) = record.content.and_then(|content| serde_json::from_str::<&str>(content.get()).ok()) {
        join(&mut text, content);
    }
    one_line(&text, characters)
}
