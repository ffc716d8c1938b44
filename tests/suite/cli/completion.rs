//! What shells are offered while one types: asked as each of them asks, and in real ones where they are installed.

use std::fs;

use serde_json::json;

use crate::support::{
    Sandbox,
    fake::Script,
    mcp::Mcp,
    terminal::{Run, spawn},
};

/// Asks as a shell asks for the last of these words; the candidates as it gets them.
fn ask(sandbox: &Sandbox, shell: &str, words: &[&str]) -> Run {
    let mut command = sandbox.command("ccmcp");
    command.env("COMPLETE", shell).arg("--").args(words);
    if ["bash", "zsh", "elvish"].iter().any(|name| shell.ends_with(name)) {
        command.env("_CLAP_COMPLETE_INDEX", (words.len() - 1).to_string()).env("_CLAP_IFS", "\n");
    }
    spawn(command, b"").finish()
}

/// What fish is offered: values with what is told about them.
#[track_caller]
fn offered(sandbox: &Sandbox, words: &[&str]) -> Vec<(String, String)> {
    let run = ask(sandbox, "fish", words);
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""), "{run:#?}");
    let split =
        |line: &str| line.split_once('\t').map_or((line.to_owned(), String::new()), |(a, b)| (a.into(), b.into()));
    run.stdout.lines().map(split).collect()
}

#[track_caller]
fn values(sandbox: &Sandbox, words: &[&str]) -> Vec<String> {
    offered(sandbox, words).into_iter().map(|(value, _)| value).collect()
}

/// Writes a session with this prompt, written so many minutes ago.
fn session(sandbox: &Sandbox, id: &str, cwd: &str, prompt: &str, minutes: u64) {
    let slug: String = cwd.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let folder = sandbox.config_dir().join("projects").join(slug);
    fs::create_dir_all(&folder).unwrap();
    let record = json!({ "type": "user", "uuid": id, "sessionId": id, "cwd": cwd, "isSidechain": false,
        "timestamp": "2026-11-29T10:00:00.000Z", "message": { "role": "user", "content": prompt } });
    let path = folder.join(format!("{id}.jsonl"));
    fs::write(&path, format!("{record}\n")).unwrap();
    let time = std::time::SystemTime::now() - std::time::Duration::from_secs(minutes * 60 + 30);
    fs::File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
}

const OLD: &str = "11111111-0000-4000-8000-000000000001";
const NEW: &str = "2a222222-0000-4000-8000-000000000002";

fn two_sessions() -> Sandbox {
    let sandbox = Sandbox::new();
    session(&sandbox, OLD, "/home/dev/harbour", "How high is the lighthouse?", 125);
    session(&sandbox, NEW, "/home/dev/灯台", "灯台 \u{1b}[31mred: and\n\tmore", 3);
    sandbox
}

#[test]
fn sessions_are_offered_the_newest_first_with_age_and_title() {
    let sandbox = two_sessions();
    let all = [
        ("last", "the newest session of this directory"),
        (NEW, "3 min ago · 灯台 [31mred: and more"),
        (OLD, "2 h ago · How high is the lighthouse?"),
    ]
    .map(|(value, help)| (value.to_owned(), help.to_owned()));
    for words in [&["ccmcp", "tree", ""][..], &["ccmcp", "send", ""], &["ccmcp", "search", "x", "--session", ""]] {
        assert_eq!(offered(&sandbox, words), all, "{words:?}");
    }
    assert_eq!(values(&sandbox, &["ccmcp", "tree", "1"]), [OLD]);
    assert_eq!(
        values(&sandbox, &["ccmcp", "send", "2A"]),
        [""; 0],
        "a shell could not put it in place of what is typed"
    );
    assert_eq!(values(&sandbox, &["ccmcp", "tree", "x"]), [""; 0]);
    assert_eq!(values(&sandbox, &["ccmcp", "search", "x", "--session=la"]), ["--session=last"]);
    // Many sessions cost no more than some.
    for number in 0..120 {
        session(&sandbox, &format!("33333333-0000-4000-8000-{number:012}"), "/many", "one of many", 1);
    }
    assert_eq!(values(&sandbox, &["ccmcp", "tree", ""]).len(), 51);
    assert_eq!(values(&sandbox, &["ccmcp", "tree", "1"]), [OLD], "however many are newer");
}

