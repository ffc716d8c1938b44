//! Single rules of the contract, each on the smallest transcript that shows it.

use std::time::Duration;

use ccmcp::core::{
    clock::Timestamp,
    error::ErrorCode,
    history::{
        Branch, Current, ForkKind, GetForks, GetThread, GetTree, ListProjects, ListSessions, Mode, Role, Search,
        SearchPage, Watch, Within,
    },
};
use serde_json::json;

use super::draft::{BEGIN, Draft, Folder, session_id};

fn search(folder: &Folder, asked: &Search) -> SearchPage {
    folder.history().search(asked, &Watch::default()).unwrap()
}

fn query(query: &str) -> Search {
    Search { query: query.into(), ..Search::default() }
}

fn found(page: &SearchPage) -> Vec<&str> {
    page.hits.iter().map(|hit| &*hit.uuid).collect()
}

fn thread(folder: &Folder, number: u32) -> Vec<String> {
    let asked = GetThread { session_id: session_id(number), ..GetThread::default() };
    folder.history().get_thread(&asked).unwrap().messages.into_iter().map(|message| message.text).collect()
}

fn tree(folder: &Folder, number: u32) -> ccmcp::core::history::SessionTree {
    folder.history().get_tree(&GetTree { session_id: session_id(number), ..GetTree::default() }).unwrap()
}

#[test]
fn a_replayed_prompt_is_one_prompt() {
    let folder = Folder::new();
    let mut draft = Draft::new(1);
    draft.prompt("p1", "go").answer("a1", "one");
    draft.under("a1").prompt("p2", "on").answer("a2", "two");
    let time = draft.records[2]["timestamp"].clone();
    draft.under("a1").prompt("p2-again", "on").set("timestamp", time).answer("a3", "three");
    folder.session("-p", &draft);
    let forks = folder.history().get_forks(&GetForks { session_id: session_id(1), ..GetForks::default() }).unwrap();
    let kinds: Vec<_> = forks.forks.iter().map(|fork| (&*fork.fork_uuid, fork.kind)).collect();
    assert_eq!(kinds, [("p2", ForkKind::Retry)], "the replay's answer is another answer to the same prompt");
    assert_eq!(thread(&folder, 1), ["go", "one", "on", "three"]);
}

#[test]
fn the_first_of_two_records_with_one_uuid_wins_unless_its_parent_dangles() {
    let folder = Folder::new();
    let mut draft = Draft::new(1);
    draft.prompt("a", "first").answer("b", "answer").prompt("c", "second");
    draft.under("c").answer("b", "answer");
    draft.under("nowhere").prompt("d", "third").under("c").prompt("d", "third");
    folder.session("-p", &draft);
    let shape = tree(&folder, 1);
    assert_eq!(
        (shape.integrity.duplicate_records, shape.integrity.cut_cycles, shape.integrity.bridged_links),
        (2, 0, 0)
    );
    assert_eq!(thread(&folder, 1), ["first", "answer", "second", "third"]);
}

#[test]
fn a_compaction_whose_past_is_gone_is_joined_to_what_is_before_it() {
    let folder = Folder::new();
    let mut draft = Draft::new(1);
    draft.prompt("a", "before").answer("b", "yes");
    let boundary =
        json!({ "subtype": "compact_boundary", "content": "Conversation compacted", "logicalParentUuid": "gone" });
    draft.afresh().record("c", "system", &boundary).prompt("s", "a summary").set("isCompactSummary", true);
    draft.prompt("d", "after");
    folder.session("-p", &draft);
    let shape = tree(&folder, 1);
    assert_eq!((shape.compaction_count, shape.root_count, shape.integrity.bridged_links), (1, 1, 1));
    assert!(shape.compactions[0].bridged);
    assert_eq!(shape.compactions[0].after_uuid.as_deref(), Some("b"));
    assert_eq!(thread(&folder, 1), ["before", "yes", "after"]);
}

