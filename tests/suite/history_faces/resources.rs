//! Past sessions as resources, and the prompt: in both eras, bounded, and only where history is offered.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{Written, known, names, serve};
use crate::support::{Sandbox, mcp::Mcp};

/// Clients cut or refuse what is longer.
const LARGEST: usize = 40_000;

fn modern(sandbox: &Sandbox) -> Mcp {
    Mcp::modern(sandbox.command("ccmcp").args(["serve", "--tools", "history"]))
}

const ERAS: [fn(&Sandbox) -> Mcp; 2] = [serve, modern];

#[track_caller]
fn ask(mcp: &mut Mcp, method: &str, params: Value) -> Value {
    let call = mcp.begin(method, params);
    mcp.result(&call)
}

/// The number and the text of a protocol error.
#[track_caller]
fn refused(mcp: &mut Mcp, method: &str, params: Value) -> (i64, String) {
    let call = mcp.begin(method, params);
    let answer = mcp.answer(&call);
    let error = &answer["error"];
    let number = error["code"].as_i64().unwrap_or_else(|| panic!("it succeeded: {answer}"));
    (number, error["message"].as_str().expect("a message").to_owned())
}

#[track_caller]
fn read(mcp: &mut Mcp, uri: &str) -> String {
    let mut result = ask(mcp, "resources/read", json!({ "uri": uri }));
    let contents = result["contents"].as_array_mut().expect("contents");
    assert_eq!(contents.len(), 1);
    assert_eq!((&contents[0]["uri"], &contents[0]["mimeType"]), (&json!(uri), &json!("text/markdown")));
    let text = contents[0]["text"].as_str().expect("a text");
    assert!(text.len() <= LARGEST, "{} bytes", text.len());
    text.to_owned()
}

#[test]
fn every_listed_session_is_read_as_get_thread_shows_it() {
    let sandbox = known();
    let mut lists = Vec::new();
    for open in ERAS {
        let mut mcp = open(&sandbox);
        let listed = ask(&mut mcp, "resources/list", json!({}));
        assert!(listed.get("nextCursor").is_none() && listed.to_string().len() < LARGEST, "{listed}");
        let resources = listed["resources"].as_array().expect("resources");
        let sessions = mcp.tool("list_sessions", json!({}))["structuredContent"]["sessions"].take();
        assert_eq!(resources.len(), sessions.as_array().expect("sessions").len());
        for (resource, session) in resources.iter().zip(sessions.as_array().expect("sessions")) {
            let id = session["session_id"].as_str().expect("an id");
            let uri = resource["uri"].as_str().expect("an address");
            assert_eq!(uri, format!("ccmcp://session/{id}"));
            assert_eq!((&resource["title"], &resource["mimeType"]), (&session["title"], &json!("text/markdown")));
            assert_eq!(resource["name"], session["title"]);
            assert_eq!(resource["annotations"]["lastModified"], session["last_timestamp"]);
            let about = resource["description"].as_str().expect("a description");
            let title = session["title"].as_str().expect("a title");
            assert!(about.starts_with(title) && about.contains("message"), "{about}");
            assert!(about.contains(session["cwd"].as_str().expect("a directory")), "{about}");
            let thread = mcp.tool("get_thread", json!({ "session_id": id }));
            assert_eq!(read(&mut mcp, uri), thread["content"][0]["text"].as_str().expect("a text block"));
        }
        // A prefix does, and another branch than the one that the session goes on with.
        let rewind = &names()["rewind"];
        let whole = read(&mut mcp, &format!("ccmcp://session/{rewind}"));
        assert_eq!(read(&mut mcp, &format!("ccmcp://session/{}", &rewind[..8])), whole);
        let forks = mcp.tool("get_forks", json!({ "session_id": rewind }))["structuredContent"].take();
        let branches = forks["forks"][0]["branches"].as_array().expect("branches").clone();
        let left = branches.iter().find(|branch| branch["branch"] == "abandoned").expect("an abandoned branch");
        let left = left["leaf_uuid"].as_str().expect("a leaf");
        let abandoned = read(&mut mcp, &format!("ccmcp://session/{rewind}?leaf_uuid={left}"));
        assert!(abandoned.contains("abandoned branch") && abandoned != whole, "{abandoned}");
        lists.push(resources.clone());
    }
    assert_eq!(lists[0], lists[1], "the same in both eras");
}

