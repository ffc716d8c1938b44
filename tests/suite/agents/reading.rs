//! Waiting, reading, and what must not be read.

use std::{sync::Mutex, time::Duration};

use ccmcp::core::{
    agents::{ListAgents, ReadAgent, Until, WaitAgent},
    error::{Error, ErrorCode},
    ids::AgentId,
    store::AgentState,
};
use serde_json::json;

use super::ground::{self, in_state, read, server, spawned, story, task, try_wait, wait};
use crate::support::{
    LIMIT, Sandbox,
    fake::{Launch, Script, Step, Turn},
};

fn wait_for(agent: AgentId, after: &str, timeout: Duration) -> WaitAgent {
    WaitAgent { agent_ids: vec![agent], after_cursor: after.to_owned(), timeout, until: Until::TurnEnd }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wait_tells_its_progress_times_out_and_is_no_harm() {
    let mut sandbox = Sandbox::new();
    let gate = sandbox.gate("go");
    sandbox.script(&Script::new().always(Launch::turn(Turn::echo().before(gate.step()))));
    let agents = server(&sandbox);
    let spawned = agents.spawn_agent(task("one")).await.unwrap();
    let agent = spawned.agent_id;
    let told = Mutex::new(Vec::new());
    let progress = |text: String| told.lock().unwrap().push(text);
    let input = wait_for(agent, "0", Duration::from_millis(300));
    let waited = agents.wait_agent(input, Some(&progress)).await.unwrap();
    assert!(waited.timed_out && waited.events.is_empty() && waited.cursor.to_string() == "0");
    assert_eq!(told.lock().unwrap()[0], format!("agent.created {agent}"));

    // Dropped in the middle: the agent does not notice.
    let dropped = tokio::time::timeout(Duration::from_millis(50), agents.wait_agent(wait_for(agent, "0", LIMIT), None));
    assert!(dropped.await.is_err());
    gate.open();
    let waited = wait(&agents, agent, &spawned.cursor.to_string(), Until::TurnEnd).await;
    assert_eq!(story(&waited.events), ["turn.started", "turn.completed succeeded"]);
    assert!(waited.has_more || read(&agents, agent).await.agent.state == AgentState::Running);
    agents.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn bad_cursors_and_unknown_agents_are_told_apart() {
    let sandbox = Sandbox::new();
    let agents = server(&sandbox);
    let (agent, waited) = spawned(&agents, task("one")).await;
    let agent = agent.agent_id;
    let newest = waited.cursor.0;
    let code = |answer: Result<_, Error>| answer.map(drop).unwrap_err().code;
    for cursor in ["", "01", "-1", "x", &(newest + 1).to_string()] {
        assert_eq!(code(try_wait(&agents, &[agent], cursor, Until::Any).await), ErrorCode::CursorExpired, "{cursor}");
    }
    let stranger = AgentId::new();
    assert_eq!(code(try_wait(&agents, &[agent, stranger], "0", Until::Any).await), ErrorCode::AgentNotFound);
    assert_eq!(code(try_wait(&agents, &[], "0", Until::Any).await), ErrorCode::InvalidInput);
    assert_eq!(code(try_wait(&agents, &[agent; 9], "0", Until::Any).await), ErrorCode::InvalidInput);
    let raw = ReadAgent { include_raw: true, after_raw_cursor: Some("999999".into()), ..ReadAgent::new(agent) };
    assert_eq!(agents.read_agent(raw).await.unwrap_err().code, ErrorCode::CursorExpired);
    assert_eq!(agents.interrupt_agent(stranger).await.unwrap_err().code, ErrorCode::AgentNotFound);
    let filter = ListAgents { limit: 0, ..ListAgents::default() };
    assert_eq!(agents.list_agents(filter).await.unwrap_err().code, ErrorCode::InvalidInput);

    // The newest is the newest there ever was: a deleted agent's events count.
    agents.close_agent(agent, true).await.unwrap();
    let (other, _) = spawned(&agents, task("two")).await;
    let waited = try_wait(&agents, &[other.agent_id], &newest.to_string(), Until::Idle).await.unwrap();
    assert!(!waited.timed_out);
    agents.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deleted_agent_ends_the_wait_for_it() {
    let sandbox = Sandbox::new();
    let agents = server(&sandbox);
    let (agent, waited) = spawned(&agents, task("one")).await;
    let agent = agent.agent_id;
    let waiting = agents.clone();
    let after = waited.cursor.to_string();
    let wait = tokio::spawn(async move { try_wait(&waiting, &[agent], &after, Until::TurnEnd).await });
    agents.close_agent(agent, true).await.unwrap();
    match wait.await.unwrap() {
        // It saw the agent close, or came a moment later.
        Ok(waited) => assert_eq!(story(&waited.events), ["agent.closed"]),
        Err(error) => assert_eq!(error.code, ErrorCode::AgentNotFound),
    }
    agents.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_answer_is_cut_in_waits_and_reads_and_nothing_is_lost() {
    let mut sandbox = Sandbox::new();
    let long = "x".repeat(300_000);
    sandbox.script(&Script::new().always(Launch::turn(Turn::say(&long).before(Step::BigLine { bytes: 3_000_000 }))));
    let agents = server(&sandbox);
    let (agent, waited) = spawned(&agents, task("one")).await;
    let result = waited.results[0].result.as_ref().unwrap();
    assert!(result.len() < 9_000 && result.contains("[cut: 300000 bytes in all]"));
    for n in 0..30 {
        let followed = agents.followup_task(agent.agent_id, &format!("more {n}")).await.unwrap();
        wait(&agents, agent.agent_id, &followed.cursor.to_string(), Until::TurnEnd).await;
    }
    in_state(&agents, agent.agent_id, AgentState::Idle).await;
    let mut after = None;
    let mut kinds = Vec::new();
    loop {
        let input = ReadAgent {
            include_raw: true,
            limit: 1000,
            after_raw_cursor: after.clone(),
            ..ReadAgent::new(agent.agent_id)
        };
        let answer = agents.read_agent(input).await.unwrap();
        assert!(serde_json::to_string(&answer).unwrap().len() <= 40_000);
        assert_eq!(answer.turns[0].number, 31);
        assert_eq!(answer.turns.len() as u64 + answer.turns_omitted.unwrap_or(0), 31);
        kinds.extend(answer.raw_events.unwrap().into_iter().map(|frame| frame.kind));
        after = answer.raw_cursor.map(|cursor| cursor.to_string());
        if answer.raw_has_more == Some(false) {
            break;
        }
    }
    assert_eq!(kinds.iter().filter(|kind| *kind == "result").count(), 31);
    agents.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn prompts_output_and_tokens_stay_where_they_belong() {
    let (prompt, output, token) = ("secret-prompt-7f", "secret-output-7f", "secret-token-7f");
    let mut sandbox = Sandbox::new();
    sandbox.set("CLAUDE_CODE_OAUTH_TOKEN", token);
    let fails = Turn::of(vec![
        Step::Init,
        Step::Say { text: Some(output.into()) },
        Step::Stderr { text: format!("cannot do {prompt} with {token}\n") },
        Step::Kill { signal: crate::support::fake::Signal::Segv },
    ]);
    sandbox.script(&Script::new().always(Launch::turn(fails)));
    let agents = server(&sandbox);
    let (agent, waited) = spawned(&agents, task(prompt)).await;
    let agent = agent.agent_id;
    assert_eq!(story(&waited.events).last().unwrap(), "agent.idle turn_boundary");
    let answer = read(&agents, agent).await;
    let told = serde_json::to_string(&(&answer, &waited)).unwrap();
    let error = agents.close_agent(AgentId::new(), false).await.unwrap_err();
    let told = format!("{told}{error:?}");
    for secret in [prompt, output, token] {
        assert!(!told.contains(secret), "{secret} is told: {told}");
    }
    assert!(answer.turns[0].stderr_tail.as_ref().unwrap().contains("cannot do [redacted] with [redacted]"));
    agents.shut_down().await;

    // In the database: the prompt in the mailbox, the output in raw frames, and nowhere else.
    let database = rusqlite::Connection::open(sandbox.state_dir().join("state.sqlite")).unwrap();
    let tables: Vec<String> = rows(&database, "SELECT name FROM sqlite_schema WHERE type = 'table'");
    let mut found = Vec::new();
    for table in tables {
        let columns: Vec<String> = rows(&database, &format!("SELECT name FROM pragma_table_info('{table}')"));
        for column in columns {
            let texts: Vec<String> = rows(
                &database,
                &format!("SELECT CAST(\"{column}\" AS TEXT) FROM \"{table}\" WHERE \"{column}\" NOT NULL"),
            );
            for secret in [prompt, output, token] {
                if texts.iter().any(|text| text.contains(secret)) {
                    found.push(format!("{table}.{column} {secret}"));
                }
            }
        }
    }
    found.sort();
    let frames = |secret: &str| format!("raw_events.payload {secret}");
    assert_eq!(found, [format!("messages.body {prompt}"), frames(output), frames(prompt)]);
}

fn rows(database: &rusqlite::Connection, sql: &str) -> Vec<String> {
    let mut statement = database.prepare(sql).unwrap();
    statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn listing_filters_and_pages() {
    let sandbox = Sandbox::new();
    let agents = server(&sandbox);
    let mut made = Vec::new();
    for n in 0..5 {
        made.push(spawned(&agents, task(&format!("task {n}"))).await.0.agent_id);
    }
    agents.close_agent(made[0], false).await.unwrap();
    assert_eq!(ground::count(&agents, Some(AgentState::Closed)).await, 1);
    assert_eq!(ground::count(&agents, Some(AgentState::Idle)).await, 4);
    let mut seen = Vec::new();
    for offset in [0, 2, 4] {
        let page = agents.list_agents(ListAgents { limit: 2, offset, state: None }).await.unwrap();
        assert_eq!(page.total, 5);
        seen.extend(page.agents.into_iter().map(|agent| agent.agent_id));
    }
    assert_eq!(seen[0], made[0], "the last changed first");
    seen.sort();
    made.sort();
    assert_eq!(seen, made);
    let summary = serde_json::to_value(&agents.list_agents(ListAgents::default()).await.unwrap().agents[0]).unwrap();
    assert_eq!(summary.get("model"), None, "what is not set is left out");
    assert_eq!(summary["permission_profile"], json!("read_only"));
    agents.shut_down().await;
}
