//! Searches that take long: progress, interruption, cancellation.

use std::fs;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use super::{Written, ask, known, serve};
use crate::support::{Sandbox, screen::Screen};

const COPIES: usize = 1000;

/// More than can be searched in the time that a test takes: one transcript under many names.
fn endless() -> Sandbox {
    let sandbox = known();
    let mut long = Written::new(&sandbox, "-endless", "bbbbbbbb-0000-4000-8000-000000000000");
    for number in 0..16_000 {
        long.prompt(&format!("{number} {}", "hay ".repeat(200)));
    }
    long.write();
    for number in 1..COPIES {
        let name = |number: usize| long.folder.join(format!("bbbbbbbb-0000-4000-8000-{number:012}.jsonl"));
        fs::hard_link(name(0), name(number)).unwrap();
    }
    sandbox
}

fn interrupt(pid: u32) {
    kill_process(Pid::from_raw(i32::try_from(pid).unwrap()).unwrap(), Signal::INT).unwrap();
}

#[test]
fn a_long_search_shows_how_far_it_is_and_can_be_interrupted() {
    let sandbox = endless();
    let mut command = sandbox.command("ccmcp");
    command.args(["search", "needle"]);
    let mut screen = Screen::start(command, 80);
    screen.wait_for(" GiB");
    interrupt(screen.pid());
    let (text, status) = screen.finish();
    assert_eq!(status, Some(130), "{text:?}");
    assert!(text.contains("Interrupted."), "{text:?}");
}

#[test]
fn a_long_search_without_a_terminal_shows_no_bar() {
    let sandbox = endless();
    let running = sandbox.begin(&["search", "needle"]);
    // It reads them only after its start: by then signals are handled.
    crate::support::wait_for(crate::support::LIMIT, "it searches", || is_searching(running.pid()));
    interrupt(running.pid());
    let run = running.finish();
    assert_eq!((run.status, run.stdout.as_str()), (Some(130), ""), "{run:#?}");
    assert!(!run.stderr.contains('━'), "{run:#?}");
}

/// Whether the process has one of the files open.
fn is_searching(pid: u32) -> bool {
    let Ok(entries) = fs::read_dir(format!("/proc/{pid}/fd")) else { return !cfg!(target_os = "linux") };
    entries
        .flatten()
        .any(|entry| fs::read_link(entry.path()).is_ok_and(|path| path.to_string_lossy().contains("-endless")))
}

#[test]
fn a_cancelled_search_ends_and_is_never_answered() {
    let sandbox = endless();
    let mut mcp = serve(&sandbox);
    let call = mcp.begin_tool("search", json!({ "query": "needle" }));
    mcp.wait_progress(&call, 1);
    let progress = mcp.progress(&call);
    assert!(
        progress[0]["message"].as_str().is_some_and(|message| message.contains(&format!("of {} files", COPIES + 11))),
        "{progress:?}"
    );
    mcp.cancel(&call);
    // The threads that searched are free again: this one needs them.
    let found = ask(&mut mcp, "search", json!({ "query": "bicycle", "project": "/home/dev/project" }));
    assert!(found["total"].as_u64() > Some(0), "{found}");
    assert!(!mcp.has_answer(&call));
    crate::support::wait_for(crate::support::LIMIT, "it stops reading", || !is_searching(mcp.process().pid));
    assert!(mcp.end().success());
}

#[test]
fn the_end_of_input_does_not_end_a_call() {
    let sandbox = known();
    let mut mcp = serve(&sandbox);
    let call = mcp.begin("tools/call", json!({ "name": "search", "arguments": { "query": "bicycle" } }));
    mcp.close();
    assert!(mcp.result(&call)["structuredContent"]["total"].as_u64() > Some(0));
    assert!(mcp.exited().success());
}
