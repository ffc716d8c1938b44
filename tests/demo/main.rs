//! The demo: `cargo run --release --locked --example demo`. No account, no network.
//!
//! Everything here is the real thing but one: the server, the core, the terminal commands. Claude itself is scripted
//! (`tests/fake_claude`), and says so. The demo, the server and the scripted Claude are this one executable under
//! three names, so that nothing has to be installed first.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "this is a program of its own, which starts ccmcp as a user would"
)]

mod agents;
mod client;
#[path = "../fake_claude/main.rs"]
mod scripted_claude;

use std::{
    env, fs, io,
    path::PathBuf,
    process::{Command, ExitCode},
};

use client::Client;
use serde_json::{Value, json};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn main() -> ExitCode {
    let name = env::args_os().next().map(PathBuf::from).unwrap_or_default();
    match name.file_stem().and_then(|stem| stem.to_str()) {
        Some("claude") => scripted_claude::main(),
        Some("ccmcp") => ccmcp::app::main(),
        _ => match show() {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                println!("\nThe demo failed: {error}");
                ExitCode::FAILURE
            }
        },
    }
}

/// A private place to play in: nothing of the machine's own is read or written.
struct Stage {
    folder: tempfile::TempDir,
}

impl Stage {
    fn new() -> Result<Self> {
        let stage = Self { folder: tempfile::Builder::new().prefix("ccmcp-demo-").tempdir()? };
        for part in ["home", "config", "project", "bin"] {
            fs::create_dir(stage.path(part))?;
        }
        fs::write(stage.path("script.json"), agents::script().to_string())?;
        let own = env::current_exe()?;
        for name in ["claude", "ccmcp"] {
            let link = stage.program(name);
            // A copy where the folders are on different disks.
            fs::hard_link(&own, &link).or_else(|_| fs::copy(&own, &link).map(drop))?;
        }
        Ok(stage)
    }

    fn path(&self, part: &str) -> PathBuf {
        self.folder.path().join(part)
    }

    fn program(&self, name: &str) -> PathBuf {
        self.path("bin").join(name).with_extension(env::consts::EXE_EXTENSION)
    }

    /// `ccmcp` with a cleared environment.
    fn ccmcp(&self) -> Command {
        let mut command = Command::new(self.program("ccmcp"));
        command.env_clear().current_dir(self.path("project"));
        for (name, part) in
            [("HOME", "home"), ("USERPROFILE", "home"), ("LOCALAPPDATA", "home"), ("CLAUDE_CONFIG_DIR", "config")]
        {
            command.env(name, self.path(part));
        }
        command.env("CLAUDE_BIN", self.program("claude"));
        command.env("FAKE_CLAUDE_SCRIPT", self.path("script.json"));
        for name in ["SystemRoot", "TERM", "NO_COLOR"] {
            command.envs(env::var_os(name).map(|value| (name, value)));
        }
        command
    }
}

fn show() -> Result<()> {
    let stage = Stage::new()?;
    println!("ccmcp demo. The server, the core and the commands are real; Claude is SCRIPTED here: it echoes.\n");

    heading("An MCP client starts `ccmcp serve` and asks what it offers");
    let mut client = Client::start(stage.ccmcp().arg("serve"))?;
    for tool in client.tools()? {
        println!("  {:<16} {}", tool["name"].as_str().unwrap_or_default(), tool["title"].as_str().unwrap_or_default());
    }

    heading("It starts a session");
    let project = stage.path("project");
    let first = client.call(
        "start_session",
        &json!({ "cwd": project, "initial_prompt": "What is a lighthouse?", "model": "sonnet" }),
    )?;
    print_turn(&first);

    heading("It goes on with that session");
    let second = client.call(
        "send_message",
        &json!({ "session_id": first["session_id"], "cwd": project, "message": "How tall is the tallest one?", "model": "sonnet" }),
    )?;
    print_turn(&second);

    heading("A mistake is one stable code, with a hint");
    let error = client.call(
        "send_message",
        &json!({ "session_id": first["session_id"], "cwd": project, "message": "Hm?", "model": "gpt" }),
    )?;
    println!("  {}\n  {}", error["error"]["code"], error["error"]["hint"]);

    agents::show(&mut client, &stage)?;
    let thread = client.call("get_thread", &json!({ "session_id": first["session_id"] }))?;
    client.finish()?;

    heading("The same session, from a terminal");
    let session = first["session_id"].as_str().unwrap_or("last");
    run(&stage, &["send", session, "--model", "sonnet", "And who lives in it?"])?;

    heading("Somebody goes back to the first answer and asks something else");
    let answer = thread["messages"][1]["uuid"].as_str().unwrap_or_default();
    let back = ["--", "--resume-session-at", answer];
    run(&stage, &[&["send", session, "--model", "sonnet", "Who built the first one?"], &back[..]].concat())?;

    heading("All of it is found again, what was left included");
    run(&stage, &["search", "tallest one", "--role", "user"])?;
    run(&stage, &["tree", session])?;

    println!("\nThat was it. To use it for real: see `Install` in README.md.");
    Ok(())
}

fn heading(text: &str) {
    println!("\n── {text}");
}

fn print_turn(answer: &Value) {
    println!("  session   {}", answer["session_id"].as_str().unwrap_or("none"));
    println!("  response  {}", answer["response"].as_str().unwrap_or("none"));
    println!("  cost      ${} this turn, ${} in all", answer["turn_cost_usd"], answer["total_cost_usd"]);
}

/// Runs a command where the reader can see what was typed.
fn run(stage: &Stage, arguments: &[&str]) -> Result<()> {
    let typed: Vec<String> = arguments
        .iter()
        .map(|argument| if argument.contains(' ') { format!("'{argument}'") } else { (*argument).to_owned() })
        .collect();
    println!("  $ ccmcp {}", typed.join(" "));
    let output = stage.ccmcp().args(arguments).output()?;
    if !output.status.success() {
        return Err(io::Error::other(String::from_utf8_lossy(&output.stderr).into_owned()).into());
    }
    print_indented(&output.stdout);
    print_indented(&output.stderr);
    Ok(())
}

fn print_indented(text: &[u8]) {
    for line in String::from_utf8_lossy(text).lines() {
        println!("  {line}");
    }
}
