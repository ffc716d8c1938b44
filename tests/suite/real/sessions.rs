//! Sessions on the real CLI: what the scripted one is built to imitate has to hold there first.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    io::Write,
    path::Path,
    process::Stdio,
};

use serde_json::{Value, json};

use crate::support::{LIMIT, Sandbox, api::Api, mcp::Mcp, processes, real::RealClaude, wait_for};

/// A box for one version of the CLI, and the API it talks to.
struct Stage {
    sandbox: Sandbox,
    api: Api,
}

impl Stage {
    fn new(claude: &RealClaude) -> Self {
        let (mut sandbox, api) = (Sandbox::new(), Api::start());
        claude.enter(&mut sandbox, &api);
        Self { sandbox, api }
    }

    fn server(&self) -> Mcp {
        Mcp::legacy(self.sandbox.command("ccmcp").args(["serve", "--tools", "sessions"]))
    }

    fn start(&self, prompt: &str) -> Value {
        json!({ "cwd": self.sandbox.workspace(), "initial_prompt": prompt, "model": "sonnet" })
    }

    fn send(&self, session: &Value, message: &str) -> Value {
        json!({ "session_id": session, "cwd": self.sandbox.workspace(), "message": message, "model": "sonnet" })
    }

    /// The last prompt of the last turn that reached the API.
    fn last_prompt(&self) -> String {
        self.api.turns().last().and_then(|asked| asked.conversation().pop()).map(|(_, text)| text).unwrap_or_default()
    }

    /// No record of the transcript has two prompts or two answers below it.
    fn assert_linear(&self, session: &Value, turns: usize) {
        let records = self.sandbox.transcript(session.as_str().expect("an id"));
        let mut children: BTreeMap<String, Vec<&Value>> = BTreeMap::new();
        let prompts: Vec<&Value> = records
            .iter()
            .filter(|record| record["type"] == "user" && record["isMeta"] != true && !record["message"].is_null())
            .collect();
        for record in &records {
            if let (true, Some(parent)) =
                (record["type"] == "assistant" || record["type"] == "user", record["parentUuid"].as_str())
            {
                children.entry(parent.to_owned()).or_default().push(record);
            }
        }
        assert_eq!(prompts.len(), turns, "one prompt a turn: {prompts:#?}");
        for (parent, children) in children {
            assert!(children.len() < 2, "{parent} has several children: {children:#?}");
        }
    }
}

fn structured(result: &Value) -> &Value {
    let answer = &result["structuredContent"];
    assert_eq!(result["isError"] == true, answer.get("error").is_some(), "{result}");
    answer
}

/// The stage of one test, for every version that is installed.
fn each(test: impl Fn(&Stage, &RealClaude)) {
    for claude in RealClaude::all() {
        test(&Stage::new(&claude), &claude);
    }
}

#[test]
fn a_session_is_started_and_continued_and_its_turns_cost_what_they_cost() {
    each(|stage, claude| {
        let mut server = stage.server();
        let first = server.tool("start_session", stage.start("one"));
        let first = structured(&first).clone();
        assert_eq!(first["response"], "ECHO: one", "{}", claude.version);
        let id = &first["session_id"];
        let mut total = first["total_cost_usd"].as_f64().expect("a cost");
        assert!(total > 0.0);
        assert_eq!(first["turn_cost_usd"], first["total_cost_usd"]);
        for message in ["two", "three"] {
            let answer = server.tool("send_message", stage.send(id, message));
            let answer = structured(&answer).clone();
            assert_eq!((&answer["response"], &answer["session_id"]), (&json!(format!("ECHO: {message}")), id));
            let now = answer["total_cost_usd"].as_f64().expect("a cost");
            let turn = answer["turn_cost_usd"].as_f64().expect("known: one version wrote all of it");
            // 2.1.332 goes on from the last total, 2.1.238 counts each process from 0.
            let before = if now > total * 1.01 { total } else { 0.0 };
            assert!((now - before - turn).abs() < 1e-9, "{} {message}: {now} {before} {turn}", claude.version);
            total = now;
        }
        let spoken: Vec<String> =
            stage.api.turns().last().expect("a turn").conversation().into_iter().map(|(_, text)| text).collect();
        assert_eq!(spoken, ["one", "ECHO: one", "two", "ECHO: two", "three"]);
        stage.assert_linear(id, 3);
    });
}

