//! What goes wrong: one code each, the same on both faces, in band, and as the schemas say.

use std::fs;

use serde_json::{Value, json};

use super::{Written, known, names, serve};
use crate::support::{Sandbox, mcp::Mcp, schemas::Schemas};

/// Calls a tool that has to fail, checks the error's shape and that it is the same in the terminal.
#[track_caller]
fn fault(sandbox: &Sandbox, mcp: &mut Mcp, tool: &str, arguments: &Value, command: &[&str], status: i32) -> Value {
    let schemas = Schemas::of(mcp);
    let result = mcp.tool(tool, arguments.clone());
    assert_eq!(result["isError"], true, "{tool} {arguments}: {result}");
    let structured = &result["structuredContent"];
    schemas.check(tool, structured);
    let error = structured["error"].clone();
    assert!(error["message"].is_string() && error["hint"].is_string(), "what, why and what next: {error}");
    if !command.is_empty() {
        let json = [command, &["--json"]].concat();
        let run = sandbox.ccmcp(&json);
        assert_eq!((&run.json(), run.status), (structured, Some(status)), "{command:?}");
        let run = sandbox.ccmcp(command);
        assert_eq!((run.status, run.stdout.as_str()), (Some(status), ""), "{command:?}: {run:#?}");
        assert!(run.stderr.contains(error["code"].as_str().unwrap()) && run.stderr.contains("hint: "), "{run:#?}");
    }
    error
}

#[test]
fn every_code_of_the_contract() {
    let sandbox = known();
    Written::new(&sandbox, "-home-dev-project-b", "11111111-0000-4000-8000-000000000001").write();
    let mut mcp = serve(&sandbox);
    let mut fault = |tool: &str, arguments: Value, command: &[&str], status: i32, code: &str| {
        let error = fault(&sandbox, &mut mcp, tool, &arguments, command, status);
        assert_eq!(error["code"], code, "{error}");
        error
    };
    let (rewind, missing) = (&*names()["rewind"], "00000000-0000-4000-8000-000000000000");
    fault("get_tree", json!({ "session_id": missing }), &["tree", missing], 3, "SESSION_NOT_FOUND");
    let many = fault("get_thread", json!({ "session_id": "4" }), &["tree", "4", "--thread"], 3, "SESSION_AMBIGUOUS");
    assert_eq!(many["details"]["sessions"].as_array().map(Vec::len), Some(2), "{many}");
    fault("list_sessions", json!({ "project": "nowhere" }), &["sessions", "nowhere"], 3, "PROJECT_NOT_FOUND");
    let many = fault(
        "search",
        json!({ "query": "e", "project": "dev" }),
        &["search", "e", "-p", "dev"],
        3,
        "PROJECT_AMBIGUOUS",
    );
    assert_eq!(many["details"]["candidates"].as_array().map(Vec::len), Some(2), "{many}");
    let thread = json!({ "session_id": rewind, "leaf_uuid": "zz" });
    fault("get_thread", thread, &["tree", rewind, "--thread", "zz"], 3, "RECORD_NOT_FOUND");
    let fork = json!({ "session_id": rewind, "fork_uuid": "zz" });
    fault("get_forks", fork, &["tree", rewind, "--forks", "zz"], 3, "RECORD_NOT_FOUND");
    fault("search", json!({ "query": " " }), &["search", " "], 2, "QUERY_INVALID");
    fault("search", json!({ "query": "(", "mode": "regex" }), &["search", "(", "-m", "regex"], 2, "QUERY_INVALID");
    fault("search", json!({ "query": "e", "cursor": "x" }), &["search", "e", "--cursor", "x"], 2, "SCHEMA_VALIDATION");
}

