//! What can go wrong with the database.

use std::{io, path::PathBuf};

use crate::core::error::{Error, ErrorCode};

/// A failure of the store.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The state directory or a file in it cannot be made or read.
    #[error("{}: {source}", path.display())]
    Io {
        /// What was touched.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
    /// SQLite refused.
    #[error("the database: {0}")]
    Sqlite(#[from] rusqlite::Error),
    /// `state.sqlite` belongs to another program.
    #[error("{} is a database of another program", .0.display())]
    Foreign(PathBuf),
    /// `state.sqlite` was written by a newer ccmcp.
    #[error("{} has schema version {found}, and this ccmcp knows {known}", path.display())]
    TooNew {
        /// The database.
        path: PathBuf,
        /// Its version.
        found: i64,
        /// The newest version that we know.
        known: i64,
    },
    /// The writer is gone: the store was closed.
    #[error("the database is closed")]
    Closed,
    /// A transaction panicked and was rolled back.
    #[error("a database transaction failed unexpectedly")]
    Panicked,
}

impl StoreError {
    /// Whether the system denied access.
    pub fn is_permission(&self) -> bool {
        match self {
            Self::Io { source, .. } => source.kind() == io::ErrorKind::PermissionDenied,
            Self::Sqlite(error) => matches!(
                error.sqlite_error_code(),
                Some(
                    rusqlite::ErrorCode::ReadOnly
                        | rusqlite::ErrorCode::CannotOpen
                        | rusqlite::ErrorCode::PermissionDenied
                )
            ),
            _ => false,
        }
    }
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        let (code, message) = if error.is_permission() {
            (ErrorCode::PermissionDenied, "The system does not permit this.")
        } else {
            (ErrorCode::AgentsInternal, "The agents' state cannot be used.")
        };
        let todo = match &error {
            StoreError::Foreign(_) => "It was left as it is. Use another directory: `--state-dir DIR`.",
            StoreError::TooNew { .. } => {
                "It was left as it is. Update ccmcp, or use another directory: `--state-dir DIR`."
            }
            StoreError::Io { .. } => "Make the state directory yours and writable, or use another: `--state-dir DIR`.",
            StoreError::Sqlite(_) | StoreError::Closed | StoreError::Panicked => "Run `ccmcp doctor`.",
        };
        Self::new(code, message).hint(format!("{error}. {todo}"))
    }
}