#[test]
fn they_are_announced_with_history_and_only_then() {
    let sandbox = known();
    let server = |sets: &str| Mcp::start(sandbox.command("ccmcp").args(["serve", "--tools", sets]));
    for (sets, expected) in [("history", true), ("agents,history", true), ("agents", false), ("sessions,agents", false)]
    {
        let mut legacy = server(sets);
        let mut modern = server(sets);
        let greetings = [legacy.initialize("2025-11-25"), modern.discover()];
        for (mut mcp, greeting) in [legacy, modern].into_iter().zip(greetings) {
            let capabilities = &greeting["capabilities"];
            for capability in ["resources", "prompts"] {
                let announced = capabilities.get(capability).cloned();
                assert_eq!(announced, expected.then(|| json!({})), "{sets}: {capabilities}");
            }
            let uri = format!("ccmcp://session/{}", names()["linear"]);
            for (method, params) in [
                ("resources/list", json!({})),
                ("resources/templates/list", json!({})),
                ("resources/read", json!({ "uri": uri })),
                ("prompts/list", json!({})),
                ("prompts/get", json!({ "name": "recall", "arguments": { "topic": "x" } })),
            ] {
                let call = mcp.begin(method, params);
                let answer = mcp.answer(&call);
                assert_eq!(answer.get("result").is_some(), expected, "{sets} {method}: {answer}");
                assert_eq!(answer["error"]["code"] == -32601, !expected, "{sets} {method}: {answer}");
            }
        }
    }
}

#[test]
fn the_list_comes_in_pages_and_ends_after_the_newest_hundred() {
    let sandbox = Sandbox::new();
    for number in 0..107 {
        let id = format!("{number:08x}-0000-4000-8000-{number:012x}");
        let mut session = Written::new(&sandbox, "-many", &id);
        session.clock = number * 10;
        session.prompt(&format!("question {number}"));
        session.answer("an answer");
        session.write();
    }
    let mut mcp = serve(&sandbox);
    let (mut titles, mut params, mut pages) = (Vec::new(), json!({}), 0);
    loop {
        let page = ask(&mut mcp, "resources/list", params);
        pages += 1;
        let resources = page["resources"].as_array().expect("resources");
        assert!(resources.len() <= 20 && page.to_string().len() < LARGEST);
        titles.extend(resources.iter().map(|resource| resource["title"].as_str().expect("a title").to_owned()));
        let Some(cursor) = page.get("nextCursor") else { break };
        params = json!({ "cursor": cursor });
    }
    let newest: Vec<String> = (7..107).rev().map(|number| format!("question {number}")).collect();
    assert_eq!((titles, pages), (newest, 5));
    // What is not listed is there all the same.
    assert!(read(&mut mcp, "ccmcp://session/00000003").contains("question 3"));
    for cursor in ["x", "-1", "100", "1e3", "", "18446744073709551616"] {
        let (number, message) = refused(&mut mcp, "resources/list", json!({ "cursor": cursor }));
        assert_eq!(number, -32602, "{cursor}");
        assert!(message.contains("leave it out"), "{message}");
    }
}

#[test]
fn a_long_conversation_is_cut_and_says_how_to_go_on() {
    let sandbox = Sandbox::new();
    let id = "77777777-0000-4000-8000-000000000007";
    let mut long = Written::new(&sandbox, "-long", id);
    // Of many bytes, and with much that JSON escapes.
    for number in 0..90 {
        long.prompt(&format!("prompt {number} begins: {}", "灯\n".repeat(700)));
        long.answer(&format!("answer {number} begins: {}", "\"\\".repeat(200)));
    }
    long.write();
    let mut mcp = serve(&sandbox);
    let (mut uri, mut seen, mut reads) = ("ccmcp://session/7777".to_owned(), BTreeSet::new(), 0);
    loop {
        let text = read(&mut mcp, &uri);
        reads += 1;
        for line in text.lines().filter(|line| line.contains(" begins: ")) {
            let what: Vec<&str> = line.split(' ').take(2).collect();
            assert!(seen.insert(what.join(" ")), "twice: {line}");
        }
        assert!(text.contains("get_thread with max_chars"), "cut texts say how to get the rest: {text}");
        let Some((before, next)) = text.trim_end().rsplit_once("to go on, read ") else { break };
        assert!(before.contains(&format!("{} of 180 messages", seen.len())), "{before}");
        assert_eq!(next, format!("ccmcp://session/{id}?offset={}", seen.len()));
        uri = next.to_owned();
    }
    assert_eq!(seen.len(), 180);
    assert!(reads > 3, "{reads} reads");
    // Past the end there is nothing more, and no error.
    assert!(!read(&mut mcp, "ccmcp://session/7777?offset=180").contains("begins: "));
    // The branch is kept on the way.
    let leaf = long.last.clone().expect("a record");
    let text = read(&mut mcp, &format!("ccmcp://session/7777?leaf_uuid={leaf}"));
    assert!(text.trim_end().ends_with(&format!("&leaf_uuid={leaf}")), "{text}");
}

