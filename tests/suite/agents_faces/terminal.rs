//! `ccmcp agents` on the same store as running servers.

use serde_json::{Value, json};

use super::ground::{Plain, gated, id, ok, server, settled, spawn, wait};
use crate::support::{
    LIMIT, Sandbox,
    fake::{ApiError, Script, Turn},
    mcp::Mcp,
    terminal::Run,
    wait_for,
};

fn agents(sandbox: &Sandbox, arguments: &[&str]) -> Run {
    sandbox.ccmcp(&[&["agents"], arguments].concat())
}

/// A server with an agent called `scout` that has said hello.
fn scout(sandbox: &Sandbox) -> (Mcp, Value) {
    let mut mcp = server(sandbox);
    let agent = ok(&mut mcp, "spawn_agent", json!({ "task": "hello", "name": "scout" }));
    wait(&mut mcp, &agent, &agent, "idle");
    (mcp, agent)
}

#[test]
fn json_is_what_the_tools_answer() {
    let sandbox = Sandbox::new();
    let (mut mcp, agent) = scout(&sandbox);
    let id = &agent["agent_id"];
    let rows: [(&[&str], &str, Value); 6] = [
        (&["list"], "list_agents", json!({})),
        (&["read", "scout"], "read_agent", json!({ "agent_id": id })),
        (&["read", "scout", "--raw"], "read_agent", json!({ "agent_id": id, "include_raw": true })),
        (&["interrupt", "scout"], "interrupt_agent", json!({ "agent_id": id })),
        (&["wait", "scout"], "wait_agent", json!({ "agent_ids": [id], "after_cursor": "3", "until": "turn_end" })),
        (&["close", "scout"], "close_agent", json!({ "agent_id": id })),
    ];
    // The idle process still prints a frame or two: the last one must be in.
    crate::support::wait_until(LIMIT, "the process is quiet", || {
        let read =
            |mcp: &mut Mcp| ok(mcp, "read_agent", json!({ "agent_id": id, "include_raw": true }))["raw_events"].take();
        let frames = read(&mut mcp);
        let last = frames.as_array()?.last()?;
        (last["payload"]["subtype"] == "command_lifecycle" || last["type"] == "command_lifecycle").then_some(())
    });
    for (arguments, tool, input) in rows {
        let printed = agents(&sandbox, &[arguments, &["--json"]].concat()).json();
        assert_eq!(Plain::default().of(&printed), Plain::default().of(&ok(&mut mcp, tool, input)), "{tool}");
    }
}

#[test]
fn lists_and_records_are_there_for_people() {
    let mut sandbox = Sandbox::new();
    sandbox.script(&Script::new().on("limit", Turn::api_error(ApiError::overloaded())));
    let (mut mcp, agent) = scout(&sandbox);
    let failed = spawn(&mut mcp, "limit");
    wait(&mut mcp, &failed, &failed, "idle");
    let list = agents(&sandbox, &["list"]);
    assert_eq!((list.status, list.stderr.as_str()), (Some(0), ""));
    let lines: Vec<&str> = list.stdout.lines().collect();
    let titles: Vec<&str> = lines[0].split_whitespace().collect();
    assert_eq!(titles, ["AGENT", "NAME", "STATE", "TURN", "ACTIVE", "COST", "MAIL", "MODEL", "PROFILE", "DIRECTORY"]);
    assert!(lines[1].starts_with(id(&failed)) && lines[1].contains("failed"), "{}", list.stdout);
    assert!(lines[2].starts_with(id(&agent)) && lines[2].contains("scout"), "{}", list.stdout);
    assert_eq!(agents(&sandbox, &["list", "--state", "closed"]).stdout, "");
    for (arguments, nothing) in [
        (&["--offset", "50"][..], "No more agents.\n"),
        (&["--state", "closed"], "No agents in this state. MCP clients spawn them with the tool spawn_agent.\n"),
    ] {
        let list = agents(&sandbox, &[&["list"], arguments].concat());
        assert_eq!((list.stdout.as_str(), list.stderr.as_str()), ("", nothing));
    }
    let short = agents(&sandbox, &["list", "-n", "1"]);
    assert_eq!((short.stdout.lines().count(), short.stderr.as_str()), (2, "1 more: --offset and --limit show them.\n"));

    let read = agents(&sandbox, &["read", "scout", "--events"]);
    assert_eq!((read.status, read.stderr.as_str()), (Some(0), ""));
    for part in
        [id(&agent), agent["session_id"].as_str().unwrap(), "read_only", "succeeded", "turn.completed", "ECHO: hello"]
    {
        assert!(read.stdout.contains(part), "{part}: {}", read.stdout);
    }
    let read = agents(&sandbox, &["read", &id(&failed)[..8]]);
    assert!(read.stdout.contains("api_error") && read.stdout.contains("HTTP 529"), "{}", read.stdout);
    let raw = agents(&sandbox, &["read", "scout", "--raw"]);
    let frames: Vec<Value> = raw.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(frames.iter().any(|frame| frame["type"] == "result"), "{}", raw.stdout);
}