#[test]
fn every_shell_is_answered_in_its_own_way() {
    let sandbox = two_sessions();
    let words = ["ccmcp", "tree", "2"];
    for (shell, answer) in [
        ("bash", NEW.to_owned()),
        ("elvish", NEW.to_owned()),
        ("zsh", format!("{NEW}:3 min ago · 灯台 [31mred: and more")),
        ("fish", format!("{NEW}\t3 min ago · 灯台 [31mred: and more\n")),
        ("powershell", format!("{NEW}\t3 min ago · 灯台 [31mred: and more\n")),
        ("/usr/bin/zsh", format!("{NEW}:3 min ago · 灯台 [31mred: and more")),
    ] {
        let run = ask(&sandbox, shell, &words);
        assert_eq!((run.status, run.stdout, run.stderr.as_str()), (Some(0), answer, ""), "{shell}");
        // And the script that asks so.
        let mut command = sandbox.command("ccmcp");
        command.env("COMPLETE", shell);
        let run = spawn(command, b"").finish();
        assert!(run.status == Some(0) && run.stdout.contains("COMPLETE") && run.stdout.contains("ccmcp"), "{run:#?}");
    }
}

#[test]
fn options_are_offered_when_one_is_begun_or_there_is_nothing_else() {
    let sandbox = two_sessions();
    let options = values(&sandbox, &["ccmcp", "tree", "--"]);
    assert!(options.contains(&"--thread".to_owned()) && options.contains(&"--help".to_owned()), "{options:?}");
    assert_eq!(values(&sandbox, &["ccmcp", "tree", "--thr"]), ["--thread"]);
    assert!(values(&sandbox, &["ccmcp", "start", ""]).contains(&"--model".to_owned()));
    assert_eq!(values(&sandbox, &["ccmcp", "sea"]), ["search"]);
    assert_eq!(values(&sandbox, &["ccmcp", "agents", "cl"]), ["close"]);
    assert_eq!(values(&sandbox, &["ccmcp", "search", "x", "--mode", ""]), ["text", "words", "regex"]);
}

#[test]
fn projects_and_models_are_offered() {
    let mut sandbox = two_sessions();
    for words in
        [&["ccmcp", "sessions", ""][..], &["ccmcp", "search", "x", "-p", ""], &["ccmcp", "tree", "1", "--project", ""]]
    {
        let names = values(&sandbox, words);
        assert!(names.starts_with(&[".".to_owned()]), "{names:?}");
        let names: std::collections::BTreeSet<_> = names[1..].iter().map(String::as_str).collect();
        assert_eq!(names, ["harbour", "灯台"].into(), "{words:?}");
    }
    // Each of them is a name that the command takes.
    for name in ["harbour", "灯台"] {
        assert_eq!(sandbox.ccmcp(&["sessions", name, "--json"]).answer()["total"], 1, "{name}");
    }
    assert_eq!(values(&sandbox, &["ccmcp", "sessions", "/home/dev/h"]), ["/home/dev/harbour"]);
    session(&sandbox, "44444444-0000-4000-8000-000000000004", "/other/harbour", "x", 1);
    let names = values(&sandbox, &["ccmcp", "sessions", ""]);
    assert!(
        names.contains(&"/other/harbour".to_owned()) && names.contains(&"/home/dev/harbour".to_owned()),
        "{names:?}"
    );

    let models =
        ["opus", "sonnet", "haiku", "fable", "claude-opus-4-8", "claude-sonnet-5", "claude-haiku-4-5-20251001"];
    for command in [&["start"][..], &["send", "last"], &["doctor", "--live"]] {
        let words = [&["ccmcp"], command, &["--model", ""]].concat();
        assert_eq!(values(&sandbox, &words), models, "{words:?}");
    }
    sandbox.set("CCMCP_ACCEPT_MODELS", "mine-1,mine-2");
    assert_eq!(values(&sandbox, &["ccmcp", "start", "-m", "mi"]), ["mine-1", "mine-2"]);
}

