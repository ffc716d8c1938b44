//! The answers of the tools: the same on both faces, in both eras, and as the schemas say.

use serde_json::{Value, json};

use super::{TOOLS, ask, known, names, serve};
use crate::support::{mcp::Mcp, schemas::Schemas};

/// Longer answers are cut by clients.
const LARGEST: usize = 40_000;

fn list(mcp: &mut Mcp) -> Vec<Value> {
    let call = mcp.begin("tools/list", json!({}));
    mcp.result(&call)["tools"].as_array().expect("tools").clone()
}

/// Every question about every known session: the tool, its arguments, and the same on the command line.
fn questions() -> Vec<(&'static str, Value, Vec<String>)> {
    let words = |text: &str| text.split('|').map(str::to_owned).collect::<Vec<_>>();
    let mut questions = vec![
        ("list_projects", json!({}), words("sessions|--projects")),
        ("list_projects", json!({ "limit": 1, "offset": 1 }), words("sessions|--projects|-n|1|--offset|1")),
        ("list_sessions", json!({}), words("sessions")),
        ("list_sessions", json!({ "limit": 3, "offset": 2 }), words("sessions|--limit|3|--offset|2")),
        (
            "list_sessions",
            json!({ "project": "dev-proj", "include_empty": true }),
            words("sessions|dev-proj|--include-empty"),
        ),
        (
            "list_sessions",
            json!({ "since": "2026-11-30T11:43:00Z", "until": "2026-11-30T11:43:10Z" }),
            words("sessions|--since|2026-11-30T11:43:00Z|--until|2026-11-30T11:43:10Z"),
        ),
        ("search", json!({ "query": "möwen" }), words("search|möwen")),
        ("search", json!({ "query": "e", "max_results": 3, "offset": 5 }), words("search|e|-n|3|--offset|5")),
        ("search", json!({ "query": "TRAIN", "case_sensitive": true }), words("search|TRAIN|--case-sensitive")),
        (
            "search",
            json!({ "query": "please by", "mode": "words", "role": "user", "branch": "abandoned" }),
            words("search|please by|--mode|words|--role|user|--branch|abandoned"),
        ),
        (
            "search",
            json!({ "query": "alpha|gamma", "mode": "regex", "in": "tools", "project": "/home/dev/project" }),
            vec!["search", "alpha|gamma", "-m", "regex", "--in", "tools", "-p", "/home/dev/project"]
                .into_iter()
                .map(str::to_owned)
                .collect(),
        ),
        (
            "search",
            json!({ "query": "e", "in": "all", "include_subagents": true, "max_results": 50, "since": "2026-11-30" }),
            words("search|e|--in|all|--include-subagents|-n|50|--since|2026-11-30"),
        ),
    ];
    for id in names().into_values() {
        let prefix = &id[..8];
        questions.extend([
            ("get_tree", json!({ "session_id": id }), words(&format!("tree|{id}"))),
            ("get_forks", json!({ "session_id": prefix }), words(&format!("tree|{prefix}|--forks"))),
            ("get_thread", json!({ "session_id": prefix }), words(&format!("tree|{prefix}|--thread"))),
            (
                "get_thread",
                json!({ "session_id": id, "include_tool_calls": true, "max_chars": 5, "limit": 2, "offset": 1 }),
                words(&format!("tree|{id}|--thread|--tools|--max-chars|5|-n|2|--offset|1")),
            ),
            ("search", json!({ "query": "e", "session_id": prefix }), words(&format!("search|e|--session|{prefix}"))),
        ]);
    }
    questions
}

#[test]
fn both_faces_give_the_same_answers_and_the_schemas_hold() {
    let sandbox = known();
    let mut mcp = serve(&sandbox);
    let schemas = Schemas::of(&mut mcp);
    for (tool, arguments, mut command) in questions() {
        let result = mcp.tool(tool, arguments.clone());
        let structured = &result["structuredContent"];
        assert_eq!(result["isError"], false, "{tool} {arguments}: {structured}");
        schemas.check(tool, structured);
        let text = result["content"][0]["text"].as_str().expect("a text block");
        assert!(structured.to_string().len() < LARGEST && text.len() < LARGEST, "{tool} {arguments}");
        assert!(!text.is_empty() && serde_json::from_str::<Value>(text).is_err(), "for people: {text}");
        command.push("--json".to_owned());
        let words: Vec<_> = command.iter().map(String::as_str).collect();
        let run = sandbox.ccmcp(&words);
        assert_eq!(&run.json(), structured, "{command:?}");
        let found = structured["hits"].as_array().is_none_or(|hits| !hits.is_empty());
        assert_eq!((run.status, run.stderr.as_str()), (Some(i32::from(!found)), ""), "{command:?}");
    }
}

