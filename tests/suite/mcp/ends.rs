//! How a server ends: quickly, with status 0, and with nothing left of what it started.

use std::path::PathBuf;

use serde_json::json;

use super::{ERAS, all, legacy, start};
use crate::support::{
    LIMIT, Sandbox,
    fake::{Fake, Launch, Offspring, Script, Spawn, Step, Turn},
    mcp::Mcp,
    processes::{Process, signal},
    wait_for, wait_until,
};

/// A Claude that is deaf to signals, with a tool that is as well.
fn stubborn(sandbox: &mut Sandbox) -> (Fake, PathBuf) {
    let pid_file = sandbox.root().join("tool");
    let tool = Step::Spawn(Spawn {
        offspring: Offspring::Detached,
        pid_file: pid_file.clone(),
        holds_stdout: true,
        stubborn: true,
    });
    let launch = Launch::turn(Turn::of(vec![Step::Init, tool, Step::Hang])).stubborn();
    (sandbox.script(&Script::new().always(launch)), pid_file)
}

/// A server with such a turn running; ends it by `end` and waits until all is gone.
#[track_caller]
fn ends(open: fn(&Sandbox) -> Mcp, end: impl FnOnce(&mut Mcp)) {
    let mut sandbox = Sandbox::new();
    let (fake, pid_file) = stubborn(&mut sandbox);
    let mut mcp = open(&sandbox);
    mcp.begin_tool("start_session", start(&sandbox, "hi"));
    let tool = wait_until(LIMIT, "the tool runs", || Process::from_file(&pid_file));
    let claude = fake.launch(0).process();
    end(&mut mcp);
    assert_eq!(mcp.exited().code(), Some(0), "{}", mcp.stderr());
    wait_for(LIMIT, "the tree is gone", || !claude.is_alive() && !tool.is_alive());
}

#[test]
fn the_end_of_input_ends_turns_and_server() {
    for open in ERAS {
        ends(open, Mcp::close);
    }
}

#[test]
#[cfg(unix)]
fn a_signal_ends_turns_and_server() {
    for name in ["TERM", "INT", "HUP"] {
        ends(legacy, |mcp| signal(mcp.process(), name));
    }
    // As Claude Code ends its servers.
    ends(legacy, |mcp| {
        signal(mcp.process(), "INT");
        signal(mcp.process(), "TERM");
    });
}

#[test]
#[cfg(unix)]
fn an_idle_server_ends_with_status_0() {
    let sandbox = Sandbox::new();
    for name in ["TERM", "INT"] {
        let mut mcp = legacy(&sandbox);
        signal(mcp.process(), name);
        assert_eq!(mcp.exited().code(), Some(0), "{name}: {}", mcp.stderr());
    }
    // Nobody said a word, or not for long.
    let mut mcp = Mcp::start(sandbox.command("ccmcp").arg("serve"));
    assert_eq!(mcp.end().code(), Some(0), "{}", mcp.stderr());
    let mut mcp = Mcp::start(sandbox.command("ccmcp").arg("serve"));
    mcp.begin(
        "initialize",
        json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "x", "version": "0" } }),
    );
    assert_eq!(mcp.end().code(), Some(0), "{}", mcp.stderr());
    let mut mcp = Mcp::start(sandbox.command("ccmcp").arg("serve"));
    mcp.send_bytes(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"meth");
    assert_eq!(mcp.end().code(), Some(0), "{}", mcp.stderr());
}

#[test]
#[cfg(target_os = "linux")]
fn a_killed_server_leaves_nothing() {
    let mut sandbox = Sandbox::new();
    let (fake, pid_file) = stubborn(&mut sandbox);
    let mut mcp = legacy(&sandbox);
    mcp.begin_tool("start_session", start(&sandbox, "hi"));
    let tool = wait_until(LIMIT, "the tool runs", || Process::from_file(&pid_file));
    let claude = fake.launch(0).process();
    signal(mcp.process(), "KILL");
    // The contract says 2 s; a busy machine gets some more.
    wait_for(std::time::Duration::from_secs(6), "the tree is gone", || !claude.is_alive() && !tool.is_alive());
}

#[test]
fn several_servers_live_side_by_side() {
    // A client that probes starts a server twice.
    let sandbox = Sandbox::new();
    let mut servers: Vec<Mcp> = (0..4).map(|_| all(&sandbox)).collect();
    for mcp in &mut servers {
        assert!(mcp.tool_names().contains(&"start_session".to_owned()));
    }
    for mut mcp in servers {
        assert!(mcp.end().success());
    }
}
