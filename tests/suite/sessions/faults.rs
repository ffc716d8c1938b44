//! What a misbehaving CLI is reported as: each fault that was seen, or that one could come up with.

use serde_json::{Value, json};

use crate::support::{
    Sandbox,
    fake::{ApiError, Launch, ResultStep, Script, Signal, Step, Turn},
    terminal::Run,
};

/// One start with this launch.
#[track_caller]
fn start(launch: Launch) -> Run {
    start_of_version(launch, "2.1.332")
}

#[track_caller]
fn start_of_version(launch: Launch, version: &str) -> Run {
    let mut sandbox = Sandbox::new();
    let fake = sandbox.script(&Script::new().cli_version(version).launch(launch));
    let run = sandbox.start("a prompt");
    assert_eq!(fake.launches(), 1, "never retried: {run:#?}");
    if run.status != Some(0) {
        let object = run.json();
        assert_eq!(object.as_object().map(|object| object.keys().collect::<Vec<_>>()), Some(vec![&"error".to_owned()]));
        let session = fake.launch(0).value_of("--session-id").expect("an id").to_owned();
        assert!(
            !run.stdout.contains(&session) && !run.stderr.contains(&session),
            "no session id in an error: {run:#?}"
        );
    }
    run
}

#[track_caller]
fn fails(steps: Vec<Step>, exit: i32, code: &str) -> Value {
    start(Launch::turn(Turn::of(steps)).exit(exit)).error(code)
}

/// The answer is as if nothing had been wrong.
#[track_caller]
fn succeeds(launch: Launch) -> Value {
    let answer = start(launch).answer();
    assert_eq!((&answer["response"], &answer["is_error"]), (&json!("ECHO: a prompt"), &json!(false)));
    answer
}

fn result(change: impl FnOnce(&mut ResultStep)) -> Step {
    let mut step = ResultStep::default();
    change(&mut step);
    Step::Result(step)
}

