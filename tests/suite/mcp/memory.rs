//! Memory stays flat while a flood of frames passes through, however slowly a client reads.

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    process::{Child, ChildStdout, Stdio},
};

use serde_json::{Value, json};

use super::start;
use crate::support::{
    Sandbox,
    fake::{Fake, Launch, Script, Step, Turn},
    finish, wait_until,
};

/// The size of a frame: larger than a pipe holds.
const FRAME: usize = 100_000;
/// How many of them: 500 MB in all, which a debug build passes through in seconds.
const FRAMES: u64 = 5_000;
/// What the server may use at most, in KiB. The queue of progress may hold 16 MiB, and each message is held several
/// times on its way: as bytes, as text, as JSON. A hundredth of the flood kept by mistake would be over it.
const MOST: u64 = 120_000;
/// Longer than the flood takes on a busy machine.
const LIMIT: std::time::Duration = std::time::Duration::from_mins(2);

/// A server that is spoken to by hand: what it says is read only when the test wants to.
struct Server {
    child: Child,
    output: BufReader<ChildStdout>,
}

impl Server {
    fn start(sandbox: &Sandbox) -> Self {
        let mut command = sandbox.command("ccmcp");
        command.arg("serve").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect("it starts");
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut server = Self { child, output };
        let client = json!({ "name": "test", "version": "0" });
        let params = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client });
        server.send(&json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params }));
        server.answer(1);
        server.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        server
    }

    fn call(&mut self, sandbox: &Sandbox, token: bool) {
        let meta = if token { json!({ "progressToken": 2 }) } else { json!({}) };
        let params = json!({ "name": "start_session", "arguments": start(sandbox, "flood"), "_meta": meta });
        self.send(&json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params }));
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.child.stdin.as_mut().expect("a pipe"), "{message}").expect("it reads");
    }

    /// Reads up to the answer; counts the progress on the way.
    fn answer(&mut self, id: u64) -> (Value, Vec<f64>) {
        let mut progress = Vec::new();
        let mut line = Vec::new();
        loop {
            line.clear();
            assert!(self.output.read_until(b'\n', &mut line).expect("output") > 0, "it ended");
            // Short enough to be no padding.
            let message: Value = serde_json::from_slice(&line).expect("JSON");
            if message["id"] == id {
                return (message, progress);
            }
            progress.extend(message["params"]["progress"].as_f64());
        }
    }

    /// The most memory that it ever held, in KiB.
    fn most(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).expect("it lives");
        let line = status.lines().find(|line| line.starts_with("VmHWM:")).expect("a line");
        line.split_whitespace().nth(1).and_then(|number| number.parse().ok()).expect("a number")
    }

    fn end(mut self) {
        drop(self.child.stdin.take());
        let mut rest = Vec::new();
        self.output.read_to_end(&mut rest).expect("output");
        assert_eq!(rest, b"", "nothing after the answer");
        assert!(finish(self.child).status.success());
    }
}

fn flood(sandbox: &mut Sandbox) -> Fake {
    let turn = Turn::echo().before(Step::Flood { frames: FRAMES, bytes: FRAME });
    sandbox.script(&Script::new().always(Launch::turn(turn)))
}

#[test]
fn a_flood_without_progress() {
    let mut sandbox = Sandbox::new();
    flood(&mut sandbox);
    let mut server = Server::start(&sandbox);
    server.call(&sandbox, false);
    let (answer, progress) = server.answer(2);
    assert_eq!(answer["result"]["structuredContent"]["response"], "ECHO: flood");
    assert!(progress.is_empty());
    assert!(server.most() < MOST, "{} KiB", server.most());
    server.end();
}

#[test]
fn a_flood_of_progress_that_nobody_reads_does_not_stall_the_turn() {
    let mut sandbox = Sandbox::new();
    let fake = flood(&mut sandbox);
    let mut server = Server::start(&sandbox);
    server.call(&sandbox, true);
    // Nothing is read until the turn has ended by itself.
    let launch = fake.launch(0);
    assert_eq!(wait_until(LIMIT, "the turn ends", || launch.exit()), 0);
    assert!(server.most() < MOST, "{} KiB", server.most());
    let (answer, progress) = server.answer(2);
    assert_eq!(answer["result"]["structuredContent"]["response"], "ECHO: flood");
    // What did not fit was left out, and the counter shows the gap.
    assert!(progress.len() > 10 && (progress.len() as u64) < FRAMES, "{}", progress.len());
    assert!(progress[0] < 1.5, "from 1 on");
    assert!(progress.windows(2).all(|pair| pair[0] < pair[1]), "counting up");
    assert!(server.most() < MOST, "{} KiB", server.most());
    server.end();
}

#[test]
fn a_flood_of_progress_that_is_read() {
    let mut sandbox = Sandbox::new();
    flood(&mut sandbox);
    let mut server = Server::start(&sandbox);
    server.call(&sandbox, true);
    let (answer, progress) = server.answer(2);
    assert_eq!(answer["result"]["structuredContent"]["response"], "ECHO: flood");
    assert!(progress.windows(2).all(|pair| pair[0] < pair[1]), "counting up");
    assert!(server.most() < MOST, "{} KiB", server.most());
    server.end();
}
