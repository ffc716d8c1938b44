//! What must not be told: prompts, values of the environment, session ids.

use std::fs;

use crate::support::{
    Sandbox,
    fake::{ApiError, Launch, Script, Step, Turn},
};

const PROMPT: &str = "the-prompt-that-nobody-may-see";
const TOKEN: &str = "sk-ant-oat01-very-secret-token";
const VALUE: &str = "postgres://admin:hunter2-the-password@db";

/// A CLI that prints everything it was given wherever it can.
fn talkative(session: &str) -> Vec<Step> {
    let leak = format!("{PROMPT} {TOKEN} {VALUE} {session}");
    vec![
        Step::Init,
        Step::Stderr { text: format!("{leak}\n") },
        Step::ApiError(ApiError::new("unknown", Some(500), Some("api_error"), &leak)),
        Step::Stderr { text: format!("again: {leak}\n") },
    ]
}

#[test]
fn no_error_tells_a_prompt_a_token_a_value_or_a_session() {
    let mut sandbox = Sandbox::new();
    sandbox.set("CLAUDE_CODE_OAUTH_TOKEN", TOKEN);
    sandbox.set("DATABASE_PASSWORD", VALUE);
    sandbox.script(&Script::new());
    let session = sandbox.session();
    let lines = Launch::turn(Turn::of(talkative(&session)));
    let crash = Launch::turn(Turn::of([talkative(&session)[..2].to_vec(), vec![Step::Exit { code: 3 }]].concat()));
    let taken = Step::Stderr { text: format!("Error: Session ID {session} is already in use. {PROMPT}\n") };
    let taken = Launch::turn(Turn::of(vec![taken, Step::Exit { code: 1 }]));
    let hung = Launch::turn(Turn::of([talkative(&session)[..2].to_vec(), vec![Step::Hang]].concat()));
    sandbox.script(&Script::new().launch(lines).launch(crash).launch(taken).launch(hung));
    for code in ["CLI_EXIT_UNKNOWN", "CLI_EXIT_UNKNOWN", "SESSION_ID_IN_USE", "IDLE_TIMEOUT"] {
        let limit = ["--timeout-idle-ms", "2000", "--log-level", "trace"];
        let run = sandbox.ccmcp(&[&["send", &session, "--model", "opus", "--json", PROMPT], &limit[..]].concat());
        run.error(code);
        for secret in [PROMPT, TOKEN, VALUE, "hunter2", session.as_str()] {
            assert!(!run.stdout.contains(secret) && !run.stderr.contains(secret), "{code}: {secret}: {run:#?}");
        }
    }
}

#[test]
fn a_bad_argument_is_named_and_never_quoted() {
    let sandbox = Sandbox::new();
    let runs = [
        sandbox.ccmcp(&["start", "--json", "--model", PROMPT, "hi"]),
        sandbox.ccmcp(&[
            "start",
            "--json",
            "--model",
            "opus",
            "--cwd",
            "/missing/the-prompt-that-nobody-may-see",
            "hi",
        ]),
        sandbox.ccmcp(&["start", "--json", "--model", "opus", "hi", "--", "--resume=the-prompt-that-nobody-may-see"]),
    ];
    for run in runs {
        assert!(run.json()["error"]["code"].is_string());
        assert!(!run.stdout.contains(PROMPT) && !run.stderr.contains(PROMPT), "{run:#?}");
    }
}

#[test]
fn a_lock_that_cannot_be_taken_names_no_session() {
    let mut sandbox = Sandbox::new();
    let fake = sandbox.script(&Script::new());
    let session = sandbox.session();
    let locks = sandbox.state_dir().join("locks");
    fs::remove_dir_all(&locks).expect("the locks");
    fs::write(&locks, "").expect("a file in their place");
    for run in [sandbox.start("hi"), sandbox.send(&session, "hi")] {
        let error = run.error("INTERNAL_ERROR");
        assert_eq!(run.status, Some(70));
        assert!(error["message"].as_str().expect("a message").contains("SESSION.lock"), "{error}");
        assert!(!run.stdout.contains(&session), "{error}");
    }
    assert_eq!(fake.launches(), 1, "nothing runs without its lock");
}
