//! How a turn's Claude is launched, and what it is given.

use serde_json::Value;
use uuid::Uuid;

use crate::support::{
    Sandbox,
    fake::{Launched, Script},
};

/// The argument list of the contract, after the session's own two.
const REST: [&str; 9] = [
    "--model",
    "opus",
    "--permission-mode",
    "auto",
    "--output-format",
    "stream-json",
    "--verbose",
    "--include-partial-messages",
    "-p",
];

/// Prompts that a shell, an argument parser or a line reader would take apart.
const PROMPTS: &[&str] = &[
    "plain",
    "--resume --model haiku -p",
    "-",
    "/cost",
    " \t leading and trailing space \n\n",
    "a trailing newline\n",
    "CRLF\r\nand a lone \r",
    "\"double\" 'single' `back` $HOME $(id) %PATH% !x; | & > <",
    "back\\slash \\n \\u0041 \\",
    "{\"type\":\"user\",\"message\":{}}\n{\"type\":\"result\"}\n",
    "Grüße, 灯台 🚢 \u{202e}mirror\u{feff}",
    "control \u{1} \u{7} \u{1b}[31m \u{7f}",
];

fn variable<'a>(launch: &'a Launched, name: &str) -> Option<&'a str> {
    launch.env.get(name).map(String::as_str)
}

#[test]
fn a_start_and_a_send_are_launched_as_the_contract_says() {
    let mut sandbox = Sandbox::new();
    let fake = sandbox.script(&Script::new());
    let answer = sandbox.start("hi").answer();
    let id = answer["session_id"].as_str().expect("an id");
    assert_eq!(Uuid::parse_str(id).expect("a UUID").get_version_num(), 4);
    sandbox.send(id, "more").answer();

    let (start, send) = (fake.launch(0), fake.launch(1));
    assert_eq!(start.argv, [&["--session-id", id], &REST[..]].concat());
    assert_eq!(send.argv, [&["--resume", id], &REST[..]].concat());
    assert_eq!((&start.cwd, &send.cwd), (&sandbox.workspace(), &sandbox.workspace()));
    assert_eq!((start.stdin(), send.stdin()), (b"hi".to_vec(), b"more".to_vec()));
    assert_eq!(fake.launches(), 2, "one process a call");
}

#[test]
fn a_prompt_arrives_byte_for_byte_and_never_in_argv() {
    let mut sandbox = Sandbox::new();
    let fake = sandbox.script(&Script::new());
    let session = sandbox.session();
    for (number, prompt) in PROMPTS.iter().enumerate() {
        let answer = sandbox.send(&session, prompt).answer();
        assert_eq!(answer["response"], format!("ECHO: {prompt}"));
        let launch = fake.launch(number + 1);
        assert_eq!(launch.stdin(), prompt.as_bytes(), "{prompt:?}");
        assert_eq!(launch.argv, [&["--resume", &session], &REST[..]].concat(), "{prompt:?}");
    }
}

#[test]
fn the_environment_is_ours_without_the_marks_of_nesting_and_one_level_deeper() {
    let mut sandbox = Sandbox::new();
    let marks = [
        "CLAUDECODE",
        "CLAUDE_CODE_ENTRYPOINT",
        "CLAUDE_CODE_SESSION_ID",
        "CLAUDE_CODE_CHILD_SESSION",
        "CLAUDE_PID",
        "CLAUDE_CODE_MESSAGING_SOCKET",
        "CLAUDE_CODE_MESSAGING_TOKEN",
        "CLAUDE_CODE_LAUNCHED_BY_SESSION_IDS",
        "CLAUDE_CODE_CHILD_NOTES_DIR",
        "CLAUDE_CODE_SSE_PORT",
        "CLAUDE_PROJECT_DIR",
        "CLAUDE_EFFORT",
        "AI_AGENT",
    ];
    for mark in marks {
        sandbox.set(mark, "1");
    }
    let kept = [
        ("CLAUDE_CODE_OAUTH_TOKEN", "token-of-the-user"),
        ("CLAUDE_CODE_USE_BEDROCK", "1"),
        ("ANTHROPIC_BASE_URL", "http://127.0.0.1:1"),
        ("MCP_TOOL_TIMEOUT", "5"),
        ("LINES_IN_A_VALUE", "a\nb = c\n"),
        ("EMPTY", ""),
    ];
    for (name, value) in kept {
        sandbox.set(name, value);
    }
    let fake = sandbox.script(&Script::new());
    sandbox.start("hi").answer();
    let launch = fake.launch(0);
    for mark in marks {
        assert_eq!(variable(&launch, mark), None, "{mark}");
    }
    for (name, value) in kept {
        assert_eq!(variable(&launch, name), Some(value), "{name}");
    }
    assert_eq!(variable(&launch, "CLAUDE_CODE_WRAPPER_DEPTH"), Some("1"));
    assert_eq!(variable(&launch, "CLAUDE_CONFIG_DIR"), sandbox.config_dir().to_str());
}

#[test]
fn every_accepted_model_is_passed_verbatim_and_no_other_launches_anything() {
    let mut sandbox = Sandbox::new();
    sandbox.set("CCMCP_ACCEPT_MODELS", "by-variable,by-variable-too");
    let fake = sandbox.script(&Script::new());
    let good = [
        "opus",
        "sonnet",
        "haiku",
        "fable",
        "claude-opus-4-8",
        "claude-sonnet-5",
        "claude-haiku-4-5-20251001",
        "by-variable",
        "by-variable-too",
    ];
    for (number, model) in good.iter().enumerate() {
        sandbox.ccmcp(&["start", "--json", "--model", model, "hi"]).answer();
        assert_eq!(fake.launch(number).value_of("--model"), Some(*model));
    }
    for model in ["Opus", "opus ", "claude-opus", "gpt-5", "by", "--add-dir"] {
        let run = sandbox.ccmcp(&["start", "--json", &format!("--model={model}"), "hi"]);
        let error = run.error("MODEL_REJECTED");
        assert_eq!(run.status, Some(2), "{model}");
        assert_eq!(error["details"]["accepted_models"], serde_json::json!(good), "{model}");
    }
    assert_eq!(fake.launches(), good.len());
    // The flag replaces the variable, as everywhere.
    let run = sandbox.ccmcp(&["start", "--json", "--model", "by-flag", "--accept-model", "by-flag", "hi"]);
    assert!(run.answer()["is_error"] == Value::Bool(false));
}

#[test]
fn the_size_of_a_prompt_is_the_clis_own() {
    let mut sandbox = Sandbox::new();
    let fake = sandbox.script(&Script::new());
    let longest = "x".repeat(10 * 1024 * 1024);
    let answer = sandbox.start(&longest).answer();
    assert_eq!(answer["response"].as_str().map(str::len), Some(longest.len() + "ECHO: ".len()));
    assert_eq!(fake.launch(0).stdin().len(), longest.len());
    let error = sandbox.start(&format!("{longest}x")).error("SCHEMA_VALIDATION");
    assert_eq!(error["details"]["field"], "initial_prompt");
    assert_eq!(fake.launches(), 1);
}
