//! Turns: what is told, what is delivered, what comes back.

use ccmcp::core::{
    agents::{SpawnAgent, Until},
    error::ErrorCode,
    store::{AgentState, TurnReason, TurnStatus},
};
use serde_json::json;

use super::ground::{self, exit_of, read, server, server_with, spawned, story, task, wait};
use crate::support::{
    Sandbox,
    fake::{ApiError, Launch, ResultStep, Script, Step, Turn},
};

#[tokio::test(flavor = "multi_thread")]
async fn the_first_turn_tells_its_whole_story() {
    let mut sandbox = Sandbox::new();
    let fake = sandbox.script(&Script::new());
    let agents = server(&sandbox);
    let input = SpawnAgent { name: Some(" scout ".into()), model: Some("opus".into()), ..task("  find it ") };
    let (agent, waited) = spawned(&agents, input).await;
    assert_eq!(agent.state, AgentState::Queued);
    assert_eq!(story(&waited.events), ["turn.started", "turn.completed succeeded", "agent.idle turn_boundary"]);
    assert_eq!(waited.results[0].result.as_deref(), Some("ECHO: find it"));
    assert_eq!(waited.results[0].status, TurnStatus::Succeeded);

    let answer = read(&agents, agent.agent_id).await;
    assert_eq!(story(&answer.events)[..2], ["agent.created", "message.enqueued followup"]);
    assert_eq!(answer.events[0].payload, json!({ "agentId": agent.agent_id, "turnId": agent.turn_id }));
    assert_eq!(answer.agent.name.as_deref(), Some("scout"));
    let turn = &answer.turns[0];
    assert_eq!((turn.number, turn.status, turn.num_turns), (1, TurnStatus::Succeeded, Some(1)));
    assert!(turn.cost_usd.unwrap() > 0.0 && (answer.agent.total_cost_usd - turn.cost_usd.unwrap()).abs() < 1e-9);
    assert_eq!(answer.latest_result.unwrap().payload["result"], "ECHO: find it");

    let launch = fake.launch(0);
    assert_eq!(launch.cwd, sandbox.workspace());
    assert_eq!(launch.value_of("--session-id"), Some(agent.session_id.to_string().as_str()));
    assert_eq!(launch.value_of("--model"), Some("opus"));
    let config = launch.value_of("--mcp-config").unwrap();
    assert_eq!(std::fs::read_to_string(config).unwrap().trim(), r#"{"mcpServers":{}}"#);
    assert_eq!(launch.env["CLAUDE_CODE_DISABLE_BACKGROUND_TASKS"], "1");
    agents.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_followup_goes_to_the_live_process_and_costs_what_it_adds() {
    let mut sandbox = Sandbox::new();
    let fake = sandbox.script(&Script::new());
    let agents = server(&sandbox);
    let (agent, _) = spawned(&agents, task("one")).await;
    let followed = agents.followup_task(agent.agent_id, "two").await.unwrap();
    assert_eq!(followed.state, AgentState::Queued);
    let waited = wait(&agents, agent.agent_id, &followed.cursor.to_string(), Until::Idle).await;
    assert_eq!(story(&waited.events), ["turn.started", "turn.completed succeeded", "agent.idle turn_boundary"]);
    assert_eq!(waited.results[0].result.as_deref(), Some("ECHO: two"));
    assert_eq!(fake.launches(), 1);
    let answer = read(&agents, agent.agent_id).await;
    let costs: Vec<f64> = answer.turns.iter().map(|turn| turn.cost_usd.unwrap()).collect();
    assert!((costs[0] - costs[1]).abs() < 1e-9, "each turn costs the same: {costs:?}");
    agents.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_text_that_looks_like_a_command_is_a_text() {
    let mut sandbox = Sandbox::new();
    let fake = sandbox.script(&Script::new());
    let agents = server(&sandbox);
    let (_, waited) = spawned(&agents, task("/clear")).await;
    assert_eq!(waited.results[0].status, TurnStatus::Succeeded);
    assert_eq!(fake.launch(0).inputs()[0]["message"]["content"][0]["text"], "\n/clear");
    agents.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_older_cli_without_names_in_its_results_works_the_same() {
    let mut sandbox = Sandbox::new();
    let fake = sandbox.script(&Script::new().cli_version("2.1.238"));
    let agents = server(&sandbox);
    let (agent, waited) = spawned(&agents, task("one")).await;
    assert_eq!(waited.results[0].result.as_deref(), Some("ECHO: one"));
    let sent = agents.send_message(agent.agent_id, "note").await.unwrap();
    assert!(!sent.queued_only);
    let followed = agents.followup_task(agent.agent_id, "two").await.unwrap();
    let waited = wait(&agents, agent.agent_id, &followed.cursor.to_string(), Until::Idle).await;
    assert_eq!(waited.results[0].result.as_deref(), Some("ECHO: two"));
    assert_eq!(fake.launches(), 1);
    agents.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_that_nobody_asked_for_is_recorded_and_never_attributed() {
    let mut sandbox = Sandbox::new();
    let names = ["user_message_uuid", "user_message_uuids"].map(String::from).to_vec();
    let stray = ResultStep {
        set: [("result".to_owned(), json!("not yours"))].into_iter().collect(),
        omit: names,
        stray: true,
        ..ResultStep::default()
    };
    let stray = Turn::echo().first(Step::Result(stray));
    sandbox.script(&Script::new().always(Launch::turn(Turn::say("by itself").unprompted()).then(stray)));
    let agents = server(&sandbox);
    let (agent, waited) = spawned(&agents, task("mine")).await;
    assert_eq!(waited.results.len(), 1);
    assert_eq!(waited.results[0].result.as_deref(), Some("ECHO: mine"));
    let input =
        ccmcp::core::agents::ReadAgent { include_raw: true, ..ccmcp::core::agents::ReadAgent::new(agent.agent_id) };
    let answer = agents.read_agent(input).await.unwrap();
    let raw = answer.raw_events.unwrap();
    let results = raw.iter().filter(|frame| frame.kind == "result").count();
    assert_eq!(results, 3, "all of them are on record");
    assert_eq!(answer.latest_result.unwrap().payload["result"], "ECHO: mine");
    agents.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn failures_of_the_api_end_the_turn_with_their_reason() {
    let cases = [
        (ApiError::overloaded(), TurnReason::ApiError, Some(529)),
        (ApiError::unauthorized(), TurnReason::AuthFailed, Some(401)),
        (ApiError::no_credit(), TurnReason::CreditExhausted, Some(400)),
        (ApiError::rate_limited(), TurnReason::RateLimited, Some(429)),
        (ApiError::unknown_model(), TurnReason::ModelRejected, Some(404)),
    ];
    for (error, reason, status) in cases {
        let mut sandbox = Sandbox::new();
        sandbox.script(&Script::new().launch(Launch::turn(Turn::api_error(error))));
        let agents = server(&sandbox);
        let (agent, waited) = spawned(&agents, task("try")).await;
        assert_eq!(story(&waited.events)[1], format!("turn.failed {reason}"), "{reason}");
        let answer = read(&agents, agent.agent_id).await;
        assert_eq!((answer.turns[0].reason, answer.turns[0].api_error_status), (Some(reason), status));
        assert_eq!(answer.agent.state, AgentState::Idle);
        // The agent is not lost by it.
        let followed = agents.followup_task(agent.agent_id, "again").await.unwrap();
        let waited = wait(&agents, agent.agent_id, &followed.cursor.to_string(), Until::Idle).await;
        assert_eq!(waited.results[0].result.as_deref(), Some("ECHO: again"), "{reason}");
        agents.shut_down().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_usage_limit_says_when_it_ends() {
    let mut sandbox = Sandbox::new();
    let turn = Turn::api_error(ApiError::usage_limit()).first(Step::rate_limit_rejected(1_900_000_000));
    sandbox.script(&Script::new().launch(Launch::turn(turn)));
    let agents = server(&sandbox);
    let (agent, _) = spawned(&agents, task("try")).await;
    let turn = read(&agents, agent.agent_id).await.turns.remove(0);
    assert_eq!(turn.reason, Some(TurnReason::RateLimited));
    assert_eq!(turn.resets_at.unwrap().to_string(), "2030-03-17T17:46:40.000Z");
    agents.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_refused_is_told() {
    let mut sandbox = Sandbox::new();
    let turn = Turn::echo()
        .before(Step::ToolCall { name: "Write".into(), input: json!({ "file_path": "/etc/passwd" }) })
        .before(Step::PermissionDenied { tool: "Write".into(), message: "no".into() });
    sandbox.script(&Script::new().launch(Launch::turn(turn)));
    let agents = server(&sandbox);
    let (agent, waited) = spawned(&agents, task("write")).await;
    assert_eq!(waited.results[0].permission_denials.as_ref().unwrap()[0]["tool_name"], "Write");
    let answer = read(&agents, agent.agent_id).await;
    assert_eq!(answer.turns[0].permission_denials.as_ref().unwrap()[0]["tool_name"], "Write");
    agents.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_budget_is_for_the_agents_life() {
    let mut sandbox = Sandbox::new();
    let spend = |usd| Launch::turn(Turn::echo().before(Step::Cost { usd }));
    let fake = sandbox.script(&Script::new().launch(spend(0.75)).launch(spend(0.25)));
    let limits = ccmcp::core::config::Limits { idle: std::time::Duration::from_millis(1), ..ground::limits() };
    let agents = server_with(&sandbox, limits);
    let input = SpawnAgent { max_budget_usd: Some(1.0), ..task("one") };
    let (agent, _) = spawned(&agents, input).await;
    assert_eq!(fake.launch(0).value_of("--max-budget-usd"), Some("1"));
    assert_eq!(exit_of(&fake, 0), 0);
    let next = async |text: &str| {
        let followed = agents.followup_task(agent.agent_id, text).await.unwrap();
        wait(&agents, agent.agent_id, &followed.cursor.to_string(), Until::Idle).await
    };
    next("two").await;
    assert_eq!(fake.launch(1).value_of("--max-budget-usd"), Some("0.25"), "what is left of it");
    assert_eq!(exit_of(&fake, 1), 0);
    let waited = next("three").await;
    assert_eq!(story(&waited.events)[0], "turn.failed budget");
    assert_eq!(fake.launches(), 2, "nothing left, nothing launched");
    agents.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn bad_arguments_make_no_agent_and_name_the_field() {
    let sandbox = Sandbox::new();
    let agents = server(&sandbox);
    let missing = sandbox.workspace().join("missing");
    let cases = [
        (task("  "), "task"),
        (SpawnAgent { cwd: Some("relative".into()), ..task("x") }, "cwd"),
        (SpawnAgent { cwd: Some(missing.to_str().unwrap().into()), ..task("x") }, "cwd"),
        (SpawnAgent { max_turn_seconds: Some(0), ..task("x") }, "max_turn_seconds"),
        (SpawnAgent { max_budget_usd: Some(-1.0), ..task("x") }, "max_budget_usd"),
        (SpawnAgent { name: Some(" ".into()), ..task("x") }, "name"),
    ];
    for (input, field) in cases {
        let error = agents.spawn_agent(input).await.unwrap_err();
        assert_eq!((error.code, error.details.field.as_deref()), (ErrorCode::InvalidInput, Some(field)));
        assert_eq!(error.message, "Invalid tool arguments.");
    }
    assert_eq!(ground::count(&agents, None).await, 0);
    agents.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unusable_cli_is_told_and_looked_at_again() {
    let mut sandbox = Sandbox::new();
    sandbox.script(&Script::new().cli_version("2.1.197"));
    let agents = server(&sandbox);
    let error = agents.spawn_agent(task("x")).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::CliUnavailable);
    assert!(error.hint.unwrap().contains("2.1.238"));
    assert_eq!(ground::count(&agents, None).await, 0, "reading works");
    agents.shut_down().await;

    let mut sandbox = Sandbox::new();
    let out = crate::support::fake::Probe::answer(r#"{"loggedIn":false,"authMethod":"none"}"#, 1);
    let good = crate::support::fake::Probe::answer(r#"{"loggedIn":true,"authMethod":"oauth_token"}"#, 0);
    sandbox.script(&Script::new().auth(out).auth(good));
    let agents = server(&sandbox);
    let error = agents.spawn_agent(task("x")).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::CliUnavailable);
    assert!(error.hint.unwrap().contains("logged in"));
    let (_, waited) = spawned(&agents, task("x")).await;
    assert_eq!(waited.results[0].status, TurnStatus::Succeeded, "repaired, without a restart");
    agents.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_next_process_resumes_and_a_lost_transcript_is_an_error_with_a_way_out() {
    let mut sandbox = Sandbox::new();
    let fake = sandbox.script(&Script::new());
    let limits = ccmcp::core::config::Limits { idle: std::time::Duration::from_millis(1), ..ground::limits() };
    let agents = server_with(&sandbox, limits);
    let (agent, _) = spawned(&agents, task("one")).await;
    assert_eq!(exit_of(&fake, 0), 0, "an idle process is ended by the end of its input");
    let followed = agents.followup_task(agent.agent_id, "two").await.unwrap();
    wait(&agents, agent.agent_id, &followed.cursor.to_string(), Until::Idle).await;
    let session = agent.session_id.to_string();
    assert_eq!(fake.launch(1).value_of("--resume"), Some(session.as_str()));
    assert_eq!(exit_of(&fake, 1), 0);

    let projects = sandbox.config_dir().join("projects");
    std::fs::rename(&projects, sandbox.root().join("away")).unwrap();
    let error = agents.followup_task(agent.agent_id, "three").await.unwrap_err();
    assert_eq!(error.code, ErrorCode::ResumeFailed);
    std::fs::rename(sandbox.root().join("away"), &projects).unwrap();
    let followed = agents.followup_task(agent.agent_id, "three").await.unwrap();
    let waited = wait(&agents, agent.agent_id, &followed.cursor.to_string(), Until::Idle).await;
    assert_eq!(waited.results[0].status, TurnStatus::Succeeded);
    agents.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_opened_before_it_is_needed() {
    let sandbox = Sandbox::new();
    let agents = server(&sandbox);
    assert_eq!(agents.list_models().models.len(), 5);
    agents.shut_down().await;
    assert!(!sandbox.state_dir().exists());
}
