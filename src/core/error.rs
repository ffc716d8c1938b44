//! The one error type that both faces show.
//!
//! Lower modules keep their own `thiserror` enums beside the code and implement `From<TheirError> for Error`
//! there. [`Details`] is typed, so that prompts, environment and tokens cannot leak into it.

use std::fmt;

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use super::{
    clock::Timestamp,
    ids::{AgentId, SessionId},
};

/// Declares the codes with their texts and exit codes in one table.
macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident $text:literal exit $exit:ident;)+) => {
        /// What kind of failure an [`Error`] is: stable, exactly one per failure.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum ErrorCode { $($(#[$doc])* $name,)+ }

        impl ErrorCode {
            /// Every code, in the order of the README's table.
            pub const ALL: &[Self] = &[$(Self::$name,)+];

            /// The code as callers see it.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $text,)+ }
            }

            /// The exit status that a terminal command ends with.
            pub const fn exit_status(self) -> ExitStatus {
                match self { $(Self::$name => ExitStatus::$exit,)+ }
            }
        }
    };
}

codes! {
    /// Arguments missing, unknown, of the wrong type or out of range.
    SchemaValidation "SCHEMA_VALIDATION" exit Usage;
    /// The working directory is not absolute, missing, no directory or not accessible.
    CwdInvalid "CWD_INVALID" exit Usage;
    /// The model is not on the list, or the API does not know it.
    ModelRejected "MODEL_REJECTED" exit Usage;
    /// The Claude executable is missing, not executable, or the system refused to start it.
    SpawnFailed "SPAWN_FAILED" exit Claude;
    /// Not logged in, expired, revoked, or not allowed.
    AuthFailed "AUTH_FAILED" exit Claude;
    /// The account has no credit left.
    CreditExhausted "CREDIT_EXHAUSTED" exit Failed;
    /// A rate limit or the plan's usage limit.
    RateLimited "RATE_LIMITED" exit Failed;
    /// Somebody else is using this session.
    SessionIdInUse "SESSION_ID_IN_USE" exit Failed;
    /// There is no such session in that directory.
    SessionNotFound "SESSION_NOT_FOUND" exit NotFound;
    /// The CLI printed nothing for `timeout_idle_ms`.
    IdleTimeout "IDLE_TIMEOUT" exit TimedOut;
    /// The turn took longer than `timeout_wall_ms`.
    WallTimeout "WALL_TIMEOUT" exit TimedOut;
    /// The caller cancelled, or the server is shutting down.
    Cancelled "CANCELLED" exit Interrupted;
    /// The CLI exited with status 0 and no usable result.
    CliOutputInvalid "CLI_OUTPUT_INVALID" exit Failed;
    /// Any other failure of the CLI or the API behind it.
    CliExitUnknown "CLI_EXIT_UNKNOWN" exit Failed;
    /// A fault of ccmcp itself.
    InternalError "INTERNAL_ERROR" exit Internal;

    /// A session id prefix fits several sessions.
    SessionAmbiguous "SESSION_AMBIGUOUS" exit NotFound;
    /// No project fits.
    ProjectNotFound "PROJECT_NOT_FOUND" exit NotFound;
    /// Several projects fit.
    ProjectAmbiguous "PROJECT_AMBIGUOUS" exit NotFound;
    /// The session has no such record.
    RecordNotFound "RECORD_NOT_FOUND" exit NotFound;
    /// The search query is empty or no valid regular expression.
    QueryInvalid "QUERY_INVALID" exit Usage;
    /// The transcripts cannot be read.
    HistoryUnreadable "HISTORY_UNREADABLE" exit Failed;

    /// Bad arguments of an agent tool.
    InvalidInput "invalid_input" exit Usage;
    /// No such agent.
    AgentNotFound "agent_not_found" exit NotFound;
    /// The agent's state does not allow this.
    InvalidState "invalid_state" exit Failed;
    /// The cursor is malformed or newer than the newest event.
    CursorExpired "cursor_expired" exit Usage;
    /// The Claude CLI is missing, too old or logged out.
    CliUnavailable "cli_unavailable" exit Claude;
    /// The session to resume is gone.
    ResumeFailed "resume_failed" exit NotFound;
    /// The system does not let us do this.
    PermissionDenied "permission_denied" exit Failed;
    /// A fault of the agents' side of ccmcp itself.
    AgentsInternal "internal_error" exit Internal;

    /// A flag or an environment variable has a bad value, or the two contradict each other.
    SettingInvalid "SETTING_INVALID" exit Usage;
    /// The recursion guard refuses to drive Claude from inside Claude.
    RecursionRefused "RECURSION_REFUSED" exit Claude;
    /// There is no Claude CLI that ccmcp could use, so there is nothing to offer.
    ClaudeUnavailable "CLAUDE_UNAVAILABLE" exit Claude;
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for ErrorCode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// How a terminal command ends; the README's table of exit codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum ExitStatus {
    /// All went well.
    Ok = 0,
    /// The turn failed, a check failed, or `search` found nothing.
    Failed = 1,
    /// Bad usage or a bad setting.
    Usage = 2,
    /// No such session, agent, project or record.
    NotFound = 3,
    /// Claude CLI missing, too old, not logged in, or the recursion guard refused.
    Claude = 4,
    /// A limit ran out.
    TimedOut = 5,
    /// A fault of ccmcp.
    Internal = 70,
    /// Interrupted from the keyboard.
    Interrupted = 130,
}

