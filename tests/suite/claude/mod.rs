//! Tests of `core::claude` on recorded output of the real CLI, two versions of it.

use std::{fs, path::Path};

use ccmcp::core::{
    claude::{Frame, Models, Observation},
    error::ErrorCode,
    process::Exit,
};
use serde_json::Value;

/// What each recorded scenario must be reported as; `None` is success.
pub(crate) const TABLE: &[(&str, Option<ErrorCode>)] = &[
    ("can_use_tool_deny", None),
    ("e400credit", Some(ErrorCode::CreditExhausted)),
    ("e400long", Some(ErrorCode::CliExitUnknown)),
    ("e401", Some(ErrorCode::AuthFailed)),
    ("e403", Some(ErrorCode::AuthFailed)),
    ("e403org", Some(ErrorCode::AuthFailed)),
    ("e404", Some(ErrorCode::ModelRejected)),
    ("e429", Some(ErrorCode::RateLimited)),
    ("e500", Some(ErrorCode::CliExitUnknown)),
    ("e529", Some(ErrorCode::CliExitUnknown)),
    ("interrupt_streaming", Some(ErrorCode::Cancelled)),
    ("interrupt_tool", Some(ErrorCode::Cancelled)),
    ("max_budget", Some(ErrorCode::CliExitUnknown)),
    ("max_turns", Some(ErrorCode::CliExitUnknown)),
    ("not_logged_in", Some(ErrorCode::AuthFailed)),
    ("oauth_e401exp", Some(ErrorCode::AuthFailed)),
    ("oauth_e403rev", Some(ErrorCode::AuthFailed)),
    ("oauth_e429u", Some(ErrorCode::RateLimited)),
    ("oauth_e429w", Some(ErrorCode::RateLimited)),
    ("oauth_rlok", None),
    ("oauth_rlwarn", None),
    ("ok", None),
    ("ok_partial", None),
    ("perm_denied_no_host", None),
    ("resume_ok", None),
    ("resume_unknown", Some(ErrorCode::SessionNotFound)),
    ("session_first", None),
    ("session_in_use", Some(ErrorCode::SessionIdInUse)),
    // Ended by a signal, with nothing but `init` before it: 0 for SIGINT, 143 for SIGTERM.
    ("signal_SIGINT", Some(ErrorCode::CliOutputInvalid)),
    ("signal_SIGTERM", Some(ErrorCode::CliExitUnknown)),
    ("stream_two_turns_context", None),
];

struct Recording {
    version: String,
    scenario: String,
    exit: Exit,
    stderr: String,
    lines: Vec<Vec<u8>>,
}

fn recordings() -> Vec<Recording> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/frames");
    let index: Vec<Value> = serde_json::from_slice(&fs::read(root.join("index.json")).unwrap()).unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let read = |entry: &Value| {
        let (version, scenario) = (text(&entry["version"]), text(&entry["scenario"]));
        let bytes = fs::read(root.join(&version).join(format!("{scenario}.jsonl"))).unwrap();
        let exit = match entry["exit"].as_i64() {
            Some(code) => Exit::Code(code.try_into().unwrap()),
            None => Exit::Signal(entry["signal"].as_i64().unwrap().try_into().unwrap()),
        };
        let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).map(<[u8]>::to_vec).collect();
        Recording { version, scenario, exit, stderr: text(&entry["stderr"]), lines }
    };
    index.iter().map(read).collect()
}

#[test]
fn every_recording_maps_to_its_code() {
    let recordings = recordings();
    assert_eq!(recordings.len(), 2 * TABLE.len(), "every recording is in the table");
    let models = Models::new(&[]);
    for recording in recordings {
        let name = format!("{} {}", recording.version, recording.scenario);
        let expected = TABLE.iter().find(|(scenario, _)| *scenario == recording.scenario).expect(&name).1;
        let mut observation = Observation::default();
        for line in &recording.lines {
            let frame = Frame::read(line);
            assert!(!matches!(frame, Frame::Invalid), "{name}: {}", String::from_utf8_lossy(line));
            observation.see(&frame);
        }
        let outcome = observation.conclude(recording.exit, &recording.stderr);
        let outcome = outcome.map_err(|failure| failure.into_error(&models, &recording.stderr));
        match (expected, outcome) {
            (None, Ok(result)) => assert!(result.result.is_some_and(|text| text == "Hello from mock"), "{name}"),
            (Some(code), Err(error)) => {
                assert_eq!(error.code, code, "{name}");
                assert!(error.hint.is_some(), "{name}");
                if recording.scenario.starts_with("oauth_e429") {
                    assert!(error.details.resets_at.is_some(), "{name}: {error:?}");
                }
                if ["e500", "e529"].contains(&recording.scenario.as_str()) {
                    assert_eq!(error.details.retryable, Some(true), "{name}");
                    assert!(error.details.api_error_status.is_some_and(|status| status >= 500), "{name}");
                }
                if recording.scenario == "e400long" {
                    assert_eq!(error.details.terminal_reason.as_deref(), Some("prompt_too_long"), "{name}");
                }
            }
            (expected, outcome) => panic!("{name}: expected {expected:?}, got {outcome:?}"),
        }
    }
}