#[test]
#[cfg(unix)]
fn progress_is_what_the_cli_prints() {
    use std::os::unix::fs::PermissionsExt;
    each(|stage, claude| {
        // A wrapper keeps what the CLI prints.
        let mut sandbox = Sandbox::new();
        claude.enter(&mut sandbox, &stage.api);
        let (wrapper, kept) = (sandbox.root().join("bin").join("claude"), sandbox.root().join("printed"));
        let script = format!(
            "#!/bin/sh\ncase \"$*\" in *-p) exec \"{0}\" \"$@\" | tee \"{1}\";; *) exec \"{0}\" \"$@\";; esac\n",
            claude.path.display(),
            kept.display()
        );
        fs::write(&wrapper, script).unwrap();
        fs::set_permissions(&wrapper, fs::Permissions::from_mode(0o755)).unwrap();
        sandbox.set("CLAUDE_BIN", &wrapper);
        let mut server = Mcp::legacy(sandbox.command("ccmcp").arg("serve"));
        let arguments =
            json!({ "cwd": sandbox.workspace(), "initial_prompt": "[[pace:1]] a b c d", "model": "sonnet" });
        let call = server.begin_tool("start_session", arguments);
        let answer = server.result(&call);
        assert_eq!(structured(&answer)["response"], "ECHO: [[pace:1]] a b c d");
        let printed = fs::read_to_string(&kept).unwrap();
        let mut printed: Vec<&str> = printed.lines().collect();
        let result = printed.iter().rposition(|line| serde_json::from_str::<Value>(line).unwrap()["type"] == "result");
        printed.remove(result.expect("a result"));
        let told = server.progress(&call);
        let messages: Vec<&str> = told.iter().filter_map(|progress| progress["message"].as_str()).collect();
        assert_eq!(messages, printed, "{}", claude.version);
        let numbers: Vec<Value> = told.iter().map(|progress| progress["progress"].clone()).collect();
        let counted: Vec<Value> = (1..).take(messages.len()).map(|number: u32| json!(f64::from(number))).collect();
        assert_eq!(numbers, counted);
    });
}

#[test]
fn every_failure_of_the_api_has_its_code() {
    let cases = [
        ("[[http:401|authentication_error|no]]", "AUTH_FAILED"),
        ("[[http:403|permission_error|no]]", "AUTH_FAILED"),
        (
            "[[http:400|invalid_request_error|Your credit balance is too low to access the Anthropic API.]]",
            "CREDIT_EXHAUSTED",
        ),
        ("[[http:404|not_found_error|model: sonnet]]", "MODEL_REJECTED"),
        ("[[http:429|rate_limit_error|This request would exceed your rate limit]]", "RATE_LIMITED"),
        ("[[limit:rejected]]", "RATE_LIMITED"),
        ("[[http:529|overloaded_error|Overloaded]]", "CLI_EXIT_UNKNOWN"),
        ("[[http:500|api_error|Internal server error]]", "CLI_EXIT_UNKNOWN"),
        ("[[http:413|request_too_large|Request exceeds the maximum size]]", "CLI_EXIT_UNKNOWN"),
        ("[[http:400|invalid_request_error|prompt is too long: 218312 tokens > 200000 maximum]]", "CLI_EXIT_UNKNOWN"),
    ];
    each(|stage, claude| {
        let mut server = stage.server();
        let calls: Vec<_> = cases
            .iter()
            .map(|(prompt, code)| (server.begin_tool("start_session", stage.start(prompt)), prompt, code))
            .collect();
        for (call, prompt, code) in calls {
            let result = server.result(&call);
            let error = &structured(&result)["error"];
            assert_eq!(error["code"], **code, "{} {prompt}: {error}", claude.version);
            assert!(error["hint"].is_string(), "{error}");
            if *prompt == "[[limit:rejected]]" {
                assert!(error["details"]["resets_at"].is_string(), "{error}");
            }
            if prompt.contains("529") {
                let details = &error["details"];
                assert_eq!(
                    (&details["api_error_status"], &details["retryable"]),
                    (&json!(529), &json!(true)),
                    "{error}"
                );
            }
            let text = result.to_string();
            assert!(!text.contains("session_id") && !text.contains("made-up"), "{text}");
        }
    });
}

