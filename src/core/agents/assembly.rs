//! From the mailbox to the line that is written to Claude.

use serde_json::{Value, json};

use crate::core::{
    ids::{InputId, SessionId},
    store::{MessageKind, MessageRow},
};

/// Says to the model that it may have seen what follows.
const REPEAT: &str = "[ccmcp] The process that was working on the following ended before it had finished. Parts of it \
                      may be done already: look before you repeat anything.";

/// What a turn is made of: the pending messages up to and including the first followup, in order. Empty without a
/// followup: context alone starts no turn.
pub(super) fn input(pending: &[MessageRow]) -> &[MessageRow] {
    let first = pending.iter().position(|message| message.kind == MessageKind::Followup);
    first.and_then(|at| pending.get(..=at)).unwrap_or_default()
}

/// The context at the head of the mailbox, which a live process can take at once.
pub(super) fn context(pending: &[MessageRow]) -> &[MessageRow] {
    let end = pending.iter().position(|message| message.kind == MessageKind::Followup).unwrap_or(pending.len());
    pending.get(..end).unwrap_or_default()
}

/// The line of a turn's input: one user message with a text block for each message, so that it arrives whole or not at
/// all. `repeat` when an earlier process worked on it.
pub(super) fn turn_line(session: SessionId, input: InputId, messages: &[MessageRow], repeat: bool) -> Vec<u8> {
    let notice = repeat.then_some(REPEAT).into_iter();
    let texts: Vec<&str> = notice.chain(messages.iter().map(|message| message.body.as_str())).collect();
    line(session, input, &texts, true)
}

/// The line of one message that is context and wants no answer.
pub(super) fn context_line(session: SessionId, input: InputId, message: &MessageRow) -> Vec<u8> {
    let notice = message.tried.then_some(REPEAT).into_iter();
    line(session, input, &notice.chain([message.body.as_str()]).collect::<Vec<_>>(), false)
}

/// The line that asks a process to interrupt its turn.
pub(super) fn interrupt_line(request: &str) -> Vec<u8> {
    finish(&json!({ "type": "control_request", "request_id": request, "request": { "subtype": "interrupt" } }))
}

fn line(session: SessionId, input: InputId, texts: &[&str], wants_turn: bool) -> Vec<u8> {
    let content: Vec<Value> = texts.iter().map(|text| json!({ "type": "text", "text": literal(text) })).collect();
    let mut frame = json!({
        "type": "user",
        "message": { "role": "user", "content": content },
        "parent_tool_use_id": null,
        "session_id": session,
        "uuid": input,
    });
    if !wants_turn {
        frame["shouldQuery"] = json!(false);
    }
    finish(&frame)
}

/// A text that begins with `/` would be a command of the CLI (`/clear` moves to another session): a leading newline
/// makes it text.
fn literal(text: &str) -> String {
    if text.trim_start().starts_with('/') { format!("\n{text}") } else { text.to_owned() }
}

fn finish(frame: &Value) -> Vec<u8> {
    let mut line = frame.to_string().into_bytes();
    line.push(b'\n');
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::{
        clock::Timestamp,
        ids::{AgentId, MessageId},
        store::MessageState,
    };

    fn message(kind: MessageKind, body: &str) -> MessageRow {
        MessageRow {
            sequence: 1,
            message_id: MessageId::new(),
            agent_id: AgentId::new(),
            turn_id: None,
            kind,
            state: MessageState::Pending,
            body: body.to_owned(),
            tried: false,
            created_at: Timestamp::now(),
        }
    }

    fn mailbox() -> Vec<MessageRow> {
        use MessageKind::{Followup, Message};
        [(Message, "a"), (Followup, "b"), (Message, "c"), (Followup, "d")]
            .map(|(kind, body)| message(kind, body))
            .into()
    }

    fn bodies(messages: &[MessageRow]) -> String {
        messages.iter().map(|message| message.body.as_str()).collect()
    }

    #[test]
    fn a_turn_takes_the_mail_up_to_the_first_followup() {
        let mail = mailbox();
        assert_eq!(bodies(input(&mail)), "ab");
        assert_eq!(bodies(input(&mail[2..])), "cd");
        assert_eq!(bodies(input(&mail[2..3])), "", "context alone starts no turn");
        assert_eq!(bodies(context(&mail)), "a");
        assert_eq!(bodies(context(&mail[2..3])), "c");
        assert_eq!(bodies(context(&mail[1..])), "", "context behind a followup waits for it");
    }

    fn parsed(line: &[u8]) -> Value {
        assert_eq!(line.split(|byte| *byte == b'\n').count(), 2, "one line");
        serde_json::from_slice(line).unwrap()
    }

    #[test]
    fn a_turn_is_one_message_and_commands_are_text() {
        let (session, id) = (SessionId::new(), InputId::new());
        let mail = [message(MessageKind::Message, "two\nlines"), message(MessageKind::Followup, " /clear")];
        let frame = parsed(&turn_line(session, id, &mail, false));
        assert_eq!(frame["uuid"], id.to_string());
        assert_eq!(frame["session_id"], session.to_string());
        assert_eq!(
            frame["message"]["content"],
            json!([{ "type": "text", "text": "two\nlines" }, { "type": "text", "text": "\n /clear" }])
        );
        assert_eq!(frame.get("shouldQuery"), None);
        let repeat = parsed(&turn_line(session, id, &mail, true));
        assert_eq!(repeat["message"]["content"][0]["text"], REPEAT);
    }

    #[test]
    fn context_asks_for_no_answer() {
        let mut mail = message(MessageKind::Message, "note");
        let frame = parsed(&context_line(SessionId::new(), InputId::new(), &mail));
        assert_eq!(frame["shouldQuery"], false);
        mail.tried = true;
        let frame = parsed(&context_line(SessionId::new(), InputId::new(), &mail));
        assert_eq!(frame["message"]["content"][0]["text"], REPEAT);
    }
}
