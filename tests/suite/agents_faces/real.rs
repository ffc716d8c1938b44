//! The agents' tools on the real CLI.

use serde_json::{Value, json};

use super::ground::{id, ok, read, server, story, wait};
use crate::support::{Sandbox, api::Api, mcp::Mcp, real::RealClaude};

/// Runs a test with every version that is installed.
fn each(test: impl Fn(&Sandbox, &Api, &RealClaude)) {
    for claude in RealClaude::all() {
        let (mut sandbox, api) = (Sandbox::new(), Api::start());
        claude.enter(&mut sandbox, &api);
        test(&sandbox, &api, &claude);
    }
}

fn followed(mcp: &mut Mcp, agent: &Value, message: &str) -> Value {
    ok(mcp, "followup_task", json!({ "agent_id": agent["agent_id"], "message": message }))
}

#[test]
fn spawn_wait_follow_up_interrupt_read_and_go_on_in_the_next_server() {
    each(|sandbox, api, claude| {
        let mut mcp = server(sandbox);
        let agent = ok(&mut mcp, "spawn_agent", json!({ "task": "one", "model": "sonnet", "effort": "low" }));
        let waited = wait(&mut mcp, &agent, &agent, "idle");
        assert_eq!(waited["results"][0]["result"], "ECHO: one", "{}", claude.version);
        let sent = ok(&mut mcp, "send_message", json!({ "agent_id": agent["agent_id"], "message": "aside" }));
        assert_eq!(sent["queued_only"], false);

        let second = followed(&mut mcp, &agent, "[[gate:g]] two");
        api.wait_turn("[[gate:g]]");
        let interrupted = ok(&mut mcp, "interrupt_agent", json!({ "agent_id": agent["agent_id"] }));
        assert_eq!((&interrupted["state"], &interrupted["interrupted"]), (&json!("idle"), &json!(true)));
        let waited = wait(&mut mcp, &agent, &second, "idle");
        assert_eq!(waited["results"][0]["status"], "interrupted", "{}", claude.version);

        // The next request still holds the words that the API waits at.
        api.open("g");
        let third = followed(&mut mcp, &agent, "three");
        let waited = wait(&mut mcp, &agent, &third, "idle");
        // What was interrupted had no answer, so the CLI sends it along.
        let said = waited["results"][0]["result"].as_str().unwrap();
        assert!(said.starts_with("ECHO: aside") && said.ends_with("three"), "{said}");
        assert_eq!(story(&waited), ["turn.started", "turn.completed succeeded", "agent.idle turn_boundary"]);
        let answer = read(&mut mcp, &agent);
        let turns: Vec<&str> =
            answer["turns"].as_array().unwrap().iter().map(|turn| turn["status"].as_str().unwrap()).collect();
        assert_eq!(turns, ["succeeded", "interrupted", "succeeded"]);
        assert_eq!(answer["latest_result"]["payload"]["result"], json!(said));
        assert!(answer["agent"]["total_cost_usd"].as_f64().unwrap() > 0.0);
        let shown = sandbox.ccmcp(&["agents", "read", id(&agent)]);
        assert!(shown.stdout.ends_with("three\n") && shown.stdout.contains("interrupted"), "{shown:#?}");
        assert!(mcp.end().success());
        assert_eq!(mcp.stderr(), "");

        let mut next = server(sandbox);
        let fourth = followed(&mut next, &agent, "four");
        assert_eq!(wait(&mut next, &agent, &fourth, "idle")["results"][0]["result"], "ECHO: four");
        let spoken = api.turns().last().unwrap().conversation();
        let said: Vec<&str> =
            spoken.iter().filter(|(role, _)| role == "user").flat_map(|(_, text)| text.split("\n\n")).collect();
        for text in ["one", "aside", "three", "four"] {
            assert_eq!(said.iter().filter(|said| **said == text).count(), 1, "{text}: {said:?} {}", claude.version);
        }
    });
}

#[test]
fn a_reader_cannot_write_or_run_anything() {
    each(|sandbox, _, claude| {
        let mut mcp = server(sandbox);
        let (by_shell, by_tool) = (sandbox.workspace().join("by-shell"), sandbox.workspace().join("by-tool"));
        let shell = json!({ "command": format!("echo x > {}", by_shell.display()) });
        let write = json!({ "file_path": by_tool, "content": "x" });
        let task = format!("[[tool:Bash|{shell}]] [[tool:Write|{write}]] done");
        let agent = ok(&mut mcp, "spawn_agent", json!({ "task": task, "model": "sonnet" }));
        let waited = wait(&mut mcp, &agent, &agent, "idle");
        assert_eq!(waited["results"][0]["status"], "succeeded", "{}: {waited}", claude.version);
        assert!(!by_shell.exists() && !by_tool.exists(), "{}", claude.version);
    });
}
