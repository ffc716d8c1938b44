//! Which tools there are, in which order, and what the list says of them.

use serde_json::{Value, json};

use super::ground::ERAS;
use crate::support::{Sandbox, mcp::Mcp};

const AGENTS: [&str; 9] = [
    "spawn_agent",
    "send_message",
    "followup_task",
    "wait_agent",
    "interrupt_agent",
    "list_agents",
    "list_models",
    "read_agent",
    "close_agent",
];

fn list(mcp: &mut Mcp) -> Value {
    let call = mcp.begin("tools/list", json!({}));
    mcp.result(&call)["tools"].take()
}

fn serve(sandbox: &Sandbox, tools: &str) -> Mcp {
    Mcp::legacy(sandbox.command("ccmcp").args(["serve", "--tools", tools]))
}

#[test]
fn the_list_of_the_agents_tools() {
    let sandbox = Sandbox::new();
    let lists = ERAS.map(|open| list(&mut open(&sandbox)));
    assert_eq!(lists[0], lists[1], "the same in both eras");
    let names: Vec<&Value> = lists[0].as_array().unwrap().iter().map(|tool| &tool["name"]).collect();
    assert_eq!(names, AGENTS);
    insta::assert_json_snapshot!("agents_tools", lists[0]);
}

#[test]
fn with_the_sessions_there_is_one_send_message_for_both() {
    let sandbox = Sandbox::new();
    let mut mcp = serve(&sandbox, "sessions,agents");
    let tools = list(&mut mcp);
    let tools = tools.as_array().unwrap();
    let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    let others: Vec<&str> = AGENTS.into_iter().filter(|name| *name != "send_message").collect();
    assert_eq!(names, [&["start_session", "send_message"], others.as_slice()].concat());
    insta::assert_json_snapshot!("shared_send_message", tools[1]);
    // All other tools are what they are alone.
    let alone = list(&mut serve(&sandbox, "agents"));
    let alone: Vec<&Value> = alone.as_array().unwrap().iter().filter(|tool| tool["name"] != "send_message").collect();
    assert_eq!(tools[2..].iter().collect::<Vec<_>>(), alone);
}

#[test]
fn all_sets_begin_with_sessions_then_agents() {
    let sandbox = Sandbox::new();
    let mut mcp = Mcp::legacy(sandbox.command("ccmcp").arg("serve"));
    let names = mcp.tool_names();
    assert_eq!(names[..3], ["start_session", "send_message", "spawn_agent"]);
    assert_eq!(names.iter().filter(|name| AGENTS.contains(&name.as_str())).count(), AGENTS.len());
}

#[test]
fn annotations_say_what_each_tool_does_to_the_world() {
    let sandbox = Sandbox::new();
    for tool in list(&mut serve(&sandbox, "agents")).as_array().unwrap() {
        let name = tool["name"].as_str().unwrap();
        let hint = |key: &str| tool["annotations"][key].as_bool().unwrap();
        let (reads, destroys) = (hint("readOnlyHint"), hint("destructiveHint"));
        let expected = match name {
            "wait_agent" | "read_agent" | "list_agents" | "list_models" => (true, false, false),
            "spawn_agent" => (false, false, true),
            "close_agent" => (false, true, false),
            _ => (false, false, false),
        };
        assert_eq!((reads, destroys, hint("openWorldHint")), expected, "{name}");
        assert!(tool.to_string().len() < 5000, "{name} has {} bytes", tool.to_string().len());
    }
}

#[test]
fn the_instructions_tell_how_agents_are_used() {
    let sandbox = Sandbox::new();
    let mut mcp = Mcp::start(sandbox.command("ccmcp").args(["serve", "--tools", "agents"]));
    let opening = mcp.initialize("2025-11-25");
    let text = opening["instructions"].as_str().unwrap();
    assert!(text.lines().next().unwrap().chars().count() <= 240);
    for word in ["spawn_agent", "wait_agent", "followup_task", "worktree"] {
        assert!(text.contains(word), "{word}: {text}");
    }
}
