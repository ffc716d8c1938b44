//! The reply as it is printed: text, JSON, frames; and where everything else goes.

use std::{
    fs,
    io::{BufRead, BufReader, Read},
    process::Stdio,
};

use serde_json::{Value, json};

use crate::support::{
    LIMIT, Sandbox,
    fake::{ApiError, Launch, ResultStep, Script, Step, Turn},
    finish, wait_for,
};

const START: [&str; 3] = ["start", "--model", "opus"];

fn start(sandbox: &Sandbox, more: &[&str]) -> crate::support::terminal::Run {
    sandbox.ccmcp(&[&START[..], more].concat())
}

/// A CLI whose every turn is this one.
fn with(turn: Turn) -> Sandbox {
    let mut sandbox = Sandbox::new();
    sandbox.script(&Script::new().always(Launch::turn(turn)));
    sandbox
}

#[test]
fn the_text_goes_to_standard_output_and_the_rest_to_standard_error() {
    let sandbox = with(Turn::echo());
    let run = start(&sandbox, &["hi"]);
    assert_eq!((run.status, run.stdout.as_str()), (Some(0), "ECHO: hi\n"));
    let words: Vec<&str> = run.stderr.split_whitespace().collect();
    let [session, id, rest @ ..] = words.as_slice() else { panic!("{run:#?}") };
    assert_eq!(*session, "session");
    assert_eq!(rest.join(" "), format!("· $0.0100 · 0.1 s · go on: ccmcp send {id} --model opus …"));
    let again = sandbox.ccmcp(&["send", id, "--model", "opus", "more"]);
    assert_eq!((again.status, again.stdout.as_str()), (Some(0), "ECHO: more\n"));
    assert_eq!(run.stderr.lines().count(), 1, "{run:#?}");
}

#[test]
fn the_text_is_printed_as_it_is_written() {
    let mut sandbox = Sandbox::new();
    let gate = sandbox.gate("end");
    let turn = Turn::echo().before_result(gate.step());
    sandbox.script(&Script::new().always(Launch::turn(turn)));
    let mut command = sandbox.command("ccmcp");
    command.args(START).arg("hi").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    let mut text = [0; 8];
    child.stdout.as_mut().expect("a pipe").read_exact(&mut text).expect("the text");
    assert_eq!(&text, b"ECHO: hi");
    gate.open();
    assert_eq!(finish(child).stdout, b"\n");
}

#[test]
fn pieces_are_joined_blocks_are_paragraphs_and_the_last_line_ends() {
    let say = |text: &str| Step::Say { text: Some(text.to_owned()) };
    let two = Turn::of(vec![Step::Init, say("first\n"), say("second"), Step::Result(ResultStep::default())]);
    assert_eq!(start(&with(two), &["hi"]).stdout, "first\n\nsecond\n");
    assert_eq!(start(&with(Turn::say("one\ntwo\n")), &["hi"]).stdout, "one\ntwo\n");
    let tool = Turn::tool("Bash", json!({ "command": "ls" }), "output");
    let run = start(&with(tool.first(say("Looking."))), &["hi"]);
    assert_eq!(run.stdout, "Looking.\n\nECHO: hi\n");
}

#[test]
fn a_reply_that_was_not_streamed_is_printed_at_the_end() {
    let local = |result: &mut ResultStep| {
        result.zero_turns = true;
        result.set.insert("result".into(), json!("Total cost: $0.01"));
    };
    let mut step = ResultStep::default();
    local(&mut step);
    let sandbox = with(Turn::of(vec![Step::Init, Step::Result(step)]));
    assert_eq!(start(&sandbox, &["/cost"]).stdout, "Total cost: $0.01\n");
}

#[test]
fn a_pipe_gets_the_text_as_it_is_and_nothing_has_colours() {
    let text = "a\u{1b}[31mred\u{7} \u{202e}ä 灯台";
    let mut sandbox = with(Turn::say(text));
    for (name, value) in [("TERM", "xterm-256color"), ("COLORTERM", "truecolor")] {
        sandbox.set(name, value);
    }
    let run = start(&sandbox, &["hi"]);
    assert_eq!(run.stdout, format!("{text}\n"));
    assert!(!run.stderr.contains('\u{1b}'), "{run:#?}");
    let run = start(&with(Turn::api_error(ApiError::overloaded())), &["hi"]);
    assert!(!run.stderr.contains('\u{1b}') && run.stdout.is_empty(), "{run:#?}");
}

