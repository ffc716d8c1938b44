//! Ends that take their time: a Claude that stays, a tree that outlives it, both limits.

use std::path::PathBuf;

use crate::support::{
    LIMIT, Sandbox,
    fake::{ApiError, Fake, Launch, Offspring, Script, Spawn, Step, Turn},
    processes::Process,
    terminal::Run,
    wait_until,
};

/// A process that Claude leaves behind, and where it writes who it is.
fn offspring(sandbox: &Sandbox, offspring: Offspring, holds_stdout: bool, stubborn: bool) -> (Step, PathBuf) {
    let pid_file = sandbox.root().join(format!("left-{offspring:?}"));
    (Step::Spawn(Spawn { offspring, pid_file: pid_file.clone(), holds_stdout, stubborn }), pid_file)
}

/// All three kinds of them, deaf to signals.
fn family(sandbox: &Sandbox) -> (Vec<Step>, Vec<PathBuf>) {
    [Offspring::Child, Offspring::OwnSession, Offspring::Detached]
        .map(|kind| offspring(sandbox, kind, true, true))
        .into_iter()
        .unzip()
}

/// Asserts that nothing of the turn is alive, without waiting: it has to be gone when the error is there.
#[track_caller]
fn all_gone(fake: &Fake, files: &[PathBuf]) {
    assert!(!fake.launch(0).process().is_alive(), "Claude itself");
    for file in files {
        let process = Process::from_file(file).expect("it was started");
        assert!(!process.is_alive(), "{}", file.display());
    }
}

/// Runs a turn with these limits.
fn limited(sandbox: &Sandbox, idle: u64, wall: u64) -> Run {
    let (idle, wall) = (idle.to_string(), wall.to_string());
    let limits = ["--timeout-idle-ms", &idle, "--timeout-wall-ms", &wall];
    sandbox.ccmcp(&[&["start", "--json", "--model", "opus", "hi"], &limits[..]].concat())
}

/// Long enough for the scripted Claude to do what the script says on a busy machine.
const SHORT: u64 = 3_000;
/// So long that it cannot be what ended the turn.
const LONG: u64 = 600_000;

#[test]
fn silence_ends_the_turn_and_its_whole_tree() {
    let mut sandbox = Sandbox::new();
    let (family, files) = family(&sandbox);
    let turn = family.into_iter().fold(Turn::of(vec![Step::Init, Step::Hang]), Turn::before);
    let fake = sandbox.script(&Script::new().launch(Launch::turn(turn).stubborn()));
    let run = limited(&sandbox, SHORT, LONG);
    all_gone(&fake, &files);
    run.error("IDLE_TIMEOUT");
    assert_eq!(run.status, Some(5));
    assert_eq!(fake.launch(0).signals(), ["INT", "TERM"], "asked twice before it was killed");
    assert_eq!(fake.launches(), 1, "never retried");
}

#[test]
fn the_whole_time_ends_the_turn_however_much_is_printed() {
    let mut sandbox = Sandbox::new();
    let (family, files) = family(&sandbox);
    // It prints for ever, and more often than the limit on silence.
    let chatter = vec![Step::Flood { frames: 1_000_000_000, bytes: 1000 }];
    let turn = Turn::of([vec![Step::Init], family, chatter].concat());
    let fake = sandbox.script(&Script::new().launch(Launch::turn(turn).stubborn()));
    let run = limited(&sandbox, LONG, SHORT);
    all_gone(&fake, &files);
    run.error("WALL_TIMEOUT");
    assert_eq!(run.status, Some(5));
}

#[test]
fn any_output_starts_the_silence_anew() {
    let mut sandbox = Sandbox::new();
    // In all longer than the limit, never as long in silence: on standard output, on standard error, a part of a line.
    let pause = || Step::Sleep { ms: SHORT / 3 };
    let steps = [
        Step::Status,
        Step::Stderr { text: "still here\n".to_owned() },
        Step::Line { text: "{\"type\":\"new\",".to_owned(), ending: String::new() },
        Step::Line { text: "\"key\":1}".to_owned(), ending: "\n".to_owned() },
        Step::Status,
    ];
    let turn = steps.into_iter().fold(Turn::echo(), |turn, step| turn.before(pause()).before(step));
    sandbox.script(&Script::new().launch(Launch::turn(turn)));
    limited(&sandbox, SHORT, LONG).answer();
}

