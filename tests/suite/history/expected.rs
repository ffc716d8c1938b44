//! The transcripts that the real CLI wrote, against `expected.json`: every line of it.

use std::{collections::BTreeMap, fs};

use ccmcp::core::history::{Branch, ForkKind, GetForks, GetThread, GetTree, ListSessions, Role, Search, Thread, Watch};
use serde::Deserialize;

use super::{fixtures, known};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    session_id: String,
    forks: Vec<ExpectedFork>,
    primary_prompts: Vec<String>,
    tool_calls: Option<usize>,
    tool_results: Option<Vec<String>>,
    copies_records_of: Option<String>,
    compactions: Option<usize>,
    subagents: Option<usize>,
    search: Option<BTreeMap<String, usize>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ExpectedFork {
    kind: String,
    branches: Vec<String>,
    primary: String,
}

fn expected() -> BTreeMap<String, Expected> {
    serde_json::from_slice(&fs::read(fixtures().join("expected.json")).unwrap()).unwrap()
}

fn thread(session: &str) -> Thread {
    let asked = GetThread { session_id: session.into(), include_tool_calls: true, ..GetThread::default() };
    known().get_thread(&asked).unwrap()
}

#[test]
fn names_and_expectations_cover_the_same_sessions() {
    let names: BTreeMap<String, String> =
        serde_json::from_slice(&fs::read(fixtures().join("names.json")).unwrap()).unwrap();
    let expected: BTreeMap<_, _> = expected().into_iter().map(|(name, expected)| (name, expected.session_id)).collect();
    assert_eq!(names, expected);
}

#[test]
fn the_primary_thread_holds_the_prompts_in_order() {
    for (name, expected) in expected() {
        let thread = thread(&expected.session_id);
        let prompts: Vec<_> =
            thread.messages.iter().filter(|message| message.role == Role::User).map(|m| m.text.trim()).collect();
        assert_eq!(prompts, expected.primary_prompts, "{name}");
        assert_eq!((thread.branch, thread.total), (Branch::Primary, thread.messages.len()), "{name}");
    }
}

#[test]
fn tool_calls_have_their_results_parallel_or_not() {
    for (name, expected) in expected() {
        let calls: Vec<_> =
            thread(&expected.session_id).messages.into_iter().flat_map(|message| message.tool_calls).collect();
        if let Some(count) = expected.tool_calls {
            assert_eq!(calls.len(), count, "{name}");
        }
        if let Some(results) = expected.tool_results {
            let found: Vec<_> = calls.into_iter().filter_map(|call| call.result).collect();
            assert_eq!(found, results, "{name}");
        }
    }
}

#[test]
fn parallel_calls_are_one_message() {
    let thread = thread(&expected()["parallel_tools"].session_id);
    let calls: Vec<_> = thread.messages.iter().map(|message| message.tool_calls.len()).collect();
    assert_eq!(calls, [0, 3, 0, 0, 0]);
}

#[test]
fn forks_are_those_that_somebody_made() {
    for (name, expected) in expected() {
        let asked = GetForks { session_id: expected.session_id.clone(), ..GetForks::default() };
        let found = known().get_forks(&asked).unwrap();
        assert_eq!((found.total, found.forks.len()), (expected.forks.len(), expected.forks.len()), "{name}");
        for (fork, expected) in found.forks.iter().zip(&expected.forks) {
            assert_eq!(serde_json::to_value(fork.kind).unwrap(), expected.kind, "{name}");
            assert_eq!(fork.branches.len(), expected.branches.len(), "{name}");
            let primary: Vec<_> = fork.branches.iter().filter(|branch| branch.branch == Branch::Primary).collect();
            assert_eq!(primary.len(), 1, "{name}");
            if fork.kind == ForkKind::Divergence {
                let roles: Vec<_> = fork.branches.iter().map(|branch| branch.role).collect();
                assert_eq!(roles, [Role::User, Role::Assistant], "{name}");
                assert_eq!(fork.branches[0].preview, expected.branches[0], "{name}");
                assert_eq!(Some(&*fork.preview), expected.branches[1].strip_suffix(" (its answer)"), "{name}");
                assert_eq!((&*expected.primary, primary[0].role), ("the answer", Role::Assistant), "{name}");
            } else {
                let branches: Vec<_> = fork.branches.iter().map(|branch| &branch.preview).collect();
                assert_eq!(branches, expected.branches.iter().collect::<Vec<_>>(), "{name}");
                assert_eq!(primary[0].preview, expected.primary, "{name}");
            }
        }
    }
}