#[test]
fn prompts_arrive_as_they_are() {
    let prompts = [
        "\"quotes\" 'and' `more` $HOME $(id) \\ %PATH% !",
        "--resume\n--model opus\n-p",
        "two\n\nlines, a trailing newline, and a tab\t.\n",
        " Möwen, 灯台, नाव 🚢 \u{200d} ",
        "/not-a-command and more",
    ];
    each(|stage, claude| {
        let mut server = stage.server();
        for prompt in prompts {
            let result = server.tool("start_session", stage.start(prompt));
            let answer = structured(&result);
            assert!(answer.get("error").is_none(), "{} {prompt:?}: {answer}", claude.version);
            // A prompt that begins with a slash is a command to the CLI, known or not: it may be answered without the API.
            if !prompt.starts_with('/') {
                assert_eq!(stage.last_prompt(), prompt, "{}", claude.version);
            }
        }
    });
}

#[test]
fn long_prompts_go_through_and_too_long_ones_are_refused_before_anything_is_started() {
    each(|stage, claude| {
        let mut server = stage.server();
        // The CLI takes it, and finds by itself that no model would.
        let result = server.tool("start_session", stage.start(&"nine megabytes ".repeat(600_000)));
        let error = &structured(&result)["error"];
        assert_eq!(error["code"], "CLI_EXIT_UNKNOWN", "{}: {error}", claude.version);
        assert!(error["message"].as_str().is_some_and(|text| text.contains("too long")), "{error}");
        let before = fs::read_dir(stage.sandbox.config_dir().join("projects")).map_or(0, Iterator::count);
        let result = server.tool("start_session", stage.start(&"x".repeat(11_000_000)));
        assert_eq!(structured(&result)["error"]["code"], "SCHEMA_VALIDATION");
        assert_eq!(fs::read_dir(stage.sandbox.config_dir().join("projects")).map_or(0, Iterator::count), before);
    });
}

#[test]
fn limits_and_cancellation_end_the_turn_and_leave_the_session_usable() {
    each(|stage, claude| {
        let mut server = stage.server();
        let first = server.tool("start_session", stage.start("hello"));
        let id = structured(&first)["session_id"].clone();
        for (field, code) in [("timeout_idle_ms", "IDLE_TIMEOUT"), ("timeout_wall_ms", "WALL_TIMEOUT")] {
            let mut arguments = stage.send(&id, &format!("[[gate:{field}]] wait"));
            arguments[field] = json!(2500);
            let result = server.tool("send_message", arguments);
            assert_eq!(structured(&result)["error"]["code"], code, "{}", claude.version);
            assert_eq!(live_owners(&stage.sandbox), 0, "{code}: Claude is gone when the error is there");
        }
        let call = server.begin_tool("send_message", stage.send(&id, "[[gate:cancel]] wait"));
        stage.api.wait_turn("[[gate:cancel]]");
        server.cancel(&call);
        wait_for(LIMIT, "the cancelled turn's Claude is gone", || live_owners(&stage.sandbox) == 0);
        let result = server.tool("send_message", stage.send(&id, "still there?"));
        assert_eq!(structured(&result)["response"], "ECHO: still there?", "{}", claude.version);
    });
}

/// How many living processes say that they own a session.
fn live_owners(sandbox: &Sandbox) -> usize {
    let files = fs::read_dir(sandbox.config_dir().join("sessions")).into_iter().flatten().flatten();
    let alive = |path: &Path| {
        let pid = path.file_stem().and_then(|name| name.to_str()?.parse::<u32>().ok());
        path.extension().is_some_and(|extension| extension == "json")
            && pid.is_some_and(|pid| processes::alive(pid, ""))
    };
    files.filter(|file| alive(&file.path())).count()
}

#[test]
fn two_servers_on_one_session_leave_no_fork() {
    each(|stage, _| {
        let (mut one, mut other) = (stage.server(), stage.server());
        let first = one.tool("start_session", stage.start("hello"));
        let id = structured(&first)["session_id"].clone();
        let held = one.begin_tool("send_message", stage.send(&id, "[[gate:held]] from the one"));
        stage.api.wait_turn("[[gate:held]]");
        let waiting = other.begin_tool("send_message", stage.send(&id, "from the other"));
        // It says that it waits.
        other.wait_progress(&waiting, 1);
        assert!(!other.has_answer(&waiting));
        stage.api.open("held");
        assert_eq!(structured(&one.result(&held))["response"], "ECHO: [[gate:held]] from the one");
        assert_eq!(structured(&other.result(&waiting))["response"], "ECHO: from the other");
        stage.assert_linear(&id, 3);
    });
}

