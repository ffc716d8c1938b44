//! The raw MCP client, against the real server with the scripted Claude.

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::{Value, json};

use crate::support::{
    Sandbox,
    fake::{Launch, Script, Turn},
    mcp::{LEGACY, MODERN, Mcp},
};

fn start(sandbox: &Sandbox, prompt: &str) -> Value {
    json!({ "cwd": sandbox.workspace(), "initial_prompt": prompt, "model": "haiku" })
}

#[test]
fn both_eras_open_list_and_call() {
    let sandbox = Sandbox::new();
    for modern in [false, true] {
        let mut mcp = Mcp::start(sandbox.command("ccmcp").args(["serve", "--tools", "sessions"]));
        let opening = if modern { mcp.discover() } else { mcp.initialize(LEGACY) };
        if modern {
            let versions = opening["supportedVersions"].as_array().expect("versions");
            assert!(versions.contains(&json!(MODERN)), "{opening}");
        } else {
            assert_eq!(
                (&opening["protocolVersion"], &opening["serverInfo"]["name"]),
                (&json!(LEGACY), &json!("ccmcp"))
            );
        }
        assert_eq!(mcp.tool_names(), ["start_session", "send_message"]);
        let result = mcp.tool("start_session", start(&sandbox, "hi"));
        assert_eq!(result["structuredContent"]["response"], "ECHO: hi");
        let error = mcp.tool_error("start_session", json!({}));
        assert_eq!(error["code"], "SCHEMA_VALIDATION");
        assert!(mcp.end().success());
    }
}

#[test]
fn calls_run_side_by_side_with_their_own_progress() {
    let mut sandbox = Sandbox::new();
    let (flag, gate) = (sandbox.flag("slow"), sandbox.gate("slow"));
    let slow = Turn::echo().before(flag.step()).before(gate.step());
    let fake = sandbox.script(&Script::new().on("slow", slow));
    let mut mcp = Mcp::legacy(sandbox.command("ccmcp").args(["serve", "--tools", "sessions"]));
    let slow = mcp.begin_tool("start_session", start(&sandbox, "slow"));
    flag.wait();
    mcp.wait_progress(&slow, 2);
    let fast = mcp.begin_tool("start_session", start(&sandbox, "fast"));
    assert_eq!(mcp.result(&fast)["structuredContent"]["response"], "ECHO: fast");
    assert!(!mcp.has_answer(&slow));
    gate.open();
    let answer = mcp.answer(&slow);
    assert_eq!(answer["result"]["structuredContent"]["response"], "ECHO: slow");
    let progress = mcp.progress(&slow);
    assert!(progress.iter().all(|params| params["progressToken"] == slow.0 && params["message"].is_string()));
    assert_eq!(progress[0]["progress"].as_f64(), Some(1.0));
    assert!(!mcp.progress(&fast).is_empty());
    assert_eq!(fake.launches(), 2);
}

#[test]
fn a_cancelled_call_is_never_answered() {
    let mut sandbox = Sandbox::new();
    let flag = sandbox.flag("working");
    let fake = sandbox.script(&Script::new().launch(Launch::turn(Turn::work().before(flag.step()))));
    let mut mcp = Mcp::modern(sandbox.command("ccmcp").args(["serve", "--tools", "sessions"]));
    let call = mcp.begin_tool("start_session", start(&sandbox, "hi"));
    flag.wait();
    mcp.cancel(&call);
    crate::support::wait_for(crate::support::LIMIT, "the CLI is gone", || !fake.launch(0).process().is_alive());
    mcp.barrier();
    assert!(!mcp.has_answer(&call));
}

#[test]
fn garbage_is_sent_and_noise_is_found() {
    let sandbox = Sandbox::new();
    let mut mcp = Mcp::legacy(sandbox.command("ccmcp").args(["serve", "--tools", "sessions"]));
    mcp.send_bytes(b"no JSON\n\xff\xfe\n\n");
    mcp.barrier();
    assert!(mcp.process().is_alive());
    assert!(mcp.end().success());

    let mut noisy = Mcp::start(sandbox.command("sh").args(["-c", "echo hello; echo oops >&2; read line || true"]));
    let found = catch_unwind(AssertUnwindSafe(|| noisy.notification()));
    let message = *found.expect_err("noise is no protocol").downcast::<String>().expect("a message");
    assert!(message.contains("hello"), "{message}");
    crate::support::wait_for(crate::support::LIMIT, "standard error is kept", || noisy.stderr() == "oops\n");
    assert!(noisy.end().success());

    let mut other =
        Mcp::start(sandbox.command("sh").args(["-c", r#"echo '{"jsonrpc":"2.0","method":"notifications/x"}'"#]));
    assert_eq!(other.notification(), json!({ "jsonrpc": "2.0", "method": "notifications/x" }));
    assert!(other.exited().success());
}
