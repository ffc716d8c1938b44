//! How turns end when they do not end by themselves: interrupts, limits, failures, shutdown.

use std::time::{Duration, Instant};

use ccmcp::core::{
    agents::{Agents, SpawnAgent, Until},
    config::Limits,
    error::ErrorCode,
    ids::AgentId,
    store::{AgentState, TurnReason, TurnStatus},
};
use serde_json::json;

use super::ground::{self, exit_of, in_state, read, server, server_with, spawned, story, task, wait};
use crate::support::{
    LIMIT, Sandbox,
    fake::{Fake, Launch, Offspring, Script, Signal, Spawn, Step, Turn},
    processes::Process,
    wait_for, wait_until,
};

/// Spawns an agent and waits until the CLI has its input.
async fn at_work(agents: &Agents, fake: &Fake, text: &str) -> AgentId {
    let agent = agents.spawn_agent(task(text)).await.unwrap().agent_id;
    in_state(agents, agent, AgentState::Running).await;
    wait_until(LIMIT, "the first input", || (!fake.launch(0).inputs().is_empty()).then_some(()));
    agent
}

/// Runs one more turn to its end.
async fn next_turn(agents: &Agents, agent: AgentId, text: &str) -> (Vec<String>, Option<String>) {
    let followed = agents.followup_task(agent, text).await.unwrap();
    let waited = wait(agents, agent, &followed.cursor.to_string(), Until::Idle).await;
    (story(&waited.events), waited.results.last().and_then(|result| result.result.clone()))
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interrupt_leaves_process_and_session_usable() {
    let mut sandbox = Sandbox::new();
    let fake = sandbox.script(&Script::new().always(Launch::turn(Turn::work())));
    let agents = server(&sandbox);
    let agent = at_work(&agents, &fake, "one").await;
    agents.followup_task(agent, "never").await.unwrap();
    let done = agents.interrupt_agent(agent).await.unwrap();
    assert!(done.interrupted);
    assert_eq!(done.state, AgentState::Idle);
    let answer = read(&agents, agent).await;
    let after: Vec<String> = story(&answer.events).split_off(4);
    assert_eq!(
        after,
        ["agent.cancelling", "turn.interrupted interrupted", "turn.interrupted interrupted", "agent.idle interrupted"]
    );
    let cancelling = answer.events.iter().find(|event| event.kind == "agent.cancelling").unwrap();
    assert_eq!(done.cursor, cancelling.sequence);
    let ends: Vec<_> = answer.events.iter().filter(|event| event.kind == "turn.interrupted").collect();
    assert_eq!((&ends[0].payload["acknowledged"], &ends[1].payload["discarded"]), (&json!(1), &json!(1)));
    let (_, said) = next_turn(&agents, agent, "two").await;
    assert_eq!(said.as_deref(), Some("ECHO: two"));
    assert_eq!(fake.launches(), 1, "the process lived on");
    assert!(fake.launch(0).signals().is_empty());
    agents.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interrupt_of_a_stuck_process_goes_down_the_ladder_within_eight_seconds() {
    let mut sandbox = Sandbox::new();
    let stuck = Launch::turn(Turn::of(vec![Step::Init, Step::Hang])).stubborn();
    let fake = sandbox.script(&Script::new().launch(stuck));
    let agents = server(&sandbox);
    let agent = at_work(&agents, &fake, "one").await;
    let begin = Instant::now();
    let done = agents.interrupt_agent(agent).await.unwrap();
    assert!(done.interrupted, "{done:?}");
    assert!(begin.elapsed() < Duration::from_secs(8));
    assert_eq!(fake.launch(0).signals(), ["INT", "TERM"]);
    let (_, said) = next_turn(&agents, agent, "two").await;
    assert_eq!(said.as_deref(), Some("ECHO: two"));
    agents.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interrupt_of_an_idle_or_queued_agent() {
    let mut sandbox = Sandbox::new();
    sandbox.script(&Script::new().on("one", Turn::work()));
    let agents = server_with(&sandbox, Limits { processes: 1, ..ground::limits() });
    let first = agents.spawn_agent(task("one")).await.unwrap().agent_id;
    in_state(&agents, first, AgentState::Running).await;
    let second = agents.spawn_agent(task("two")).await.unwrap();
    let done = agents.interrupt_agent(second.agent_id).await.unwrap();
    assert!(done.interrupted);
    let waited = wait(&agents, second.agent_id, &done.cursor.to_string(), Until::Idle).await;
    assert_eq!(story(&waited.events), ["turn.interrupted interrupted", "agent.idle interrupted"]);
    let idle = agents.interrupt_agent(second.agent_id).await.unwrap();
    assert!(!idle.interrupted);
    assert_eq!(idle.state, AgentState::Idle);
    agents.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_that_takes_too_long_is_timed_out() {
    let mut sandbox = Sandbox::new();
    let fake = sandbox.script(&Script::new().always(Launch::turn(Turn::work())));
    let agents = server(&sandbox);
    let (agent, waited) = spawned(&agents, SpawnAgent { max_turn_seconds: Some(1), ..task("one") }).await;
    assert_eq!(story(&waited.events), ["turn.started", "turn.failed timed_out", "agent.idle turn_boundary"]);
    assert_eq!(
        (waited.results[0].status, waited.results[0].reason),
        (TurnStatus::TimedOut, Some(TurnReason::TimedOut))
    );
    let (_, said) = next_turn(&agents, agent.agent_id, "two").await;
    assert_eq!(said.as_deref(), Some("ECHO: two"));
    assert_eq!(fake.launches(), 1);
    agents.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_silence_is_told_once_and_ends_nothing() {
    let mut sandbox = Sandbox::new();
    let gate = sandbox.gate("go");
    let fake = sandbox.script(&Script::new().always(Launch::turn(Turn::echo().before(gate.step()))));
    let agents = server_with(&sandbox, Limits { stall: Duration::from_millis(300), ..ground::limits() });
    let spawned = agents.spawn_agent(task("one")).await.unwrap();
    let agent = spawned.agent_id;
    let waited = wait(&agents, agent, &spawned.cursor.to_string(), Until::Idle).await;
    assert_eq!(story(&waited.events), ["turn.started", "agent.stalled"], "nobody sleeps past it");
    assert!(waited.events[1].payload["stalledForMs"].as_u64().unwrap() >= 300);
    assert!(read(&agents, agent).await.agent.stalled);
    gate.open();
    let waited = wait(&agents, agent, &waited.cursor.to_string(), Until::Idle).await;
    assert_eq!(story(&waited.events), ["turn.completed succeeded", "agent.idle turn_boundary"], "told once");
    assert!(!read(&agents, agent).await.agent.stalled);
    assert_eq!(fake.launches(), 1);
    agents.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_death_in_the_middle_is_repeated_once_with_a_new_uuid_and_a_mark() {
    let mut sandbox = Sandbox::new();
    let dies = || Launch::turn(Turn::of(vec![Step::Init, Step::Kill { signal: Signal::Segv }]));
    let fake = sandbox.script(&Script::new().launch(dies()).launch(Launch::default()).launch(dies()).launch(dies()));
    let agents = server(&sandbox);
    let (agent, waited) = spawned(&agents, task("one")).await;
    assert_eq!(
        story(&waited.events),
        ["turn.started", "agent.queued retry", "turn.started", "turn.completed succeeded", "agent.idle turn_boundary"]
    );
    assert_eq!(waited.events[2].payload["attempt"], 2);
    let (first, second) = (fake.launch(0).inputs().remove(0), fake.launch(1).inputs().remove(0));
    assert_ne!(first["uuid"], second["uuid"], "the CLI would swallow the old one");
    let texts = second["message"]["content"].as_array().unwrap();
    assert!(texts[0]["text"].as_str().unwrap().starts_with("[ccmcp]"));
    assert_eq!(texts[1]["text"], "one");
    assert!(fake.launch(1).value_of("--resume").is_some());

    agents.shut_down().await;
    let agents = server(&sandbox);
    let (events, _) = next_turn(&agents, agent.agent_id, "two").await;
    assert_eq!(events[events.len() - 2..], ["turn.failed exited", "agent.idle turn_boundary"]);
    let turn = read(&agents, agent.agent_id).await.turns.remove(0);
    assert_eq!(turn.signal, Some(11));
    agents.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_launch_that_fails_is_tried_again_and_one_that_cannot_work_is_not() {
    let mut sandbox = Sandbox::new();
    let fails = Launch::default().start(Step::Stderr { text: "boom\n".into() }).start(Step::Exit { code: 3 });
    let fake = sandbox.script(&Script::new().launch(fails.clone()));
    let agents = server(&sandbox);
    let (_, waited) = spawned(&agents, task("one")).await;
    assert_eq!(
        story(&waited.events),
        ["turn.started", "agent.queued retry", "turn.started", "turn.completed succeeded", "agent.idle turn_boundary"]
    );
    let text = &fake.launch(1).inputs()[0]["message"]["content"];
    assert_eq!(text[0]["text"].as_str().unwrap().starts_with("[ccmcp]"), text.as_array().unwrap().len() == 2);
    agents.shut_down().await;

    let mut sandbox = Sandbox::new();
    let login = Launch::default()
        .start(Step::Stderr { text: "Not logged in · Please run /login\n".into() })
        .start(Step::Exit { code: 1 });
    let fake = sandbox.script(&Script::new().always(login));
    let agents = server(&sandbox);
    let (agent, waited) = spawned(&agents, task("one")).await;
    assert_eq!(story(&waited.events)[1], "turn.failed auth_failed");
    let turn = read(&agents, agent.agent_id).await.turns.remove(0);
    assert_eq!(turn.exit_code, Some(1));
    assert!(turn.stderr_tail.unwrap().contains("Not logged in"));
    assert_eq!(fake.launches(), 1);
    agents.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_login_that_the_api_refuses_is_not_tried_ten_times() {
    let mut sandbox = Sandbox::new();
    let retry = |attempt| Step::ApiRetry {
        attempt,
        max_retries: 10,
        error_status: Some(401),
        error: "authentication_failed".into(),
    };
    let turn = Turn::work().before(retry(1)).before(retry(2));
    sandbox.script(&Script::new().always(Launch::turn(turn)));
    let agents = server(&sandbox);
    let (_, waited) = spawned(&agents, task("one")).await;
    assert_eq!(story(&waited.events)[1], "turn.failed auth_failed");
    agents.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_of_an_agents_process_outlives_it() {
    let mut sandbox = Sandbox::new();
    let pid_file = sandbox.root().join("detached.pid");
    let leaves = Turn::echo().before(Step::Spawn(Spawn {
        offspring: Offspring::Detached,
        pid_file: pid_file.clone(),
        holds_stdout: true,
        stubborn: true,
    }));
    let fake = sandbox.script(&Script::new().always(Launch::turn(leaves)));
    let agents = server_with(&sandbox, Limits { idle: Duration::from_millis(1), ..ground::limits() });
    let (_, waited) = spawned(&agents, task("one")).await;
    assert_eq!(waited.results[0].status, TurnStatus::Succeeded);
    let left = Process::from_file(&pid_file).unwrap();
    exit_of(&fake, 0);
    wait_for(LIMIT, "the detached process is gone", || !left.is_alive());
    agents.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_shutdown_interrupts_what_runs_and_leaves_what_waits() {
    let mut sandbox = Sandbox::new();
    let fake = sandbox.script(&Script::new().on("one", Turn::work()));
    let agents = server_with(&sandbox, Limits { processes: 1, ..ground::limits() });
    let first = at_work(&agents, &fake, "one").await;
    agents.followup_task(first, "one more").await.unwrap();
    let second = agents.spawn_agent(task("two")).await.unwrap().agent_id;
    let begin = Instant::now();
    agents.shut_down().await;
    assert!(begin.elapsed() < Duration::from_secs(5));
    assert_eq!(fake.launch(0).signals().len(), 0, "the protocol was enough");

    let visitor = ground::visitor(&sandbox);
    let answer = read(&visitor, first).await;
    assert_eq!(
        answer.turns.iter().map(|turn| turn.status).collect::<Vec<_>>(),
        [TurnStatus::Queued, TurnStatus::Interrupted]
    );
    assert_eq!(answer.agent.state, AgentState::Queued, "mail that waits is kept");
    assert_eq!(read(&visitor, second).await.agent.state, AgentState::Queued);
    let gone = agents.spawn_agent(task("three")).await.unwrap_err();
    assert_eq!(gone.code, ErrorCode::AgentsInternal);

    // The next server adopts what waits.
    let next = server(&sandbox);
    ground::count(&next, None).await;
    in_state(&next, second, AgentState::Idle).await;
    in_state(&next, first, AgentState::Running).await;
    next.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_is_closed_and_removed() {
    let mut sandbox = Sandbox::new();
    let fake = sandbox.script(&Script::new().on("busy", Turn::work()));
    let agents = server(&sandbox);
    let busy = at_work(&agents, &fake, "busy").await;
    assert_eq!(agents.close_agent(busy, true).await.unwrap_err().code, ErrorCode::InvalidState);
    agents.interrupt_agent(busy).await.unwrap();
    agents.close_agent(busy, true).await.unwrap();
    assert_eq!(exit_of(&fake, 0), 1, "its idle process was ended (an interrupted turn was its last)");
    assert_eq!(agents.close_agent(busy, false).await.unwrap_err().code, ErrorCode::AgentNotFound);

    let (old, _) = spawned(&agents, task("old")).await;
    let looked = agents.prune(Duration::ZERO, true).await.unwrap();
    assert!(looked.agents.is_empty() && !looked.removed, "its process is alive");
    agents.close_agent(old.agent_id, false).await.unwrap();
    wait_until(LIMIT, "its process ends", || fake.launch(1).exit());
    let end = Instant::now() + LIMIT;
    while agents.prune(Duration::ZERO, true).await.unwrap().agents.is_empty() {
        assert!(Instant::now() < end);
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert!(agents.prune(Duration::from_hours(1), true).await.unwrap().agents.is_empty(), "too young");
    let pruned = agents.prune(Duration::ZERO, false).await.unwrap();
    assert!(pruned.removed && pruned.agents[0].agent_id == old.agent_id);
    assert_eq!(ground::count(&agents, None).await, 0);
    agents.shut_down().await;
}
