//! Several servers on one state directory.

use std::{collections::HashSet, time::Duration};

use ccmcp::core::{
    agents::{Cursor, LONGEST_WAIT, SpawnAgent, Until, WaitAgent},
    claude::Profile,
    config::Limits,
    store::{AgentState, TurnStatus},
};

use super::ground::{self, in_state, read, server, server_with, story, task, try_wait, until, wait, writer};
use crate::support::{
    LIMIT, Sandbox,
    fake::{Launch, Script, Turn},
    wait_until,
};

/// A turn that leaves a trace of when it ran: a file that exists only meanwhile.
fn one(limit: u32) -> Limits {
    Limits { processes: limit, ..ground::limits() }
}

#[tokio::test(flavor = "multi_thread")]
async fn waiting_from_the_cursor_of_a_spawn_misses_no_turn_however_fast() {
    let mut sandbox = Sandbox::new();
    sandbox.script(&Script::new());
    let agents = server_with(&sandbox, Limits { idle: Duration::ZERO, ..one(4) });
    // `CCMCP_SPAWNS=1000` for the whole promise; the usual number keeps the suite short.
    let count = std::env::var("CCMCP_SPAWNS").map_or(60, |count| count.parse().unwrap());
    let mut waits = tokio::task::JoinSet::new();
    for n in 0..count {
        let agents = agents.clone();
        waits.spawn(async move {
            let spawned = agents.spawn_agent(task(&format!("task {n}"))).await.unwrap();
            let input = WaitAgent {
                agent_ids: vec![spawned.agent_id],
                after_cursor: spawned.cursor.to_string(),
                timeout: LONGEST_WAIT,
                until: Until::TurnEnd,
            };
            let waited = agents.wait_agent(input, None).await.unwrap();
            assert!(!waited.timed_out, "task {n}");
            assert_eq!(waited.results[0].result.as_deref(), Some(format!("ECHO: task {n}").as_str()));
        });
    }
    while let Some(done) = waits.join_next().await {
        done.unwrap();
    }
    assert_eq!(ground::count(&agents, None).await, count);
    agents.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_limit_and_the_workspaces_hold_over_eight_servers() {
    let mut sandbox = Sandbox::new();
    sandbox.script(&Script::new());
    let servers: Vec<_> = (0..8).map(|_| server_with(&sandbox, one(3))).collect();
    let mut agents = Vec::new();
    for (n, server) in servers.iter().cycle().take(32).enumerate() {
        let input = writer(&sandbox, &format!("place-{}", n % 5), &format!("task {n}"));
        let input = SpawnAgent {
            permission_profile: if n.is_multiple_of(3) { Profile::ReadOnly } else { Profile::WorkspaceWrite },
            ..input
        };
        agents.push((server.spawn_agent(input).await.unwrap().agent_id, n));
    }
    for (agent, _) in &agents {
        let answer = in_state(&servers[0], *agent, AgentState::Idle).await;
        assert_eq!(answer.turns[0].status, TurnStatus::Succeeded);
        assert_eq!(answer.turns.len(), 1, "no turn ran twice");
    }
    // What happened, in the one order that all servers see.
    let ids: Vec<_> = agents.iter().map(|(agent, _)| *agent).collect();
    let mut events = Vec::new();
    for chunk in ids.chunks(8) {
        let mut after = Cursor(0);
        loop {
            let waited = try_wait(&servers[3], chunk, &after.to_string(), Until::Any).await.unwrap();
            after = waited.cursor;
            let more = waited.has_more;
            events.extend(waited.events);
            if !more {
                break;
            }
        }
    }
    events.sort_by_key(|event| event.sequence);
    let sequences: HashSet<_> = events.iter().map(|event| event.sequence).collect();
    assert_eq!(sequences.len(), events.len());
    let mut running: Vec<usize> = Vec::new();
    for event in &events {
        let n = agents.iter().find(|(agent, _)| *agent == event.agent_id).unwrap().1;
        match event.kind.as_str() {
            "turn.started" => {
                assert!(running.len() < 3, "more than the limit at once");
                let alone = |n: usize| !n.is_multiple_of(3);
                let conflict = running.iter().any(|other| other % 5 == n % 5 && (alone(*other) || alone(n)));
                assert!(!conflict, "two in one workspace");
                running.push(n);
            }
            "turn.completed" => running.retain(|other| *other != n),
            _ => {}
        }
    }
    for server in servers {
        server.shut_down().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn another_server_waits_writes_and_interrupts() {
    let mut sandbox = Sandbox::new();
    let fake = sandbox.script(&Script::new().on("work", Turn::work()));
    let (home, other) = (server(&sandbox), server(&sandbox));
    let spawned = home.spawn_agent(task("work")).await.unwrap();
    let agent = spawned.agent_id;
    in_state(&other, agent, AgentState::Running).await;
    wait_until(LIMIT, "the first input", || (!fake.launch(0).inputs().is_empty()).then_some(()));
    let sent = other.send_message(agent, "note").await.unwrap();
    assert!(!sent.queued_only, "the process of the other server has it");
    let done = other.interrupt_agent(agent).await.unwrap();
    assert!(done.interrupted);
    let followed = other.followup_task(agent, "two").await.unwrap();
    let waited = wait(&other, agent, &followed.cursor.to_string(), Until::TurnEnd).await;
    assert_eq!(waited.results[0].result.as_deref(), Some("ECHO: two"));
    assert_eq!(fake.launches(), 1, "its own server went on with it");
    home.shut_down().await;
    other.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_idle_process_makes_room_for_another_servers_turn() {
    let mut sandbox = Sandbox::new();
    let fake = sandbox.script(&Script::new());
    let (home, other) = (server_with(&sandbox, one(1)), server_with(&sandbox, one(1)));
    let (first, _) = ground::spawned(&home, task("one")).await;
    let (_, waited) = ground::spawned(&other, task("two")).await;
    assert_eq!(waited.results[0].result.as_deref(), Some("ECHO: two"));
    assert_eq!(ground::exit_of(&fake, 0), 0, "it was asked to leave, and not killed");
    assert_eq!(read(&home, first.agent_id).await.agent.state, AgentState::Idle);
    home.shut_down().await;
    other.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_leaves_hurts_nobody_elses_agents() {
    let mut sandbox = Sandbox::new();
    let gate = sandbox.gate("go");
    let fake = sandbox.script(&Script::new().always(Launch::turn(Turn::echo().before(gate.step()))));
    let (stays, leaves) = (server(&sandbox), server(&sandbox));
    let kept = stays.spawn_agent(task("kept")).await.unwrap().agent_id;
    in_state(&stays, kept, AgentState::Running).await;
    wait_until(LIMIT, "the first input", || (!fake.launch(0).inputs().is_empty()).then_some(()));
    let lost = leaves.spawn_agent(task("lost")).await.unwrap().agent_id;
    in_state(&leaves, lost, AgentState::Running).await;
    leaves.shut_down().await;
    assert_eq!(read(&stays, kept).await.agent.state, AgentState::Running);
    let answer = in_state(&stays, lost, AgentState::Idle).await;
    assert_eq!(answer.turns[0].status, TurnStatus::Interrupted);
    gate.open();
    assert_eq!(in_state(&stays, kept, AgentState::Idle).await.turns[0].status, TurnStatus::Succeeded);
    // Its agents go on with whoever is asked.
    let followed = stays.followup_task(lost, "again").await.unwrap();
    let waited = wait(&stays, lost, &followed.cursor.to_string(), Until::TurnEnd).await;
    assert_eq!(waited.results[0].status, TurnStatus::Succeeded);
    stays.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_visitor_steers_and_runs_nothing() {
    let mut sandbox = Sandbox::new();
    sandbox.script(&Script::new().on("work", Turn::work()));
    let home = server(&sandbox);
    let agent = home.spawn_agent(task("work")).await.unwrap().agent_id;
    let visitor = ground::visitor(&sandbox);
    in_state(&visitor, agent, AgentState::Running).await;
    assert!(visitor.interrupt_agent(agent).await.unwrap().interrupted);
    let answer = until(&home, agent, "the interrupt", |answer| answer.agent.state == AgentState::Idle).await;
    assert!(story(&answer.events).contains(&"agent.cancelling".to_owned()));
    assert!(visitor.spawn_agent(task("x")).await.is_err());
    home.shut_down().await;
}
