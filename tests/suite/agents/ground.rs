//! What the agents' tests stand on: servers in this process, and questions to them.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use ccmcp::core::{
    agents::{
        AgentEvent, Agents, ListAgents, ReadAgent, ReadAgentAnswer, Role, SpawnAgent, SpawnedAgent, Until, WaitAgent,
        Waited,
    },
    claude::Profile,
    config::{Diagnostics, Environment, Limits, Places, Settings},
    error::Error,
    ids::AgentId,
    process::Spawner,
    store::AgentState,
};

use crate::support::{LIMIT, Sandbox, fake::Fake, wait_until};

/// Limits that no test reaches by accident.
pub(super) fn limits() -> Limits {
    Limits { processes: 4, idle: Duration::from_mins(10), stall: Duration::from_mins(10) }
}

/// The settings of a ccmcp in the sandbox.
pub(super) fn settings(sandbox: &Sandbox, limits: Limits) -> Settings {
    let command = sandbox.command("ccmcp");
    let environment: Environment =
        command.get_envs().filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned()))).collect();
    let places = Places::find(&environment, None, None, None).unwrap();
    Settings {
        places,
        environment,
        executable: env!("CARGO_BIN_EXE_ccmcp").into(),
        working_dir: Some(sandbox.workspace()),
        claude_bin: None,
        accept_models: Vec::new(),
        require_subscription: false,
        limits,
        diagnostics: Diagnostics::default(),
    }
}

/// A server of the sandbox's state directory, in this process.
pub(super) fn server(sandbox: &Sandbox) -> Agents {
    server_with(sandbox, limits())
}

/// The same with other limits.
pub(super) fn server_with(sandbox: &Sandbox, limits: Limits) -> Agents {
    agents(sandbox, limits, Role::Server)
}

/// Somebody who only looks.
pub(super) fn visitor(sandbox: &Sandbox) -> Agents {
    agents(sandbox, limits(), Role::Visitor)
}

fn agents(sandbox: &Sandbox, limits: Limits, role: Role) -> Agents {
    let settings = Arc::new(settings(sandbox, limits));
    let spawner = Spawner::new(settings.executable.clone()).unwrap();
    Agents::new(settings, spawner, role)
}

/// A reader's first task.
pub(super) fn task(text: &str) -> SpawnAgent {
    SpawnAgent { task: text.to_owned(), ..SpawnAgent::default() }
}

/// A writer's first task in a directory of its own.
pub(super) fn writer(sandbox: &Sandbox, directory: &str, text: &str) -> SpawnAgent {
    let cwd = sandbox.workspace().join(directory);
    std::fs::create_dir_all(&cwd).unwrap();
    SpawnAgent {
        cwd: Some(cwd.to_str().unwrap().to_owned()),
        permission_profile: Profile::WorkspaceWrite,
        ..task(text)
    }
}

/// Waits from a cursor; fails when the time runs out.
pub(super) async fn wait(agents: &Agents, agent: AgentId, after: &str, until: Until) -> Waited {
    let waited = try_wait(agents, &[agent], after, until).await.unwrap();
    assert!(!waited.timed_out, "nothing came after {after}: {:?}", read(agents, agent).await);
    waited
}

/// Waits for several.
pub(super) async fn try_wait(agents: &Agents, ids: &[AgentId], after: &str, until: Until) -> Result<Waited, Error> {
    let input = WaitAgent { agent_ids: ids.to_vec(), after_cursor: after.to_owned(), timeout: LIMIT, until };
    agents.wait_agent(input, None).await
}

/// Spawns and waits until the agent has nothing to do.
pub(super) async fn spawned(agents: &Agents, input: SpawnAgent) -> (SpawnedAgent, Waited) {
    let spawned = agents.spawn_agent(input).await.unwrap();
    let waited = wait(agents, spawned.agent_id, &spawned.cursor.to_string(), Until::Idle).await;
    (spawned, waited)
}

/// Waits until a launch has ended; its exit status.
pub(super) fn exit_of(fake: &Fake, number: usize) -> i32 {
    wait_until(LIMIT, "the process ends", || fake.launch(number).exit())
}

/// Everything about an agent.
pub(super) async fn read(agents: &Agents, agent: AgentId) -> ReadAgentAnswer {
    agents.read_agent(ReadAgent { limit: 1000, ..ReadAgent::new(agent) }).await.unwrap()
}

/// The types of events, each with what tells it apart.
pub(super) fn story(events: &[AgentEvent]) -> Vec<String> {
    let tell = |event: &AgentEvent| {
        let more = ["reason", "status", "kind"].iter().find_map(|key| event.payload[key].as_str());
        more.map_or_else(|| event.kind.clone(), |more| format!("{} {more}", event.kind))
    };
    events.iter().map(tell).collect()
}

/// Looks at an agent until something is true of it.
pub(super) async fn until(
    agents: &Agents,
    agent: AgentId,
    what: &str,
    is: impl Fn(&ReadAgentAnswer) -> bool,
) -> ReadAgentAnswer {
    let end = Instant::now() + LIMIT;
    loop {
        let answer = read(agents, agent).await;
        if is(&answer) {
            return answer;
        }
        assert!(Instant::now() < end, "{what} never came: {answer:#?}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Waits until an agent is in a state.
pub(super) async fn in_state(agents: &Agents, agent: AgentId, state: AgentState) -> ReadAgentAnswer {
    until(agents, agent, state.as_str(), |answer| answer.agent.state == state).await
}

/// How many agents are in each state, by name.
pub(super) async fn count(agents: &Agents, state: Option<AgentState>) -> u64 {
    agents.list_agents(ListAgents { state, limit: 1000, offset: 0 }).await.unwrap().total
}
