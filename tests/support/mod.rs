//! What the tests share: a sealed box to run in, a scripted Claude, and ways to wait.
//!
//! | file | what it holds |
//! |---|---|
//! | `sandbox.rs` | [`Sandbox`]: private folders, a cleared environment, commands that have only these |
//! | `api/` | [`api::Api`]: a Messages API on loopback |
//! | `real.rs` | [`real::RealClaude`]: the real CLI against that API |
//! | `responses.rs` | a Responses API on loopback |
//! | `codex.rs` | the real Codex CLI against that API |
//! | `loopback.rs` | the HTTP server under both APIs |
//! | `fake.rs` | scripts for the scripted Claude, and what its launches were given |
//! | `terminal.rs` | `ccmcp` run as a terminal command |
//! | `screen.rs` | a real terminal: what is drawn on it, and keys pressed |
//! | `mcp.rs` | [`mcp::Mcp`]: a raw MCP client over real pipes |
//! | `schemas.rs` | [`schemas::Schemas`]: what the tools' structured content has to be like |
//! | `wait.rs` | [`wait_for`], [`finish`]: events instead of fixed times, with a limit |
//! | `processes.rs` | which processes are alive, told by pid and start time |

pub(crate) mod api;
#[cfg(unix)]
pub(crate) mod codex;
pub(crate) mod fake;
mod loopback;
pub(crate) mod mcp;
pub(crate) mod processes;
pub(crate) mod real;
#[cfg(unix)]
pub(crate) mod responses;
mod sandbox;
pub(crate) mod schemas;
#[cfg(unix)]
pub(crate) mod screen;
pub(crate) mod terminal;
mod wait;

pub(crate) use sandbox::{Flag, Gate, Sandbox, fixture};
pub(crate) use wait::{LIMIT, finish, wait_for, wait_until};
