//! Each tool's answers, in the contract's shapes.

use serde_json::{Value, json};

use super::ground::{ERAS, Plain, Schemas, gated, id, ok, read, server, settled, spawn, story, wait};
use crate::support::{
    Sandbox,
    fake::{ApiError, Script, Step, Turn},
};

fn event(sequence: u32, kind: &str, payload: &Value) -> Value {
    json!({ "sequence": sequence.to_string(), "agent_id": "id 0", "type": kind, "payload": payload,
            "created_at": "a time" })
}

fn ended(sequence: u32, turn: &str, number: u32, acknowledged: u32) -> Value {
    let payload = json!({ "turnId": turn, "number": number, "status": "succeeded", "durationMs": "a duration",
                          "acknowledged": acknowledged, "discarded": 0, "costUsd": 0.01 });
    event(sequence, "turn.completed", &payload)
}

#[test]
fn a_life_in_whole_answers() {
    for open in ERAS {
        let mut sandbox = Sandbox::new();
        sandbox.script(&Script::new());
        let mut mcp = open(&sandbox);
        let schemas = Schemas::of(&mut mcp);
        let mut plain = Plain::default();
        let mut call = |tool: &str, arguments: Value| {
            let answer = schemas.call(&mut mcp, tool, arguments);
            (plain.of(&answer), answer)
        };

        let task = json!({ "task": " hi ", "name": "scout", "model": "opus", "effort": "high", "max_turn_seconds": 60,
                           "max_budget_usd": 1.5, "permission_profile": "workspace_write" });
        let (shape, agent) = call("spawn_agent", task);
        let spawned =
            json!({ "agent_id": "id 0", "session_id": "id 1", "turn_id": "id 2", "state": "queued", "cursor": "2" });
        assert_eq!(shape, spawned);
        let id = &agent["agent_id"];

        let until_idle = |cursor: &Value| json!({ "agent_ids": [id], "after_cursor": cursor, "until": "idle" });
        let (shape, _) = call("wait_agent", until_idle(&agent["cursor"]));
        let waited = json!({
            "events": [
                event(3, "turn.started", &json!({ "turnId": "id 2", "number": 1, "attempt": 1 })),
                ended(4, "id 2", 1, 1),
                event(5, "agent.idle", &json!({ "reason": "turn_boundary" })),
            ],
            "cursor": "5", "timed_out": false, "has_more": false,
            "results": [{ "agent_id": "id 0", "turn_id": "id 2", "status": "succeeded", "result": "ECHO: hi" }],
        });
        assert_eq!(shape, waited);

        let (shape, _) = call("send_message", json!({ "agent_id": id, "message": "by the way" }));
        assert_eq!(shape, json!({ "message_id": "id 3", "queued_only": false, "mailbox_depth": 0, "cursor": "6" }));

        let (shape, followed) = call("followup_task", json!({ "agent_id": id, "message": "and now" }));
        assert_eq!(shape, json!({ "message_id": "id 4", "turn_id": "id 5", "state": "queued", "cursor": "8" }));
        let (shape, _) = call("wait_agent", until_idle(&followed["cursor"]));
        assert_eq!(shape["results"][0]["result"], "ECHO: and now");
        assert_eq!(shape["cursor"], "11");

        let (shape, _) = call("interrupt_agent", json!({ "agent_id": id }));
        assert_eq!(shape, json!({ "state": "idle", "interrupted": false, "cursor": "11" }));

        let summary = json!({
            "agent_id": "id 0", "session_id": "id 1", "name": "scout", "state": "idle",
            "last_turn_status": "succeeded", "pending_message_count": 0, "cwd": sandbox.workspace(),
            "permission_profile": "workspace_write", "model": "opus", "effort": "high", "last_activity_at": "a time",
            "stalled": false, "total_cost_usd": 0.02, "created_at": "a time", "updated_at": "a time",
        });
        let (shape, _) = call("list_agents", json!({}));
        assert_eq!(shape, json!({ "agents": [summary], "total": 1 }));

        let (mut shape, _) = call("read_agent", json!({ "agent_id": id, "after_cursor": "9" }));
        let result = shape["latest_result"].take();
        assert_eq!((&result["turn_id"], &result["created_at"]), (&json!("id 5"), &json!("a time")));
        assert_eq!((&result["payload"]["type"], &result["payload"]["is_error"]), (&json!("result"), &json!(false)));
        let turn = |turn: &str, number: u32| {
            json!({ "turn_id": turn, "agent_id": "id 0", "number": number, "status": "succeeded",
                    "started_at": "a time", "ended_at": "a time", "duration_ms": "a duration", "cost_usd": 0.01,
                    "num_turns": 1, "created_at": "a time", "updated_at": "a time" })
        };
        let rest = json!({
            "agent": summary, "turns": [turn("id 5", 2), turn("id 2", 1)], "latest_result": null,
            "events": [ended(10, "id 5", 2, 1), event(11, "agent.idle", &json!({ "reason": "turn_boundary" }))],
            "cursor": "11", "has_more": false,
        });
        assert_eq!(shape, rest);

        let (shape, _) = call("close_agent", json!({ "agent_id": id }));
        assert_eq!(shape, json!({ "state": "closed" }));
        let (shape, _) = call("followup_task", json!({ "agent_id": id, "message": "too late" }));
        assert_eq!(
            (&shape["error"]["code"], &shape["error"]["details"]["state"]),
            (&json!("invalid_state"), &json!("closed"))
        );
        assert!(mcp.end().success());
        assert_eq!(mcp.stderr(), "");
    }
}

