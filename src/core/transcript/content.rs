//! What a record says: its message's blocks, and every piece of text that can be searched.

use memchr::memmem;
use serde_json::value::RawValue;

use super::{
    json::{fields, inner, items, strings, unescape},
    record::Record,
};

/// One block of a message's content. The texts are raw: what stands between the quotes, still escaped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Block<'a> {
    /// Text of the message; a content that is one string is one such block.
    Text(&'a str),
    /// The model's thinking.
    Thinking(&'a str),
    /// A tool call: its id, the tool's name, and the input's raw JSON.
    Call {
        /// The id that its result names.
        id: &'a str,
        /// The tool.
        name: &'a str,
        /// The arguments as raw JSON.
        input: &'a str,
    },
    /// A tool's result: the call's id and the content's raw JSON (a string or a list of blocks).
    Result {
        /// The call.
        call: &'a str,
        /// A string or a list of blocks, as raw JSON.
        content: &'a str,
        /// Whether the tool failed.
        is_error: bool,
    },
    /// A picture or a document: present, but no text.
    Media,
    /// Anything else.
    Other,
}

/// The blocks of a message's content.
pub fn blocks(content: &RawValue) -> impl Iterator<Item = Block<'_>> {
    let content = content.get();
    inner(content).map(Block::Text).into_iter().chain(items(content).map(block))
}

fn block(raw: &str) -> Block<'_> {
    let [mut kind, mut text, mut id, mut name, mut input, mut content] = [""; 6];
    let mut is_error = false;
    for (key, value) in fields(raw) {
        match &*unescape(key) {
            "type" => kind = inner(value).unwrap_or_default(),
            "text" | "thinking" => text = inner(value).unwrap_or_default(),
            "id" | "tool_use_id" => id = inner(value).unwrap_or_default(),
            "name" => name = inner(value).unwrap_or_default(),
            "input" => input = value,
            "content" => content = value,
            "is_error" => is_error = value == "true",
            _ => {}
        }
    }
    match &*unescape(kind) {
        "text" => Block::Text(text),
        "thinking" => Block::Thinking(text),
        "image" | "document" => Block::Media,
        // `server_tool_use`, `mcp_tool_use`, `web_search_tool_result`, … have the same form.
        kind if kind.ends_with("tool_use") => Block::Call { id, name, input },
        kind if kind.ends_with("tool_result") => Block::Result { call: id, content, is_error },
        _ => Block::Other,
    }
}

/// Which kind of text a piece is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Text of a `user` or `assistant` message.
    Text,
    /// The model's thinking.
    Thinking,
    /// A tool's name or a string in its input.
    Call,
    /// A string in a tool's result.
    Result,
    /// A message that was typed while the model was working, waiting in an attachment.
    Queued,
    /// The text of a `system` record.
    System,
    /// A string in any other attachment.
    Attachment,
}

/// Calls `found` with every searchable text of a record, still escaped, in the order of the record's meaning:
/// the message first, then the program's own form of a tool's result.
pub fn pieces<'a>(record: &Record<'a>, found: &mut dyn FnMut(Piece, &'a str)) {
    if let Some(content) = record.message.as_ref().and_then(|message| message.content) {
        for block in blocks(content) {
            match block {
                Block::Text(text) => found(Piece::Text, text),
                Block::Thinking(text) => found(Piece::Thinking, text),
                Block::Call { name, input, .. } => {
                    found(Piece::Call, name);
                    texts(input).for_each(|text| found(Piece::Call, text));
                }
                Block::Result { content, .. } => result_texts(content).for_each(|text| found(Piece::Result, text)),
                Block::Media | Block::Other => {}
            }
        }
    }
    if let Some(content) = record.content.filter(|_| record.is("system")) {
        texts(content.get()).for_each(|text| found(Piece::System, text));
    }
    if let Some(attachment) = record.attachment {
        let piece = if is_queued_command(attachment) { Piece::Queued } else { Piece::Attachment };
        attachment_texts(attachment, piece, found);
    }
    if let Some(result) = record.tool_use_result {
        texts(result.get()).for_each(|text| found(Piece::Result, text));
    }
}

/// Of a queued command only the prompt was typed; of another attachment every string counts.
fn attachment_texts<'a>(attachment: &'a RawValue, piece: Piece, found: &mut dyn FnMut(Piece, &'a str)) {
    for (key, value) in fields(attachment.get()) {
        let key = unescape(key);
        if piece == Piece::Attachment && key != "type" || key == "prompt" {
            texts(value).for_each(|text| found(piece, text));
        }
    }
}

/// Whether an attachment is a message that was typed while the model was working.
pub fn is_queued_command(attachment: &RawValue) -> bool {
    fields(attachment.get()).any(|(key, value)| {
        unescape(key) == "type" && inner(value).is_some_and(|kind| unescape(kind) == "queued_command")
    })
}

/// The strings in a value that are text, not encoded bytes.
pub fn texts(value: &str) -> impl Iterator<Item = &str> {
    strings(value).filter(|(key, text)| is_text(key, text)).map(|(_, text)| text)
}

/// The texts of a tool's result, which is a text or a list of blocks: not what names a block's kind.
pub fn result_texts(content: &str) -> impl Iterator<Item = &str> {
    let names_a_kind = |key: &str| matches!(key, "type" | "media_type");
    strings(content).filter(move |(key, text)| !names_a_kind(key) && is_text(key, text)).map(|(_, text)| text)
}

fn is_text(key: &str, text: &str) -> bool {
    !text.is_empty() && !is_encoded(key, text)
}

/// Pictures and the like: long, and without any space.
fn is_encoded(key: &str, text: &str) -> bool {
    const LONG: usize = 1024;
    matches!(key, "data" | "base64" | "signature") && text.len() > LONG && memmem::find(text.as_bytes(), b" ").is_none()
}

/// The sub-agent that a tool's result names, where the call started one.
pub fn started_agent(result: &RawValue) -> Option<&str> {
    // Most results name none, and a byte search tells it much faster than a walk.
    memmem::find(result.get().as_bytes(), b"\"agentId\"")?;
    fields(result.get()).find(|(key, _)| unescape(key) == "agentId").and_then(|(_, value)| inner(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_results_blocks_are_read_without_the_names_of_their_kinds() {
        let blocks = r#"[{"type":"text","text":"one"},{"text":"text","type":"text"},
            {"type":"image","source":{"type":"base64","media_type":"image/png"}}]"#;
        assert_eq!(result_texts(blocks).collect::<Vec<_>>(), ["one", "text"]);
        assert_eq!(result_texts(r#""type""#).collect::<Vec<_>>(), ["type"]);
    }
}
