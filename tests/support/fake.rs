//! Scripts for the scripted Claude, and what its launches were given.
//!
//! ```ignore
//! let mut sandbox = Sandbox::new();
//! let gate = sandbox.gate("answer");
//! let fake = sandbox.script(&Script::new().launch(Launch::turn(Turn::echo().before(gate.step()))));
//! let mut child = sandbox.command("ccmcp").args(["serve"]).spawn()?;
//! let launch = fake.launch(0);            // waits for it
//! assert_eq!(launch.cwd, sandbox.workspace());
//! gate.open();
//! ```

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{
    processes::Process,
    wait::{LIMIT, wait_until},
};

#[path = "../fake_claude/script.rs"]
mod script;

pub(crate) use script::{
    ApiError, Case, Launch, NEWEST, Offspring, OnPrompt, Probe, ResultStep, Script, Signal, Spawn, Step, Turn,
};

impl Script {
    /// A healthy, logged-in CLI of the newest version.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Speaks as this version does.
    pub(crate) fn cli_version(mut self, version: &str) -> Self {
        self.cli_version = Some(version.to_owned());
        self
    }

    /// What the next launch does.
    pub(crate) fn launch(mut self, launch: Launch) -> Self {
        self.launches.push(launch);
        self
    }

    /// What every launch does that has nothing of its own.
    pub(crate) fn always(mut self, launch: Launch) -> Self {
        self.always = launch;
        self
    }

    /// What launches with this argument do, in order; the last one stays.
    pub(crate) fn when(mut self, argument: &str, launches: Vec<Launch>) -> Self {
        self.cases.push(Case { argument: argument.to_owned(), launches });
        self
    }

    /// What a turn does whose prompt contains this text, in whatever launch.
    pub(crate) fn on(mut self, contains: &str, turn: Turn) -> Self {
        self.on.push(OnPrompt { contains: contains.to_owned(), turn });
        self
    }

    /// The next answer to `--version`; the last one stays.
    pub(crate) fn version(mut self, probe: Probe) -> Self {
        self.version.push(probe);
        self
    }

    /// The next answer to `auth status --json`; the last one stays.
    pub(crate) fn auth(mut self, probe: Probe) -> Self {
        self.auth.push(probe);
        self
    }

    /// Logged out, as `auth status` and every turn say.
    pub(crate) fn logged_out(self) -> Self {
        self.auth(Probe::answer(
            &json!({ "loggedIn": false, "authMethod": "none", "apiProvider": "firstParty" }).to_string(),
            1,
        ))
        .always(Launch::turn(Turn::api_error(ApiError::logged_out())))
    }
}

impl Probe {
    /// This text and this exit status.
    pub(crate) fn answer(stdout: &str, exit: i32) -> Self {
        Self { stdout: Some(stdout.to_owned()), exit, ..Self::default() }
    }

    /// The healthy answer after these steps.
    pub(crate) fn after(steps: Vec<Step>) -> Self {
        Self { steps, ..Self::default() }
    }
}

impl Launch {
    /// One scripted turn, then echoes.
    pub(crate) fn turn(turn: Turn) -> Self {
        Self { turns: vec![turn], ..Self::default() }
    }

    /// One more scripted turn.
    pub(crate) fn then(mut self, turn: Turn) -> Self {
        self.turns.push(turn);
        self
    }

    /// Something right after the start, before anything is checked or read.
    pub(crate) fn start(mut self, step: Step) -> Self {
        self.start.push(step);
        self
    }

    /// Something at the end, before the exit.
    pub(crate) fn end(mut self, step: Step) -> Self {
        self.end.push(step);
        self
    }

    /// Ends with this status whatever the turns said.
    pub(crate) fn exit(mut self, code: i32) -> Self {
        self.exit = Some(code);
        self
    }

    /// SIGINT and SIGTERM have no effect.
    pub(crate) fn stubborn(mut self) -> Self {
        self.ignore = vec![Signal::Int, Signal::Term];
        self
    }

    /// Never reads standard input.
    pub(crate) fn never_read(mut self) -> Self {
        self.never_read = true;
        self
    }

    /// Takes inputs that wait together into one turn.
    pub(crate) fn merge(mut self) -> Self {
        self.merge = true;
        self
    }
}

impl Turn {
    /// Just these steps.
    pub(crate) fn of(steps: Vec<Step>) -> Self {
        Self { unprompted: false, steps }
    }

    /// The healthy turn with this answer.
    pub(crate) fn say(text: &str) -> Self {
        let mut turn = Self::echo();
        for step in &mut turn.steps {
            if let Step::Say { text: said } = step {
                *said = Some(text.to_owned());
            }
        }
        turn
    }

