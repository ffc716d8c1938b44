//! Everything that a flag or a variable can set, as the core takes it.

use std::{path::PathBuf, time::Duration};

use super::{Environment, Places};

/// What `app.rs` worked out from flags, environment and defaults.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The environment that children inherit (after scrubbing).
    pub environment: Environment,
    /// Directories.
    pub places: Places,
    /// Our own executable, which is also the supervisor.
    pub executable: PathBuf,
    /// The directory that ccmcp was started in, where it can be read.
    pub working_dir: Option<PathBuf>,
    /// `--claude-bin`: the Claude executable to use whatever the environment says.
    pub claude_bin: Option<PathBuf>,
    /// `--accept-model`: exact model ids accepted in addition to the built-in ones.
    pub accept_models: Vec<String>,
    /// `--require-subscription`: refuse to run on an API key.
    pub require_subscription: bool,
    /// Numbers that bound what agents do.
    pub limits: Limits,
    /// Where diagnostics go, for those who are told by this process to start another.
    pub diagnostics: Diagnostics,
}

/// Where diagnostics go, and which.
#[derive(Clone, Debug)]
pub struct Diagnostics {
    /// `--log-file`, absolute; `None`: standard error.
    pub file: Option<PathBuf>,
    /// `--log-level`: from this level up.
    pub level: tracing::Level,
}

impl Default for Diagnostics {
    fn default() -> Self {
        Self { file: None, level: tracing::Level::WARN }
    }
}

/// Numbers that bound what agents do.
#[derive(Clone, Debug)]
pub struct Limits {
    /// `--process-limit`: live processes over all servers of one state directory.
    pub processes: u32,
    /// `--idle-timeout`: how long an agent's process stays up after its turn.
    pub idle: Duration,
    /// `--stall-timeout-ms`: silence after which a turn is reported as stalled.
    pub stall: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { processes: 4, idle: Duration::from_mins(5), stall: Duration::from_mins(5) }
    }
}