#[test]
fn subagents_of_all_three_layouts_hang_under_their_calls() {
    let folder = Folder::new();
    let mut draft = Draft::new(1);
    draft.prompt("p", "count");
    for (uuid, call) in [("c1", "t1"), ("c2", "t2"), ("c3", "t3")] {
        draft.call(uuid, "msg", call, "Task", &json!({ "prompt": format!("job {call}") }));
    }
    draft.result("r2", "t2", "done").set("toolUseResult", json!({ "agentId": "flat" }));
    draft.afresh().prompt("s1", "job t3").set("isSidechain", true).answer("s2", "inner words").set("isSidechain", true);
    folder.session("-p", &draft);
    let mut agent = Draft::new(1);
    agent.prompt("x1", "job t1").set("isSidechain", true).answer("x2", "inner words").set("isSidechain", true);
    folder.write(&format!("-p/{}/subagents/agent-new.jsonl", session_id(1)), agent.text());
    folder.write(
        &format!("-p/{}/subagents/agent-new.meta.json", session_id(1)),
        r#"{"toolUseId":"t1","agentType":"general-purpose"}"#,
    );
    let mut agent = Draft::new(1);
    agent.prompt("y1", "job t2").set("isSidechain", true).answer("y2", "inner words").set("isSidechain", true);
    folder.write("-p/agent-flat.jsonl", agent.text());

    let shape = tree(&folder, 1);
    let mut calls: Vec<_> =
        shape.subagents.iter().map(|agent| (agent.call_uuid.as_deref().unwrap(), agent.agent_id.as_deref())).collect();
    calls.sort_unstable();
    assert_eq!(calls, [("c1", Some("new")), ("c2", Some("flat")), ("c3", None)]);
    assert_eq!((shape.fork_count, shape.leaf_count, shape.message_count), (0, 1, 2));
    let listed = folder.history().list_sessions(&ListSessions::default()).unwrap();
    assert_eq!((listed.total, listed.sessions[0].subagent_count), (1, 3), "sub-agents are no sessions");
    assert_eq!(search(&folder, &query("inner words")).total, 0);
    let page = search(&folder, &Search { include_subagents: true, ..query("inner words") });
    let mut agents: Vec<_> = page.hits.iter().map(|hit| (&*hit.uuid, hit.agent_id.as_deref(), hit.branch)).collect();
    agents.sort_unstable_by_key(|hit| hit.0);
    let primary = Branch::Primary;
    assert_eq!(agents, [("s2", None, primary), ("x2", Some("new"), primary), ("y2", Some("flat"), primary)]);
}

#[test]
fn titles_come_from_the_best_source() {
    let folder = Folder::new();
    for number in 1..=4 {
        let mut draft = Draft::new(number);
        draft.prompt(&format!("p{number}"), &format!("Prompt\n  {number}")).answer(&format!("a{number}"), "x");
        if number <= 2 {
            draft.outside(json!({ "type": "ai-title", "aiTitle": "By a model" }));
        }
        if number == 1 {
            draft.outside(json!({ "type": "custom-title", "customTitle": "By hand" }));
        }
        folder.session("-p", &draft);
    }
    // A summary of session 3, written into a file of its own as older versions did.
    folder.write(
        &format!("-p/{}.jsonl", session_id(9)),
        "{\"type\":\"summary\",\"summary\":\"Sum of 3\",\"leafUuid\":\"a3\"}\n",
    );
    let listed = folder.history().list_sessions(&ListSessions::default()).unwrap();
    let mut titles: Vec<_> = listed
        .sessions
        .iter()
        .map(|session| (session.session_id.to_string(), session.title.as_deref().unwrap()))
        .collect();
    titles.sort();
    let titles: Vec<_> = titles.iter().map(|(_, title)| *title).collect();
    assert_eq!(titles, ["By hand", "By a model", "Sum of 3", "Prompt 4"], "a file of metadata only is no session");
    let all = folder.history().list_sessions(&ListSessions { include_empty: true, ..ListSessions::default() }).unwrap();
    assert_eq!(all.total, 5);
}

