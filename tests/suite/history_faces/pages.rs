//! Long answers come in pages that clients take whole, and the pages together are everything.

use serde_json::{Value, json};

use super::{Written, ask, serve};
use crate::support::{Sandbox, mcp::Mcp};

const LARGEST: usize = 40_000;

/// Every page of an answer: the items under `list`, as long as there is a next page.
fn pages(mcp: &mut Mcp, tool: &str, arguments: &Value, list: &str) -> (Vec<Value>, usize) {
    let (mut items, mut count) = (Vec::new(), 0);
    let mut offset = Some(0);
    while let Some(at) = offset {
        let mut asked = arguments.clone();
        asked["offset"] = json!(at);
        let page = ask(mcp, tool, asked);
        assert!(page.to_string().len() < LARGEST, "{tool}: {} bytes", page.to_string().len());
        let found = page[list].as_array().unwrap();
        assert!(!found.is_empty(), "{tool}: an empty page at {at}");
        items.extend(found.iter().cloned());
        offset = page["next_offset"].as_u64();
        assert!(offset.is_none_or(|next| next > at), "{tool}: it goes on");
        count += 1;
    }
    (items, count)
}

#[test]
fn a_long_thread_comes_in_pages() {
    let sandbox = Sandbox::new();
    let id = "55555555-0000-4000-8000-000000000005";
    let mut long = Written::new(&sandbox, "-long", id);
    for number in 0..120 {
        long.prompt(&format!("prompt {number} {}", "lorem ipsum \"quoted\" ".repeat(80)));
        long.answer(&format!("answer {number} {}", "灯台 ".repeat(500)));
    }
    long.write();
    let mut mcp = serve(&sandbox);
    let (messages, count) = pages(&mut mcp, "get_thread", &json!({ "session_id": id }), "messages");
    assert!(count > 5, "{count}");
    let beginnings: Vec<_> = messages
        .iter()
        .map(|message| message["text"].as_str().unwrap().split(' ').take(2).collect::<Vec<_>>().join(" "))
        .collect();
    let expected: Vec<_> =
        (0..120).flat_map(|number| [format!("prompt {number}"), format!("answer {number}")]).collect();
    assert_eq!(beginnings, expected);
    assert!(
        messages
            .iter()
            .all(|message| message["truncated"] == true && message["text"].as_str().unwrap().chars().count() == 1000)
    );
    // Who asks for more gets it.
    let more = ask(&mut mcp, "get_thread", json!({ "session_id": id, "limit": 200 }));
    assert_eq!(more["messages"].as_array().unwrap().len(), 200);
    let (hits, count) = pages(&mut mcp, "search", &json!({ "query": "ipsum", "max_results": 50 }), "hits");
    assert_eq!(hits.len(), 120);
    assert!(count >= 3, "{count}");
    let mut uuids: Vec<_> = hits.iter().map(|hit| hit["uuid"].as_str().unwrap()).collect();
    uuids.sort_unstable();
    uuids.dedup();
    assert_eq!(uuids.len(), 120, "each once");
}

#[test]
fn many_sessions_and_projects_come_in_pages() {
    let sandbox = Sandbox::new();
    for number in 0..130 {
        let slug = format!("-home-dev-{}-{number:03}", "long-name-".repeat(15));
        let mut one = Written::new(&sandbox, &slug, &format!("66666666-0000-4000-8000-{number:012}"));
        one.prompt(&format!("{number} {}", "a title that is long ".repeat(30)));
        one.write();
    }
    let mut mcp = serve(&sandbox);
    let (sessions, count) = pages(&mut mcp, "list_sessions", &json!({}), "sessions");
    assert_eq!((sessions.len(), count), (130, 7));
    let (projects, count) = pages(&mut mcp, "list_projects", &json!({}), "projects");
    assert_eq!((projects.len(), count), (130, 3));
    let all = ask(&mut mcp, "list_sessions", json!({ "limit": 1000 }));
    assert_eq!((all["sessions"].as_array().unwrap().len(), all.get("next_offset")), (130, None));
}
