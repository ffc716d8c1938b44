//! The stream-json frames, read tolerantly.
//!
//! New kinds and new fields appear with every release of the CLI, any field may be missing, and `type` is not always
//! the first key. So: a frame is parsed, never matched as text; a field of an unexpected shape is as good as a missing
//! one; an unknown kind is [`Frame::Other`]; and a line that is no JSON object is [`Frame::Invalid`].

use serde::{
    Deserialize, Deserializer,
    de::{DeserializeOwned, IgnoredAny},
};
use serde_json::{Value, value::RawValue};

/// One line of the CLI's standard output.
#[derive(Clone, Debug)]
pub enum Frame {
    /// `system/init`: before the first turn, and before every turn in streaming mode.
    Init(Init),
    /// One content block of the model's answer, or an API error as a synthetic answer.
    Assistant(Assistant),
    /// A tool's result, or the replay of an input.
    User(User),
    /// The end of a turn.
    Result(Box<ResultFrame>),
    /// `system/api_retry`: a request failed and is tried again.
    ApiRetry(ApiRetry),
    /// `rate_limit_event`; comes also when all is well.
    RateLimit(RateLimit),
    /// `command_lifecycle`: what became of an input.
    Lifecycle {
        /// The input's uuid.
        input: String,
        /// `queued`, `started`, `completed` or `cancelled`.
        state: String,
    },
    /// The answer to a control request.
    ControlResponse {
        /// The request's id.
        request_id: String,
        /// Whether it was carried out.
        success: bool,
    },
    /// A piece of what is going on, for showing it (`--include-partial-messages`).
    Activity(Activity),
    /// Any other frame.
    Other,
    /// Not a JSON object.
    Invalid,
}

/// `system/init`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Init {
    /// The session's id.
    #[serde(deserialize_with = "lenient")]
    pub session_id: Option<String>,
    /// The CLI's version.
    #[serde(deserialize_with = "lenient")]
    pub claude_code_version: Option<String>,
    /// What this version can do.
    #[serde(deserialize_with = "lenient")]
    pub capabilities: Option<Vec<String>>,
}

/// An `assistant` frame.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Assistant {
    /// Set when this stands for an API error: its kind.
    #[serde(deserialize_with = "lenient")]
    pub error: Option<String>,
    /// The call of the sub-agent that speaks; `None` for the session itself.
    #[serde(deserialize_with = "lenient")]
    pub parent_tool_use_id: Option<String>,
}

/// A `user` frame.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct User {
    /// The record's uuid; for a replay, that of the input.
    #[serde(deserialize_with = "lenient")]
    pub uuid: Option<String>,
    /// Whether this is the replay of an input.
    #[serde(rename = "isReplay", deserialize_with = "lenient")]
    pub is_replay: Option<bool>,
}

/// `system/api_retry`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct ApiRetry {
    /// The API's HTTP status.
    #[serde(deserialize_with = "lenient")]
    pub error_status: Option<u16>,
    /// The kind of error.
    #[serde(deserialize_with = "lenient")]
    pub error: Option<String>,
}

/// The part of `rate_limit_event.rate_limit_info` that matters.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct RateLimit {
    /// `allowed`, `allowed_warning` or `rejected`.
    #[serde(deserialize_with = "lenient")]
    pub status: Option<String>,
    /// When the limit ends, in seconds since the epoch.
    #[serde(rename = "resetsAt", deserialize_with = "lenient")]
    pub resets_at: Option<f64>,
}

