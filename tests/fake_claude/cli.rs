//! The running CLI: what its threads share, how it prints, and how it ends.

use std::{
    collections::VecDeque,
    env, fs,
    fs::OpenOptions,
    io::{self, Write},
    path::{Path, PathBuf},
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::{
    arguments::Arguments,
    machine::{TICK, start_time, write_whole},
    script::{Launch, NEWEST, OnPrompt, Script, Signal, Turn},
    transcript::{self, Transcript},
};

/// A frame: its keys in the order in which they are printed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Frame(Vec<(String, Value)>);

impl Frame {
    /// A frame that begins with `type`.
    pub(crate) fn new(kind: &str) -> Self {
        Self::default().with("type", kind)
    }

    /// Adds a key, or changes its value.
    pub(crate) fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        let value = value.into();
        match self.0.iter_mut().find(|(known, _)| known == key) {
            Some((_, old)) => *old = value,
            None => self.0.push((key.to_owned(), value)),
        }
        self
    }

    /// Takes a key away.
    pub(crate) fn without(mut self, key: &str) -> Self {
        self.0.retain(|(known, _)| known != key);
        self
    }

    fn line(&self) -> String {
        let fields: Vec<String> =
            self.0.iter().map(|(key, value)| format!("{}:{value}", Value::from(key.as_str()))).collect();
        format!("{{{}}}", fields.join(","))
    }
}

/// One user message that came in.
#[derive(Clone, Debug)]
pub(crate) struct Input {
    pub(crate) uuid: String,
    /// Whether the sender named the uuid; only then the CLI reports on it.
    pub(crate) named: bool,
    pub(crate) content: Value,
    pub(crate) query: bool,
}

impl Input {
    /// The text of the message.
    pub(crate) fn text(&self) -> String {
        match &self.content {
            Value::String(text) => text.clone(),
            Value::Array(blocks) => {
                blocks.iter().filter_map(|block| block["text"].as_str()).collect::<Vec<_>>().join("\n")
            }
            _ => String::new(),
        }
    }
}

/// What changes while the CLI runs.
#[expect(clippy::struct_excessive_bools, reason = "independent facts about one process, each read on its own")]
#[derive(Debug, Default)]
pub(crate) struct State {
    pub(crate) inputs: VecDeque<Input>,
    pub(crate) input_ended: bool,
    pub(crate) in_turn: bool,
    pub(crate) tool: Option<String>,
    pub(crate) interrupted: bool,
    pub(crate) deaf: bool,
    pub(crate) session: String,
    pub(crate) results: u64,
    pub(crate) total_cost: f64,
    pub(crate) turns_total: u64,
    pub(crate) last_failed: bool,
    pub(crate) owner_files: Vec<PathBuf>,
}

/// How lines end, and whether standard output is still open.
#[derive(Debug)]
struct Output {
    ending: &'static str,
}

/// The CLI of one launch.
#[derive(Debug)]
pub(crate) struct Cli {
    pub(crate) arguments: Arguments,
    pub(crate) launch: Launch,
    pub(crate) on: Vec<OnPrompt>,
    pub(crate) version: String,
    pub(crate) transcript: Mutex<Option<Transcript>>,
    state: Mutex<State>,
    changed: Condvar,
    output: Mutex<Output>,
    log: Option<PathBuf>,
}

impl Cli {
    /// The CLI that `script` describes, with its folder for what it is given.
    pub(crate) fn new(script: &Script, launch: Launch, arguments: Arguments, log: Option<PathBuf>) -> Self {
        Self {
            arguments,
            launch,
            on: script.on.clone(),
            version: script.cli_version.clone().unwrap_or_else(|| NEWEST.to_owned()),
            transcript: Mutex::default(),
            state: Mutex::default(),
            changed: Condvar::new(),
            output: Mutex::new(Output { ending: "\n" }),
            log,
        }
    }