#[test]
fn compactions_and_subagents_are_seen() {
    for (name, expected) in expected() {
        let asked = GetTree { session_id: expected.session_id.clone(), ..GetTree::default() };
        let tree = known().get_tree(&asked).unwrap();
        assert_eq!(tree.compaction_count, expected.compactions.unwrap_or(0), "{name}");
        assert_eq!(tree.subagent_count, expected.subagents.unwrap_or(0), "{name}");
        assert!(tree.subagents.iter().all(|agent| agent.call_uuid.is_some()), "{name}: {:?}", tree.subagents);
        assert!(tree.integrity.is_clean(), "{name}: {:?}", tree.integrity);
        assert_eq!(tree.root_count, 1, "{name}");
        assert_eq!(tree.leaf_count, 1 + expected.forks.iter().map(|fork| fork.branches.len() - 1).sum::<usize>());
    }
}

#[test]
fn copies_name_where_they_come_from() {
    let expected = expected();
    let listed = known().list_sessions(&ListSessions::default()).unwrap();
    assert_eq!(listed.total, expected.len());
    for (name, session) in &expected {
        let listed = listed.sessions.iter().find(|found| found.session_id.to_string() == session.session_id).unwrap();
        let lineage: Vec<_> = listed.lineage.iter().map(|other| serde_json::to_value(other).unwrap()).collect();
        if let Some(origin) = &session.copies_records_of {
            let origin = &expected[origin].session_id;
            assert_eq!(lineage, [serde_json::json!({ "session_id": origin, "relation": "origin" })], "{name}");
        } else if let Some(copy) = expected.values().find(|copy| copy.copies_records_of.as_ref() == Some(name)) {
            let copy = &copy.session_id;
            assert_eq!(lineage, [serde_json::json!({ "session_id": copy, "relation": "copy" })], "{name}");
        } else {
            assert!(lineage.is_empty(), "{name}: {lineage:?}");
        }
        assert_eq!(listed.title.as_deref(), Some(&*session.primary_prompts[0]), "{name}");
        assert_eq!(listed.fork_count.unwrap_or(0), session.forks.len(), "{name}");
        assert_eq!(listed.subagent_count, session.subagents.unwrap_or(0), "{name}");
        assert_eq!(listed.cwd.as_deref(), Some("/home/dev/project"), "{name}");
    }
    let times: Vec<_> = listed.sessions.iter().map(|session| session.last_timestamp).collect();
    assert!(times.is_sorted_by(|a, b| a >= b), "newest first: {times:?}");
}

#[test]
fn searches_find_as_many_prompts_as_expected() {
    for (name, expected) in expected() {
        for (query, count) in expected.search.unwrap_or_default() {
            let asked = Search {
                query: query.clone(),
                role: Some(Role::User),
                session_id: Some(expected.session_id.clone()),
                ..Search::default()
            };
            let found = known().search(&asked, &Watch::default()).unwrap();
            assert_eq!((found.total, found.hits.len(), found.complete), (count, count, true), "{name}: {query}");
            let everywhere = Search { session_id: None, ..asked };
            assert_eq!(known().search(&everywhere, &Watch::default()).unwrap().total, count, "{name}: {query}");
        }
    }
}

#[test]
fn a_record_and_its_copy_are_one_hit_in_the_older_session() {
    let expected = expected();
    let asked = Search { query: "CAMPSITE".into(), ..Search::default() };
    let found = known().search(&asked, &Watch::default()).unwrap();
    assert_eq!((found.total, found.hits.len()), (2, 2), "{found:?}");
    for hit in &found.hits {
        assert_eq!(hit.session_id.to_string(), expected["rewind"].session_id);
        assert_eq!(
            hit.also_in[..].iter().map(ToString::to_string).collect::<Vec<_>>(),
            [&*expected["forked_copy"].session_id]
        );
        assert_eq!(hit.branch, Branch::Primary);
        let cut: Vec<_> = hit
            .matches
            .iter()
            .map(|span| hit.snippet.chars().skip(span.start).take(span.end - span.start).collect::<String>())
            .collect();
        assert_eq!(cut, ["campsite"]);
    }
    let ancestors: Vec<_> = found.hits[0].ancestors.iter().map(|above| &*above.preview).collect();
    assert_eq!(ancestors, ["ECHO: By bicycle, please.", "And a campsite."]);
    let abandoned = Search { query: "hotel".into(), branch: Some(Branch::Abandoned), ..Search::default() };
    assert_eq!(known().search(&abandoned, &Watch::default()).unwrap().total, 2);
    let primary = Search { branch: Some(Branch::Primary), ..abandoned };
    assert_eq!(known().search(&primary, &Watch::default()).unwrap().total, 0);
}
