//! Exports: everything that was said, uncut, and nothing else.

use serde_json::{Value, json};

use super::{Written, ask, known, names, serve};
use crate::support::Sandbox;

#[test]
fn the_json_export_is_the_whole_thread() {
    let sandbox = known();
    let mut mcp = serve(&sandbox);
    for id in names().into_values() {
        let whole = json!({ "session_id": id, "limit": 200, "max_chars": 1_000_000, "include_tool_calls": true });
        let exported = sandbox.ccmcp(&["tree", &id, "--export", "json", "--tools"]);
        assert_eq!((exported.status, exported.stderr.as_str()), (Some(0), ""));
        assert_eq!(exported.json(), ask(&mut mcp, "get_thread", whole));
    }
}

#[test]
fn a_long_thread_is_exported_uncut() {
    let sandbox = Sandbox::new();
    let id = "77777777-0000-4000-8000-000000000007";
    let mut long = Written::new(&sandbox, "-long", id);
    let texts: Vec<String> = (0..300).map(|number| format!("{number}: {}", "x".repeat(3000))).collect();
    for text in &texts {
        long.prompt(text);
        long.answer(&format!("to {text}"));
    }
    long.write();
    let exported = sandbox.ccmcp(&["tree", "7777", "--export", "json"]).json();
    let messages = exported["messages"].as_array().unwrap();
    let said: Vec<_> = messages.iter().map(|message| message["text"].as_str().unwrap().to_owned()).collect();
    let expected: Vec<_> = texts.iter().flat_map(|text| [text.clone(), format!("to {text}")]).collect();
    assert_eq!(said, expected);
    assert!(messages.iter().all(|message| message.get("truncated").is_none()) && exported.get("next_offset").is_none());
}

/// Reads a Markdown export back: role, text, for every message.
fn read(document: &str) -> Vec<(String, String)> {
    let mut messages: Vec<(String, String)> = Vec::new();
    for line in document.lines() {
        match line.strip_prefix("## ") {
            Some(heading) => {
                let role = heading.split(' ').next().unwrap().to_lowercase();
                messages.push((role, String::new()));
            }
            None => {
                if let Some((_, text)) = messages.last_mut() {
                    text.push_str(line);
                    text.push('\n');
                }
            }
        }
    }
    messages.into_iter().map(|(role, text)| (role, text.trim().to_owned())).collect()
}

#[test]
fn the_markdown_export_reads_back() {
    let sandbox = known();
    for (name, id) in names() {
        // Tools stand between the texts; a document of their own follows below.
        if name == "parallel_tools" || name == "subagent" {
            continue;
        }
        let json = sandbox.ccmcp(&["tree", &id, "--export", "json"]).json();
        let said = |message: &Value| {
            let text = message["text"].as_str().unwrap().trim().to_owned();
            (message["role"].as_str().unwrap().to_owned(), text)
        };
        let expected: Vec<_> = json["messages"].as_array().unwrap().iter().map(said).collect();
        let document = sandbox.ccmcp(&["tree", &id, "--export", "md"]);
        assert_eq!((document.status, document.stderr.as_str()), (Some(0), ""));
        assert_eq!(read(&document.stdout), expected, "{name}: {}", document.stdout);
    }
}

#[test]
fn a_document_with_tools_and_another_branch() {
    let sandbox = known();
    let names = names();
    insta::assert_snapshot!(
        "tools_md",
        sandbox.ccmcp(&["tree", &names["parallel_tools"], "--export", "md", "--tools"]).stdout
    );
    let forks = sandbox.ccmcp(&["tree", &names["rewind"], "--forks", "--json"]).json();
    let branches = forks["forks"][0]["branches"].as_array().unwrap();
    let left = branches.iter().find(|branch| branch["branch"] == "abandoned").unwrap()["leaf_uuid"].as_str().unwrap();
    let document = sandbox.ccmcp(&["tree", "648c", "--export", "md", "--thread", &left[..8]]).stdout;
    assert!(document.contains("By train, please.") && !document.contains("By bicycle"), "{document}");
    assert!(document.contains("- Branch: abandoned"), "{document}");
}

#[test]
fn an_abandoned_branch_is_never_said_to_go_on() {
    let sandbox = known();
    let rewind = &names()["rewind"];
    let forks = sandbox.ccmcp(&["tree", rewind, "--forks", "--json"]).json();
    for branch in forks["forks"][0]["branches"].as_array().unwrap() {
        let run = sandbox.ccmcp(&["tree", rewind, "--thread", branch["leaf_uuid"].as_str().unwrap()]);
        let goes_on = run.stderr.contains("claude --resume");
        assert_eq!(goes_on, branch["branch"] == "primary", "{run:#?}");
        assert_eq!(run.stderr.contains("an abandoned branch"), !goes_on, "{run:#?}");
    }
    let found = sandbox.ccmcp(&["search", "train", "--branch", "abandoned"]);
    assert!(found.stdout.contains("  read      ccmcp tree ") && !found.stdout.contains("--resume"), "{found:#?}");
    assert!(sandbox.ccmcp(&["search", "bicycle", "--branch", "primary"]).stdout.contains("claude --resume"));
}
