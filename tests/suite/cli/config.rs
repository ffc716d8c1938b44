//! `config`: the entry for each client, and what happens to the file that it is written into.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

use crate::support::{Sandbox, mcp::Mcp, terminal::Run};

const CLIENTS: [&str; 7] = ["codex", "claude-desktop", "cowork", "cursor", "vscode", "zed", "claude-code"];

/// The program under test.
fn own() -> &'static str {
    env!("CARGO_BIN_EXE_ccmcp")
}

/// A box in which no Claude is found and nothing is set, so that entries are at their shortest.
fn plain() -> Sandbox {
    let mut sandbox = Sandbox::new();
    sandbox.unset("CLAUDE_BIN");
    sandbox.unset("CLAUDE_CONFIG_DIR");
    sandbox
}

/// Runs `config` with `--json`.
#[track_caller]
fn done(sandbox: &Sandbox, arguments: &[&str]) -> Value {
    sandbox.ccmcp(&[&["config", "--json"], arguments].concat()).answer()
}

#[track_caller]
fn file(sandbox: &Sandbox, client: &str) -> PathBuf {
    done(sandbox, &[client])["file"].as_str().expect("a path").into()
}

/// Puts `text` into the client's file.
fn given(sandbox: &Sandbox, client: &str, text: &str) -> PathBuf {
    let path = file(sandbox, client);
    fs::create_dir_all(path.parent().expect("a folder")).expect("the folder");
    fs::write(&path, text).expect("the file");
    path
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).expect("the file")
}

fn backups(path: &Path) -> Vec<PathBuf> {
    let name = path.file_name().expect("a name").to_str().expect("UTF-8");
    let files = fs::read_dir(path.parent().expect("a folder")).expect("the folder").flatten();
    let mut files: Vec<_> = files.map(|file| file.path()).collect();
    files.retain(|file| file.file_name().and_then(|file| file.to_str()).is_some_and(|file| file.starts_with(name)));
    files.retain(|file| file != path);
    files.sort();
    files
}

/// What the client reads.
fn parsed(client: &str, text: &str) -> Value {
    if client == "codex" {
        toml_edit::de::from_str(text).expect("TOML")
    } else {
        serde_json::from_str(text).expect("JSON")
    }
}

fn section(client: &str) -> &'static str {
    match client {
        "codex" => "mcp_servers",
        "vscode" => "servers",
        "zed" => "context_servers",
        _ => "mcpServers",
    }
}

/// The entry of a client where nothing is set.
fn expected(client: &str) -> Value {
    match client {
        "codex" => json!({
            "command": own(), "args": ["serve"],
            "env_vars": ["CLAUDE_CONFIG_DIR", "CLAUDE_BIN", "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY"],
            "startup_timeout_sec": 30, "tool_timeout_sec": 1860, "required": true,
            "default_tools_approval_mode": "approve",
        }),
        "vscode" => json!({ "type": "stdio", "command": own(), "args": ["serve"] }),
        "zed" => json!({ "command": own(), "args": ["serve"], "timeout": 600 }),
        "claude-code" => json!({ "type": "stdio", "command": own(), "args": ["serve", "--tools", "history"] }),
        _ => json!({ "command": own(), "args": ["serve"] }),
    }
}

#[test]
fn the_entry_alone_is_on_standard_output() {
    let sandbox = plain();
    for client in CLIENTS {
        let run = sandbox.ccmcp(&["config", client]);
        assert_eq!(run.status, Some(0), "{run:#?}");
        assert_eq!(parsed(client, &run.stdout), json!({ section(client): { "ccmcp": expected(client) } }));
        let path = file(&sandbox, client);
        assert!(run.stderr.contains(path.to_str().expect("UTF-8")), "{run:#?}");
        assert!(!path.exists(), "nothing is written: {}", path.display());
        assert!(!format!("{}{}", run.stdout, run.stderr).contains('\u{1b}'), "plain in a pipe: {run:#?}");
        let shown = format!("{}---\n{}", run.stdout, run.stderr);
        let shown = shown.replace(own(), "/usr/bin/ccmcp").replace(sandbox.root().to_str().expect("UTF-8"), "");
        if cfg!(target_os = "linux") {
            insta::assert_snapshot!(format!("config_{client}"), shown);
        }
    }
}

