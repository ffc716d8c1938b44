//! `start` and `send`.

use std::{
    ffi::OsString,
    io::{self, IsTerminal, Read},
    path::{Path, PathBuf},
};

use clap::{Args, ValueHint};
use tokio_util::sync::CancellationToken;

use super::{
    columns::cut,
    failure::{Asked, not_found},
    reply::{Form, ReplyView},
    terminal::Terminal,
};
use crate::core::{
    Core,
    claude::{Billing, Nesting},
    error::{Error, ErrorCode, ExitStatus, Result},
    ids::SessionId,
    sessions::{LONGEST_PROMPT, Send, SessionName, Start, TurnAnswer, TurnLimits},
};

/// How much of a title is shown, in columns.
const TITLE: usize = 60;

/// What `start` and `send` share.
#[derive(Args, Clone, Debug)]
pub struct TurnArgs {
    /// Use this model: opus, sonnet, haiku, fable, or an exact id
    #[arg(long, short, value_name = "MODEL", env = "CCMCP_MODEL", hide_env_values = true)]
    pub model: String,

    /// Run in this directory
    #[arg(long, short = 'C', value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub cwd: Option<PathBuf>,

    /// End the turn after this many milliseconds without any output of Claude
    #[arg(long, value_name = "MS", default_value_t = TurnLimits::default().idle_ms)]
    pub timeout_idle_ms: u64,

    /// End the turn after this many milliseconds
    #[arg(long, value_name = "MS", default_value_t = TurnLimits::default().wall_ms)]
    pub timeout_wall_ms: u64,

    /// Print the result as one JSON object
    #[arg(long)]
    pub json: bool,

    /// Print Claude's own frames as they come, one JSON object a line
    #[arg(long, conflicts_with = "json")]
    pub stream_json: bool,

    /// Arguments handed on to Claude, such as --add-dir DIR
    #[arg(last = true, value_name = "ARGS")]
    pub claude_args: Vec<OsString>,
}

/// Start a new session and print Claude's reply
///
/// The reply goes to standard output as it is written; the session's id, the cost and the command to go on go to
/// standard error. Ctrl-C interrupts the turn; what was said until then stays, and the command to go on is printed.
#[derive(Args, Clone, Debug)]
#[command(after_long_help = "\
Examples:
  ccmcp start --model sonnet 'Explain this project'
  git diff | ccmcp start -m opus -             the prompt from standard input
  ccmcp start -m haiku --json 'Say hi' | jq -r .session_id
  ccmcp start -m opus 'Compare the two' -- --add-dir ../other")]
pub struct StartArgs {
    /// The first prompt; `-` reads it from standard input
    pub prompt: Option<String>,
    /// The turn
    #[command(flatten)]
    pub turn: TurnArgs,
}

/// Continue a session and print Claude's reply
///
/// SESSION is an id, the beginning of one, or `last`: the newest session of the directory that is not open elsewhere.
/// Without --cwd the turn runs in the session's own directory.
#[derive(Args, Clone, Debug)]
#[command(after_long_help = "\
Examples:
  ccmcp send last --model sonnet 'And the tests?'
  ccmcp send 3d0b2f0d -m opus - < notes.md
  ccmcp send last -m haiku --stream-json 'Go on' | jq .type")]
pub struct SendArgs {
    /// The session: an id, the beginning of one, or `last`
    pub session: String,
    /// The message; `-` reads it from standard input
    pub message: Option<String>,
    /// The turn
    #[command(flatten)]
    pub turn: TurnArgs,
}

impl TurnArgs {
    fn limits(&self) -> TurnLimits {
        TurnLimits { idle_ms: self.timeout_idle_ms, wall_ms: self.timeout_wall_ms }
    }

    fn form(&self) -> Form {
        match (self.json, self.stream_json) {
            (true, _) => Form::Json,
            (_, true) => Form::Frames,
            _ => Form::Text,
        }
    }
}

/// Runs `ccmcp start`.
pub async fn start(core: &Core, args: StartArgs, terminal: &Terminal, stop: &CancellationToken) -> Result<ExitStatus> {
    refuse_recursion(core)?;
    warn_of_billing(core, terminal);
    let cwd = directory(core, args.turn.cwd.as_deref())?;
    let (model, form, limits) = (args.turn.model.clone(), args.turn.form(), args.turn.limits());
    let prompt = text(args.prompt, "PROMPT", stop).await?;
    let session_id = SessionId::new();
    let asked = Asked { core, model: &model, cwd: cwd.clone(), named: args.turn.cwd.is_some(), session: session_id };
    let request = Start { session_id, cwd, prompt, model: model.clone(), limits, extra: args.turn.claude_args };
    let mut view = ReplyView::new(*terminal, form);
    let answer = core.sessions().start(request, &mut |event| view.show(event), stop).await;
    finish(view, answer, &asked, *terminal)
}

