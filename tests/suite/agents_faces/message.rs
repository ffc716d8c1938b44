//! The one `send_message` of sessions and agents together.

use serde_json::{Value, json};

use super::ground::{ERAS, Schemas, ok, settled};
use crate::support::{
    Sandbox,
    fake::{Probe, Script},
    mcp::Mcp,
};

const NOBODY: &str = "11111111-2222-4333-8444-555555555555";

fn both(sandbox: &Sandbox) -> Mcp {
    Mcp::legacy(sandbox.command("ccmcp").args(["serve", "--tools", "sessions,agents"]))
}

#[test]
fn it_runs_a_sessions_turn_or_gives_an_agent_context() {
    let mut sandbox = Sandbox::new();
    let fake = sandbox.script(&Script::new());
    let mut mcp = both(&sandbox);
    let schemas = Schemas::of(&mut mcp);
    let start = json!({ "cwd": sandbox.workspace(), "initial_prompt": "hi", "model": "opus" });
    let session = ok(&mut mcp, "start_session", start)["session_id"].take();
    let turn = json!({ "session_id": session, "cwd": sandbox.workspace(), "message": " byte for byte ", "model": "haiku",
                       "timeout_idle_ms": 20_000, "timeout_wall_ms": 25_000 });
    let answer = schemas.call(&mut mcp, "send_message", turn);
    assert_eq!((&answer["session_id"], &answer["response"]), (&session, &json!("ECHO:  byte for byte ")));
    assert_eq!(fake.launch(1).value_of("--model"), Some("haiku"));

    let agent = settled(&mut mcp, "hi");
    let answer = schemas.call(&mut mcp, "send_message", json!({ "agent_id": agent["agent_id"], "message": "context" }));
    let keys: Vec<&String> = answer.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["message_id", "queued_only", "mailbox_depth", "cursor"]);
    assert!(mcp.end().success());
    assert_eq!(mcp.stderr(), "");
}

#[test]
fn whom_it_addresses_decides_about_the_rest() {
    let sandbox = Sandbox::new();
    let mut mcp = both(&sandbox);
    let schemas = Schemas::of(&mut mcp);
    let cwd = sandbox.workspace();
    let (invalid, schema) = ("invalid_input", "SCHEMA_VALIDATION");
    let rows: Vec<(Value, &str, Option<&str>)> = vec![
        (json!({}), schema, Some("agent_id")),
        (json!({ "message": "x" }), schema, Some("agent_id")),
        (json!({ "message": "x", "cwd": cwd, "model": "opus" }), schema, Some("agent_id")),
        (json!({ "message": "x", "agent_id": NOBODY, "session_id": NOBODY }), schema, Some("agent_id")),
        (json!({ "message": "x", "agent_id": NOBODY, "session_id": null }), schema, Some("agent_id")),
        // A session's own contract.
        (json!({ "message": "x", "session_id": NOBODY, "model": "opus" }), schema, Some("cwd")),
        (json!({ "message": "x", "session_id": NOBODY, "cwd": cwd }), schema, Some("model")),
        (json!({ "message": "", "session_id": NOBODY, "cwd": cwd, "model": "opus" }), schema, Some("message")),
        (json!({ "message": "x", "session_id": 5, "cwd": cwd, "model": "opus" }), schema, Some("session_id")),
        (json!({ "message": "x", "session_id": NOBODY, "cwd": cwd, "model": "gpt" }), "MODEL_REJECTED", Some("model")),
        (json!({ "message": "x", "session_id": NOBODY, "cwd": cwd, "model": "opus" }), "SESSION_NOT_FOUND", None),
        (
            json!({ "message": "x", "session_id": NOBODY, "cwd": cwd, "model": "opus", "extra": 1 }),
            schema,
            Some("extra"),
        ),
        // An agent's own contract.
        (json!({ "agent_id": NOBODY }), invalid, Some("message")),
        (json!({ "message": " ", "agent_id": NOBODY }), invalid, Some("message")),
        (json!({ "message": "x", "agent_id": "x" }), invalid, Some("agent_id")),
        (json!({ "message": "x", "agent_id": null }), invalid, Some("agent_id")),
        (json!({ "message": "x", "agent_id": NOBODY, "cwd": cwd }), invalid, Some("cwd")),
        (json!({ "message": "x", "agent_id": NOBODY, "model": "opus" }), invalid, Some("model")),
        (json!({ "message": "x", "agent_id": NOBODY, "timeout_idle_ms": 5 }), invalid, Some("timeout_idle_ms")),
        (json!({ "message": "x", "agent_id": NOBODY }), "agent_not_found", None),
    ];
    for (arguments, code, field) in rows {
        let error = schemas.call(&mut mcp, "send_message", arguments.clone())["error"].take();
        assert_eq!(error["code"], code, "{arguments}: {error}");
        assert_eq!(error["details"]["field"].as_str(), field, "{arguments}: {error}");
        assert!(error["hint"].is_string(), "{arguments}: {error}");
    }
}

#[test]
fn without_a_usable_claude_it_is_the_agents_alone() {
    let mut sandbox = Sandbox::new();
    sandbox.script(&Script::new().auth(Probe::answer(&json!({ "loggedIn": false }).to_string(), 1)));
    let mut mcp = both(&sandbox);
    assert_eq!(mcp.tool_names()[..2], ["spawn_agent", "send_message"]);
    let error = mcp.tool_error("send_message", json!({ "agent_id": NOBODY, "message": "x" }));
    assert_eq!(error["code"], "agent_not_found");
    let error = mcp.tool_error("send_message", json!({ "session_id": NOBODY, "message": "x" }));
    assert_eq!((&error["code"], &error["details"]["field"]), (&json!("invalid_input"), &json!("session_id")));
}

#[test]
fn alone_each_set_has_its_own() {
    let sandbox = Sandbox::new();
    for open in ERAS {
        let mut agents = open(&sandbox);
        let error =
            agents.tool_error("send_message", json!({ "session_id": NOBODY, "agent_id": NOBODY, "message": "x" }));
        assert_eq!((&error["code"], &error["details"]["field"]), (&json!("invalid_input"), &json!("session_id")));
    }
    let mut sessions = Mcp::legacy(sandbox.command("ccmcp").args(["serve", "--tools", "sessions"]));
    let error = sessions.tool_error("send_message", json!({ "agent_id": NOBODY, "message": "x" }));
    assert_eq!((&error["code"], &error["details"]["field"]), (&json!("SCHEMA_VALIDATION"), &json!("agent_id")));
}
