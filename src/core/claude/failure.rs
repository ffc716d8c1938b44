//! Why a turn failed, and the code for it.
//!
//! Structured fields decide; the CLI's texts only where a version has no field. The table of texts is in
//! [`by_text`], the recorded frames of two versions are checked against it in the tests.

use super::{frame::ResultFrame, models::Models};
use crate::core::{
    clock::Timestamp,
    error::{Error, ErrorCode},
    process::Exit,
};

/// The kinds of failure that callers can do something about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// Not logged in, expired, revoked, or not allowed.
    Auth,
    /// No credit.
    Credit,
    /// A rate limit or the plan's limit.
    RateLimit,
    /// The API does not know the model.
    Model,
    /// The prompt (or the conversation) is too long for the model.
    PromptTooLong,
    /// The session id is taken, or somebody else works on the session.
    SessionInUse,
    /// A background agent of Claude Code's own holds the session.
    HeldByBackground,
    /// The session does not exist.
    SessionNotFound,
    /// The working directory is gone.
    Cwd,
    /// A limit on cost ran out.
    Budget,
    /// A limit on model turns ran out.
    Turns,
    /// Somebody interrupted the turn.
    Interrupted,
    /// Any other failure of the API.
    Api,
    /// Exit status 0, and no usable result.
    NoResult,
    /// The process ended in any other way.
    Exited,
}

/// A failed turn.
#[derive(Clone, Debug)]
pub struct Failure {
    /// What kind of failure.
    pub kind: FailureKind,
    /// When a limit ends.
    pub resets_at: Option<Timestamp>,
    /// The API's HTTP status.
    pub api_error_status: Option<u16>,
    /// The API's error type, else the CLI's word for it.
    pub api_error_type: Option<String>,
    /// The CLI's own word for why the turn ended.
    pub terminal_reason: Option<String>,
    /// How the process ended, where it did.
    pub exit: Option<Exit>,
}

impl Failure {
    /// A failure of which nothing but the kind is known.
    pub fn new(kind: FailureKind) -> Self {
        Self { kind, resets_at: None, api_error_status: None, api_error_type: None, terminal_reason: None, exit: None }
    }

    /// Reads a `result` frame that is no success. `api_error` is the kind in the last `assistant` frame.
    pub fn of_result(result: &ResultFrame, api_error: Option<&str>, resets_at: Option<Timestamp>) -> Self {
        let kind = by_structure(result, api_error).unwrap_or_else(|| {
            let errors = result.errors.iter().flatten().map(String::as_str);
            let texts = errors.chain(result.result.as_deref());
            texts.map(by_text).find_map(|kind| kind).unwrap_or(FailureKind::Api)
        });
        Self {
            resets_at: resets_at.filter(|_| kind == FailureKind::RateLimit),
            api_error_status: result.api_error_status,
            api_error_type: result.api_error_type.clone().or_else(|| api_error.map(str::to_owned)),
            terminal_reason: result.terminal_reason.clone(),
            ..Self::new(kind)
        }
    }

    /// Judges a process that ended without a result.
    pub fn without_result(exit: Exit, stderr: &str, api_error: Option<&str>, resets_at: Option<Timestamp>) -> Self {
        let kind = api_error.and_then(by_api_error).or_else(|| by_text(stderr)).unwrap_or(match exit {
            Exit::Code(0) => FailureKind::NoResult,
            _ => FailureKind::Exited,
        });
        Self {
            resets_at: resets_at.filter(|_| kind == FailureKind::RateLimit),
            api_error_type: api_error.map(str::to_owned),
            exit: Some(exit),
            ..Self::new(kind)
        }
    }

    /// The code of the sessions' contract.
    pub fn code(&self) -> ErrorCode {
        match self.kind {
            FailureKind::Auth => ErrorCode::AuthFailed,
            FailureKind::Credit => ErrorCode::CreditExhausted,
            FailureKind::RateLimit => ErrorCode::RateLimited,
            FailureKind::Model => ErrorCode::ModelRejected,
            FailureKind::SessionInUse | FailureKind::HeldByBackground => ErrorCode::SessionIdInUse,
            FailureKind::SessionNotFound => ErrorCode::SessionNotFound,
            FailureKind::Cwd => ErrorCode::CwdInvalid,
            FailureKind::Interrupted => ErrorCode::Cancelled,
            FailureKind::NoResult => ErrorCode::CliOutputInvalid,
            FailureKind::PromptTooLong
            | FailureKind::Budget
            | FailureKind::Turns
            | FailureKind::Api
            | FailureKind::Exited => ErrorCode::CliExitUnknown,
        }
    }

