//! Which tools are offered, when that is known, and what the list says.

use std::fs;

use serde_json::{Value, json};

use super::{ERAS, all, start};
use crate::support::{
    LIMIT, Sandbox,
    fake::{Probe, Script, Step},
    finish,
    mcp::Mcp,
    terminal::spawn,
    wait_for,
};

const BOTH: [&str; 2] = ["start_session", "send_message"];

fn logged_out() -> Probe {
    Probe::answer(&json!({ "loggedIn": false, "authMethod": "none" }).to_string(), 1)
}

fn list(mcp: &mut Mcp) -> Value {
    let call = mcp.begin("tools/list", json!({}));
    mcp.result(&call)["tools"].take()
}

fn serve(sandbox: &Sandbox, arguments: &[&str]) -> Mcp {
    Mcp::legacy(sandbox.command("ccmcp").arg("serve").args(arguments))
}

#[test]
fn the_list_of_the_session_tools() {
    let sandbox = Sandbox::new();
    let lists = ERAS.map(|open| list(&mut open(&sandbox)));
    assert_eq!(lists[0], lists[1], "the same in both eras");
    insta::assert_json_snapshot!("session_tools", lists[0]);
}

#[test]
fn every_tool_is_fit_for_every_client() {
    let sandbox = Sandbox::new();
    let tools = list(&mut all(&sandbox));
    let mut names = Vec::new();
    for tool in tools.as_array().expect("tools") {
        let name = tool["name"].as_str().expect("a name");
        names.push(name);
        assert!(name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'), "{name}");
        assert!(
            tool["title"].is_string() && tool["description"].as_str().is_some_and(|text| text.len() > 40),
            "{name}"
        );
        for hint in ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] {
            assert!(tool["annotations"][hint].is_boolean(), "{name}: {hint}");
        }
        let input = &tool["inputSchema"];
        assert_eq!((&input["type"], &input["additionalProperties"]), (&json!("object"), &json!(false)), "{name}");
        for combiner in ["anyOf", "oneOf", "allOf", "$ref", "$defs"] {
            assert!(input.get(combiner).is_none(), "{name}: {combiner}");
        }
        for (field, schema) in input["properties"].as_object().expect("properties") {
            assert!(schema["description"].is_string() && schema["type"].is_string(), "{name}.{field}: {schema}");
        }
        let output = &tool["outputSchema"];
        assert_eq!(output["type"], "object", "{name}");
        assert!(output["properties"]["error"].is_object(), "{name}");
        // Codex drops all descriptions of a tool whose schema is longer.
        assert!(input.to_string().len() < 5000, "{name}");
    }
    let count = names.len();
    names.dedup();
    assert_eq!(names.len(), count, "every name once");
}

#[test]
fn the_handshake_is_not_delayed_and_the_list_waits_for_the_verdict() {
    for modern in [false, true] {
        let mut sandbox = Sandbox::new();
        let gate = sandbox.gate("version");
        sandbox.script(&Script::new().version(Probe::after(vec![gate.step()])).auth(logged_out()));
        let mut command = sandbox.command("ccmcp");
        command.args(["serve", "--tools", "sessions,history"]);
        let mut mcp = if modern { Mcp::modern(&mut command) } else { Mcp::legacy(&mut command) };
        let call = mcp.begin("tools/list", json!({}));
        mcp.barrier();
        assert!(!mcp.has_answer(&call), "nothing is known yet");
        gate.open();
        let result = mcp.result(&call);
        let names: Vec<_> = result["tools"].as_array().expect("tools").iter().map(|tool| &tool["name"]).collect();
        assert!(!BOTH.iter().any(|name| names.contains(&&json!(name))), "{names:?}");
    }
}

