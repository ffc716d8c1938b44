//! Turns of one session run one after another: within a server, between servers, and between a server and a terminal.

use serde_json::{Value, json};

use crate::support::{
    Gate, LIMIT, Sandbox,
    fake::{Fake, Launch, Script, Step, Turn},
    mcp::{Call, Mcp},
    processes::signal,
    wait_for,
};

/// What is said to a caller that has to wait.
const WAITING: &str = "waiting: another turn of this session is running";

fn serve(sandbox: &Sandbox) -> Mcp {
    Mcp::legacy(sandbox.command("ccmcp").arg("serve"))
}

fn message(sandbox: &Sandbox, session: &str, text: &str) -> Value {
    json!({ "session_id": session, "cwd": sandbox.workspace(), "message": text, "model": "opus" })
}

fn send(mcp: &mut Mcp, sandbox: &Sandbox, session: &str, text: &str) -> Call {
    mcp.begin_tool("send_message", message(sandbox, session, text))
}

/// Waits until the caller is told that it has to wait.
#[track_caller]
fn told_to_wait(mcp: &mut Mcp, call: &Call) {
    mcp.wait_progress(call, 1);
    let told = mcp.progress(call);
    assert_eq!((told.len(), &told[0]["message"], &told[0]["progress"]), (1, &json!(WAITING), &json!(1.0)), "{told:?}");
}

#[track_caller]
fn response(mcp: &mut Mcp, call: &Call) -> String {
    let result = mcp.result(call);
    result["structuredContent"]["response"].as_str().unwrap_or_else(|| panic!("no answer: {result}")).to_owned()
}

/// Asserts that the session's transcript is one chain: two writers at once would have forked it.
#[track_caller]
fn one_chain(sandbox: &Sandbox, session: &str, prompts: &[&str]) {
    let records = sandbox.transcript(session);
    let chain: Vec<&Value> = records.iter().filter(|record| record["uuid"].is_string()).collect();
    assert!(chain.windows(2).all(|pair| pair[1]["parentUuid"] == pair[0]["uuid"]), "a fork: {chain:#?}");
    let typed: Vec<&str> = chain.iter().filter_map(|record| record["message"]["content"].as_str()).collect();
    assert_eq!(typed, prompts);
}

fn inputs(fake: &Fake, count: usize) -> Vec<String> {
    (0..count).map(|number| String::from_utf8(fake.launch(number).stdin()).expect("UTF-8")).collect()
}

/// A session, and a script whose turn for "held" waits at a gate.
fn held(sandbox: &mut Sandbox) -> (String, Gate, Fake) {
    sandbox.script(&Script::new());
    let session = sandbox.session();
    let gate = sandbox.gate("held");
    let fake = sandbox.script(&Script::new().on("held", Turn::echo().before(gate.step())));
    (session, gate, fake)
}

#[test]
fn calls_of_one_server_come_first_served_and_different_sessions_meet() {
    let mut sandbox = Sandbox::new();
    let (session, gate, fake) = held(&mut sandbox);
    let other = sandbox.session();
    let mut mcp = serve(&sandbox);
    let first = send(&mut mcp, &sandbox, &session, "held");
    fake.launch(1);
    let mut waiting = Vec::new();
    for text in ["b", "c", "d"] {
        let call = send(&mut mcp, &sandbox, &session, text);
        told_to_wait(&mut mcp, &call);
        waiting.push(call);
    }
    // Nobody waits for a turn of another session.
    let call = send(&mut mcp, &sandbox, &other, "elsewhere");
    assert_eq!(response(&mut mcp, &call), "ECHO: elsewhere");
    assert_eq!(fake.launches(), 3, "none of those that wait");
    gate.open();
    assert_eq!(response(&mut mcp, &first), "ECHO: held");
    for (call, text) in waiting.iter().zip(["b", "c", "d"]) {
        assert_eq!(response(&mut mcp, call), format!("ECHO: {text}"));
    }
    assert_eq!(inputs(&fake, 6), ["hello", "held", "elsewhere", "b", "c", "d"]);
    one_chain(&sandbox, &session, &["hello", "held", "b", "c", "d"]);
}

#[test]
fn two_servers_and_a_terminal_never_run_two_turns_of_a_session() {
    let mut sandbox = Sandbox::new();
    let (session, gate, fake) = held(&mut sandbox);
    let mut one = serve(&sandbox);
    let first = send(&mut one, &sandbox, &session, "held");
    fake.launch(0);
    // The lock is the same wherever the state is kept.
    sandbox.set("XDG_RUNTIME_DIR", sandbox.root().join("tmp"));
    sandbox.set("XDG_STATE_HOME", sandbox.root().join("cache"));
    let elsewhere = sandbox.root().join("elsewhere");
    let mut other = Mcp::modern(sandbox.command("ccmcp").args(["serve", "--state-dir"]).arg(elsewhere));
    let second = send(&mut other, &sandbox, &session, "by the other server");
    told_to_wait(&mut other, &second);
    let terminal = sandbox.begin(&["send", &session, "--json", "--model", "opus", "by the terminal"]);
    let third = send(&mut other, &sandbox, &session, "by the other server again");
    told_to_wait(&mut other, &third);
    assert_eq!(fake.launches(), 1);
    gate.open();
    assert_eq!(response(&mut one, &first), "ECHO: held");
    assert_eq!(response(&mut other, &second), "ECHO: by the other server");
    assert_eq!(response(&mut other, &third), "ECHO: by the other server again");
    assert_eq!(terminal.finish().answer()["response"], "ECHO: by the terminal");
    let order = inputs(&fake, 4);
    one_chain(&sandbox, &session, &[vec!["hello"], order.iter().map(String::as_str).collect()].concat());
}

