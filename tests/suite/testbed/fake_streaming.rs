//! The scripted Claude in streaming mode, as agents drive it.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, Stdio},
    sync::mpsc::{Receiver, channel},
    thread,
};

use serde_json::{Value, json};

use crate::support::{
    LIMIT, Sandbox,
    fake::{Launch, Script, Step, Turn},
};

const SESSION: &str = "99999999-2222-4333-8444-555555555555";

/// A process in streaming mode.
struct Driven {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<Value>,
}

impl Driven {
    fn start(sandbox: &Sandbox, first: [&str; 2]) -> Self {
        let mut command = sandbox.command("fake-claude");
        command.args([
            "-p",
            "--verbose",
            "--input-format",
            "stream-json",
            "--output-format",
            "stream-json",
            "--replay-user-messages",
        ]);
        command
            .args(["--safe-mode", "--strict-mcp-config", "--mcp-config", "empty.json", "--tools", "Read,Glob,Grep"])
            .args(first);
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
        let (sender, lines) = channel();
        let stdout = BufReader::new(child.stdout.take().expect("a pipe"));
        thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                if sender.send(serde_json::from_str(&line).expect("JSON")).is_err() {
                    break;
                }
            }
        });
        let stdin = child.stdin.take();
        Self { child, stdin, lines }
    }

    fn send(&mut self, frame: &Value) {
        writeln!(self.stdin.as_mut().expect("an open pipe"), "{frame}").expect("it reads");
    }

    fn user(&mut self, uuid: &str, text: &str) {
        self.send(&user(uuid, text));
    }

    /// The frames up to and with the first that `last` describes.
    fn until(&self, last: impl Fn(&Value) -> bool) -> Vec<Value> {
        let mut frames = Vec::new();
        loop {
            let frame = self.lines.recv_timeout(LIMIT).expect("another frame in time");
            let done = last(&frame);
            frames.push(frame);
            if done {
                return frames;
            }
        }
    }

    /// Ends the input, and gives what still came and the status.
    fn finish(mut self) -> (Vec<Value>, Option<i32>) {
        drop(self.stdin.take());
        let rest = self.lines.iter().collect();
        (rest, self.child.wait().expect("a status").code())
    }
}

fn user(uuid: &str, text: &str) -> Value {
    json!({ "type": "user", "message": { "role": "user", "content": [{ "type": "text", "text": text }] }, "uuid": uuid, "parent_tool_use_id": null })
}

fn ends(frame: &Value) -> bool {
    frame["state"] == "completed" || frame["state"] == "cancelled"
}

/// What a frame is, in one word.
fn kind(frame: &Value) -> String {
    let second = if frame["type"] == "command_lifecycle" { &frame["state"] } else { &frame["subtype"] };
    [frame["type"].as_str(), second.as_str()].into_iter().flatten().collect::<Vec<_>>().join("/")
}

fn kinds(frames: &[Value]) -> Vec<String> {
    frames.iter().map(kind).collect()
}

fn id(number: u32) -> String {
    format!("{number:08}-0000-4000-8000-000000000000")
}

#[test]
fn turns_context_and_replays_come_as_recorded() {
    let mut sandbox = Sandbox::new();
    let fake = sandbox.script(&Script::new());
    let mut driven = Driven::start(&sandbox, ["--session-id", SESSION]);
    driven.send(&json!({ "type": "control_request", "request_id": "r1", "request": { "subtype": "initialize" } }));
    let hello = driven.until(|_| true);
    assert_eq!(hello[0]["response"]["response"]["claude_code_version"], "2.1.332");
    driven.user(&id(1), "one");
    let one = driven.until(ends);
    let lifecycle = ["command_lifecycle/queued", "command_lifecycle/started", "system/init", "user"];
    assert_eq!(kinds(&one), [&lifecycle[..], &["assistant", "result/success", "command_lifecycle/completed"]].concat());
    assert_eq!((&one[3]["isReplay"], &one[3]["uuid"]), (&json!(true), &json!(id(1))));
    assert_eq!(one[5]["user_message_uuids"], json!([id(1)]));

    let mut context = user(&id(2), "context");
    context["shouldQuery"] = json!(false);
    driven.send(&context);
    let two = driven.until(ends);
    assert_eq!(kinds(&two), [&lifecycle[..], &["result/success", "command_lifecycle/completed"]].concat());
    assert_eq!(
        (&two[4]["num_turns"], &two[4]["result"], &two[4]["total_cost_usd"]),
        (&json!(0), &json!(""), &json!(0.01))
    );

    driven.send(&json!({ "type": "keep_alive" }));
    driven.user(&id(1), "one");
    let again = driven.until(ends);
    assert!(again.iter().all(|frame| frame["type"] != "result"), "a known uuid is swallowed: {:?}", kinds(&again));

    driven.user(&id(3), "three");
    let three = driven.until(ends);
    assert_eq!((&three[5]["total_cost_usd"], &three[5]["result_index"]), (&json!(0.02), &json!(2)));
    let (rest, status) = driven.finish();
    assert_eq!((rest, status), (vec![], Some(0)));
    assert_eq!(fake.launch(0).ended(), 0);
    assert_eq!(fake.launch(0).inputs().len(), 6);
    let users = sandbox.transcript(SESSION).iter().filter(|record| record["type"] == "user").count();
    assert_eq!(users, 3);
}

