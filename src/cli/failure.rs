//! Why a turn failed, in the words of the command line. Programs, which asked for JSON, get the words of the tools.

use std::path::{Path, PathBuf};

use super::{Terminal, reply::going_on};
use crate::core::{
    Core,
    error::{Error, ErrorCode},
    ids::SessionId,
    sessions::TurnLimits,
};

/// What the core says in front of what is wrong with a directory, which it does not name.
const DIRECTORY: &str = "The working directory ";

/// What `start` or `send` asked for, as far as a failure has to tell of it.
pub(super) struct Asked<'a> {
    pub(super) core: &'a Core,
    pub(super) model: &'a str,
    /// Where the turn runs.
    pub(super) cwd: PathBuf,
    /// Whether the directory was named with `--cwd`.
    pub(super) named: bool,
    /// The session; with `start`, the one that was to be.
    pub(super) session: SessionId,
}

impl Asked<'_> {
    /// What failed and what to do next, for somebody at a terminal: with the command that goes on, where something was
    /// said that one can go on with.
    pub(super) fn explain(&self, mut error: Error, terminal: Terminal) -> Error {
        if terminal.is_json() {
            return error;
        }
        match error.code {
            ErrorCode::SchemaValidation => explain_argument(&mut error),
            ErrorCode::CwdInvalid => self.explain_directory(&mut error),
            ErrorCode::SessionNotFound => explain_place(&mut error),
            ErrorCode::IdleTimeout
            | ErrorCode::WallTimeout
            | ErrorCode::Cancelled
            | ErrorCode::CliExitUnknown
            | ErrorCode::CliOutputInvalid
            | ErrorCode::RateLimited
            | ErrorCode::CreditExhausted
            | ErrorCode::AuthFailed
            | ErrorCode::ModelRejected => self.explain_end(&mut error, terminal),
            _ => {}
        }
        error
    }

    fn explain_directory(&self, error: &mut Error) {
        let here = self.core.settings().working_dir.as_deref();
        if self.named || here == Some(&self.cwd) {
            name_directory(error, &self.cwd);
            return;
        }
        if let Some(why) = error.message.strip_prefix(DIRECTORY) {
            error.message = format!("The session's own directory {} {why}", self.cwd.display());
        }
        let hint = "A session goes on only where it was started: put the directory back, or start a new session.";
        error.hint = Some(hint.to_owned());
    }

    /// The turn had begun, or could have.
    fn explain_end(&self, error: &mut Error, terminal: Terminal) {
        let begun = self.core.sessions().has_begun(self.session, &self.cwd);
        let hint = error.hint.take().unwrap_or_default();
        let hint = match error.code {
            ErrorCode::Cancelled if begun => "The session is still usable.".to_owned(),
            ErrorCode::Cancelled => "Nothing was said yet; run it again.".to_owned(),
            ErrorCode::IdleTimeout => {
                "Raise --timeout-idle-ms if Claude or its tools need that long in silence.".to_owned()
            }
            ErrorCode::WallTimeout => "Raise --timeout-wall-ms, or ask for less in one turn.".to_owned(),
            // The command below says it better.
            _ => match hint.strip_suffix(": send a message to go on.") {
                Some(usable) if begun => format!("{usable}."),
                Some(_) => "Run it again.".to_owned(),
                None => hint,
            },
        };
        error.hint = Some(if begun {
            let model = if error.code == ErrorCode::ModelRejected { "MODEL" } else { self.model };
            let columns = usize::from(terminal.width());
            format!("{hint}\n{}", going_on(self.session, model, columns))
        } else {
            hint
        });
    }
}

/// Why no session was found, seen from the directory `cwd`.
pub(super) fn not_found(mut error: Error, cwd: &Path, terminal: Terminal) -> Error {
    if !terminal.is_json() {
        match error.code {
            ErrorCode::CwdInvalid => name_directory(&mut error, cwd),
            ErrorCode::SessionNotFound => explain_place(&mut error),
            _ => {}
        }
    }
    error
}

fn explain_argument(error: &mut Error) {
    let Some(field) = error.details.field.clone() else { return };
    let too_long = error.details.expected.as_ref().is_some_and(|expected| expected.starts_with("at most"));
    let default = TurnLimits::default();
    let in_range = |default| format!("Leave it out for its default, {default}, or give a number in that range.");
    let (name, hint) = match field.as_str() {
        "initial_prompt" | "message" if too_long => {
            (text_name(&field), "Put the text into a file, and ask Claude to read that.".to_owned())
        }
        "initial_prompt" | "message" => {
            let name = text_name(&field);
            (name, format!("Give the {name} as an argument, or `-` to read it from standard input."))
        }
        "timeout_idle_ms" => ("--timeout-idle-ms", in_range(default.idle_ms)),
        "timeout_wall_ms" => ("--timeout-wall-ms", in_range(default.wall_ms)),
        _ => return,
    };
    error.message = error.message.replace(&format!("`{field}`"), name);
    error.hint = Some(hint);
}

fn text_name(field: &str) -> &'static str {
    if field == "message" { "MESSAGE" } else { "PROMPT" }
}

fn name_directory(error: &mut Error, cwd: &Path) {
    if let Some(why) = error.message.strip_prefix(DIRECTORY) {
        error.message = format!("The directory {} {why}", cwd.display());
    }
    error.hint = Some("Name an existing directory that you may enter with --cwd, or change to one.".to_owned());
}

/// The session is elsewhere.
fn explain_place(error: &mut Error) {
    let places = &error.details.candidates;
    if !places.is_empty() {
        let places = places.join(" and in ");
        error.hint = Some(format!("It was started in {places}: name that with --cwd, or leave --cwd out."));
    }
}
