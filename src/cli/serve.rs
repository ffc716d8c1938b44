//! The arguments of `serve`, and what it says to somebody who types it.

use std::io::{self, IsTerminal};

use clap::{Args, ValueEnum, builder::PossibleValue};

use super::Terminal;
use crate::core::config::ToolSet;

/// Serve MCP over standard input and output
///
/// An MCP client starts this and talks to it; there is nothing to see in a terminal. Session tools are offered while
/// the Claude CLI can be used. Started by Claude Code itself, only the history tools are offered.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  ccmcp config codex --write                   how a client comes to start it
  ccmcp serve --tools sessions,history --log-file /tmp/ccmcp.log --log-level info")]
pub struct ServeArgs {
    /// Offer these sets of tools [default: all]
    #[arg(long, value_name = "SET", env = "CCMCP_TOOLS", value_delimiter = ',', hide_env_values = true)]
    pub tools: Vec<ToolSet>,

    /// Offer tools that drive Claude although Claude Code started this server
    #[arg(long, env = "CCMCP_ALLOW_INSIDE_CLAUDE_CODE", value_parser = clap::builder::FalseyValueParser::new(), hide_env_values = true)]
    pub allow_inside_claude_code: bool,
}

/// Tells somebody who started a server by hand why nothing happens.
pub fn explain_waiting(terminal: &Terminal) {
    if io::stdin().is_terminal() {
        terminal.say(
            "Waiting for an MCP client on standard input, which is a terminal; Ctrl-C ends. A client starts this \
             command itself: `ccmcp config CLIENT` shows how to add it.",
        );
    }
}

impl ValueEnum for ToolSet {
    fn value_variants<'a>() -> &'a [Self] {
        &Self::ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let help = match self {
            Self::Sessions => "Start and continue sessions",
            Self::Agents => "Durable background agents",
            Self::History => "List, search and read transcripts",
        };
        Some(PossibleValue::new(self.name()).help(help))
    }
}