#[test]
fn a_missing_file_is_made_and_a_second_run_does_nothing() {
    for client in CLIENTS {
        let sandbox = plain();
        let path = file(&sandbox, client);
        let run = sandbox.ccmcp(&["config", client, "--write"]);
        assert_eq!(run.status, Some(0), "{run:#?}");
        assert!(run.stdout.starts_with("Added `ccmcp` to "), "{run:#?}");
        let text = read(&path);
        assert_eq!(parsed(client, &text), json!({ section(client): { "ccmcp": expected(client) } }));
        assert_eq!(text, sandbox.ccmcp(&["config", client]).stdout, "what is printed is what is written");
        let before = fs::metadata(&path).and_then(|metadata| metadata.modified()).expect("a time");
        let run = sandbox.ccmcp(&["config", client, "--write"]);
        assert!(run.status == Some(0) && run.stdout.contains("already there"), "{run:#?}");
        assert_eq!(fs::metadata(&path).and_then(|metadata| metadata.modified()).expect("a time"), before);
        assert_eq!((read(&path), backups(&path)), (text, Vec::new()), "nothing was there to back up");
    }
}

#[test]
fn all_that_was_there_stays() {
    for client in CLIENTS {
        let sandbox = plain();
        let servers = section(client);
        let before = if client == "codex" {
            "# mine\r\nmodel = 'x' # best\r\n\r\n[mcp_servers.other]\r\ncommand = \"npx\" # why\r\n".to_owned()
        } else if ["cursor", "vscode", "zed"].contains(&client) {
            format!(
                "\u{feff}// mine\r\n{{\r\n\t\"z\": 1.50, /* two */\r\n\t\"{servers}\": {{\r\n\t\t\"other\": {{ \"command\": \"npx\" }}, // why\r\n\t}},\r\n}}\r\n"
            )
        } else {
            format!(
                "{{\r\n    \"z\": 1.50,\r\n    \"{servers}\": {{\r\n        \"other\": {{ \"command\": \"npx\" }}\r\n    }},\r\n    \"a\": \"\\u00e9\"\r\n}}"
            )
        };
        let path = given(&sandbox, client, &before);
        let done = done(&sandbox, &[client, "--write"]);
        let after = read(&path);
        // Every line is there, but for a comma at the end of one.
        let mut lines = after.split('\n');
        for line in before.split('\n') {
            let is_it = |found: &str| found == line || found == line.replace('\r', ",\r");
            assert!(lines.any(is_it), "{client}: {line:?} is gone from {after:?}");
        }
        assert!(after.split_inclusive('\n').all(|line| line.ends_with("\r\n") || !line.ends_with('\n')), "{after:?}");
        let backup = PathBuf::from(done["backup"].as_str().expect("a backup"));
        assert_eq!((done["changed"].as_bool(), read(&backup)), (Some(true), before));
        assert_eq!(backups(&path), [backup]);
        if client == "codex" || !after.contains("//") {
            let tree = parsed(client, &after);
            assert_eq!(tree[servers]["ccmcp"], expected(client));
            assert_eq!(tree[servers]["other"]["command"], "npx");
        }
        assert_eq!(self::done(&sandbox, &[client, "--write"])["changed"], false);
        assert_eq!((read(&path), backups(&path).len()), (after, 1));
    }
}

