//! The real CLI against the loopback API, without ccmcp: what the other tests take for granted about both.

#[cfg(unix)]
mod client;
#[cfg(unix)]
mod codex;
mod history;
mod sessions;

use std::{
    io::Write,
    process::{Output, Stdio},
};

use serde_json::{Value, json};

use crate::support::{LIMIT, Sandbox, api::Api, finish, real::RealClaude, wait_for};

const SESSION: &str = "22222222-2222-4333-8444-555555555555";
/// Tools run without asking anybody.
const TOOLS: [&str; 4] = ["--permission-mode", "dontAsk", "--allowedTools", "Bash"];

/// A box for one version.
struct Run {
    sandbox: Sandbox,
    api: Api,
    claude: RealClaude,
}

impl Run {
    fn new(claude: RealClaude) -> Self {
        let (mut sandbox, api) = (Sandbox::new(), Api::start());
        claude.enter(&mut sandbox, &api);
        Self { sandbox, api, claude }
    }

    fn start(&self, arguments: &[&str], prompt: &str) -> std::process::Child {
        let mut command = self.claude.turn(&self.sandbox, arguments);
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
        child.stdin.take().expect("a pipe").write_all(prompt.as_bytes()).expect("the prompt");
        child
    }

    fn turn(&self, arguments: &[&str], prompt: &str) -> Output {
        finish(self.start(arguments, prompt))
    }
}

fn frames(output: &Output) -> Vec<Value> {
    output
        .stdout
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_slice(line).expect("a frame"))
        .collect()
}

fn result(output: &Output) -> Value {
    frames(output)
        .into_iter()
        .rfind(|frame| frame["type"] == "result")
        .unwrap_or_else(|| panic!("no result: {output:?}"))
}

#[test]
fn an_echo_and_its_resume() {
    for claude in RealClaude::all() {
        let run = Run::new(claude);
        let prompt = "Say: \"hé\" --now\n";
        let first = run.turn(&["--session-id", SESSION], prompt);
        assert_eq!(
            (result(&first)["result"].clone(), first.status.code()),
            (json!(format!("ECHO: {prompt}")), Some(0))
        );
        assert_eq!(run.api.turns()[0].conversation(), [("user".to_owned(), prompt.to_owned())]);
        assert!(run.api.turns()[0].headers["authorization"].ends_with("made-up"));

        let second = run.turn(&["--resume", SESSION], "And now?");
        assert_eq!(result(&second)["result"], "ECHO: And now?");
        let spoken = run.api.turns()[1].conversation();
        let expected = [("user", prompt), ("assistant", &format!("ECHO: {prompt}")), ("user", "And now?")];
        assert_eq!(spoken, expected.map(|(role, text)| (role.to_owned(), text.to_owned())), "{}", run.claude.version);
        assert!(!run.sandbox.transcript(SESSION).is_empty());
    }
}

#[test]
fn tool_calls_run_one_after_the_other_and_side_by_side() {
    for claude in RealClaude::all() {
        let run = Run::new(claude);
        let prompt =
            r#"[[tool:Bash|{"command":"echo one > a.txt && echo first"}]] [[par:echo two > b.txt;echo three > c.txt]]"#;
        let output = run.turn(&TOOLS, prompt);
        assert_eq!(result(&output)["result"], json!(format!("ECHO: {prompt}")));
        let results: Vec<Value> = frames(&output)
            .iter()
            .filter(|frame| frame["type"] == "user")
            .flat_map(|frame| frame["message"]["content"].as_array().cloned().unwrap_or_default())
            .collect();
        assert_eq!((results.len(), &results[0]["content"]), (3, &json!("first")), "{results:?}");
        for (file, text) in [("a.txt", "one\n"), ("b.txt", "two\n"), ("c.txt", "three\n")] {
            assert_eq!(std::fs::read_to_string(run.sandbox.workspace().join(file)).expect("the tool's file"), text);
        }
    }
}

