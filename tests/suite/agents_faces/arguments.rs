//! Bad arguments: one code, a fixed message, the field by name, and never the value.

use serde_json::{Value, json};

use super::ground::{ERAS, Schemas, ok, server, settled};
use crate::support::Sandbox;

const AGENT: &str = "11111111-2222-4333-8444-555555555555";
/// Where a value is wrong, it is this one: no answer may hold it.
const VALUE: &str = "planted-value";

#[test]
fn every_tool_refuses_what_it_does_not_take() {
    let (id, v) = (AGENT, VALUE);
    let rows = [
        ("spawn_agent", json!({}), "task"),
        ("spawn_agent", json!({ "task": "" }), "task"),
        ("spawn_agent", json!({ "task": " \n\t" }), "task"),
        ("spawn_agent", json!({ "task": 5 }), "task"),
        ("spawn_agent", json!({ "task": null }), "task"),
        ("spawn_agent", json!({ "task": [v] }), "task"),
        ("spawn_agent", json!({ "task": "x", "cwd": "relative/path" }), "cwd"),
        ("spawn_agent", json!({ "task": "x", "cwd": "/no/such/planted-value" }), "cwd"),
        ("spawn_agent", json!({ "task": "x", "cwd": " " }), "cwd"),
        ("spawn_agent", json!({ "task": "x", "permission_profile": v }), "permission_profile"),
        ("spawn_agent", json!({ "task": "x", "permission_profile": null }), "permission_profile"),
        ("spawn_agent", json!({ "task": "x", "model": "  " }), "model"),
        ("spawn_agent", json!({ "task": "x", "model": "--planted-value" }), "model"),
        ("spawn_agent", json!({ "task": "x", "effort": v }), "effort"),
        ("spawn_agent", json!({ "task": "x", "name": "" }), "name"),
        ("spawn_agent", json!({ "task": "x", "name": "planted-value\u{1b}[31m" }), "name"),
        ("spawn_agent", json!({ "task": "x", "name": "planted-value".repeat(8) }), "name"),
        ("spawn_agent", json!({ "task": "x", "name": "last" }), "name"),
        ("spawn_agent", json!({ "task": "x", "max_turn_seconds": 0 }), "max_turn_seconds"),
        ("spawn_agent", json!({ "task": "x", "max_turn_seconds": 604_801 }), "max_turn_seconds"),
        ("spawn_agent", json!({ "task": "x", "max_turn_seconds": 1.5 }), "max_turn_seconds"),
        ("spawn_agent", json!({ "task": "x", "max_turn_seconds": "5" }), "max_turn_seconds"),
        ("spawn_agent", json!({ "task": "x", "max_budget_usd": 0 }), "max_budget_usd"),
        ("spawn_agent", json!({ "task": "x", "max_budget_usd": -1 }), "max_budget_usd"),
        ("spawn_agent", json!({ "task": "x", "resume_session_id": v }), "resume_session_id"),
        ("spawn_agent", json!({ "task": "x", "nonsense": v }), "nonsense"),
        ("send_message", json!({}), "agent_id"),
        ("send_message", json!({ "agent_id": v, "message": "x" }), "agent_id"),
        ("send_message", json!({ "agent_id": id }), "message"),
        ("send_message", json!({ "agent_id": id, "message": "\n" }), "message"),
        ("send_message", json!({ "agent_id": id, "message": "x", "session_id": id }), "session_id"),
        ("followup_task", json!({ "agent_id": id }), "message"),
        ("followup_task", json!({ "agent_id": id, "message": {} }), "message"),
        ("followup_task", json!({ "message": "x" }), "agent_id"),
        ("wait_agent", json!({}), "agent_ids"),
        ("wait_agent", json!({ "agent_ids": [] }), "agent_ids"),
        ("wait_agent", json!({ "agent_ids": id }), "agent_ids"),
        ("wait_agent", json!({ "agent_ids": [id, v] }), "agent_ids[1]"),
        ("wait_agent", json!({ "agent_ids": vec![id; 9] }), "agent_ids"),
        ("wait_agent", json!({ "agent_ids": [id], "timeout_ms": 600_001 }), "timeout_ms"),
        ("wait_agent", json!({ "agent_ids": [id], "timeout_ms": -1 }), "timeout_ms"),
        ("wait_agent", json!({ "agent_ids": [id], "until": v }), "until"),
        ("wait_agent", json!({ "agent_ids": [id], "after_cursor": 0 }), "after_cursor"),
        ("wait_agent", json!({ "agent_ids": [id], "after_cursor": " " }), "after_cursor"),
        ("interrupt_agent", json!({}), "agent_id"),
        ("interrupt_agent", json!({ "agent_id": null }), "agent_id"),
        ("list_agents", json!({ "state": v }), "state"),
        ("list_agents", json!({ "limit": 0 }), "limit"),
        ("list_agents", json!({ "limit": 1001 }), "limit"),
        ("list_agents", json!({ "offset": -1 }), "offset"),
        ("list_models", json!({ "nonsense": v }), "nonsense"),
        ("read_agent", json!({}), "agent_id"),
        ("read_agent", json!({ "agent_id": id, "limit": 0 }), "limit"),
        ("read_agent", json!({ "agent_id": id, "limit": 1001 }), "limit"),
        ("read_agent", json!({ "agent_id": id, "include_raw": "yes" }), "include_raw"),
        ("close_agent", json!({ "agent_id": id, "delete": 1 }), "delete"),
        ("close_agent", json!({}), "agent_id"),
    ];
    for open in ERAS {
        let sandbox = Sandbox::new();
        let mut mcp = open(&sandbox);
        let schemas = Schemas::of(&mut mcp);
        for (tool, arguments, field) in &rows {
            let answer = schemas.call(&mut mcp, tool, arguments.clone());
            let error = &answer["error"];
            assert_eq!(error["code"], "invalid_input", "{tool} {arguments}: {answer}");
            assert_eq!(error["message"], "Invalid tool arguments.", "{tool} {arguments}");
            assert_eq!(error["details"]["field"], *field, "{tool} {arguments}");
            assert!(error["hint"].as_str().is_some_and(|hint| hint.contains(field)), "{tool} {arguments}: {answer}");
            assert!(!answer.to_string().contains(VALUE), "{tool} {arguments}: {answer}");
        }
        assert_eq!(ok(&mut mcp, "list_agents", json!({}))["total"], 0, "no agent was made");
        assert!(mcp.end().success());
        assert_eq!(mcp.stderr(), "");
    }
}