#[test]
fn an_older_entry_is_brought_up_to_date_and_keeps_what_its_owner_added() {
    let sandbox = plain();
    let path = given(
        &sandbox,
        "codex",
        "[mcp_servers.ccmcp]\ncommand = \"/gone/ccmcp\" # mine\nargs = [\"serve\", \"--log-level\", \"info\"]\n\
         enabled = false\nenv_vars = [\"MINE\"]\ntool_timeout_sec = 300\ndisabled_tools = [\"close_agent\"]\n\n\
         [mcp_servers.ccmcp.env]\nSECRET = \"hush\"\n",
    );
    let run = sandbox.ccmcp(&["config", "codex", "--write", "--json"]);
    assert!(!format!("{run:?}").contains("hush"), "{run:#?}");
    let entry = &parsed("codex", &read(&path))["mcp_servers"]["ccmcp"];
    let mut wanted = expected("codex");
    wanted["args"] = json!(["serve", "--log-level", "info"]);
    wanted["enabled"] = json!(false);
    wanted["disabled_tools"] = json!(["close_agent"]);
    wanted["env"] = json!({ "SECRET": "hush" });
    wanted["env_vars"].as_array_mut().expect("a list").insert(0, json!("MINE"));
    assert_eq!(entry, &wanted);
    assert!(read(&path).contains("# mine\n"));
    // And now all is as it should be.
    assert!(sandbox.ccmcp(&["config", "codex", "--write"]).stdout.contains("already there"));
    let run = sandbox.ccmcp(&["config", "codex", "--write", "--tools", "agents,history"]);
    assert_eq!(run.stdout, format!("Updated `ccmcp` in {}: args\n", path.display()));
    let args = &parsed("codex", &read(&path))["mcp_servers"]["ccmcp"]["args"];
    assert_eq!(args, &json!(["serve", "--tools", "agents,history", "--log-level", "info"]));
    assert_eq!(backups(&path).len(), 2);
}

#[test]
fn what_is_said_inside_lists_stays() {
    let sandbox = plain();
    let before = "[mcp_servers.ccmcp]\ncommand = \"/gone/ccmcp\"\nargs = [ # mine\n  \"serve\", # always\n  \"--tools\",\n  \
                  \"history\", # for now\n]\nenv_vars = [ # keep these\n  \"MINE\", # why\n]\n";
    let path = given(&sandbox, "codex", before);
    done(&sandbox, &["codex", "--write", "--tools", "agents"]);
    let after = read(&path);
    for line in before.lines().filter(|line| !line.starts_with("command")) {
        let line = line.replace("\"history\"", "\"agents\"");
        assert!(after.lines().any(|found| found == line), "{line:?} is gone from {after}");
    }
    // What would lose one is refused.
    let before = "[mcp_servers.ccmcp]\ncommand = \"ccmcp\"\nargs = [\"serve\", \"--tools\", \"agents\",\n\"--tools=history\" # or\n]\n\
                  env_vars = [ # none\n]\n";
    let path = given(&sandbox, "codex", before);
    let error = sandbox.ccmcp(&["config", "codex", "--write", "--json"]).error("SETTING_INVALID");
    assert!(error["message"].as_str().expect("a message").contains("changed safely"), "{error}");
    assert_eq!(read(&path), before);
}

#[test]
fn an_entry_for_history_alone_gets_no_rights_that_only_others_need() {
    let mut sandbox = plain();
    sandbox.set("CLAUDE_CODE_OAUTH_TOKEN", "hush");
    sandbox.set("HTTPS_PROXY", "http://proxy:1");
    let before = "[mcp_servers.ccmcp]\ncommand = \"/gone/ccmcp\"\nargs = [\"serve\", \"--tools\", \"history\"]\n";
    let path = given(&sandbox, "codex", before);
    done(&sandbox, &["codex", "--write"]);
    let entry = json!({
        "command": own(), "args": ["serve", "--tools", "history"],
        "env_vars": ["CLAUDE_CONFIG_DIR"], "startup_timeout_sec": 30, "required": true,
    });
    assert_eq!(parsed("codex", &read(&path))["mcp_servers"]["ccmcp"], entry);
    // It gets them when somebody says so.
    done(&sandbox, &["codex", "--write", "--tools", "history,agents"]);
    let entry = &parsed("codex", &read(&path))["mcp_servers"]["ccmcp"];
    assert_eq!((&entry["tool_timeout_sec"], &entry["default_tools_approval_mode"]), (&json!(1860), &json!("approve")));
}