    /// The one word of the agents' contract for why a turn did not succeed.
    pub fn reason(&self) -> &'static str {
        match self.kind {
            FailureKind::Auth => "auth_failed",
            FailureKind::Credit => "credit_exhausted",
            FailureKind::RateLimit => "rate_limited",
            FailureKind::Model => "model_rejected",
            FailureKind::PromptTooLong => "prompt_too_long",
            FailureKind::SessionNotFound => "resume_failed",
            FailureKind::SessionInUse | FailureKind::HeldByBackground | FailureKind::Cwd => "launch_failed",
            FailureKind::Budget | FailureKind::Turns => "budget",
            FailureKind::Interrupted => "interrupted",
            FailureKind::Api => "api_error",
            FailureKind::NoResult | FailureKind::Exited => "exited",
        }
    }

    /// Whether the same call may work later, without anything being mended.
    fn retryable(&self) -> bool {
        match self.kind {
            FailureKind::RateLimit | FailureKind::Exited => true,
            FailureKind::Api => self.api_error_status.is_none_or(|status| status >= 500),
            _ => false,
        }
    }

    /// The error as both faces show it. `stderr` is the (redacted) tail of the CLI's standard error.
    pub fn into_error(self, models: &Models, stderr: &str) -> Error {
        let (message, hint) = self.texts();
        let code = self.code();
        let error = match code {
            ErrorCode::ModelRejected => models.rejected(&message),
            _ => Error::new(code, message),
        };
        let retryable = self.retryable();
        error.hint(hint).details(|details| {
            details.resets_at = self.resets_at;
            details.api_error_status = self.api_error_status;
            details.api_error_type = self.api_error_type;
            details.terminal_reason = self.terminal_reason;
            match self.exit {
                Some(Exit::Code(code)) => details.exit_code = Some(code),
                Some(Exit::Signal(signal)) => details.signal = Some(signal),
                Some(Exit::Lost) | None => {}
            }
            if matches!(code, ErrorCode::CliExitUnknown | ErrorCode::CliOutputInvalid) {
                details.retryable = Some(retryable);
                details.stderr_tail = Some(stderr.to_owned()).filter(|text| !text.is_empty());
            }
        })
    }

    /// What failed, and what to do next.
    fn texts(&self) -> (String, &'static str) {
        let (message, hint) = match self.kind {
            FailureKind::Auth => (
                "Claude is not logged in, or the login was refused.",
                "Run `claude` and log in with /login (or renew the token), then try again.",
            ),
            FailureKind::Credit => {
                ("The account has no credit left.", "Add credit, or log in with a subscription that has some left.")
            }
            FailureKind::RateLimit => match self.resets_at {
                Some(at) => {
                    return (format!("The usage limit is reached until {at}."), "Try again after that time.");
                }
                None => ("The API is limiting requests.", "Wait a little, then try again."),
            },
            FailureKind::Model => (
                "The API does not know this model, or the account may not use it.",
                "Pass another model; `claude --model ID` shows whether the account has it.",
            ),
            FailureKind::PromptTooLong => (
                "The conversation is too long for the model.",
                "Send a shorter message, compact the session (`/compact`), or start a new one.",
            ),
            FailureKind::SessionInUse => {
                ("Somebody else is using this session.", "Close the other Claude, or start a new session.")
            }
            FailureKind::HeldByBackground => (
                "The session is running as a background agent of Claude Code.",
                "Wait until that agent is done, or stop it with `claude agents`.",
            ),
            FailureKind::SessionNotFound => (
                "Claude found no conversation with this session id in this directory.",
                "Pass the directory that the session was started in; `ccmcp sessions` lists both.",
            ),
            FailureKind::Cwd => ("The working directory no longer exists.", "Pass a directory that exists."),
            FailureKind::Budget => ("The limit on cost ran out.", "Raise the limit, or go on in a new turn."),
            FailureKind::Turns => {
                ("The limit on model turns ran out.", "Raise the limit, or send another message to go on.")
            }
            FailureKind::Interrupted => {
                ("The turn was interrupted.", "The session is still usable: send a message to go on.")
            }
            FailureKind::Api => match self.api_error_status {
                Some(status) => {
                    let kind = self.api_error_type.as_deref().unwrap_or("no error type");
                    return (
                        format!("The API failed with status {status} ({kind})."),
                        "Try again later; the session keeps what was said before this turn.",
                    );
                }
                None => (
                    "Claude reported an error.",
                    "Look at the details; the session keeps what was said before this turn.",
                ),
            },
            FailureKind::NoResult => (
                "Claude exited without a result that could be read.",
                "Check the version with `ccmcp doctor`, then try again.",
            ),
            FailureKind::Exited => {
                ("Claude ended before its turn did.", "Look at the details, run `ccmcp doctor`, then try again.")
            }
        };
        (message.to_owned(), hint)
    }
}

