//! Bad arguments of any shape are answered in band, with the field at fault and never with a value.

use serde_json::{Value, json};

use super::{ERAS, legacy, send, start};
use crate::support::{Sandbox, fake::Script, mcp::Mcp};

/// A value that must not come back.
const SECRET: &str = "value-of-the-caller";
/// A session that exists nowhere.
const NOBODY: &str = "11111111-2222-4333-8444-555555555555";

/// Calls a tool with these params as they are, and gives the error.
#[track_caller]
fn error(mcp: &mut Mcp, params: Value) -> Value {
    let call = mcp.begin("tools/call", params);
    let answer = mcp.answer(&call);
    let short: String = answer.to_string().chars().take(2000).collect();
    assert!(answer.get("error").is_none(), "not a protocol error: {short}");
    assert_eq!(answer["result"]["isError"], true, "{short}");
    assert!(answer.to_string().len() < 20_000, "an error is short");
    assert!(!short.contains(SECRET) && !mcp.stderr().contains(SECRET), "{short}");
    answer["result"]["structuredContent"]["error"].clone()
}

#[expect(clippy::needless_pass_by_value, reason = "arguments are written as `json!(…)` where the call stands")]
#[track_caller]
fn refused(mcp: &mut Mcp, tool: &str, arguments: Value, code: &str, field: Option<&str>) {
    let error = error(mcp, json!({ "name": tool, "arguments": arguments }));
    assert_eq!(error["code"], code, "{error}");
    assert_eq!(error["details"]["field"].as_str(), field, "{error}");
    assert!(error["hint"].is_string() && error["message"].is_string(), "{error}");
}

#[test]
fn each_field_is_checked_for_its_type_and_range() {
    let mut sandbox = Sandbox::new();
    let fake = sandbox.script(&Script::new());
    for open in ERAS {
        let mut mcp = open(&sandbox);
        for (tool, good) in [("start_session", start(&sandbox, "hi")), ("send_message", send(&sandbox, NOBODY, "hi"))] {
            let fields: Vec<String> = good.as_object().expect("an object").keys().cloned().collect();
            for field in &fields {
                let mut arguments = good.clone();
                arguments.as_object_mut().expect("an object").remove(field);
                refused(&mut mcp, tool, arguments, "SCHEMA_VALIDATION", Some(field));
                for bad in [json!(null), json!(7), json!(true), json!([SECRET]), json!({ SECRET: SECRET })] {
                    let mut arguments = good.clone();
                    arguments[field] = bad;
                    refused(&mut mcp, tool, arguments, "SCHEMA_VALIDATION", Some(field));
                }
            }
            for field in ["timeout_idle_ms", "timeout_wall_ms"] {
                for bad in [
                    json!(null),
                    json!(0),
                    json!(-1),
                    json!(1.5),
                    json!("1000"),
                    json!(86_400_001),
                    json!(1e300),
                    json!(18_446_744_073_709_551_615_u64),
                    json!([]),
                    json!({}),
                    json!(true),
                ] {
                    let mut arguments = good.clone();
                    arguments[field] = bad;
                    refused(&mut mcp, tool, arguments, "SCHEMA_VALIDATION", Some(field));
                }
            }
            for name in ["mode1", "", "session-id", "Cwd", "prompt", SECRET] {
                let mut arguments = good.clone();
                arguments[name] = json!(1);
                // A name is the caller's own as well, and has to be told.
                if name != SECRET && !name.is_empty() {
                    refused(&mut mcp, tool, arguments, "SCHEMA_VALIDATION", Some(name));
                }
            }
        }
    }
    assert_eq!(fake.launches(), 0);
}

#[test]
fn texts_are_checked_for_what_they_say() {
    let mut sandbox = Sandbox::new();
    let fake = sandbox.script(&Script::new());
    for open in ERAS {
        let mut mcp = open(&sandbox);
        for empty in ["", " ", "\n\t \u{a0}\u{3000}"] {
            let schema = "SCHEMA_VALIDATION";
            refused(&mut mcp, "start_session", start(&sandbox, empty), schema, Some("initial_prompt"));
            refused(&mut mcp, "send_message", send(&sandbox, NOBODY, empty), schema, Some("message"));
        }
        for id in ["", SECRET, "11111111-2222-4333-8444-55555555555", "../../etc/passwd"] {
            refused(&mut mcp, "send_message", send(&sandbox, id, "hi"), "SCHEMA_VALIDATION", Some("session_id"));
        }
        for model in ["", SECRET, "Opus", "opus\n"] {
            let mut arguments = start(&sandbox, "hi");
            arguments["model"] = json!(model);
            refused(&mut mcp, "start_session", arguments, "MODEL_REJECTED", Some("model"));
        }
        for cwd in [format!("relative/{SECRET}"), ".".to_owned(), format!("/missing/{SECRET}"), "/\u{0}".to_owned()] {
            let mut arguments = start(&sandbox, "hi");
            arguments["cwd"] = json!(cwd);
            refused(&mut mcp, "start_session", arguments, "CWD_INVALID", Some("cwd"));
        }
        refused(&mut mcp, "send_message", send(&sandbox, NOBODY, "hi"), "SESSION_NOT_FOUND", None);
    }
    assert_eq!(fake.launches(), 0);
}