#[test]
fn candidates_are_listed_for_people_too() {
    let sandbox = known();
    Written::new(&sandbox, "-home-dev-project-b", "11111111-0000-4000-8000-000000000001").write();
    let run = sandbox.ccmcp(&["tree", "4"]);
    let names = names();
    assert!(run.stderr.contains(&names["forked_copy"]) && run.stderr.contains(&names["interrupted"]), "{run:#?}");
    let run = sandbox.ccmcp(&["sessions", "dev"]);
    assert!(run.stderr.contains("-home-dev-project-b"), "{run:#?}");
    // No tool of the other face is named to somebody at a terminal.
    for command in [&["tree", "nope"][..], &["sessions", "nope"], &["tree", "last", "--thread", "zz"], &["search", ""]]
    {
        let run = sandbox.ccmcp(command);
        assert!(!["list_", "get_", "leaf_uuid", "`mode`"].iter().any(|word| run.stderr.contains(word)), "{run:#?}");
    }
}

#[test]
fn arguments_are_strict() {
    let sandbox = known();
    let mut mcp = serve(&sandbox);
    let id = &*names()["linear"];
    let rows = [
        ("list_projects", json!({ "limit": 0 }), "limit"),
        ("list_projects", json!({ "limit": 1001 }), "limit"),
        ("list_projects", json!({ "offset": -1 }), "offset"),
        ("list_projects", json!({ "project": "x" }), "project"),
        ("list_sessions", json!({ "project": "" }), "project"),
        ("list_sessions", json!({ "limit": "20" }), "limit"),
        ("list_sessions", json!({ "limit": 2.5 }), "limit"),
        ("list_sessions", json!({ "include_empty": 1 }), "include_empty"),
        ("list_sessions", json!({ "since": "yesterday" }), "since"),
        ("list_sessions", json!({ "until": null }), "until"),
        ("search", json!({}), "query"),
        ("search", json!({ "query": "x".repeat(4001) }), "query"),
        ("search", json!({ "query": "x", "max_results": 51 }), "max_results"),
        ("search", json!({ "query": "x", "mode": "fuzzy" }), "mode"),
        ("search", json!({ "query": "x", "in": "everything" }), "in"),
        ("search", json!({ "query": "x", "role": "model" }), "role"),
        ("search", json!({ "query": "x", "branch": "main" }), "branch"),
        ("search", json!({ "query": "x", "until": "2026-13-01" }), "until"),
        ("search", json!({ "query": "x", "limit": 5 }), "limit"),
        ("get_tree", json!({}), "session_id"),
        ("get_tree", json!({ "session_id": "" }), "session_id"),
        ("get_tree", json!({ "session_id": "x".repeat(101) }), "session_id"),
        ("get_thread", json!({ "session_id": id, "limit": 201 }), "limit"),
        ("get_thread", json!({ "session_id": id, "max_chars": 0 }), "max_chars"),
        ("get_thread", json!({ "session_id": id, "max_chars": 1_000_001 }), "max_chars"),
        ("get_thread", json!({ "session_id": [id] }), "session_id"),
        ("get_forks", json!({ "session_id": id, "leaf_uuid": "x" }), "leaf_uuid"),
    ];
    for (tool, arguments, field) in rows {
        let error = fault(&sandbox, &mut mcp, tool, &arguments, &[], 2);
        assert_eq!(
            (&error["code"], &error["details"]["field"]),
            (&json!("SCHEMA_VALIDATION"), &json!(field)),
            "{arguments}"
        );
        assert!(error["details"]["expected"].is_string(), "{error}");
    }
}

#[test]
fn bad_usage_of_a_command_names_the_option() {
    let sandbox = known();
    let rows: [(&[&str], &str); 11] = [
        (&["sessions", "--limit", "0"], "--limit"),
        (&["sessions", "--since", "soon"], "--since"),
        (&["sessions", "--projects", "x"], "PROJECT"),
        (&["search"], "QUERY"),
        (&["search", "x", "-n", "51"], "--max-results"),
        (&["search", "x", "--mode", "fuzzy"], "--mode"),
        (&["search", "x", "--in", "nothing"], "--in"),
        (&["tree"], "SESSION"),
        (&["tree", "last", "--limit", "5"], "--thread"),
        (&["tree", "last", "--thread", "--forks"], "--forks"),
        (&["tree", "last", "--export", "pdf"], "--export"),
    ];
    for (arguments, name) in rows {
        let run = sandbox.ccmcp(arguments);
        assert_eq!((run.status, run.stdout.as_str()), (Some(2), ""), "{arguments:?}: {run:#?}");
        assert!(run.stderr.contains(name), "{arguments:?}: {run:#?}");
    }
    let run = sandbox.ccmcp(&["tree", "last", "--export", "md", "--json"]);
    assert!(run.status == Some(2) && run.error("SCHEMA_VALIDATION").to_string().contains("--json"), "{run:#?}");
}

