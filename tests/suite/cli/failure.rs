//! Why a turn failed, in the words of the command line; and in the tools' words where JSON was asked for.

use serde_json::json;

use crate::support::{
    Sandbox,
    fake::{ApiError, Launch, Script, Step, Turn},
    terminal::Run,
};

/// Words of the tools that nobody can type.
const TOOLS: [&str; 7] =
    ["initial_prompt", "`message`", "timeout_idle_ms", "timeout_wall_ms", "call again", "as cwd", "send a message"];

#[track_caller]
fn told(run: &Run, what: &str, next: &str) {
    let tools: Vec<_> = TOOLS.into_iter().filter(|word| run.stderr.contains(word)).collect();
    assert!(tools.is_empty(), "{tools:?}: {run:#?}");
    let lines: Vec<&str> = run.stderr.lines().collect();
    assert!(lines.iter().any(|line| line.starts_with("error: ") && line.contains(what)), "{what}: {run:#?}");
    assert!(lines.iter().any(|line| line.starts_with("hint: ") && line.contains(next)), "{next}: {run:#?}");
}

#[test]
fn bad_arguments_are_named_as_they_are_typed() {
    let mut sandbox = Sandbox::new();
    let fake = sandbox.script(&Script::new());
    let session = sandbox.session();
    let rows: [(&[&str], &str, &str, &str); 4] = [
        (&["start", ""], "PROMPT is not valid", "Give the PROMPT as an argument, or `-`", "initial_prompt"),
        (&["send", &session, " "], "MESSAGE is not valid", "Give the MESSAGE as an argument", "message"),
        (&["start", "hi", "--timeout-idle-ms", "0"], "--timeout-idle-ms is not valid", "60000", "timeout_idle_ms"),
        (&["send", "last", "hi", "--timeout-wall-ms", "0"], "--timeout-wall-ms is", "1800000", "timeout_wall_ms"),
    ];
    for (arguments, what, next, field) in rows {
        let arguments = [arguments, &["--model", "opus"]].concat();
        let run = sandbox.ccmcp(&arguments);
        assert_eq!((run.status, run.stdout.as_str()), (Some(2), ""), "{run:#?}");
        told(&run, what, next);
        let error = sandbox.ccmcp(&[&arguments[..], &["--json"]].concat()).error("SCHEMA_VALIDATION");
        assert_eq!(
            (&error["details"]["field"], &error["hint"]),
            (&json!(field), &json!("Correct the argument and call again."))
        );
    }
    let long = "x".repeat(10 * 1024 * 1024 + 1);
    let run = sandbox.ccmcp_with(&["start", "--model", "opus", "-"], long.as_bytes());
    told(&run, "PROMPT is not valid", "Put the text into a file");
    assert_eq!(fake.launches(), 1);
}

#[test]
fn a_failed_turn_names_the_session_that_can_go_on() {
    let silent = || Turn::of(vec![Step::Init, Step::Hang]);
    let rows: [(Turn, &[&str], &str, &str); 3] = [
        (Turn::api_error(ApiError::overloaded()), &[], "CLI_EXIT_UNKNOWN", "Try again later"),
        (silent(), &["--timeout-idle-ms", "2000"], "IDLE_TIMEOUT", "Raise --timeout-idle-ms"),
        (silent(), &["--timeout-wall-ms", "2000"], "WALL_TIMEOUT", "Raise --timeout-wall-ms"),
    ];
    for (turn, limit, code, next) in rows {
        let mut sandbox = Sandbox::new();
        let script = Script::new().launch(Launch::turn(turn.clone())).launch(Launch::turn(turn));
        let fake = sandbox.script(&script);
        let start = [&["start", "--model", "opus", "hi"], limit].concat();
        let run = sandbox.ccmcp(&start);
        told(&run, code, next);
        let id = fake.launch(0).value_of("--session-id").expect("an id").to_owned();
        assert!(run.stderr.ends_with(&format!("\ngo on: ccmcp send {id} --model opus …\n")), "{run:#?}");
        // No id beside an error where a program reads it.
        let run = sandbox.ccmcp(&[&start[..], &["--json"]].concat());
        run.error(code);
        let id = fake.launch(1).value_of("--session-id").expect("an id").to_owned();
        assert!(!run.stdout.contains(&id) && !run.stderr.contains(&id), "{run:#?}");
        // What it says works.
        let id = fake.launch(0).value_of("--session-id").expect("an id").to_owned();
        assert_eq!(sandbox.send(&id, "more").answer()["session_id"], id);
    }
}

#[test]
fn a_turn_that_never_began_leaves_no_command_to_go_on() {
    let mut sandbox = Sandbox::new();
    sandbox.script(&Script::new().launch(Launch::default()).launch(Launch::default().start(Step::Hang)));
    sandbox.session();
    let run = sandbox.ccmcp(&["start", "--model", "opus", "--timeout-idle-ms", "1000", "hi"]);
    told(&run, "IDLE_TIMEOUT", "Raise --timeout-idle-ms");
    assert!(!run.stderr.contains("go on"), "{run:#?}");
}
