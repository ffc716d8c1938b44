//! The events of a streamed answer, as the public Messages API sends them.

use serde_json::{Value, json};

/// One server-sent event.
pub(super) fn event(name: &str, data: &Value) -> String {
    let mut data = data.clone();
    data["type"] = json!(name);
    format!("event: {name}\ndata: {data}\n\n")
}

/// What every answer begins with.
pub(super) fn start(id: &str, model: &Value) -> String {
    event("message_start", &json!({ "message": message(id, model, &json!([]), &Value::Null) }))
}

/// A whole message, as an answer without streaming is.
pub(super) fn message(id: &str, model: &Value, content: &Value, stop_reason: &Value) -> Value {
    json!({ "id": id, "type": "message", "role": "assistant", "model": model, "content": content, "stop_reason": stop_reason,
        "stop_sequence": null, "usage": { "input_tokens": 12, "output_tokens": 1, "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0, "service_tier": "standard" } })
}

/// A text block: the events of each of its parts, for pacing.
pub(super) fn text(index: usize, text: &str) -> Vec<String> {
    let mut events =
        vec![event("content_block_start", &json!({ "index": index, "content_block": { "type": "text", "text": "" } }))];
    // A few words at a time, and never more than 64 events for a text of any length.
    let size = (text.len() / 64).max(8);
    let mut rest = text;
    while !rest.is_empty() {
        let at = (size.min(rest.len())..=rest.len()).find(|at| rest.is_char_boundary(*at)).unwrap_or(rest.len());
        let (part, after) = rest.split_at(at);
        events.push(event(
            "content_block_delta",
            &json!({ "index": index, "delta": { "type": "text_delta", "text": part } }),
        ));
        rest = after;
    }
    events.push(event("content_block_stop", &json!({ "index": index })));
    events
}

/// A tool call's block.
pub(super) fn call(index: usize, id: &str, name: &str, input: &Value) -> String {
    let block = json!({ "type": "tool_use", "id": id, "name": name, "input": {} });
    [
        event("content_block_start", &json!({ "index": index, "content_block": block })),
        event(
            "content_block_delta",
            &json!({ "index": index, "delta": { "type": "input_json_delta", "partial_json": input.to_string() } }),
        ),
        event("content_block_stop", &json!({ "index": index })),
    ]
    .concat()
}

/// What every answer ends with.
pub(super) fn end(stop_reason: &str) -> String {
    let delta =
        json!({ "delta": { "stop_reason": stop_reason, "stop_sequence": null }, "usage": { "output_tokens": 8 } });
    event("message_delta", &delta) + &event("message_stop", &json!({}))
}