/// A failure as both faces show it: what failed and why (`message`), what to do next (`hint`), and facts.
#[derive(Clone, Debug, Serialize)]
pub struct Error {
    /// The stable code.
    pub code: ErrorCode,
    /// What failed and why. Never holds a prompt, a value from the environment or a token.
    pub message: String,
    /// What to do next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Facts for programs.
    #[serde(skip_serializing_if = "Details::is_empty")]
    pub details: Box<Details>,
}

/// Facts about a failure. Only what has a field here can leave the process.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(default)]
pub struct Details {
    /// The argument, flag or variable at fault.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// What `field` has to be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    /// The models that are accepted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub accepted_models: Vec<String>,
    /// When a limit ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resets_at: Option<Timestamp>,
    /// The CLI's exit status.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// The signal that ended the CLI.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
    /// The CLI's own word for why the turn ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub terminal_reason: Option<String>,
    /// The API's HTTP status.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api_error_status: Option<u16>,
    /// The API's error type, or the CLI's word for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api_error_type: Option<String>,
    /// Whether the same call may work later.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retryable: Option<bool>,
    /// The last part of what the CLI wrote to standard error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stderr_tail: Option<String>,
    /// What an ambiguous name could mean.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<String>,
    /// The sessions that an ambiguous prefix could mean.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sessions: Vec<SessionId>,
    /// The agent that the failure is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<AgentId>,
    /// The state that the agent is in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// One word for why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The process that stands in the way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub process: Option<ProcessDetails>,
}

/// A process, told apart from a later one with the same pid by its start.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ProcessDetails {
    /// The process id.
    pub pid: u32,
    /// The exact start time in the system's own unit, as text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_at: Option<String>,
}

impl Details {
    /// Whether there is nothing to tell.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl Error {
    /// An error with a message and nothing else yet.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), hint: None, details: Box::default() }
    }

    /// A fault of our own: `what` was being done when `cause` happened.
    pub fn internal(what: &str, cause: impl fmt::Display) -> Self {
        Self::new(ErrorCode::InternalError, format!("{what}: {cause}"))
            .hint("This is a fault in ccmcp. Run `ccmcp doctor`, and report it with its output if it happens again.")
    }

    /// Says what to do next.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds facts.
    #[must_use]
    pub fn details(mut self, fill: impl FnOnce(&mut Details)) -> Self {
        fill(&mut self.details);
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)
    }
}

impl std::error::Error for Error {}

/// The shape in which an error leaves ccmcp: `{"error": {"code", "message", "hint"?, "details"?}}`.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct ErrorObject<'a> {
    /// The error itself.
    pub error: &'a Error,
}

/// The result of the core's own operations.
pub type Result<T, E = Error> = std::result::Result<T, E>;

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn codes_are_unique() {
        let texts: HashSet<_> = ErrorCode::ALL.iter().map(|code| code.as_str()).collect();
        assert_eq!(texts.len(), ErrorCode::ALL.len());
    }

    #[test]
    fn empty_parts_are_left_out() {
        let error = Error::new(ErrorCode::CwdInvalid, "no such directory");
        assert_eq!(
            serde_json::to_string(&ErrorObject { error: &error }).unwrap(),
            r#"{"error":{"code":"CWD_INVALID","message":"no such directory"}}"#
        );
        let error = error.hint("make it").details(|details| details.field = Some("cwd".into()));
        assert_eq!(
            serde_json::to_string(&ErrorObject { error: &error }).unwrap(),
            r#"{"error":{"code":"CWD_INVALID","message":"no such directory","hint":"make it","details":{"field":"cwd"}}}"#
        );
    }
}
