//! Agents on the real CLI, in every version that is there, against a loopback API.

use std::{fs, time::Duration};

use ccmcp::core::{
    agents::{Agents, ReadAgent, SpawnAgent, Until},
    claude::Profile,
    config::Limits,
    ids::AgentId,
    store::{AgentState, TurnStatus},
};
use serde_json::Value;

use super::ground::{self, in_state, read, server, server_with, spawned, story, task, wait};
use crate::support::{LIMIT, Sandbox, api::Api, processes, real::RealClaude, wait_for};

/// A box with a real CLI.
struct Real {
    sandbox: Sandbox,
    api: Api,
}

impl Real {
    /// Runs a test on every version that is there.
    #[expect(clippy::needless_pass_by_value, clippy::print_stderr, reason = "a closure; shown when the test fails")]
    fn each(test: impl AsyncFn(&Self)) {
        for claude in RealClaude::all() {
            eprintln!("claude {}", claude.version);
            let (mut sandbox, api) = (Sandbox::new(), Api::start());
            claude.enter(&mut sandbox, &api);
            claude.allow_tools(&mut sandbox, "Read,Glob,Grep,Edit,Write,NotebookEdit,Bash");
            let real = Self { sandbox, api };
            let runtime = tokio::runtime::Runtime::new().unwrap();
            runtime.block_on(test(&real));
        }
    }

    /// The texts of the last prompt that holds `text`, and what the model was told before.
    fn told(&self, text: &str) -> String {
        let asked = self.api.wait_turn(text);
        asked.conversation().into_iter().map(|(role, text)| [role, text].join(": ")).collect::<Vec<_>>().join("\n")
    }
}

/// What the CLI printed for an agent.
async fn frames(agents: &Agents, agent: AgentId) -> Vec<Value> {
    let input = ReadAgent { include_raw: true, limit: 1000, ..ReadAgent::new(agent) };
    agents.read_agent(input).await.unwrap().raw_events.unwrap().into_iter().map(|frame| frame.payload).collect()
}

async fn next(agents: &Agents, agent: AgentId, text: &str) -> (Vec<String>, String) {
    let followed = agents.followup_task(agent, text).await.unwrap();
    let waited = wait(agents, agent, &followed.cursor.to_string(), Until::Idle).await;
    let result = waited.results.last().and_then(|result| result.result.clone()).unwrap_or_default();
    (story(&waited.events), result)
}

#[test]
fn a_conversation_with_context_interrupts_and_commands_stays_in_one_process() {
    Real::each(async |real| {
        let agents = server(&real.sandbox);
        let (agent, waited) = spawned(&agents, task("/one")).await;
        let agent = agent.agent_id;
        assert_eq!(waited.results[0].status, TurnStatus::Succeeded, "{:#?}", frames(&agents, agent).await);
        assert!(waited.results[0].result.as_ref().unwrap().contains("/one"));

        // Context for an idle process, then a turn with context in the middle.
        assert!(!agents.send_message(agent, "note-idle").await.unwrap().queued_only);
        let followed = agents.followup_task(agent, "two [[gate:two]]").await.unwrap();
        assert!(real.told("two [[gate").contains("note-idle"));
        assert!(!agents.send_message(agent, "note-busy").await.unwrap().queued_only);
        real.api.open("two");
        let waited = wait(&agents, agent, &followed.cursor.to_string(), Until::Idle).await;
        assert_eq!(waited.results[0].status, TurnStatus::Succeeded);
        assert!(waited.results[0].result.as_ref().unwrap().contains("two"));
        let (_, said) = next(&agents, agent, "three").await;
        assert!(said.contains("three"), "{said}");
        assert!(real.told("three").contains("note-busy"));

        // Interrupted while the model writes; then it goes on.
        let followed = agents.followup_task(agent, "four [[gate:never]]").await.unwrap();
        real.told("four [[gate");
        let done = agents.interrupt_agent(agent).await.unwrap();
        assert!(done.interrupted, "{:#?}", frames(&agents, agent).await);
        // The prompt stays in the conversation, and with it what it asks of the API.
        real.api.open("never");
        let waited = wait(&agents, agent, &followed.cursor.to_string(), Until::Idle).await;
        assert_eq!(
            story(&waited.events)[1..],
            ["agent.cancelling", "turn.interrupted interrupted", "agent.idle interrupted"]
        );
        let (events, said) = next(&agents, agent, "five").await;
        assert_eq!(events, ["turn.started", "turn.completed succeeded", "agent.idle turn_boundary"]);
        assert!(said.contains("five"));

        let answer = read(&agents, agent).await;
        assert_eq!(answer.turns.len(), 5);
        assert!(answer.turns.iter().all(|turn| turn.cost_usd.is_some_and(|cost| cost >= 0.0)));
        let all = frames(&agents, agent).await;
        let sessions: std::collections::HashSet<_> =
            all.iter().filter_map(|frame| frame["session_id"].as_str()).collect();
        assert_eq!(sessions.len(), 1, "`/one` moved to no other session");
        agents.shut_down().await;
    });
}