/// Reads the fields that name a failure.
fn by_structure(result: &ResultFrame, api_error: Option<&str>) -> Option<FailureKind> {
    match result.startup_failure_reason.as_deref() {
        Some("session_held_by_background") => return Some(FailureKind::HeldByBackground),
        Some("cwd_unavailable") => return Some(FailureKind::Cwd),
        _ => {}
    }
    let by_reason = match result.terminal_reason.as_deref() {
        Some("prompt_too_long" | "blocking_limit" | "image_error") => Some(FailureKind::PromptTooLong),
        Some("aborted_streaming" | "aborted_tools") => Some(FailureKind::Interrupted),
        Some("budget_exhausted") => Some(FailureKind::Budget),
        Some("max_turns") => Some(FailureKind::Turns),
        _ => None,
    };
    let by_subtype = match result.subtype.as_deref() {
        Some("error_max_turns") => Some(FailureKind::Turns),
        Some("error_max_budget_usd") => Some(FailureKind::Budget),
        _ => None,
    };
    by_reason.or(by_subtype).or_else(|| api_error.and_then(by_api_error)).or(match result.api_error_status {
        Some(401 | 403) => Some(FailureKind::Auth),
        Some(429) => Some(FailureKind::RateLimit),
        _ => None,
    })
}

/// Reads the `error` of an `assistant` frame.
fn by_api_error(error: &str) -> Option<FailureKind> {
    match error {
        "authentication_failed"
        | "oauth_org_not_allowed"
        | "account_on_hold"
        | "verification_required"
        | "cloud_credential_error" => Some(FailureKind::Auth),
        "billing_error" => Some(FailureKind::Credit),
        "rate_limit" => Some(FailureKind::RateLimit),
        "model_not_found" => Some(FailureKind::Model),
        "server_error" | "overloaded" => Some(FailureKind::Api),
        // `invalid_request`, `unknown` and what is yet to come: the text may know more.
        _ => None,
    }
}

/// Reads the CLI's texts, for what no field tells.
fn by_text(text: &str) -> Option<FailureKind> {
    const TEXTS: &[(&str, FailureKind)] = &[
        ("is already in use", FailureKind::SessionInUse),
        ("No conversation found with session ID", FailureKind::SessionNotFound),
        ("currently running as a background agent", FailureKind::HeldByBackground),
        ("current directory no longer exists", FailureKind::Cwd),
        ("Not logged in", FailureKind::Auth),
        ("Invalid API key", FailureKind::Auth),
        ("OAuth token has expired", FailureKind::Auth),
        ("Login expired", FailureKind::Auth),
        ("organization has disabled", FailureKind::Auth),
        ("Credit balance is too low", FailureKind::Credit),
        ("out of usage credits", FailureKind::Credit),
        ("monthly spend limit", FailureKind::Credit),
        ("usage limit reached", FailureKind::RateLimit),
        ("limiting requests", FailureKind::RateLimit),
        ("Request rejected (429)", FailureKind::RateLimit),
        ("issue with the selected model", FailureKind::Model),
        ("unrecognized_model", FailureKind::Model),
        ("Prompt is too long", FailureKind::PromptTooLong),
        ("Request too large", FailureKind::PromptTooLong),
        ("Reached maximum number of turns", FailureKind::Turns),
        ("Reached maximum budget", FailureKind::Budget),
        ("[Request interrupted by user]", FailureKind::Interrupted),
    ];
    if text.contains("You've hit your") && text.contains("limit") {
        return Some(FailureKind::RateLimit);
    }
    TEXTS.iter().find(|(part, _)| text.contains(part)).map(|(_, kind)| *kind)
}
