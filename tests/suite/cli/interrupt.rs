//! Ctrl-C: the turn ends, the session stays usable, the status is 130.

#![cfg(unix)]

use std::path::PathBuf;

use crate::support::{
    LIMIT, Sandbox,
    fake::{Fake, Launch, Offspring, Script, Spawn, Step, Turn},
    processes::{Process, signal, start_of},
    terminal::{Run, Running},
    wait_for, wait_until,
};

/// Working, with a tool that is deaf to signals.
fn working(sandbox: &mut Sandbox, stubborn: bool) -> (Fake, PathBuf) {
    let pid_file = sandbox.root().join("tool");
    let tool = Step::Spawn(Spawn {
        offspring: Offspring::OwnSession,
        pid_file: pid_file.clone(),
        holds_stdout: true,
        stubborn: true,
    });
    let launch = Launch::turn(Turn::work().before(tool));
    (sandbox.script(&Script::new().launch(if stubborn { launch.stubborn() } else { launch })), pid_file)
}

fn process(running: &Running) -> Process {
    Process { pid: running.pid(), start: start_of(running.pid()).expect("it runs") }
}

/// Starts a turn, sends these signals, and gives its end.
#[track_caller]
fn interrupt(sandbox: &mut Sandbox, stubborn: bool, signals: &[&str]) -> (Run, Fake) {
    let (fake, pid_file) = working(sandbox, stubborn);
    let running = sandbox.begin(&["start", "--model", "opus", "work"]);
    let tool = wait_until(LIMIT, "the tool runs", || Process::from_file(&pid_file));
    let ccmcp = process(&running);
    for name in signals {
        signal(&ccmcp, name);
    }
    let run = running.finish();
    let claude = fake.launch(0).process();
    if signals.len() == 1 {
        assert!(!claude.is_alive() && !tool.is_alive(), "gone when the command ends");
    }
    // After a second signal the supervisor sees to it.
    wait_for(LIMIT, "the tree is gone", || !claude.is_alive() && !tool.is_alive());
    (run, fake)
}

#[test]
fn an_interrupt_ends_the_turn_and_the_session_goes_on() {
    for (stubborn, signals) in [(false, &["INT"][..]), (true, &["INT"]), (false, &["TERM"])] {
        let mut sandbox = Sandbox::new();
        let (run, fake) = interrupt(&mut sandbox, stubborn, signals);
        assert_eq!((run.status, run.stdout.as_str()), (Some(130), ""), "{run:#?}");
        let id = fake.launch(0).value_of("--session-id").expect("an id").to_owned();
        let hint = format!("hint: The session is still usable.\ngo on: ccmcp send {id} --model opus …\n");
        assert!(run.stderr.contains("[CANCELLED]") && run.stderr.ends_with(&hint), "{run:#?}");
        let asked = fake.launch(0).signals();
        assert_eq!(asked.first().map(String::as_str), Some("INT"), "asked before it is killed");
        let answer = sandbox.ccmcp(&["send", "last", "--json", "--model", "opus", "go on"]).answer();
        assert_eq!(
            (answer["session_id"].as_str(), answer["response"].as_str()),
            (Some(id.as_str()), Some("ECHO: go on"))
        );
    }
}

#[test]
fn an_interrupt_before_anything_was_said_names_no_session() {
    let mut sandbox = Sandbox::new();
    let early = sandbox.flag("early");
    let launch = Launch::default().start(early.step()).start(Step::Hang);
    sandbox.script(&Script::new().launch(Launch::default()).launch(launch));
    let older = sandbox.session();
    let running = sandbox.begin(&["start", "--model", "opus", "work"]);
    early.wait();
    signal(&process(&running), "INT");
    let run = running.finish();
    assert_eq!(run.status, Some(130), "{run:#?}");
    assert!(run.stderr.ends_with("hint: Nothing was said yet; run it again.\n"), "{run:#?}");
    assert!(!run.stderr.contains("send") && !run.stderr.contains(&older), "{run:#?}");
}

#[test]
fn a_second_interrupt_does_not_wait() {
    let mut sandbox = Sandbox::new();
    let (run, _) = interrupt(&mut sandbox, true, &["INT", "INT"]);
    assert_eq!(run.status, Some(130), "{run:#?}");
}

#[test]
fn an_interrupt_that_comes_after_the_result_changes_nothing() {
    let mut sandbox = Sandbox::new();
    let late = sandbox.flag("late");
    let turn = Turn::echo().after(late.step()).after(Step::Hang);
    sandbox.script(&Script::new().launch(Launch::turn(turn)));
    let running = sandbox.begin(&["start", "--model", "opus", "hi"]);
    late.wait();
    signal(&process(&running), "INT");
    let run = running.finish();
    assert_eq!((run.status, run.stdout.as_str()), (Some(0), "ECHO: hi\n"), "{run:#?}");
}

#[test]
fn an_interrupt_before_anything_runs_ends_at_once() {
    let mut sandbox = Sandbox::new();
    let fake = sandbox.script(&Script::new());
    // Standard input stays open: it is still waiting for the prompt.
    let mut command = sandbox.command("ccmcp");
    command.args(["start", "--model", "opus", "-"]);
    command
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    let stdin = child.stdin.take();
    let me = Process { pid: child.id(), start: start_of(child.id()).expect("it runs") };
    // It waits for its prompt once its handlers are there: before, the system's own would end it by the signal.
    #[cfg(target_os = "linux")]
    wait_for(LIMIT, "it handles signals", || {
        let status = std::fs::read_to_string(format!("/proc/{}/status", me.pid)).unwrap_or_default();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap_or_default();
        u64::from_str_radix(caught.trim(), 16).is_ok_and(|mask| mask & 0b10 != 0)
    });
    signal(&me, "INT");
    let status = wait_until(LIMIT, "it ends", || child.try_wait().expect("a status"));
    assert_eq!(status.code(), Some(130));
    drop(stdin);
    assert_eq!(fake.launches(), 0);
}