#[test]
fn sessions_are_paged_and_chosen_by_time() {
    let folder = Folder::new();
    for number in 0..30 {
        let mut draft = Draft::new(number);
        draft.time = BEGIN + i64::from(number) * 60_000;
        folder.session(&format!("-p{}", number % 2), draft.prompt(&format!("u{number}"), "x"));
    }
    let page = |asked: &ListSessions| folder.history().list_sessions(asked).unwrap();
    let first = page(&ListSessions::default());
    assert_eq!((first.sessions.len(), first.total, first.next_offset), (20, 30, Some(20)));
    assert_eq!(first.sessions[0].session_id.to_string(), session_id(29));
    let second = page(&ListSessions { offset: 20, ..ListSessions::default() });
    assert_eq!((second.sessions.len(), second.next_offset), (10, None));
    let at = |number: i64| Timestamp::from_millis(BEGIN + number * 60_000 + 1000);
    let between = page(&ListSessions { since: at(10), until: at(19), ..ListSessions::default() });
    assert_eq!(between.total, 10);
    assert_eq!(page(&ListSessions { project: Some("-p1".into()), ..ListSessions::default() }).total, 15);
    assert!(page(&ListSessions { offset: usize::MAX, ..ListSessions::default() }).sessions.is_empty());
    let projects = folder.history().list_projects(&ListProjects::default()).unwrap();
    assert_eq!((projects.total, projects.total_sessions), (2, 30));
    assert_eq!((&*projects.projects[0].slug, projects.projects[0].cwd.as_deref()), ("-p1", Some("/home/dev")));
}

#[test]
fn names_that_fit_nothing_or_too_much_say_what_to_pass() {
    let folder = Folder::new();
    folder.session("-home-dev-one", Draft::new(1).prompt("a", "x"));
    folder.session("-home-dev-two", Draft::new(2).prompt("b", "x"));
    folder.session("-home-dev-two", Draft::new(1).prompt("c", "x"));
    let history = folder.history();
    let project = |project: &str| {
        let asked = ListSessions { project: Some(project.into()), ..ListSessions::default() };
        history.list_sessions(&asked).map(|found| found.total)
    };
    assert_eq!(project("one").unwrap(), 1);
    assert_eq!(project("DEV-TWO").unwrap(), 2);
    let error = project("home-dev").unwrap_err();
    assert_eq!((error.code, error.details.candidates.len()), (ErrorCode::ProjectAmbiguous, 2));
    let error = project("three").unwrap_err();
    assert!(error.code == ErrorCode::ProjectNotFound && error.hint.is_some());
    assert_eq!(project(" ").unwrap_err().code, ErrorCode::SchemaValidation);
    let session = |id: &str, project: Option<&str>| {
        let asked = GetTree { session_id: id.into(), project: project.map(str::to_owned) };
        history.get_tree(&asked)
    };
    assert!(session(&session_id(2).to_uppercase(), None).is_ok());
    assert!(session("00000002", None).is_ok());
    let error = session("0000000", None).unwrap_err();
    assert_eq!((error.code, error.details.sessions.len()), (ErrorCode::SessionAmbiguous, 2));
    let error = session(&session_id(1), None).unwrap_err();
    assert_eq!((error.code, error.details.candidates.len()), (ErrorCode::SessionAmbiguous, 2));
    assert!(session(&session_id(1), Some("one")).is_ok());
    let asked = GetThread { session_id: session_id(2), leaf_uuid: Some("nothing".into()), ..GetThread::default() };
    assert_eq!(history.get_thread(&asked).unwrap_err().code, ErrorCode::RecordNotFound);
    let asked = GetForks { session_id: session_id(2), fork_uuid: Some("b".into()), ..GetForks::default() };
    assert_eq!(history.get_forks(&asked).unwrap_err().code, ErrorCode::RecordNotFound);
    for (asked, code) in [
        (query(" "), ErrorCode::QueryInvalid),
        (Search { mode: Mode::Regex, ..query("(") }, ErrorCode::QueryInvalid),
        (query(&"x".repeat(5000)), ErrorCode::QueryInvalid),
        (Search { max_results: Some(51), ..query("x") }, ErrorCode::SchemaValidation),
        (Search { max_results: Some(0), ..query("x") }, ErrorCode::SchemaValidation),
        (Search { cursor: Some("x".into()), ..query("x") }, ErrorCode::SchemaValidation),
        (Search { session_id: Some("zz".into()), ..query("x") }, ErrorCode::SessionNotFound),
    ] {
        let error = history.search(&asked, &Watch::default()).unwrap_err();
        assert!(error.code == code && error.hint.is_some(), "{asked:?}: {error:?}");
    }
}

