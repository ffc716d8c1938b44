//! Calls of the two session tools: answers, errors, progress, cancellation.

use std::fs;

use serde_json::{Value, json};

use super::{ERAS, all, legacy, send, session, start};
use crate::support::{
    LIMIT, Sandbox,
    fake::{ApiError, Launch, Offspring, Script, Spawn, Step, Turn},
    processes::Process,
    schemas::Schemas,
    wait_for, wait_until,
};

#[test]
fn a_session_is_started_and_continued_in_both_eras() {
    for open in ERAS {
        let mut sandbox = Sandbox::new();
        let fake = sandbox.script(&Script::new());
        let mut mcp = open(&sandbox);
        let schemas = Schemas::of(&mut mcp);
        let started = mcp.tool("start_session", start(&sandbox, "hi"));
        schemas.check_result("start_session", &started);
        let answer = &started["structuredContent"];
        let id = answer["session_id"].as_str().expect("an id");
        assert_eq!((&answer["response"], &answer["is_error"]), (&json!("ECHO: hi"), &json!(false)));
        assert_eq!(started["isError"], false);
        let sent = mcp.tool("send_message", send(&sandbox, id, "more"));
        schemas.check_result("send_message", &sent);
        let answer = &sent["structuredContent"];
        assert_eq!((&answer["session_id"], &answer["response"]), (&json!(id), &json!("ECHO: more")));
        assert_eq!((&answer["total_cost_usd"], &answer["turn_cost_usd"]), (&json!(0.02), &json!(0.01)));
        assert_eq!(fake.launch(1).value_of("--resume"), Some(id));
    }
}

#[test]
fn a_session_outlives_its_server() {
    let sandbox = Sandbox::new();
    let mut first = legacy(&sandbox);
    let id = session(&mut first, &sandbox);
    drop(first);
    // With the agents' tools beside it, the same tool is theirs as well.
    let mut second = all(&sandbox);
    let answer = second.tool("send_message", send(&sandbox, &id, "still there?"));
    assert_eq!(answer["structuredContent"]["response"], "ECHO: still there?");
}

#[test]
fn every_error_is_admitted_by_the_schema_and_names_no_session() {
    let errors = [
        (Turn::api_error(ApiError::logged_out()), "AUTH_FAILED"),
        (Turn::api_error(ApiError::no_credit()), "CREDIT_EXHAUSTED"),
        (
            Turn::of(vec![
                Step::Init,
                Step::rate_limit_rejected(1_796_046_310),
                Step::ApiError(ApiError::rate_limited()),
            ]),
            "RATE_LIMITED",
        ),
        (Turn::api_error(ApiError::overloaded()), "CLI_EXIT_UNKNOWN"),
        (
            Turn::of(vec![Step::Init, Step::Stderr { text: "x\n".to_owned() }, Step::Exit { code: 9 }]),
            "CLI_EXIT_UNKNOWN",
        ),
        (Turn::of(vec![Step::Init]), "CLI_OUTPUT_INVALID"),
        (
            Turn::of(vec![Step::Stderr { text: "is already in use".to_owned() }, Step::Exit { code: 1 }]),
            "SESSION_ID_IN_USE",
        ),
        (Turn::of(vec![Step::Init, Step::Hang]), "IDLE_TIMEOUT"),
    ];
    for open in ERAS {
        let mut sandbox = Sandbox::new();
        let script = errors.iter().fold(Script::new(), |script, (turn, _)| script.launch(Launch::turn(turn.clone())));
        let fake = sandbox.script(&script);
        let mut mcp = open(&sandbox);
        let schemas = Schemas::of(&mut mcp);
        for (number, (_, code)) in errors.iter().enumerate() {
            let mut arguments = start(&sandbox, "a prompt that nobody may see");
            arguments["timeout_idle_ms"] = json!(2000);
            let result = mcp.tool("start_session", arguments);
            schemas.check_result("start_session", &result);
            let object = &result["structuredContent"];
            assert_eq!((&result["isError"], &object["error"]["code"]), (&json!(true), &json!(code)), "{result}");
            assert!(object["error"]["hint"].is_string(), "{object}");
            assert_eq!(object.as_object().map(serde_json::Map::len), Some(1), "the error and nothing beside it");
            let session = fake.launch(number).value_of("--session-id").expect("an id").to_owned();
            for private in [session.as_str(), "nobody may see"] {
                assert!(
                    !result.to_string().contains(private) && !mcp.stderr().contains(private),
                    "{private}: {result}"
                );
            }
        }
        assert_eq!(fake.launches(), errors.len(), "never retried");
    }
}