/// Runs `ccmcp send`.
pub async fn send(core: &Core, args: SendArgs, terminal: &Terminal, stop: &CancellationToken) -> Result<ExitStatus> {
    refuse_recursion(core)?;
    warn_of_billing(core, terminal);
    let here = directory(core, args.turn.cwd.as_deref())?;
    let (model, form, limits) = (args.turn.model.clone(), args.turn.form(), args.turn.limits());
    let name = SessionName::from(args.session.as_str());
    let named = args.turn.cwd.is_some();
    let found = core.sessions().find(&name, &here, named).map_err(|error| not_found(error, &here, *terminal))?;
    let session = found.file;
    let cwd = match args.turn.cwd {
        Some(_) => here,
        None => session.first_cwd().ok().flatten().map_or(here, PathBuf::from),
    };
    let message = text(args.message, "MESSAGE", stop).await?;
    if let Some(open) = found.open_elsewhere {
        terminal.remark(&passed_over(core, open, session.id));
    }
    let asked = Asked { core, model: &model, cwd: cwd.clone(), named, session: session.id };
    let request =
        Send { session_id: session.id, cwd, message, model: model.clone(), limits, extra: args.turn.claude_args };
    let mut view = ReplyView::new(*terminal, form);
    let answer = core.sessions().send(request, &mut |event| view.show(event), stop).await;
    finish(view, answer, &asked, *terminal)
}

fn finish(view: ReplyView, answer: Result<TurnAnswer>, asked: &Asked<'_>, terminal: Terminal) -> Result<ExitStatus> {
    match answer {
        Ok(answer) => view.finish(&answer, asked.model).map(|()| ExitStatus::Ok),
        Err(error) => {
            view.abandon();
            Err(asked.explain(error, terminal))
        }
    }
}

/// `last` is not the newest session here, but the newest that can be gone on with.
fn passed_over(core: &Core, open: SessionId, session: SessionId) -> String {
    let glances = core.history().recent_sessions(&session.to_string(), 1).unwrap_or_default();
    let title = glances.into_iter().next().and_then(|glance| glance.title);
    let title = title.map_or_else(String::new, |title| format!(" ({})", cut(&title, TITLE)));
    format!("The newest session {open} is open elsewhere; going on with {session}{title}.")
}

fn refuse_recursion(core: &Core) -> Result<()> {
    match core.nesting() {
        Nesting::Driven => Err(Error::new(
            ErrorCode::RecursionRefused,
            "This is a Claude that ccmcp itself drives: one level of driving is the limit.",
        )
        .hint("Ask the Claude above to do it, or use the history commands.")),
        Nesting::Outside | Nesting::InsideClaude => Ok(()),
    }
}

/// A key in the environment is what the CLI may take, and that is billed by the token.
fn warn_of_billing(core: &Core, terminal: &Terminal) {
    if core.settings().environment.is_set("ANTHROPIC_API_KEY")
        && let Some(warning) = Billing::ApiKey.warning()
    {
        terminal.say(&format!("warning: {warning}"));
    }
}

/// The directory to run in: the one asked for, else where ccmcp was started.
fn directory(core: &Core, asked: Option<&Path>) -> Result<PathBuf> {
    let here = core.settings().working_dir.as_deref();
    match (asked, here) {
        (Some(asked), Some(here)) => Ok(here.join(asked)),
        (Some(asked), None) => Ok(asked.to_path_buf()),
        (None, Some(here)) => Ok(here.to_path_buf()),
        (None, None) => Err(Error::new(ErrorCode::CwdInvalid, "The current directory cannot be read.")
            .hint("Change to a directory that exists, or name one with --cwd.")),
    }
}

/// The text itself, or what standard input holds for `-` and for nothing at all.
async fn text(given: Option<String>, name: &str, stop: &CancellationToken) -> Result<String> {
    let from_input = match given {
        Some(text) if text != "-" => return Ok(text),
        Some(_) => true,
        None => !io::stdin().is_terminal(),
    };
    if !from_input {
        return Err(Error::new(ErrorCode::SchemaValidation, format!("There is no {name}."))
            .hint(format!("Give the {name} as an argument, or `-` to read it from standard input."))
            .details(|details| details.field = Some(name.to_owned())));
    }
    let read = tokio::task::spawn_blocking(|| {
        let mut bytes = Vec::new();
        // One byte more than may be sent, so that the core sees that it is too much.
        io::stdin().lock().take(LONGEST_PROMPT as u64 + 1).read_to_end(&mut bytes).map(|_| bytes)
    });
    let read = tokio::select! {
        read = read => read,
        () = stop.cancelled() => return Err(Error::new(ErrorCode::Cancelled, "Interrupted before anything was sent.").hint("Nothing was changed; run it again.")),
    };
    let bytes = read.map_err(|error| Error::internal("reading standard input", error))?;
    let bytes = bytes.map_err(|error| Error::internal("reading standard input", error))?;
    String::from_utf8(bytes).map_err(|_| {
        Error::new(ErrorCode::SchemaValidation, format!("The {name} on standard input is not UTF-8."))
            .hint("Convert it to UTF-8 first.")
            .details(|details| details.field = Some(name.to_owned()))
    })
}