#[test]
fn a_repeat_after_a_death_behind_a_tool_call_is_not_swallowed() {
    Real::each(async |real| {
        let agents = server(&real.sandbox);
        // The second command hangs the first time.
        let hang = "if test -e seen; then true; else touch seen; sleep 100; fi";
        let prompt = format!(r#"go [[tool:Bash|{{"command":"true"}}]] [[tool:Bash|{{"command":"{hang}"}}]]"#);
        let input = SpawnAgent { permission_profile: Profile::WorkspaceWrite, ..task(&prompt) };
        let agent = agents.spawn_agent(input).await.unwrap().agent_id;
        let seen = real.sandbox.workspace().join("seen");
        wait_for(LIMIT, "the second command runs", || seen.exists());
        let all = processes::belonging_to(real.sandbox.root());
        let claude =
            all.iter().find(|(_, command)| command.contains("--input-format") && !command.contains("__supervise"));
        processes::kill(&claude.unwrap().0);
        let answer = in_state(&agents, agent, AgentState::Idle).await;
        assert_eq!(answer.turns[0].status, TurnStatus::Succeeded, "{answer:#?}");
        assert!(story(&answer.events).contains(&"agent.queued retry".to_owned()));
        let conversation = real.told("[ccmcp] The process");
        assert!(conversation.contains("go [[tool:Bash"), "{conversation}");
        agents.shut_down().await;
    });
}

#[test]
fn a_process_that_was_ended_is_resumed_with_all_it_knew() {
    Real::each(async |real| {
        let agents = server_with(&real.sandbox, Limits { idle: Duration::from_millis(1), ..ground::limits() });
        let (agent, _) = spawned(&agents, task("remember-me")).await;
        let agent = agent.agent_id;
        wait_for(LIMIT, "the process ends", || {
            let all = processes::belonging_to(real.sandbox.root());
            !all.iter().any(|(_, command)| command.contains("--input-format"))
        });
        assert!(agents.send_message(agent, "note-late").await.unwrap().queued_only);
        let (events, said) = next(&agents, agent, "second").await;
        assert_eq!(events, ["turn.started", "turn.completed succeeded", "agent.idle turn_boundary"]);
        assert!(said.contains("second"));
        let told = real.told("second");
        assert!(told.contains("remember-me") && told.contains("note-late"), "{told}");
        agents.shut_down().await;
    });
}

#[test]
fn a_reader_writes_nothing_runs_nothing_and_starts_nobody() {
    Real::each(async |real| {
        let agents = server(&real.sandbox);
        let made = real.sandbox.workspace().join("made");
        let path = made.to_str().unwrap();
        let tries = [
            format!(r#"[[tool:Write|{{"file_path":"{path}","content":"x"}}]]"#),
            format!(r#"[[tool:Bash|{{"command":"touch {path}"}}]]"#),
            r#"[[tool:Agent|{"description":"d","prompt":"sub-agent","subagent_type":"general-purpose"}]]"#.to_owned(),
            "[[tool:mcp__x__y|{}]]".to_owned(),
        ];
        for (number, attempt) in tries.iter().enumerate() {
            let (agent, waited) = spawned(&agents, task(&format!("try-{number} {attempt}"))).await;
            assert_eq!(waited.results[0].status, TurnStatus::Succeeded, "{attempt}");
            let refused = frames(&agents, agent.agent_id).await.iter().any(|frame| {
                frame["message"]["content"].as_array().is_some_and(|blocks| {
                    blocks.iter().any(|block| block["type"] == "tool_result" && block["is_error"] == true)
                })
            });
            assert!(refused, "{attempt} was not refused: {:#?}", frames(&agents, agent.agent_id).await);
        }
        assert!(!made.exists());
        assert!(
            !real
                .api
                .turns()
                .iter()
                .any(|asked| { asked.conversation().iter().any(|(role, text)| role == "user" && text == "sub-agent") })
        );

        // What a reader is there for works.
        fs::write(real.sandbox.workspace().join("there"), "hello from the file").unwrap();
        let file = real.sandbox.workspace().join("there");
        let prompt = format!(r#"look [[tool:Read|{{"file_path":"{}"}}]]"#, file.display());
        let (agent, _) = spawned(&agents, task(&prompt)).await;
        let all = frames(&agents, agent.agent_id).await;
        assert!(all.iter().any(|frame| frame.to_string().contains("hello from the file")), "{all:#?}");
        let offered: Vec<&str> =
            all.iter().find_map(|frame| frame["tools"].as_array()).unwrap().iter().filter_map(Value::as_str).collect();
        assert_eq!(offered, ["Glob", "Grep", "Read"]);
        agents.shut_down().await;
    });
}

#[test]
fn a_writer_writes_and_starts_nobody() {
    Real::each(async |real| {
        let agents = server(&real.sandbox);
        let made = real.sandbox.workspace().join("made");
        let write = format!(r#"go [[tool:Write|{{"file_path":"{}","content":"x"}}]]"#, made.display());
        let sub = r#"go [[tool:Agent|{"description":"d","prompt":"sub-agent","subagent_type":"general-purpose"}]] [[tool:mcp__x__y|{}]]"#;
        for prompt in [write.as_str(), sub] {
            let input = SpawnAgent { permission_profile: Profile::WorkspaceWrite, ..task(prompt) };
            let (_, waited) = spawned(&agents, input).await;
            assert_eq!(waited.results[0].status, TurnStatus::Succeeded);
        }
        assert_eq!(fs::read_to_string(&made).unwrap(), "x");
        assert!(
            !real
                .api
                .turns()
                .iter()
                .any(|asked| { asked.conversation().iter().any(|(role, text)| role == "user" && text == "sub-agent") })
        );
        agents.shut_down().await;
    });
}
