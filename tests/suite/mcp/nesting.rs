//! The recursion guard: what a ccmcp offers that some Claude started.

use serde_json::Value;

use crate::support::{Sandbox, fake::Script, mcp::Mcp, terminal::Run};

/// A server in this environment; `None` when it ended, with its end.
fn serve(variables: &[(&str, &str)], arguments: &[&str]) -> Result<(Value, Vec<String>, String), Run> {
    let mut sandbox = Sandbox::new();
    let fake = sandbox.script(&Script::new());
    for (name, value) in variables {
        sandbox.set(name, *value);
    }
    let all = [&["serve"], arguments].concat();
    // With the end of input a server ends at once, and a refused one has ended before.
    let run = sandbox.ccmcp(&all);
    if run.status != Some(0) {
        assert_eq!(fake.launches(), 0);
        return Err(run);
    }
    let mut mcp = Mcp::start(sandbox.command("ccmcp").args(&all));
    let greeting = mcp.initialize("2025-11-25");
    let names = mcp.tool_names();
    Ok((greeting["instructions"].clone(), names, mcp.stderr()))
}

fn drives(names: &[String]) -> bool {
    names.iter().any(|name| ["start_session", "send_message", "spawn_agent"].contains(&name.as_str()))
}

#[track_caller]
fn offers_history_only(variables: &[(&str, &str)], arguments: &[&str], why: &str) {
    let (instructions, names, stderr) = serve(variables, arguments).expect("it serves");
    assert!(!drives(&names), "{variables:?} {arguments:?}: {names:?}");
    assert!(instructions.as_str().is_some_and(|text| text.contains(why)), "{instructions}");
    assert!(stderr.contains(why), "{stderr}");
}

#[track_caller]
fn offers_all(variables: &[(&str, &str)], arguments: &[&str]) {
    let (_, names, _) = serve(variables, arguments).expect("it serves");
    assert!(drives(&names), "{variables:?} {arguments:?}: {names:?}");
}

#[track_caller]
fn is_refused(variables: &[(&str, &str)], arguments: &[&str], why: &str) {
    let run = serve(variables, arguments).expect_err("it ends");
    assert_eq!(run.status, Some(4), "{variables:?} {arguments:?}: {run:#?}");
    assert!(run.stderr.contains(why) && run.stderr.contains("RECURSION_REFUSED"), "{run:#?}");
    assert_eq!(run.stdout, "");
}

/// What is said in a Claude that ccmcp drives.
const DRIVEN: &str = "one level of driving is the limit";
/// What is said in a Claude that somebody else started.
const INSIDE: &str = "--allow-inside-claude-code";

#[test]
fn a_driven_claude_gets_the_history_tools_and_nothing_lifts_that() {
    for depth in ["1", "2", "x", "-1", " "] {
        offers_history_only(&[("CLAUDE_CODE_WRAPPER_DEPTH", depth)], &[], DRIVEN);
    }
    let driven = [("CLAUDE_CODE_WRAPPER_DEPTH", "1")];
    offers_history_only(&driven, &["--allow-inside-claude-code"], DRIVEN);
    for sets in ["sessions", "agents", "sessions,history", "sessions,agents,history"] {
        is_refused(&driven, &["--tools", sets], DRIVEN);
        is_refused(&driven, &["--tools", sets, "--allow-inside-claude-code"], DRIVEN);
    }
    let (_, names, stderr) = serve(&driven, &["--tools", "history"]).expect("it serves");
    assert!(!drives(&names) && !stderr.contains(DRIVEN), "asked for and given: {stderr}");
}

#[test]
fn inside_claude_code_driving_has_to_be_asked_for() {
    let inside = [("CLAUDECODE", "1")];
    offers_history_only(&inside, &[], INSIDE);
    offers_history_only(&inside, &["--tools", "sessions,history"], INSIDE);
    is_refused(&inside, &["--tools", "sessions"], INSIDE);
    offers_all(&inside, &["--allow-inside-claude-code"]);
    offers_all(&inside, &["--tools", "sessions", "--allow-inside-claude-code"]);
    offers_all(&[inside[0], ("CCMCP_ALLOW_INSIDE_CLAUDE_CODE", "1")], &[]);
    offers_history_only(&[inside[0], ("CCMCP_ALLOW_INSIDE_CLAUDE_CODE", "0")], &[], INSIDE);
    offers_history_only(&[inside[0], ("CLAUDE_CODE_WRAPPER_DEPTH", "1")], &["--allow-inside-claude-code"], DRIVEN);
}

#[test]
fn outside_everything_is_offered() {
    offers_all(&[], &[]);
    offers_all(&[("CLAUDE_CODE_WRAPPER_DEPTH", "0")], &[]);
    offers_all(&[("CLAUDE_CODE_WRAPPER_DEPTH", "")], &[]);
    offers_all(&[("CLAUDECODE", "")], &[]);
    offers_all(&[], &["--tools", "sessions"]);
}

#[test]
fn the_terminal_drives_inside_claude_code_and_not_in_a_driven_claude() {
    let mut sandbox = Sandbox::new();
    let fake = sandbox.script(&Script::new());
    sandbox.set("CLAUDECODE", "1");
    let session = sandbox.session();
    for depth in ["1", "7", "x"] {
        sandbox.set("CLAUDE_CODE_WRAPPER_DEPTH", depth);
        for run in [sandbox.start("hi"), sandbox.send(&session, "hi")] {
            run.error("RECURSION_REFUSED");
            assert_eq!(run.status, Some(4));
        }
    }
    assert_eq!(fake.launches(), 1);
}