#[test]
fn a_limit_that_is_not_reached_is_no_failure() {
    let mut observation = Observation::default();
    for line in [
        r#"{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":1796046310}}"#,
        r#"{"type":"result","subtype":"success","is_error":false,"num_turns":1,"result":"overage paid for it"}"#,
    ] {
        observation.see(&Frame::read(line.as_bytes()));
    }
    assert!(observation.conclude(Exit::Code(0), "").is_ok());
}

#[test]
fn the_first_real_result_counts() {
    let see = |lines: &[&str]| {
        let mut observation = Observation::default();
        for line in lines {
            observation.see(&Frame::read(line.as_bytes()));
        }
        observation.conclude(Exit::Code(0), "")
    };
    let empty = r#"{"type":"result","subtype":"success","is_error":false,"num_turns":0,"result":""}"#;
    let first = r#"{"type":"result","subtype":"success","is_error":false,"num_turns":1,"result":"first"}"#;
    let second = r#"{"type":"result","subtype":"error_during_execution","is_error":true,"num_turns":1}"#;
    assert_eq!(see(&[empty, first, second]).unwrap().result.as_deref(), Some("first"));
    // A context message alone: that empty result is all there is.
    assert_eq!(see(&[empty]).unwrap().result.as_deref(), Some(""));
    assert_eq!(see(&[second, first]).unwrap_err().code(), ErrorCode::CliExitUnknown);
}

#[test]
fn two_refused_logins_end_the_wait() {
    let retry =
        r#"{"type":"system","subtype":"api_retry","attempt":1,"error_status":401,"error":"authentication_failed"}"#;
    let mut observation = Observation::default();
    observation.see(&Frame::read(retry.as_bytes()));
    assert!(!observation.login_is_refused());
    observation.see(&Frame::read(retry.as_bytes()));
    assert!(observation.login_is_refused());
    assert_eq!(observation.refused_login().code(), ErrorCode::AuthFailed);
}

#[test]
fn texts_decide_where_no_field_does() {
    let cases = [
        ("Error: Session ID x is already in use.", ErrorCode::SessionIdInUse),
        ("No conversation found with session ID: x", ErrorCode::SessionNotFound),
        ("Session x is currently running as a background agent (bg). Use ...", ErrorCode::SessionIdInUse),
        ("Not logged in · Please run /login", ErrorCode::AuthFailed),
        ("Credit balance is too low", ErrorCode::CreditExhausted),
        ("Claude AI usage limit reached|1796046310", ErrorCode::RateLimited),
        ("There's an issue with the selected model (x).", ErrorCode::ModelRejected),
        ("Error: The current directory no longer exists.", ErrorCode::CwdInvalid),
        ("Segmentation fault", ErrorCode::CliExitUnknown),
    ];
    for (stderr, code) in cases {
        assert_eq!(Observation::default().conclude(Exit::Code(1), stderr).unwrap_err().code(), code, "{stderr}");
    }
    assert_eq!(Observation::default().conclude(Exit::Code(0), "").unwrap_err().code(), ErrorCode::CliOutputInvalid);
    let started = r#"{"type":"result","is_error":true,"startup_failure_reason":"session_held_by_background"}"#;
    let mut observation = Observation::default();
    observation.see(&Frame::read(started.as_bytes()));
    assert_eq!(observation.conclude(Exit::Code(1), "").unwrap_err().code(), ErrorCode::SessionIdInUse);
}