#[test]
fn a_session_that_is_open_elsewhere_is_left_alone() {
    each(|stage, claude| {
        let mut server = stage.server();
        let first = server.tool("start_session", stage.start("hello"));
        let id = structured(&first)["session_id"].clone();
        let mut command = stage.sandbox.command(claude.path.to_str().unwrap());
        command.args(["--resume", id.as_str().unwrap(), "--model", "sonnet", "-p", "[[gate:elsewhere]] hi"]);
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        stage.api.wait_turn("[[gate:elsewhere]]");
        let result = server.tool("send_message", stage.send(&id, "me too"));
        let error = &structured(&result)["error"];
        assert_eq!(error["code"], "SESSION_ID_IN_USE", "{}: {error}", claude.version);
        assert!(error["hint"].as_str().is_some_and(|hint| hint.contains(&child.id().to_string())), "{error}");
        stage.api.open("elsewhere");
        assert!(child.wait().unwrap().success());
        let result = server.tool("send_message", stage.send(&id, "now"));
        assert_eq!(structured(&result)["response"], "ECHO: now");
        stage.assert_linear(&id, 3);
    });
}

#[test]
#[cfg(unix)]
fn a_killed_server_leaves_nothing_alive() {
    for claude in RealClaude::all() {
        let mut stage = Stage::new(&claude);
        claude.allow_tools(&mut stage.sandbox, "Bash");
        let mut server = stage.server();
        let first = server.tool("start_session", stage.start("hello"));
        let id = structured(&first)["session_id"].clone();
        let pids = stage.sandbox.workspace().join("pids");
        // One in the foreground, one that has left everything behind: session, group, parent.
        let command = "(setsid sh -c 'echo $$ >> pids; exec sleep 600' &) ; echo $$ >> pids; exec sleep 600";
        let prompt = format!("[[tool:Bash|{}]]", json!({ "command": command }));
        server.begin_tool("send_message", stage.send(&id, &prompt));
        let running = || {
            let text = fs::read_to_string(&pids).unwrap_or_default();
            let pids: Vec<u32> = text.lines().filter_map(|line| line.parse().ok()).collect();
            pids.into_iter().filter(|pid| processes::alive(*pid, "")).collect::<BTreeSet<_>>()
        };
        wait_for(LIMIT, "both tool processes run", || running().len() == 2);
        processes::kill(server.process());
        wait_for(LIMIT, "nothing is left of the turn", || running().is_empty() && live_owners(&stage.sandbox) == 0);
        let mut next = stage.server();
        let result = next.tool("send_message", stage.send(&id, "and now?"));
        assert_eq!(structured(&result)["response"], "ECHO: and now?", "{}", claude.version);
    }
}

#[test]
fn the_terminal_streams_and_a_session_goes_on_there() {
    let Some(claude) = RealClaude::newest() else { return };
    let stage = Stage::new(&claude);
    let run = |arguments: &[&str], input: &str| {
        let mut command = stage.sandbox.command("ccmcp");
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        let output = crate::support::finish(child);
        (output.status.code(), String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    let (code, stdout, stderr) = run(&["start", "--model", "sonnet", "-"], "from a pipe\n");
    assert_eq!((code, stdout.as_str()), (Some(0), "ECHO: from a pipe\n"), "{stderr}");
    assert!(stderr.contains("ccmcp send "), "{stderr}");
    let (code, stdout, stderr) = run(&["send", "last", "--model", "sonnet", "again"], "");
    assert_eq!((code, stdout.as_str()), (Some(0), "ECHO: again\n"), "{stderr}");
    let (code, stdout, _) = run(&["send", "last", "--model", "sonnet", "--stream-json", "raw"], "");
    assert_eq!(code, Some(0));
    let last: Value = serde_json::from_str(stdout.lines().last().unwrap()).unwrap();
    assert_eq!((&last["type"], &last["result"]), (&json!("result"), &json!("ECHO: raw")));
    let (code, _, stderr) = run(&["start", "--model", "sonnet", "[[http:401|authentication_error|no]]"], "");
    assert_eq!(code, Some(4), "{stderr}");
}
