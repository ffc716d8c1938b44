//! ccmcp: one binary around the Claude Code CLI, with three jobs that share one core.
//!
//! * **sessions** start and continue Claude Code sessions, one `claude -p` process per call;
//! * **agents** run Claude Code processes as durable background agents on SQLite;
//! * **history** reads the transcripts on disk as the trees they are.
//!
//! Two faces show them: `ccmcp serve` (MCP over stdio, [`mcp`]) and the terminal commands ([`cli`]). A face
//! holds no logic: it parses, calls the core, and renders.
//!
//! # Floors
//!
//! Imports go down only: never up, never sideways between the parts of a floor.
//!
//! ```text
//! 7  main.rs → app.rs                 environment → configuration → core; signals; which face; exit code
//! 6  mcp/            cli/             faces; neither imports the other
//! 5  core/handle.rs                   `Core`: the one handle that both faces get
//! 4  core/doctor                      asks all the others how they are
//! 3  core/sessions  core/agents  core/history  core/clients
//!                                     what ccmcp does (clients: the config entries of MCP clients)
//! 2  core/claude                      what the Claude CLI is: finding it, argv, frames, outcome, recursion guard
//! 1  core/process  core/store  core/transcript  core/config
//!                                     what the machine offers; none of these knows MCP or clap
//! 0  core/error  core/ids  core/clock  core/nearest
//!                                     words; they import nothing of ours
//! ```
//!
//! `tests/layering.rs` knows this table and fails with the offending edge.

pub mod app;
pub mod cli;
pub mod core;
pub mod mcp;