#[test]
fn no_usable_result_with_status_0() {
    let said = || vec![Step::Init, Step::Say { text: None }];
    for steps in [
        vec![],
        said(),
        vec![Step::Line { text: "no JSON at all".to_owned(), ending: "\n".to_owned() }],
        vec![Step::Line { text: r#"{"type":"result","subtype":"succ"#.to_owned(), ending: String::new() }],
        vec![Step::Line { text: r#"[{"type":"result"}]"#.to_owned(), ending: "\n".to_owned() }],
        vec![Step::Frame { json: json!({ "type": "result" }) }],
        vec![Step::Stderr { text: "something odd\n".to_owned() }],
    ] {
        let error = fails(steps, 0, "CLI_OUTPUT_INVALID");
        assert_eq!(error["details"]["exit_code"], 0);
    }
}

#[test]
fn any_other_end_without_a_result_is_told_with_its_status_and_stderr() {
    let error = fails(
        vec![Step::Init, Step::Stderr { text: "it broke\nbadly\n".to_owned() }, Step::Exit { code: 7 }],
        7,
        "CLI_EXIT_UNKNOWN",
    );
    assert_eq!(error["details"]["exit_code"], 7);
    assert_eq!(error["details"]["stderr_tail"], "it broke\nbadly\n");
    let error = fails(vec![Step::Init, Step::Kill { signal: Signal::Segv }], 0, "CLI_EXIT_UNKNOWN");
    assert_eq!(error["details"]["signal"], 11);
    assert_eq!(error["details"]["exit_code"], Value::Null);
    let error = fails(vec![Step::Init, Step::Kill { signal: Signal::Kill }], 0, "CLI_EXIT_UNKNOWN");
    assert_eq!(error["details"]["signal"], 9);
}

#[test]
fn a_flood_on_standard_error_blocks_nothing_and_leaves_a_short_tail() {
    // 64 KiB fill a pipe.
    let flood = || Step::FloodStderr { bytes: 3_000_000 };
    succeeds(Launch::turn(Turn::echo().before(flood())));
    let last = Step::Stderr { text: "the last words\n".to_owned() };
    let error = fails(vec![flood(), last, Step::Exit { code: 3 }], 3, "CLI_EXIT_UNKNOWN");
    let tail = error["details"]["stderr_tail"].as_str().expect("a tail");
    assert!(tail.ends_with("the last words\n") && tail.chars().count() <= 2000, "{} {tail}", tail.len());
}

#[test]
fn success_with_is_error_is_a_failure() {
    let set = |step: &mut ResultStep| {
        step.set.insert("is_error".into(), json!(true));
        step.set.insert("result".into(), json!("something went wrong"));
        step.set.insert("terminal_reason".into(), json!("model_error"));
    };
    let error = fails(vec![Step::Init, result(set)], 1, "CLI_EXIT_UNKNOWN");
    assert_eq!(error["details"]["terminal_reason"], "model_error");
    assert_eq!(error["details"]["exit_code"], 1);
}

#[test]
fn the_exit_status_does_not_decide() {
    let launch = Launch::turn(Turn::echo()).exit(3);
    succeeds(launch);
    fails(
        vec![Step::Init, result(|step| drop(step.set.insert("is_error".into(), json!(true))))],
        0,
        "CLI_EXIT_UNKNOWN",
    );
}

#[test]
fn the_first_real_result_counts() {
    let second = Step::stray_result(json!({ "result": "the second one" }));
    succeeds(Launch::turn(Turn::echo().after(second)));
    let failed = Step::stray_result(json!({ "is_error": true, "subtype": "error_during_execution" }));
    succeeds(Launch::turn(Turn::echo().after(failed)));
    succeeds(Launch::turn(Turn::echo().first(Step::zero_turns())));
    let empty = Step::Frame { json: json!({ "type": "result" }) };
    succeeds(Launch::turn(Turn::echo().first(empty)));
}

#[test]
fn odd_frames_are_passed_over() {
    let line = |text: &str| Step::Line { text: text.to_owned(), ending: "\n".to_owned() };
    let odd = vec![
        Step::Frame { json: json!({ "type": "from_the_future", "nested": { "deep": [1, 2, [3]] } }) },
        Step::Frame { json: json!({ "type": 7, "subtype": [] }) },
        Step::Frame { json: json!({ "type": "assistant", "message": "not an object", "error": { "no": "text" } }) },
        Step::Frame { json: json!({ "type": "stream_event", "event": { "type": "no_such_event" } }) },
        Step::Frame { json: json!({ "type": "system" }) },
        Step::Frame { json: json!(["type", "result"]) },
        Step::Frame { json: json!(null) },
        line(""),
        line("   "),
        line("Warning: something that is no frame"),
        line(r#"{"type":"result","result":"cut"#),
        Step::Bytes { bytes: b"\xff\xfe{\"type\":\"result\"\n".to_vec() },
        Step::Bytes { bytes: b"{\"type\":\"new\",\"text\":\"bad \xc3\x28 UTF-8\"}\n".to_vec() },
        Step::Bytes { bytes: vec![0; 3] },
        line(""),
    ];
    let turn = odd.into_iter().fold(Turn::echo(), Turn::before);
    succeeds(Launch::turn(turn));
}

#[test]
fn lines_may_be_long_end_in_crlf_or_not_at_all() {
    succeeds(Launch::turn(Turn::echo().before(Step::BigLine { bytes: 5_000_000 })));
    succeeds(Launch::turn(Turn::echo().first(Step::Crlf)));
    succeeds(Launch::turn(Turn::echo().result(|result| result.type_last = true)));
    let line = r#"{"type":"result","subtype":"success","is_error":false,"result":"ECHO: a prompt","num_turns":1}"#;
    let last = Step::Line { text: line.to_owned(), ending: String::new() };
    succeeds(Launch::turn(Turn::of(vec![Step::Init, Step::Say { text: None }, last])));
}

#[test]
fn invalid_utf8_in_the_answer_is_replaced() {
    let line =
        b"{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"result\":\"a\xffb\",\"num_turns\":1}\n";
    let launch =
        Launch::turn(Turn::of(vec![Step::Init, Step::Say { text: None }, Step::Bytes { bytes: line.to_vec() }]));
    assert_eq!(start(launch).answer()["response"], "a\u{fffd}b");
}

#[test]
fn a_cli_that_never_reads_its_prompt_can_still_answer() {
    let prompt = "p".repeat(1_000_000);
    let mut sandbox = Sandbox::new();
    sandbox.script(&Script::new().launch(Launch::turn(Turn::say("done")).never_read()));
    assert_eq!(sandbox.start(&prompt).answer()["response"], "done");
}

#[test]
fn what_the_api_answers_decides_the_code() {
    let rows = [
        (ApiError::logged_out(), "AUTH_FAILED", 4),
        (ApiError::unauthorized(), "AUTH_FAILED", 4),
        (ApiError::new("authentication_failed", Some(403), Some("permission_error"), "Failed"), "AUTH_FAILED", 4),
        (ApiError::new("oauth_org_not_allowed", Some(403), None, "no"), "AUTH_FAILED", 4),
        (ApiError::new("account_on_hold", None, None, "no"), "AUTH_FAILED", 4),
        (ApiError::new("verification_required", None, None, "no"), "AUTH_FAILED", 4),
        (ApiError::no_credit(), "CREDIT_EXHAUSTED", 1),
        (ApiError::rate_limited(), "RATE_LIMITED", 1),
        (ApiError::new("model_not_found", Some(404), Some("not_found_error"), "There's an issue"), "MODEL_REJECTED", 2),
        (ApiError::overloaded(), "CLI_EXIT_UNKNOWN", 1),
        (ApiError::new("server_error", Some(500), Some("api_error"), "API Error: 500"), "CLI_EXIT_UNKNOWN", 1),
        (ApiError::new("server_error", None, None, "API Error: Connection refused"), "CLI_EXIT_UNKNOWN", 1),
        (ApiError::new("unknown", None, None, "who knows"), "CLI_EXIT_UNKNOWN", 1),
        (ApiError::new("from_the_future", Some(418), None, "tea"), "CLI_EXIT_UNKNOWN", 1),
    ];
    for (error, code, status) in rows {
        // Older versions say `completed` for API failures.
        for version in ["2.1.332", "2.1.197"] {
            let run = start_of_version(Launch::turn(Turn::api_error(error.clone())), version);
            let found = run.error(code);
            assert_eq!(run.status, Some(status), "{error:?}");
            let details = &found["details"];
            assert_eq!(details["api_error_status"], json!(error.status), "{error:?}");
            assert_eq!(
                details["api_error_type"],
                json!(error.error_type.as_ref().unwrap_or(&error.error)),
                "{error:?}"
            );
            if code == "CLI_EXIT_UNKNOWN" {
                let retryable = error.status.is_none_or(|status| status >= 500);
                assert_eq!(details["retryable"], retryable, "{error:?}");
            }
        }
    }
}

#[test]
fn a_rejected_limit_tells_when_it_ends_and_the_others_are_no_failure() {
    let resets_at = 1_796_046_310;
    let limited = |step: Step| vec![Step::Init, step, Step::ApiError(ApiError::rate_limited())];
    let error = fails(limited(Step::rate_limit_rejected(resets_at)), 1, "RATE_LIMITED");
    assert_eq!(error["details"]["resets_at"], "2026-11-30T13:45:10.000Z");
    for step in [Step::rate_limit_allowed(), Step::rate_limit_warning(resets_at)] {
        succeeds(Launch::turn(Turn::echo().before(step.clone())));
        let error = fails(limited(step), 1, "RATE_LIMITED");
        assert_eq!(error["details"]["resets_at"], Value::Null, "it is not this limit that was reached");
    }
    // Overage pays for it.
    succeeds(Launch::turn(Turn::echo().before(Step::rate_limit_rejected(resets_at))));
    for info in [
        json!(null),
        json!("x"),
        json!({}),
        json!({ "status": "rejected" }),
        json!({ "status": 7, "resetsAt": "x" }),
        json!({ "status": "rejected", "resetsAt": 1e300 }),
        json!({ "status": "rejected", "resetsAt": -1e300 }),
    ] {
        succeeds(Launch::turn(Turn::echo().before(Step::RateLimit { info: info.clone() })));
        fails(limited(Step::RateLimit { info }), 1, "RATE_LIMITED");
    }
}

#[test]
fn a_limit_of_the_cli_itself_is_told_by_its_reason() {
    for (subtype, reason) in [("error_max_turns", "max_turns"), ("error_max_budget_usd", "budget_exhausted")] {
        let set = |step: &mut ResultStep| {
            step.set.insert("subtype".into(), json!(subtype));
            step.set.insert("is_error".into(), json!(true));
            step.set.insert("terminal_reason".into(), json!(reason));
        };
        let error = fails(vec![Step::Init, result(set)], 1, "CLI_EXIT_UNKNOWN");
        assert_eq!(error["details"]["terminal_reason"], reason);
        assert_eq!(error["details"]["retryable"], false);
    }
}

#[test]
fn the_cli_says_that_the_session_is_taken_unknown_or_held() {
    let stderr = |text: &str| vec![Step::Stderr { text: text.to_owned() }, Step::Exit { code: 1 }];
    fails(stderr("Error: Session ID 1 is already in use.\n"), 1, "SESSION_ID_IN_USE");
    fails(stderr("Session 1 is currently running as a background agent (bg).\n"), 1, "SESSION_ID_IN_USE");
    let held = json!({ "type": "result", "is_error": true, "startup_failure_reason": "session_held_by_background" });
    fails(vec![Step::Frame { json: held }], 1, "SESSION_ID_IN_USE");
    let gone = json!({ "type": "result", "is_error": true, "startup_failure_reason": "cwd_unavailable" });
    fails(vec![Step::Frame { json: gone }], 1, "CWD_INVALID");
    fails(stderr("Error: The current directory no longer exists.\n"), 1, "CWD_INVALID");
}

#[test]
fn a_session_that_goes_before_the_launch_is_not_found() {
    let mut sandbox = Sandbox::new();
    // Its transcript goes after we looked and before the CLI does.
    let fake = sandbox.script(&Script::new());
    let session = sandbox.session();
    let frame = json!({ "type": "result", "subtype": "error_during_execution", "is_error": true, "num_turns": 0,
        "errors": [format!("No conversation found with session ID: {session}")] });
    let text = format!("No conversation found with session ID: {session}\n");
    let steps = vec![Step::Frame { json: frame }, Step::Stderr { text }, Step::Exit { code: 1 }];
    let launch = Launch { start: steps, ..Launch::default() };
    sandbox.script(&Script::new().launch(launch));
    let run = sandbox.send(&session, "hi");
    run.error("SESSION_NOT_FOUND");
    assert_eq!(run.status, Some(3));
    assert!(!run.stdout.contains(&session), "{run:#?}");
    assert_eq!(fake.launches(), 1);
}