#[test]
#[cfg(unix)]
fn progress_is_the_clis_lines_but_the_result() {
    for open in ERAS {
        let mut sandbox = Sandbox::new();
        let odd = Step::Frame { json: json!({ "type": "new", "text": "ä \u{1} \" \\ \u{2028}", "n": [1, null] }) };
        let raw = Step::Line { text: "{ \"type\" : \"spaced\" }".to_owned(), ending: "\n".to_owned() };
        let turn = Turn::tool("Bash", json!({ "command": "ls" }), "a\nb").before(odd).before(raw);
        let turn = turn.before(Step::rate_limit_allowed()).after(Step::Frame { json: json!({ "type": "late" }) });
        sandbox.script(&Script::new().on("told", turn));
        let copy = sandbox.copy_output();
        let mut mcp = open(&sandbox);
        // The CLI was asked for its version and its login; that is in the copy as well.
        mcp.tool_names();
        let before = fs::read_to_string(&copy).expect("the copy").len();
        let call = mcp.begin_tool("start_session", start(&sandbox, "told"));
        let result = mcp.result(&call);
        assert_eq!(result["structuredContent"]["response"], "ECHO: told", "{result}");
        let copied = fs::read_to_string(&copy).expect("the copy");
        let lines: Vec<&str> = copied[before..].lines().collect();
        let is_result = |line: &&&str| serde_json::from_str::<Value>(line).is_ok_and(|frame| frame["type"] == "result");
        assert_eq!(lines.iter().filter(is_result).count(), 1);
        let expected: Vec<&str> = lines.iter().filter(|line| !is_result(line)).copied().collect();
        let told = mcp.progress(&call);
        let messages: Vec<&str> = told.iter().map(|told| told["message"].as_str().expect("a text")).collect();
        assert_eq!(messages, expected);
        assert!(expected.len() > 15, "{expected:?}");
        for (number, told) in (1_u32..).zip(&told) {
            assert_eq!(told["progress"], json!(f64::from(number)));
            assert_eq!(told.get("total"), None);
        }
    }
}

#[test]
fn without_a_token_there_is_no_progress_and_no_other_message() {
    let mut sandbox = Sandbox::new();
    sandbox.script(&Script::new());
    for open in ERAS {
        let mut mcp = open(&sandbox);
        let call = mcp.begin("tools/call", json!({ "name": "start_session", "arguments": start(&sandbox, "hi") }));
        mcp.result(&call);
        // Progress without a token would fail when it is read.
        mcp.barrier();
        assert!(mcp.progress(&call).is_empty());
    }
}

#[test]
fn a_cancelled_call_ends_its_tree_and_leaves_the_session_usable() {
    for open in ERAS {
        let mut sandbox = Sandbox::new();
        sandbox.script(&Script::new());
        let id = sandbox.session();
        let pid_file = sandbox.root().join("tool");
        let tool = Step::Spawn(Spawn {
            offspring: Offspring::Detached,
            pid_file: pid_file.clone(),
            holds_stdout: true,
            stubborn: true,
        });
        let work = Launch::turn(Turn::work().before(tool)).stubborn();
        let fake = sandbox.script(&Script::new().launch(work));
        let mut mcp = open(&sandbox);
        let call = mcp.begin_tool("send_message", send(&sandbox, &id, "work"));
        let tool = wait_until(LIMIT, "the tool runs", || Process::from_file(&pid_file));
        let claude = fake.launch(0).process();
        mcp.cancel(&call);
        wait_for(LIMIT, "the tree is gone", || !claude.is_alive() && !tool.is_alive());
        assert_eq!(fake.launch(0).signals(), ["INT", "TERM"]);
        let answer = mcp.tool("send_message", send(&sandbox, &id, "go on"));
        assert_eq!(answer["structuredContent"]["response"], "ECHO: go on");
        assert!(!mcp.has_answer(&call), "a cancelled request has no answer");
    }
}

#[test]
fn a_prompt_of_any_size_fits_in_a_line() {
    let mut sandbox = Sandbox::new();
    let fake = sandbox.script(&Script::new().always(Launch::turn(Turn::say("read"))));
    let mut mcp = legacy(&sandbox);
    // Each of these is six characters in JSON: the line has 63 MB.
    let prompt = "\u{1}".repeat(10 * 1024 * 1024);
    let answer = mcp.tool("start_session", start(&sandbox, &prompt));
    assert_eq!(answer["structuredContent"]["response"], "read", "{answer}");
    assert_eq!(fake.launch(0).stdin(), prompt.as_bytes());
    // A longer line than any is passed over, and the server lives on.
    mcp.send_bytes(&vec![b'x'; 65 << 20]);
    mcp.send_bytes(b"\n");
    mcp.barrier();
    assert_eq!(mcp.tool("start_session", start(&sandbox, "hi"))["structuredContent"]["response"], "read");
}

#[test]
fn calls_of_a_client_run_side_by_side() {
    let mut sandbox = Sandbox::new();
    let gate = sandbox.gate("both");
    let fake = sandbox.script(&Script::new().always(Launch::turn(Turn::echo().before(gate.step()))));
    let mut mcp = legacy(&sandbox);
    let calls: Vec<_> =
        (0..6).map(|number| mcp.begin_tool("start_session", start(&sandbox, &number.to_string()))).collect();
    // All are running before one ends, and the server still answers.
    fake.launch(5);
    mcp.barrier();
    gate.open();
    let mut ids = Vec::new();
    for (number, call) in calls.iter().enumerate() {
        let result = mcp.result(call);
        assert_eq!(result["structuredContent"]["response"], format!("ECHO: {number}"));
        ids.push(result["structuredContent"]["session_id"].to_string());
    }
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 6);
}