#[test]
fn the_models_are_the_contracts() {
    let sandbox = Sandbox::new();
    let mut mcp = server(&sandbox);
    let answer = Schemas::of(&mut mcp).call(&mut mcp, "list_models", json!({}));
    let choices: Vec<(&Value, &Value)> =
        answer["models"].as_array().unwrap().iter().map(|model| (&model["id"], &model["spawn_value"])).collect();
    let value = |name: &str| if name == "default" { Value::Null } else { json!(name) };
    let expected: Vec<(Value, Value)> =
        ["default", "fable", "sonnet", "opus", "haiku"].map(|name| (json!(name), value(name))).to_vec();
    assert_eq!(choices, expected.iter().map(|(id, value)| (id, value)).collect::<Vec<_>>());
    assert!(answer["models"][0].as_object().unwrap().contains_key("spawn_value"), "null, not left out");
    assert_eq!(answer["effort_levels"], json!(["low", "medium", "high", "xhigh", "max"]));
    assert_eq!(answer["accepts_full_model_id"], true);
    assert!(!sandbox.state_dir().exists(), "it opens nothing");
}

#[test]
fn an_interrupt_ends_the_turn_and_leaves_the_agent_usable() {
    let mut sandbox = Sandbox::new();
    let flag = sandbox.flag("works");
    sandbox.script(&Script::new().on("work", Turn::work().before(flag.step())));
    let mut mcp = server(&sandbox);
    let schemas = Schemas::of(&mut mcp);
    let agent = spawn(&mut mcp, "work");
    flag.wait();
    let denied = schemas.call(&mut mcp, "close_agent", json!({ "agent_id": agent["agent_id"] }));
    assert_eq!(denied["error"]["code"], "invalid_state");
    assert_eq!(denied["error"]["details"]["state"], "running");
    let interrupted = schemas.call(&mut mcp, "interrupt_agent", json!({ "agent_id": agent["agent_id"] }));
    assert_eq!((&interrupted["state"], &interrupted["interrupted"]), (&json!("idle"), &json!(true)));
    let waited = wait(&mut mcp, &agent, &interrupted, "idle");
    assert_eq!(story(&waited), ["turn.interrupted interrupted", "agent.idle interrupted"]);
    assert_eq!(waited["results"][0]["status"], "interrupted");
    let followed = ok(&mut mcp, "followup_task", json!({ "agent_id": agent["agent_id"], "message": "go on" }));
    let waited = wait(&mut mcp, &agent, &followed, "turn_end");
    assert_eq!(waited["results"][0]["result"], "ECHO: go on");
}