#[test]
fn an_agent_is_found_by_id_beginning_name_and_last() {
    let sandbox = Sandbox::new();
    let (mut mcp, agent) = scout(&sandbox);
    let other = settled(&mut mcp, "other");
    let found = |name: &str| agents(&sandbox, &["read", name, "--json"]).json()["agent"]["agent_id"].take();
    for name in [id(&agent), &id(&agent)[..13], &id(&agent)[..13].to_uppercase(), "scout"] {
        assert_eq!(found(name), agent["agent_id"], "{name}");
    }
    assert_eq!(found("last"), other["agent_id"]);
    ok(&mut mcp, "spawn_agent", json!({ "task": "third", "name": id(&other) }));
    assert_eq!(found(id(&other)), other["agent_id"], "nobody can take an agent's id for a name");
    ok(&mut mcp, "spawn_agent", json!({ "task": "fourth", "name": "scout" }));
    let both = agents(&sandbox, &["read", "scout", "--json"]);
    assert_eq!(both.status, Some(3));
    let candidates = both.error("agent_not_found")["details"]["candidates"].take();
    assert_eq!(candidates.as_array().unwrap().len(), 2);
    for name in ["nobody", "", "11111111-2222-4333-8444-555555555555"] {
        let nobody = agents(&sandbox, &["read", name, "--json"]);
        assert_eq!(nobody.status, Some(3), "{name}");
        let error = nobody.error("agent_not_found");
        assert!(error["hint"].as_str().unwrap().contains("ccmcp agents list"), "{error}");
    }
}

#[test]
fn every_command_takes_every_name_and_suggests_the_nearest() {
    let sandbox = Sandbox::new();
    let (mut mcp, agent) = scout(&sandbox);
    let id = id(&agent).to_owned();
    let commands: [&[&str]; 5] = [&["read"], &["wait"], &["interrupt"], &["read", "--follow"], &["close"]];
    let typo = |text: &str| {
        let mut text = text.to_owned();
        let other = if text.ends_with('0') { "1" } else { "0" };
        text.replace_range(text.len() - 1.., other);
        text
    };
    for command in commands {
        for name in ["scout", "last", &id[..8], &id] {
            let run = agents(&sandbox, &[command, &[name]].concat());
            assert_eq!(run.status, Some(0), "{command:?} {name}: {run:#?}");
        }
        for (name, meant) in
            [("scuot", "scout"), ("sco", "scout"), ("Scout", "scout"), (&typo(&id[..8]), &id), (&typo(&id), &id)]
        {
            let run = agents(&sandbox, &[command, &[name]].concat());
            assert_eq!(run.status, Some(3), "{command:?} {name}: {run:#?}");
            let hint = format!("hint: Did you mean `{meant}`? `ccmcp agents list` shows the agents there are.\n");
            assert!(run.stderr.ends_with(&hint), "{command:?} {name}: {run:#?}");
        }
    }
    let run = agents(&sandbox, &["read", "nobody-like-this"]);
    assert!(!run.stderr.contains("Did you mean"), "{run:#?}");
    ok(&mut mcp, "close_agent", json!({ "agent_id": id, "delete": true }));
    let run = agents(&sandbox, &["read", "last"]);
    assert!(run.status == Some(3) && run.stderr.contains("There are no agents."), "{run:#?}");
}