    /// Whether this version reports on inputs with `command_lifecycle`.
    pub(crate) fn has_lifecycle(&self) -> bool {
        self.patch() >= 238
    }

    /// Whether this version numbers its results, lists the inputs of a turn, and keeps the session's cost.
    pub(crate) fn is_modern(&self) -> bool {
        self.patch() >= 300
    }

    fn patch(&self) -> u32 {
        self.version.rsplit('.').next().and_then(|patch| patch.parse().ok()).unwrap_or(0)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks at the state. Not a guard: one that lives to the end of a statement which prints would never let it print.
    pub(crate) fn look<T>(&self, look: impl FnOnce(&mut State) -> T) -> T {
        look(&mut self.state())
    }

    /// The session that it is in.
    pub(crate) fn session(&self) -> String {
        self.look(|state| state.session.clone())
    }

    /// Changes the state and wakes who waits for it.
    pub(crate) fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.state());
        self.changed.notify_all();
    }

    /// Waits until `done` holds, or for `limit`; false when a protocol interrupt ended the wait.
    pub(crate) fn wait(&self, limit: Option<Duration>, mut done: impl FnMut(&mut State) -> bool) -> bool {
        let until = limit.map(|limit| Instant::now() + limit);
        let mut state = self.state();
        loop {
            if state.in_turn && state.interrupted {
                return false;
            }
            if done(&mut state) || until.is_some_and(|until| Instant::now() >= until) {
                return true;
            }
            state = self.changed.wait_timeout(state, TICK).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Prints a frame as one line; `session_id` and `uuid` are added where missing.
    pub(crate) fn print(&self, frame: Frame) {
        let mut frame = frame;
        for (key, value) in [("session_id", self.session()), ("uuid", Uuid::new_v4().to_string())] {
            if !frame.0.iter().any(|(known, _)| known == key) {
                frame = frame.with(key, value);
            }
        }
        self.print_bare(&frame);
    }

    /// Prints a frame as it is.
    pub(crate) fn print_bare(&self, frame: &Frame) {
        let output = self.output.lock().unwrap_or_else(PoisonError::into_inner);
        let line = format!("{}{}", frame.line(), output.ending);
        write_out(line.as_bytes());
    }

    /// Prints the frame unless another thread is stuck in printing.
    pub(crate) fn try_print(&self, frame: &Frame) {
        if let Ok(output) = self.output.try_lock() {
            write_out(format!("{}{}", frame.line(), output.ending).as_bytes());
        }
    }

    /// Prints bytes as they are.
    pub(crate) fn print_bytes(&self, bytes: &[u8]) {
        let _output = self.output.lock().unwrap_or_else(PoisonError::into_inner);
        write_out(bytes);
    }

    /// Ends lines in `\r\n` from here on.
    pub(crate) fn use_crlf(&self) {
        self.output.lock().unwrap_or_else(PoisonError::into_inner).ending = "\r\n";
    }

    /// Prints `command_lifecycle` for an input whose uuid the sender named.
    pub(crate) fn lifecycle(&self, input: &Input, state: &str) {
        if self.has_lifecycle() && input.named {
            let frame = Frame::new("command_lifecycle").with("command_uuid", input.uuid.clone()).with("state", state);
            self.print(frame);
        }
    }

    /// Does something with the transcript, if there is one.
    pub(crate) fn record(&self, write: impl FnOnce(&mut Transcript)) {
        if let Some(transcript) = self.transcript.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
            write(transcript);
        }
    }

    /// Becomes the owner of a session.
    pub(crate) fn take(&self, session: String, transcript: Transcript) {
        let files = transcript::own(&session, &self.version, self.is_modern());
        let base = if self.is_modern() { transcript.cost_before } else { 0.0 };
        *self.transcript.lock().unwrap_or_else(PoisonError::into_inner) = Some(transcript);
        self.change(|state| {
            state.session = session;
            state.owner_files = files;
            state.total_cost = base;
        });
    }

    /// Adds to a file in the log's folder.
    pub(crate) fn log(&self, name: &str, bytes: &[u8]) {
        if let Some(folder) = &self.log {
            let file = OpenOptions::new().append(true).create(true).open(folder.join(name));
            if let Ok(mut file) = file {
                let _ = file.write_all(bytes);
            }
        }
    }

    /// Ends the process, as the CLI ends: the note of ownership goes, the log says how.
    pub(crate) fn exit(&self, code: i32) -> ! {
        let files = self.state.try_lock().map(|state| state.owner_files.clone()).unwrap_or_default();
        for file in files {
            let _ = fs::remove_file(file);
        }
        self.log("exit", format!("{code}\n").as_bytes());
        std::process::exit(code)
    }

    /// What a signal does: the CLI ends at both, with its usual status.
    pub(crate) fn on_signal(&self, signal: Signal) {
        self.log("signals", if signal == Signal::Int { b"INT\n" } else { b"TERM\n" });
        if self.launch.ignore.contains(&signal) {
            return;
        }
        if signal == Signal::Int {
            let (in_turn, tool, session) = self.state.try_lock().map_or((false, false, String::new()), |state| {
                (state.in_turn, state.tool.is_some(), state.session.clone())
            });
            if in_turn {
                let marker =
                    if tool { "[Request interrupted by user for tool use]" } else { "[Request interrupted by user]" };
                self.try_print(
                    &Frame::new("user")
                        .with("message", json!({ "role": "user", "content": [{ "type": "text", "text": marker }] }))
                        .with("session_id", session.clone()),
                );
            }
            if tool {
                self.try_print(
                    &Frame::new("result")
                        .with("subtype", "error_during_execution")
                        .with("is_error", true)
                        .with("terminal_reason", "aborted_tools")
                        .with("num_turns", 1)
                        .with("session_id", session),
                );
            }
        }
        self.exit(if signal == Signal::Int { 0 } else { 143 });
    }

    /// The turn that the script has for a prompt: by its text, else the next of the launch, else what a healthy CLI does.
    pub(crate) fn turn_for(&self, prompt: &str, next: &mut VecDeque<Turn>) -> Turn {
        if let Some(found) = self.on.iter().find(|on| prompt.contains(&on.contains)) {
            return found.turn.clone();
        }
        let own = || if prompt.trim() == "/clear" { Turn::clear() } else { Turn::echo() };
        next.pop_front().unwrap_or_else(own)
    }
}