#[test]
fn arguments_that_are_no_object_are_bad_arguments() {
    let sandbox = Sandbox::new();
    for open in ERAS {
        let mut mcp = open(&sandbox);
        for tool in ["start_session", "send_message"] {
            for arguments in [json!([SECRET]), json!(SECRET), json!(7), json!(true), json!([[]])] {
                refused(&mut mcp, tool, arguments, "SCHEMA_VALIDATION", None);
            }
            // Omitted, null and empty are all "nothing given": the first field that is missing is named.
            let missing = if tool == "start_session" { "cwd" } else { "session_id" };
            for params in [
                json!({ "name": tool }),
                json!({ "name": tool, "arguments": null }),
                json!({ "name": tool, "arguments": {} }),
            ] {
                let error = error(&mut mcp, params);
                assert_eq!(
                    (&error["code"], &error["details"]["field"]),
                    (&json!("SCHEMA_VALIDATION"), &json!(missing))
                );
            }
        }
    }
}

#[test]
fn huge_values_are_refused_like_small_ones() {
    let sandbox = Sandbox::new();
    let huge = SECRET.repeat(10_000_000 / SECRET.len());
    for open in ERAS {
        let mut mcp = open(&sandbox);
        let with = |field: &str| {
            let mut arguments = send(&sandbox, NOBODY, "hi");
            arguments[field] = json!(huge);
            arguments
        };
        refused(&mut mcp, "send_message", with("session_id"), "SCHEMA_VALIDATION", Some("session_id"));
        refused(&mut mcp, "send_message", with("model"), "MODEL_REJECTED", Some("model"));
        refused(&mut mcp, "send_message", with("timeout_idle_ms"), "SCHEMA_VALIDATION", Some("timeout_idle_ms"));
        refused(&mut mcp, "send_message", with("cwd"), "CWD_INVALID", Some("cwd"));
        refused(&mut mcp, "send_message", with("unknown"), "SCHEMA_VALIDATION", Some("unknown"));
        refused(&mut mcp, "send_message", json!(huge), "SCHEMA_VALIDATION", None);
        let longer = "x".repeat(10 * 1024 * 1024 + 1);
        refused(&mut mcp, "start_session", start(&sandbox, &longer), "SCHEMA_VALIDATION", Some("initial_prompt"));
        // A name of a field may be huge too.
        let mut arguments = send(&sandbox, NOBODY, "hi");
        arguments[&longer] = json!(1);
        let error = error(&mut mcp, json!({ "name": "send_message", "arguments": arguments }));
        assert_eq!(error["code"], "SCHEMA_VALIDATION");
        assert!(error["details"]["field"].as_str().expect("a field").chars().count() <= 61, "{error}");
    }
}

#[test]
fn what_is_no_call_of_a_tool_is_a_protocol_error_that_says_so() {
    let sandbox = Sandbox::new();
    let mut mcp = legacy(&sandbox);
    let mut code = |params: Value| {
        let call = mcp.begin("tools/call", params);
        let answer = mcp.answer(&call);
        (answer["error"]["code"].clone(), answer["error"]["message"].as_str().unwrap_or_default().to_owned())
    };
    let (number, message) = code(json!({ "name": "no_such_tool", "arguments": {} }));
    assert_eq!(number, -32602);
    assert!(message.contains("start_session, send_message"), "{message}");
    for params in [json!({}), json!({ "arguments": {} }), json!({ "name": 7 }), json!({ "name": null })] {
        assert_eq!(code(params).0, -32602);
    }
    // Lines that are no requests: none of them ends the server.
    for line in [
        "",
        "   ",
        "no JSON",
        "[]",
        "{}",
        "null",
        "{\"jsonrpc\":\"2.0\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"x\"}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/no_such_thing\",\"params\":7}",
        "\u{0}",
        "[{\"jsonrpc\":\"2.0\",\"id\":1}]",
    ] {
        mcp.send_bytes(format!("{line}\n").as_bytes());
    }
    mcp.send_bytes(b"\xff\xfe\n");
    let call = mcp.begin("no/such/method", json!({}));
    assert_eq!(mcp.answer(&call)["error"]["code"], -32601);
    assert_eq!(mcp.tool_names()[..2], ["start_session", "send_message"]);
}
