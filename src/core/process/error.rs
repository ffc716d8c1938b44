//! Why a program did not start.

use std::{io, path::PathBuf};

use super::control::Stage;
use crate::core::error::{Error, ErrorCode};

/// A program that did not start; nothing of it is left behind.
#[derive(Debug, thiserror::Error)]
pub enum SpawnError {
    /// There is no such program (or, for a script, not its interpreter).
    #[error("{} does not exist, or is a script whose interpreter does not", program.display())]
    NotFound {
        /// The program.
        program: PathBuf,
    },
    /// The program is there, but may not or cannot be executed.
    #[error("{} cannot be executed: {source}", program.display())]
    NotExecutable {
        /// The program.
        program: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The system refused to start it.
    #[error("the system refused to start {}: {source}", program.display())]
    Refused {
        /// The program.
        program: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The working directory cannot be entered.
    #[error("the working directory {} cannot be entered: {source}", cwd.display())]
    Cwd {
        /// The directory.
        cwd: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The lock file cannot be made or locked.
    #[error("the lock file {} cannot be locked: {source}", lock.display())]
    Lock {
        /// The file.
        lock: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The supervisor could not be started, or ended before it had started the program.
    #[error("the supervisor of the process failed: {source}")]
    Supervisor {
        /// What the system said.
        source: io::Error,
    },
}

impl SpawnError {
    /// A supervisor that ended without a word.
    pub(super) fn vanished() -> Self {
        Self::Supervisor { source: io::Error::new(io::ErrorKind::UnexpectedEof, "it ended without a word") }
    }

    /// What a supervisor's `failed` report means for this launch.
    pub(super) fn reported(stage: Stage, errno: i32, program: PathBuf, cwd: PathBuf, lock: Option<PathBuf>) -> Self {
        let source = if errno == 0 {
            io::Error::new(io::ErrorKind::InvalidInput, "the system was not asked (a NUL byte in an argument?)")
        } else {
            io::Error::from_raw_os_error(errno)
        };
        match stage {
            Stage::Setup => Self::Supervisor { source },
            Stage::Lock => Self::Lock { lock: lock.unwrap_or_default(), source },
            Stage::Cwd => Self::Cwd { cwd, source },
            Stage::Start if source.kind() == io::ErrorKind::NotFound => Self::NotFound { program },
            Stage::Start if not_executable(&source) => Self::NotExecutable { program, source },
            Stage::Start => Self::Refused { program, source },
        }
    }
}

/// Whether the system found the program and would not take it as one: no permission, a directory, or not a format
/// that it knows.
fn not_executable(error: &io::Error) -> bool {
    /// `ERROR_BAD_EXE_FORMAT`. On Unix there is no such case: what is no program is taken for a shell script.
    const BAD_EXE_FORMAT: i32 = 193;
    error.kind() == io::ErrorKind::PermissionDenied || cfg!(windows) && error.raw_os_error() == Some(BAD_EXE_FORMAT)
}

impl From<SpawnError> for Error {
    fn from(error: SpawnError) -> Self {
        let message = error.to_string();
        match error {
            SpawnError::NotFound { .. } => Self::new(ErrorCode::SpawnFailed, message)
                .hint("Install the Claude CLI, or name its executable with --claude-bin or CLAUDE_BIN."),
            SpawnError::NotExecutable { .. } => Self::new(ErrorCode::SpawnFailed, message)
                .hint("Name the Claude CLI's executable with --claude-bin or CLAUDE_BIN, and check its permissions."),
            SpawnError::Refused { .. } => Self::new(ErrorCode::SpawnFailed, message)
                .hint("Check the limits on processes and memory of this machine, then try again."),
            SpawnError::Cwd { .. } => Self::new(ErrorCode::CwdInvalid, message)
                .hint("Give the absolute path of an existing directory that this user may enter.")
                .details(|details| details.field = Some("cwd".to_owned())),
            SpawnError::Lock { .. } => Self::new(ErrorCode::InternalError, message).hint(
                "Check that this user may write to the directory of the lock file; `ccmcp doctor` looks at it too.",
            ),
            SpawnError::Supervisor { .. } => Self::new(ErrorCode::InternalError, message)
                .hint("If ccmcp was just updated, restart it. Otherwise run `ccmcp doctor`."),
        }
    }
}

/// Bytes that did not go to a child's standard input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WriteError {
    /// Standard input is closed: by us, or because the program closed it or ended.
    #[error("standard input is closed")]
    Closed,
    /// The program has stopped reading, and too many earlier writes wait already.
    #[error("the program does not read its standard input")]
    Full,
}

// The numbers are Unix's.
#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn reported(stage: Stage, errno: i32) -> Error {
        SpawnError::reported(stage, errno, "/p".into(), "/c".into(), Some("/l".into())).into()
    }

    #[test]
    fn every_failure_has_its_code_and_a_hint() {
        let cases = [
            (Stage::Start, 2, ErrorCode::SpawnFailed, "/p does not exist"),
            (Stage::Start, 13, ErrorCode::SpawnFailed, "/p cannot be executed"),
            (Stage::Start, 12, ErrorCode::SpawnFailed, "refused to start /p"),
            (Stage::Start, 0, ErrorCode::SpawnFailed, "refused to start /p"),
            (Stage::Cwd, 2, ErrorCode::CwdInvalid, "/c cannot be entered"),
            (Stage::Lock, 13, ErrorCode::InternalError, "/l cannot be locked"),
            (Stage::Setup, 9, ErrorCode::InternalError, "supervisor"),
        ];
        for (stage, errno, code, text) in cases {
            let error = reported(stage, errno);
            assert_eq!(error.code, code, "{error}");
            assert!(error.message.contains(text), "{error}");
            assert!(error.hint.is_some(), "{error}");
        }
    }
}