#[test]
fn json_is_the_result_object_and_nothing_else() {
    let run = start(&with(Turn::echo()), &["--json", "hi"]);
    assert_eq!(run.answer()["response"], "ECHO: hi");
    assert!(run.stdout.ends_with("}\n"));
    let run = start(&with(Turn::api_error(ApiError::overloaded())), &["--json", "hi"]);
    run.error("CLI_EXIT_UNKNOWN");
    assert_eq!((run.status, run.stderr.as_str()), (Some(1), ""));
    // So are errors from before the turn.
    let run = start(&Sandbox::new(), &["--json", " "]);
    run.error("SCHEMA_VALIDATION");
    assert_eq!(run.stderr, "");
}

#[test]
#[cfg(unix)]
fn frames_are_the_clis_lines_the_result_included() {
    let mut sandbox = with(Turn::echo().before(Step::Frame { json: json!({ "type": "new", "text": "ä \u{1}" }) }));
    let copy = sandbox.copy_output();
    let run = start(&sandbox, &["--stream-json", "hi"]);
    assert_eq!(run.status, Some(0));
    assert_eq!(run.stdout, fs::read_to_string(copy).expect("the copy"));
    let last: Value = serde_json::from_str(run.stdout.lines().last().expect("a line")).expect("JSON");
    assert_eq!(last["type"], "result");
    let run = start(&with(Turn::api_error(ApiError::overloaded())), &["--stream-json", "hi"]);
    assert!(run.stdout.contains("api_error") && run.stderr.contains("[CLI_EXIT_UNKNOWN]"), "{run:#?}");
}

#[test]
fn an_error_says_what_why_and_what_next() {
    let broken = Turn::of(vec![
        Step::Init,
        Step::Stderr { text: "it \u{1b}[31mbroke\nbadly\n".to_owned() },
        Step::Exit { code: 7 },
    ]);
    let mut sandbox = Sandbox::new();
    let fake = sandbox.script(&Script::new().always(Launch::turn(broken)));
    let run = start(&sandbox, &["hi"]);
    let id = fake.launch(0).value_of("--session-id").expect("an id").to_owned();
    assert_eq!((run.status, run.stdout.as_str()), (Some(1), ""));
    let lines: Vec<&str> = run.stderr.lines().collect();
    assert_eq!(
        lines,
        [
            "error: Claude ended before its turn did. [CLI_EXIT_UNKNOWN]",
            "  claude: it [31mbroke",
            "  claude: badly",
            "hint: Look at the details, run `ccmcp doctor`, then try again.",
            &format!("go on: ccmcp send {id} --model opus …"),
        ]
    );
}

#[test]
fn the_exit_code_tells_the_class_of_the_failure() {
    let rows = [
        (Turn::echo(), 0, ""),
        (Turn::api_error(ApiError::overloaded()), 1, "CLI_EXIT_UNKNOWN"),
        (Turn::api_error(ApiError::no_credit()), 1, "CREDIT_EXHAUSTED"),
        (Turn::api_error(ApiError::rate_limited()), 1, "RATE_LIMITED"),
        (Turn::api_error(ApiError::new("model_not_found", Some(404), None, "no")), 2, "MODEL_REJECTED"),
        (Turn::api_error(ApiError::logged_out()), 4, "AUTH_FAILED"),
        (Turn::of(vec![Step::Init, Step::Hang]), 5, "IDLE_TIMEOUT"),
        (Turn::of(vec![Step::Init]), 1, "CLI_OUTPUT_INVALID"),
    ];
    for (turn, status, code) in rows {
        let run = start(&with(turn), &["--timeout-idle-ms", "2000", "hi"]);
        assert_eq!(run.status, Some(status), "{run:#?}");
        assert!(run.stderr.contains(code), "{run:#?}");
    }
}

#[test]
fn a_prompt_comes_from_the_argument_or_from_standard_input() {
    let mut sandbox = Sandbox::new();
    let fake = sandbox.script(&Script::new());
    let piped = |more: &[&str], input: &[u8]| sandbox.ccmcp_with(&[&START[..], more].concat(), input);
    assert_eq!(piped(&["-"], b"from\nthe pipe\n").status, Some(0));
    assert_eq!(piped(&[], b"from the pipe").status, Some(0));
    assert_eq!(piped(&["the argument"], b"not this").status, Some(0));
    let given: Vec<Vec<u8>> = (0..3).map(|number| fake.launch(number).stdin()).collect();
    assert_eq!(given, [&b"from\nthe pipe\n"[..], b"from the pipe", b"the argument"]);
    for (input, why) in [(&b""[..], "not empty"), (b" \n", "not empty"), (b"\xff\xfe", "UTF-8")] {
        let run = piped(&["-"], input);
        assert_eq!(run.status, Some(2), "{run:#?}");
        assert!(run.stderr.contains(why), "{run:#?}");
    }
    assert_eq!(fake.launches(), 3);
}

