//! The MCP face over real pipes, in both protocol eras.

mod arguments;
mod calls;
mod cost;
mod ends;
#[cfg(target_os = "linux")]
mod memory;
mod nesting;
mod offer;

use serde_json::{Value, json};

use crate::support::{Sandbox, mcp::Mcp};

/// A server of the session tools, in the era with a handshake.
fn legacy(sandbox: &Sandbox) -> Mcp {
    Mcp::legacy(sandbox.command("ccmcp").args(["serve", "--tools", "sessions"]))
}

/// A server of the session tools, in the era without one.
fn modern(sandbox: &Sandbox) -> Mcp {
    Mcp::modern(sandbox.command("ccmcp").args(["serve", "--tools", "sessions"]))
}

/// A server of all tools.
fn all(sandbox: &Sandbox) -> Mcp {
    Mcp::legacy(sandbox.command("ccmcp").arg("serve"))
}

/// How a server is opened in each era.
const ERAS: [fn(&Sandbox) -> Mcp; 2] = [legacy, modern];

/// Arguments of `start_session`.
fn start(sandbox: &Sandbox, prompt: &str) -> Value {
    json!({ "cwd": sandbox.workspace(), "initial_prompt": prompt, "model": "opus" })
}

/// Arguments of `send_message`.
fn send(sandbox: &Sandbox, session: &str, text: &str) -> Value {
    json!({ "session_id": session, "cwd": sandbox.workspace(), "message": text, "model": "opus" })
}

/// Starts a session and gives its id.
#[track_caller]
fn session(mcp: &mut Mcp, sandbox: &Sandbox) -> String {
    let result = mcp.tool("start_session", start(sandbox, "hello"));
    result["structuredContent"]["session_id"].as_str().unwrap_or_else(|| panic!("no session: {result}")).to_owned()
}