#[test]
fn ids_and_projects_are_never_paths() {
    let sandbox = known();
    // Right beside the projects: what a path that leads out would find.
    let secret = "22222222-0000-4000-8000-000000000002";
    let mut outside = Written::new(&sandbox, "../outside", secret);
    outside.prompt("a secret");
    outside.write();
    #[cfg(unix)]
    std::os::unix::fs::symlink(sandbox.config_dir().join("outside"), sandbox.config_dir().join("projects/-linked"))
        .unwrap();
    let mut mcp = serve(&sandbox);
    let absolute = sandbox.config_dir().join("outside").join(secret).display().to_string();
    let up = format!("../outside/{secret}");
    for id in [
        "..",
        "../",
        &*up,
        &*absolute,
        "/etc/passwd",
        "-home-dev-project/3d0b2f0d",
        "%2e%2e",
        "3d0b2f0d\u{0}",
        secret,
        "*",
        "\u{1b}[2J",
    ] {
        for tool in ["get_tree", "get_thread", "get_forks"] {
            let error = mcp.tool_error(tool, json!({ "session_id": id }));
            assert_eq!(error["code"], "SESSION_NOT_FOUND", "{tool} {id:?}: {error}");
        }
        if !id.contains('\u{0}') {
            let run = sandbox.ccmcp(&["tree", "--", id]);
            assert_eq!(run.status, Some(3), "{id:?}: {run:#?}");
            assert!(!run.stderr.contains('\u{1b}'), "{run:#?}");
        }
    }
    let folder = sandbox.config_dir().join("outside").display().to_string();
    for project in ["..", "../outside", &*folder, "/", "-linked", "-home-dev-project/..", "\u{0}"] {
        for (tool, arguments) in [
            ("list_sessions", json!({ "project": project })),
            ("search", json!({ "query": "secret", "project": project })),
        ] {
            let result = mcp.tool(tool, arguments);
            let text = result["structuredContent"].to_string();
            assert!(!text.contains("a secret") && !text.contains(secret), "{tool} {project:?}: {text}");
            assert_eq!(result["isError"], project != "/", "{tool} {project:?}: {text}");
        }
    }
    assert!(!sandbox.ccmcp(&["search", "secret", "--json"]).stdout.contains("a secret"));
}

#[test]
fn unreadable_history_says_so() {
    let sandbox = Sandbox::new();
    fs::write(sandbox.config_dir().join("projects"), "no folder").unwrap();
    let mut mcp = serve(&sandbox);
    for (tool, arguments, command) in [
        ("list_projects", json!({}), &["sessions", "--projects"][..]),
        ("list_sessions", json!({}), &["sessions"]),
        ("search", json!({ "query": "x" }), &["search", "x"]),
        ("get_tree", json!({ "session_id": "x" }), &["tree", "x"]),
    ] {
        let error = fault(&sandbox, &mut mcp, tool, &arguments, command, 1);
        assert_eq!(error["code"], "HISTORY_UNREADABLE", "{error}");
    }
}

/// Not for root, who may read everything.
#[cfg(unix)]
#[test]
fn a_directory_that_cannot_be_read_is_not_an_empty_one() {
    use std::os::unix::fs::PermissionsExt;

    if rustix::process::geteuid().is_root() {
        return;
    }
    let sandbox = known();
    let projects = sandbox.config_dir().join("projects");
    let mode = |mode| {
        for project in fs::read_dir(&projects).unwrap() {
            fs::set_permissions(project.unwrap().path(), PermissionsExt::from_mode(mode)).unwrap();
        }
    };
    mode(0o000);
    let runs = [sandbox.ccmcp(&["sessions"]), sandbox.ccmcp(&["search", "lighthouse"])];
    mode(0o700);
    for run in runs {
        assert!(run.stderr.contains("cannot be read: ") && run.stderr.contains("denied"), "{run:#?}");
    }
}
