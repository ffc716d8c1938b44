//! The scripted Claude in one-shot mode, as `start_session` and `send_message` drive it.

use std::{
    io::Write,
    process::{Output, Stdio},
};

use serde_json::{Value, json};

use crate::support::{
    LIMIT, Sandbox,
    fake::{ApiError, Launch, NEWEST, Offspring, Probe, Script, Signal, Spawn, Step, Turn},
    finish, fixture,
    processes::Process,
    wait_for, wait_until,
};

const SESSION: &str = "11111111-2222-4333-8444-555555555555";

/// The command line of the contract, with `first` in front.
fn command(sandbox: &Sandbox, first: [&str; 2]) -> std::process::Command {
    let mut command = sandbox.command("fake-claude");
    command.args(first).args([
        "--model",
        "opus",
        "--permission-mode",
        "auto",
        "--output-format",
        "stream-json",
        "--verbose",
    ]);
    command
        .args(["--include-partial-messages", "-p"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Runs one turn with this prompt.
fn turn(sandbox: &Sandbox, first: [&str; 2], prompt: &[u8]) -> Output {
    let mut child = command(sandbox, first).spawn().expect("it starts");
    // It may not read all of it.
    let _ = child.stdin.take().expect("a pipe").write_all(prompt);
    finish(child)
}

/// The frames of an output.
fn frames(output: &Output) -> Vec<Value> {
    let lines = output.stdout.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    lines.filter_map(|line| serde_json::from_slice(line).ok()).collect()
}

fn kinds(frames: &[Value]) -> Vec<String> {
    let name = |frame: &Value| {
        frame["subtype"]
            .as_str()
            .filter(|_| frame["type"] == "system")
            .or(frame["type"].as_str())
            .unwrap_or("?")
            .to_owned()
    };
    frames.iter().map(name).collect()
}

fn result(output: &Output) -> Value {
    frames(output).into_iter().rfind(|frame| frame["type"] == "result").expect("a result")
}

#[test]
fn a_healthy_turn_echoes_records_and_costs() {
    let mut sandbox = Sandbox::new();
    let fake = sandbox.script(&Script::new());
    let output = turn(&sandbox, ["--session-id", SESSION], b"hi --there\n\"you\"\n");
    assert!(output.status.success());
    let frames = frames(&output);
    assert_eq!(
        kinds(&frames),
        [
            "init",
            "status",
            "stream_event",
            "stream_event",
            "stream_event",
            "stream_event",
            "stream_event",
            "stream_event",
            "assistant",
            "stream_event",
            "stream_event",
            "stream_event",
            "result"
        ]
    );
    let line = output.stdout.split(|byte| *byte == b'\n').rfind(|line| !line.is_empty()).expect("a line");
    assert!(line.starts_with(br#"{"duration_api_ms""#), "type is not first, as in the real one");
    let last = frames.last().expect("a result");
    assert_eq!(last["result"], "ECHO: hi --there\n\"you\"\n");
    assert_eq!(
        (&last["total_cost_usd"], &last["num_turns"], &last["session_id"]),
        (&json!(0.01), &json!(1), &json!(SESSION))
    );

    let again = result(&turn(&sandbox, ["--resume", SESSION], b"more"));
    assert_eq!((&again["result"], &again["total_cost_usd"]), (&json!("ECHO: more"), &json!(0.02)), "the cost goes on");

    let records = sandbox.transcript(SESSION);
    let chain: Vec<&Value> = records.iter().filter(|record| record["uuid"].is_string()).collect();
    assert_eq!(chain[0]["parentUuid"], Value::Null);
    for pair in chain.windows(2) {
        assert_eq!(pair[1]["parentUuid"], pair[0]["uuid"], "one chain");
    }
    let cwd = json!(sandbox.workspace());
    assert!(
        chain
            .iter()
            .all(|record| record["cwd"] == cwd && record["sessionId"] == SESSION && record["version"] == NEWEST)
    );
    let costs: Vec<&Value> =
        records.iter().filter(|record| record["type"] == "cost-state").map(|record| &record["totalCostUSD"]).collect();
    assert_eq!(costs, [&json!(0.01), &json!(0.02)]);

    let launch = fake.launch(0);
    assert_eq!(launch.stdin(), b"hi --there\n\"you\"\n");
    assert_eq!(launch.value_of("--session-id"), Some(SESSION));
    assert_eq!((launch.cwd.clone(), launch.exit()), (sandbox.workspace(), Some(0)));
    assert_eq!(launch.env["CLAUDE_CONFIG_DIR"], sandbox.config_dir().to_string_lossy());
    assert_eq!(fake.launches(), 2);
}

#[test]
fn a_folder_and_a_version_decide_what_a_resume_finds() {
    let mut sandbox = Sandbox::new();
    sandbox.script(&Script::new());
    turn(&sandbox, ["--session-id", SESSION], b"hi");
    let elsewhere = sandbox.root().join("elsewhere");
    std::fs::create_dir(&elsewhere).expect("a folder");
    let resume = |sandbox: &Sandbox| {
        let mut child = command(sandbox, ["--resume", SESSION]).current_dir(&elsewhere).spawn().expect("it starts");
        child.stdin.take().expect("a pipe").write_all(b"more").expect("the prompt");
        finish(child)
    };
    sandbox.script(&Script::new().cli_version("2.1.197"));
    let old = resume(&sandbox);
    assert_eq!(
        (old.status.code(), result(&old)["errors"].clone()),
        (Some(1), json!([format!("No conversation found with session ID: {SESSION}")]))
    );
    assert!(String::from_utf8_lossy(&old.stderr).contains("No conversation found"));
    sandbox.script(&Script::new());
    assert!(resume(&sandbox).status.success());
}

#[test]
fn wrong_command_lines_fail_as_the_real_ones_do() {
    let sandbox = Sandbox::new();
    turn(&sandbox, ["--session-id", SESSION], b"hi");
    let stderr = |first| {
        let output = turn(&sandbox, first, b"hi");
        assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
        String::from_utf8_lossy(&output.stderr).trim().to_owned()
    };
    assert_eq!(stderr(["--session-id", SESSION]), format!("Error: Session ID {SESSION} is already in use."));
    assert_eq!(stderr(["--session-id", "x"]), "Error: Invalid session ID. Must be a valid UUID.");
    assert_eq!(stderr(["--bogus", "x"]), "error: unknown option '--bogus'");
    let empty = turn(&sandbox, ["--effort", "low"], b"");
    assert!(String::from_utf8_lossy(&empty.stderr).contains("Input must be provided"));
    let large = turn(&sandbox, ["--effort", "low"], &vec![b'a'; 10 * 1024 * 1024 + 1]);
    assert!(String::from_utf8_lossy(&large.stderr).contains("exceeds 10MB"));
    let at_limit = turn(&sandbox, ["--effort", "low"], &vec![b'a'; 10 * 1024 * 1024]);
    assert!(at_limit.status.success());
}

#[test]
fn probes_answer_in_order() {
    let mut sandbox = Sandbox::new();
    let gate = sandbox.gate("probe");
    let run = |sandbox: &Sandbox, arguments: &[&str]| {
        let output = sandbox.command("fake-claude").args(arguments).output().expect("it runs");
        (String::from_utf8(output.stdout).expect("UTF-8"), output.status.code())
    };
    assert_eq!(run(&sandbox, &["--version"]), ("2.1.332 (Claude Code)\n".to_owned(), Some(0)));
    let (status, code) = run(&sandbox, &["auth", "status", "--json"]);
    let status: Value = serde_json::from_str(&status).expect("JSON");
    assert_eq!((&status["loggedIn"], &status["authMethod"], code), (&json!(true), &json!("oauth_token"), Some(0)));
    let script = Script::new()
        .version(Probe::answer("1.0.0 (Claude Code)\n", 0))
        .version(Probe::after(vec![gate.step()]))
        .cli_version("2.1.238");
    let fake = sandbox.script(&script.logged_out());
    assert_eq!(run(&sandbox, &["--version"]).0, "1.0.0 (Claude Code)\n");
    gate.open();
    assert_eq!(run(&sandbox, &["--version"]).0, "2.1.238 (Claude Code)\n");
    assert_eq!(run(&sandbox, &["auth", "status", "--json"]).1, Some(1));
    assert_eq!(run(&sandbox, &["auth", "status", "--json"]).1, Some(1), "the last one stays");
    assert_eq!(fake.version_call(1).argv, ["--version"]);
    assert_eq!(fake.auth_call(1).argv, ["auth", "status", "--json"]);
    assert_eq!(result(&turn(&sandbox, ["--effort", "low"], b"hi"))["result"], "Not logged in · Please run /login");
    assert_eq!(fake.launches(), 1);
}

#[test]
fn every_shape_of_failure_is_printed() {
    let mut sandbox = Sandbox::new();
    let errors = [
        ("overloaded", ApiError::overloaded()),
        ("401", ApiError::unauthorized()),
        ("credit", ApiError::no_credit()),
        ("429", ApiError::rate_limited()),
        ("limit", ApiError::usage_limit()),
        ("model", ApiError::unknown_model()),
        (
            "long",
            ApiError {
                terminal_reason: Some("prompt_too_long".into()),
                ..ApiError::new("invalid_request", Some(400), None, "Prompt is too long")
            },
        ),
    ];
    let mut script = Script::new();
    for (prompt, error) in &errors {
        script = script.on(prompt, Turn::api_error(error.clone()));
    }
    sandbox.script(&script);
    for (prompt, error) in errors {
        let output = turn(&sandbox, ["--effort", "low"], prompt.as_bytes());
        let frames = frames(&output);
        let (assistant, result) = (&frames[1], &frames[2]);
        assert_eq!(assistant["error"], json!(error.error));
        assert_eq!(
            (&result["is_error"], &result["subtype"], &result["result"]),
            (&json!(true), &json!("success"), &json!(error.text))
        );
        assert_eq!(result["terminal_reason"], json!(error.terminal_reason.unwrap_or("api_error".into())));
        assert_eq!((&result["api_error_status"], output.status.code()), (&json!(error.status), Some(1)));
    }
}

#[test]
fn results_can_be_strange() {
    let mut sandbox = Sandbox::new();
    let script = Script::new()
        .launch(Launch::turn(Turn::of(vec![Step::Init, Step::Exit { code: 0 }])))
        .launch(Launch::turn(Turn::echo().result(|result| {
            result.set.insert("is_error".into(), json!(true));
        })))
        .launch(Launch::turn(Turn::echo().after(Step::stray_result(json!({ "result": "second" })))))
        .launch(Launch::turn(Turn::echo().first(Step::zero_turns())))
        .launch(Launch::turn(Turn::echo().result(|result| {
            result.type_last = true;
            result.omit = vec!["usage".into()];
        })))
        .launch(Launch::turn(Turn::clear()))
        .launch(Launch::turn(Turn::say("dear").before(Step::Cost { usd: 0.5 })).exit(7));
    sandbox.script(&script);
    let run = || turn(&sandbox, ["--effort", "low"], b"hi");
    let none = run();
    assert_eq!((kinds(&frames(&none)), none.status.code()), (vec!["init".to_owned()], Some(0)));
    let failed = run();
    assert_eq!((result(&failed)["subtype"].clone(), failed.status.code()), (json!("success"), Some(1)));
    let two: Vec<Value> = frames(&run())
        .into_iter()
        .filter(|frame| frame["type"] == "result")
        .map(|frame| frame["result"].clone())
        .collect();
    assert_eq!(two, ["ECHO: hi", "second"]);
    let first = frames(&run());
    assert_eq!((&first[0]["num_turns"], &first[0]["result"]), (&json!(0), &json!("")));
    let last = run();
    assert!(last.stdout.trim_ascii_end().ends_with(br#""type":"result"}"#));
    assert_eq!(result(&last).get("usage"), None);
    let moved = run();
    let moved_frames = frames(&moved);
    assert_eq!(kinds(&moved_frames), ["conversation_reset", "init", "result"]);
    assert_ne!(moved_frames[0]["session_id"], result(&moved)["session_id"]);
    assert!(!sandbox.transcript(result(&moved)["session_id"].as_str().expect("an id")).is_empty());
    let dear = run();
    assert_eq!(kinds(&frames(&turn(&sandbox, ["--effort", "low"], b"/clear\n"))), kinds(&moved_frames));
    assert_eq!(
        (result(&dear)["total_cost_usd"].clone(), result(&dear)["result"].clone(), dear.status.code()),
        (json!(0.5), json!("dear"), Some(7))
    );
}

#[test]
fn output_can_be_ugly() {
    let mut sandbox = Sandbox::new();
    let script = Script::new()
        .on("crlf", Turn::echo().first(Step::Crlf))
        .on("bytes", Turn::echo().before(Step::Bytes { bytes: vec![b'{', 0xff, 0xfe, b'}', b'\n'] }))
        .on("line", Turn::echo().before(Step::Line { text: "no JSON".into(), ending: "\n".into() }))
        .on("big", Turn::echo().before(Step::BigLine { bytes: 5_000_000 }))
        .on("flood", Turn::echo().before(Step::Flood { frames: 100, bytes: 100_000 }))
        .on(
            "stderr",
            Turn::echo().before(Step::FloodStderr { bytes: 200_000 }).before(Step::Stderr { text: "end".into() }),
        )
        .on(
            "unknown",
            Turn::echo()
                .before(Step::Frame { json: json!({ "type": "from_the_future" }) })
                .before(Step::Frame { json: json!([1]) }),
        )
        .on(
            "events",
            Turn::echo()
                .before(Step::rate_limit_allowed())
                .before(Step::rate_limit_warning(5))
                .before(Step::rate_limit_rejected(6))
                .before(Step::ApiRetry {
                    attempt: 1,
                    max_retries: 10,
                    error_status: Some(529),
                    error: "overloaded".into(),
                })
                .before_result(Step::PermissionDenied { tool: "Write".into(), message: "no".into() }),
        );
    sandbox.script(&script);
    let run = |prompt: &str| turn(&sandbox, ["--effort", "low"], prompt.as_bytes());
    let crlf = run("crlf").stdout;
    assert!(crlf.split_inclusive(|byte| *byte == b'\n').all(|line| line.ends_with(b"\r\n")));
    assert!(std::str::from_utf8(&run("bytes").stdout).is_err());
    assert!(run("line").stdout.windows(9).any(|part| part == b"\nno JSON\n"));
    assert!(run("big").stdout.split(|byte| *byte == b'\n').any(|line| line.len() > 5_000_000));
    assert!(run("flood").stdout.len() > 10_000_000);
    let stderr = run("stderr").stderr;
    assert!(stderr.len() >= 200_000 && stderr.ends_with(b"end"));
    assert_eq!(kinds(&frames(&run("unknown")))[2], "from_the_future");
    let events = run("events");
    let events_frames = frames(&events);
    let limits: Vec<&Value> = events_frames
        .iter()
        .filter(|frame| frame["type"] == "rate_limit_event")
        .map(|frame| &frame["rate_limit_info"]["status"])
        .collect();
    assert_eq!(limits, ["allowed", "allowed_warning", "rejected"]);
    assert!(kinds(&events_frames).contains(&"api_retry".to_owned()));
    assert_eq!(result(&events)["permission_denials"][0]["tool_name"], "Write");
}

#[test]
fn recordings_are_replayed_with_the_session_of_the_run() {
    let mut sandbox = Sandbox::new();
    sandbox.script(&Script::new().launch(Launch::turn(Turn::recording("2.1.332/e529", 1))));
    let output = turn(&sandbox, ["--session-id", SESSION], b"hi");
    assert_eq!(output.status.code(), Some(1));
    let recorded = std::fs::read_to_string(fixture("frames/2.1.332/e529.jsonl")).expect("the recording");
    let frames = frames(&output);
    assert_eq!(frames.len(), recorded.lines().count());
    assert!(frames.iter().all(|frame| frame["session_id"] == SESSION));
    assert_eq!(result(&output)["api_error_status"], 529);
}

#[test]
fn launches_are_chosen_by_order_and_by_argument() {
    let mut sandbox = Sandbox::new();
    let script = Script::new()
        .launch(Launch::turn(Turn::say("first")))
        .when("--resume", vec![Launch::turn(Turn::say("resumed")), Launch::turn(Turn::say("resumed again"))])
        .always(Launch::turn(Turn::tool("Bash", json!({ "command": "ls" }), "files")));
    sandbox.script(&script);
    let said = |first| result(&turn(&sandbox, first, b"hi"))["result"].clone();
    assert_eq!(said(["--session-id", SESSION]), "first");
    assert_eq!(said(["--resume", SESSION]), "resumed");
    let always = turn(&sandbox, ["--effort", "low"], b"hi");
    assert_eq!(
        frames(&always).iter().filter(|frame| frame["type"] == "assistant").count(),
        2,
        "a tool call and an answer"
    );
    assert_eq!(said(["--resume", SESSION]), "resumed again");
    assert_eq!(said(["--resume", SESSION]), "resumed again");
}

#[test]
fn an_owner_is_named_while_it_lives() {
    let mut sandbox = Sandbox::new();
    let (flag, gate) = (sandbox.flag("in"), sandbox.gate("out"));
    let fake =
        sandbox.script(&Script::new().launch(Launch::turn(Turn::echo().before(flag.step()).before(gate.step()))));
    let mut child = command(&sandbox, ["--session-id", SESSION]).spawn().expect("it starts");
    child.stdin.take().expect("a pipe").write_all(b"hi").expect("the prompt");
    flag.wait();
    let launch = fake.launch(0);
    let note = sandbox.config_dir().join("sessions").join(format!("{}.json", launch.pid));
    let owner: Value = serde_json::from_slice(&std::fs::read(&note).expect("the note")).expect("JSON");
    assert_eq!((&owner["sessionId"], &owner["procStart"]), (&json!(SESSION), &json!(launch.start)));
    assert_eq!(launch.exit(), None);
    gate.open();
    assert!(child.wait().expect("a status").success());
    assert!(!note.exists());
    assert!(!launch.process().is_alive());
}

#[test]
#[cfg(unix)]
fn signals_end_it_as_the_real_one_unless_it_is_stubborn() {
    use std::os::unix::process::ExitStatusExt;

    use crate::support::processes::signal;

    let mut sandbox = Sandbox::new();
    let flags = ["a", "b", "c"].map(|name| sandbox.flag(name));
    let script = Script::new()
        .launch(Launch::turn(Turn::work().before(flags[0].step())).start(Step::Sleep { ms: 0 }))
        .launch(Launch::turn(Turn::of(vec![
            Step::Init,
            Step::ToolCall { name: "Bash".into(), input: json!({}) },
            flags[1].step(),
            Step::Work,
        ])))
        .launch(Launch::turn(Turn::of(vec![flags[2].step(), Step::Hang])).stubborn())
        .launch(Launch::turn(Turn::of(vec![Step::Kill { signal: Signal::Segv }])))
        .launch(Launch::turn(Turn::of(vec![Step::Kill { signal: Signal::Kill }])));
    let fake = sandbox.script(&script);
    let start = || {
        let mut child = command(&sandbox, ["--effort", "low"]).spawn().expect("it starts");
        child.stdin.take().expect("a pipe").write_all(b"hi").expect("the prompt");
        child
    };
    let term = start();
    flags[0].wait();
    signal(&fake.launch(0).process(), "TERM");
    let output = finish(term);
    assert_eq!((output.status.code(), kinds(&frames(&output))), (Some(143), vec!["init".to_owned()]));

    let int = start();
    flags[1].wait();
    signal(&fake.launch(1).process(), "INT");
    let output = finish(int);
    assert_eq!((output.status.code(), result(&output)["terminal_reason"].clone()), (Some(0), json!("aborted_tools")));

    let mut stubborn = start();
    flags[2].wait();
    let launch = fake.launch(2);
    signal(&launch.process(), "INT");
    signal(&launch.process(), "TERM");
    wait_for(LIMIT, "both signals arrived", || {
        launch.signals() == ["INT", "TERM"] || launch.signals() == ["TERM", "INT"]
    });
    assert!(launch.process().is_alive());
    signal(&launch.process(), "KILL");
    assert_eq!(stubborn.wait().expect("a status").signal(), Some(9));

    assert_eq!(start().wait().expect("a status").signal(), Some(11));
    assert_eq!(start().wait().expect("a status").signal(), Some(9));
}

#[test]
#[cfg(unix)]
fn processes_can_be_left_behind() {
    let mut sandbox = Sandbox::new();
    let root = sandbox.root().to_owned();
    let file = |name: &str| root.join(name);
    let spawn = |offspring, name: &str, holds_stdout| {
        Step::Spawn(Spawn { offspring, pid_file: file(name), holds_stdout, stubborn: true })
    };
    let turn_script = Turn::echo()
        .before(spawn(Offspring::Child, "child", false))
        .before(spawn(Offspring::OwnSession, "session", false))
        .before(spawn(Offspring::Detached, "detached", true));
    sandbox.script(&Script::new().launch(Launch::turn(turn_script)));
    let mut child = command(&sandbox, ["--effort", "low"]).spawn().expect("it starts");
    child.stdin.take().expect("a pipe").write_all(b"hi").expect("the prompt");
    assert!(child.wait().expect("a status").success());
    let left: Vec<Process> =
        ["child", "session", "detached"].map(|name| wait_until(LIMIT, name, || Process::from_file(&file(name)))).into();
    assert!(left.iter().all(Process::is_alive));
    let group = |process: &Process| {
        rustix::process::getpgid(rustix::process::Pid::from_raw(i32::try_from(process.pid).expect("a pid")))
            .expect("a group")
    };
    assert_ne!(group(&left[0]).as_raw_nonzero().get().unsigned_abs(), left[0].pid, "in Claude's group");
    assert_eq!(group(&left[1]).as_raw_nonzero().get().unsigned_abs(), left[1].pid, "a group of its own");
    assert_ne!(group(&left[2]), group(&left[0]));
    for name in ["child", "session", "detached"] {
        std::fs::remove_file(file(name)).expect("the pid file");
    }
    for process in &left {
        wait_for(LIMIT, "it ends when its file is gone", || !process.is_alive());
    }
    // The pipe stayed open as long as the detached one lived; now it ends.
    finish(child);
}

#[test]
#[cfg(unix)]
fn it_can_wait_at_a_pipe_stop_reading_and_stop_printing() {
    let mut sandbox = Sandbox::new();
    let fifo = sandbox.root().join("fifo");
    assert!(sandbox.command("mkfifo").arg(&fifo).status().expect("mkfifo runs").success());
    let script = Script::new()
        .launch(Launch::turn(Turn::echo().before(Step::Fifo { path: fifo.clone() })).never_read())
        .launch(Launch::turn(Turn::echo().before(Step::CloseStdout)))
        .launch(Launch::default().end(Step::Line { text: "bye".into(), ending: String::new() }));
    sandbox.script(&script);
    let child = command(&sandbox, ["--effort", "low"]).spawn().expect("it starts");
    std::fs::write(&fifo, "go").expect("a reader");
    let output = finish(child);
    assert_eq!(result(&output)["result"], "ECHO: (never read)");
    let closed = turn(&sandbox, ["--effort", "low"], b"hi");
    assert_eq!(
        (kinds(&frames(&closed)), closed.status.code()),
        (vec!["init".to_owned(), "status".to_owned()], Some(0))
    );
    assert!(turn(&sandbox, ["--effort", "low"], b"hi").stdout.ends_with(b"\nbye"));
}