    /// A turn that a tool call (with its result) precedes.
    pub(crate) fn tool(name: &str, input: Value, output: &str) -> Self {
        Self::echo()
            .before(Step::ToolCall { name: name.to_owned(), input })
            .before(Step::ToolResult { output: output.to_owned(), is_error: false })
    }

    /// A turn that the API fails.
    pub(crate) fn api_error(error: ApiError) -> Self {
        Self::of(vec![Step::Init, Step::ApiError(error)])
    }

    /// A turn that prints a recording from `tests/fixtures/frames` (`2.1.332/e529`), with this run's session id, and
    /// ends the process with this status.
    pub(crate) fn recording(name: &str, exit: i32) -> Self {
        let path = super::fixture(&format!("frames/{name}.jsonl"));
        Self::of(vec![Step::Replay { path }, Step::Exit { code: exit }])
    }

    /// Works until it is interrupted.
    pub(crate) fn work() -> Self {
        Self::of(vec![Step::Init, Step::Work])
    }

    /// Starts by itself, before the next input is taken.
    pub(crate) fn unprompted(mut self) -> Self {
        self.unprompted = true;
        self
    }

    /// Something before all else.
    pub(crate) fn first(mut self, step: Step) -> Self {
        self.steps.insert(0, step);
        self
    }

    /// Something between `init` and the answer (or the endless work in its place); in the order of the calls.
    pub(crate) fn before(mut self, step: Step) -> Self {
        let at = self
            .steps
            .iter()
            .position(|step| matches!(step, Step::Say { .. } | Step::Result(_) | Step::Work | Step::Hang))
            .unwrap_or(self.steps.len());
        self.steps.insert(at, step);
        self
    }

    /// Something between the answer and the result; in the order of the calls.
    pub(crate) fn before_result(mut self, step: Step) -> Self {
        let at = self.steps.iter().position(|step| matches!(step, Step::Result(_))).unwrap_or(self.steps.len());
        self.steps.insert(at, step);
        self
    }

    /// Something after the result.
    pub(crate) fn after(mut self, step: Step) -> Self {
        self.steps.push(step);
        self
    }

    /// Changes the result.
    pub(crate) fn result(mut self, change: impl FnOnce(&mut ResultStep)) -> Self {
        for step in &mut self.steps {
            if let Step::Result(result) = step {
                change(result);
                break;
            }
        }
        self
    }
}

impl Step {
    /// A result that belongs to nobody: printed, and nothing else.
    pub(crate) fn stray_result(set: Value) -> Self {
        Self::Result(ResultStep { set: object(set), stray: true, ..ResultStep::default() })
    }

    /// A result of zero turns, as a resumed session may print first.
    pub(crate) fn zero_turns() -> Self {
        Self::Result(ResultStep { zero_turns: true, stray: true, ..ResultStep::default() })
    }

    /// `rate_limit_event`: all is well.
    pub(crate) fn rate_limit_allowed() -> Self {
        Self::RateLimit { info: json!({ "status": "allowed", "isUsingOverage": false }) }
    }

    /// `rate_limit_event`: close to the limit.
    pub(crate) fn rate_limit_warning(resets_at: i64) -> Self {
        Self::RateLimit {
            info: json!({ "status": "allowed_warning", "resetsAt": resets_at, "rateLimitType": "five_hour", "utilization": 0.92,
                "isUsingOverage": false, "surpassedThreshold": 0.9 }),
        }
    }

    /// `rate_limit_event`: the plan's limit is reached until then (seconds since the epoch).
    pub(crate) fn rate_limit_rejected(resets_at: i64) -> Self {
        Self::RateLimit {
            info: json!({ "status": "rejected", "resetsAt": resets_at, "rateLimitType": "five_hour", "overageStatus": "rejected",
                "overageDisabledReason": "out_of_credits", "isUsingOverage": false }),
        }
    }
}

impl ApiError {
    /// An API error by the CLI's word, the status, the API's word and the text.
    pub(crate) fn new(error: &str, status: Option<u16>, error_type: Option<&str>, text: &str) -> Self {
        let error_type = error_type.map(str::to_owned);
        Self { status, error_type, error: error.to_owned(), text: text.to_owned(), terminal_reason: None }
    }

    /// 529.
    pub(crate) fn overloaded() -> Self {
        Self::new(
            "server_error",
            Some(529),
            Some("overloaded_error"),
            "API Error: 529 Overloaded. This is a server-side issue, usually temporary",
        )
    }

    /// No login.
    pub(crate) fn logged_out() -> Self {
        Self::new("authentication_failed", None, None, "Not logged in · Please run /login")
    }

    /// 401.
    pub(crate) fn unauthorized() -> Self {
        Self::new(
            "authentication_failed",
            Some(401),
            Some("authentication_error"),
            "Invalid API key · Fix external API key",
        )
    }