#[test]
fn a_verdict_that_takes_too_long_is_not_waited_for() {
    let mut sandbox = Sandbox::new();
    // It is given up after 20 s, and then the tools would not be offered.
    sandbox.script(&Script::new().version(Probe::after(vec![Step::Hang])));
    let mut mcp = all(&sandbox);
    assert_eq!(mcp.tool_names()[..2], BOTH);
    // Where the set is off, nobody asks.
    let mut history = serve(&sandbox, &["--tools", "history"]);
    assert!(!history.tool_names().contains(&BOTH[0].to_owned()));
}

#[test]
fn the_tools_come_with_the_login() {
    let mut sandbox = Sandbox::new();
    let fake = sandbox.script(&Script::new().auth(logged_out()).auth(logged_out()).auth(Probe::default()));
    let mut mcp = serve(&sandbox, &["--tools", "sessions,history"]);
    assert!(!mcp.tool_names().contains(&BOTH[0].to_owned()));
    let call = mcp.begin("tools/call", json!({ "name": "start_session", "arguments": start(&sandbox, "hi") }));
    let answer = mcp.answer(&call);
    assert!(answer["error"]["message"].as_str().expect("a message").contains("not logged in"), "{answer}");
    assert_eq!(mcp.notification()["method"], "notifications/tools/list_changed");
    assert_eq!(mcp.tool_names()[..2], BOTH);
    let result = mcp.tool("start_session", start(&sandbox, "hi"));
    assert_eq!(result["structuredContent"]["response"], "ECHO: hi");
    wait_for(LIMIT, "the reason", || mcp.stderr().contains("not logged in"));
    assert!(fake.launches() == 1);
}

#[test]
fn the_tools_come_with_the_executable() {
    let mut sandbox = Sandbox::new();
    let program = sandbox.command("fake-claude").get_program().to_owned();
    let path = sandbox.root().join("bin").join(format!("claude{}", std::env::consts::EXE_SUFFIX));
    sandbox.unset("CLAUDE_BIN");
    let mut mcp = serve(&sandbox, &["--tools", "sessions,history"]);
    assert!(!mcp.tool_names().contains(&BOTH[0].to_owned()));
    wait_for(LIMIT, "the reason", || mcp.stderr().contains("no Claude executable"));
    // Whole from the moment it is there.
    let part = path.with_extension("part");
    fs::copy(program, &part).expect("a copy");
    fs::rename(part, &path).expect("the program");
    assert_eq!(mcp.notification()["method"], "notifications/tools/list_changed");
    assert_eq!(mcp.tool_names()[..2], BOTH);
}

#[test]
fn with_nothing_left_to_offer_the_server_ends_with_a_reason() {
    let mut sandbox = Sandbox::new();
    let run = |sandbox: &Sandbox, arguments: &[&str], reason: &str| {
        let mut command = sandbox.command("ccmcp");
        command.args(["serve", "--tools", "sessions"]).args(arguments);
        command
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped());
        let mut child = command.spawn().expect("it starts");
        // Open to the end: it is not the end of input that ends it.
        let stdin = child.stdin.take();
        let output = finish(child);
        drop(stdin);
        let stderr = String::from_utf8(output.stderr).expect("UTF-8");
        assert_eq!(output.status.code(), Some(4), "{stderr}");
        assert!(stderr.contains(reason) && stderr.contains("hint"), "{stderr}");
        assert!(output.stdout.is_empty());
    };
    sandbox.script(&Script::new().auth(logged_out()));
    run(&sandbox, &[], "not logged in");
    sandbox.script(&Script::new().version(Probe::answer("", 1)));
    run(&sandbox, &[], "--version");
    sandbox.script(&Script::new());
    sandbox.set("ANTHROPIC_API_KEY", "sk-ant-secret-key");
    run(&sandbox, &["--require-subscription"], "API key");
    sandbox.unset("ANTHROPIC_API_KEY");
    sandbox.set("CLAUDE_BIN", sandbox.root().join("missing"));
    run(&sandbox, &[], "CLAUDE_BIN");
}

