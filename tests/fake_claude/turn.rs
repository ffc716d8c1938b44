//! Plays the steps of one turn.

use std::{
    fs,
    io::{Read, Write},
    time::Duration,
};

use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::{
    cli::{Cli, Frame, Input, sleep_for_ever},
    machine,
    script::{ApiError, ResultStep, Step, Turn},
    transcript::{Transcript, now},
};

/// What a turn costs when its script does not say, in dollars.
const PRICE: f64 = 0.01;
/// What one turn is reported to have used.
const TOKENS: (u64, u64) = (12, 8);

/// How a turn went on after a step.
enum Flow {
    On,
    Interrupted,
    Swallowed,
}

/// One turn that is being played.
pub(crate) struct Player<'a> {
    cli: &'a Cli,
    /// The inputs that the turn answers; none when it started by itself.
    inputs: &'a [Input],
    prompt: String,
    said: String,
    cost: Option<f64>,
    messages: u64,
    denials: Vec<Value>,
    ended: bool,
}

impl<'a> Player<'a> {
    /// A turn that answers `inputs`.
    pub(crate) fn new(cli: &'a Cli, inputs: &'a [Input]) -> Self {
        let prompt = inputs.iter().map(Input::text).collect::<Vec<_>>().join("\n");
        Self { cli, inputs, prompt, said: String::new(), cost: None, messages: 0, denials: Vec::new(), ended: false }
    }

    /// The whole turn.
    pub(crate) fn play(mut self, turn: &Turn) {
        self.cli.change(|state| {
            state.in_turn = true;
            state.interrupted = false;
            state.tool = None;
        });
        for input in self.inputs {
            self.cli.lifecycle(input, "started");
        }
        let mut swallowed = false;
        for step in &turn.steps {
            match self.step(step) {
                Flow::On => {}
                Flow::Interrupted => {
                    self.interrupted();
                    break;
                }
                Flow::Swallowed => {
                    swallowed = true;
                    break;
                }
            }
        }
        self.cli.change(|state| {
            state.in_turn = false;
            state.tool = None;
        });
        if swallowed {
            self.lifecycle("completed");
        }
    }

    /// Adds an input to the context without a turn, as `shouldQuery: false` does.
    pub(crate) fn context(mut self) {
        self.lifecycle("started");
        self.init();
        self.result(&ResultStep { zero_turns: true, ..ResultStep::default() });
    }

    /// Answers an input that the transcript already has: replayed and completed, nothing else.
    pub(crate) fn known(self) {
        self.lifecycle("started");
        self.replay();
        self.lifecycle("completed");
    }

    fn lifecycle(&self, state: &str) {
        for input in self.inputs {
            self.cli.lifecycle(input, state);
        }
    }