#[test]
fn a_wait_sees_another_processs_turn_end() {
    let mut sandbox = Sandbox::new();
    let (flag, gate) = gated(&mut sandbox);
    let mut mcp = server(&sandbox);
    let agent = spawn(&mut mcp, "work");
    flag.wait();
    let run = agents(&sandbox, &["wait", id(&agent), "--timeout-ms", "1"]);
    assert_eq!((run.status, run.stdout.as_str()), (Some(5), ""), "{run:#?}");
    let run = agents(&sandbox, &["wait", id(&agent), "--timeout-ms", "1", "--json"]);
    assert_eq!((run.status, &run.json()["timed_out"]), (Some(5), &json!(true)));
    let waiting = sandbox.begin(&["agents", "wait", id(&agent)]);
    let following = sandbox.begin(&["agents", "read", id(&agent), "--follow"]);
    gate.open();
    for running in [waiting, following] {
        let run = running.finish();
        assert_eq!(run.status, Some(0), "{run:#?}");
        assert!(run.stdout.contains("ECHO: work"), "{run:#?}");
    }
    // At rest there is nothing to wait for: the last turn is the answer.
    let run = agents(&sandbox, &["wait", id(&agent), "--until", "idle"]);
    assert_eq!((run.status, run.stdout.as_str()), (Some(0), "ECHO: work\n"));
}

#[test]
fn an_interrupt_reaches_another_processs_turn() {
    let mut sandbox = Sandbox::new();
    let flag = sandbox.flag("works");
    sandbox.script(&Script::new().on("work", Turn::work().before(flag.step())));
    let mut mcp = server(&sandbox);
    let agent = spawn(&mut mcp, "work");
    flag.wait();
    let refused = agents(&sandbox, &["close", id(&agent)]);
    assert_eq!(refused.status, Some(1));
    assert!(refused.stderr.contains("[invalid_state]"), "{refused:#?}");
    let waiting = sandbox.begin(&["agents", "wait", id(&agent)]);
    let run = agents(&sandbox, &["interrupt", id(&agent)]);
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), "Interrupted; the agent is idle.\n"));
    let waited = waiting.finish();
    assert_eq!(waited.status, Some(1), "the turn did not succeed: {waited:#?}");
    let run = agents(&sandbox, &["interrupt", id(&agent)]);
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), "There was nothing to interrupt: the agent is idle.\n"));
    wait(&mut mcp, &agent, &agent, "idle");
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_the_looking_and_leaves_the_agent_alone() {
    let mut sandbox = Sandbox::new();
    let (flag, gate) = gated(&mut sandbox);
    let mut mcp = server(&sandbox);
    let agent = spawn(&mut mcp, "work");
    flag.wait();
    let file = sandbox.root().join("out");
    let mut command = sandbox.command("ccmcp");
    command.args(["agents", "read", id(&agent), "--follow"]).stdout(std::fs::File::create(&file).unwrap());
    command.stderr(std::process::Stdio::null());
    let mut child = command.spawn().unwrap();
    wait_for(LIMIT, "it follows", || std::fs::read_to_string(&file).unwrap().contains("turn.started"));
    std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    gate.open();
    assert_eq!(wait(&mut mcp, &agent, &agent, "idle")["results"][0]["status"], "succeeded");
}

