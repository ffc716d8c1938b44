//! Which session a send means, and whether it may be sent to.

use std::fs;

use serde_json::{Value, json};

use crate::support::{
    LIMIT, Sandbox,
    fake::{Launch, Script, Turn},
    processes::start_of,
    wait_for,
};

/// A session that exists nowhere.
const NOBODY: &str = "11111111-2222-4333-8444-555555555555";

/// `ccmcp send --json` with the session's directory named.
fn arguments<'a>(session: &'a str, cwd: &'a str) -> [&'a str; 8] {
    ["send", session, "--json", "--model", "opus", "--cwd", cwd, "hi"]
}

/// Writes the note of an owner of `session` as the CLI does.
fn own(sandbox: &Sandbox, session: &str, pid: u32, start: &str) {
    let folder = sandbox.config_dir().join("sessions");
    fs::create_dir_all(&folder).expect("a folder");
    let note = json!({ "pid": pid, "sessionId": session, "procStart": start, "kind": "interactive" });
    fs::write(folder.join(format!("{pid}.json")), note.to_string()).expect("a note");
}

#[test]
fn a_session_of_another_directory_is_not_found_and_the_hint_names_the_right_one() {
    let mut sandbox = Sandbox::new();
    let fake = sandbox.script(&Script::new());
    let session = sandbox.session();
    let elsewhere = sandbox.root().join("elsewhere");
    fs::create_dir(&elsewhere).expect("a folder");
    let run = sandbox.ccmcp(&arguments(&session, elsewhere.to_str().expect("UTF-8")));
    let error = run.error("SESSION_NOT_FOUND");
    assert_eq!(run.status, Some(3));
    let right = sandbox.workspace();
    assert!(error["hint"].as_str().expect("a hint").contains(right.to_str().expect("UTF-8")), "{error}");
    assert!(!run.stdout.contains(&session), "no session id in an error: {run:#?}");
    let run = sandbox.ccmcp(&arguments(NOBODY, right.to_str().expect("UTF-8")));
    run.error("SESSION_NOT_FOUND");
    assert_eq!((run.status, fake.launches()), (Some(3), 1), "nothing was launched for either");
}

#[test]
#[cfg(unix)]
fn a_directory_is_the_same_by_whatever_path() {
    let mut sandbox = Sandbox::new();
    let fake = sandbox.script(&Script::new());
    let session = sandbox.session();
    let link = sandbox.root().join("link");
    std::os::unix::fs::symlink(sandbox.workspace(), &link).expect("a link");
    let dotted = sandbox.workspace().join("..").join("work").join(".");
    for path in [link, dotted] {
        let answer = sandbox.ccmcp(&arguments(&session, path.to_str().expect("UTF-8"))).answer();
        assert_eq!(answer["session_id"], session.as_str());
    }
    assert!((0..3).all(|launch| fake.launch(launch).cwd == sandbox.workspace()));
    // And a session that was started through a link is found through the real path.
    let link = sandbox.root().join("link");
    let link = link.to_str().expect("UTF-8");
    let started = sandbox.ccmcp(&["start", "--json", "--model", "opus", "--cwd", link, "hi"]).answer();
    let started = started["session_id"].as_str().expect("an id");
    sandbox.ccmcp(&arguments(started, sandbox.workspace().to_str().expect("UTF-8"))).answer();
}

#[test]
fn a_bad_directory_is_told_before_anything_is_launched() {
    let mut sandbox = Sandbox::new();
    let fake = sandbox.script(&Script::new());
    let file = sandbox.root().join("file");
    fs::write(&file, "").expect("a file");
    let missing = sandbox.root().join("missing");
    for (bad, why) in [(&file, "not a directory"), (&missing, "does not exist")] {
        let bad = bad.to_str().expect("UTF-8");
        let run = sandbox.ccmcp(&["start", "--json", "--model", "opus", "--cwd", bad, "hi"]);
        let error = run.error("CWD_INVALID");
        assert_eq!((run.status, &error["details"]["field"]), (Some(2), &json!("cwd")));
        assert!(error["message"].as_str().expect("a message").contains(why), "{error}");
    }
    assert_eq!(fake.launches(), 0);
}

