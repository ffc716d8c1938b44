//! A raw MCP client: JSON lines over the real pipes of a real server, a limit on every read, whole answers to compare.
//!
//! ```ignore
//! let mut mcp = Mcp::start(sandbox.command("ccmcp").arg("serve"));
//! mcp.initialize("2025-11-25");                       // or mcp.discover(), for the era without a handshake
//! let turn = mcp.begin_tool("start_session", json!({ … }));
//! assert_eq!(mcp.answer(&turn), json!({ … }));         // the whole JSON-RPC message
//! assert_eq!(mcp.progress(&turn).len(), 9);
//! ```
//!
//! A line on standard output that is no JSON-RPC message fails the test at the next read.

use std::{
    collections::{BTreeMap, VecDeque},
    io::{BufRead, BufReader, Read, Write},
    process::{Child, ChildStdin, Command, ExitStatus, Stdio},
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{Receiver, RecvTimeoutError, channel},
    },
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use super::{
    processes::{self, Process},
    wait::{LIMIT, wait_until},
};

/// The protocol version that has no handshake: every request tells version and capabilities.
pub(crate) const MODERN: &str = "2026-07-28";
/// The newest protocol version with a handshake.
pub(crate) const LEGACY: &str = "2025-11-25";

/// A request that was sent: its id, which is its progress token too.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Call(pub(crate) i64);

/// A server and the client that drives it. Dropping it ends the server at once.
#[derive(Debug)]
pub(crate) struct Mcp {
    child: Child,
    process: Process,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    stderr: Arc<Mutex<Vec<u8>>>,
    modern: bool,
    last: i64,
    answers: BTreeMap<i64, Value>,
    progress: BTreeMap<i64, Vec<Value>>,
    others: VecDeque<Value>,
}