#[test]
fn recordings_agree_on_the_order_of_frames() {
    let recorded = std::fs::read_to_string(crate::support::fixture("frames/2.1.332/stream_two_turns_context.jsonl"))
        .expect("the recording");
    let recorded: Vec<Value> = recorded.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let sandbox = Sandbox::new();
    let mut driven = Driven::start(&sandbox, ["--session-id", SESSION]);
    driven.send(
        &json!({ "type": "control_request", "request_id": "r_initialize", "request": { "subtype": "initialize" } }),
    );
    let mut ours = driven.until(|_| true);
    for (number, query) in [(1, true), (2, false), (3, true)] {
        let mut input = user(&id(number), "x");
        if !query {
            input["shouldQuery"] = json!(false);
        }
        driven.send(&input);
        ours.extend(driven.until(ends));
    }
    assert_eq!(kinds(&ours), kinds(&recorded));
    driven.finish();
}

#[test]
fn an_interrupt_ends_the_turn_and_not_the_process() {
    let mut sandbox = Sandbox::new();
    let flags = [sandbox.flag("work"), sandbox.flag("tool")];
    let tool = Step::ToolCall { name: "Bash".into(), input: json!({ "command": "sleep 300" }) };
    let script = Script::new().launch(
        Launch::turn(Turn::of(vec![Step::Init, flags[0].step(), Step::Work])).then(Turn::of(vec![
            Step::Init,
            tool,
            flags[1].step(),
            Step::Work,
        ])),
    );
    sandbox.script(&script);
    let mut driven = Driven::start(&sandbox, ["--session-id", SESSION]);
    let interrupt = json!({ "type": "control_request", "request_id": "r", "request": { "subtype": "interrupt" } });
    for (number, flag, reason) in [(1, &flags[0], "aborted_streaming"), (2, &flags[1], "aborted_tools")] {
        driven.user(&id(number), "work");
        flag.wait();
        driven.send(&interrupt);
        let frames = driven.until(ends);
        let response = frames.iter().position(|frame| frame["type"] == "control_response").expect("a response");
        let result = frames.iter().position(|frame| frame["type"] == "result").expect("a result");
        assert!(response < result);
        let result = &frames[result];
        assert_eq!(
            (&result["subtype"], &result["terminal_reason"]),
            (&json!("error_during_execution"), &json!(reason))
        );
        assert_eq!((result.get("result"), &frames.last().expect("one")["state"]), (None, &json!("cancelled")));
    }
    driven.send(&interrupt);
    assert_eq!(kinds(&driven.until(|_| true)), ["control_response"], "with no turn there is nothing to end");
    driven.send(&json!({ "type": "control_request", "request_id": "r", "request": { "subtype": "bogus" } }));
    assert_eq!(driven.until(|_| true)[0]["response"]["subtype"], "error");
    driven.user(&id(3), "go on");
    assert_eq!(driven.until(ends)[5]["result"], "ECHO: go on");
    let (_, status) = driven.finish();
    assert_eq!(status, Some(0), "the last result decides");
}