    /// No credit left.
    pub(crate) fn no_credit() -> Self {
        Self::new("billing_error", Some(400), Some("invalid_request_error"), "Credit balance is too low")
    }

    /// A short 429.
    pub(crate) fn rate_limited() -> Self {
        Self::new("rate_limit", Some(429), Some("rate_limit_error"), "API Error: Request rejected (429) · slow down")
    }

    /// The plan's limit.
    pub(crate) fn usage_limit() -> Self {
        Self::new(
            "rate_limit",
            Some(429),
            Some("rate_limit_error"),
            "You've hit your 5-hour limit · resets 1:45pm (UTC)",
        )
    }

    /// A model that the API does not know.
    pub(crate) fn unknown_model() -> Self {
        Self::new(
            "model_not_found",
            Some(404),
            Some("not_found_error"),
            "There's an issue with the selected model (x). It may not exist",
        )
    }
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        other => panic!("an object is wanted, not {other}"),
    }
}

/// The scripted Claude of a sandbox, seen from outside.
#[derive(Clone, Debug)]
pub(crate) struct Fake {
    folder: PathBuf,
}

impl Fake {
    /// The Claude whose launches leave their notes in `folder`.
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// What the `number`th launch (from 0) was given; waits for that launch.
    #[track_caller]
    pub(crate) fn launch(&self, number: usize) -> Launched {
        self.wait("launch", number)
    }

    /// What the `number`th call of `--version` was given; waits for it.
    #[track_caller]
    pub(crate) fn version_call(&self, number: usize) -> Launched {
        self.wait("version", number)
    }

    /// What the `number`th call of `auth status` was given; waits for it.
    #[track_caller]
    pub(crate) fn auth_call(&self, number: usize) -> Launched {
        self.wait("auth", number)
    }

    /// How many launches there have been (calls of `--version` and `auth status` are none).
    pub(crate) fn launches(&self) -> usize {
        (0..100_000)
            .take_while(|number| self.folder.join(format!("launch-{number}")).join("launch.json").exists())
            .count()
    }

    #[track_caller]
    fn wait(&self, name: &str, number: usize) -> Launched {
        let folder = self.folder.join(format!("{name}-{number}"));
        wait_until(LIMIT, &format!("{} is there", folder.display()), || Launched::read(&folder))
    }
}

/// What one launch was given.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Launched {
    /// The arguments, without the program.
    pub(crate) argv: Vec<String>,
    /// The environment.
    pub(crate) env: BTreeMap<String, String>,
    /// The working directory.
    pub(crate) cwd: PathBuf,
    /// The process.
    pub(crate) pid: u32,
    /// Its start time.
    pub(crate) start: String,
    #[serde(skip)]
    folder: PathBuf,
}

impl Launched {
    fn read(folder: &Path) -> Option<Self> {
        let launched: Self =
            serde_json::from_slice(&fs::read(folder.join("launch.json")).ok()?).expect("the launch's note");
        Some(Self { folder: folder.to_owned(), ..launched })
    }

    /// The process that it is.
    pub(crate) fn process(&self) -> Process {
        Process { pid: self.pid, start: self.start.clone() }
    }

    /// The value that follows this argument.
    pub(crate) fn value_of(&self, argument: &str) -> Option<&str> {
        let at = self.argv.iter().position(|known| known == argument)?;
        self.argv.get(at + 1).map(String::as_str)
    }

    /// Everything read from standard input so far: in one-shot mode all of it or nothing yet.
    pub(crate) fn stdin(&self) -> Vec<u8> {
        fs::read(self.folder.join("stdin")).unwrap_or_default()
    }

    /// The complete lines of standard input so far, parsed.
    pub(crate) fn inputs(&self) -> Vec<Value> {
        let bytes = self.stdin();
        let lines = bytes.split_inclusive(|byte| *byte == b'\n').filter(|line| line.ends_with(b"\n"));
        lines.map(|line| serde_json::from_slice(line).unwrap_or(Value::Null)).collect()
    }

    /// The signals that arrived so far (`INT`, `TERM`).
    pub(crate) fn signals(&self) -> Vec<String> {
        let text = fs::read_to_string(self.folder.join("signals")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// The status it ends with by itself; waits for it.
    #[track_caller]
    pub(crate) fn ended(&self) -> i32 {
        wait_until(LIMIT, &format!("process {} ends by itself", self.pid), || self.exit())
    }

    /// The status it ended with by itself; `None` while it runs, and for ever when it was killed.
    pub(crate) fn exit(&self) -> Option<i32> {
        fs::read_to_string(self.folder.join("exit")).ok()?.trim().parse().ok()
    }
}
