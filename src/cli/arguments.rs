//! The command line: [`Cli`], and what all commands share.

use std::{path::PathBuf, time::Duration};

use clap::{Args, Parser, Subcommand, ValueHint};

use super::{AgentsArgs, ConfigArgs, DoctorArgs, SearchArgs, SendArgs, ServeArgs, SessionsArgs, StartArgs, TreeArgs};
use crate::core::config::Limits;

/// Drive the Claude Code CLI over MCP and from a terminal
///
/// `ccmcp serve` is an MCP server over standard input and output; the other commands are the same powers in a terminal.
#[derive(Debug, Parser)]
#[command(name = "ccmcp", version, max_term_width = 100, disable_help_subcommand = true)]
#[command(after_long_help = "\
Examples:
  ccmcp serve                                  what an MCP client starts
  ccmcp start --model sonnet 'Explain this project'
  ccmcp send last --model sonnet 'And the tests?'
  ccmcp search 'connection pool'               what was said about it, in any session
  ccmcp sessions                               what there is
  ccmcp tree last                              one session, with its abandoned branches
  ccmcp agents list --watch                    what background agents do
  ccmcp config codex --write                   add it to an MCP client
  ccmcp doctor                                 when something is wrong

Exit codes:
  0 ok · 1 the turn failed, a check failed, or nothing was found · 2 bad usage or a bad setting · 3 no such session or agent
  4 Claude missing, too old, not logged in, or refused inside Claude · 5 timed out · 70 internal · 130 interrupted")]
pub struct Cli {
    /// What to do
    #[command(subcommand)]
    pub command: Command,
    /// Settings that all commands share
    #[command(flatten)]
    pub global: GlobalArgs,
}

/// The commands; the help of each is the doc comment of its arguments.
#[derive(Debug, Subcommand)]
#[expect(missing_docs, reason = "a doc comment here would take the place of the whole help")]
pub enum Command {
    Serve(ServeArgs),
    Start(StartArgs),
    Send(SendArgs),
    Sessions(SessionsArgs),
    Search(SearchArgs),
    Tree(TreeArgs),
    Agents(AgentsArgs),
    Config(ConfigArgs),
    Doctor(DoctorArgs),
}

impl Command {
    /// Whether the command's output, errors included, is JSON.
    pub fn wants_json(&self) -> bool {
        match self {
            Self::Serve(_) => false,
            Self::Start(args) => args.turn.json,
            Self::Send(args) => args.turn.json,
            Self::Sessions(args) => args.json,
            Self::Search(args) => args.json,
            Self::Tree(args) => args.json,
            Self::Agents(args) => args.wants_json(),
            Self::Config(args) => args.json,
            Self::Doctor(args) => args.json,
        }
    }
}

/// Settings that all commands share: the flag wins over the environment variable, and that over the default.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Settings")]
pub struct GlobalArgs {
    /// Run this Claude executable [default: found in PATH, or ~/.local/bin/claude]
    // CLAUDE_BIN is read by the core, which has a second name for it.
    #[arg(long, global = true, value_name = "PATH", value_hint = ValueHint::ExecutablePath, hide_short_help = true)]
    pub claude_bin: Option<PathBuf>,

    /// Keep the agents' database here [default: ~/.local/state/ccmcp, or the system's own place]
    #[arg(
        long,
        global = true,
        value_name = "DIR",
        env = "CLAUDE_MCP_STATE_DIR",
        value_hint = ValueHint::DirPath,
        hide_env_values = true,
        hide_short_help = true
    )]
    pub state_dir: Option<PathBuf>,

    /// Accept this model id too (repeatable)
    #[arg(
        long,
        global = true,
        value_name = "ID",
        env = "CCMCP_ACCEPT_MODELS",
        hide_env_values = true,
        value_delimiter = ',',
        hide_short_help = true
    )]
    pub accept_model: Vec<String>,

    /// Refuse to run on an API key, which is billed by the token
    #[arg(long, global = true, env = "CCMCP_REQUIRE_SUBSCRIPTION", value_parser = clap::builder::FalseyValueParser::new(), hide_env_values = true, hide_short_help = true)]
    pub require_subscription: bool,

    /// Run at most this many agent processes, over all servers of one state directory
    #[arg(long, global = true, value_name = "N", env = "CLAUDE_MCP_PROCESS_LIMIT", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=64), hide_env_values = true, hide_short_help = true)]
    pub process_limit: u32,

    /// End an agent's process after this many seconds without a turn
    #[arg(long, global = true, value_name = "SECONDS", env = "CCMCP_IDLE_TIMEOUT", default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..=86_400), hide_env_values = true, hide_short_help = true)]
    pub idle_timeout: u64,

    /// Report an agent's turn as stalled after this many milliseconds of silence
    #[arg(long, global = true, value_name = "MS", env = "CLAUDE_MCP_STALL_TIMEOUT_MS", default_value_t = 300_000, value_parser = clap::value_parser!(u64).range(1..=86_400_000), hide_env_values = true, hide_short_help = true)]
    pub stall_timeout_ms: u64,

    /// Write diagnostics to this file instead of standard error
    #[arg(
        long,
        global = true,
        value_name = "PATH",
        env = "CCMCP_LOG_FILE",
        hide_env_values = true,
        hide_short_help = true
    )]
    pub log_file: Option<PathBuf>,

    /// Write diagnostics from this level up: error, warn, info, debug or trace
    #[arg(
        long,
        global = true,
        value_name = "LEVEL",
        env = "CCMCP_LOG_LEVEL",
        default_value = "warn",
        hide_env_values = true,
        hide_short_help = true
    )]
    pub log_level: tracing::Level,
}

impl GlobalArgs {
    /// The numbers that bound what agents do.
    pub fn limits(&self) -> Limits {
        Limits {
            processes: self.process_limit,
            idle: Duration::from_secs(self.idle_timeout),
            stall: Duration::from_millis(self.stall_timeout_ms),
        }
    }
}
