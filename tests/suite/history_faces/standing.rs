//! Where history works: without Claude, inside Claude Code, inside a Claude that ccmcp drives, and on an empty machine.

use std::fs;

use serde_json::json;

use super::{TOOLS, Written, ask, known, names, serve};
use crate::support::{Sandbox, mcp::Mcp};

#[test]
fn without_claude_inside_claude_code_and_at_depth_three() {
    let surroundings: [&[(&str, &str)]; 4] = [
        &[("CLAUDE_BIN", "/nowhere/claude")],
        &[("CLAUDECODE", "1")],
        &[("CLAUDE_CODE_WRAPPER_DEPTH", "3"), ("CLAUDECODE", "1")],
        &[("CLAUDE_BIN", "/nowhere/claude"), ("CLAUDE_CODE_WRAPPER_DEPTH", "1"), ("ANTHROPIC_API_KEY", "k")],
    ];
    let plain = ask(&mut serve(&known()), "search", json!({ "query": "bicycle" }));
    for variables in surroundings {
        let mut sandbox = known();
        for (name, value) in variables {
            sandbox.set(name, value);
        }
        let mut mcp = serve(&sandbox);
        assert_eq!(mcp.tool_names(), TOOLS, "{variables:?}");
        assert_eq!(ask(&mut mcp, "search", json!({ "query": "bicycle" })), plain, "{variables:?}");
        assert!(mcp.end().success());
        for command in [&["sessions"][..], &["search", "bicycle"], &["tree", "648c"]] {
            assert_eq!(sandbox.ccmcp(command).status, Some(0), "{variables:?} {command:?}");
        }
    }
}

#[test]
fn all_sets_together_offer_history_last() {
    let sandbox = known();
    let names = Mcp::legacy(sandbox.command("ccmcp").arg("serve")).tool_names();
    assert_eq!(names[..2], ["start_session", "send_message"]);
    assert_eq!(names[names.len() - TOOLS.len()..], TOOLS);
}

#[test]
fn a_machine_without_transcripts_has_an_empty_history() {
    let sandbox = Sandbox::new();
    let mut mcp = serve(&sandbox);
    assert_eq!(ask(&mut mcp, "list_sessions", json!({})), json!({ "sessions": [], "total": 0 }));
    assert_eq!(ask(&mut mcp, "list_projects", json!({}))["total"], 0);
    let found = ask(&mut mcp, "search", json!({ "query": "x" }));
    assert_eq!(found, json!({ "hits": [], "total": 0, "complete": true, "files_searched": 0 }));
    let run = sandbox.ccmcp(&["sessions"]);
    assert_eq!((run.status, run.stdout.as_str(), run.stderr.as_str()), (Some(0), "", "No sessions.\n"));
    let run = sandbox.ccmcp(&["search", "x"]);
    assert_eq!((run.status, run.stdout.as_str()), (Some(1), ""), "{run:#?}");
    let run = sandbox.ccmcp(&["tree", "last"]);
    assert_eq!(run.status, Some(3), "{run:#?}");
    assert!(!sandbox.config_dir().join("projects").exists(), "looking creates nothing");
}

#[test]
fn the_session_that_asks_is_left_out() {
    let mut sandbox = known();
    let linear = names()["linear"].clone();
    let all = json!({ "query": "lighthouse" });
    let total = |mcp: &mut Mcp, arguments| ask(mcp, "search", arguments)["total"].as_u64().unwrap();
    let everything = total(&mut serve(&sandbox), all.clone());
    assert!(everything > 0);

    sandbox.set("CLAUDE_CODE_SESSION_ID", &linear);
    let mut mcp = serve(&sandbox);
    assert_eq!(total(&mut mcp, all.clone()), 0);
    assert_eq!(total(&mut mcp, json!({ "query": "lighthouse", "include_current": true })), everything);
    assert_eq!(sandbox.ccmcp(&["search", "lighthouse"]).status, Some(1));
    let run = sandbox.ccmcp(&["search", "lighthouse", "--include-current", "--json"]);
    assert_eq!(run.json()["total"], everything);
    sandbox.unset("CLAUDE_CODE_SESSION_ID");

    // A request can tell it as well: by the call that it comes from.
    let mut asking = Written::new(&sandbox, "-home-dev-project", "33333333-0000-4000-8000-000000000003");
    asking.prompt("Where was the lighthouse?");
    asking.blocks(&json!([{ "type": "tool_use", "id": "toolu_asking", "name": "mcp__ccmcp__search", "input": {} }]));
    asking.write();
    let mut mcp = serve(&sandbox);
    assert_eq!(total(&mut mcp, all.clone()), everything + 1);
    let meta = json!({ "claudecode/toolUseId": "toolu_asking" });
    let call = mcp.begin("tools/call", json!({ "name": "search", "arguments": all, "_meta": meta }));
    assert_eq!(mcp.result(&call)["structuredContent"]["total"], everything);
}

