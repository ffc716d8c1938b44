//! Processes without an owner; the self-test.

use std::time::Duration;

use serde_json::{Value, json};

use super::report::Check;
use crate::core::{
    config::Settings,
    process::{Exit, Launch, Limits, Spawner, Stdin, orphans as find_orphans},
};

const ORPHANS: &str = "orphaned processes";
const HANDSHAKE: &str = "self-test";

/// How long the self-test may take.
const LIMIT: Duration = Duration::from_secs(20);

/// Processes whose server and supervisor are both dead. The next server that starts ends them.
pub(super) async fn orphans() -> Check {
    match tokio::task::spawn_blocking(find_orphans).await {
        Ok(Ok(found)) if found.is_empty() => Check::ok(ORPHANS, "none"),
        Ok(Ok(found)) => {
            let pids: Vec<String> = found.iter().map(|process| process.pid.to_string()).collect();
            Check::warn(
                ORPHANS,
                format!("left behind by a server that was killed: {}", pids.join(", ")),
                "Start any `ccmcp serve`: it ends them.",
            )
        }
        Ok(Err(error)) => {
            Check::warn(ORPHANS, format!("the process table cannot be read: {error}"), "Nothing can be said.")
        }
        Err(error) => Check::warn(ORPHANS, format!("looking failed: {error}"), "Report this."),
    }
}

/// Starts this very program as a server and completes a handshake with it.
pub(super) async fn handshake(settings: &Settings, spawner: &Spawner) -> Check {
    let client = json!({ "name": "ccmcp-doctor", "version": env!("CARGO_PKG_VERSION") });
    let initialize = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client });
    let lines = [
        json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": initialize }),
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
        json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" }),
    ];
    let launch = Launch {
        program: settings.executable.clone(),
        args: ["serve", "--tools", "history"].map(Into::into).to_vec(),
        cwd: settings.places.home.clone(),
        env: settings.environment.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
        stdin: Stdin::Bytes(lines.map(|line| format!("{line}\n")).concat().into_bytes()),
        lock: None,
        limits: Limits::default(),
    };
    let hint = "Run `ccmcp serve --log-level debug` by hand and report what it says.";
    let output = match spawner.output(launch, LIMIT).await {
        Ok(output) => output,
        Err(error) => return Check::fail(HANDSHAKE, format!("a server cannot be started: {error}"), hint),
    };
    let answers: Vec<Value> = output.stdout.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let answer = |id: u32| answers.iter().find(|answer| answer["id"] == id).map(|answer| &answer["result"]);
    let tools = answer(2).and_then(|result| result["tools"].as_array()).map(Vec::len);
    let greeted = answer(1).is_some_and(|result| result["serverInfo"]["name"] == "ccmcp");
    match tools {
        Some(tools) if greeted && output.exit == Exit::Code(0) => {
            Check::ok(HANDSHAKE, format!("a server starts, shakes hands and lists {tools} history tools"))
        }
        _ => Check::fail(HANDSHAKE, "a server starts, and does not answer as it should", hint),
    }
}
