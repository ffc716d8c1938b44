//! `doctor` finds each fault that it claims to find.

use std::{fs, path::Path};

use serde_json::{Value, json};

use crate::support::{
    Sandbox,
    fake::{ApiError, Launch, Probe, Script, Turn},
    terminal::Run,
};

/// Every check of a healthy machine, in its order.
const CHECKS: [&str; 13] = [
    "claude executable",
    "claude version",
    "claude login",
    "billing",
    "nesting",
    "Claude Code's MCP entries",
    "MCP clients",
    "claude configuration",
    "claude projects",
    "state directory",
    "lock directory",
    "orphaned processes",
    "self-test",
];

/// The check that sees the whole machine.
const ORPHANS: &str = "orphaned processes";

fn examine(sandbox: &Sandbox, more: &[&str]) -> Run {
    sandbox.ccmcp(&[&["doctor", "--json"], more].concat())
}

/// One check of a report.
#[track_caller]
fn check(run: &Run, name: &str) -> Value {
    let report = run.json();
    let checks = report["checks"].as_array().expect("checks");
    let found = checks.iter().find(|check| check["name"] == name).unwrap_or_else(|| panic!("no {name}: {run:#?}"));
    let failed = checks.iter().any(|check| check["status"] == "fail");
    assert_eq!((report["ok"].as_bool(), run.status), (Some(!failed), Some(i32::from(failed))), "{run:#?}");
    assert!(found["status"] == "ok" || found["hint"].is_string(), "whatever is wrong comes with what to do: {found}");
    found.clone()
}

/// Asserts how one check comes out, and that all others are well.
#[track_caller]
fn finds(sandbox: &Sandbox, more: &[&str], name: &str, status: &str, detail: &str) {
    let run = examine(sandbox, more);
    let found = check(&run, name);
    assert_eq!(found["status"], status, "{run:#?}");
    assert!(found.to_string().contains(detail), "{found}");
    let others = run.json();
    // Orphans are looked for on the whole machine, and another test may have some.
    let rest = |other: &&Value| other["name"] != name && other["name"] != ORPHANS;
    for other in others["checks"].as_array().expect("checks").iter().filter(rest) {
        assert_eq!(other["status"], "ok", "{other}");
    }
}

/// An entry that starts ccmcp.
fn entry(arguments: &[&str]) -> Value {
    json!({ "mcpServers": { "mine": { "command": env!("CARGO_BIN_EXE_ccmcp"), "args": arguments } } })
}

fn write(path: &Path, value: &Value) {
    fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
    fs::write(path, value.to_string()).expect("a file");
}

#[test]
fn a_healthy_machine() {
    let sandbox = Sandbox::new();
    let run = examine(&sandbox, &[]);
    let report = run.json();
    let names: Vec<&str> =
        report["checks"].as_array().expect("checks").iter().filter_map(|check| check["name"].as_str()).collect();
    for name in CHECKS {
        assert!(names.contains(&name), "{name}: {names:?}");
        assert!(check(&run, name)["status"] == "ok" || name == ORPHANS, "{name}: {run:#?}");
    }
    assert_eq!((run.status, &report["version"]), (Some(0), &json!(env!("CARGO_PKG_VERSION"))));
    assert!(check(&run, "claude executable")["detail"].as_str().expect("a detail").contains("by CLAUDE_BIN"));
    assert_eq!(check(&run, "claude version")["detail"], "2.1.332");

    let run = sandbox.ccmcp(&["doctor"]);
    assert_eq!(run.status, Some(0));
    assert!(run.stderr == "All is well.\n" || run.stdout.contains("left behind"), "{run:#?}");
    assert!(!run.stdout.contains('\u{1b}'), "plain in a pipe: {run:#?}");
    for name in CHECKS {
        let shown = |line: &str| line.trim_start().starts_with("ok") && line.contains(name);
        assert!(run.stdout.lines().any(shown) || name == ORPHANS, "{name}: {run:#?}");
    }
}

