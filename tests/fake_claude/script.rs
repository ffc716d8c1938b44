//! The script: what the scripted Claude does instead of being a healthy CLI. Written by `tests/support/fake.rs` (which
//! includes this very file), read by the executable.
//!
//! An empty script is a healthy, logged-in 2.1.332 that answers every prompt with its echo. Paths are absolute.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The version that a script speaks as when it names none.
pub(crate) const NEWEST: &str = "2.1.332";

/// Everything that one scripted CLI does, over all its launches.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Script {
    /// The version it speaks as (`2.1.332`); from 2.1.238 on it has `command_lifecycle`, from 2.1.300 on
    /// `user_message_uuids`, `result_index`, `queued_turn_count` and `cost-state`.
    pub(crate) cli_version: Option<String>,
    /// Answers to `--version`, in order; the last one stays. None: healthy.
    pub(crate) version: Vec<Probe>,
    /// Answers to `auth status --json`, in order; the last one stays. None: logged in with a subscription.
    pub(crate) auth: Vec<Probe>,
    /// Launches that apply where their condition holds, counted each on its own.
    pub(crate) cases: Vec<Case>,
    /// What the 1st, 2nd … launch does (launches that a case took are not counted). After the last: `always`.
    pub(crate) launches: Vec<Launch>,
    /// What every further launch does.
    pub(crate) always: Launch,
    /// Turns chosen by their prompt, before all others: the first whose text the prompt contains.
    pub(crate) on: Vec<OnPrompt>,
}

/// A turn for the prompts that contain a text.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct OnPrompt {
    /// What the prompt has to contain.
    pub(crate) contains: String,
    /// The turn then.
    pub(crate) turn: Turn,
}

/// Launches for the command lines that contain an argument.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Case {
    /// The argument, whole.
    pub(crate) argument: String,
    /// What the 1st, 2nd … such launch does; the last one stays.
    pub(crate) launches: Vec<Launch>,
}

/// An answer to `--version` or `auth status`: steps first, then the text and the exit status.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Probe {
    /// What happens before the answer (a gate, a hang, a flood).
    pub(crate) steps: Vec<Step>,
    /// Standard output; `None`: the healthy answer.
    pub(crate) stdout: Option<String>,
    /// The exit status.
    pub(crate) exit: i32,
}

/// One run of the CLI in one of the two modes that run turns.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Launch {
    /// What happens right after the start, before anything is checked or read.
    pub(crate) start: Vec<Step>,
    /// Signals that have no effect, from the start on.
    pub(crate) ignore: Vec<Signal>,
    /// Whether standard input is never read.
    pub(crate) never_read: bool,
    /// Whether inputs that wait when a turn starts are taken together into that turn (the CLI may do that).
    pub(crate) merge: bool,
    /// What the 1st, 2nd … turn does. After the last: an echo.
    pub(crate) turns: Vec<Turn>,
    /// What happens at the end, before the exit.
    pub(crate) end: Vec<Step>,
    /// The exit status at the end, instead of the one that the last result implies.
    pub(crate) exit: Option<i32>,
}

/// One turn: steps in order. A healthy one is `[Init, Say, Result]`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Turn {
    /// Whether it starts by itself, before the next input is taken (a background command ended).
    pub(crate) unprompted: bool,
    /// What it does.
    pub(crate) steps: Vec<Step>,
}

/// A signal by its usual name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub(crate) enum Signal {
    /// SIGINT.
    Int,
    /// SIGTERM.
    Term,
    /// SIGKILL: only for [`Step::Kill`].
    Kill,
    /// SIGSEGV: only for [`Step::Kill`].
    Segv,
}

/// How a process that Claude leaves behind is related to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Offspring {
    /// A child in Claude's own process group.
    Child,
    /// A child in a session of its own, as each command of the Bash tool is.
    OwnSession,
    /// A grandchild in a session of its own whose parent is gone (double fork and `setsid`).
    Detached,
}

