//! [`Entry`]: what a client's configuration is to hold for ccmcp.

use serde_json::{Map, Value, json};

use super::{Client, ServerEntry, environment, executable::lasting_executable};
use crate::core::config::{Settings, ToolSet};

/// How long Codex lets a call take, in seconds: above `wait_agent`'s longest wait, and just above the limit of a turn
/// (`timeout_wall_ms`), so that what ccmcp has to say about it comes first. Codex's own default is 300.
pub const CODEX_CALL_SECONDS: u64 = 1860;
/// The longest that Zed lets a call take, in seconds. Its default is 60.
const ZED_CALL_SECONDS: u64 = 600;
/// How long Codex waits for a server to start, in seconds. ccmcp takes a fraction of one; a busy machine takes longer.
const CODEX_START_SECONDS: u64 = 30;

/// What a client's configuration is to hold for ccmcp.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    /// Its keys, in order.
    pub(super) fields: Vec<Field>,
}

/// One key of an entry.
#[derive(Clone, Debug)]
pub(super) struct Field {
    pub(super) key: &'static str,
    pub(super) value: Value,
    pub(super) rule: Rule,
    /// Why it is there; written as a comment where the format has some.
    pub(super) note: Option<&'static str>,
}

/// What happens to a value of the user's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// It is ours, and replaced.
    Ours,
    /// It stays.
    Default,
    /// It stays if it is no less.
    AtLeast,
    /// It stays, and what is missing in it is added: elements of a list.
    Union,
    /// It stays but for our own keys.
    Members,
}

/// What to put into a file, whether there is an entry in it or not.
#[derive(Clone, Debug)]
pub(super) struct Wanted {
    /// The entry that was asked for.
    pub(super) asked: Entry,
    /// The entry with the history tools alone.
    pub(super) history: Entry,
    /// The tools to insist on; empty: what is there already, or what suits the client.
    pub(super) sets: Vec<ToolSet>,
}

impl Wanted {
    /// What this client is to have; `sets` are the tools that were asked for.
    pub(super) fn of(client: Client, settings: &Settings, sets: Vec<ToolSet>) -> Self {
        let sets = if client == Client::ClaudeCode { vec![ToolSet::History] } else { sets };
        let history = Entry::of(client, settings, &[ToolSet::History]);
        Self { asked: Entry::of(client, settings, &sets), history, sets }
    }

    /// What the entry that is there is to hold: one for the history tools gets no rights that only others need.
    pub(super) fn instead_of(&self, existing: &ServerEntry) -> &Entry {
        if self.sets.is_empty() && !existing.asks_to_drive() { &self.history } else { &self.asked }
    }
}

impl Entry {
    /// The entry for this client with these sets of tools; none: all.
    fn of(client: Client, settings: &Settings, sets: &[ToolSet]) -> Self {
        let drives = sets.is_empty() || sets.iter().any(|set| set.drives());
        let mut fields = Vec::new();
        if matches!(client, Client::VsCode | Client::ClaudeCode) {
            fields.push(ours("type", json!("stdio")));
        }
        fields.push(ours("command", json!(lasting_executable(settings).to_string_lossy())));
        fields.push(ours("args", json!(arguments(sets))));
        let env = environment::values(client, settings, drives);
        if !env.is_empty() {
            let env: Map<_, _> = env.into_iter().map(|(name, value)| (name.to_owned(), Value::from(value))).collect();
            fields.push(Field { key: "env", value: Value::Object(env), rule: Rule::Members, note: None });
        }
        match client {
            Client::Codex => fields.extend(codex(settings, drives)),
            Client::Zed if drives => {
                fields.push(Field { key: "timeout", value: json!(ZED_CALL_SECONDS), rule: Rule::AtLeast, note: None });
            }
            _ => {}
        }
        Self { fields }
    }

    /// The entry as one object.
    pub(super) fn value(&self) -> Value {
        Value::Object(self.fields.iter().map(|field| (field.key.to_owned(), field.value.clone())).collect())
    }

    /// The value of one key.
    pub(super) fn get(&self, key: &str) -> Option<&Value> {
        self.fields.iter().find(|field| field.key == key).map(|field| &field.value)
    }
}

fn ours(key: &'static str, value: Value) -> Field {
    Field { key, value, rule: Rule::Ours, note: None }
}

fn arguments(sets: &[ToolSet]) -> Vec<String> {
    let mut arguments = vec!["serve".to_owned()];
    if !sets.is_empty() {
        arguments.extend(["--tools".to_owned(), listed(sets)]);
    }
    arguments
}

/// The sets as `--tools` takes them.
pub(super) fn listed(sets: &[ToolSet]) -> String {
    sets.iter().map(|set| set.name()).collect::<Vec<_>>().join(",")
}

/// What only Codex has.
fn codex(settings: &Settings, drives: bool) -> Vec<Field> {
    let mut fields = vec![
        Field {
            key: "env_vars",
            value: json!(environment::names(settings, drives)),
            rule: Rule::Union,
            note: Some("Codex hands on no other variables than HOME, PATH and the like."),
        },
        Field { key: "startup_timeout_sec", value: json!(CODEX_START_SECONDS), rule: Rule::Default, note: None },
    ];
    if drives {
        fields.push(Field {
            key: "tool_timeout_sec",
            value: json!(CODEX_CALL_SECONDS),
            rule: Rule::AtLeast,
            note: Some("A turn may take half an hour; Codex's own limit is five minutes."),
        });
    }
    fields.push(Field {
        key: "required",
        value: json!(true),
        rule: Rule::Default,
        note: Some("Without this Codex says nothing when the server does not start."),
    });
    if drives {
        fields.push(Field {
            key: "default_tools_approval_mode",
            value: json!("approve"),
            rule: Rule::Default,
            note: Some(
                "Tools that start Claude run without asking: `codex exec` has nobody to ask and would refuse them.\n\
                 Write \"prompt\" to be asked. What Claude itself may do is up to ccmcp's and Claude's own rules.",
            ),
        });
    }
    fields
}