#[test]
fn a_failure_is_shown_with_what_to_do_and_ends_with_1() {
    let mut sandbox = Sandbox::new();
    sandbox.script(&Script::new().logged_out());
    let run = sandbox.ccmcp(&["doctor"]);
    assert_eq!(run.status, Some(1));
    assert!(
        run.stdout.lines().any(|line| line.trim_start().starts_with("FAIL") && line.contains("claude login")),
        "{run:#?}"
    );
    assert!(run.stdout.contains("→ Run `claude` and log in"), "{run:#?}");
    assert!(run.stderr.contains("1 of "), "{run:#?}");
}

#[test]
fn the_executable_is_missing_or_no_executable() {
    let mut sandbox = Sandbox::new();
    sandbox.set("CLAUDE_BIN", sandbox.root().join("missing"));
    finds(&sandbox, &[], "claude executable", "fail", "CLAUDE_BIN");
    let file = sandbox.root().join("file");
    fs::write(&file, "text").expect("a file");
    sandbox.set("CLAUDE_BIN", &file);
    finds(&sandbox, &[], "claude executable", "fail", "CLAUDE_BIN");
    sandbox.unset("CLAUDE_BIN");
    finds(&sandbox, &[], "claude executable", "fail", "no Claude executable");
    let mut sandbox = Sandbox::new();
    sandbox.script(&Script::new().version(Probe::answer("", 1)));
    finds(&sandbox, &[], "claude executable", "fail", "--version");
}

#[test]
fn the_version_is_old_or_none() {
    let mut sandbox = Sandbox::new();
    sandbox.script(&Script::new().cli_version("2.1.237"));
    finds(&sandbox, &[], "claude version", "warn", "2.1.238");
    sandbox.script(&Script::new().version(Probe::answer("nothing like a version\n", 0)));
    finds(&sandbox, &[], "claude version", "warn", "no version");
    sandbox.script(&Script::new().cli_version("2.1.238"));
    assert_eq!(check(&examine(&sandbox, &[]), "claude version")["status"], "ok");
}

#[test]
fn there_is_no_login() {
    let mut sandbox = Sandbox::new();
    sandbox.script(&Script::new().logged_out());
    finds(&sandbox, &[], "claude login", "fail", "not logged in");
}

#[test]
fn an_api_key_pays() {
    let mut sandbox = Sandbox::new();
    sandbox.set("ANTHROPIC_API_KEY", "sk-ant-secret-key");
    finds(&sandbox, &[], "billing", "warn", "billed by the token");
    finds(&sandbox, &["--require-subscription"], "billing", "fail", "billed by the token");
    assert!(!examine(&sandbox, &[]).stdout.contains("sk-ant"));
    let mut sandbox = Sandbox::new();
    let keyed = json!({ "loggedIn": true, "authMethod": "api_key" }).to_string();
    sandbox.script(&Script::new().auth(Probe::answer(&keyed, 0)));
    finds(&sandbox, &[], "billing", "warn", "billed by the token");
}

#[test]
fn it_stands_inside_a_claude() {
    let mut sandbox = Sandbox::new();
    sandbox.set("CLAUDECODE", "1");
    finds(&sandbox, &[], "nesting", "warn", "inside Claude Code");
    sandbox.set("CLAUDE_CODE_WRAPPER_DEPTH", "1");
    finds(&sandbox, &[], "nesting", "warn", "depth 1");
    sandbox.set("CLAUDE_CODE_WRAPPER_DEPTH", "nonsense");
    finds(&sandbox, &[], "nesting", "warn", "nothing can be driven");
}