#[test]
fn the_session_that_asks_and_earlier_searches_are_left_out() {
    let folder = Folder::new();
    let mut draft = Draft::new(1);
    draft.prompt("a", "find the zebra");
    draft.call("b", "m", "toolu_asking", "mcp__ccmcp__search", &json!({ "query": "zebra" }));
    folder.session("-p", &draft);
    let mut draft = Draft::new(2);
    draft.prompt("c", "look for it").call("d", "m", "t1", "mcp__ccmcp__search", &json!({ "query": "zebra" }));
    draft.result("e", "t1", "found a zebra").call("f", "m2", "t2", "Bash", &json!({ "command": "grep zebra" }));
    draft.result("g", "t2", "zebra.txt");
    folder.session("-p", &draft);
    let by_session = Current { session_id: session_id(1).parse().ok(), tool_use_id: None };
    let by_call = Current { session_id: None, tool_use_id: Some("toolu_asking".into()) };
    for current in [by_session, by_call] {
        let asked = Search { current: Some(current), ..query("zebra") };
        assert_eq!(search(&folder, &asked).total, 0);
        assert_eq!(search(&folder, &Search { include_current: true, ..asked.clone() }).total, 1);
        let tools = Search { within: Within::Tools, ..asked.clone() };
        assert_eq!(found(&search(&folder, &tools)), ["g", "f"]);
        assert_eq!(search(&folder, &Search { include_current: true, ..tools }).total, 5);
        let named = Search { session_id: Some(session_id(1)), ..asked };
        assert_eq!(search(&folder, &named).total, 1, "a session asked for by its id is wanted");
    }
    assert_eq!(search(&folder, &query("zebra")).total, 1, "nobody said who asks");
}

#[test]
fn what_counts_depends_on_what_is_asked_for() {
    let folder = Folder::new();
    let mut draft = Draft::new(1);
    draft
        .prompt("typed", "<ide_selection>needle</ide_selection> nothing")
        .prompt("prompt", "<ide_selection>x</ide_selection> needle");
    draft.prompt("meta", "needle").set("isMeta", true);
    draft.prompt("wrapped", "<local-command-stdout>needle</local-command-stdout>");
    draft.prompt("summary", "needle").set("isCompactSummary", true);
    draft.blocks("thought", "m", &json!([{ "type": "thinking", "thinking": "needle" }]));
    draft.blocks("answer", "m", &json!([{ "type": "text", "text": "needle" }]));
    draft.call("call", "m", "t", "Bash", &json!({ "command": ["needle"] }));
    draft.result("result", "t", "needle");
    draft.record("queued", "attachment", &json!({ "attachment": { "type": "queued_command", "prompt": "needle" } }));
    draft.record("attached", "attachment", &json!({ "attachment": { "type": "file", "content": "needle" } }));
    draft.record("system", "system", &json!({ "subtype": "informational", "content": "needle" }));
    folder.session("-p", &draft);
    let uuids = |asked: &Search| {
        let page = search(&folder, &Search { max_results: Some(50), ..asked.clone() });
        let mut found: Vec<_> = page.hits.into_iter().map(|hit| hit.uuid).collect();
        found.sort();
        found
    };
    let within = |within| Search { within, ..query("NEEDLE") };
    assert_eq!(uuids(&within(Within::Messages)), ["answer", "prompt", "queued", "system"]);
    assert_eq!(uuids(&within(Within::Tools)), ["call", "result"]);
    assert_eq!(uuids(&within(Within::Thinking)), ["thought"]);
    assert_eq!(uuids(&within(Within::All)).len(), 12);
    assert_eq!(uuids(&Search { case_sensitive: true, ..within(Within::All) }).len(), 0);
    let role = |role| Search { role: Some(role), ..within(Within::Messages) };
    assert_eq!(uuids(&role(Role::User)), ["prompt", "queued"]);
    assert_eq!(uuids(&role(Role::Assistant)), ["answer"]);
    let words = Search { mode: Mode::Words, ..query("nothing") };
    assert_eq!(uuids(&words), ["typed"]);
}

