//! The snippets, run as they stand by a person who has some sessions and an agent.
//!
//! What builds the project is run by `.ci/run`, and has to stand there to the letter.

use std::{
    fs,
    io::{BufRead, BufReader},
    os::unix::fs::symlink,
    path::Path,
    process::Stdio,
};

use serde_json::{Value, json};

use super::readme;
use crate::support::{
    LIMIT, Sandbox,
    mcp::Mcp,
    processes::{self, Process},
    terminal::spawn,
    wait_until,
};

/// A fenced block: what it is written in, and its text.
struct Snippet {
    language: String,
    text: String,
}

fn snippets(language: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut open: Option<(usize, Snippet)> = None;
    for line in readme().lines() {
        match (&mut open, line.trim_start().strip_prefix("```")) {
            (None, Some(language)) => {
                let indent = line.len() - line.trim_start().len();
                open = Some((indent, Snippet { language: language.to_owned(), text: String::new() }));
            }
            (None, None) => {}
            (Some(_), Some(_)) => found.extend(open.take().map(|(_, snippet)| snippet)),
            (Some((indent, snippet)), None) => {
                snippet.text.push_str(line.get(*indent..).unwrap_or_default());
                snippet.text.push('\n');
            }
        }
    }
    assert!(open.is_none(), "a block that does not end");
    let known = ["sh", "zsh", "fish", "json", "text"];
    assert!(found.iter().all(|snippet| known.contains(&snippet.language.as_str())), "a language that nobody runs");
    found.into_iter().filter(|snippet| snippet.language == language).map(|snippet| snippet.text).collect()
}

/// The home of a person who uses ccmcp: `ccmcp` and `claude` in the search path, a clone as the working directory.
fn home() -> Sandbox {
    let mut sandbox = Sandbox::new();
    let claude = sandbox.command("fake-claude").get_program().to_owned();
    sandbox.unset("CLAUDE_BIN");
    symlink(claude, sandbox.root().join("bin/claude")).unwrap();
    symlink(env!("CARGO_BIN_EXE_ccmcp"), sandbox.root().join("bin/ccmcp")).unwrap();
    for part in ["completions", "man"] {
        symlink(Path::new(env!("CARGO_MANIFEST_DIR")).join(part), sandbox.workspace().join(part)).unwrap();
    }
    shell(&sandbox, "git init --quiet && echo new > notes && git add --intent-to-add notes");
    sandbox
}

#[track_caller]
fn shell(sandbox: &Sandbox, line: &str) {
    let mut command = sandbox.command("bash");
    command.args(["-c", &format!("set -eo pipefail\n{line}")]);
    let run = spawn(command, b"").finish();
    assert_eq!(run.status, Some(0), "{line}: {run:#?}");
}

/// A session about connection pools whose id begins with 7f3a.
fn remember(sandbox: &Sandbox) {
    let session = sandbox.start("How large is the connection pool?").answer()["session_id"].take();
    let session = session.as_str().unwrap();
    let projects = fs::read_dir(sandbox.config_dir().join("projects")).unwrap();
    let folder = projects.map(|folder| folder.unwrap().path()).next().unwrap();
    let (old, known) = (folder.join(format!("{session}.jsonl")), "7f3a0000-0000-4000-8000-000000000001");
    let text = fs::read_to_string(&old).unwrap().replace(session, known);
    fs::write(folder.join(format!("{known}.jsonl")), text).unwrap();
    fs::remove_file(old).unwrap();
}

/// Runs something that goes on until it is interrupted: it shows what there is, and Ctrl-C ends it.
fn watch(sandbox: &Sandbox, line: &str) {
    let mut words = line.split_whitespace();
    let mut command = sandbox.command(words.next().unwrap());
    let mut child = command.args(words).stdout(Stdio::piped()).spawn().unwrap();
    let process = Process { pid: child.id(), start: processes::start_of(child.id()).unwrap() };
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().contains("scout")), "{line}");
    processes::signal(&process, "INT");
    let status = wait_until(LIMIT, "it ends", || child.try_wait().unwrap());
    assert!([Some(0), Some(130)].contains(&status.code()), "{line}: {status}");
}

#[test]
fn every_command_runs_as_it_stands() {
    let sandbox = home();
    remember(&sandbox);
    let mut server = Mcp::legacy(sandbox.command("ccmcp").arg("serve"));
    server.tool("spawn_agent", json!({ "task": "Look around", "name": "scout" }));
    let ci = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(".ci/run")).unwrap();
    let (mut here, mut there) = (0, 0);
    for line in snippets("sh").iter().flat_map(|text| text.lines()) {
        let command = line.split("  #").next().unwrap_or_default().trim();
        if command.is_empty() || command.starts_with('#') {
            continue;
        }
        if ci.lines().any(|line| line == command) {
            there += 1;
            continue;
        }
        assert!(!command.starts_with("cargo "), "`{command}` has to be a line of .ci/run");
        here += 1;
        if command.ends_with("--watch") { watch(&sandbox, command) } else { shell(&sandbox, line) }
    }
    assert!(here > 15 && there >= 3, "{here} run here, {there} by .ci/run");
    server.end();
}

#[test]
fn every_shell_loads_its_completions() {
    for name in ["zsh", "fish"] {
        let sandbox = home();
        let shell = which::which_in(name, Some("/usr/bin:/bin"), "/");
        let Ok(shell) = shell else { continue };
        for text in snippets(name) {
            let mut command = sandbox.command(shell.to_str().unwrap());
            let ready = if name == "zsh" { "autoload -U compinit; compinit -u -D\n" } else { "" };
            command.args(["-c", &format!("{ready}{text}")]);
            let run = spawn(command, b"").finish();
            assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""), "{name}: {run:#?}");
        }
    }
}

#[test]
fn every_json_entry_starts_a_server() {
    let entries = snippets("json");
    assert!(!entries.is_empty());
    for text in entries {
        let sandbox = home();
        let config: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
        for entry in config.as_object().unwrap().values().flat_map(|servers| servers.as_object().unwrap().values()) {
            let mut command = sandbox.command(entry["command"].as_str().unwrap());
            let arguments: Vec<_> =
                entry["args"].as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect();
            let mut mcp = Mcp::legacy(command.args(&arguments));
            let tools = mcp.tool_names();
            let has = |name: &str| tools.iter().any(|tool| tool == name);
            assert!(has("search"), "{text}");
            assert_eq!(has("start_session"), !arguments.contains(&"history"), "{text}");
        }
    }
}
