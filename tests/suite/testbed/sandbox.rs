//! The sealed box and the process table.

use std::{
    fs,
    io::Read,
    panic::{AssertUnwindSafe, catch_unwind},
    process::Stdio,
    time::Duration,
};

use crate::support::{LIMIT, Sandbox, processes, wait_for};

#[test]
fn a_command_has_the_box_and_nothing_else() {
    let mut sandbox = Sandbox::new();
    sandbox.set("EXTRA", "x");
    sandbox.unset("TZ");
    let output = sandbox.command("env").output().expect("env runs");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let root = sandbox.root().to_string_lossy().into_owned();
    for line in text.lines() {
        let (name, value) = line.split_once('=').expect("NAME=VALUE");
        let known = value.contains(&root) || ["LANG", "EXTRA", "CLAUDE_BIN"].contains(&name);
        assert!(known, "{line}");
        assert_ne!(name, "TZ");
    }
    assert!(text.contains("EXTRA=x"));
    for folder in [sandbox.home(), sandbox.config_dir(), sandbox.workspace()] {
        assert!(folder.is_dir() && folder.starts_with(sandbox.root()));
    }
    assert!(sandbox.state_dir().starts_with(sandbox.root()));
}

#[test]
#[cfg(target_os = "linux")]
fn what_a_test_leaves_running_fails_it_and_is_ended() {
    let sandbox = Sandbox::new();
    let mut child = sandbox.command("sleep").arg("300").spawn().expect("sleep runs");
    let start = processes::start_of(child.id()).expect("it lives");
    assert!(processes::alive(child.id(), &start));
    assert!(!processes::alive(child.id(), "1"), "another start time is another process");
    let dropped = catch_unwind(AssertUnwindSafe(move || drop(sandbox)));
    assert!(dropped.is_err(), "a process was left behind");
    assert!(!child.wait().expect("a status").success());
    assert!(!processes::alive(child.id(), &start));
}

#[test]
fn a_wait_has_a_limit() {
    let waited = catch_unwind(|| wait_for(Duration::from_millis(20), "the moon falls", || false));
    let message = *waited.expect_err("it cannot hold").downcast::<String>().expect("a message");
    assert!(message.contains("the moon falls"), "{message}");
}

#[test]
fn gates_and_flags_are_files() {
    let sandbox = Sandbox::new();
    let (gate, flag) = (sandbox.gate("a"), sandbox.flag("b"));
    assert!(!flag.is_up());
    let crate::support::fake::Step::Touch { path } = flag.step() else { panic!("a flag is raised by a file") };
    fs::write(path, "").expect("the flag's file");
    flag.wait();
    gate.open();
    let crate::support::fake::Step::Gate { path } = gate.step() else { panic!("a gate is a file") };
    assert!(path.exists());
}

#[test]
#[cfg(unix)]
fn signals_reach_the_right_process() {
    let sandbox = Sandbox::new();
    let mut child = sandbox
        .command("sh")
        .args(["-c", "trap 'echo got; exit 3' TERM; echo up; while :; do sleep 0.05; done"])
        .stdout(Stdio::piped())
        .spawn()
        .expect("sh runs");
    let mut stdout = child.stdout.take().expect("a pipe");
    let mut up = [0; 3];
    stdout.read_exact(&mut up).expect("up");
    let process = processes::Process { pid: child.id(), start: processes::start_of(child.id()).unwrap_or_default() };
    processes::signal(&process, "TERM");
    let mut rest = String::new();
    stdout.read_to_string(&mut rest).expect("the rest");
    assert_eq!((rest.as_str(), child.wait().expect("a status").code()), ("got\n", Some(3)));
    wait_for(LIMIT, "it is gone", || !process.is_alive());
}