#[test]
fn a_file_that_the_client_cannot_read_is_left_as_it_is() {
    let rows = [
        ("codex", "model = \n", "line 1, column 9"),
        ("codex", "mcp_servers = 1\n", "line 1, column 15"),
        ("claude-desktop", "{\n  \"a\": 1 // why\n}", "line 2, column 10: comments are not allowed"),
        ("cowork", "{\"a\": 1,}", "line 1, column 8"),
        ("claude-code", "{\"mcpServers\": []}", "line 1, column 16: `mcpServers` is no object"),
        ("cursor", "{\n  \"a\" 1\n}", "line 2, column 7"),
        ("vscode", "[]", "line 1, column 1: the document is no object"),
        ("zed", "{ \"a\": tru }", "line 1, column 8"),
    ];
    for (client, text, place) in rows {
        let sandbox = plain();
        let path = given(&sandbox, client, text);
        let run = sandbox.ccmcp(&["config", client, "--write", "--json"]);
        let error = run.error("SETTING_INVALID");
        let message = error["message"].as_str().expect("a message");
        assert!(message.contains(place) && message.contains(path.to_str().expect("UTF-8")), "{client}: {error}");
        assert_eq!(error["details"]["field"], "--file");
        assert_eq!((run.status, read(&path), backups(&path)), (Some(2), text.to_owned(), Vec::new()));
    }
    let sandbox = plain();
    let path = given(&sandbox, "zed", "");
    fs::write(&path, b"{ \"a\": \"\xff\" }").expect("the file");
    let error = sandbox.ccmcp(&["config", "zed", "--write", "--json"]).error("SETTING_INVALID");
    assert!(error["message"].as_str().expect("a message").contains("column 9: this is no UTF-8"), "{error}");
}

