//! A Claude that cannot be used: the tools are there, say why, and work once it can be used, without a restart.

use std::fs;

use serde_json::json;

use super::ground::{ERAS, Schemas, ok, server, settled, spawn, wait};
use crate::support::{
    Sandbox,
    fake::{Probe, Script},
};

fn logged_out() -> Probe {
    Probe::answer(&json!({ "loggedIn": false, "authMethod": "none" }).to_string(), 1)
}

#[test]
fn a_missing_claude_is_named_and_found_when_it_is_there() {
    for open in ERAS {
        let mut sandbox = Sandbox::new();
        let fake = sandbox.command("fake-claude").get_program().to_owned();
        let place = sandbox.root().join("bin").join(format!("claude{}", std::env::consts::EXE_SUFFIX));
        sandbox.set("CLAUDE_BIN", &place);
        let mut mcp = open(&sandbox);
        let schemas = Schemas::of(&mut mcp);
        assert_eq!(mcp.tool_names().len(), 9, "all are offered");
        let error = schemas.call(&mut mcp, "spawn_agent", json!({ "task": "hi" }))["error"].take();
        assert_eq!(
            (&error["code"], &error["message"]),
            (&json!("cli_unavailable"), &json!("The Claude CLI cannot be used."))
        );
        assert!(error["hint"].is_string(), "{error}");
        assert_eq!(ok(&mut mcp, "list_agents", json!({})), json!({ "agents": [], "total": 0 }));
        assert_eq!(ok(&mut mcp, "list_models", json!({}))["models"].as_array().unwrap().len(), 5);
        fs::hard_link(&fake, &place).or_else(|_| fs::copy(&fake, &place).map(drop)).unwrap();
        let agent = spawn(&mut mcp, "hi");
        wait(&mut mcp, &agent, &agent, "idle");
        assert_eq!(mcp.stderr(), "");
    }
}

#[test]
fn logged_out_or_too_old_stops_new_work_and_no_reading() {
    let probes = [
        (Script::new().auth(logged_out()), "log"),
        (Script::new().version(Probe::answer("2.1.237 (Claude Code)", 0)), "2.1.238"),
    ];
    for (script, hint) in probes {
        let mut sandbox = Sandbox::new();
        sandbox.script(&Script::new());
        let mut mcp = server(&sandbox);
        let agent = settled(&mut mcp, "hi");
        assert!(mcp.end().success());
        sandbox.script(&script);
        let mut mcp = server(&sandbox);
        for (tool, arguments) in [
            ("spawn_agent", json!({ "task": "hi" })),
            ("followup_task", json!({ "agent_id": agent["agent_id"], "message": "more" })),
        ] {
            let error = mcp.tool_error(tool, arguments);
            assert_eq!(error["code"], "cli_unavailable", "{tool}: {error}");
            assert!(error["hint"].as_str().is_some_and(|text| text.contains(hint)), "{tool}: {error}");
        }
        assert_eq!(ok(&mut mcp, "read_agent", json!({ "agent_id": agent["agent_id"] }))["agent"]["state"], "idle");
        assert_eq!(ok(&mut mcp, "list_agents", json!({}))["total"], 1);
        assert_eq!(ok(&mut mcp, "close_agent", json!({ "agent_id": agent["agent_id"] }))["state"], "closed");
    }
}

#[test]
fn a_login_is_seen_by_the_next_call() {
    let mut sandbox = Sandbox::new();
    let healthy = json!({ "loggedIn": true, "authMethod": "claude.ai", "apiProvider": "firstParty" }).to_string();
    sandbox.script(&Script::new().auth(logged_out()).auth(Probe::answer(&healthy, 0)));
    let mut mcp = server(&sandbox);
    assert_eq!(mcp.tool_error("spawn_agent", json!({ "task": "hi" }))["code"], "cli_unavailable");
    let agent = spawn(&mut mcp, "hi");
    wait(&mut mcp, &agent, &agent, "idle");
}