/// A `result` frame: the end of a turn.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct ResultFrame {
    /// `success`, `error_during_execution`, `error_max_turns`, …
    #[serde(deserialize_with = "lenient")]
    pub subtype: Option<String>,
    /// Whether the turn failed. `subtype` says `success` for API failures too.
    #[serde(deserialize_with = "lenient")]
    pub is_error: Option<bool>,
    /// The answer, or the text of the failure.
    #[serde(deserialize_with = "lenient")]
    pub result: Option<String>,
    /// Texts of the failure.
    #[serde(deserialize_with = "lenient")]
    pub errors: Option<Vec<String>>,
    /// Why the turn ended. Older versions say `completed` for API failures.
    #[serde(deserialize_with = "lenient")]
    pub terminal_reason: Option<String>,
    /// Why the CLI could not even start (`CLAUDE_CODE_STARTUP_FAILURE_RESULTS`).
    #[serde(deserialize_with = "lenient")]
    pub startup_failure_reason: Option<String>,
    /// The session's id at the end.
    #[serde(deserialize_with = "lenient")]
    pub session_id: Option<String>,
    /// How many model turns; 0 for a context message or a local command.
    #[serde(deserialize_with = "lenient")]
    pub num_turns: Option<u64>,
    /// Milliseconds.
    #[serde(deserialize_with = "lenient")]
    pub duration_ms: Option<u64>,
    /// US dollars, accumulated in the process (and by newer versions over resumes).
    #[serde(deserialize_with = "lenient")]
    pub total_cost_usd: Option<f64>,
    /// Tokens, as reported.
    #[serde(deserialize_with = "lenient")]
    pub usage: Option<Value>,
    /// Tokens and cost per model, as reported.
    #[serde(rename = "modelUsage", deserialize_with = "lenient")]
    pub model_usage: Option<Value>,
    /// What the permission rules refused, as reported.
    #[serde(deserialize_with = "lenient")]
    pub permission_denials: Option<Value>,
    /// The API's HTTP status.
    #[serde(deserialize_with = "lenient")]
    pub api_error_status: Option<u16>,
    /// The API's error type.
    #[serde(deserialize_with = "lenient")]
    pub api_error_type: Option<String>,
    /// The input that this turn answers.
    #[serde(deserialize_with = "lenient")]
    pub user_message_uuid: Option<String>,
    /// The inputs that this turn answers, where several were merged.
    #[serde(deserialize_with = "lenient")]
    pub user_message_uuids: Option<Vec<String>>,
}

impl ResultFrame {
    /// Whether this ends a turn that did something: a model turn, an answer, or a failure. A context message, for
    /// one, is answered by a result without any of these.
    pub fn is_real(&self) -> bool {
        self.num_turns.is_some_and(|turns| turns > 0)
            || self.is_error == Some(true)
            || self.result.as_deref().is_some_and(|text| !text.is_empty())
    }

    /// Whether the turn succeeded. `subtype` alone says `success` for API failures too.
    pub fn is_success(&self) -> bool {
        self.subtype.as_deref() == Some("success")
            && self.is_error != Some(true)
            && self.terminal_reason.as_deref() != Some("api_error")
    }
}

/// What is going on in a turn, as far as one would show it.
#[derive(Clone, Debug, PartialEq)]
pub enum Activity {
    /// A piece of the answer.
    Text(String),
    /// A tool call begins.
    Tool(String),
    /// A text or thinking block begins.
    Writing,
    /// Tokens written so far in this API message.
    OutputTokens(u64),
}

/// Reads a value, and takes one of an unexpected shape for a missing one.
fn lenient<'de, T: DeserializeOwned, D: Deserializer<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    let raw = <&RawValue>::deserialize(deserializer)?;
    Ok(serde_json::from_str(raw.get()).ok())
}

/// The keys that tell one kind of frame from another.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Kind {
    #[serde(rename = "type", deserialize_with = "lenient")]
    kind: Option<String>,
    #[serde(deserialize_with = "lenient")]
    subtype: Option<String>,
}

