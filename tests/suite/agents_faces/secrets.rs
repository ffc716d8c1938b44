//! Planted secrets: in the task, in mail, in the environment, in what Claude says. Each may be where it belongs, and
//! nowhere else.

use std::fs;

use serde_json::{Value, json};

use super::ground::{ok, server, wait};
use crate::support::{
    Sandbox,
    fake::{Script, Step, Turn},
};

const TASK: &str = "planted-in-task";
const MAIL: &str = "planted-in-mail";
const ENV: &str = "planted-in-env";
const SAID: &str = "planted-in-answer";
const STDERR: &str = "planted-in-stderr";

#[test]
fn secrets_stay_where_they_belong() {
    let mut sandbox = Sandbox::new();
    sandbox.set("ANTHROPIC_AUTH_TOKEN", ENV);
    let log = sandbox.root().join("log");
    sandbox.set("CCMCP_LOG_FILE", &log);
    sandbox.set("CCMCP_LOG_LEVEL", "trace");
    let dies = Turn::of(vec![Step::Init, Step::Stderr { text: format!("{STDERR}\n") }, Step::Exit { code: 3 }]);
    sandbox.script(&Script::new().on("dies", dies).on(TASK, Turn::say(SAID)));
    let mut mcp = server(&sandbox);
    let agent = ok(&mut mcp, "spawn_agent", json!({ "task": TASK, "name": "scout" }));
    let waited = wait(&mut mcp, &agent, &agent, "idle");
    let id = &agent["agent_id"];
    let sent = ok(&mut mcp, "send_message", json!({ "agent_id": id, "message": MAIL }));
    let followed = ok(&mut mcp, "followup_task", json!({ "agent_id": id, "message": format!("{MAIL} dies") }));
    let failed = wait(&mut mcp, &agent, &followed, "turn_end");
    let interrupted = ok(&mut mcp, "interrupt_agent", json!({ "agent_id": id }));
    let listed = ok(&mut mcp, "list_agents", json!({}));
    let read = ok(&mut mcp, "read_agent", json!({ "agent_id": id, "include_raw": true }));
    let errors = [
        mcp.tool_error("spawn_agent", json!({ "task": TASK, "cwd": "/no/such" })),
        mcp.tool_error("followup_task", json!({ "agent_id": id, "message": TASK, "x": MAIL })),
        mcp.tool_error("wait_agent", json!({ "agent_ids": [id], "after_cursor": TASK })),
    ];
    let table = sandbox.ccmcp(&["agents", "list"]);
    let events = sandbox.ccmcp(&["agents", "read", "scout", "--follow"]);
    assert!(mcp.end().success());

    let has = |value: &Value, secret: &str| value.to_string().contains(secret);
    // What belongs where.
    assert!(has(&waited["results"], SAID) && has(&read["raw_events"], SAID));
    assert_eq!(failed["results"][0]["reason"], "exited", "{failed}");
    assert!(has(&read["turns"], STDERR), "the tail is for whoever reads the agent: {}", read["turns"]);
    // And nowhere else.
    let bare =
        [&agent, &sent, &followed, &interrupted, &listed, &waited["events"], &failed, &read["events"], &read["agent"]];
    for value in bare.into_iter().chain(&errors) {
        for secret in [TASK, MAIL, ENV, SAID, STDERR] {
            assert!(!has(value, secret), "{secret} in {value}");
        }
    }
    assert!(![&waited, &read].iter().any(|value| has(value, ENV)), "the environment is nowhere");
    for text in
        [&table.stdout, &table.stderr, &events.stderr, &mcp.stderr(), &fs::read_to_string(&log).unwrap_or_default()]
    {
        for secret in [TASK, MAIL, ENV, SAID, STDERR] {
            assert!(!text.contains(secret), "{secret} in {text}");
        }
    }
    for entry in fs::read_dir(sandbox.state_dir()).unwrap().flatten().filter(|entry| entry.path().is_file()) {
        let bytes = String::from_utf8_lossy(&fs::read(entry.path()).unwrap()).into_owned();
        assert!(!bytes.contains(ENV), "{} holds the environment", entry.path().display());
    }
}