#[test]
fn an_entry_that_is_something_else_is_not_taken() {
    let rows = [
        ("codex", "[mcp_servers.ccmcp]\nurl = \"http://localhost\"\n"),
        ("cursor", r#"{ "mcpServers": { "ccmcp": { "command": "npx", "args": ["x"] } } }"#),
        ("zed", r#"{ "context_servers": { "ccmcp": null } }"#),
        ("vscode", r#"{ "servers": { "ccmcp": { "command": "docker", "args": ["run", "-i", "ccmcp", "serve"] } } }"#),
    ];
    for (client, text) in rows {
        let sandbox = plain();
        let path = given(&sandbox, client, text);
        let error = sandbox.ccmcp(&["config", client, "--write", "--json"]).error("SETTING_INVALID");
        assert!(error["hint"].as_str().expect("a hint").contains("--name"), "{error}");
        assert_eq!(error["details"]["field"], "--name");
        assert_eq!(read(&path), text);
        done(&sandbox, &[client, "--write", "--name", "mine"]);
        assert!(read(&path).contains("mine") && read(&path).contains("ccmcp"));
        let run = sandbox.ccmcp(&["config", client, "--write", "--name", "again"]);
        assert!(run.stderr.contains("`mine` in the same file starts ccmcp too"), "{run:#?}");
    }
}

#[test]
fn claude_code_gets_history_and_nothing_else() {
    let sandbox = Sandbox::new();
    for sets in ["agents", "history,sessions"] {
        let run = sandbox.ccmcp(&["config", "claude-code", "--tools", sets, "--write", "--json"]);
        let error = run.error("SETTING_INVALID");
        assert_eq!((run.status, &error["details"]["field"]), (Some(2), &json!("--tools")));
    }
    // In the directory that CLAUDE_CONFIG_DIR names.
    let path = sandbox.config_dir().join(".claude.json");
    assert!(!path.exists());
    fs::write(&path, r#"{"numStartups":1,"mcpServers":{"ccmcp":{"command":"ccmcp","args":["serve"]}},"projects":{}}"#)
        .unwrap();
    done(&sandbox, &["claude-code", "--write", "--tools", "history"]);
    let tree = parsed("claude-code", &read(&path));
    assert_eq!(tree["mcpServers"]["ccmcp"], expected("claude-code"));
    assert_eq!((&tree["numStartups"], &tree["projects"]), (&json!(1), &json!({})));
    assert!(!sandbox.home().join(".claude.json").exists());
    // For one project.
    done(&sandbox, &["claude-code", "--write", "--file", ".mcp.json"]);
    let project = read(&sandbox.workspace().join(".mcp.json"));
    assert_eq!(parsed("claude-code", &project)["mcpServers"]["ccmcp"], expected("claude-code"));
}

#[test]
fn what_is_set_here_is_handed_on_and_secrets_are_not() {
    let mut sandbox = Sandbox::new();
    sandbox.set("ANTHROPIC_API_KEY", "sk-hush");
    sandbox.set("CLAUDE_CODE_OAUTH_TOKEN", "hush");
    sandbox.set("HTTPS_PROXY", "http://me:hush@proxy");
    sandbox.set("HTTP_PROXY", "http://proxy:1");
    for client in CLIENTS {
        let run = sandbox.ccmcp(&["config", client, "--process-limit", "7", "--state-dir", "there", "--json"]);
        assert!(!format!("{run:?}").contains("hush"), "{run:#?}");
        let entry = &run.answer()["entry"];
        let state = sandbox.workspace().join("there");
        let flags = json!({ "CLAUDE_MCP_STATE_DIR": state, "CLAUDE_MCP_PROCESS_LIMIT": "7" });
        match client {
            "claude-code" => assert!(entry.get("env").is_none(), "it hands on everything: {entry}"),
            "codex" => {
                assert_eq!(entry["env"], flags, "what Codex cannot hand on");
                let names = entry["env_vars"].as_array().expect("a list");
                for name in ["CLAUDE_CONFIG_DIR", "CLAUDE_BIN", "CLAUDE_CODE_OAUTH_TOKEN", "HTTPS_PROXY"] {
                    assert!(names.contains(&json!(name)), "{entry}");
                }
                assert!(!names.contains(&json!("ANTHROPIC_API_KEY")), "it would be billed by the token: {entry}");
            }
            _ => {
                let mut all = flags;
                all["CLAUDE_CONFIG_DIR"] = json!(sandbox.config_dir());
                all["HTTP_PROXY"] = json!("http://proxy:1");
                all["CLAUDE_BIN"] = entry["env"]["CLAUDE_BIN"].clone();
                assert_eq!(entry["env"], all);
                assert!(Path::new(all["CLAUDE_BIN"].as_str().expect("a path")).is_absolute());
            }
        }
    }
    // Where diagnostics go travels along too, and with each set of tools.
    for sets in ["agents", "history"] {
        let more = ["--log-file", "log", "--log-level", "debug"];
        let entry = done(&sandbox, &[&["codex", "--tools", sets][..], &more].concat())["entry"].take();
        let log = sandbox.workspace().join("log");
        assert_eq!(entry["env"], json!({ "CCMCP_LOG_FILE": log, "CCMCP_LOG_LEVEL": "debug" }));
    }
    sandbox.set("CCMCP_LOG_LEVEL", "info");
    let entry = done(&sandbox, &["codex", "--tools", "history"])["entry"].take();
    assert_eq!((&entry["env_vars"], entry.get("env")), (&json!(["CLAUDE_CONFIG_DIR", "CCMCP_LOG_LEVEL"]), None));
    sandbox.unset("CCMCP_LOG_LEVEL");
    // The history tools need no Claude.
    let entry = done(&sandbox, &["cursor", "--tools", "history"])["entry"].take();
    assert_eq!(entry["env"], json!({ "CLAUDE_CONFIG_DIR": sandbox.config_dir() }));
}

#[test]
fn what_each_client_starts_has_its_tools() {
    let sandbox = Sandbox::new();
    for client in CLIENTS {
        let path = file(&sandbox, client);
        done(&sandbox, &[client, "--write"]);
        let entry = parsed(client, &read(&path))[section(client)]["ccmcp"].take();
        let mut command = sandbox.command(entry["command"].as_str().expect("a command"));
        command.args(entry["args"].as_array().expect("a list").iter().filter_map(Value::as_str));
        // A client hands on next to nothing, and knows nothing of a shell.
        let all: Vec<_> =
            command.get_envs().filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned()))).collect();
        let named = |name: &str| {
            let list = entry["env_vars"].as_array();
            client == "claude-code" || list.is_some_and(|names| names.contains(&json!(name)))
        };
        let usual = ["HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "SystemRoot", "TEMP", "TMP", "PATH"];
        command.env_clear();
        command.envs(
            all.into_iter().filter(|(name, _)| name.to_str().is_some_and(|name| usual.contains(&name) || named(name))),
        );
        command.envs(
            entry["env"].as_object().into_iter().flatten().filter_map(|(name, value)| Some((name, value.as_str()?))),
        );
        if client == "claude-code" {
            command.env("CLAUDECODE", "1");
        }
        let mut mcp = Mcp::legacy(&mut command);
        let tools = mcp.tool_names();
        let drives = |name: &str| tools.iter().any(|tool| tool == name);
        assert!(tools.iter().any(|tool| tool == "search"), "{client}: {tools:?}");
        for tool in ["start_session", "spawn_agent"] {
            assert_eq!(drives(tool), client != "claude-code", "{client}: {tool}: {tools:?}");
        }
        assert!(mcp.end().success());
    }
}

#[test]
fn names_that_clients_cannot_use_are_refused() {
    let sandbox = plain();
    for name in ["", "a b", "a.b", "é", &"x".repeat(65)] {
        let run = sandbox.ccmcp(&["config", "codex", "--json", "--name", name]);
        assert_eq!(run.error("SETTING_INVALID")["details"]["field"], "--name");
        assert_eq!(run.status, Some(2));
    }
    let run: Run = sandbox.ccmcp(&["config", "nobody"]);
    assert!(run.status == Some(2) && run.stderr.contains("claude-desktop"), "{run:#?}");
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).expect("the file").permissions().mode() & 0o777
    }

    #[test]
    fn permissions_stay_and_the_backup_has_the_same() {
        let sandbox = plain();
        for (client, bits) in [("codex", 0o600), ("zed", 0o640)] {
            let path = given(&sandbox, client, "");
            fs::write(&path, if client == "codex" { "a = 1\n" } else { "{}" }).unwrap();
            fs::set_permissions(&path, PermissionsExt::from_mode(bits)).unwrap();
            done(&sandbox, &[client, "--write"]);
            assert_eq!((mode(&path), mode(&backups(&path)[0])), (bits, bits));
        }
    }

    #[test]
    fn a_read_only_file_is_left_alone() {
        let sandbox = plain();
        let path = given(&sandbox, "codex", "a = 1\n");
        fs::set_permissions(&path, PermissionsExt::from_mode(0o400)).unwrap();
        let error = sandbox.ccmcp(&["config", "codex", "--write", "--json"]).error("SETTING_INVALID");
        assert!(error["message"].as_str().expect("a message").contains("read-only"), "{error}");
        assert_eq!((read(&path).as_str(), backups(&path).len()), ("a = 1\n", 0));
    }

    #[test]
    fn a_link_stays_one() {
        let sandbox = plain();
        let path = file(&sandbox, "codex");
        let dotfiles = sandbox.root().join("dotfiles");
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::create_dir(&dotfiles).unwrap();
        symlink("../../dotfiles/link.toml", &path).unwrap();
        symlink("codex.toml", dotfiles.join("link.toml")).unwrap();
        // At first it leads nowhere.
        done(&sandbox, &["codex", "--write"]);
        let target = dotfiles.join("codex.toml");
        assert!(path.is_symlink() && dotfiles.join("link.toml").is_symlink() && !target.is_symlink());
        fs::write(&target, "a = 1\n").unwrap();
        done(&sandbox, &["codex", "--write"]);
        assert!(path.is_symlink() && read(&target).starts_with("a = 1\n\n[mcp_servers.ccmcp]\n"));
        assert_eq!(backups(&path).len(), 1, "beside the name that people know");
        assert_eq!(fs::read_dir(&dotfiles).unwrap().count(), 2);
    }

    #[test]
    fn the_path_that_stays_valid_over_upgrades_is_written() {
        let sandbox = plain();
        let link = sandbox.root().join("bin").join("ccmcp");
        symlink(own(), &link).unwrap();
        assert_eq!(done(&sandbox, &["codex"])["entry"]["command"], json!(link));
        // Another ccmcp that comes first in PATH is not the one that runs.
        fs::remove_file(&link).unwrap();
        fs::write(&link, "#!/bin/sh\n").unwrap();
        fs::set_permissions(&link, PermissionsExt::from_mode(0o755)).unwrap();
        assert_eq!(done(&sandbox, &["codex"])["entry"]["command"], own());
    }
}
