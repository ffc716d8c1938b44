//! How a server with agents ends, and what the next one makes of it.

use serde_json::{Value, json};

use super::ground::{id, ok, read, server, settled, spawn, story, wait};
use crate::support::{
    LIMIT, Sandbox,
    fake::{Fake, Launch, Script, Turn},
    mcp::Mcp,
    processes, wait_for,
};

/// A server with one agent whose turn goes on and on, and a second one whose turn waits for the first one's end.
fn busy(sandbox: &mut Sandbox) -> (Mcp, Fake, Value, Value) {
    let flag = sandbox.flag("works");
    let fake = sandbox.script(&Script::new().on("work", Turn::work().before(flag.step())));
    let mut mcp = server(sandbox);
    let write = |task: &str| json!({ "task": task, "permission_profile": "workspace_write" });
    let first = ok(&mut mcp, "spawn_agent", write("work"));
    flag.wait();
    let second = ok(&mut mcp, "spawn_agent", write("second"));
    (mcp, fake, first, second)
}

/// What the next server finds, and does without being asked: the first agent's turn was interrupted, the second one's
/// runs now.
#[track_caller]
fn found_interrupted(sandbox: &Sandbox, first: &Value, second: &Value) {
    let mut mcp = server(sandbox);
    let waited = wait(&mut mcp, second, second, "idle");
    assert_eq!(waited["results"][0]["result"], "ECHO: second");
    let answer = read(&mut mcp, first);
    assert_eq!((&answer["agent"]["state"], &answer["turns"][0]["status"]), (&json!("idle"), &json!("interrupted")));
    assert_eq!(story(&answer).iter().filter(|event| event.starts_with("turn.started")).count(), 1, "no repeat");
    let followed = ok(&mut mcp, "followup_task", json!({ "agent_id": id(first), "message": "again" }));
    assert_eq!(wait(&mut mcp, first, &followed, "idle")["results"][0]["result"], "ECHO: again");
}

#[test]
fn at_the_end_of_input_what_runs_is_interrupted_and_what_waits_stays() {
    let mut sandbox = Sandbox::new();
    let (mut mcp, fake, first, second) = busy(&mut sandbox);
    let waiting = mcp.begin_tool(
        "wait_agent",
        json!({ "agent_ids": [id(&second)], "after_cursor": second["cursor"], "timeout_ms": 600_000, "until": "idle" }),
    );
    assert_eq!(mcp.end().code(), Some(0));
    assert_eq!(mcp.stderr(), "");
    assert!(!fake.launch(0).process().is_alive());
    let cut = mcp.result(&waiting);
    assert_eq!(cut["structuredContent"]["error"]["code"], "internal_error", "{cut}");
    assert!(cut.to_string().contains("shutting down"), "{cut}");
    // Somebody who only looks starts nothing.
    let listed = sandbox.ccmcp(&["agents", "list", "--json"]).json();
    let states: Vec<&Value> = listed["agents"].as_array().unwrap().iter().map(|agent| &agent["state"]).collect();
    assert!(states.contains(&&json!("queued")) && states.contains(&&json!("idle")), "{listed}");
    assert_eq!(fake.launches(), 1);
    found_interrupted(&sandbox, &first, &second);
}

#[cfg(unix)]
#[test]
fn signals_end_it_in_order_however_many() {
    for names in [&["TERM"][..], &["INT"], &["INT", "TERM"], &["HUP"]] {
        let mut sandbox = Sandbox::new();
        let (mut mcp, fake, first, second) = busy(&mut sandbox);
        for name in names {
            processes::signal(mcp.process(), name);
        }
        assert_eq!(mcp.exited().code(), Some(0), "{names:?}");
        assert_eq!(mcp.stderr(), "", "{names:?}");
        assert!(!fake.launch(0).process().is_alive(), "{names:?}");
        found_interrupted(&sandbox, &first, &second);
    }
}

#[cfg(unix)]
#[test]
fn a_kill_right_after_the_signal_finds_the_turn_marked() {
    let mut sandbox = Sandbox::new();
    let flag = sandbox.flag("works");
    // Deaf to the protocol and to signals: it outlives the patience of any client.
    let fake = sandbox.script(
        &Script::new().launch(
            Launch::turn(Turn::of(vec![
                crate::support::fake::Step::Init,
                flag.step(),
                crate::support::fake::Step::Hang,
            ]))
            .stubborn(),
        ),
    );
    let mut mcp = server(&sandbox);
    let agent = spawn(&mut mcp, "stuck");
    flag.wait();
    processes::signal(mcp.process(), "TERM");
    // The marking is a transaction of its own, before all else: from here on a kill may come.
    wait_for(LIMIT, "the turn is marked", || {
        let listed = sandbox.ccmcp(&["agents", "list", "--json"]).json();
        listed["agents"][0]["state"] == "cancelling"
    });
    processes::kill(mcp.process());
    mcp.exited();
    let mut next = server(&sandbox);
    let waited = wait(&mut next, &agent, &agent, "idle");
    assert_eq!(waited["results"][0]["status"], "interrupted", "{waited}");
    assert!(!fake.launch(0).process().is_alive());
    assert_eq!(fake.launches(), 1, "no repeat");
}

#[cfg(unix)]
#[test]
fn a_killed_servers_turn_is_repeated_by_the_next_one_unasked() {
    let mut sandbox = Sandbox::new();
    let (flag, gate) = (sandbox.flag("works"), sandbox.gate("go"));
    let fake =
        sandbox.script(&Script::new().launch(Launch::turn(Turn::echo().before(flag.step()).before(gate.step()))));
    let mut mcp = server(&sandbox);
    let agent = spawn(&mut mcp, "work");
    flag.wait();
    processes::kill(mcp.process());
    mcp.exited();
    // Nothing but a handshake: the launch is its own doing.
    let mut next = server(&sandbox);
    fake.launch(1);
    let waited = wait(&mut next, &agent, &agent, "idle");
    let story = story(&waited);
    assert_eq!(
        story,
        [
            "turn.started",
            "agent.queued reconciled",
            "turn.started",
            "turn.completed succeeded",
            "agent.idle turn_boundary"
        ]
    );
    assert!(!fake.launch(0).process().is_alive());
}

#[test]
fn a_server_that_is_only_probed_begins_nothing() {
    let mut sandbox = Sandbox::new();
    let (mut mcp, fake, ..) = busy(&mut sandbox);
    assert_eq!(mcp.end().code(), Some(0));
    let mut probe = server(&sandbox);
    probe.tool_names();
    assert_eq!(probe.end().code(), Some(0));
    assert_eq!(fake.launches(), 1);
}

#[test]
fn a_server_that_is_asked_nothing_makes_nothing() {
    let sandbox = Sandbox::new();
    let mut mcp = server(&sandbox);
    mcp.tool_names();
    assert!(mcp.end().success());
    assert!(!sandbox.state_dir().join("state.sqlite").exists());
}

#[test]
fn an_idle_agents_process_ends_with_its_server_and_is_resumed() {
    let mut sandbox = Sandbox::new();
    let fake = sandbox.script(&Script::new());
    let mut mcp = server(&sandbox);
    let agent = settled(&mut mcp, "one");
    assert!(mcp.end().success());
    assert!(!fake.launch(0).process().is_alive());
    let mut next = server(&sandbox);
    let followed = ok(&mut next, "followup_task", json!({ "agent_id": id(&agent), "message": "two" }));
    assert_eq!(wait(&mut next, &agent, &followed, "idle")["results"][0]["result"], "ECHO: two");
    assert_eq!(fake.launch(1).value_of("--resume"), agent["session_id"].as_str());
}