#[test]
fn what_is_no_resource_is_refused_with_what_to_ask_for() {
    let sandbox = known();
    let secret = "22222222-0000-4000-8000-000000000002";
    let mut outside = Written::new(&sandbox, "../outside", secret);
    outside.prompt("a secret");
    outside.write();
    let rewind = &names()["rewind"];
    let good = format!("ccmcp://session/{rewind}");
    let rows = [
        ("file:///etc/passwd".to_owned(), true, "ccmcp://session/{session_id}"),
        ("ccmcp://session".to_owned(), true, "ccmcp://session/{session_id}"),
        ("CCMCP://session/x".to_owned(), true, "ccmcp://session/{session_id}"),
        ("ccmcp://session/".to_owned(), true, "unique prefix"),
        ("ccmcp://session/zzzz".to_owned(), true, "unique prefix"),
        (format!("ccmcp://session/../outside/{secret}"), true, "unique prefix"),
        (format!("ccmcp://session/{secret}"), true, "unique prefix"),
        (format!("ccmcp://session/{}", "x".repeat(100_000)), true, "unique prefix"),
        (format!("{good}?leaf_uuid=zz"), true, "get_tree"),
        ("ccmcp://session/4".to_owned(), false, "more characters"),
        (format!("{good}?offset=-1"), false, "whole number"),
        (format!("{good}?offset=x"), false, "whole number"),
        (format!("{good}?limit=5"), false, "get_thread"),
        (format!("{good}?offset"), false, "get_thread"),
    ];
    for (open, is_modern) in ERAS.into_iter().zip([false, true]) {
        let mut mcp = open(&sandbox);
        for (uri, is_missing, hint) in &rows {
            let (number, message) = refused(&mut mcp, "resources/read", json!({ "uri": uri }));
            // The modern era has one number for both.
            let expected = if *is_missing && !is_modern { -32002 } else { -32602 };
            assert_eq!(number, expected, "{uri:.80}: {message}");
            assert!(message.contains(hint) && message.len() < 1000 && !message.contains("a secret"), "{message}");
        }
        for params in [json!({}), json!({ "uri": 7 }), json!({ "uri": null })] {
            assert_eq!(refused(&mut mcp, "resources/read", params).0, -32602);
        }
    }
    // The same object that a tool would answer is in the data.
    let mut mcp = serve(&sandbox);
    let call = mcp.begin("resources/read", json!({ "uri": "ccmcp://session/4" }));
    let data = mcp.answer(&call)["error"]["data"].take();
    assert_eq!(
        (&data["code"], data["details"]["sessions"].as_array().map(Vec::len)),
        (&json!("SESSION_AMBIGUOUS"), Some(2))
    );
}

#[test]
fn one_id_in_two_directories_is_two_resources() {
    let sandbox = Sandbox::new();
    let id = "77777777-0000-4000-8000-000000000001";
    for place in ["-one", "-two"] {
        let mut written = Written::new(&sandbox, place, id);
        written.prompt(&format!("said in {place}"));
        written.answer("yes");
        written.write();
    }
    let mut mcp = serve(&sandbox);
    let listed = ask(&mut mcp, "resources/list", json!({}));
    let resources = listed["resources"].as_array().expect("resources");
    let addresses: BTreeSet<_> = resources.iter().map(|it| it["uri"].as_str().expect("an address")).collect();
    assert_eq!(addresses.len(), 2, "{listed}");
    for address in addresses {
        let (_, place) = address.split_once("?project=").expect("which of the two");
        assert!(read(&mut mcp, address).contains(&format!("said in {place}")), "{address}");
    }
}

#[test]
fn the_template_says_how_any_session_is_addressed() {
    let sandbox = known();
    let templates = ask(&mut serve(&sandbox), "resources/templates/list", json!({}));
    let template = &templates["resourceTemplates"][0];
    assert_eq!(template["uriTemplate"], "ccmcp://session/{session_id}{?offset,leaf_uuid,project}");
    for word in ["session_id", "offset", "leaf_uuid", "project"] {
        assert!(template["description"].as_str().expect("a description").contains(word), "{template}");
    }
}

#[test]
fn the_prompt_asks_for_a_search() {
    let sandbox = known();
    for open in ERAS {
        let mut mcp = open(&sandbox);
        let prompts = ask(&mut mcp, "prompts/list", json!({}))["prompts"].take();
        assert_eq!(prompts.as_array().map(Vec::len), Some(1), "{prompts}");
        assert_eq!((&prompts[0]["name"], &prompts[0]["arguments"][0]["required"]), (&json!("recall"), &json!(true)));
        let recall = json!({ "name": "recall", "arguments": { "topic": " trains \"and\" 灯台 " } });
        let got = ask(&mut mcp, "prompts/get", recall);
        let text = got["messages"][0]["content"]["text"].as_str().expect("a text");
        assert!(text.contains(": trains \"and\" 灯台\n"), "{text}");
        // What it names is there.
        let names = mcp.tool_names();
        for tool in ["search", "get_thread"] {
            assert!(text.contains(tool) && names.contains(&tool.to_owned()), "{tool}: {text}");
        }
        for (params, hint) in [
            (json!({ "name": "recall" }), "topic"),
            (json!({ "name": "recall", "arguments": { "topic": " " } }), "topic"),
            (json!({ "name": "recall", "arguments": { "topic": 7 } }), "topic"),
            (json!({ "name": "other" }), "recall"),
        ] {
            let (number, message) = refused(&mut mcp, "prompts/get", params);
            assert!(number == -32602 && message.contains(hint), "{number}: {message}");
        }
    }
}