impl Frame {
    /// Reads one line. Invalid UTF-8 is replaced, never refused.
    pub fn read(line: &[u8]) -> Self {
        let text = String::from_utf8_lossy(line);
        let text = text.trim();
        // Only an object will do; serde would take an array for a struct as well.
        let kind = if text.starts_with('{') { serde_json::from_str::<Kind>(text).ok() } else { None };
        let Some(Kind { kind, subtype }) = kind else { return Self::Invalid };
        let read = match (kind.as_deref().unwrap_or_default(), subtype.as_deref()) {
            ("result", _) => serde_json::from_str(text).map(|result| Self::Result(Box::new(result))),
            ("assistant", _) => serde_json::from_str(text).map(Self::Assistant),
            ("user", _) => serde_json::from_str(text).map(Self::User),
            ("system", Some("init")) => serde_json::from_str(text).map(Self::Init),
            ("system", Some("api_retry")) => serde_json::from_str(text).map(Self::ApiRetry),
            ("rate_limit_event", _) => serde_json::from_str::<RateLimitEvent>(text)
                .map(|event| event.rate_limit_info.map_or(Self::Other, Self::RateLimit)),
            ("command_lifecycle", _) => serde_json::from_str::<LifecycleFrame>(text).map(LifecycleFrame::frame),
            ("control_response", _) => serde_json::from_str::<ControlFrame>(text).map(ControlFrame::frame),
            ("stream_event", _) => serde_json::from_str::<StreamFrame>(text).map(StreamFrame::frame),
            _ => Ok(Self::Other),
        };
        read.unwrap_or(Self::Invalid)
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct RateLimitEvent {
    #[serde(deserialize_with = "lenient")]
    rate_limit_info: Option<RateLimit>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct LifecycleFrame {
    #[serde(deserialize_with = "lenient")]
    command_uuid: Option<String>,
    #[serde(deserialize_with = "lenient")]
    state: Option<String>,
}

impl LifecycleFrame {
    fn frame(self) -> Frame {
        match (self.command_uuid, self.state) {
            (Some(input), Some(state)) => Frame::Lifecycle { input, state },
            _ => Frame::Other,
        }
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ControlFrame {
    #[serde(deserialize_with = "lenient")]
    response: Option<ControlBody>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ControlBody {
    #[serde(deserialize_with = "lenient")]
    request_id: Option<String>,
    #[serde(deserialize_with = "lenient")]
    subtype: Option<String>,
}

impl ControlFrame {
    fn frame(self) -> Frame {
        match self.response {
            Some(ControlBody { request_id: Some(request_id), subtype }) => {
                Frame::ControlResponse { request_id, success: subtype.as_deref() == Some("success") }
            }
            _ => Frame::Other,
        }
    }
}

/// `stream_event`: the API's own events, those of sub-agents included.
#[derive(Default, Deserialize)]
#[serde(default)]
struct StreamFrame {
    #[serde(deserialize_with = "lenient")]
    event: Option<StreamEvent>,
    #[serde(deserialize_with = "lenient")]
    parent_tool_use_id: Option<String>,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum StreamEvent {
    ContentBlockStart { content_block: Block },
    ContentBlockDelta { delta: Delta },
    MessageDelta { usage: Option<OutputUsage> },
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Block {
    ToolUse {
        name: String,
    },
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Delta {
    TextDelta {
        text: String,
    },
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct OutputUsage {
    #[serde(default)]
    output_tokens: u64,
    #[serde(flatten)]
    _rest: IgnoredAny,
}

impl StreamFrame {
    fn frame(self) -> Frame {
        let activity = match self.event {
            // A sub-agent's text is not the answer.
            _ if self.parent_tool_use_id.is_some() => None,
            Some(StreamEvent::ContentBlockStart { content_block: Block::ToolUse { name } }) => {
                Some(Activity::Tool(name))
            }
            Some(StreamEvent::ContentBlockStart { content_block: Block::Other }) => Some(Activity::Writing),
            Some(StreamEvent::ContentBlockDelta { delta: Delta::TextDelta { text } }) => Some(Activity::Text(text)),
            Some(StreamEvent::MessageDelta { usage: Some(usage) }) => Some(Activity::OutputTokens(usage.output_tokens)),
            _ => None,
        };
        activity.map_or(Frame::Other, Frame::Activity)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn type_may_stand_anywhere_and_odd_fields_are_missing_ones() {
        let line = br#"{"is_error":"no","num_turns":1,"result":"hi","usage":null,"errors":"x","type":"result"}"#;
        let Frame::Result(result) = Frame::read(line) else { panic!("not a result") };
        assert_eq!(result.result.as_deref(), Some("hi"));
        assert_eq!((result.is_error, result.num_turns), (None, Some(1)));
        assert!(result.errors.is_none());
    }

    #[test]
    fn what_is_unknown_or_broken_is_told_apart() {
        assert!(matches!(Frame::read(br#"{"type":"tomorrow"}"#), Frame::Other));
        assert!(matches!(Frame::read(br#"{"no":"type"}"#), Frame::Other));
        for broken in [&b"plain text"[..], b"[1]", b"{", b"", b"\xff\xfe", br#"{"type":"result"} x"#] {
            assert!(matches!(Frame::read(broken), Frame::Invalid), "{:?}", String::from_utf8_lossy(broken));
        }
    }

    #[test]
    fn invalid_utf8_inside_a_string_costs_one_character() {
        let Frame::Result(result) = Frame::read(b"{\"type\":\"result\",\"result\":\"a\xffb\"}\r") else { panic!() };
        assert_eq!(result.result.as_deref(), Some("a\u{fffd}b"));
    }

    #[test]
    fn activity_is_the_sessions_own() {
        let delta = |parent: &str| {
            let line = format!(
                r#"{{"type":"stream_event","parent_tool_use_id":{parent},"event":{{"type":"content_block_delta","index":0,"delta":{{"type":"text_delta","text":"Hi"}}}}}}"#
            );
            Frame::read(line.as_bytes())
        };
        assert!(matches!(delta("null"), Frame::Activity(Activity::Text(text)) if text == "Hi"));
        assert!(matches!(delta("\"toolu_1\""), Frame::Other));
    }
}