/// Writes to standard output; a reader that is gone is nobody's fault here.
fn write_out(bytes: &[u8]) {
    let mut out = io::stdout().lock();
    let _ = out.write_all(bytes).and_then(|()| out.flush());
}

/// Claims the first free number for a folder `NAME-N` and makes it.
pub(crate) fn claim(folder: &Path, name: &str) -> Option<(usize, PathBuf)> {
    fs::create_dir_all(folder).ok()?;
    for number in 0..100_000 {
        let path = folder.join(format!("{name}-{number}"));
        match fs::create_dir(&path) {
            Ok(()) => return Some((number, path)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(_) => break,
        }
    }
    None
}

/// Writes down how this process was launched: `launch.json`, complete from the moment it is there.
pub(crate) fn log_launch(folder: &Path, arguments: &[String]) {
    let environment: Map<String, Value> = env::vars_os()
        .map(|(name, value)| (name.to_string_lossy().into_owned(), value.to_string_lossy().into_owned().into()))
        .collect();
    let launch = json!({
        "argv": arguments, "env": environment, "cwd": env::current_dir().unwrap_or_default(),
        "pid": std::process::id(), "start": start_time(),
    });
    let _ = write_whole(&folder.join("launch.json"), launch.to_string().as_bytes());
}

/// Sleeps for ever.
pub(crate) fn sleep_for_ever() -> ! {
    loop {
        thread::sleep(Duration::from_hours(1));
    }
}