/// One thing that the scripted CLI does.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub(crate) enum Step {
    // What a healthy turn is made of
    /// Prints `system/init` and, in streaming mode with replay, the replayed input.
    Init,
    /// Prints `system/status`.
    Status,
    /// Prints an answer (with its deltas when asked for) and records it; `None`: `ECHO: ` and the prompt.
    Say { text: Option<String> },
    /// Prints a tool call; a tool runs from here on.
    ToolCall { name: String, input: Value },
    /// Prints the result of the last tool call; no tool runs any more.
    ToolResult { output: String, is_error: bool },
    /// Prints `system/permission_denied` and lists the denial in the result.
    PermissionDenied { tool: String, message: String },
    /// Adds to what this turn costs, in dollars, instead of the usual price.
    Cost { usd: f64 },
    /// Prints the turn's result; ends the turn's bookkeeping (transcript, cost, lifecycle).
    Result(ResultStep),
    /// Moves to a new session, as `/clear` does.
    NewSession,

    // What the API does
    /// Prints the failed answer and its result as after an API error; the process ends with 1.
    ApiError(ApiError),
    /// Prints `system/api_retry`.
    ApiRetry { attempt: u32, max_retries: u32, error_status: Option<u16>, error: String },
    /// Prints `rate_limit_event` with this `rate_limit_info`.
    RateLimit { info: Value },

    // Raw output
    /// Prints a frame; `session_id` and `uuid` are added where missing, unless it is no object.
    Frame { json: Value },
    /// Prints a text as it is, then `ending`.
    Line { text: String, ending: String },
    /// Prints bytes as they are.
    Bytes { bytes: Vec<u8> },
    /// Prints a frame of an unknown type whose line has about so many bytes.
    BigLine { bytes: usize },
    /// Prints so many frames of an unknown type, each of about so many bytes.
    Flood { frames: u64, bytes: usize },
    /// Prints the lines of a recording, with the session id (and the working directory) of this run.
    Replay { path: PathBuf },
    /// Ends lines with `\r\n` from here on.
    Crlf,
    /// Writes a text to standard error.
    Stderr { text: String },
    /// Writes so many bytes to standard error, in lines.
    FloodStderr { bytes: usize },
    /// Closes standard output while the process lives on.
    CloseStdout,

    // Time and life
    /// Creates a file: "I am here".
    Touch { path: PathBuf },
    /// Waits until a file exists. A protocol interrupt ends the wait and the turn.
    Gate { path: PathBuf },
    /// Reads a FIFO to its end: returns when a writer has come and gone.
    Fifo { path: PathBuf },
    /// Waits for so long. A protocol interrupt ends the wait and the turn.
    Sleep { ms: u64 },
    /// Does nothing for ever, deaf to the protocol; signals still work.
    Hang,
    /// Waits for ever, as a long answer does; a protocol interrupt ends the turn.
    Work,
    /// Answers no protocol interrupt from here on.
    Deaf,
    /// Has the input replayed and completed, but without a turn and a result.
    Swallow,
    /// Exits at once.
    Exit { code: i32 },
    /// Dies by a signal.
    Kill { signal: Signal },
    /// Starts a process that stays until `pid_file` is gone (10 minutes at most) and waits until that file is written.
    Spawn(Spawn),
}

/// What a [`Step::Result`] prints.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct ResultStep {
    /// Fields that differ from the healthy ones.
    pub(crate) set: Map<String, Value>,
    /// Fields to leave out.
    pub(crate) omit: Vec<String>,
    /// Whether `type` comes last.
    pub(crate) type_last: bool,
    /// Whether it only prints, as a second or a foreign result does: no cost, no transcript, no end of the turn, and no
    /// uuid of an input unless `set` has it.
    pub(crate) stray: bool,
    /// Whether it is a result of zero turns (an empty text, no cost).
    pub(crate) zero_turns: bool,
}

/// What a [`Step::ApiError`] prints.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ApiError {
    /// The HTTP status; none when the request never got through.
    pub(crate) status: Option<u16>,
    /// The API's word (`overloaded_error`).
    pub(crate) error_type: Option<String>,
    /// The CLI's word (`server_error`).
    pub(crate) error: String,
    /// The text.
    pub(crate) text: String,
    /// `terminal_reason`; `api_error` where none.
    pub(crate) terminal_reason: Option<String>,
}

/// The process that a [`Step::Spawn`] starts.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Spawn {
    /// Its place in the process tree.
    pub(crate) offspring: Offspring,
    /// Where it writes `{"pid", "start"}`.
    pub(crate) pid_file: PathBuf,
    /// Whether it keeps Claude's standard output open.
    pub(crate) holds_stdout: bool,
    /// Whether SIGINT and SIGTERM have no effect on it.
    pub(crate) stubborn: bool,
}

impl Turn {
    /// The healthy turn: the answer is `ECHO: ` and the prompt.
    pub(crate) fn echo() -> Self {
        let steps = vec![Step::Init, Step::Status, Step::Say { text: None }, Step::Result(ResultStep::default())];
        Self { unprompted: false, steps }
    }

    /// What `/clear` does: a new session, and a result of zero turns.
    pub(crate) fn clear() -> Self {
        let result = ResultStep { zero_turns: true, ..ResultStep::default() };
        Self { unprompted: false, steps: vec![Step::NewSession, Step::Init, Step::Result(result)] }
    }
}