#[test]
fn claude_code_would_start_a_ccmcp_that_drives_it() {
    const NAME: &str = "Claude Code's MCP entries";
    let drives = entry(&["serve", "--allow-inside-claude-code"]);
    let places = |sandbox: &Sandbox| {
        [
            sandbox.config_dir().join(".claude.json"),
            sandbox.workspace().join(".mcp.json"),
            sandbox.root().join(".mcp.json"),
        ]
    };
    for number in 0..3 {
        let sandbox = Sandbox::new();
        let path = &places(&sandbox)[number];
        write(path, &drives);
        finds(&sandbox, &[], NAME, "fail", path.to_str().expect("UTF-8"));
        mended(&sandbox, NAME);
        write(path, &entry(&["serve"]));
        finds(&sandbox, &[], NAME, "warn", "--tools history");
        mended(&sandbox, NAME);
    }
    // Per project, and beside the configuration directory when it is the usual one.
    let sandbox = Sandbox::new();
    let file = sandbox.config_dir().join(".claude.json");
    write(&file, &json!({ "projects": { "/some/where": drives.clone() } }));
    finds(&sandbox, &[], NAME, "fail", "`mine`");
    finds(&sandbox, &[], NAME, "fail", "claude mcp remove mine --scope local");
    let mut sandbox = Sandbox::new();
    write(&sandbox.home().join(".claude.json"), &drives);
    assert_eq!(check(&examine(&sandbox, &[]), NAME)["status"], "ok", "not the file that is read");
    sandbox.unset("CLAUDE_CONFIG_DIR");
    finds(&sandbox, &[], NAME, "fail", "`mine`");
    // A file that cannot be read is no reason to say that all is well.
    let sandbox = Sandbox::new();
    fs::write(sandbox.config_dir().join(".claude.json"), "{ no JSON").expect("a file");
    finds(&sandbox, &[], NAME, "warn", "cannot be read");
}

#[test]
#[cfg(unix)]
fn our_directories_are_open_to_others_or_no_directories() {
    use std::os::unix::fs::PermissionsExt;
    let mode = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("rights");
    let sandbox = Sandbox::new();
    let locks = sandbox.state_dir().join("locks");
    fs::create_dir_all(&locks).expect("folders");
    for (path, name) in [(sandbox.state_dir(), "state directory"), (locks.clone(), "lock directory")] {
        mode(&sandbox.state_dir(), 0o700);
        mode(&locks, 0o700);
        assert_eq!(check(&examine(&sandbox, &[]), name)["status"], "ok");
        mode(&path, 0o755);
        finds(&sandbox, &[], name, "fail", "755");
    }
    fs::remove_dir(&locks).expect("a folder");
    mode(&sandbox.state_dir(), 0o700);
    fs::write(&locks, "").expect("a file");
    finds(&sandbox, &[], "lock directory", "fail", "not a directory");
    // A place that cannot be there: its parent is a file.
    fs::remove_file(&locks).expect("the file");
    fs::write(sandbox.workspace().join("file"), "").expect("a file");
    let inside = sandbox.workspace().join("file").join("state");
    let found = check(&examine(&sandbox, &["--state-dir", inside.to_str().expect("UTF-8")]), "state directory");
    assert!(found["status"] == "fail" && found["detail"].to_string().contains("directory"), "{found}");
}

