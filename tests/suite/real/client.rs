//! The Claude CLI itself as an MCP client of ccmcp.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

use super::{Run, SESSION, frames, result};
use crate::support::real::RealClaude;

/// What each call's result held, as the model is shown it, and whether it was an error.
fn shown(run: &Run) -> Vec<(String, bool)> {
    let turns = run.api.turns();
    let messages = turns.last().expect("a request").body["messages"].as_array().cloned().unwrap_or_default();
    let blocks = messages.iter().flat_map(|message| message["content"].as_array().cloned().unwrap_or_default());
    blocks
        .filter(|block| block["type"] == "tool_result")
        .map(|block| (block["content"].to_string(), block["is_error"] == true))
        .collect()
}

/// A server of these sets of tools for this CLI: arguments that connect to it, and the file to which everything that it
/// is sent is copied on its way.
fn connect(run: &Run, sets: &str) -> ([String; 3], PathBuf) {
    let fake = run.sandbox.command("fake-claude").get_program().to_owned();
    let sent = run.sandbox.root().join("sent");
    let server = run.sandbox.root().join("bin").join("server");
    let ccmcp = run.sandbox.command("ccmcp").get_program().to_owned();
    let script = format!(
        "#!/bin/sh\ntee -a '{}' | CLAUDE_BIN='{}' '{}' serve --tools {sets} --allow-inside-claude-code\n",
        sent.display(),
        fake.display(),
        ccmcp.display()
    );
    fs::write(&server, script).expect("the server's wrapper");
    fs::set_permissions(&server, fs::Permissions::from_mode(0o755)).expect("an executable wrapper");
    let config = run.sandbox.root().join("mcp.json");
    fs::write(&config, json!({ "mcpServers": { "ccmcp": { "command": server } } }).to_string()).expect("the config");
    let config = config.to_string_lossy().into_owned();
    (["--mcp-config".to_owned(), config, "--strict-mcp-config".to_owned()], sent)
}

/// The methods in what was sent.
fn methods(sent: &Path) -> Vec<String> {
    let text = fs::read_to_string(sent).expect("what was sent");
    text.lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON")["method"].as_str().unwrap_or("?").to_owned())
        .collect()
}

/// Lets this CLI call `start_session` once well and once badly; gives the methods that it sent to the server.
fn drive(claude: RealClaude, negotiation: Option<&str>) -> Vec<String> {
    let mut run = Run::new(claude);
    if let Some(mode) = negotiation {
        run.sandbox.set("MCP_PROTOCOL_NEGOTIATION", mode);
    }
    let (connected, sent) = connect(&run, "sessions");
    let good = json!({ "cwd": run.sandbox.workspace(), "initial_prompt": "hello", "model": "haiku" });
    let prompt = format!(
        "[[tool:mcp__ccmcp__start_session|{good}]] [[tool:mcp__ccmcp__start_session|{}]]",
        json!({ "cwd": "here", "initial_prompt": "x", "model": "haiku" })
    );
    let mut arguments: Vec<&str> = connected.iter().map(String::as_str).collect();
    arguments.extend(["--permission-mode", "dontAsk", "--allowedTools", "mcp__ccmcp__start_session"]);
    let output = run.turn(&arguments, &prompt);
    let init = frames(&output).into_iter().find(|frame| frame["subtype"] == "init").expect("init");
    assert_eq!(init["mcp_servers"][0]["status"], "connected", "{}: {init}", run.claude.version);
    assert_eq!(result(&output)["is_error"], false);
    let shown = shown(&run);
    assert_eq!(shown.len(), 2, "{shown:?}");
    assert!(shown[0].0.contains("ECHO: hello") && !shown[0].1, "{shown:?}");
    assert!(shown[1].0.contains("CWD_INVALID") && shown[1].1, "{shown:?}");
    methods(&sent)
}

#[test]
fn it_calls_tools_in_the_era_that_it_chooses() {
    for claude in RealClaude::all() {
        let methods = drive(claude, None);
        assert!(methods.contains(&"tools/call".to_owned()), "{methods:?}");
    }
}

#[test]
fn it_calls_tools_in_both_eras() {
    let Some(claude) = RealClaude::newest() else { return };
    let auto = drive(claude.clone(), Some("auto"));
    assert_eq!(auto[0], "server/discover");
    let legacy = drive(claude, Some("legacy"));
    assert_eq!(legacy[0], "initialize");
}

#[test]
fn it_uses_the_resources_and_the_prompt_in_both_eras() {
    let Some(claude) = RealClaude::newest() else { return };
    for (mode, opening) in [("auto", "server/discover"), ("legacy", "initialize")] {
        let mut run = Run::new(claude.clone());
        run.sandbox.set("MCP_PROTOCOL_NEGOTIATION", mode);
        run.turn(&["--session-id", SESSION], "a lighthouse");
        let (connected, sent) = connect(&run, "history");
        let mut arguments: Vec<&str> = connected.iter().map(String::as_str).collect();
        arguments.extend(["--permission-mode", "dontAsk", "--allowedTools", "ReadMcpResourceTool"]);
        // It passes on the first word only; its model sees all that was typed, and is told so.
        let output = run.turn(&arguments, "/mcp__ccmcp__recall light houses");
        assert_eq!(result(&output)["is_error"], false, "{output:?}");
        let asked = run.api.turns().last().expect("a request").body["messages"].to_string();
        assert!(asked.contains("about this topic: light") && asked.contains("get_thread"), "{asked}");
        assert!(asked.contains("light houses</command-args>") && asked.contains("all words after its name"), "{asked}");

        let read = json!({ "server": "ccmcp", "uri": format!("ccmcp://session/{}", &SESSION[..8]) });
        run.turn(&arguments, &format!("[[tool:ReadMcpResourceTool|{read}]]"));
        let shown = shown(&run);
        assert_eq!(shown.len(), 1, "{shown:?}");
        assert!(shown[0].0.contains("ECHO: a lighthouse") && !shown[0].1, "{shown:?}");

        let methods = methods(&sent);
        assert_eq!(methods[0], opening);
        for method in ["prompts/list", "prompts/get", "resources/list", "resources/read", "tools/list"] {
            assert!(methods.contains(&method.to_owned()), "{method}: {methods:?}");
        }
    }
}
