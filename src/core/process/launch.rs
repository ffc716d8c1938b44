//! What to start, and how.

use std::{ffi::OsString, fmt, path::PathBuf, time::Duration};

/// A program to start under a supervisor.
#[derive(Clone)]
pub struct Launch {
    /// The executable, best as an absolute path; a bare name is looked up in the `PATH` of `env`.
    pub program: PathBuf,
    /// Its arguments, without the name of the program itself.
    pub args: Vec<OsString>,
    /// The directory it starts in. Entered after the lock was taken, so that it may go while we wait.
    pub cwd: PathBuf,
    /// The *complete* environment: nothing of ours is inherited. `CCMCP_CHILD` is added (or extended).
    pub env: Vec<(OsString, OsString)>,
    /// Where its standard input comes from.
    pub stdin: Stdin,
    /// A file to hold locked from before the program starts until its whole tree is dead. Made, with its directory,
    /// when it is missing (0600, 0700).
    pub lock: Option<PathBuf>,
    /// When to speak up about a program that takes too long.
    pub limits: Limits,
}

impl fmt::Debug for Launch {
    /// Leaves out arguments and environment: they may hold prompts and tokens.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Launch")
            .field("program", &self.program)
            .field("cwd", &self.cwd)
            .field("stdin", &self.stdin)
            .field("lock", &self.lock)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

/// Where a program's standard input comes from.
#[derive(Clone)]
pub enum Stdin {
    /// Nowhere.
    Null,
    /// These bytes, then the end.
    Bytes(Vec<u8>),
    /// [`Child::write`](super::Child::write), until [`Child::close_stdin`](super::Child::close_stdin).
    Open,
}

impl fmt::Debug for Stdin {
    /// Leaves out the bytes: they are a prompt.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("Null"),
            Self::Bytes(bytes) => write!(f, "Bytes({})", bytes.len()),
            Self::Open => f.write_str("Open"),
        }
    }
}

/// Limits, armed when the program starts, not while it waits for its lock. They end nothing: the caller hears of them
/// once each and decides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// The longest silence on standard output and standard error together; any byte of either starts it anew.
    pub idle: Option<Duration>,
    /// The longest life.
    pub wall: Option<Duration>,
}
