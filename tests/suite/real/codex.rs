//! The Codex CLI as an MCP client of ccmcp: what its model is shown of the tools, and what comes back from them.

use std::process::Output;

use serde_json::{Value, json};

use crate::support::{
    Sandbox,
    api::Api,
    codex::{RealCodex, Trap},
    finish,
    mcp::Mcp,
    real::RealClaude,
    responses::{Responses, Turn, outputs},
};

/// What Codex calls the server.
const SERVER: &str = "mcp__ccmcp";

/// The most that all tools may take of Codex's request, in bytes of compact JSON: instructions, descriptions and arguments.
const BUDGET: usize = 17_000;

fn tool(name: &str, arguments: Value) -> Turn {
    Turn::Tool { server: SERVER.to_owned(), name: name.to_owned(), arguments }
}

/// The JSON in an output: Codex puts a line about the time before it.
#[track_caller]
fn answer(output: &Value) -> Value {
    let text = output.as_str().or_else(|| output[0]["text"].as_str()).unwrap_or_else(|| panic!("no text: {output}"));
    let at = text.find('{').unwrap_or_else(|| panic!("no JSON: {text}"));
    serde_json::from_str(&text[at..]).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// A model that spawns an agent, waits for it, reads it and says what it has learnt, from nothing but what it is told.
fn coordinate(task: &'static str) -> impl Fn(&[Value]) -> Turn + Send + Sync {
    move |outputs| {
        let told = |index: usize| answer(&outputs[index]);
        match outputs.len() {
            0 => tool("spawn_agent", json!({ "task": task, "model": "sonnet" })),
            1 => {
                let agent = told(0);
                let asked = json!({ "agent_ids": [agent["agent_id"]], "after_cursor": agent["cursor"],
                                    "until": "turn_end", "timeout_ms": 25_000 });
                tool("wait_agent", asked)
            }
            2 => tool("read_agent", json!({ "agent_id": told(0)["agent_id"] })),
            _ => Turn::Say(format!("The agent said: {}", told(1)["results"][0]["result"])),
        }
    }
}

/// Runs Codex with a prompt; it has to end well and to have spoken to nobody but the API.
fn run(codex: &RealCodex, sandbox: &Sandbox, api: &Responses) -> Output {
    let trap = Trap::set();
    let output = finish(codex.exec(sandbox, api, &trap, "coordinate").spawn().expect("it starts"));
    assert!(output.status.success(), "{output:?}");
    assert!(trap.is_empty(), "it tried to reach something beyond this machine");
    assert_eq!(api.others(), Vec::<String>::new());
    output
}

/// The last thing that Codex showed its user.
fn said(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stdout);
    let items = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut messages = items.filter(|event| event["item"]["type"] == "agent_message");
    messages.next_back().map(|event| event["item"]["text"].as_str().unwrap_or_default().to_owned()).unwrap_or_default()
}

#[test]
fn it_spawns_an_agent_waits_for_it_and_reads_it() {
    let Some(codex) = RealCodex::find() else { return };
    let sandbox = Sandbox::new();
    let api = Responses::start(coordinate("say hello"));
    let output = run(&codex, &sandbox, &api);
    assert_eq!(said(&output), "The agent said: \"ECHO: say hello\"", "{output:?}");
    let rounds = api.rounds();
    assert_eq!(rounds.len(), 4);
    let told: Vec<Value> = outputs(&rounds[3]).iter().map(answer).collect();
    assert_eq!(told[0]["state"], "queued");
    assert_eq!((&told[1]["timed_out"], &told[1]["results"][0]["status"]), (&json!(false), &json!("succeeded")));
    assert_eq!(told[2]["latest_result"]["payload"]["result"], "ECHO: say hello");
    assert_eq!(told[2]["agent"]["agent_id"], told[0]["agent_id"]);
}