#[test]
fn context_reaches_a_running_turn_and_waits_for_a_queued_one() {
    let mut sandbox = Sandbox::new();
    let (flag, gate) = gated(&mut sandbox);
    let mut mcp = server(&sandbox);
    let write = |task: &str| json!({ "task": task, "permission_profile": "workspace_write" });
    let first = ok(&mut mcp, "spawn_agent", write("work"));
    flag.wait();
    let second = ok(&mut mcp, "spawn_agent", write("next"));
    let sent = ok(&mut mcp, "send_message", json!({ "agent_id": first["agent_id"], "message": "live" }));
    assert_eq!((&sent["queued_only"], &sent["mailbox_depth"]), (&json!(false), &json!(0)));
    // Two writers of one directory: the second waits, and so does its mail.
    let sent = ok(&mut mcp, "send_message", json!({ "agent_id": second["agent_id"], "message": "waits" }));
    assert_eq!((&sent["queued_only"], &sent["mailbox_depth"]), (&json!(true), &json!(2)));
    let listed = ok(&mut mcp, "list_agents", json!({ "state": "queued" }));
    assert_eq!((&listed["total"], &listed["agents"][0]["pending_message_count"]), (&json!(1), &json!(2)));
    gate.open();
    wait(&mut mcp, &second, &second, "idle");
}

#[test]
fn a_failed_turn_says_why() {
    let mut sandbox = Sandbox::new();
    sandbox.script(&Script::new().on("limit", Turn::api_error(ApiError::overloaded())));
    let mut mcp = server(&sandbox);
    let schemas = Schemas::of(&mut mcp);
    let agent = spawn(&mut mcp, "limit");
    let waited = wait(&mut mcp, &agent, &agent, "turn_end");
    let result = &waited["results"][0];
    assert_eq!((&result["status"], &result["reason"]), (&json!("failed"), &json!("api_error")));
    let answer = schemas.call(&mut mcp, "read_agent", json!({ "agent_id": agent["agent_id"] }));
    let turn = &answer["turns"][0];
    assert_eq!((&turn["reason"], &turn["api_error_status"]), (&json!("api_error"), &json!(529)));
    assert_eq!(answer["latest_result"]["payload"]["is_error"], true);
}

#[test]
fn refused_tools_are_told() {
    let mut sandbox = Sandbox::new();
    let denied = Step::PermissionDenied { tool: "Bash".to_owned(), message: "not allowed".to_owned() };
    sandbox.script(&Script::new().on("try", Turn::tool("Bash", json!({ "command": "ls" }), "no").before(denied)));
    let mut mcp = server(&sandbox);
    let agent = spawn(&mut mcp, "try");
    let waited = wait(&mut mcp, &agent, &agent, "turn_end");
    assert_eq!(waited["results"][0]["permission_denials"][0]["tool_name"], "Bash");
    assert_eq!(read(&mut mcp, &agent)["turns"][0]["permission_denials"][0]["tool_name"], "Bash");
}