#[test]
fn further_arguments_are_handed_on_but_those_that_ccmcp_sets() {
    let mut sandbox = Sandbox::new();
    let fake = sandbox.script(&Script::new());
    let more = ["hi", "--", "--add-dir", "/tmp", "--append-system-prompt", "be brief; $(id)"];
    assert_eq!(start(&sandbox, &more).status, Some(0));
    let argv = fake.launch(0).argv;
    assert_eq!(argv[argv.len() - 5..], ["--add-dir", "/tmp", "--append-system-prompt", "be brief; $(id)", "-p"]);
    let own = [
        "--session-id",
        "--resume",
        "-r",
        "--continue",
        "-c",
        "--fork-session",
        "--model",
        "--permission-mode",
        "--dangerously-skip-permissions",
        "--output-format",
        "--input-format",
        "--verbose",
        "--include-partial-messages",
        "--print",
        "-p",
    ];
    for flag in own {
        for argument in [flag.to_owned(), format!("{flag}=x"), format!("{flag}x")] {
            if argument == format!("{flag}x") && flag.starts_with("--") {
                continue;
            }
            let run = start(&sandbox, &["--json", "hi", "--", &argument]);
            assert_eq!(run.error("SCHEMA_VALIDATION")["details"]["field"], flag, "{argument}");
            assert_eq!(run.status, Some(2));
        }
    }
    assert_eq!(fake.launches(), 1);
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let say = "many words ".repeat(100_000);
    let sandbox = with(Turn::say(&say));
    for form in [&["hi"][..], &["--stream-json", "hi"]] {
        let mut command = sandbox.command("ccmcp");
        command.args(START).args(form).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("it starts");
        let mut some = [0; 5];
        let mut stdout = child.stdout.take().expect("a pipe");
        stdout.read_exact(&mut some).expect("some of it");
        drop(stdout);
        let output = finish(child);
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(0), "{stderr}");
        assert!(!stderr.contains("error") && !stderr.contains("panic"), "{stderr}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn on_a_terminal_there_is_a_spinner_on_standard_error() {
    let mut sandbox = Sandbox::new();
    let gate = sandbox.gate("end");
    let tool = Step::ToolCall { name: "Bash".to_owned(), input: json!({ "command": "ls" }) };
    sandbox.script(&Script::new().always(Launch::turn(Turn::echo().before(tool).before(gate.step()))));
    sandbox.set("TERM", "xterm");
    let text = sandbox.root().join("text");
    // `script` gives a terminal; standard output goes elsewhere, so that what it shows is standard error.
    let line =
        format!("'{}' start --model opus hi >'{}'", sandbox.command("ccmcp").get_program().display(), text.display());
    let mut command = sandbox.command("script");
    command.args(["-qefc", &line, "/dev/null"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().expect("script runs");
    let mut shown = BufReader::new(child.stdout.take().expect("a pipe"));
    let seen = std::thread::spawn(move || {
        let mut seen = Vec::new();
        while shown.read_until(b'\r', &mut seen).is_ok_and(|count| count > 0) {
            if String::from_utf8_lossy(&seen).contains("Bash") {
                gate.open();
            }
        }
        String::from_utf8_lossy(&seen).into_owned()
    });
    wait_for(LIMIT, "it ends", || child.try_wait().expect("a status").is_some());
    drop(child.stdin.take());
    let seen = seen.join().expect("what was shown");
    assert!(seen.contains("Bash") && seen.contains("go on: ccmcp send"), "{seen:?}");
    assert!(!seen.contains("ECHO"), "{seen:?}");
    assert_eq!(fs::read_to_string(text).expect("the text"), "ECHO: hi\n");
}

#[test]
#[cfg(target_os = "linux")]
fn colours_are_for_terminals_that_want_them() {
    for (variable, coloured) in [("IRRELEVANT", true), ("NO_COLOR", false)] {
        let mut sandbox = Sandbox::new();
        sandbox.set("TERM", "xterm");
        sandbox.set(variable, "1");
        let line = format!("'{}' send zz --model opus hi", sandbox.command("ccmcp").get_program().display());
        let mut command = sandbox.command("script");
        command.args(["-qec", &line, "/dev/null"]);
        let run = crate::support::terminal::spawn(command, b"").finish();
        assert_eq!(run.status, Some(3), "{run:#?}");
        assert_eq!(run.stdout.contains("\u{1b}[1;31merror"), coloured, "{variable}: {run:#?}");
        assert_eq!(run.stdout.contains('\u{1b}'), coloured, "{variable}: {run:#?}");
    }
}

#[test]
fn json_and_frames_exclude_each_other() {
    let run = start(&Sandbox::new(), &["--json", "--stream-json", "hi"]);
    assert_eq!(run.status, Some(2));
    let run = Sandbox::new().ccmcp(&["--version"]);
    assert_eq!(run.stdout, format!("ccmcp {}\n", env!("CARGO_PKG_VERSION")));
}