    fn step(&mut self, step: &Step) -> Flow {
        match step {
            Step::Init => self.init(),
            Step::Status => {
                // Only the CLI's partial output has it.
                if self.cli.arguments.partial {
                    self.cli.print(Frame::new("system").with("subtype", "status").with("status", "requesting"));
                }
            }
            Step::Say { text } => self.say(text.clone().unwrap_or_else(|| format!("ECHO: {}", self.prompt))),
            Step::ToolCall { name, input } => {
                let id = format!("toolu_{}", Uuid::new_v4().simple());
                self.message(&json!({ "type": "tool_use", "id": id, "name": name, "input": input }), "tool_use");
                self.cli.change(|state| state.tool = Some(id));
            }
            Step::ToolResult { output, is_error } => self.tool_result(output, *is_error),
            Step::PermissionDenied { tool, message } => {
                let id = self.cli.look(|state| state.tool.clone()).unwrap_or_default();
                self.denials.push(json!({ "tool_name": tool, "tool_use_id": id, "tool_input": {} }));
                self.cli.print(
                    Frame::new("system")
                        .with("subtype", "permission_denied")
                        .with("tool_name", tool.as_str())
                        .with("tool_use_id", id)
                        .with("message", message.as_str()),
                );
            }
            Step::Cost { usd } => self.cost = Some(*usd),
            Step::Result(step) => self.result(step),
            Step::NewSession => self.new_session(),
            Step::ApiError(error) => self.api_error(error),
            Step::ApiRetry { attempt, max_retries, error_status, error } => self.cli.print(
                Frame::new("system")
                    .with("subtype", "api_retry")
                    .with("attempt", *attempt)
                    .with("max_retries", *max_retries)
                    .with("retry_delay_ms", 600)
                    .with("error_status", json!(error_status))
                    .with("error", error.as_str()),
            ),
            Step::RateLimit { info } => {
                self.cli.print(Frame::new("rate_limit_event").with("rate_limit_info", info.clone()));
            }
            Step::Frame { json: Value::Object(fields) } => {
                let frame = fields.iter().fold(Frame::default(), |frame, (key, value)| frame.with(key, value.clone()));
                self.cli.print(frame);
            }
            Step::Frame { json } => self.cli.print_bytes(format!("{json}\n").as_bytes()),
            Step::Line { text, ending } => self.cli.print_bytes(format!("{text}{ending}").as_bytes()),
            Step::Bytes { bytes } => self.cli.print_bytes(bytes),
            Step::BigLine { bytes } => self.cli.print(Frame::new("padding").with("text", "x".repeat(*bytes))),
            Step::Flood { frames, bytes } => self.flood(*frames, *bytes),
            Step::Replay { path } => self.recording(path),
            Step::Crlf => self.cli.use_crlf(),
            Step::Stderr { text } => eprint!("{text}"),
            Step::FloodStderr { bytes } => {
                let line = [b'e'; 127].into_iter().chain([b'\n']).collect::<Vec<_>>();
                let mut err = std::io::stderr().lock();
                for _ in 0..bytes.div_ceil(line.len()) {
                    let _ = err.write_all(&line);
                }
            }
            Step::CloseStdout => machine::close_stdout(),
            Step::Touch { path } => {
                let _ = machine::write_whole(path, std::process::id().to_string().as_bytes());
            }
            Step::Gate { path } => {
                if !self.cli.wait(None, |_| path.exists()) {
                    return Flow::Interrupted;
                }
            }
            Step::Fifo { path } => {
                let mut bytes = Vec::new();
                let _ = fs::File::open(path).and_then(|mut fifo| fifo.read_to_end(&mut bytes));
            }
            Step::Sleep { ms } => {
                if !self.cli.wait(Some(Duration::from_millis(*ms)), |_| false) {
                    return Flow::Interrupted;
                }
            }
            Step::Work => {
                self.cli.wait(None, |_| false);
                return Flow::Interrupted;
            }
            Step::Hang => {
                self.cli.change(|state| state.deaf = true);
                sleep_for_ever();
            }
            Step::Deaf => self.cli.change(|state| state.deaf = true),
            Step::Swallow => {
                self.replay();
                return Flow::Swallowed;
            }
            Step::Exit { code } => self.cli.exit(*code),
            Step::Kill { signal } => machine::die_by(*signal),
            Step::Spawn(spawn) => {
                if let Err(error) = machine::leave_behind(spawn) {
                    eprintln!("scripted CLI: cannot start a process: {error}");
                }
            }
        }
        Flow::On
    }

    /// Many frames, written as fast as the reader takes them: all but the number is written out once.
    fn flood(&self, frames: u64, bytes: usize) {
        let rest = format!(",\"text\":\"{}\"}}\n", "x".repeat(bytes));
        for number in 0..frames {
            self.cli.print_bytes(format!("{{\"type\":\"padding\",\"number\":{number}{rest}").as_bytes());
        }
    }

    fn init(&self) {
        let cli = self.cli;
        let arguments = &cli.arguments;
        let mut frame = Frame::new("system")
            .with("subtype", "init")
            .with("cwd", json!(std::env::current_dir().unwrap_or_default()))
            .with("session_id", cli.session())
            .with("tools", json!(["Task", "Bash", "Read"]))
            .with("mcp_servers", json!([]))
            .with("model", model(cli))
            .with("permissionMode", arguments.permission_mode.as_deref().unwrap_or("default"))
            .with("slash_commands", json!([]))
            .with("apiKeySource", "none")
            .with("claude_code_version", cli.version.as_str())
            .with("output_style", "default");
        if cli.has_lifecycle() {
            let names = ["interrupt_receipt_v1", "interrupt_cancel_queued_v1", "msg_lifecycle_v1"];
            frame = frame.with("capabilities", json!(names));
        }
        if cli.is_modern() && arguments.streaming {
            frame = frame.with("user_message_uuids", json!(self.uuids()));
        }
        cli.print(frame);
        self.replay();
        for input in self.inputs {
            cli.record(|transcript| transcript.input(&input.uuid, &input.content, cli.is_modern()));
        }
    }

    fn uuids(&self) -> Vec<&str> {
        self.inputs.iter().map(|input| input.uuid.as_str()).collect()
    }

    fn replay(&self) {
        if !(self.cli.arguments.streaming && self.cli.arguments.replay) {
            return;
        }
        for input in self.inputs {
            self.cli.print(
                Frame::new("user")
                    .with("message", json!({ "role": "user", "content": input.content }))
                    .with("session_id", self.cli.session())
                    .with("parent_tool_use_id", Value::Null)
                    .with("uuid", input.uuid.as_str())
                    .with("timestamp", now())
                    .with("isReplay", true),
            );
        }
    }

