//! What `agents list`, `agents read` and `doctor` draw on terminals of several widths.

#![cfg(target_os = "linux")]

use std::os::unix::fs::symlink;

use regex::Regex;
use serde_json::json;
use unicode_width::UnicodeWidthStr;

use super::ground::{ok, server, settled, wait};
use crate::support::{
    Sandbox,
    fake::{ApiError, Script, Turn},
    screen::Screen,
};

const WIDTHS: [u16; 3] = [60, 80, 200];

/// The screen after a command has ended, with whatever differs each time replaced by something as long.
#[track_caller]
fn drawn(sandbox: &Sandbox, columns: u16, arguments: &[&str]) -> String {
    let mut command = sandbox.command("ccmcp");
    command.args(arguments);
    let mut screen = Screen::start(command, columns);
    assert_eq!(screen.end(), Some(0), "{}", screen.drawn());
    let text = screen.drawn();
    // What Claude said is not wrapped: it may be code, and is copied from here.
    let ours = text.lines().filter(|line| !line.starts_with("API Error"));
    for line in ours {
        assert!(line.width() <= usize::from(columns), "{} > {columns}: {line:?}", line.width());
    }
    let folder = sandbox.root().file_name().unwrap().to_str().unwrap();
    let text = text.replace(folder, "ccmcp-XXXXXX");
    [
        ("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "11111111-2222-4333-8444-555555555555"),
        ("(?m)^[0-9a-f]{8}  ", "11111111  "),
        (r"\d{4}-\d\d-\d\d", "2026-11-30"),
        (r"\d\d:\d\d:\d\d", "12:00:00"),
        (r"STARTED +TOOK", "STARTED    TOOK"),
        (r"12:00:00 +[\d.]+ m?s", "12:00:00  99 ms"),
        (r"\b\d+s ago", "1s ago"),
        (r" \d\ds\b", "  1s"),
        (r"\b\ds\b", "1s"),
        // On the whole machine there may be some of another test.
        (r"(?m)^.*orphaned processes.*\n", ""),
    ]
    .into_iter()
    .fold(text, |text, (pattern, stand_in)| Regex::new(pattern).unwrap().replace_all(&text, stand_in).into_owned())
}

#[test]
fn agents_fit_at_every_width() {
    let mut sandbox = Sandbox::new();
    sandbox.script(&Script::new().on("limit", Turn::api_error(ApiError::overloaded())));
    let mut mcp = server(&sandbox);
    let mut named = |name: &str, task: &str, more: serde_json::Value| {
        let mut input = json!({ "task": task, "name": name });
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let agent = ok(&mut mcp, "spawn_agent", input);
        wait(&mut mcp, &agent, &agent, "idle");
    };
    named("scout", "What is 灯台?", json!({}));
    named("灯台守 and a rather long name 🚢", "limit", json!({ "model": "claude-haiku-4-5-20251001" }));
    named("smith", "three", json!({ "permission_profile": "workspace_write", "effort": "high" }));
    settled(&mut mcp, "without a name");
    assert_eq!(sandbox.ccmcp(&["agents", "close", "smith"]).status, Some(0));
    for columns in WIDTHS {
        insta::assert_snapshot!(format!("list_{columns}"), drawn(&sandbox, columns, &["agents", "list"]));
        insta::assert_snapshot!(format!("read_{columns}"), drawn(&sandbox, columns, &["agents", "read", "scout"]));
        let failed = drawn(&sandbox, columns, &["agents", "read", "灯台守 and a rather long name 🚢"]);
        insta::assert_snapshot!(format!("read_failed_{columns}"), failed);
    }
}

#[test]
fn the_doctor_fits_at_every_width() {
    let mut sandbox = Sandbox::new();
    symlink(sandbox.command("fake-claude").get_program(), sandbox.root().join("bin").join("claude")).unwrap();
    sandbox.unset("CLAUDE_BIN");
    sandbox.set("ANTHROPIC_API_KEY", "sk-ant-something");
    for columns in WIDTHS {
        insta::assert_snapshot!(format!("doctor_{columns}"), drawn(&sandbox, columns, &["doctor"]));
    }
}