#[test]
#[cfg(target_os = "linux")]
fn a_directory_that_cannot_be_written_or_read() {
    let sandbox = Sandbox::new();
    // Nobody can write there, root included.
    finds(&sandbox, &["--state-dir", "/proc/ccmcp"], "state directory", "fail", "cannot be made");
    let mut sandbox = Sandbox::new();
    let file = sandbox.root().join("file");
    fs::write(&file, "").expect("a file");
    sandbox.set("CLAUDE_CONFIG_DIR", &file);
    for name in ["claude configuration", "claude projects"] {
        let found = check(&examine(&sandbox, &[]), name);
        assert_eq!(found["status"], "fail", "{found}");
        assert!(found["detail"].as_str().expect("a detail").contains("cannot be read"), "{found}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn processes_that_a_killed_server_left() {
    use crate::support::processes::{belonging_to, kill};
    // The servers of other tests end what they find without an owner, this one's too: then once more.
    for _ in 0..20 {
        let mut sandbox = Sandbox::new();
        let (tool, pid_file) = orphan(&mut sandbox);
        let run = examine(&sandbox, &[]);
        let found = check(&run, ORPHANS);
        let is_told = found["detail"].as_str().expect("a detail").contains(&tool.pid.to_string());
        let lives = tool.is_alive();
        fs::remove_file(pid_file).expect("the file whose loss ends it");
        for (process, _) in belonging_to(sandbox.root()) {
            kill(&process);
        }
        if is_told {
            assert_eq!(found["status"], "warn", "{found}");
            return;
        }
        assert!(!lives, "it is there and was not found: {found}");
    }
    panic!("always ended by somebody else");
}

#[test]
#[cfg(target_os = "linux")]
fn the_next_server_ends_what_a_killed_one_left() {
    use crate::support::{LIMIT, mcp::Mcp, wait_for};
    let mut sandbox = Sandbox::new();
    let (tool, _) = orphan(&mut sandbox);
    let mut mcp = Mcp::legacy(sandbox.command("ccmcp").args(["serve", "--tools", "sessions"]));
    wait_for(LIMIT, "it is ended", || !tool.is_alive());
    assert!(mcp.end().success());
}

/// A process whose server and supervisor were both killed, and the file that it lives by.
#[cfg(target_os = "linux")]
fn orphan(sandbox: &mut Sandbox) -> (crate::support::processes::Process, std::path::PathBuf) {
    use crate::support::{
        LIMIT,
        fake::{Offspring, Spawn, Step},
        processes::{Process, belonging_to, kill, signal, start_of},
        wait_until,
    };
    let pid_file = sandbox.root().join("tool");
    let tool = Step::Spawn(Spawn {
        offspring: Offspring::Detached,
        pid_file: pid_file.clone(),
        holds_stdout: false,
        stubborn: true,
    });
    sandbox.script(&Script::new().launch(Launch::turn(Turn::of(vec![Step::Init, tool, Step::Hang]))));
    let running = sandbox.begin(&["start", "--model", "opus", "hi"]);
    let tool = wait_until(LIMIT, "the tool runs", || Process::from_file(&pid_file));
    let all = belonging_to(sandbox.root());
    let supervisor = &all.iter().find(|(_, command)| command.contains("__supervise")).expect("a supervisor").0;
    let server = Process { pid: running.pid(), start: start_of(running.pid()).expect("it runs") };
    // Stopped first: it would end the tree of a supervisor that vanishes.
    signal(&server, "STOP");
    kill(supervisor);
    kill(&server);
    running.finish();
    (tool, pid_file)
}

/// Writes the entry of a client, and gives its file.
#[track_caller]
fn set_up(sandbox: &Sandbox, client: &str, more: &[&str]) -> std::path::PathBuf {
    let done = sandbox.ccmcp(&[&["config", client, "--write", "--json"], more].concat()).answer();
    done["file"].as_str().expect("a path").into()
}

#[test]
fn entries_that_ccmcp_wrote_are_well() {
    const ALL: &str = "MCP clients";
    let sandbox = Sandbox::new();
    let found = check(&examine(&sandbox, &[]), ALL);
    assert!(found["hint"].as_str().expect("a hint").contains("ccmcp config"), "{found}");
    for client in ["codex", "claude-desktop", "cursor", "vscode", "zed", "claude-code"] {
        set_up(&sandbox, client, &[]);
    }
    let detail = "ccmcp is set up in Codex, Claude Desktop, Cursor, VS Code, Zed, Claude Code";
    finds(&sandbox, &[], ALL, "ok", detail);
    assert!(check(&examine(&sandbox, &[]), ALL).get("hint").is_none());
}

#[test]
fn an_entry_starts_something_else() {
    let rows = [
        ("codex", "entry in Codex"),
        ("cowork", "entry in Claude Desktop"),
        ("cursor", "entry in Cursor"),
        ("vscode", "entry in VS Code"),
        ("zed", "entry in Zed"),
        ("claude-code", "entry in Claude Code"),
    ];
    for (client, name) in rows {
        let sandbox = Sandbox::new();
        let file = set_up(&sandbox, client, &[]);
        let good = fs::read_to_string(&file).expect("the file");
        let other = sandbox.root().join("other").join(format!("ccmcp{}", std::env::consts::EXE_SUFFIX));
        // As JSON and TOML write it, and as TOML does where there are backslashes.
        let (own, gone) = (Path::new(env!("CARGO_BIN_EXE_ccmcp")), other.as_path());
        let bad = good.replace(&json!(own).to_string(), &json!(gone).to_string());
        fs::write(&file, bad.replace(&format!("'{}'", own.display()), &format!("'{}'", gone.display())))
            .expect("the file");
        finds(&sandbox, &[], name, "fail", "which is not there");
        fs::create_dir(other.parent().expect("a folder")).expect("the folder");
        fs::copy(env!("CARGO_BIN_EXE_ccmcp"), &other).expect("another one");
        finds(&sandbox, &[], name, "warn", "not the ccmcp that runs now");
        // What the hint says mends it.
        set_up(&sandbox, client, &[]);
        assert_eq!(fs::read_to_string(&file).expect("the file"), good);
        finds(&sandbox, &[], "MCP clients", "ok", "is set up in");
    }
}

#[test]
fn an_entry_lacks_what_its_client_needs() {
    let sandbox = Sandbox::new();
    let file = set_up(&sandbox, "codex", &[]);
    let good = fs::read_to_string(&file).expect("the file");
    let without = |key: &str| {
        good.lines().filter(|line| !line.starts_with(key)).map(|line| format!("{line}\n")).collect::<Vec<_>>().concat()
    };
    for (text, detail) in [
        (without("default_tools_approval_mode"), "approval_mode"),
        (without("tool_timeout_sec"), "300 s"),
        (good.replace("1860", "599"), "599 s"),
        (without("env_vars"), "CLAUDE_BIN"),
        (good.replace("\"CLAUDE_CONFIG_DIR\", ", ""), "CLAUDE_CONFIG_DIR"),
    ] {
        fs::write(&file, text).expect("the file");
        finds(&sandbox, &[], "entry in Codex", "warn", detail);
        set_up(&sandbox, "codex", &[]);
        finds(&sandbox, &[], "MCP clients", "ok", "Codex");
    }
    // One check for all of it; none for an entry that is switched off, or that drives nothing.
    fs::write(&file, without("default_tools").replace("1860", "1")).expect("the file");
    let found = check(&examine(&sandbox, &[]), "entry in Codex");
    let detail = found["detail"].as_str().expect("a detail");
    assert!(detail.contains("approval_mode") && detail.contains("take 1 s"), "{found}");
    assert_eq!(found["hint"], "Run `ccmcp config codex --write`.");
    fs::write(&file, without("default_tools") + "enabled = false\n").expect("the file");
    finds(&sandbox, &[], "MCP clients", "ok", "none");
    let history = without("default_tools").replace("[\"serve\"]", "[\"serve\", \"--tools\", \"history\"]");
    fs::write(&file, history).expect("the file");
    finds(&sandbox, &[], "MCP clients", "ok", "Codex");
    // A program's bare name, where no shell is around; and a Claude that has gone.
    let sandbox = Sandbox::new();
    fs::copy(env!("CARGO_BIN_EXE_ccmcp"), sandbox.root().join("gone")).expect("a program");
    let file = set_up(&sandbox, "zed", &["--claude-bin", sandbox.root().join("gone").to_str().expect("UTF-8")]);
    fs::remove_file(sandbox.root().join("gone")).expect("the program");
    finds(&sandbox, &[], "entry in Zed", "warn", "a Claude that is not there");
    fs::write(&file, "{").expect("the file");
    finds(&sandbox, &[], "entry in Zed", "warn", "line 1, column 1");
}

#[test]
fn the_files_of_a_project_are_looked_at_too() {
    let sandbox = Sandbox::new();
    for (name, section, check) in [
        (".cursor/mcp.json", "mcpServers", "entry in Cursor"),
        (".vscode/mcp.json", "servers", "entry in VS Code"),
        (".zed/settings.json", "context_servers", "entry in Zed"),
    ] {
        let path = sandbox.workspace().join(name);
        write(&path, &json!({ section: { "mine": { "command": "/gone/ccmcp", "args": ["serve"] } } }));
        finds(&sandbox, &[], check, "fail", "`mine` in ");
        finds(&sandbox, &[], check, "fail", "--write --name mine --file ");
        fs::remove_file(&path).expect("the file");
    }
}

/// Runs the command that a check's hint names, and asserts that this mends it.
#[track_caller]
fn mended(sandbox: &Sandbox, name: &str) {
    let found = check(&examine(sandbox, &[]), name);
    let hint = found["hint"].as_str().expect("a hint");
    let command = hint.split('`').find_map(|part| part.strip_prefix("ccmcp config ")).expect("a command");
    let words: Vec<_> = command.split(' ').map(|word| word.trim_matches(['\'', '"'])).collect();
    sandbox.ccmcp(&[&["config", "--json"], &words[..]].concat()).answer();
    assert_eq!(check(&examine(sandbox, &[]), name)["status"], "ok", "{hint}");
}

#[test]
fn nothing_from_a_repository_gets_into_a_command() {
    let sandbox = Sandbox::new();
    let path = sandbox.workspace().join(".vscode").join("mcp.json");
    for name in ["x; touch pwned", "$(touch pwned)", "a b", "--write"] {
        write(&path, &json!({ "servers": { name: { "command": "/gone/ccmcp", "args": ["serve"] } } }));
        let found = check(&examine(&sandbox, &[]), "entry in VS Code");
        let hint = found["hint"].as_str().expect("a hint");
        assert!(hint.contains("by hand") && !hint.contains(name) && !hint.contains("--name"), "{found}");
    }
}

#[test]
fn a_program_is_looked_for_where_its_client_looks() {
    const NAME: &str = "entry in VS Code";
    let sandbox = Sandbox::new();
    let path = sandbox.root().join(".vscode").join("mcp.json");
    let entry = |entry: Value| write(&path, &json!({ "servers": { "mine": entry } }));
    // What only the client knows cannot be wrong.
    for command in ["${workspaceFolder}/bin/ccmcp", "~/bin/ccmcp"] {
        entry(json!({ "command": command, "args": ["serve"] }));
        finds(&sandbox, &[], "MCP clients", "ok", "VS Code");
    }
    entry(json!({ "command": "./ccmcp", "args": ["serve"], "cwd": "${workspaceFolder}" }));
    finds(&sandbox, &[], "MCP clients", "ok", "VS Code");
    entry(json!({ "command": "docker", "args": ["run", "-i", "ccmcp", "serve"] }));
    finds(&sandbox, &[], "MCP clients", "ok", "VS Code");
    // In its directory, otherwise in the project's.
    let own = Path::new(env!("CARGO_BIN_EXE_ccmcp"));
    let name = own.file_name().expect("a name").to_str().expect("UTF-8");
    entry(json!({ "command": format!("./{name}"), "args": ["serve"], "cwd": own.parent() }));
    finds(&sandbox, &[], "MCP clients", "ok", "VS Code");
    entry(json!({ "command": format!("there/{name}"), "args": ["serve"] }));
    finds(&sandbox, &[], NAME, "fail", "which is not there");
    fs::create_dir(sandbox.root().join("there")).expect("a folder");
    fs::copy(own, sandbox.root().join("there").join(name)).expect("another one");
    finds(&sandbox, &[], NAME, "warn", "not the ccmcp that runs now");
}

#[test]
#[cfg(unix)]
fn a_file_without_end_does_not_keep_it() {
    let sandbox = Sandbox::new();
    let path = sandbox.workspace().join(".cursor").join("mcp.json");
    fs::create_dir(path.parent().expect("a parent")).expect("a folder");
    std::os::unix::fs::symlink("/dev/zero", &path).expect("a link");
    finds(&sandbox, &[], "entry in Cursor", "warn", "it is no file");
}

#[test]
fn a_live_turn_is_run_only_when_it_is_agreed_to() {
    let mut sandbox = Sandbox::new();
    let fake = sandbox.script(&Script::new());
    let run = examine(&sandbox, &["--live"]);
    run.error("SETTING_INVALID");
    assert_eq!((run.status, fake.launches()), (Some(2), 0), "there is nobody to ask");
    examine(&sandbox, &[]);
    assert_eq!(fake.launches(), 0, "nothing is sent without --live");
    let run = examine(&sandbox, &["--live", "--yes"]);
    let found = check(&run, "live turn");
    assert!(found["status"] == "ok" && found["detail"].as_str().expect("a detail").contains("$0.0100"), "{found}");
    assert_eq!(fake.launch(0).value_of("--model"), Some("haiku"));
    examine(&sandbox, &["--live", "--yes", "--model", "opus"]);
    assert_eq!(fake.launch(1).value_of("--model"), Some("opus"));
    sandbox.script(&Script::new().always(Launch::turn(Turn::api_error(ApiError::no_credit()))));
    let found = check(&examine(&sandbox, &["--live", "--yes"]), "live turn");
    assert!(
        found["status"] == "fail" && found["detail"].as_str().expect("a detail").contains("CREDIT_EXHAUSTED"),
        "{found}"
    );
}