    fn say(&mut self, text: String) {
        self.message(&json!({ "type": "text", "text": text }), "end_turn");
        self.said = text;
    }

    /// One API message with one block: its deltas, its frame, its record.
    fn message(&mut self, block: &Value, stop_reason: &str) {
        let cli = self.cli;
        let id = format!("msg_{}", Uuid::new_v4().simple());
        let usage = json!({ "input_tokens": TOKENS.0, "output_tokens": 1, "cache_creation_input_tokens": 0,
                            "cache_read_input_tokens": 0, "service_tier": "standard" });
        let message = |content: Value| {
            json!({ "id": id, "type": "message", "role": "assistant", "model": model(cli),
            "content": content, "stop_reason": null, "stop_sequence": null, "usage": usage })
        };
        let event = |event: Value| {
            if cli.arguments.partial {
                cli.print(Frame::new("stream_event").with("event", event).with("parent_tool_use_id", Value::Null));
            }
        };
        event(json!({ "type": "message_start", "message": message(json!([])) }));
        if let Some(text) = block["text"].as_str() {
            event(
                json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "text", "text": "" } }),
            );
            for part in parts(text) {
                event(
                    json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "text_delta", "text": part } }),
                );
            }
        } else {
            let mut empty = block.clone();
            empty["input"] = json!({});
            event(json!({ "type": "content_block_start", "index": 0, "content_block": empty }));
            let input = block["input"].to_string();
            event(
                json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "input_json_delta", "partial_json": input } }),
            );
        }
        let uuid = Uuid::new_v4().to_string();
        let mut frame = Frame::new("assistant")
            .with("message", message(json!([block])))
            .with("parent_tool_use_id", Value::Null)
            .with("session_id", cli.session())
            .with("uuid", uuid.as_str())
            .with("timestamp", now())
            .with("request_id", "req_scripted");
        if cli.is_modern() && cli.arguments.streaming && !self.inputs.is_empty() {
            frame = frame
                .with("user_message_uuid", self.uuids().last().copied().unwrap_or_default())
                .with("user_message_uuids", json!(self.uuids()));
        }
        cli.print(frame);
        event(json!({ "type": "content_block_stop", "index": 0 }));
        event(
            json!({ "type": "message_delta", "delta": { "stop_reason": stop_reason, "stop_sequence": null }, "usage": { "output_tokens": TOKENS.1 } }),
        );
        event(json!({ "type": "message_stop" }));
        let mut recorded = message(json!([block]));
        recorded["stop_reason"] = json!(stop_reason);
        cli.record(|transcript| {
            transcript.chain("assistant", &uuid, json!({ "message": recorded, "requestId": "req_scripted" }));
        });
        self.messages += 1;
    }

    fn tool_result(&self, output: &str, is_error: bool) {
        let id = self.cli.look(|state| state.tool.clone()).unwrap_or_default();
        let uuid = Uuid::new_v4().to_string();
        let message = json!({ "role": "user", "content": [{ "tool_use_id": id, "type": "tool_result", "content": output, "is_error": is_error }] });
        self.cli.print(
            Frame::new("user")
                .with("message", message.clone())
                .with("parent_tool_use_id", Value::Null)
                .with("session_id", self.cli.session())
                .with("uuid", uuid.as_str())
                .with("timestamp", now())
                .with("tool_use_result", json!({ "stdout": output, "stderr": "", "interrupted": false })),
        );
        self.cli.record(|transcript| transcript.chain("user", &uuid, json!({ "message": message })));
        self.cli.change(|state| state.tool = None);
    }

    /// The result frame of a turn that went well, in the key order of the version.
    fn healthy(&self, zero_turns: bool, total: f64) -> Frame {
        let cli = self.cli;
        let (input, output) = if zero_turns { (0, 0) } else { TOKENS };
        let usage = json!({ "input_tokens": input, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0,
            "output_tokens": output, "server_tool_use": { "web_search_requests": 0, "web_fetch_requests": 0 },
            "service_tier": "standard" });
        let turns = cli.look(|state| state.turns_total) + u64::from(!zero_turns);
        let models = json!({ model(cli): { "inputTokens": TOKENS.0 * turns, "outputTokens": TOKENS.1 * turns,
            "cacheReadInputTokens": 0, "cacheCreationInputTokens": 0, "webSearchRequests": 0, "costUSD": total,
            "contextWindow": 200_000, "maxOutputTokens": 64_000 } });
        let mut frame = if cli.has_lifecycle() { Frame::default() } else { Frame::new("result") };
        frame = frame
            .with("duration_api_ms", if zero_turns { 0 } else { 26 })
            .with("stop_reason", if zero_turns { Value::Null } else { json!("end_turn") })
            .with("session_id", cli.session())
            .with("total_cost_usd", total)
            .with("usage", usage)
            .with("modelUsage", models)
            .with("permission_denials", json!(self.denials));
        if !zero_turns {
            frame = frame.with("terminal_reason", "completed");
        }
        frame = frame
            .with("fast_mode_state", "off")
            .with("is_error", false)
            .with("num_turns", if zero_turns { 0 } else { self.messages.max(1) })
            .with("subtype", "success")
            .with("result", if zero_turns { "" } else { self.said.as_str() });
        if !zero_turns {
            frame = frame.with("api_error_status", Value::Null).with("ttft_ms", 115);
        }
        if cli.has_lifecycle() && cli.arguments.streaming && !zero_turns && !self.inputs.is_empty() {
            frame = frame.with("user_message_uuid", self.uuids().last().copied().unwrap_or_default());
            if cli.is_modern() {
                frame = frame.with("user_message_uuids", json!(self.uuids()));
            }
        }
        frame = frame.with("type", "result").with("duration_ms", 125).with("uuid", Uuid::new_v4().to_string());
        if cli.is_modern() {
            frame = frame
                .with("queued_turn_count", cli.look(|state| state.inputs.len()))
                .with("result_index", cli.look(|state| state.results));
        }
        frame
    }

    fn result(&mut self, step: &ResultStep) {
        let counts = !step.stray && !self.ended;
        let price = if step.zero_turns { 0.0 } else { self.cost.unwrap_or(PRICE) };
        let total = self.cli.look(|state| state.total_cost) + if counts { price } else { 0.0 };
        let mut frame = self.healthy(step.zero_turns, total);
        let over = self.cli.arguments.budget.is_some_and(|budget| counts && !step.zero_turns && price > budget);
        if over {
            let text = format!("Reached maximum budget (${})", self.cli.arguments.budget.unwrap_or_default());
            frame = frame
                .with("subtype", "error_max_budget_usd")
                .with("is_error", true)
                .without("result")
                .with("terminal_reason", "max_budget")
                .with("errors", json!([text]));
        }
        if step.stray {
            frame = frame.without("user_message_uuid").without("user_message_uuids");
        }
        for (key, value) in &step.set {
            frame = frame.with(key, value.clone());
        }
        for key in &step.omit {
            frame = frame.without(key);
        }
        if step.type_last {
            frame = frame.without("type").with("type", "result");
        }
        let failed = over || step.set.get("is_error") == Some(&Value::Bool(true));
        self.end(frame, counts.then_some((total, failed, !step.zero_turns)));
    }

    /// Prints a result and, when the turn ends with it, does the bookkeeping.
    fn end(&mut self, frame: Frame, counts: Option<(f64, bool, bool)>) {
        if let Some((total, failed, real)) = counts {
            self.cli.change(|state| {
                state.total_cost = total;
                state.turns_total += u64::from(real);
                state.last_failed = failed;
                state.results += 1;
                state.tool = None;
            });
            let cost = self.cli.is_modern().then_some(total);
            self.cli.record(|transcript| transcript.end_of_turn(&self.prompt, cost));
        }
        self.cli.print(frame);
        if counts.is_some() {
            self.ended = true;
            self.cli.change(|state| state.in_turn = false);
            self.lifecycle("completed");
        }
    }

    fn api_error(&mut self, error: &ApiError) {
        let uuid = Uuid::new_v4().to_string();
        let message = json!({ "id": Uuid::new_v4().to_string(), "model": "<synthetic>", "role": "assistant", "type": "message",
            "stop_reason": "stop_sequence", "stop_sequence": "", "content": [{ "type": "text", "text": error.text }] });
        let mut frame = Frame::new("assistant")
            .with("message", message.clone())
            .with("parent_tool_use_id", Value::Null)
            .with("session_id", self.cli.session())
            .with("uuid", uuid.as_str())
            .with("timestamp", now())
            .with("error", error.error.as_str())
            .with("is_api_error_message", true);
        let mut set = Map::new();
        set.insert("is_error".into(), json!(true));
        set.insert("stop_reason".into(), json!("stop_sequence"));
        set.insert("result".into(), json!(error.text));
        let reason =
            error.terminal_reason.as_deref().unwrap_or(if self.cli.is_modern() { "api_error" } else { "completed" });
        set.insert("terminal_reason".into(), json!(reason));
        set.insert("api_error_status".into(), json!(error.status));
        if let Some(status) = error.status {
            frame = frame.with("api_error_status", status);
        }
        if let Some(error_type) = &error.error_type {
            frame = frame.with("api_error_type", error_type.as_str());
            set.insert("api_error_type".into(), json!(error_type));
        }
        self.cli.print(frame);
        self.cli.record(|transcript| {
            transcript.chain(
                "assistant",
                &uuid,
                json!({ "message": message, "isApiErrorMessage": true, "error": error.error }),
            );
        });
        self.cost.get_or_insert(0.0);
        self.result(&ResultStep { set, ..ResultStep::default() });
    }

    /// What a protocol interrupt makes of the turn.
    fn interrupted(&mut self) {
        if self.ended {
            return;
        }
        let tool = self.cli.look(|state| state.tool.is_some());
        if tool {
            self.tool_result("The tool use was rejected: stopped while running.", true);
        }
        let marker = if tool { "[Request interrupted by user for tool use]" } else { "[Request interrupted by user]" };
        let uuid = Uuid::new_v4().to_string();
        let message = json!({ "role": "user", "content": [{ "type": "text", "text": marker }] });
        self.cli.print(
            Frame::new("user")
                .with("message", message.clone())
                .with("parent_tool_use_id", Value::Null)
                .with("session_id", self.cli.session())
                .with("uuid", uuid.as_str())
                .with("timestamp", now()),
        );
        self.cli.record(|transcript| transcript.chain("user", &uuid, json!({ "message": message })));
        let total = self.cli.look(|state| state.total_cost) + self.cost.unwrap_or(0.0);
        let reason = if tool { "aborted_tools" } else { "aborted_streaming" };
        let frame = self
            .healthy(false, total)
            .without("result")
            .with("stop_reason", Value::Null)
            .with("terminal_reason", reason)
            .with("is_error", true)
            .with("subtype", "error_during_execution")
            .with("errors", json!(["[ede_diagnostic] result_type=user last_content_type=n/a stop_reason=null"]));
        self.cli.change(|state| {
            state.total_cost = total;
            state.last_failed = true;
            state.results += 1;
        });
        let cost = self.cli.is_modern().then_some(total);
        self.cli.record(|transcript| transcript.end_of_turn(&self.prompt, cost));
        self.cli.print(frame);
        self.lifecycle("cancelled");
    }

    /// The result's session is not the one that the reset announces, and costs begin anew (both measured).
    fn new_session(&self) {
        let announced = Uuid::new_v4().to_string();
        self.cli.print(Frame::new("conversation_reset").with("new_conversation_id", announced));
        for file in self.cli.look(|state| std::mem::take(&mut state.owner_files)) {
            let _ = fs::remove_file(file);
        }
        let session = Uuid::new_v4().to_string();
        let mode = self.cli.arguments.permission_mode.as_deref().unwrap_or("default");
        if let Some(transcript) = Transcript::create(&session, &self.cli.version, mode) {
            self.cli.take(session, transcript);
        }
    }

    /// Prints a recording of the real CLI with this run's session id.
    fn recording(&self, path: &std::path::Path) {
        let Ok(text) = fs::read_to_string(path) else {
            eprintln!("scripted CLI: no recording {}", path.display());
            self.cli.exit(99)
        };
        let first = text.lines().find_map(|line| {
            serde_json::from_str::<Value>(line).ok().and_then(|frame| frame["session_id"].as_str().map(str::to_owned))
        });
        let session = self.cli.session();
        let text = first.map_or(text.clone(), |old| text.replace(&old, &session));
        self.cli.print_bytes(text.as_bytes());
    }
}

/// The model's full name, as `init` and the answers give it.
fn model(cli: &Cli) -> String {
    match cli.arguments.model.as_deref().unwrap_or("default") {
        "opus" | "default" => "claude-opus-5-5".to_owned(),
        "sonnet" => "claude-sonnet-5-5".to_owned(),
        "haiku" => "claude-haiku-4-5-20251001".to_owned(),
        "fable" => "claude-fable-5-2".to_owned(),
        full => full.to_owned(),
    }
}

/// Cuts a text into at most four deltas.
fn parts(text: &str) -> Vec<&str> {
    let size = (text.len() / 4).max(1);
    let mut rest = text;
    let mut parts = Vec::new();
    while rest.len() > size && parts.len() < 3 {
        let at = (size..=rest.len()).find(|at| rest.is_char_boundary(*at)).unwrap_or(rest.len());
        let (part, after) = rest.split_at(at);
        parts.push(part);
        rest = after;
    }
    parts.push(rest);
    parts
}