#[test]
fn last_is_the_newest_of_this_directory_or_of_all() {
    let sandbox = known();
    let of = |run: crate::support::terminal::Run| run.json()["session_id"].as_str().unwrap().to_owned();
    assert_eq!(of(sandbox.ccmcp(&["tree", "last", "--json"])), names()["two_writers"], "the newest of all");
    let here = dunce::canonicalize(sandbox.workspace()).unwrap().display().to_string();
    let id = "44444444-0000-4000-8000-000000000004";
    let mut own = Written::new(&sandbox, "-here", id).in_directory(&here);
    own.prompt("An older one, but from here.");
    own.write();
    let slug: String =
        here.chars().map(|character| if character.is_ascii_alphanumeric() { character } else { '-' }).collect();
    fs::rename(sandbox.config_dir().join("projects/-here"), sandbox.config_dir().join("projects").join(slug)).unwrap();
    assert_eq!(of(sandbox.ccmcp(&["tree", "last", "--json"])), id);
    assert_eq!(of(sandbox.ccmcp(&["tree", "last", "-p", "dev/project", "--json"])), names()["two_writers"]);
    let run = sandbox.ccmcp(&["sessions", ".", "--json"]);
    assert_eq!((run.json()["total"].as_u64(), &run.json()["sessions"][0]["session_id"]), (Some(1), &json!(id)));
    let found = sandbox.ccmcp(&["search", "older", "--session", "last", "--json"]).json();
    assert_eq!(found["hits"][0]["session_id"], id);
    // Here it needs no change of directory.
    assert!(sandbox.ccmcp(&["tree", "last"]).stderr.ends_with(&format!("go on: claude --resume {id}\n")));
}

#[test]
fn what_ccmcp_itself_produces_is_found_with_its_rewind() {
    let sandbox = Sandbox::new();
    let start = sandbox.ccmcp(&["start", "--model", "haiku", "--json", "What is a lighthouse?"]).answer();
    let id = start["session_id"].as_str().unwrap();
    sandbox.ccmcp(&["send", id, "--model", "haiku", "--json", "How tall is it?"]).answer();
    let thread = sandbox.ccmcp(&["tree", id, "--thread", "--json"]).json();
    let answer = thread["messages"][1]["uuid"].as_str().unwrap();
    let again = ["send", id, "--model", "haiku", "--json", "Who built it?", "--", "--resume-session-at", answer];
    sandbox.ccmcp(&again).answer();
    let forks = sandbox.ccmcp(&["tree", id, "--forks", "--json"]).json();
    let fork = &forks["forks"][0];
    assert_eq!((&fork["kind"], &fork["fork_uuid"]), (&json!("rewind"), &json!(answer)), "{forks}");
    let found = sandbox.ccmcp(&["search", "how tall", "--role", "user", "--json"]).json();
    assert_eq!((&found["total"], &found["hits"][0]["branch"]), (&json!(1), &json!("abandoned")), "{found}");
    let thread = sandbox.ccmcp(&["tree", id, "--thread", "--json"]).json();
    let said: Vec<_> = thread["messages"].as_array().unwrap().iter().map(|message| &message["text"]).collect();
    assert_eq!(said, ["What is a lighthouse?", "ECHO: What is a lighthouse?", "Who built it?", "ECHO: Who built it?"]);
}