#[test]
fn agents_are_offered_by_name_or_id_with_their_state() {
    let mut sandbox = Sandbox::new();
    sandbox.script(&Script::new());
    assert!(values(&sandbox, &["ccmcp", "agents", "read", ""]).iter().all(|option| option.starts_with('-')));
    assert!(!sandbox.state_dir().exists(), "asking makes no database");
    let mut mcp = Mcp::legacy(sandbox.command("ccmcp").args(["serve", "--tools", "agents"]));
    let mut spawn = |arguments: serde_json::Value| {
        let agent = mcp.tool("spawn_agent", arguments)["structuredContent"].take();
        let wait = json!({ "agent_ids": [agent["agent_id"]], "after_cursor": agent["cursor"], "until": "idle" });
        assert_eq!(mcp.tool("wait_agent", wait)["structuredContent"]["timed_out"], false);
        agent["agent_id"].as_str().unwrap().to_owned()
    };
    let first = spawn(json!({ "task": "one", "name": "scout" }));
    let unnamed = spawn(json!({ "task": "two" }));
    let spaced = spawn(json!({ "task": "three", "name": "two words" }));
    for command in ["read", "wait", "interrupt", "close"] {
        assert_eq!(
            values(&sandbox, &["ccmcp", "agents", command, ""]),
            ["last", &spaced, &unnamed, "scout"],
            "{command}"
        );
    }
    assert_eq!(values(&sandbox, &["ccmcp", "agents", "wait", "last", "sc"]), ["scout"]);
    assert_eq!(values(&sandbox, &["ccmcp", "agents", "read", &first[..13]]), [first.as_str()]);
    let told = offered(&sandbox, &["ccmcp", "agents", "read", "sc"]);
    assert_eq!(told[0].1, format!("idle · just now · {first}"));
    let named = offered(&sandbox, &["ccmcp", "agents", "read", &spaced[..8]]);
    assert_eq!(named[0].1, "idle · just now · two words");
}

#[test]
fn whatever_is_wrong_is_silent_and_a_forgotten_variable_harms_nothing() {
    let mut sandbox = two_sessions();
    let words = ["ccmcp", "tree", ""];
    // Nothing can be read.
    fs::rename(sandbox.config_dir().join("projects"), sandbox.config_dir().join("gone")).unwrap();
    fs::write(sandbox.config_dir().join("projects"), "no folder").unwrap();
    assert_eq!(values(&sandbox, &words), ["last"]);
    fs::create_dir_all(sandbox.state_dir()).unwrap();
    fs::write(sandbox.state_dir().join("state.sqlite"), "no database, but long enough to be none".repeat(20)).unwrap();
    assert_eq!(
        values(&sandbox, &["ccmcp", "agents", "read", ""]).iter().filter(|name| !name.starts_with('-')).count(),
        0
    );
    // A bad setting is told by commands, not here.
    sandbox.set("CLAUDE_MCP_PROCESS_LIMIT", "many");
    let run = ask(&sandbox, "bash", &words);
    assert_eq!(run.stderr, "");
    sandbox.unset("CLAUDE_MCP_PROCESS_LIMIT");
    for words in [&["ccmcp"][..], &["ccmcp", "tree", "a", "b", "c", "d"], &["ccmcp", "nonsense", "x"]] {
        assert_eq!(ask(&sandbox, "bash", words).stderr, "", "{words:?}");
    }
    let mut command = sandbox.command("ccmcp");
    command.env("COMPLETE", "tcsh");
    let run = spawn(command, b"").finish();
    assert!(run.status == Some(2) && run.stderr.contains("`bash`") && run.stderr.contains("hint: "), "{run:#?}");
    for value in ["bash", "0", "nonsense"] {
        sandbox.set("COMPLETE", value);
        assert!(sandbox.ccmcp(&["sessions", "-h"]).stdout.contains("Usage: ccmcp sessions"), "{value}");
    }
}

