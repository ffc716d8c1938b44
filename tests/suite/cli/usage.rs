//! Help, and what is said about bad usage and bad settings.

use ccmcp::cli::Cli;
use clap::CommandFactory;
use unicode_width::UnicodeWidthStr;

use crate::support::{Sandbox, terminal::Run};

/// A terminal's usual size; the prompt takes a line.
const COLUMNS: usize = 80;
const LINES: usize = 23;

fn run(arguments: &[&str]) -> Run {
    Sandbox::new().ccmcp(arguments)
}

/// Every command with its subcommands, as one types them; the first is none at all.
fn commands() -> Vec<Vec<String>> {
    fn below(command: &clap::Command, path: &[String], all: &mut Vec<Vec<String>>) {
        all.push(path.to_vec());
        for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set()) {
            below(sub, &[path, &[sub.get_name().to_owned()]].concat(), all);
        }
    }
    let mut all = Vec::new();
    below(&Cli::command(), &[], &mut all);
    all
}

#[test]
fn short_help_fits_a_screen_and_long_help_has_everything() {
    let commands = commands();
    assert!(commands.len() >= 15 && commands.iter().any(|path| path.join(" ") == "agents prune"), "{commands:?}");
    let mut sandbox = Sandbox::new();
    sandbox.set("COLUMNS", COLUMNS.to_string());
    for path in commands {
        let help = |flag: &str| {
            let path: Vec<&str> = path.iter().map(String::as_str).chain([flag]).collect();
            let run = sandbox.ccmcp(&path);
            assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""), "{path:?}");
            run.stdout
        };
        let short = help("-h");
        insta::assert_snapshot!(format!("help_{}", path.join("_")), short);
        assert!(short.lines().count() <= LINES, "{} lines: {short}", short.lines().count());
        let long = help("--help");
        assert!(long.contains("\nExamples:\n  ") && long.contains(&format!("  ccmcp {}", path.join(" "))), "{long}");
        if path.is_empty() {
            assert!(long.contains("Exit codes:"), "{long}");
        }
        for part in ["CCMCP_LOG_LEVEL", "--claude-bin", "--state-dir", "--accept-model"] {
            assert!(long.contains(part), "{path:?}: {part}: {long}");
        }
        for text in [&short, &long] {
            let wide: Vec<&str> = text.lines().filter(|line| line.width() > COLUMNS).collect();
            assert!(wide.is_empty(), "{wide:#?}");
        }
    }
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
        (&["start", "--model", "opus", "--timeout-idle-ms", "0", "hi"], "--timeout-idle-ms"),
        (&["start", "--model", "opus", "--timeout-wall-ms", "86400001", "hi"], "--timeout-wall-ms"),
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
fn bad_usage_says_what_to_do_next_and_is_json_where_that_was_asked_for() {
    let rows: [(&[&str], &str, &str); 13] = [
        (&["sesions"], "'sesions'", "Did you mean `sessions`? `ccmcp --help` lists the commands."),
        (&["agents", "lsit"], "'lsit'", "Did you mean `list`? `ccmcp agents --help` lists the commands."),
        (&["nonsense"], "'nonsense'", "`ccmcp --help` lists the commands."),
        (&["sessions", "--jsn"], "'--jsn'", "Did you mean `--json`? `ccmcp sessions --help` lists the options"),
        (&["search", "x", "--mode", "wrds"], "[possible values: text, words, regex]", "Did you mean `words`? "),
        (
            &["start", "hi"],
            "--model <MODEL>",
            "CCMCP_MODEL sets `--model` for all calls. Usage: `ccmcp start --model <MODEL>",
        ),
        (&["tree"], "<SESSION>", "Usage: `ccmcp tree <SESSION>`. `ccmcp tree --help`"),
        (&["agents", "read"], "<AGENT>", "Usage: `ccmcp agents read <AGENT>`. `ccmcp agents read --help`"),
        (&["tree", "last", "--thread", "--forks"], "cannot be used with", "Usage: `ccmcp tree --thread"),
        (&["sessions", "-n", "0"], "0 is not in 1..=1000", "`ccmcp sessions --help`"),
        (&["search", "a", "b"], "'b'", "`ccmcp search --help`"),
        (&["doctor", "--yes"], "--live", "`ccmcp doctor --help`"),
        (&["serve", "--idle-timeout", "soon"], "'soon' for '--idle-timeout <SECONDS>'", "`ccmcp serve --help`"),
    ];
    for (arguments, what, next) in rows {
        let plain = run(arguments);
        assert_eq!((plain.status, plain.stdout.as_str()), (Some(2), ""), "{arguments:?}: {plain:#?}");
        let [error, hint] = plain.stderr.lines().collect::<Vec<_>>()[..] else { panic!("two lines: {plain:#?}") };
        assert!(error.starts_with("error: ") && error.ends_with(" [SCHEMA_VALIDATION]"), "{error}");
        assert!(error.contains(what), "{arguments:?}: {error}");
        assert!(hint.starts_with("hint: ") && hint.contains(next), "{arguments:?}: {hint}");
        if arguments[0] != "nonsense" && plain.stderr.contains("subcommand") {
            continue;
        }
        let json = run(&[arguments, &["--json"]].concat());
        assert_eq!((json.status, json.stderr.as_str()), (Some(2), ""), "{json:#?}");
        json.error("SCHEMA_VALIDATION");
    }
    // What is handed on to Claude is no flag of ours.
    let run = run(&["start", "hi", "--", "--json"]);
    assert!(run.stdout.is_empty() && run.stderr.contains("--model"), "{run:#?}");
}

