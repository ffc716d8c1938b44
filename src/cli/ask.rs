//! Questions to history, asked from a terminal.

use tokio::task::{JoinError, spawn_blocking};
use tokio_util::sync::CancellationToken;

use super::Terminal;
use crate::core::{
    Core,
    error::{Error, ErrorCode, Result},
    history::History,
    nearest::did_you_mean,
};

/// Asks on a thread that may block; `stop` ends the waiting.
pub(super) async fn ask<T: Send + 'static>(
    core: &Core,
    terminal: Terminal,
    stop: &CancellationToken,
    question: impl FnOnce(&History) -> Result<T> + Send + 'static,
) -> Result<T> {
    let history = core.history().clone();
    let asking = spawn_blocking(move || question(&history));
    let answer = tokio::select! {
        answer = asking => outcome(answer),
        () = stop.cancelled() => Err(interrupted()),
    };
    answer.map_err(|error| for_people(error, terminal))
}

/// A panic on the other thread is one here.
pub(super) fn outcome<T>(joined: std::result::Result<Result<T>, JoinError>) -> Result<T> {
    match joined {
        Ok(outcome) => outcome,
        Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
        Err(error) => Err(Error::internal("reading the transcripts", error)),
    }
}

pub(super) fn interrupted() -> Error {
    Error::new(ErrorCode::Cancelled, "Interrupted.").hint("Nothing was changed; run it again.")
}

/// Says what to do next in the words of the command line; programs get the words of the tools.
pub(super) fn for_people(mut error: Error, terminal: Terminal) -> Error {
    if terminal.is_json() {
        return error;
    }
    let details = &error.details;
    let candidates = if details.candidates.is_empty() {
        details.sessions.iter().map(ToString::to_string).collect::<Vec<_>>()
    } else {
        details.candidates.clone()
    };
    let suggesting =
        |next: &str| did_you_mean(&candidates).map_or_else(|| next.to_owned(), |question| format!("{question} {next}"));
    let hint = match error.code {
        ErrorCode::SessionNotFound => suggesting("`ccmcp sessions` lists the sessions with their ids."),
        ErrorCode::ProjectNotFound => {
            suggesting("`ccmcp sessions --projects` lists the directories; any unique part of one will do.")
        }
        ErrorCode::SessionAmbiguous if details.candidates.is_empty() => {
            format!("Give more of the id. It could be:\n  {}", candidates.join("\n  "))
        }
        ErrorCode::SessionAmbiguous => {
            format!("The id was used in several directories; name one with --project:\n  {}", candidates.join("\n  "))
        }
        ErrorCode::ProjectAmbiguous => format!("Give more of the path. It could be:\n  {}", candidates.join("\n  ")),
        ErrorCode::RecordNotFound if candidates.len() > 1 => {
            format!("Give more of the id. It could be:\n  {}", candidates.join("\n  "))
        }
        ErrorCode::RecordNotFound => {
            suggesting("`ccmcp tree SESSION` draws the session, `--forks` lists its branches with their ids.")
        }
        ErrorCode::QueryInvalid => {
            "Quote the query for the shell, and leave --mode out to find it as it stands.".to_owned()
        }
        _ => return error,
    };
    error.hint = Some(hint);
    error
}
