//! `wait_agent`: what ends it, what it tells meanwhile, and that cancelling it ends nothing else.

use serde_json::{Value, json};

use super::ground::{ERAS, gated, ok, read, server, settled, spawn, story, wait};
use crate::support::{
    LIMIT, Sandbox,
    fake::{Script, Turn},
    wait_until,
};

fn wait_for(agents: &[&Value], after: &str, until: &str, timeout: u64) -> Value {
    let ids: Vec<&Value> = agents.iter().map(|agent| &agent["agent_id"]).collect();
    json!({ "agent_ids": ids, "after_cursor": after, "until": until, "timeout_ms": timeout })
}

#[test]
fn cancelling_a_wait_leaves_the_agent_alone() {
    for open in ERAS {
        let mut sandbox = Sandbox::new();
        let (flag, gate) = gated(&mut sandbox);
        let mut mcp = open(&sandbox);
        let agent = spawn(&mut mcp, "work");
        flag.wait();
        let waiting = mcp.begin_tool("wait_agent", wait_for(&[&agent], "3", "turn_end", 60_000));
        mcp.cancel(&waiting);
        assert_eq!(read(&mut mcp, &agent)["agent"]["state"], "running");
        gate.open();
        let waited = wait(&mut mcp, &agent, &agent, "idle");
        assert_eq!(waited["results"][0]["result"], "ECHO: work");
        assert!(!mcp.has_answer(&waiting), "nobody waits for it");
    }
}

#[test]
fn a_cancelled_spawn_is_a_spawn_all_the_same() {
    let mut sandbox = Sandbox::new();
    sandbox.script(&Script::new());
    let mut mcp = server(&sandbox);
    let call = mcp.begin_tool("spawn_agent", json!({ "task": "hi" }));
    mcp.cancel(&call);
    let agent = wait_until(LIMIT, "the agent is there", || {
        let listed = ok(&mut mcp, "list_agents", json!({}));
        listed["agents"].get(0).cloned()
    });
    let waited = ok(&mut mcp, "wait_agent", wait_for(&[&agent], "0", "idle", 25_000));
    assert_eq!(waited["results"][0]["result"], "ECHO: hi");
    // The same for a followup.
    let call = mcp.begin_tool("followup_task", json!({ "agent_id": agent["agent_id"], "message": "more" }));
    mcp.cancel(&call);
    let after = waited["cursor"].as_str().unwrap().to_owned();
    let waited = ok(&mut mcp, "wait_agent", wait_for(&[&agent], &after, "idle", 25_000));
    assert_eq!(waited["results"][0]["result"], "ECHO: more");
}

#[test]
fn progress_tells_each_event_and_nothing_without_a_token() {
    let mut sandbox = Sandbox::new();
    let (flag, gate) = gated(&mut sandbox);
    let mut mcp = server(&sandbox);
    let agent = spawn(&mut mcp, "work");
    flag.wait();
    let with = mcp.begin_tool("wait_agent", wait_for(&[&agent], "2", "idle", 25_000));
    let without =
        mcp.begin("tools/call", json!({ "name": "wait_agent", "arguments": wait_for(&[&agent], "2", "idle", 25_000) }));
    mcp.wait_progress(&with, 1);
    gate.open();
    mcp.result(&with);
    mcp.result(&without);
    let id = agent["agent_id"].as_str().unwrap();
    let told: Vec<(f64, String)> = mcp
        .progress(&with)
        .iter()
        .map(|told| (told["progress"].as_f64().unwrap(), told["message"].as_str().unwrap().to_owned()))
        .collect();
    let expected = ["turn.started", "turn.completed", "agent.idle"].map(|kind| format!("{kind} {id}"));
    assert_eq!(told, [1.0, 2.0, 3.0].into_iter().zip(expected).collect::<Vec<_>>());
    assert!(mcp.progress(&without).is_empty());
}

#[test]
fn a_time_out_is_no_error_and_keeps_the_cursor() {
    let sandbox = Sandbox::new();
    let mut mcp = server(&sandbox);
    let agent = settled(&mut mcp, "hi");
    let waited = ok(&mut mcp, "wait_agent", wait_for(&[&agent], "5", "any", 0));
    let nothing = json!({ "events": [], "cursor": "5", "timed_out": true, "has_more": false, "results": [] });
    assert_eq!(waited, nothing);
}

#[test]
fn each_until_ends_at_its_own_event() {
    let sandbox = Sandbox::new();
    let mut mcp = server(&sandbox);
    let agent = settled(&mut mcp, "hi");
    let mut until = |until: &str| ok(&mut mcp, "wait_agent", wait_for(&[&agent], "0", until, 0));
    assert_eq!(story(&until("any")).len(), 5);
    let ended = until("turn_end");
    assert_eq!((story(&ended).len(), &ended["has_more"], &ended["cursor"]), (4, &json!(true), &json!("4")));
    assert_eq!(story(&until("idle")).last().unwrap(), "agent.idle turn_boundary");
}

#[test]
fn several_agents_are_waited_for_at_once_in_one_order() {
    let mut sandbox = Sandbox::new();
    let gate = sandbox.gate("go");
    sandbox.script(&Script::new().on("slow", Turn::echo().before(gate.step())));
    let mut mcp = server(&sandbox);
    let slow = spawn(&mut mcp, "slow");
    let fast = spawn(&mut mcp, "fast");
    let waited =
        ok(&mut mcp, "wait_agent", wait_for(&[&slow, &fast], slow["cursor"].as_str().unwrap(), "turn_end", 25_000));
    assert_eq!(waited["results"][0]["agent_id"], fast["agent_id"]);
    gate.open();
    let waited =
        ok(&mut mcp, "wait_agent", wait_for(&[&slow, &fast], waited["cursor"].as_str().unwrap(), "turn_end", 25_000));
    assert_eq!(waited["results"][0]["agent_id"], slow["agent_id"]);
    let sequences: Vec<u64> = waited["events"]
        .as_array()
        .unwrap()
        .iter()
        .map(|event| event["sequence"].as_str().unwrap().parse().unwrap())
        .collect();
    assert!(sequences.is_sorted());
}

#[test]
fn another_server_waits_and_interrupts_too() {
    let mut sandbox = Sandbox::new();
    let flag = sandbox.flag("works");
    sandbox.script(&Script::new().on("work", Turn::work().before(flag.step())));
    let (mut owner, mut other) = (server(&sandbox), server(&sandbox));
    let agent = spawn(&mut owner, "work");
    flag.wait();
    let waiting = owner.begin_tool("wait_agent", wait_for(&[&agent], "3", "idle", 25_000));
    let interrupted = ok(&mut other, "interrupt_agent", json!({ "agent_id": agent["agent_id"] }));
    assert_eq!((&interrupted["state"], &interrupted["interrupted"]), (&json!("idle"), &json!(true)));
    let waited = owner.result(&waiting)["structuredContent"].take();
    assert_eq!(waited["results"][0]["status"], "interrupted");
    // A task that one of them gives is seen by the other.
    let waiting =
        owner.begin_tool("wait_agent", wait_for(&[&agent], waited["cursor"].as_str().unwrap(), "idle", 25_000));
    ok(&mut other, "followup_task", json!({ "agent_id": agent["agent_id"], "message": "more" }));
    assert_eq!(owner.result(&waiting)["structuredContent"]["results"][0]["result"], "ECHO: more");
    // The one that owns nothing goes: nobody is hurt.
    assert!(other.end().success());
    assert_eq!(read(&mut owner, &agent)["agent"]["state"], "idle");
}