#[test]
fn a_sub_agent_asks_on_its_own() {
    for claude in RealClaude::all() {
        let run = Run::new(claude);
        let output =
            run.turn(&["--permission-mode", "dontAsk", "--allowedTools", "Agent,Task"], "[[task:look around]]");
        assert_eq!(result(&output)["is_error"], false, "{:?}", result(&output));
        run.api.wait_turn("look around");
        assert!(
            run.api
                .turns()
                .iter()
                .any(|asked| asked.conversation().first().is_some_and(|(_, text)| text == "look around"))
        );
    }
}

#[test]
fn failures_come_as_the_api_says() {
    for claude in RealClaude::all() {
        let run = Run::new(claude);
        let output = run.turn(&[], "[[http:529|overloaded_error|Overloaded]]");
        let failed = result(&output);
        assert_eq!(
            (&failed["is_error"], &failed["api_error_status"], output.status.code()),
            (&json!(true), &json!(529), Some(1))
        );
        assert!(frames(&output).iter().any(|frame| frame["subtype"] == "api_retry"));
        let output = run.turn(&[], "[[http:500|api_error|oops|1]]");
        assert_eq!(
            result(&output)["result"],
            "ECHO: [[http:500|api_error|oops|1]]",
            "it goes through at the second try"
        );
    }
}

#[test]
fn limits_are_told_by_headers() {
    for claude in RealClaude::all() {
        let run = Run::new(claude);
        for (limit, status) in [("allowed", "allowed"), ("warning", "allowed_warning"), ("rejected", "rejected")] {
            let output = run.turn(&[], &format!("[[limit:{limit}]]"));
            let events: Vec<Value> =
                frames(&output).into_iter().filter(|frame| frame["type"] == "rate_limit_event").collect();
            let info = &events.last().unwrap_or_else(|| panic!("no event for {limit}: {output:?}"))["rate_limit_info"];
            assert_eq!((&info["status"], &info["rateLimitType"]), (&json!(status), &json!("five_hour")), "{info}");
            assert!(info["resetsAt"].is_u64(), "{info}");
            assert_eq!(result(&output)["is_error"], limit == "rejected");
        }
    }
}

#[test]
fn answers_wait_at_gates_and_come_at_a_pace() {
    let Some(claude) = RealClaude::newest() else { return };
    let run = Run::new(claude);
    let child = run.start(&[], "[[gate:g]] hi");
    run.api.wait_turn("[[gate:g]]");
    run.api.open("g");
    assert_eq!(result(&finish(child))["result"], "ECHO: [[gate:g]] hi");
    let paced = run.turn(&[], "[[pace:1]] [[delay:0.01]] one two three four five six seven");
    let deltas = frames(&paced).iter().filter(|frame| frame["event"]["type"] == "content_block_delta").count();
    assert!(deltas >= 5, "{deltas} deltas");
}

#[test]
fn an_answer_that_breaks_off_is_asked_for_again() {
    let Some(claude) = RealClaude::newest() else { return };
    let run = Run::new(claude);
    let output = run.turn(&[], "[[drop]]");
    assert_ne!(output.status.code(), None);
    assert!(run.api.turns().len() > 1, "the CLI asks again");
}

#[test]
#[cfg(unix)]
fn the_wrapper_lets_tools_run_in_auto_mode() {
    let Some(claude) = RealClaude::newest() else { return };
    let mut run = Run::new(claude);
    run.claude.allow_tools(&mut run.sandbox, "Bash");
    let wrapper = run.sandbox.root().join("bin").join("claude");
    let through = RealClaude { path: wrapper, ..run.claude.clone() };
    let mut command = through.turn(&run.sandbox, &["--permission-mode", "auto", "--session-id", SESSION]);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let pid = child.id();
    child
        .stdin
        .take()
        .expect("a pipe")
        .write_all(br#"[[tool:Bash|{"command":"sleep 0.1; echo slept"}]] [[gate:g]]"#)
        .expect("the prompt");
    run.api.wait_turn("gate");
    let note = run.sandbox.config_dir().join("sessions").join(format!("{pid}.json"));
    wait_for(LIMIT, "the CLI itself is the process", || note.exists());
    run.api.open("g");
    let output = finish(child);
    let init = frames(&output).into_iter().find(|frame| frame["subtype"] == "init").expect("init");
    assert_eq!(init["permissionMode"], "dontAsk");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains(r#""content":"slept""#), "{text}");
}
