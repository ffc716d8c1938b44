//! The primary thread is what the CLI itself resumes: sessions made by the real CLI, read by ccmcp, resumed by the CLI,
//! and what then reaches the API compared with what ccmcp said.

use std::process::Stdio;

use serde_json::{Value, json};

use crate::support::{LIMIT, Sandbox, api::Api, finish, real::RealClaude, wait_for};

/// One session of the real CLI, and those made from it.
struct Session {
    sandbox: Sandbox,
    api: Api,
    claude: RealClaude,
    id: String,
}

type Conversation = Vec<(String, String)>;

impl Session {
    /// A session with a turn for each of `prompts`.
    fn new(claude: RealClaude, prompts: &[&str]) -> Self {
        let (mut sandbox, api) = (Sandbox::new(), Api::start());
        claude.enter(&mut sandbox, &api);
        let id = "33333333-2222-4333-8444-555555555555".to_owned();
        let session = Self { sandbox, api, claude, id };
        for (number, prompt) in prompts.iter().enumerate() {
            let how = if number == 0 { "--session-id" } else { "--resume" };
            session.turn(&[how, &session.id], prompt);
        }
        session
    }

    fn begin(&self, arguments: &[&str], prompt: &str) -> std::process::Child {
        let mut command = self.claude.turn(&self.sandbox, arguments);
        command.arg(prompt).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().expect("it starts")
    }

    /// Runs a turn of the CLI itself; gives its result frame.
    fn turn(&self, arguments: &[&str], prompt: &str) -> Value {
        let output = finish(self.begin(arguments, prompt));
        let lines = String::from_utf8(output.stdout).expect("UTF-8");
        let frames: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).expect("a frame")).collect();
        let result = frames.into_iter().rfind(|frame| frame["type"] == "result");
        let result = result.unwrap_or_else(|| panic!("no result: {lines}"));
        assert_eq!(result["is_error"], false, "{arguments:?}: {result}");
        result
    }

    /// The uuid of the last record of the answer to `prompt`.
    fn answer_to(&self, prompt: &str) -> String {
        let records = self.sandbox.transcript(&self.id);
        let answer = records.iter().rfind(|record| {
            record["type"] == "assistant" && record["message"]["content"][0]["text"] == format!("ECHO: {prompt}")
        });
        answer.and_then(|record| record["uuid"].as_str()).expect("an answer").to_owned()
    }

    fn ask(&self, arguments: &[&str]) -> Value {
        let output = self.sandbox.command("ccmcp").args(arguments).arg("--json").output().expect("ccmcp runs");
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).expect("JSON")
    }

    /// What ccmcp says the conversation of `id` is.
    fn told(&self, id: &str) -> Conversation {
        let thread = self.ask(&["tree", id, "--thread", "--limit", "200", "--max-chars", "10000"]);
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let messages = thread["messages"].as_array().expect("messages");
        // A message that only calls tools has no text, and is none of those that the API's texts are compared with.
        let said = messages.iter().map(|message| (text(&message["role"]), text(&message["text"])));
        said.filter(|(_, text)| !text.is_empty()).collect()
    }

    /// What the CLI sends of the conversation when `id` is resumed, without the prompt that it is resumed with.
    fn resumed(&self, id: &str) -> Conversation {
        self.turn(&["--resume", id], "(resumed)");
        let mut sent = self.api.turns().last().expect("a turn").conversation();
        assert_eq!(sent.pop(), Some(("user".to_owned(), "(resumed)".to_owned())));
        sent
    }

    /// ccmcp and the CLI mean the same conversation, and it has these prompts.
    fn assert_agrees(&self, id: &str, prompts: &[&str]) {
        let told = self.told(id);
        let typed: Vec<&str> = told.iter().filter(|(role, _)| role == "user").map(|(_, text)| text.as_str()).collect();
        assert_eq!(typed, prompts, "{}", self.claude.version);
        assert_eq!(told, self.resumed(id), "{}: what ccmcp told, what the CLI resumed", self.claude.version);
    }

    fn forks(&self) -> Vec<Value> {
        self.ask(&["tree", &self.id, "--forks"])["forks"].as_array().cloned().unwrap_or_default()
    }
}

#[test]
fn a_plain_session() {
    for claude in RealClaude::all() {
        let session = Session::new(claude, &["one", "two", "three"]);
        assert!(session.forks().is_empty());
        session.assert_agrees(&session.id, &["one", "two", "three"]);
    }
}