#[cfg(unix)]
mod real {
    use super::*;
    use crate::support::screen::Screen;

    /// Starts a shell that has sourced the script as the README says, with `ccmcp` in its search path.
    fn shell(sandbox: &Sandbox, program: &str, arguments: &[&str]) -> Screen {
        let bin = sandbox.root().join("bin").join("ccmcp");
        std::os::unix::fs::symlink(sandbox.command("ccmcp").get_program(), bin).unwrap();
        let mut command = sandbox.command(program);
        command.args(arguments);
        Screen::start(command, 120)
    }

    /// Types, presses TAB, and looks at what becomes of it.
    #[track_caller]
    fn completes(screen: &mut Screen) {
        screen.wait_for("ready> ");
        screen.press("ccmcp tree 2a\t");
        screen.wait_until("the id is there", |drawn| drawn.contains(&format!("ready> ccmcp tree {NEW}")));
        screen.press("\u{15}ccmcp start --model so\t");
        screen.wait_until("the model is there", |drawn| drawn.contains("ready> ccmcp start --model sonnet"));
        screen.press("\u{15}ccmcp sess\t");
        screen.wait_until("the command is there", |drawn| drawn.contains("ready> ccmcp sessions"));
        screen.press("\u{15}ccmcp tree \t\t");
        screen
            .wait_until("all are listed", |drawn| [OLD, NEW, "last"].iter().all(|one| drawn.matches(one).count() > 0));
        screen.press("\u{15}exit\r");
        screen.end();
    }

    fn is_installed(program: &str) -> bool {
        ["/usr/bin", "/bin", "/usr/local/bin", "/opt/homebrew/bin"]
            .iter()
            .any(|folder| std::path::Path::new(folder).join(program).exists())
    }

    #[test]
    fn bash_completes() {
        let sandbox = two_sessions();
        // The one that macOS has is too old for this.
        if !is_installed("bash") || cfg!(target_os = "macos") {
            return;
        }
        let file = sandbox.home().join("bashrc");
        fs::write(&file, "PS1='ready> '\nsource <(COMPLETE=bash ccmcp)\n").unwrap();
        completes(&mut shell(&sandbox, "bash", &["--noprofile", "--rcfile", file.to_str().unwrap(), "-i"]));
    }

    #[test]
    fn zsh_completes() {
        let mut sandbox = two_sessions();
        if !is_installed("zsh") {
            return;
        }
        sandbox.set("ZDOTDIR", sandbox.home());
        let rc = "autoload -Uz compinit && compinit -u -D\nsource <(COMPLETE=zsh ccmcp)\nPS1='ready> '\n";
        fs::write(sandbox.home().join(".zshrc"), rc).unwrap();
        completes(&mut shell(&sandbox, "zsh", &["-d", "-i"]));
    }

    #[test]
    fn fish_completes() {
        let sandbox = two_sessions();
        if !is_installed("fish") {
            return;
        }
        let folder = sandbox.home().join(".config/fish");
        fs::create_dir_all(folder.join("completions")).unwrap();
        fs::write(folder.join("completions/ccmcp.fish"), "COMPLETE=fish ccmcp | source\n").unwrap();
        fs::write(folder.join("config.fish"), "function fish_prompt; echo -n 'ready> '; end\nset fish_greeting\n")
            .unwrap();
        completes(&mut shell(&sandbox, "fish", &["-i"]));
    }
}