#[test]
#[cfg(target_os = "linux")]
fn a_living_owner_elsewhere_keeps_the_session() {
    let mut sandbox = Sandbox::new();
    let fake = sandbox.script(&Script::new());
    let session = sandbox.session();
    let me = std::process::id();
    let start = start_of(me).expect("this process");
    own(&sandbox, &session, me, &start);
    let run = sandbox.send(&session, "hi");
    let error = run.error("SESSION_ID_IN_USE");
    assert_eq!(run.status, Some(1));
    assert!(error["hint"].as_str().expect("a hint").contains(&format!("process {me}")), "{error}");
    assert!(!run.stdout.contains(&session), "{run:#?}");
    assert_eq!(fake.launches(), 1);
    // Another start time: the owner is dead, and its pid has a new holder.
    own(&sandbox, &session, me, "1");
    sandbox.send(&session, "hi").answer();
    own(&sandbox, NOBODY, me, &start);
    sandbox.send(&session, "hi").answer();
}

#[test]
#[cfg(target_os = "linux")]
fn a_claude_of_somebody_else_is_a_living_owner_while_it_lives() {
    let mut sandbox = Sandbox::new();
    let gate = sandbox.gate("end");
    sandbox.script(&Script::new().always(Launch::turn(Turn::echo().before(gate.step()))));
    let id = NOBODY;
    let mut command = sandbox.command("fake-claude");
    command.args(["--session-id", id, "--model", "opus", "--output-format", "stream-json", "--verbose", "-p"]);
    let other = crate::support::terminal::spawn(command, b"mine");
    wait_for(LIMIT, "the other Claude owns the session", || !sandbox.transcript(id).is_empty());
    let error = sandbox.send(id, "hi").error("SESSION_ID_IN_USE");
    assert!(error["hint"].as_str().expect("a hint").contains(&format!("process {}", other.pid())), "{error}");
    gate.open();
    other.finish();
    assert_eq!(sandbox.send(id, "hi").answer()["session_id"], id);
    let records = sandbox.transcript(id);
    let chain: Vec<&Value> = records.iter().filter(|record| record["uuid"].is_string()).collect();
    assert!(chain.windows(2).all(|pair| pair[1]["parentUuid"] == pair[0]["uuid"]), "one chain, no fork");
}

#[test]
fn an_executable_that_cannot_be_started_is_told_as_such() {
    let mut sandbox = Sandbox::new();
    let script = sandbox.root().join("not-a-program");
    fs::write(&script, "#!/missing/interpreter\n").expect("a file");
    let missing = sandbox.root().join("missing");
    let run = |sandbox: &Sandbox| {
        let run = sandbox.start("hi");
        run.error("SPAWN_FAILED");
        assert_eq!(run.status, Some(4), "{run:#?}");
    };
    sandbox.set("CLAUDE_BIN", &missing);
    run(&sandbox);
    sandbox.set("CLAUDE_BIN", &script);
    run(&sandbox);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // Executable by its rights, and the system refuses.
        fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).expect("rights");
        run(&sandbox);
    }
    sandbox.unset("CLAUDE_BIN");
    run(&sandbox);
}

#[test]
fn the_executable_is_found_in_the_order_of_the_contract() {
    let mut sandbox = Sandbox::new();
    let fake = sandbox.script(&Script::new());
    let claude = fake_path(&sandbox);
    // In PATH, and in the usual place.
    for place in ["bin", "home/.local/bin"] {
        let folder = sandbox.root().join(place);
        fs::create_dir_all(&folder).expect("a folder");
        let target = folder.join(format!("claude{}", std::env::consts::EXE_SUFFIX));
        fs::copy(&claude, &target).expect("a copy");
        sandbox.unset("CLAUDE_BIN");
        sandbox.start("hi").answer();
        fs::remove_file(target).expect("the copy");
    }
    let missing = sandbox.root().join("missing");
    sandbox.set("CLAUDE_MCP_CLAUDE_EXECUTABLE", &claude);
    sandbox.start("hi").answer();
    sandbox.set("CLAUDE_BIN", &missing);
    sandbox.start("hi").error("SPAWN_FAILED");
    let named = ["--claude-bin", claude.to_str().expect("UTF-8")];
    sandbox.ccmcp(&[&["start", "--json", "--model", "opus", "hi"], &named[..]].concat()).answer();
    assert_eq!(fake.launches(), 4);
}

fn fake_path(sandbox: &Sandbox) -> std::path::PathBuf {
    sandbox.command("fake-claude").get_program().into()
}
