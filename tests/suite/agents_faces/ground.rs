//! What these tests stand on: servers, calls, and answers with ids and times replaced.

use serde_json::{Value, json};

pub(super) use crate::support::schemas::Schemas;
use crate::support::{
    Flag, Gate, Sandbox,
    fake::{Script, Turn},
    mcp::Mcp,
};

/// A server of the agents' tools alone, in the era with a handshake.
pub(super) fn server(sandbox: &Sandbox) -> Mcp {
    Mcp::legacy(sandbox.command("ccmcp").args(["serve", "--tools", "agents"]))
}

fn modern(sandbox: &Sandbox) -> Mcp {
    Mcp::modern(sandbox.command("ccmcp").args(["serve", "--tools", "agents"]))
}

/// How such a server is opened in each era.
pub(super) const ERAS: [fn(&Sandbox) -> Mcp; 2] = [server, modern];

/// Scripts the Claude of the commands made from here on: the turn of a task with "work" in it raises the flag, and goes
/// on when the gate opens.
pub(super) fn gated(sandbox: &mut Sandbox) -> (Flag, Gate) {
    let (flag, gate) = (sandbox.flag("works"), sandbox.gate("go"));
    sandbox.script(&Script::new().on("work", Turn::echo().before(flag.step()).before(gate.step())));
    (flag, gate)
}

/// The structured content of a call that succeeds.
#[track_caller]
pub(super) fn ok(mcp: &mut Mcp, tool: &str, arguments: Value) -> Value {
    let mut result = mcp.tool(tool, arguments);
    assert_ne!(result["isError"], true, "{tool}: {result}");
    result["structuredContent"].take()
}

/// Spawns an agent with this task; the answer.
#[track_caller]
pub(super) fn spawn(mcp: &mut Mcp, task: &str) -> Value {
    ok(mcp, "spawn_agent", json!({ "task": task }))
}

/// Waits from an answer's cursor; fails when the time runs out.
#[track_caller]
pub(super) fn wait(mcp: &mut Mcp, agent: &Value, from: &Value, until: &str) -> Value {
    let arguments = json!({ "agent_ids": [agent["agent_id"]], "after_cursor": from["cursor"], "timeout_ms": 25_000, "until": until });
    let waited = ok(mcp, "wait_agent", arguments);
    assert_eq!(waited["timed_out"], false, "{waited}");
    waited
}

/// Spawns an agent and waits until it has nothing to do.
#[track_caller]
pub(super) fn settled(mcp: &mut Mcp, task: &str) -> Value {
    let agent = spawn(mcp, task);
    wait(mcp, &agent, &agent, "idle");
    agent
}

/// Everything about an agent.
#[track_caller]
pub(super) fn read(mcp: &mut Mcp, agent: &Value) -> Value {
    ok(mcp, "read_agent", json!({ "agent_id": agent["agent_id"], "limit": 1000 }))
}

/// The types of events, with what tells them apart.
pub(super) fn story(answer: &Value) -> Vec<String> {
    let tell = |event: &Value| {
        let kind = event["type"].as_str().expect("a type").to_owned();
        let more = ["reason", "status", "kind"].iter().find_map(|key| event["payload"][key].as_str());
        more.map_or_else(|| kind.clone(), |more| format!("{kind} {more}"))
    };
    answer["events"].as_array().expect("events").iter().map(tell).collect()
}

/// An id as text.
#[track_caller]
pub(super) fn id(value: &Value) -> &str {
    value["agent_id"].as_str().expect("an agent's id")
}

/// Replaces ids by their number in order of appearance, and times and durations by words, so that whole answers can be
/// compared. Knows the ids of all answers it has seen.
#[derive(Default)]
pub(super) struct Plain(Vec<String>);

impl Plain {
    pub(super) fn of(&mut self, value: &Value) -> Value {
        match value {
            Value::String(text) if uuid::Uuid::parse_str(text).is_ok() => {
                let known = self.0.iter().position(|known| known == text);
                let number = known.unwrap_or_else(|| {
                    self.0.push(text.clone());
                    self.0.len() - 1
                });
                json!(format!("id {number}"))
            }
            Value::String(text) if text.len() == 24 && text.ends_with('Z') && text.starts_with("20") => json!("a time"),
            Value::Array(items) => items.iter().map(|item| self.of(item)).collect(),
            Value::Object(fields) => {
                let plain = |(name, value): (&String, &Value)| {
                    let is_duration = name == "durationMs" || name == "duration_ms";
                    (name.clone(), if is_duration && value.is_u64() { json!("a duration") } else { self.of(value) })
                };
                Value::Object(fields.iter().map(plain).collect())
            }
            other => other.clone(),
        }
    }
}