#[test]
fn inputs_queue_or_merge() {
    for merge in [false, true] {
        let mut sandbox = Sandbox::new();
        let (flag, gate) = (sandbox.flag("in"), sandbox.gate("out"));
        let launch = Launch::turn(Turn::echo().before(flag.step()).before(gate.step()));
        sandbox.script(&Script::new().launch(if merge { launch.merge() } else { launch }));
        let mut driven = Driven::start(&sandbox, ["--session-id", SESSION]);
        driven.user(&id(1), "one");
        flag.wait();
        driven.user(&id(2), "two");
        driven.user(&id(3), "three");
        driven.until(|frame| frame["state"] == "queued" && frame["command_uuid"] == id(3));
        gate.open();
        let (rest, status) = driven.finish();
        let results: Vec<&Value> =
            rest.iter().filter(|frame| frame["type"] == "result").map(|frame| &frame["result"]).collect();
        let expected: &[&str] =
            if merge { &["ECHO: one", "ECHO: two\nthree"] } else { &["ECHO: one", "ECHO: two", "ECHO: three"] };
        assert_eq!(
            (results, status),
            (expected.iter().map(|text| json!(text)).collect::<Vec<_>>().iter().collect(), Some(0)),
            "the end of the input ends no turn"
        );
        assert_eq!(rest.iter().filter(|frame| frame["state"] == "completed").count(), 3);
    }
}

#[test]
fn older_versions_say_less() {
    for (version, lifecycle) in [("2.1.238", true), ("2.1.197", false)] {
        let mut sandbox = Sandbox::new();
        sandbox.script(&Script::new().cli_version(version));
        for (number, first, total) in [(1, "--session-id", 0.01), (2, "--resume", 0.01)] {
            let mut driven = Driven::start(&sandbox, [first, SESSION]);
            driven.user(&id(number), "one");
            let (frames, status) = driven.finish();
            assert_eq!(frames.iter().any(|frame| frame["type"] == "command_lifecycle"), lifecycle);
            let result = frames.iter().find(|frame| frame["type"] == "result").expect("a result");
            assert_eq!(result["total_cost_usd"], total, "no cost goes on from process to process");
            assert_eq!(result.get("user_message_uuid").is_some(), lifecycle);
            for key in ["user_message_uuids", "result_index", "queued_turn_count"] {
                assert_eq!(result.get(key), None, "{key}");
            }
            assert_eq!(status, Some(0));
        }
        assert!(
            sandbox
                .transcript(SESSION)
                .iter()
                .all(|record| record["type"] != "cost-state" && record["type"] != "attachment")
        );
    }
}

#[test]
fn faults_of_the_protocol_are_played() {
    let mut sandbox = Sandbox::new();
    let (flag, gate) = (sandbox.flag("deaf"), sandbox.gate("deaf"));
    let script = Script::new().launch(
        Launch::turn(Turn::say("by itself").unprompted())
            .then(Turn::of(vec![Step::stray_result(json!({ "result": "foreign" })), Step::Swallow]))
            .then(Turn::echo().before(Step::Deaf).before(flag.step()).before(gate.step())),
    );
    sandbox.script(&script);
    let mut driven = Driven::start(&sandbox, ["--session-id", SESSION]);
    let own = driven.until(|frame| frame["type"] == "result");
    assert_eq!(own.last().expect("one").get("user_message_uuids"), None);
    driven.user(&id(1), "swallowed");
    let swallowed = driven.until(ends);
    let expected = [
        "command_lifecycle/queued",
        "command_lifecycle/started",
        "result/success",
        "user",
        "command_lifecycle/completed",
    ];
    assert_eq!(kinds(&swallowed), expected);
    assert_eq!(swallowed[2].get("user_message_uuids"), None, "a stray result names no input");
    driven.user(&id(2), "deaf");
    flag.wait();
    driven.send(&json!({ "type": "control_request", "request_id": "r", "request": { "subtype": "interrupt" } }));
    gate.open();
    let frames = driven.until(ends);
    assert!(frames.iter().all(|frame| frame["type"] != "control_response"));
    assert_eq!(frames[5]["result"], "ECHO: deaf");
    writeln!(driven.stdin.as_mut().expect("a pipe"), "no JSON").expect("it reads");
    assert_eq!(driven.child.wait().expect("a status").code(), Some(1));
}

#[test]
fn a_budget_is_kept() {
    let sandbox = Sandbox::new();
    let mut child = Driven::start(&sandbox, ["--max-budget-usd", "0.005"]);
    child.user(&id(1), "one");
    let (frames, status) = child.finish();
    let result = frames.iter().find(|frame| frame["type"] == "result").expect("a result");
    assert_eq!(
        (&result["subtype"], &result["errors"], status),
        (&json!("error_max_budget_usd"), &json!(["Reached maximum budget ($0.005)"]), Some(1))
    );
}