#[test]
fn a_text_that_begins_with_a_hyphen_is_given_another_way() {
    let mut sandbox = Sandbox::new();
    let fake = sandbox.script(&crate::support::fake::Script::new());
    let session = sandbox.session();
    let rows: [(&[&str], &str); 4] = [
        (&["start", "-m", "opus", "- one\n- two"], "| ccmcp start --model MODEL -`"),
        (&["start", "-m", "opus", "--nonsense"], "| ccmcp start --model MODEL -`"),
        (&["send", &session, "-m", "opus", "-1 + 1"], "| ccmcp send SESSION --model MODEL -`"),
        (&["search", "-x"], "`ccmcp search -- '-…'`"),
    ];
    for (arguments, hint) in rows {
        let run = sandbox.ccmcp(arguments);
        assert_eq!((run.status, run.stdout.as_str()), (Some(2), ""), "{run:#?}");
        assert!(run.stderr.contains(hint), "{arguments:?}: {run:#?}");
    }
    assert!(!run(&["sessions", "--nonsense"]).stderr.contains("begins with"));
    // What it says works.
    assert_eq!(sandbox.ccmcp_with(&["start", "-m", "opus", "-"], b"-1 + 1").stdout, "ECHO: -1 + 1\n");
    assert_eq!(sandbox.ccmcp_with(&["send", &session, "-m", "opus", "-"], b"--x").stdout, "ECHO: --x\n");
    assert_eq!(sandbox.ccmcp(&["search", "--", "-1 + 1"]).status, Some(0));
    assert_eq!(fake.launches(), 3);
}

#[test]
fn help_is_a_command_too() {
    for path in [&[][..], &["start"], &["agents"], &["agents", "read"]] {
        let asked = run(&[path, &["--help"]].concat());
        let told = run(&[&["help"], path].concat());
        assert_eq!((told.status, told.stderr.as_str()), (Some(0), ""), "{told:#?}");
        assert_eq!(told.stdout, asked.stdout, "{path:?}");
    }
    assert_eq!(run(&["agents", "help", "wait"]).stdout, run(&["agents", "wait", "--help"]).stdout);
    let wrong = run(&["help", "strat"]);
    assert_eq!(wrong.status, Some(2));
    assert!(wrong.stderr.contains("'strat'") && wrong.stderr.contains("Did you mean `start`?"), "{wrong:#?}");
    // Where a text is due, it is one.
    let found = run(&["search", "help"]);
    assert_eq!((found.status, found.stdout.as_str()), (Some(1), ""), "{found:#?}");
}

#[test]
#[cfg(target_os = "linux")]
fn a_server_that_somebody_types_says_what_it_waits_for() {
    let mut sandbox = Sandbox::new();
    sandbox.script(&crate::support::fake::Script::new());
    // `script` gives a terminal, whose input ends at once.
    let line = format!("'{}' serve", sandbox.command("ccmcp").get_program().display());
    let mut command = sandbox.command("script");
    command.args(["-qec", &line, "/dev/null"]);
    let typed = crate::support::terminal::spawn(command, b"").finish();
    assert_eq!(typed.status, Some(0), "{typed:#?}");
    assert_eq!(typed.stdout.matches("Waiting for an MCP client").count(), 1, "{typed:#?}");
    assert!(typed.stdout.contains("`ccmcp config CLIENT`") && typed.stdout.contains("Ctrl-C"), "{typed:#?}");
    let started = sandbox.ccmcp(&["serve"]);
    assert!(!started.stderr.contains("Waiting"), "{started:#?}");
}

#[test]
fn a_bad_value_of_a_variable_names_flag_and_variable() {
    let rows = [
        ("CLAUDE_MCP_PROCESS_LIMIT", "sk-ant-secret", "--process-limit"),
        ("CLAUDE_MCP_PROCESS_LIMIT", "65", "--process-limit"),
        ("CCMCP_IDLE_TIMEOUT", "0", "--idle-timeout"),
        ("CLAUDE_MCP_STALL_TIMEOUT_MS", "-1", "--stall-timeout-ms"),
        ("CLAUDE_MCP_PROCESS_LIMIT", "64secret", "--process-limit"),
        ("CCMCP_LOG_LEVEL", "loud", "--log-level"),
        ("CCMCP_TOOLS", "sessions,sk-ant-secret", "--tools"),
    ];
    for (variable, value, flag) in rows {
        let mut sandbox = Sandbox::new();
        sandbox.set(variable, value);
        let run = sandbox.ccmcp(&["serve"]);
        assert_eq!((run.status, run.stdout.as_str()), (Some(2), ""), "{variable}: {run:#?}");
        assert!(run.stderr.contains(flag) && run.stderr.contains(variable), "{variable}: {run:#?}");
        assert!(run.stderr.contains("[SETTING_INVALID]") && run.stderr.contains("hint: "), "{run:#?}");
        // Never the value: it may be a secret in the wrong place.
        let last = value.rsplit(',').next().unwrap();
        assert!(last == "0" || !run.stderr.contains(last), "{variable}: {run:#?}");
        // A flag is not the variable's fault, and its value is on the screen already.
        let run = sandbox.ccmcp(&["serve", flag, "bad"]);
        assert!(run.stderr.contains("'bad'") && run.stderr.contains("[SCHEMA_VALIDATION]"), "{run:#?}");
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