#[test]
fn rewinds() {
    for claude in RealClaude::all() {
        let session = Session::new(claude, &["one", "by train", "and a hotel"]);
        let first = session.answer_to("one");
        session.turn(&["--resume", &session.id, "--resume-session-at", &first], "by bicycle");
        session.turn(&["--resume", &session.id], "and a campsite");
        let forks = session.forks();
        assert_eq!((forks.len(), &forks[0]["kind"]), (1, &json!("rewind")), "{forks:?}");
        session.assert_agrees(&session.id, &["one", "by bicycle", "and a campsite"]);
        // Once more, from the same place: three branches of one fork.
        let session = Session::new(session.claude.clone(), &["one", "red", "dark"]);
        let first = session.answer_to("one");
        for colour in ["green", "blue"] {
            session.turn(&["--resume", &session.id, "--resume-session-at", &first], colour);
        }
        assert_eq!(session.forks()[0]["branches"].as_array().map(Vec::len), Some(3));
        session.assert_agrees(&session.id, &["one", "blue"]);
    }
}

#[test]
fn forked_sessions() {
    for claude in RealClaude::all() {
        let session = Session::new(claude, &["one", "two"]);
        let first = session.answer_to("one");
        session.turn(&["--resume", &session.id, "--resume-session-at", &first], "another two");
        let forked = session.turn(&["--resume", &session.id, "--fork-session"], "elsewhere");
        let id = forked["session_id"].as_str().expect("an id").to_owned();
        assert_ne!(id, session.id);
        session.assert_agrees(&id, &["one", "another two", "elsewhere"]);
        session.assert_agrees(&session.id, &["one", "another two"]);
    }
}

#[test]
fn compacted_sessions() {
    for claude in RealClaude::all() {
        let session = Session::new(claude, &["remember 4711", "and heron", "/compact", "what was it?", "and then?"]);
        let told = session.told(&session.id);
        let typed: Vec<&str> = told.iter().filter(|(role, _)| role == "user").map(|(_, text)| text.as_str()).collect();
        assert_eq!(typed, ["remember 4711", "and heron", "what was it?", "and then?"], "{}", session.claude.version);
        let tree = session.ask(&["tree", &session.id]);
        assert_eq!(tree["compactions"].as_array().map(Vec::len), Some(1), "{tree}");
        assert!(session.forks().is_empty());
        // The CLI sends a summary for all before the boundary, and the rest as it is.
        let resumed = session.resumed(&session.id);
        let after = told.iter().position(|(_, text)| text == "what was it?").expect("the prompt");
        let from = resumed.iter().position(|(_, text)| text.contains("what was it?")).expect("the prompt");
        assert_eq!(told[after + 1..], resumed[from + 1..], "{}", session.claude.version);
        assert!(!resumed.iter().any(|(role, text)| role == "user" && text == "and heron"), "{resumed:?}");
    }
}

#[test]
fn two_writers() {
    for claude in RealClaude::all() {
        let session = Session::new(claude, &["start"]);
        let first = session.begin(&["--resume", &session.id], "[[gate:first]] from the first terminal");
        session.api.wait_turn("from the first terminal");
        session.turn(&["--resume", &session.id], "from the second terminal");
        session.api.open("first");
        assert!(finish(first).status.success());
        wait_for(LIMIT, "both answers are on disk", || {
            let records = session.sandbox.transcript(&session.id);
            records.iter().filter(|record| record["type"] == "assistant").count() >= 3
        });
        let forks = session.forks();
        assert_eq!(
            (forks.len(), &forks[0]["kind"]),
            (1, &json!("divergence")),
            "{}: {forks:?}",
            session.claude.version
        );
        session.assert_agrees(&session.id, &["start", "[[gate:first]] from the first terminal"]);
    }
}

#[test]
fn tools_and_sub_agents() {
    for claude in RealClaude::all() {
        let session = Session::new(claude, &["hello"]);
        let tools = ["--resume", &session.id, "--permission-mode", "dontAsk", "--allowedTools", "Bash,Agent,Task"];
        session.turn(&tools, "[[par:echo alpha;echo beta]] run them");
        session.turn(&tools, "[[task:look around]] send it");
        assert!(session.forks().is_empty(), "parallel calls are no fork");
        let prompts = ["hello", "[[par:echo alpha;echo beta]] run them", "[[task:look around]] send it"];
        session.assert_agrees(&session.id, &prompts);
        let shown = session.ask(&["tree", &session.id, "--thread", "--tools"]).to_string();
        assert!(shown.contains("alpha") && shown.contains("beta"), "{shown}");
        assert_eq!(session.ask(&["tree", &session.id])["subagents"].as_array().map(Vec::len), Some(1));
    }
}