#[test]
fn a_wait_counts_towards_neither_limit() {
    let mut sandbox = Sandbox::new();
    let (session, gate, _) = held(&mut sandbox);
    let fake = sandbox.script(
        &Script::new().on("held", Turn::echo().before(gate.step())).on("hang", Turn::of(vec![Step::Init, Step::Hang])),
    );
    let mut mcp = serve(&sandbox);
    let first = send(&mut mcp, &sandbox, &session, "held");
    fake.launch(0);
    let limit = 2000;
    let mut arguments = message(&sandbox, &session, "waits");
    arguments["timeout_idle_ms"] = json!(limit);
    arguments["timeout_wall_ms"] = json!(limit);
    let second = mcp.begin_tool("send_message", arguments);
    told_to_wait(&mut mcp, &second);
    // A clock: a turn of another session that is ended after longer than that.
    let clock = json!({ "cwd": sandbox.workspace(), "initial_prompt": "hang", "model": "opus", "timeout_idle_ms": limit + 500 });
    assert_eq!(mcp.tool_error("start_session", clock)["code"], "IDLE_TIMEOUT");
    assert!(!mcp.has_answer(&second));
    gate.open();
    assert_eq!(response(&mut mcp, &first), "ECHO: held");
    assert_eq!(response(&mut mcp, &second), "ECHO: waits");
}

#[test]
fn a_cancelled_wait_starts_nothing_and_lets_the_next_one_in() {
    let mut sandbox = Sandbox::new();
    let (session, gate, fake) = held(&mut sandbox);
    let mut mcp = serve(&sandbox);
    let mut other = serve(&sandbox);
    let first = send(&mut mcp, &sandbox, &session, "held");
    fake.launch(0);
    // One that waits for its own server's turn, one that waits for another server's.
    for server in [&mut mcp, &mut other] {
        let waiting = send(server, &sandbox, &session, "never said");
        told_to_wait(server, &waiting);
        server.cancel(&waiting);
        server.barrier();
    }
    let last = send(&mut mcp, &sandbox, &session, "last");
    told_to_wait(&mut mcp, &last);
    gate.open();
    assert_eq!(response(&mut mcp, &first), "ECHO: held");
    assert_eq!(response(&mut mcp, &last), "ECHO: last");
    assert_eq!(inputs(&fake, 2), ["held", "last"]);
    assert_eq!(fake.launches(), 2);
    one_chain(&sandbox, &session, &["hello", "held", "last"]);
}

#[test]
#[cfg(unix)]
fn an_interrupted_wait_in_a_terminal_starts_nothing() {
    use crate::support::processes::{Process, start_of};
    let mut sandbox = Sandbox::new();
    let (session, gate, fake) = held(&mut sandbox);
    let first = sandbox.begin(&["send", &session, "--json", "--model", "opus", "held"]);
    fake.launch(0);
    let second = sandbox.begin(&["send", &session, "--json", "--model", "opus", "never said"]);
    let lock = sandbox.state_dir().join("locks").join(format!("{session}.lock"));
    let second_process = Process { pid: second.pid(), start: start_of(second.pid()).expect("it runs") };
    wait_for(LIMIT, "it waits for the lock", || {
        let supervisors = crate::support::processes::belonging_to(sandbox.root());
        supervisors.iter().filter(|(_, command)| command.contains(&*lock.to_string_lossy())).count() == 2
    });
    signal(&second_process, "INT");
    let run = second.finish();
    run.error("CANCELLED");
    assert_eq!(run.status, Some(130));
    gate.open();
    first.finish().answer();
    assert_eq!(fake.launches(), 1);
}

#[test]
#[cfg(target_os = "linux")]
fn a_killed_server_lets_the_next_turn_in_only_when_its_tree_is_gone() {
    use crate::support::{
        fake::{Offspring, Spawn},
        processes::Process,
        wait_until,
    };
    let mut sandbox = Sandbox::new();
    let session = sandbox.session();
    let pid_file = sandbox.root().join("tool");
    let tool = Step::Spawn(Spawn {
        offspring: Offspring::Detached,
        pid_file: pid_file.clone(),
        holds_stdout: false,
        stubborn: true,
    });
    let held = Launch::turn(Turn::of(vec![Step::Init, tool, Step::Hang])).stubborn();
    let fake = sandbox.script(&Script::new().launch(held));
    let mut one = serve(&sandbox);
    let mut other = serve(&sandbox);
    send(&mut one, &sandbox, &session, "held");
    let tool = wait_until(LIMIT, "the tool runs", || Process::from_file(&pid_file));
    let call = send(&mut other, &sandbox, &session, "next");
    told_to_wait(&mut other, &call);
    signal(one.process(), "KILL");
    let claude = fake.launch(0).process();
    fake.launch(1);
    assert!(!claude.is_alive() && !tool.is_alive(), "no second writer while the first one's tree lives");
    assert_eq!(response(&mut other, &call), "ECHO: next");
}