#[test]
fn a_result_counts_although_the_process_stays_or_a_limit_runs_out_afterwards() {
    let mut sandbox = Sandbox::new();
    let stays = Launch::turn(Turn::echo().after(Step::Hang)).stubborn();
    let fake = sandbox.script(&Script::new().launch(stays));
    let run = limited(&sandbox, SHORT, LONG);
    all_gone(&fake, &[]);
    assert_eq!(run.answer()["response"], "ECHO: hi");
}

#[test]
fn what_the_tree_holds_open_is_found_and_ended() {
    let mut sandbox = Sandbox::new();
    let (family, files) = family(&sandbox);
    let turn = family.into_iter().fold(Turn::echo(), Turn::before);
    let fake = sandbox.script(&Script::new().launch(Launch::turn(turn)));
    let run = sandbox.start("hi");
    all_gone(&fake, &files);
    assert_eq!(run.answer()["response"], "ECHO: hi");
}

#[test]
fn a_closed_output_is_not_the_end_of_the_process() {
    let mut sandbox = Sandbox::new();
    let gate = sandbox.gate("end");
    let closed = sandbox.flag("closed");
    let turn = Turn::echo().after(Step::CloseStdout).after(closed.step()).after(gate.step());
    let fake = sandbox.script(&Script::new().launch(Launch::turn(turn)));
    let running = sandbox.begin(&["start", "--json", "--model", "opus", "hi"]);
    closed.wait();
    gate.open();
    assert_eq!(running.finish().answer()["response"], "ECHO: hi");
    assert_eq!(fake.launch(0).exit(), Some(0));
}

#[test]
fn a_login_that_is_refused_twice_ends_the_turn() {
    let mut sandbox = Sandbox::new();
    let retry = |attempt| Step::ApiRetry {
        attempt,
        max_retries: 10,
        error_status: Some(401),
        error: "authentication_failed".to_owned(),
    };
    let (child, file) = offspring(&sandbox, Offspring::Detached, false, true);
    let turn = Turn::of(vec![Step::Init, child, retry(1), retry(2), Step::Hang]);
    let fake = sandbox.script(&Script::new().launch(Launch::turn(turn)));
    let run = limited(&sandbox, LONG, LONG);
    all_gone(&fake, &[file]);
    let error = run.error("AUTH_FAILED");
    assert_eq!((run.status, &error["details"]["api_error_status"]), (Some(4), &serde_json::json!(401)));
    assert_eq!(fake.launch(0).signals(), ["INT"]);

    // Once may be an accident, and other failures are worth waiting for.
    let overloaded =
        Step::ApiRetry { attempt: 1, max_retries: 10, error_status: Some(529), error: "overloaded".to_owned() };
    let turn = [retry(1), overloaded.clone(), overloaded].into_iter().fold(Turn::echo(), Turn::before);
    sandbox.script(&Script::new().launch(Launch::turn(turn)));
    limited(&sandbox, LONG, LONG).answer();
    let turn = Turn::of(vec![Step::Init, retry(1), Step::ApiError(ApiError::overloaded())]);
    sandbox.script(&Script::new().launch(Launch::turn(turn)));
    limited(&sandbox, LONG, LONG).error("CLI_EXIT_UNKNOWN");
}

#[test]
#[cfg(target_os = "linux")]
fn a_killed_ccmcp_leaves_nothing_and_frees_the_session_only_then() {
    use crate::support::processes::{signal, start_of};
    let mut sandbox = Sandbox::new();
    let (tool, file) = offspring(&sandbox, Offspring::Detached, false, true);
    let session = sandbox.session();
    let turn = Turn::of(vec![Step::Init, tool, Step::Hang]);
    let fake = sandbox.script(&Script::new().launch(Launch::turn(turn).stubborn()));
    let first = sandbox.begin(&["send", &session, "--json", "--model", "opus", "one"]);
    let tool = wait_until(LIMIT, "the tool runs", || Process::from_file(&file));
    let second = sandbox.begin(&["send", &session, "--json", "--model", "opus", "two"]);
    let server = Process { pid: first.pid(), start: start_of(first.pid()).expect("it runs") };
    signal(&server, "KILL");
    let claude = fake.launch(0).process();
    fake.launch(1);
    assert!(!claude.is_alive() && !tool.is_alive(), "no second writer while the first one's tree lives");
    assert_eq!(second.finish().answer()["response"], "ECHO: two");
    assert_eq!(first.finish().status, None, "killed");
    assert_eq!(fake.launches(), 2);
}