#[test]
fn it_does_so_with_the_real_claude_behind_it() {
    let (Some(codex), Some(claude)) = (RealCodex::find(), RealClaude::newest()) else { return };
    let (mut sandbox, messages) = (Sandbox::new(), Api::start());
    claude.enter(&mut sandbox, &messages);
    let api = Responses::start(coordinate("say hello"));
    let output = run(&codex, &sandbox, &api);
    assert_eq!(said(&output), "The agent said: \"ECHO: say hello\"", "{output:?}");
    messages.wait_turn("say hello");
}

#[test]
fn its_model_sees_every_tool_with_its_words() {
    let Some(codex) = RealCodex::find() else { return };
    let sandbox = Sandbox::new();
    let api = Responses::start(|_| Turn::Say("nothing to do".to_owned()));
    run(&codex, &sandbox, &api);
    let rounds = api.rounds();
    let tools = rounds[0]["tools"].as_array().expect("tools");
    let ccmcp = tools.iter().find(|tool| tool["name"] == SERVER).unwrap_or_else(|| panic!("no {SERVER}: {tools:?}"));
    assert!(ccmcp["description"].as_str().expect("instructions").contains("Claude Code sessions"), "{ccmcp}");
    let seen = ccmcp["tools"].as_array().expect("tools");

    let mut mcp = Mcp::legacy(sandbox.command("ccmcp").arg("serve"));
    let call = mcp.begin("tools/list", json!({}));
    let offered = mcp.result(&call)["tools"].take();
    let offered = offered.as_array().expect("tools");
    assert_eq!(seen.len(), offered.len(), "{seen:?}");
    for tool in offered {
        let name = &tool["name"];
        let shown = seen.iter().find(|shown| &shown["name"] == name).unwrap_or_else(|| panic!("{name} is not shown"));
        assert_eq!(shown["description"], tool["description"], "{name}");
        let properties = tool["inputSchema"]["properties"].as_object().expect("properties");
        let parameters = &shown["parameters"];
        assert_eq!(parameters["properties"].as_object().map(serde_json::Map::len), Some(properties.len()), "{name}");
        for (field, schema) in properties {
            let parameter = &parameters["properties"][field];
            assert_eq!(parameter["description"], schema["description"], "{name}.{field}: words are dropped");
            assert_eq!(parameter["enum"], schema["enum"], "{name}.{field}");
        }
        let required = tool["inputSchema"].get("required").and_then(Value::as_array).map_or(0, Vec::len);
        assert_eq!(parameters["required"].as_array().map_or(0, Vec::len), required, "{name}");
    }
    let size = ccmcp.to_string().len();
    println!("in Codex's request the tools take {size} bytes, about {} tokens", size / 4);
    assert!(size < BUDGET, "{size} bytes");
}

#[test]
fn its_model_lists_and_reads_past_sessions_as_resources() {
    let Some(codex) = RealCodex::find() else { return };
    let sandbox = Sandbox::new();
    let cwd = sandbox.workspace();
    let api = Responses::start(move |outputs| {
        let own = |name: &str, arguments| Turn::Own { name: name.to_owned(), arguments };
        match outputs.len() {
            0 => tool("start_session", json!({ "cwd": cwd, "initial_prompt": "a lighthouse", "model": "haiku" })),
            1 => own("list_mcp_resources", json!({ "server": "ccmcp" })),
            2 => {
                let uri = answer(&outputs[1])["resources"][0]["uri"].clone();
                own("read_mcp_resource", json!({ "server": "ccmcp", "uri": uri }))
            }
            _ => Turn::Say("read".to_owned()),
        }
    });
    run(&codex, &sandbox, &api);
    let rounds = api.rounds();
    let told = outputs(rounds.last().expect("a round"));
    let session = answer(&told[0])["session_id"].as_str().expect("a session").to_owned();
    assert_eq!(answer(&told[1])["resources"][0]["uri"], format!("ccmcp://session/{session}"));
    let text = told[2].to_string();
    assert!(text.contains("ECHO: a lighthouse") && text.contains("text/markdown"), "{text}");
}