#[test]
fn raw_frames_have_pages_of_their_own() {
    let mut sandbox = Sandbox::new();
    sandbox.script(&Script::new());
    let mut mcp = server(&sandbox);
    let schemas = Schemas::of(&mut mcp);
    let agent = settled(&mut mcp, "hi");
    let mut page = |after: &Value, limit: u32| {
        let arguments = json!({ "agent_id": agent["agent_id"], "include_raw": true, "limit": limit,
                                "after_raw_cursor": after });
        schemas.call(&mut mcp, "read_agent", arguments)
    };
    let all = page(&json!("0"), 1000);
    let frames = all["raw_events"].as_array().unwrap();
    assert!(frames.len() > 2 && all["raw_has_more"] == false, "{all}");
    assert_eq!(frames[0]["type"], frames[0]["payload"]["type"]);
    assert_eq!(all["raw_cursor"], frames[frames.len() - 1]["sequence"]);
    let first = page(&json!("0"), 1);
    assert_eq!((first["raw_events"].as_array().unwrap().len(), &first["raw_has_more"]), (1, &json!(true)));
    assert_eq!(first["has_more"], true, "the limit is for both");
    let second = page(&first["raw_cursor"], 1);
    assert_eq!(second["raw_events"][0], frames[1]);
    let newer = page(&json!("99999"), 1);
    assert_eq!(
        (&newer["error"]["code"], &newer["error"]["details"]["field"]),
        (&json!("cursor_expired"), &json!("after_raw_cursor"))
    );
}

#[test]
fn agents_are_listed_page_by_page() {
    let mut sandbox = Sandbox::new();
    sandbox.script(&Script::new());
    let mut mcp = server(&sandbox);
    let agents: Vec<Value> = (0..3).map(|number| settled(&mut mcp, &format!("task {number}"))).collect();
    ok(&mut mcp, "close_agent", json!({ "agent_id": agents[1]["agent_id"] }));
    let mut list = |arguments: Value| ok(&mut mcp, "list_agents", arguments);
    let all = list(json!({}));
    let ids: Vec<&str> = all["agents"].as_array().unwrap().iter().map(id).collect();
    assert_eq!(ids, [id(&agents[1]), id(&agents[2]), id(&agents[0])], "the last changed first");
    let page = list(json!({ "limit": 1, "offset": 1 }));
    assert_eq!((&page["total"], id(&page["agents"][0])), (&json!(3), id(&agents[2])));
    let closed = list(json!({ "state": "closed" }));
    assert_eq!((&closed["total"], id(&closed["agents"][0])), (&json!(1), id(&agents[1])));
    assert_eq!(list(json!({ "state": "running" })), json!({ "agents": [], "total": 0 }));
}

#[test]
fn closing_with_delete_removes_the_record() {
    let mut sandbox = Sandbox::new();
    let fake = sandbox.script(&Script::new());
    let mut mcp = server(&sandbox);
    let agent = settled(&mut mcp, "hi");
    let launch = fake.launch(0).process();
    assert!(launch.is_alive(), "it waits for more");
    let arguments = json!({ "agent_id": agent["agent_id"], "delete": true });
    assert_eq!(ok(&mut mcp, "close_agent", arguments.clone()), json!({ "state": "closed" }));
    assert!(!launch.is_alive());
    assert_eq!(ok(&mut mcp, "list_agents", json!({}))["total"], 0);
    for (tool, arguments) in [("close_agent", arguments), ("read_agent", json!({ "agent_id": agent["agent_id"] }))] {
        let error = mcp.tool_error(tool, arguments);
        assert_eq!((&error["code"], &error["details"]["agent_id"]), (&json!("agent_not_found"), &agent["agent_id"]));
    }
}

#[test]
fn an_existing_session_can_become_an_agents() {
    let mut sandbox = Sandbox::new();
    let fake = sandbox.script(&Script::new());
    let session = sandbox.session();
    let mut mcp = server(&sandbox);
    let agent = ok(&mut mcp, "spawn_agent", json!({ "task": "more", "resume_session_id": session }));
    assert_eq!(agent["session_id"], json!(session));
    wait(&mut mcp, &agent, &agent, "idle");
    assert_eq!(fake.launch(1).value_of("--resume"), Some(session.as_str()));
    let gone = json!({ "task": "more", "resume_session_id": "11111111-2222-4333-8444-555555555555" });
    assert_eq!(mcp.tool_error("spawn_agent", gone)["code"], "resume_failed");
    assert_eq!(ok(&mut mcp, "list_agents", json!({}))["total"], 1, "nothing is left of the failed one");
}