#[test]
fn whoever_is_not_there_is_not_found() {
    let sandbox = Sandbox::new();
    let mut mcp = server(&sandbox);
    let schemas = Schemas::of(&mut mcp);
    let rows = [
        ("send_message", json!({ "agent_id": AGENT, "message": "x" })),
        ("followup_task", json!({ "agent_id": AGENT, "message": "x" })),
        ("wait_agent", json!({ "agent_ids": [AGENT] })),
        ("interrupt_agent", json!({ "agent_id": AGENT })),
        ("read_agent", json!({ "agent_id": AGENT })),
        ("close_agent", json!({ "agent_id": AGENT })),
    ];
    for (tool, arguments) in rows {
        let error = schemas.call(&mut mcp, tool, arguments)["error"].take();
        assert_eq!(
            (&error["code"], &error["details"]["agent_id"]),
            (&json!("agent_not_found"), &json!(AGENT)),
            "{tool}"
        );
    }
}

#[test]
fn texts_are_trimmed_and_cursors_exact() {
    let sandbox = Sandbox::new();
    let mut mcp = server(&sandbox);
    let agent = settled(&mut mcp, "hi");
    let id = format!("  {} ", agent["agent_id"].as_str().unwrap());
    let waited = ok(&mut mcp, "wait_agent", json!({ "agent_ids": [id], "after_cursor": " 2 ", "until": " idle " }));
    assert_eq!(waited["events"][0]["sequence"], "3");
    for cursor in ["x", "00", "01", "-1", "+1", "1.0", "99999", "1 2"] {
        for (tool, key) in [("wait_agent", "agent_ids"), ("read_agent", "agent_id")] {
            let agent = if key == "agent_ids" { json!([agent["agent_id"]]) } else { agent["agent_id"].clone() };
            let error = mcp.tool_error(tool, json!({ key: agent, "after_cursor": cursor }));
            assert_eq!(
                (&error["code"], &error["details"]["field"]),
                (&json!("cursor_expired"), &json!("after_cursor")),
                "{cursor}"
            );
        }
    }
}

#[test]
fn omitted_arguments_are_none_and_anything_but_an_object_is_bad() {
    for open in ERAS {
        let sandbox = Sandbox::new();
        let mut mcp = open(&sandbox);
        let call = mcp.begin("tools/call", json!({ "name": "list_agents" }));
        assert_eq!(mcp.result(&call)["structuredContent"], json!({ "agents": [], "total": 0 }));
        for arguments in [json!([]), json!("planted-value"), json!(5)] {
            let call = mcp.begin("tools/call", json!({ "name": "list_agents", "arguments": arguments }));
            let error: Value = mcp.result(&call)["structuredContent"]["error"].take();
            assert_eq!(
                (&error["code"], &error["message"]),
                (&json!("invalid_input"), &json!("Invalid tool arguments."))
            );
        }
    }
}