#[test]
fn both_eras_answer_alike() {
    let sandbox = known();
    let mut modern = Mcp::modern(sandbox.command("ccmcp").args(["serve", "--tools", "history"]));
    let mut legacy = serve(&sandbox);
    assert_eq!(list(&mut modern), list(&mut legacy));
    for (tool, arguments, _) in questions().into_iter().take(20) {
        assert_eq!(ask(&mut modern, tool, arguments.clone()), ask(&mut legacy, tool, arguments));
    }
}

#[test]
fn the_tools_come_in_their_order_and_say_that_they_only_read() {
    let sandbox = known();
    let mut mcp = Mcp::start(sandbox.command("ccmcp").args(["serve", "--tools", "history"]));
    let opening = mcp.initialize("2025-11-25");
    let instructions = opening["instructions"].as_str().expect("instructions");
    assert!(instructions.lines().next().unwrap().contains("past Claude Code conversations"), "{instructions}");
    assert!(TOOLS.iter().filter(|tool| instructions.contains(**tool)).count() >= 5, "{instructions}");
    assert!(!instructions.contains("start_session") && !instructions.contains("spawn_agent"), "{instructions}");
    let tools = list(&mut mcp);
    let found: Vec<_> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(found, TOOLS);
    for tool in &tools {
        let hints = &tool["annotations"];
        let hints = ["readOnlyHint", "destructiveHint", "openWorldHint"].map(|hint| hints[hint].as_bool());
        assert_eq!(hints, [Some(true), Some(false), Some(false)], "{tool}");
        // Codex drops every description of a tool that is longer.
        assert!(tool.to_string().len() < 5000, "{} bytes: {tool}", tool.to_string().len());
    }
    insta::assert_json_snapshot!("history_tools", tools);
}

#[test]
fn bounds_and_defaults_stand_in_the_descriptions() {
    let sandbox = known();
    for tool in list(&mut serve(&sandbox)) {
        for (name, schema) in tool["inputSchema"]["properties"].as_object().unwrap() {
            let described = schema["description"].as_str().unwrap_or_default();
            for bound in ["minimum", "maximum"] {
                if let Some(bound) = schema[bound].as_u64().filter(|bound| *bound > 0) {
                    assert!(described.contains(&bound.to_string()), "{name}: {described}");
                }
            }
            for choice in schema["enum"].as_array().into_iter().flatten().filter(|_| name == "mode" || name == "in") {
                assert!(described.contains(choice.as_str().unwrap()), "{name}: {described}");
            }
            let optional = tool["inputSchema"]["required"].as_array().is_none_or(|all| !all.contains(&json!(name)));
            let special =
                ["since", "until", "session_id", "cursor"].contains(&name.as_str()) || described.contains("if its id");
            assert!(
                !optional || special || described.contains("default") || described.contains("left out"),
                "{name}: {described}"
            );
        }
    }
}

#[test]
fn the_text_says_what_the_answer_says() {
    let sandbox = known();
    let mut mcp = serve(&sandbox);
    let names = names();
    let mut text = |tool: &str, arguments: Value| {
        mcp.tool(tool, arguments)["content"][0]["text"].as_str().expect("a text block").to_owned()
    };
    let found = text("search", json!({ "query": "灯台", "role": "user" }));
    assert!(found.contains("«灯台»") && found.contains(&names["unicode"]) && found.starts_with("1 hit"), "{found}");
    let forks = text("get_forks", json!({ "session_id": names["double_rewind"] }));
    assert!(
        forks.contains("rewind") && forks.matches("abandoned").count() == 2 && forks.contains("Why green?"),
        "{forks}"
    );
    let thread = text("get_thread", json!({ "session_id": names["parallel_tools"], "include_tool_calls": true }));
    assert!(thread.contains("echo alpha") && thread.contains("[result: gamma]"), "{thread}");
    let tree = text("get_tree", json!({ "session_id": names["compacted"] }));
    assert!(tree.contains("1 compaction") && tree.contains("compacted at 2026-11-30"), "{tree}");
    let sessions = text("list_sessions", json!({ "limit": 2 }));
    assert!(sessions.contains("11 sessions") && sessions.contains("more: offset 2"), "{sessions}");
    let projects = text("list_projects", json!({}));
    assert!(projects.contains("/home/dev/project: 11 sessions"), "{projects}");
}