#[test]
fn an_api_key_is_warned_about() {
    let keyed = Probe::answer(&json!({ "loggedIn": true, "authMethod": "api_key" }).to_string(), 0);
    let mut sandbox = Sandbox::new();
    // By the environment: known before the handshake, so that the instructions can say it.
    sandbox.set("ANTHROPIC_API_KEY", "sk-ant-secret-key");
    let mut mcp = Mcp::start(sandbox.command("ccmcp").arg("serve"));
    let greeting = mcp.initialize("2025-11-25");
    assert!(greeting["instructions"].as_str().expect("instructions").contains("billed by the token"), "{greeting}");
    mcp.tool_names();
    wait_for(LIMIT, "the warning", || mcp.stderr().contains("API key is in use"));
    assert!(!mcp.stderr().contains("sk-ant-secret-key") && !greeting.to_string().contains("sk-ant"));
    // By what the CLI says.
    sandbox.unset("ANTHROPIC_API_KEY");
    sandbox.script(&Script::new().auth(keyed));
    let mut mcp = all(&sandbox);
    assert_eq!(mcp.tool_names()[..2], BOTH);
    wait_for(LIMIT, "the warning", || mcp.stderr().contains("API key is in use"));
    // And without one there is nothing to say.
    sandbox.script(&Script::new());
    let mut mcp = Mcp::start(sandbox.command("ccmcp").args(["serve", "--log-level", "info"]));
    let greeting = mcp.initialize("2025-11-25");
    assert!(!greeting["instructions"].as_str().expect("instructions").contains("API key"));
    mcp.tool_names();
    wait_for(LIMIT, "the login is logged", || mcp.stderr().contains("oauth_token") && mcp.stderr().contains("2.1.332"));
    assert!(!mcp.stderr().contains("WARN"), "{}", mcp.stderr());
}

#[test]
fn the_greeting_says_who_and_what() {
    let sandbox = Sandbox::new();
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let mut mcp = Mcp::start(sandbox.command("ccmcp").arg("serve"));
        let greeting = mcp.initialize(version);
        assert_eq!(greeting["protocolVersion"], version);
        assert_eq!(greeting["serverInfo"]["name"], "ccmcp");
        assert_eq!(greeting["serverInfo"]["version"], env!("CARGO_PKG_VERSION"));
        assert_eq!(
            greeting["capabilities"],
            json!({ "tools": { "listChanged": true }, "resources": {}, "prompts": {} })
        );
        let first =
            greeting["instructions"].as_str().and_then(|text| text.lines().next()).expect("instructions").to_owned();
        assert!(first.chars().count() <= 240 && first.contains("Claude Code sessions"), "{first}");
    }
    let mut mcp = Mcp::start(sandbox.command("ccmcp").arg("serve"));
    assert_eq!(mcp.initialize("2099-01-01")["protocolVersion"], "2025-11-25");
    let mut mcp = Mcp::start(sandbox.command("ccmcp").arg("serve"));
    let discovered = mcp.discover();
    assert!(discovered["instructions"].as_str().is_some_and(|text| text.contains("start_session")), "{discovered}");
}

#[test]
fn the_log_can_go_to_a_file() {
    let sandbox = Sandbox::new();
    let path = sandbox.root().join("log");
    let file = path.to_str().expect("UTF-8");
    let mut mcp = serve(&sandbox, &["--log-file", file, "--log-level", "debug"]);
    mcp.tool_names();
    mcp.tool("start_session", start(&sandbox, "a prompt that nobody may see"));
    assert!(mcp.end().success());
    let log = fs::read_to_string(&path).expect("the log");
    assert!(log.contains("2.1.332"), "{log}");
    assert!(!log.contains("nobody may see"), "{log}");
    assert_eq!(mcp.stderr(), "");
    let run = spawn(
        {
            let mut command = sandbox.command("ccmcp");
            command.args(["serve", "--log-file", "/missing/folder/log"]);
            command
        },
        b"",
    );
    let run = run.finish();
    assert_eq!(run.status, Some(2));
    assert!(run.stderr.contains("--log-file") && run.stderr.contains("CCMCP_LOG_FILE"), "{run:#?}");
}