#[test]
fn everything_but_spawning_works_without_a_server() {
    let sandbox = Sandbox::new();
    let (mut mcp, agent) = scout(&sandbox);
    let other = settled(&mut mcp, "other");
    assert!(mcp.end().success());
    assert!(agents(&sandbox, &["read", "scout"]).stdout.contains("ECHO: hello"));
    assert_eq!(agents(&sandbox, &["close", &id(&agent)[..13]]).stderr, "Closed.\n");
    assert_eq!(agents(&sandbox, &["close", id(&other), "--delete"]).stderr, "Closed and removed.\n");
    assert_eq!(agents(&sandbox, &["list", "--json"]).json()["total"], 1);

    let run = agents(&sandbox, &["prune", "--older-than", "1h", "--json"]);
    assert_eq!(run.json(), json!({ "agents": [], "removed": false }));
    let run = agents(&sandbox, &["prune", "--older-than", "0s"]);
    assert!(run.stdout.contains("scout"), "{run:#?}");
    assert_eq!(run.stderr, "1 agent would be removed: --yes removes them.\n");
    assert_eq!(agents(&sandbox, &["list", "--json"]).json()["total"], 1, "it was only shown");
    let run = agents(&sandbox, &["prune", "--older-than", "0s", "--yes"]);
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), "1 agent removed.\n"));
    let run = agents(&sandbox, &["list"]);
    assert_eq!((run.status, run.stdout.as_str()), (Some(0), ""));
    assert!(run.stderr.starts_with("No agents."), "{run:#?}");
}

#[test]
fn bad_usage_is_status_2() {
    let sandbox = Sandbox::new();
    let rows: [&[&str]; 9] = [
        &[],
        &["nonsense"],
        &["list", "--state", "asleep"],
        &["list", "--limit", "0"],
        &["read"],
        &["wait"],
        &["wait", "a", "--until", "never"],
        &["prune"],
        &["prune", "--older-than", "soon"],
    ];
    for arguments in rows {
        let run = agents(&sandbox, arguments);
        assert_eq!((run.status, run.stdout.as_str()), (Some(2), ""), "{arguments:?}: {run:#?}");
    }
    assert_eq!(agents(&sandbox, &["list", "--watch", "--json"]).status, Some(2));
}

#[test]
fn nobody_is_said_to_go_on_when_no_server_runs() {
    let mut sandbox = Sandbox::new();
    let (flag, gate) = gated(&mut sandbox);
    let mut command = sandbox.command("ccmcp");
    let mut mcp = Mcp::legacy(command.args(["serve", "--tools", "agents", "--process-limit", "1"]));
    spawn(&mut mcp, "work");
    flag.wait();
    let queued = spawn(&mut mcp, "later");
    let wait = ["wait", id(&queued), "--timeout-ms", "1"];
    let alone = "No ccmcp server is running";
    let run = agents(&sandbox, &wait);
    assert!(run.stderr.contains("the agents go on") && !run.stderr.contains(alone), "{run:#?}");
    mcp.end();
    let run = agents(&sandbox, &wait);
    assert_eq!(run.status, Some(5));
    assert!(run.stderr.contains(alone) && run.stderr.contains("nobody runs the agents"), "{run:#?}");
    assert!(agents(&sandbox, &["list"]).stderr.contains(alone));
    let doctor = sandbox.ccmcp(&["doctor"]);
    assert!(doctor.stdout.contains("1 queued, and no server is running"), "{doctor:#?}");
    drop(gate);
}

#[test]
fn an_interrupted_turn_has_no_answer() {
    let mut sandbox = Sandbox::new();
    let (flag, _gate) = gated(&mut sandbox);
    let mut mcp = server(&sandbox);
    let agent = spawn(&mut mcp, "work");
    flag.wait();
    ok(&mut mcp, "interrupt_agent", json!({ "agent_id": id(&agent) }));
    let waited = wait(&mut mcp, &agent, &agent, "turn_end");
    assert_eq!((&waited["results"][0]["status"], waited["results"][0].get("result")), (&json!("interrupted"), None));
    let run = agents(&sandbox, &["wait", id(&agent)]);
    assert_eq!(run.status, Some(1));
    assert!(!format!("{run:?}").contains("ede_diagnostic"), "{run:#?}");
}
