//! Single crashes, each with its way out.

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, Stdio},
    time::Duration,
};

use ccmcp::core::{
    agents::Until,
    config::Limits,
    error::ErrorCode,
    ids::AgentId,
    process::Identity,
    store::{AgentState, AttentionReason, TurnStatus},
};
use serde_json::{Value, json};

use super::ground::{self, exit_of, in_state, read, server, spawned, story, task, wait};
use crate::support::{
    LIMIT, Sandbox,
    fake::{Fake, Launch, Script, Step, Turn},
    processes::{self, Process},
    wait_until,
};

/// A server in a process of its own, with one agent that works on its first turn.
pub(super) struct Remote {
    child: Child,
    agent: AgentId,
}

impl Remote {
    fn start(sandbox: &Sandbox, fake: &Fake, text: &str) -> Self {
        let program = Path::new(env!("CARGO_BIN_EXE_ccmcp")).parent().unwrap().join("examples").join("agents-server");
        let mut command = sandbox.command(program.to_str().unwrap());
        command.env("CCMCP_BIN", env!("CARGO_BIN_EXE_ccmcp"));
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let cwd = sandbox.workspace();
        let request = json!({ "do": "spawn", "task": text, "cwd": cwd, "writes": true });
        writeln!(child.stdin.as_mut().unwrap(), "{request}").unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let answer: Value = serde_json::from_str(&line).unwrap();
        wait_until(LIMIT, "the first input", || (!fake.launch(0).inputs().is_empty()).then_some(()));
        Self { child, agent: answer["agent_id"].as_str().unwrap().parse().unwrap() }
    }

    fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Remote {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The supervisors in the sandbox.
fn supervisors(sandbox: &Sandbox) -> Vec<Process> {
    let all = processes::belonging_to(sandbox.root());
    all.into_iter().filter(|(_, command)| command.contains("__supervise")).map(|(process, _)| process).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_servers_turn_is_repeated_once_by_another_server() {
    let mut sandbox = Sandbox::new();
    let fake = sandbox.script(&Script::new().launch(Launch::turn(Turn::work())));
    let mut remote = Remote::start(&sandbox, &fake, "one");
    let agents = server(&sandbox);
    assert_eq!(read(&agents, remote.agent).await.agent.state, AgentState::Running);
    let claude = fake.launch(0).process();
    remote.kill();
    let answer = in_state(&agents, remote.agent, AgentState::Idle).await;
    assert!(!claude.is_alive());
    assert_eq!(
        story(&answer.events)[2..],
        [
            "turn.started",
            "agent.queued reconciled",
            "turn.started",
            "turn.completed succeeded",
            "agent.idle turn_boundary"
        ]
    );
    let again = &fake.launch(1).inputs()[0]["message"]["content"];
    assert!(again[0]["text"].as_str().unwrap().starts_with("[ccmcp]"));
    assert_eq!(again[1]["text"], "one");
    agents.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_that_was_to_be_interrupted_is_not_repeated() {
    let mut sandbox = Sandbox::new();
    let stuck = Launch::turn(Turn::of(vec![Step::Init, Step::Deaf, Step::Hang])).stubborn();
    let fake = sandbox.script(&Script::new().launch(stuck));
    let mut remote = Remote::start(&sandbox, &fake, "one");
    // The end of its input is a shutdown: it marks the turn first, and is killed before it is done.
    drop(remote.child.stdin.take());
    let visitor = ground::visitor(&sandbox);
    in_state(&visitor, remote.agent, AgentState::Cancelling).await;
    remote.kill();
    let agents = server(&sandbox);
    let answer = in_state(&agents, remote.agent, AgentState::Idle).await;
    assert_eq!(answer.turns[0].status, TurnStatus::Interrupted);
    assert_eq!(fake.launches(), 1);
    agents.shut_down().await;
}

/// A server was killed, and the supervisor of its process cannot do its work.
async fn uncertain(sandbox: &mut Sandbox) -> (Fake, ccmcp::core::agents::Agents, AgentId, Process) {
    let fake = sandbox.script(&Script::new().launch(Launch::turn(Turn::work())));
    let mut remote = Remote::start(sandbox, &fake, "one");
    let supervisor = supervisors(sandbox).remove(0);
    processes::signal(&supervisor, "STOP");
    remote.kill();
    let agents = server(sandbox);
    let answer = in_state(&agents, remote.agent, AgentState::NeedsAttention).await;
    assert_eq!(answer.agent.reason, Some(AttentionReason::OwnershipUnknown));
    assert!(fake.launch(0).process().is_alive());
    let agent = remote.agent;
    (fake, agents, agent, supervisor)
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interrupt_ends_what_is_uncertain() {
    let mut sandbox = Sandbox::new();
    let (fake, agents, agent, _) = uncertain(&mut sandbox).await;
    let error = agents.followup_task(agent, "two").await.unwrap_err();
    assert_eq!(error.code, ErrorCode::InvalidState);
    assert_eq!(error.details.state.as_deref(), Some("needs_attention"));
    assert_eq!(error.details.reason.as_deref(), Some("ownership_unknown"));
    assert_eq!(error.details.process.as_ref().unwrap().pid, fake.launch(0).process().pid);
    let done = agents.interrupt_agent(agent).await.unwrap();
    assert!(done.interrupted);
    assert_eq!(done.state, AgentState::Idle);
    assert!(!fake.launch(0).process().is_alive());
    let tale = story(&read(&agents, agent).await.events);
    assert_eq!(
        tale[tale.len() - 3..],
        ["agent.needs_attention ownership_unknown", "turn.interrupted interrupted", "agent.idle recovered"]
    );
    let followed = agents.followup_task(agent, "two").await.unwrap();
    let waited = wait(&agents, agent, &followed.cursor.to_string(), Until::TurnEnd).await;
    assert_eq!(waited.results[0].result.as_deref(), Some("ECHO: two"));
    agents.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_followup_looks_again_and_goes_on_when_it_is_certain_by_now() {
    let mut sandbox = Sandbox::new();
    let (fake, agents, agent, supervisor) = uncertain(&mut sandbox).await;
    processes::signal(&supervisor, "CONT");
    wait_until(LIMIT, "the tree ends", || (!fake.launch(0).process().is_alive()).then_some(()));
    wait_until(LIMIT, "the supervisor ends", || (!supervisor.is_alive()).then_some(()));
    agents.followup_task(agent, "two").await.unwrap();
    let answer = ground::until(&agents, agent, "both turns", |answer| {
        answer.agent.state == AgentState::Idle && answer.turns.len() == 2
    })
    .await;
    assert!(answer.turns.iter().all(|turn| turn.status == TurnStatus::Succeeded), "{:#?}", answer.turns);
    agents.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_without_an_exact_start_needs_attention_and_can_be_left() {
    let mut sandbox = Sandbox::new();
    let fake = sandbox.script(&Script::new().launch(Launch::turn(Turn::work())));
    let mut remote = Remote::start(&sandbox, &fake, "one");
    // Somebody has the pids, and nobody can tell who.
    let mut somebody = sandbox.command("sleep").arg("600").spawn().unwrap();
    let database = rusqlite::Connection::open(sandbox.state_dir().join("state.sqlite")).unwrap();
    database.busy_timeout(Duration::from_secs(10)).unwrap();
    let forget = "UPDATE children SET pid = ?1, started = NULL, supervisor_pid = ?1, supervisor_started = NULL";
    database.execute(forget, [somebody.id()]).unwrap();
    remote.kill();
    let agents = server(&sandbox);
    let answer = in_state(&agents, remote.agent, AgentState::NeedsAttention).await;
    assert_eq!(answer.agent.reason, Some(AttentionReason::IdentityIncomplete));
    let error = agents.interrupt_agent(remote.agent).await.unwrap_err();
    assert_eq!((error.code, error.details.process.as_ref().unwrap().pid), (ErrorCode::InvalidState, somebody.id()));
    assert!(somebody.try_wait().unwrap().is_none(), "an innocent process must not be ended");
    somebody.kill().unwrap();
    somebody.wait().unwrap();
    let done = agents.interrupt_agent(remote.agent).await.unwrap();
    assert_eq!(done.state, AgentState::Idle);
    assert!(!fake.launch(0).process().is_alive());
    agents.shut_down().await;
}

/// A running agent whose process is recorded as a bystander, and ends: what is recorded lives on, as a Claude that
/// nobody could end would.
async fn uncontained(sandbox: &mut Sandbox) -> (Fake, ccmcp::core::agents::Agents, AgentId, Child) {
    let fake = sandbox.script(&Script::new().launch(Launch::turn(Turn::work())));
    let agents = server(sandbox);
    let agent = agents.spawn_agent(task("one")).await.unwrap().agent_id;
    wait_until(LIMIT, "the input", || (fake.launches() > 0 && !fake.launch(0).inputs().is_empty()).then_some(()));
    in_state(&agents, agent, AgentState::Running).await;
    let bystander = sandbox.command("sleep").arg("600").spawn().unwrap();
    let known = Identity::of(bystander.id()).unwrap().unwrap();
    let database = rusqlite::Connection::open(sandbox.state_dir().join("state.sqlite")).unwrap();
    database.busy_timeout(Duration::from_secs(10)).unwrap();
    let changed =
        database.execute("UPDATE children SET pid = ?1, started = ?2", (known.pid, known.start.as_str())).unwrap();
    assert_eq!(changed, 1);
    processes::signal(&fake.launch(0).process(), "KILL");
    let answer = in_state(&agents, agent, AgentState::NeedsAttention).await;
    assert_eq!(answer.agent.reason, Some(AttentionReason::Containment));
    assert_eq!(story(&answer.events).last().unwrap(), "agent.needs_attention containment");
    let error = agents.followup_task(agent, "two").await.unwrap_err();
    assert_eq!(error.code, ErrorCode::InvalidState);
    assert_eq!(error.details.reason.as_deref(), Some("containment"));
    assert_eq!(error.details.process.as_ref().unwrap().pid, known.pid);
    (fake, agents, agent, bystander)
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interrupt_ends_what_was_not_contained() {
    let mut sandbox = Sandbox::new();
    let (fake, agents, agent, mut bystander) = uncontained(&mut sandbox).await;
    let done = agents.interrupt_agent(agent).await.unwrap();
    assert_eq!((done.state, done.interrupted), (AgentState::Idle, true));
    assert!(bystander.try_wait().unwrap().is_some(), "what is recorded as the agent's process is ended");
    let tale = story(&read(&agents, agent).await.events);
    assert_eq!(
        tale[tale.len() - 3..],
        ["agent.needs_attention containment", "turn.interrupted interrupted", "agent.idle recovered"]
    );
    let followed = agents.followup_task(agent, "two").await.unwrap();
    let waited = wait(&agents, agent, &followed.cursor.to_string(), Until::TurnEnd).await;
    assert_eq!(waited.results[0].result.as_deref(), Some("ECHO: two"));
    assert_eq!(fake.launches(), 2);
    agents.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_not_contained_and_ends_later_is_repeated_once() {
    let mut sandbox = Sandbox::new();
    let (fake, agents, agent, mut bystander) = uncontained(&mut sandbox).await;
    bystander.kill().unwrap();
    bystander.wait().unwrap();
    agents.followup_task(agent, "two").await.unwrap();
    let answer = ground::until(&agents, agent, "both turns", |answer| {
        answer.agent.state == AgentState::Idle && answer.turns.len() == 2
    })
    .await;
    assert!(answer.turns.iter().all(|turn| turn.status == TurnStatus::Succeeded), "{:#?}", answer.turns);
    let again = &fake.launch(1).inputs()[0]["message"]["content"];
    assert!(again[0]["text"].as_str().unwrap().starts_with("[ccmcp]"), "marked as a repeat");
    agents.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_transcript_that_is_lost_on_the_way_needs_attention_and_can_be_left() {
    let mut sandbox = Sandbox::new();
    let fake = sandbox.script(&Script::new().on("block", Turn::work()));
    let limits = Limits { processes: 1, ..ground::limits() };
    let agents = ground::server_with(&sandbox, limits);
    let (agent, _) = spawned(&agents, task("one")).await;
    let agent = agent.agent_id;
    // Another agent takes the only slot, so that the followup waits while the transcript goes.
    let other = agents.spawn_agent(task("block")).await.unwrap().agent_id;
    in_state(&agents, other, AgentState::Running).await;
    exit_of(&fake, 0);
    let followed = agents.followup_task(agent, "two").await.unwrap();
    wait_until(LIMIT, "the other's input", || (!fake.launch(1).inputs().is_empty()).then_some(()));
    let folder = fs::read_dir(sandbox.config_dir().join("projects")).unwrap().next().unwrap().unwrap().path();
    let file = folder.join(format!("{}.jsonl", read(&agents, agent).await.agent.session_id));
    let away = sandbox.root().join("away");
    fs::rename(&file, &away).unwrap();
    agents.interrupt_agent(other).await.unwrap();
    let waited = wait(&agents, agent, &followed.cursor.to_string(), Until::Idle).await;
    assert_eq!(
        story(&waited.events),
        [
            "turn.started",
            "turn.failed resume_failed",
            "agent.idle turn_boundary",
            "agent.needs_attention transcript_missing"
        ]
    );
    let error = agents.followup_task(agent, "three").await.unwrap_err();
    assert_eq!(error.code, ErrorCode::ResumeFailed);
    let left = agents.interrupt_agent(agent).await.unwrap();
    assert_eq!((left.state, left.interrupted), (AgentState::Idle, false));
    let error = agents.followup_task(agent, "three").await.unwrap_err();
    assert_eq!(error.code, ErrorCode::ResumeFailed, "as long as it is gone");
    fs::rename(&away, &file).unwrap();
    let followed = agents.followup_task(agent, "three").await.unwrap();
    let waited = wait(&agents, agent, &followed.cursor.to_string(), Until::TurnEnd).await;
    assert_eq!(waited.results[0].result.as_deref(), Some("ECHO: three"));
    agents.shut_down().await;
}
