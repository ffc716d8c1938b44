//! How sessions, projects and messages are named in a terminal: beginnings, `last`, and what is nearest to a mistake.

use serde_json::{Value, json};

use super::{Written, known, names, serve};
use crate::support::{Sandbox, terminal::Run};

const MADE_UP: &str = "11111111-0000-4000-8000-000000000001";
const OTHER: &str = "22222222-0000-4000-8000-000000000002";

/// Two sessions of one directory and one of the directory that commands run in.
fn written() -> Sandbox {
    let sandbox = Sandbox::new();
    for (id, cwd) in [(MADE_UP, "/home/dev/made-up"), (OTHER, sandbox.workspace().to_str().unwrap())] {
        let slug: String = cwd.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        let mut session = Written::new(&sandbox, &slug, id).in_directory(cwd);
        let first = session.prompt("How high is the lighthouse?");
        session.answer("Very high.");
        session.back_to(&first);
        session.answer("Not very.");
        let second = session.prompt("And how old?");
        session.answer("Very old.");
        session.back_to(&second);
        session.answer("Not very.");
        session.write();
    }
    sandbox
}

/// Every command that takes a session, with where its id is in the answer.
fn commands(session: &str) -> [(Vec<&str>, &'static str); 5] {
    [
        (vec!["tree", session], "/session_id"),
        (vec!["tree", session, "--thread"], "/session_id"),
        (vec!["tree", session, "--forks"], "/session_id"),
        (vec!["tree", session, "--export", "json"], "/session_id"),
        (vec!["search", "lighthouse", "--session", session], "/hits/0/session_id"),
    ]
}

fn json_of(sandbox: &Sandbox, command: &[&str]) -> Value {
    let json = if command.contains(&"--export") { &[][..] } else { &["--json"] };
    sandbox.ccmcp(&[command, json].concat()).answer()
}

#[test]
fn every_command_takes_the_beginning_of_an_id_and_last() {
    let sandbox = written();
    for (name, meant) in
        [("1", MADE_UP), (&MADE_UP[..8], MADE_UP), (MADE_UP, MADE_UP), ("last", OTHER), ("2222", OTHER)]
    {
        for (command, place) in commands(name) {
            assert_eq!(json_of(&sandbox, &command).pointer(place), Some(&json!(meant)), "{command:?}");
        }
    }
    // With a project, the newest of that.
    for project in ["made-up", "-home-dev-made-up", "/home/dev/made-up"] {
        for (command, place) in commands("last") {
            let command = [&command[..], &["--project", project]].concat();
            assert_eq!(json_of(&sandbox, &command).pointer(place), Some(&json!(MADE_UP)), "{command:?}");
        }
    }
    for (command, place) in commands("last") {
        let command = [&command[..], &["-p", "."]].concat();
        assert_eq!(json_of(&sandbox, &command).pointer(place), Some(&json!(OTHER)), "{command:?}");
    }
    for project in [".", "../work", "work"] {
        let listed = json_of(&sandbox, &["sessions", project]);
        assert_eq!((&listed["total"], &listed["sessions"][0]["session_id"]), (&json!(1), &json!(OTHER)), "{project}");
    }
}

#[track_caller]
fn suggests(run: &Run, meant: &str) {
    assert_eq!((run.status, run.stdout.as_str()), (Some(3), ""), "{run:#?}");
    assert!(run.stderr.contains(&format!("hint: Did you mean `{meant}`? `ccmcp ")), "{meant}: {run:#?}");
}

#[test]
fn a_mistyped_id_or_project_is_answered_with_the_nearest() {
    let sandbox = written();
    for typo in ["11112111", "11111110-0000", "111111111-0000", "11111111-0000-4000-8000-000000000003"] {
        for (command, _) in commands(typo) {
            suggests(&sandbox.ccmcp(&command), MADE_UP);
        }
    }
    for typo in ["made_pu", "made-ip", "/home/dev/made-pu"] {
        for command in [&["sessions", typo][..], &["search", "x", "-p", typo], &["tree", "last", "-p", typo]] {
            suggests(&sandbox.ccmcp(command), "/home/dev/made-up");
        }
    }
    for name in ["ffffffff", "112", "zz"] {
        let run = sandbox.ccmcp(&["tree", name]);
        assert!(run.status == Some(3) && !run.stderr.contains("Did you mean"), "{run:#?}");
    }
    // The tools suggest the same.
    let mut mcp = serve(&sandbox);
    let error = mcp.tool_error("get_tree", json!({ "session_id": "11112111" }));
    assert_eq!(error["details"]["sessions"], json!([MADE_UP]), "{error}");
    assert!(error["hint"].as_str().unwrap().starts_with(&format!("Did you mean `{MADE_UP}`? Pass ")), "{error}");
    let error = mcp.tool_error("list_sessions", json!({ "project": "mode-up" }));
    assert_eq!(error["details"]["candidates"], json!(["/home/dev/made-up"]), "{error}");
}

#[test]
fn messages_and_forks_take_beginnings_and_last_too() {
    let sandbox = known();
    let id = &*names()["double_rewind"];
    let forks = json_of(&sandbox, &["tree", id, "--forks"]);
    let all = forks["forks"].as_array().unwrap();
    assert!(!all.is_empty(), "{forks}");
    for fork in all {
        let uuid = fork["fork_uuid"].as_str().unwrap();
        for name in [&uuid[..8], uuid] {
            let one = json_of(&sandbox, &["tree", id, "--forks", name]);
            assert_eq!((&one["total"], &one["forks"][0]), (&json!(1), fork));
        }
        let leaf = fork["branches"][0]["leaf_uuid"].as_str().unwrap();
        for name in [&leaf[..8], leaf] {
            assert_eq!(json_of(&sandbox, &["tree", id, "--thread", name])["leaf_uuid"], leaf);
        }
        let near = format!("{}g{}", &leaf[..4], &leaf[5..8]);
        suggests(&sandbox.ccmcp(&["tree", id, "--thread", &near]), leaf);
        let near = format!("{}g{}", &uuid[..4], &uuid[5..8]);
        suggests(&sandbox.ccmcp(&["tree", id, "--forks", &near]), uuid);
    }
    assert_eq!(json_of(&sandbox, &["tree", id, "--thread", "last"]), json_of(&sandbox, &["tree", id, "--thread"]));
    // Several that begin alike are listed.
    let sandbox = written();
    for (flag, count) in [("--thread", 6), ("--forks", 2)] {
        let run = sandbox.ccmcp(&["tree", MADE_UP, flag, "0000000"]);
        assert!(run.status == Some(3) && run.stderr.matches("\n  0000000").count() == count, "{run:#?}");
    }
    let forks = json_of(&sandbox, &["tree", MADE_UP, "--forks"]);
    let last = json_of(&sandbox, &["tree", MADE_UP, "--forks", "last"]);
    assert_eq!((&last["total"], &last["forks"][0]), (&json!(1), &forks["forks"][1]));
}
