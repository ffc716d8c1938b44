//! The prompt of a request and its directives: pure text work.

use std::time::Duration;

use serde_json::{Value, json};

/// What a prompt asks the API to do.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Directives {
    pub(super) delay: Option<Duration>,
    pub(super) gate: Option<String>,
    pub(super) failure: Option<Failure>,
    pub(super) limit: Option<Limit>,
    /// Rounds of tool calls: each inner list is one answer.
    pub(super) calls: Vec<Vec<(String, Value)>>,
    pub(super) pace: Option<Duration>,
    pub(super) drop: bool,
}

/// A request that fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Failure {
    pub(super) status: u16,
    pub(super) kind: String,
    pub(super) message: String,
    /// How many times; for ever when none.
    pub(super) times: Option<usize>,
}

/// The state of a subscription's limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Limit {
    Allowed,
    Warning,
    Rejected,
}

impl Directives {
    /// Reads the directives of a prompt; what is no directive stays text.
    ///
    /// # Panics
    /// When a directive of a known name makes no sense: a mistake in the test.
    pub(super) fn read(prompt: &str) -> Self {
        let mut found = Self::default();
        let mut rest = prompt;
        while let Some((_, from)) = rest.split_once("[[") {
            // JSON may have the same two brackets inside: the directive ends where its JSON is whole.
            let whole = |directive: &str| match directive.strip_prefix("tool:").and_then(|tool| tool.split_once('|')) {
                Some((_, json)) => serde_json::from_str::<Value>(json).is_ok(),
                None => true,
            };
            let ends: Vec<usize> = from.match_indices("]]").map(|(at, _)| at).collect();
            let Some(end) = ends.iter().find(|end| whole(&from[..**end])).or(ends.first()) else { break };
            found.take(&from[..*end]);
            rest = &from[end + 2..];
        }
        found
    }

    fn take(&mut self, directive: &str) {
        let (name, value) = directive.split_once(':').unwrap_or((directive, ""));
        let number = || value.parse::<f64>().unwrap_or_else(|_| panic!("[[{directive}]]: a number is wanted"));
        match name {
            "delay" => self.delay = Some(Duration::from_secs_f64(number())),
            "pace" => self.pace = Some(Duration::from_secs_f64(number() / 1000.0)),
            "gate" => self.gate = Some(value.to_owned()),
            "drop" => self.drop = true,
            "limit" => {
                self.limit = Some(match value {
                    "allowed" => Limit::Allowed,
                    "warning" => Limit::Warning,
                    "rejected" => Limit::Rejected,
                    _ => panic!("[[{directive}]]: allowed, warning or rejected is wanted"),
                });
            }
            "http" => {
                let parts: Vec<&str> = value.split('|').collect();
                let [status, kind, message, times @ ..] = parts.as_slice() else {
                    panic!("[[{directive}]]: STATUS|TYPE|MESSAGE is wanted")
                };
                self.failure = Some(Failure {
                    status: status.parse().unwrap_or_else(|_| panic!("[[{directive}]]: a status is wanted")),
                    kind: (*kind).to_owned(),
                    message: (*message).to_owned(),
                    times: times.first().map(|times| times.parse().expect("how many times")),
                });
            }
            "tool" => {
                let (tool, input) = value.split_once('|').unwrap_or((value, "{}"));
                let input = serde_json::from_str(input).unwrap_or_else(|error| panic!("[[{directive}]]: {error}"));
                self.calls.push(vec![(tool.to_owned(), input)]);
            }
            "par" => self.calls.push(value.split(';').map(bash).collect()),
            "task" => self.calls.push(vec![(
                "Agent".to_owned(),
                json!({ "description": "sub", "prompt": value, "subagent_type": "general-purpose" }),
            )]),
            // Somebody else's brackets.
            _ => {}
        }
    }
}

fn bash(command: &str) -> (String, Value) {
    ("Bash".to_owned(), json!({ "command": command.trim(), "description": "test" }))
}

/// The last prompt of a request (what a person or program wrote, without the CLI's reminders), and how many rounds of
/// tool results came after it.
pub(super) fn last_prompt(body: &Value) -> (String, usize) {
    let mut rounds = 0;
    for message in body["messages"].as_array().into_iter().flatten().rev() {
        if message["role"] != "user" {
            continue;
        }
        let text = typed(&message["content"]);
        let results = message["content"]
            .as_array()
            .is_some_and(|blocks| blocks.iter().any(|block| block["type"] == "tool_result"));
        if results {
            rounds += 1;
        } else if !text.is_empty() {
            return (text, rounds);
        }
    }
    (String::new(), rounds)
}

/// The text of a message without the CLI's reminders.
pub(super) fn typed(content: &Value) -> String {
    let texts: Vec<&str> = match content {
        Value::String(text) => vec![text],
        Value::Array(blocks) => blocks.iter().filter_map(|block| block["text"].as_str()).collect(),
        _ => Vec::new(),
    };
    texts.into_iter().filter(|text| !text.trim_start().starts_with("<system-reminder>")).collect::<Vec<_>>().join("\n")
}

#[test]
fn directives_are_read() {
    let found = Directives::read(
        "a [[delay:0.5]] b [[x]] [[gate:g]] [[tool:Write|{\"a\":[[1]]}]] [[par:ls; pwd]] [[pace:10]] [[limit:warning]]",
    );
    assert_eq!(
        (found.delay, found.gate.as_deref(), found.pace),
        (Some(Duration::from_millis(500)), Some("g"), Some(Duration::from_millis(10)))
    );
    assert_eq!(found.calls[0], [("Write".to_owned(), json!({ "a": [[1]] }))]);
    assert_eq!(found.calls[1], [bash("ls"), bash("pwd")]);
    assert_eq!((found.limit, found.drop), (Some(Limit::Warning), false));
    let failure = Failure { status: 529, kind: "overloaded_error".into(), message: "Over".into(), times: None };
    assert_eq!(Directives::read("[[http:529|overloaded_error|Over]]").failure, Some(failure.clone()));
    assert_eq!(
        Directives::read("[[http:529|overloaded_error|Over|2]]").failure,
        Some(Failure { times: Some(2), ..failure })
    );
    assert_eq!(Directives::read("[[delay:1"), Directives::default());
}

#[test]
fn the_last_prompt_is_found_behind_results_and_reminders() {
    let body = json!({ "messages": [
        { "role": "user", "content": "first" },
        { "role": "assistant", "content": [] },
        { "role": "user", "content": [{ "type": "text", "text": "<system-reminder>x" }, { "type": "text", "text": "second" }] },
        { "role": "assistant", "content": [{ "type": "tool_use" }] },
        { "role": "user", "content": [{ "type": "tool_result" }, { "type": "text", "text": "<system-reminder>y" }] },
    ]});
    assert_eq!(last_prompt(&body), ("second".to_owned(), 1));
    assert_eq!(last_prompt(&json!({})), (String::new(), 0));
}