#[expect(clippy::needless_pass_by_value, reason = "arguments are written as `json!(…)` where the call stands")]
impl Mcp {
    /// Starts a server; nothing is sent yet.
    pub(crate) fn start(command: &mut Command) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let (sender, lines) = channel();
        let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
        thread::spawn(move || {
            let mut line = Vec::new();
            while stdout.read_until(b'\n', &mut line).is_ok_and(|bytes| bytes > 0) {
                if sender.send(String::from_utf8_lossy(&line).trim_end_matches('\n').to_owned()).is_err() {
                    break;
                }
                line.clear();
            }
        });
        let stderr = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&stderr);
        let mut pipe = child.stderr.take().expect("a pipe");
        thread::spawn(move || {
            let mut part = [0; 4096];
            while let Ok(count @ 1..) = pipe.read(&mut part) {
                kept.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(&part[..count]);
            }
        });
        let process = Process { pid: child.id(), start: processes::start_of(child.id()).unwrap_or_default() };
        let stdin = child.stdin.take();
        Self {
            child,
            process,
            stdin,
            lines,
            stderr,
            modern: false,
            last: 0,
            answers: BTreeMap::new(),
            progress: BTreeMap::new(),
            others: VecDeque::new(),
        }
    }

    /// Starts a server and opens with `initialize` (2025-11-25).
    pub(crate) fn legacy(command: &mut Command) -> Self {
        let mut mcp = Self::start(command);
        mcp.initialize(LEGACY);
        mcp
    }

    /// Starts a server and opens with `server/discover` (2026-07-28).
    pub(crate) fn modern(command: &mut Command) -> Self {
        let mut mcp = Self::start(command);
        mcp.discover();
        mcp
    }

    /// The handshake with a version; gives its result.
    #[track_caller]
    pub(crate) fn initialize(&mut self, version: &str) -> Value {
        self.modern = false;
        let client = json!({ "name": "ccmcp-tests", "version": "0" });
        let call =
            self.begin("initialize", json!({ "protocolVersion": version, "capabilities": {}, "clientInfo": client }));
        let answer = self.result(&call);
        self.notify("notifications/initialized", json!({}));
        answer
    }

    /// The modern opening; gives its result. Every request from here on carries its `_meta`.
    #[track_caller]
    pub(crate) fn discover(&mut self) -> Value {
        self.modern = true;
        let call = self.begin("server/discover", json!({}));
        self.result(&call)
    }

    /// Sends a request; its answer is taken with [`Mcp::answer`].
    pub(crate) fn begin(&mut self, method: &str, params: Value) -> Call {
        self.last += 1;
        let id = self.last;
        let mut params = params;
        if self.modern {
            let meta = &mut params["_meta"];
            meta["io.modelcontextprotocol/protocolVersion"] = json!(MODERN);
            meta["io.modelcontextprotocol/clientInfo"] = json!({ "name": "ccmcp-tests", "version": "0" });
            meta["io.modelcontextprotocol/clientCapabilities"] = json!({});
        }
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        Call(id)
    }

    /// Calls a tool with a progress token; its answer is taken with [`Mcp::answer`].
    pub(crate) fn begin_tool(&mut self, name: &str, arguments: Value) -> Call {
        let token = self.last + 1;
        self.begin("tools/call", json!({ "name": name, "arguments": arguments, "_meta": { "progressToken": token } }))
    }

    /// Calls a tool without a progress token, and gives the call's result.
    #[track_caller]
    pub(crate) fn tool(&mut self, name: &str, arguments: Value) -> Value {
        let call = self.begin("tools/call", json!({ "name": name, "arguments": arguments }));
        self.result(&call)
    }

    /// The error object of a tool call that fails.
    #[track_caller]
    pub(crate) fn tool_error(&mut self, name: &str, arguments: Value) -> Value {
        let result = self.tool(name, arguments);
        assert_eq!(result["isError"], true, "it succeeded: {result}");
        result["structuredContent"]["error"].clone()
    }

    /// The names of the tools on offer, in their order.
    #[track_caller]
    pub(crate) fn tool_names(&mut self) -> Vec<String> {
        let call = self.begin("tools/list", json!({}));
        let result = self.result(&call);
        result["tools"]
            .as_array()
            .expect("tools")
            .iter()
            .map(|tool| tool["name"].as_str().expect("a name").to_owned())
            .collect()
    }

    /// The whole answer to a request; waits for it.
    #[track_caller]
    pub(crate) fn answer(&mut self, call: &Call) -> Value {
        self.read_until(&format!("the answer to request {}", call.0), |mcp| mcp.answers.remove(&call.0))
    }

    /// The result of a request that succeeds; waits for it.
    #[track_caller]
    pub(crate) fn result(&mut self, call: &Call) -> Value {
        let mut answer = self.answer(call);
        assert!(answer.get("error").is_none(), "a JSON-RPC error: {answer}");
        answer["result"].take()
    }

    /// Whether the answer is there already; reads only what has arrived.
    pub(crate) fn has_answer(&mut self, call: &Call) -> bool {
        while let Ok(line) = self.lines.try_recv() {
            self.take(&line);
        }
        self.answers.contains_key(&call.0)
    }

    /// The progress notifications' params for a request so far.
    pub(crate) fn progress(&self, call: &Call) -> Vec<Value> {
        self.progress.get(&call.0).cloned().unwrap_or_default()
    }

    /// Waits until so many progress notifications for a request have come.
    #[track_caller]
    pub(crate) fn wait_progress(&mut self, call: &Call, count: usize) {
        self.read_until(&format!("{count} progress notifications"), |mcp| {
            (mcp.progress.get(&call.0).map_or(0, Vec::len) >= count).then_some(())
        });
    }

    /// The next message that is neither an answer nor progress (`notifications/tools/list_changed`); waits for it.
    #[track_caller]
    pub(crate) fn notification(&mut self) -> Value {
        self.read_until("a notification", |mcp| mcp.others.pop_front())
    }

    /// Cancels a request.
    pub(crate) fn cancel(&mut self, call: &Call) {
        self.notify("notifications/cancelled", json!({ "requestId": call.0, "reason": "the test says so" }));
    }

    /// Waits until everything sent so far has been looked at, by an answer to one more request.
    #[track_caller]
    pub(crate) fn barrier(&mut self) {
        let call = self.begin("ping", json!({}));
        self.answer(&call);
    }

    /// Sends a notification.
    pub(crate) fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Sends a message as it is.
    pub(crate) fn send(&mut self, message: &Value) {
        self.send_bytes(format!("{message}\n").as_bytes());
    }

    /// Sends bytes as they are.
    pub(crate) fn send_bytes(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().expect("an open standard input");
        stdin.write_all(bytes).and_then(|()| stdin.flush()).expect("the server reads");
    }

    /// Closes the server's standard input.
    pub(crate) fn close(&mut self) {
        drop(self.stdin.take());
    }

    /// Closes the server's standard input and waits for its end.
    #[track_caller]
    pub(crate) fn end(&mut self) -> ExitStatus {
        self.close();
        self.exited()
    }

    /// Waits for the server's end.
    #[track_caller]
    pub(crate) fn exited(&mut self) -> ExitStatus {
        wait_until(LIMIT, "the server ends", || self.child.try_wait().expect("a status"))
    }

    /// The server.
    pub(crate) fn process(&self) -> &Process {
        &self.process
    }

    /// What the server has written to standard error so far.
    pub(crate) fn stderr(&self) -> String {
        String::from_utf8_lossy(&self.stderr.lock().unwrap_or_else(PoisonError::into_inner)).into_owned()
    }

    /// Reads until `found` finds something; fails the test after the limit.
    #[track_caller]
    fn read_until<T>(&mut self, what: &str, mut found: impl FnMut(&mut Self) -> Option<T>) -> T {
        let until = Instant::now() + LIMIT;
        loop {
            if let Some(found) = found(self) {
                return found;
            }
            match self.lines.recv_timeout(until.saturating_duration_since(Instant::now()).max(Duration::from_millis(1)))
            {
                Ok(line) => self.take(&line),
                Err(RecvTimeoutError::Timeout) => {
                    panic!("not within {LIMIT:?}: {what}; standard error:\n{}", self.stderr())
                }
                Err(RecvTimeoutError::Disconnected) => {
                    panic!("the server closed its output before {what}; standard error:\n{}", self.stderr())
                }
            }
        }
    }

    /// Sorts a line in.
    fn take(&mut self, line: &str) {
        let message: Value =
            serde_json::from_str(line).unwrap_or_else(|_| panic!("standard output holds protocol only, not: {line}"));
        assert_eq!(message["jsonrpc"], "2.0", "not JSON-RPC: {line}");
        if message.get("method").is_none() {
            let Some(id) = message["id"].as_i64() else { return self.others.push_back(message) };
            let twice = self.answers.insert(id, message);
            assert!(twice.is_none(), "request {id} was answered twice");
        } else if message["method"] == "notifications/progress" {
            let token = message["params"]["progressToken"].as_i64().expect("our token, unchanged");
            self.progress.entry(token).or_default().push(message["params"].clone());
        } else {
            self.others.push_back(message);
        }
    }
}

impl Drop for Mcp {
    fn drop(&mut self) {
        // By the child's own handle: it cannot hit another process.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
