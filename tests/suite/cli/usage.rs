//! Help, and what is said about bad usage and bad settings.

use crate::support::{Sandbox, terminal::Run};

const COMMANDS: [&str; 8] = ["serve", "start", "send", "sessions", "search", "tree", "config", "doctor"];

fn run(arguments: &[&str]) -> Run {
    Sandbox::new().ccmcp(arguments)
}

#[test]
fn short_help_fits_on_a_screen_and_long_help_has_everything() {
    for command in COMMANDS {
        let short = run(&[command, "-h"]);
        assert_eq!((short.status, short.stderr.as_str()), (Some(0), ""));
        insta::assert_snapshot!(format!("help_{command}"), short.stdout);
        assert!(short.stdout.lines().count() <= 40, "{}", short.stdout);
        let long = run(&[command, "--help"]);
        assert_eq!(long.status, Some(0));
        for part in ["Examples:", "CCMCP_LOG_LEVEL", "--claude-bin", "--state-dir", "--accept-model"] {
            assert!(long.stdout.contains(part), "{command}: {part}: {}", long.stdout);
        }
        for text in [&short.stdout, &long.stdout] {
            assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
        }
    }
    let short = run(&["-h"]).stdout;
    assert!(COMMANDS.iter().all(|command| short.contains(&format!("  {command}"))), "{short}");
    assert!(short.lines().count() <= 40, "{short}");
    let long = run(&["--help"]).stdout;
    assert!(long.contains("Examples:") && long.contains("Exit codes:"), "{long}");
}

#[test]
fn bad_usage_is_status_2_and_names_what_is_wrong() {
    let rows: [(&[&str], &str); 12] = [
        (&[], "Usage"),
        (&["nonsense"], "nonsense"),
        (&["start", "hi"], "--model"),
        (&["send"], "SESSION"),
        (&["start", "--model", "opus", "--nonsense", "hi"], "--nonsense"),
        (&["start", "--model", "opus", "--timeout-idle-ms", "soon", "hi"], "--timeout-idle-ms"),
        (&["start", "--model", "opus", "--timeout-idle-ms", "0", "hi"], "timeout_idle_ms"),
        (&["start", "--model", "opus", "--timeout-wall-ms", "86400001", "hi"], "timeout_wall_ms"),
        (&["serve", "--tools", "everything"], "--tools"),
        (&["serve", "--process-limit", "0"], "--process-limit"),
        (&["serve", "--log-level", "loud"], "--log-level"),
        (&["doctor", "--yes"], "--live"),
    ];
    for (arguments, name) in rows {
        let run = run(arguments);
        assert_eq!((run.status, run.stdout.as_str()), (Some(2), ""), "{arguments:?}: {run:#?}");
        assert!(run.stderr.contains(name), "{arguments:?}: {run:#?}");
    }
}

#[test]
fn a_bad_value_of_a_variable_names_flag_and_variable() {
    let rows = [
        ("CLAUDE_MCP_PROCESS_LIMIT", "many", "--process-limit"),
        ("CLAUDE_MCP_PROCESS_LIMIT", "65", "--process-limit"),
        ("CCMCP_IDLE_TIMEOUT", "0", "--idle-timeout"),
        ("CLAUDE_MCP_STALL_TIMEOUT_MS", "-1", "--stall-timeout-ms"),
        ("CCMCP_LOG_LEVEL", "loud", "--log-level"),
        ("CCMCP_TOOLS", "sessions,everything", "--tools"),
    ];
    for (variable, value, flag) in rows {
        let mut sandbox = Sandbox::new();
        sandbox.set(variable, value);
        let run = sandbox.ccmcp(&["serve"]);
        assert_eq!((run.status, run.stdout.as_str()), (Some(2), ""), "{variable}: {run:#?}");
        assert!(run.stderr.contains(flag) && run.stderr.contains(variable), "{variable}: {run:#?}");
    }
}

#[test]
fn a_flag_wins_over_its_variable_and_an_empty_variable_is_none() {
    let mut sandbox = Sandbox::new();
    sandbox.set("CLAUDE_MCP_PROCESS_LIMIT", "3");
    sandbox.set("CCMCP_MODEL", "haiku");
    let fake = sandbox.script(&crate::support::fake::Script::new());
    assert_eq!(sandbox.ccmcp(&["start", "hi"]).status, Some(0));
    assert_eq!(sandbox.ccmcp(&["start", "--model", "opus", "hi"]).status, Some(0));
    assert_eq!(fake.launch(0).value_of("--model"), Some("haiku"));
    assert_eq!(fake.launch(1).value_of("--model"), Some("opus"));
    for name in ["CLAUDE_MCP_PROCESS_LIMIT", "CCMCP_TOOLS", "CCMCP_LOG_LEVEL", "CLAUDE_MCP_STATE_DIR", "CLAUDE_BIN"] {
        let mut sandbox = Sandbox::new();
        let program = sandbox.command("fake-claude").get_program().to_owned();
        sandbox.set("CLAUDE_MCP_CLAUDE_EXECUTABLE", program);
        sandbox.set(name, "");
        let run = sandbox.ccmcp(&["start", "--json", "--model", "opus", "hi"]);
        assert_eq!(run.status, Some(0), "{name}: {run:#?}");
        assert_eq!(sandbox.ccmcp(&["serve"]).status, Some(0), "{name}");
    }
}