#[test]
fn a_search_that_runs_out_of_time_goes_on_where_it_stopped() {
    let folder = Folder::new();
    for number in 0..12 {
        let mut draft = Draft::new(number);
        draft.time += i64::from(number) * 1000;
        folder.session("-p", draft.prompt(&format!("u{number}"), "needle"));
    }
    let mut asked = Search { time_limit: Some(Duration::ZERO), ..query("needle") };
    let mut seen = Vec::new();
    let mut pages = 0;
    loop {
        let page = search(&folder, &asked);
        assert!(page.files_searched >= 1, "every search gets further");
        seen.extend(page.hits.into_iter().map(|hit| hit.uuid));
        pages += 1;
        let Some(cursor) = page.cursor else {
            assert!(page.complete);
            break;
        };
        assert!(!page.complete);
        asked.cursor = Some(cursor);
    }
    seen.sort();
    seen.dedup();
    assert_eq!((seen.len(), pages), (12, 12));
}

#[test]
fn a_cancelled_search_ends() {
    let folder = Folder::new();
    folder.session("-p", Draft::new(1).prompt("a", "needle"));
    let watch = Watch::default();
    watch.cancel();
    assert_eq!(folder.history().search(&query("needle"), &watch).unwrap_err().code, ErrorCode::Cancelled);
    let watch = Watch::default();
    folder.history().search(&query("needle"), &watch).unwrap();
    assert_eq!(watch.files(), (1, 1));
    assert_eq!(watch.bytes().0, watch.bytes().1);
}

#[test]
fn replies_stay_small_and_say_where_to_go_on() {
    let folder = Folder::new();
    let mut draft = Draft::new(1);
    for turn in 0..120 {
        draft.prompt(&format!("p{turn}"), &"ü \"x\" ".repeat(300)).answer(&format!("a{turn}"), &"long\n".repeat(800));
        match turn % 6 {
            0 => draft.under("a0"),
            3 => draft.under(&format!("a{}", turn / 2)),
            _ => &mut draft,
        };
    }
    folder.session("-p", &draft);
    let history = folder.history();
    let size = |json: String| assert!(json.len() < 40_000, "{} bytes", json.len());
    let mut asked = GetThread { session_id: session_id(1), leaf_uuid: Some("a119".into()), ..GetThread::default() };
    let mut shown = 0;
    loop {
        let page = history.get_thread(&asked).unwrap();
        size(serde_json::to_string(&page).unwrap());
        shown += page.messages.len();
        assert!(page.messages.iter().all(|message| message.truncated && message.text.chars().count() == 1000));
        let Some(next) = page.next_offset else {
            assert_eq!(shown, page.total);
            break;
        };
        asked.offset = next;
    }
    size(serde_json::to_string(&tree(&folder, 1)).unwrap());
    let forks = history.get_forks(&GetForks { session_id: session_id(1), ..GetForks::default() }).unwrap();
    size(serde_json::to_string(&forks).unwrap());
    let page = search(&folder, &Search { max_results: Some(50), ..query("x") });
    size(serde_json::to_string(&page).unwrap());
    assert!(page.next_offset.is_some_and(|next| next == page.hits.len()) || page.hits.len() == 50);
}
