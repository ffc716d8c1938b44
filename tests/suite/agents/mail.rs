//! Context and followups: when they are delivered, and that they are not delivered twice.

use ccmcp::core::{
    agents::Until,
    error::ErrorCode,
    store::{AgentState, TurnStatus},
};
use serde_json::Value;

use super::ground::{exit_of, in_state, read, server, spawned, story, task, wait};
use crate::support::{
    LIMIT, Sandbox,
    fake::{Launch, Launched, Script, Turn},
    wait_until,
};

/// The texts that were written to a process, in order; context is marked.
fn written(launch: &Launched) -> Vec<String> {
    let texts = |input: &Value| {
        let texts: Vec<&str> =
            input["message"]["content"].as_array().unwrap().iter().filter_map(|block| block["text"].as_str()).collect();
        let mark = if input["shouldQuery"] == false { "context: " } else { "" };
        format!("{mark}{}", texts.join(" | "))
    };
    launch.inputs().iter().filter(|input| input["type"] == "user").map(texts).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn context_reaches_a_running_turn_and_a_followup_waits_for_its_end() {
    let mut sandbox = Sandbox::new();
    let gate = sandbox.gate("go");
    let fake = sandbox.script(&Script::new().always(Launch::turn(Turn::echo().before(gate.step()))));
    let agents = server(&sandbox);
    let agent = agents.spawn_agent(task("one")).await.unwrap().agent_id;
    in_state(&agents, agent, AgentState::Running).await;
    wait_until(LIMIT, "the first input", || (!fake.launch(0).inputs().is_empty()).then_some(()));
    let sent = agents.send_message(agent, "by the way").await.unwrap();
    assert!(!sent.queued_only);
    assert_eq!(sent.mailbox_depth, 0);
    let followed = agents.followup_task(agent, "two").await.unwrap();
    assert_eq!(followed.state, AgentState::Running);
    let late = agents.send_message(agent, "for later").await.unwrap();
    assert!(late.queued_only, "behind a followup it has its place in a later turn");
    wait_until(LIMIT, "the context is read", || {
        (written(&fake.launch(0)) == ["one", "context: by the way"]).then_some(())
    });
    gate.open();
    let waited = wait(&agents, agent, &followed.cursor.to_string(), Until::Idle).await;
    assert_eq!(
        story(&waited.events),
        [
            "message.enqueued message",
            "turn.completed succeeded",
            "agent.queued turn_boundary",
            "turn.started",
            "turn.completed succeeded",
            "agent.idle turn_boundary"
        ]
    );
    let third = agents.followup_task(agent, "three").await.unwrap();
    wait(&agents, agent, &third.cursor.to_string(), Until::Idle).await;
    // Context behind the second followup went to the live process as soon as that was its own.
    let all = written(&fake.launch(0)).join("\n");
    assert_eq!(all.matches("for later").count(), 1, "{all}");
    assert_eq!(fake.launches(), 1);
    agents.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn context_for_an_idle_live_process_is_written_at_once_and_before_the_next_turn() {
    let mut sandbox = Sandbox::new();
    let fake = sandbox.script(&Script::new());
    let agents = server(&sandbox);
    let (agent, _) = spawned(&agents, task("one")).await;
    let agent = agent.agent_id;
    for text in ["note 1", "note 2"] {
        let sent = agents.send_message(agent, text).await.unwrap();
        assert!(!sent.queued_only);
    }
    let followed = agents.followup_task(agent, "two").await.unwrap();
    let waited = wait(&agents, agent, &followed.cursor.to_string(), Until::Idle).await;
    assert_eq!(waited.results[0].result.as_deref(), Some("ECHO: two"));
    assert_eq!(written(&fake.launch(0)), ["one", "context: note 1", "context: note 2", "two"]);
    agents.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn context_without_a_process_comes_first_in_the_next_turn() {
    let mut sandbox = Sandbox::new();
    let fake = sandbox.script(&Script::new());
    let limits = ccmcp::core::config::Limits { idle: std::time::Duration::from_millis(1), ..super::ground::limits() };
    let agents = super::ground::server_with(&sandbox, limits);
    let (agent, _) = spawned(&agents, task("one")).await;
    let agent = agent.agent_id;
    assert_eq!(exit_of(&fake, 0), 0);
    let first = agents.send_message(agent, "note 1").await.unwrap();
    let second = agents.send_message(agent, "note 2").await.unwrap();
    assert!(first.queued_only && second.queued_only);
    assert_eq!(second.mailbox_depth, 2);
    assert_eq!(read(&agents, agent).await.agent.state, AgentState::Idle, "context alone starts no turn");
    let followed = agents.followup_task(agent, "two").await.unwrap();
    let waited = wait(&agents, agent, &followed.cursor.to_string(), Until::Idle).await;
    assert_eq!(written(&fake.launch(1)), ["note 1 | note 2 | two"]);
    let end = waited.events.iter().find(|event| event.kind == "turn.completed").unwrap();
    assert_eq!((&end.payload["acknowledged"], &end.payload["discarded"]), (&3.into(), &0.into()));
    agents.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn followups_are_one_turn_each_even_for_a_cli_that_merges_inputs() {
    let mut sandbox = Sandbox::new();
    let gate = sandbox.gate("go");
    let fake = sandbox.script(&Script::new().always(Launch::turn(Turn::echo().before(gate.step())).merge()));
    let agents = server(&sandbox);
    let spawned = agents.spawn_agent(task("one")).await.unwrap();
    let agent = spawned.agent_id;
    for text in ["two", "three", "four"] {
        agents.followup_task(agent, text).await.unwrap();
    }
    gate.open();
    let answer = super::ground::until(&agents, agent, "four turns", |answer| {
        answer.turns.len() == 4 && answer.agent.state == AgentState::Idle
    })
    .await;
    assert!(answer.turns.iter().all(|turn| turn.status == TurnStatus::Succeeded));
    assert_eq!(written(&fake.launch(0)), ["one", "two", "three", "four"]);
    let ids: Vec<Value> = fake.launch(0).inputs().iter().map(|input| input["uuid"].clone()).collect();
    let unique: std::collections::HashSet<String> = ids.iter().map(Value::to_string).collect();
    assert_eq!(unique.len(), 4, "each has a uuid of its own");
    agents.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_closed_agent_takes_no_mail() {
    let sandbox = Sandbox::new();
    let agents = server(&sandbox);
    let (agent, _) = spawned(&agents, task("one")).await;
    let agent = agent.agent_id;
    agents.close_agent(agent, false).await.unwrap();
    assert_eq!(agents.send_message(agent, "x").await.unwrap_err().code, ErrorCode::InvalidState);
    assert_eq!(agents.followup_task(agent, "x").await.unwrap_err().code, ErrorCode::InvalidState);
    let answer = read(&agents, agent).await;
    assert_eq!(story(&answer.events).last().unwrap(), "agent.closed");
    agents.close_agent(agent, true).await.unwrap();
    assert_eq!(agents.send_message(agent, "x").await.unwrap_err().code, ErrorCode::AgentNotFound);
    agents.shut_down().await;
}
