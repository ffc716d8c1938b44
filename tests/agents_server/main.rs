//! A server of agents that can be killed, for tests only: requests come as JSON lines on standard input, answers go
//! to standard output. `CCMCP_BIN` names the `ccmcp` executable, which supervises what it starts.

#![expect(clippy::print_stdout, clippy::expect_used, clippy::disallowed_methods, reason = "a test's own program")]

use std::{env, path::PathBuf, sync::Arc, time::Duration};

use ccmcp::core::{
    agents::{Agents, ListAgents, Role, SpawnAgent},
    claude::Profile,
    config::{Diagnostics, Environment, Limits, Places, Settings},
    error::{Error, ErrorObject},
    ids::AgentId,
    process::Spawner,
};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader};

#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
enum Request {
    Spawn { task: String, cwd: String, writes: bool },
    Followup { agent: AgentId, message: String },
    Send { agent: AgentId, message: String },
    Interrupt { agent: AgentId },
    List,
}

fn main() {
    let environment: Environment = env::vars_os().collect();
    let number = |name: &str| environment.text(name).and_then(|text| text.parse::<u32>().ok());
    let limits = Limits {
        processes: number("SERVER_LIMIT").unwrap_or(4),
        idle: Duration::from_millis(number("SERVER_IDLE_MS").unwrap_or(2000).into()),
        stall: Duration::from_mins(5),
    };
    let settings = Settings {
        places: Places::find(&environment, None, None, None).expect("the sandbox's directories"),
        executable: PathBuf::from(environment.get("CCMCP_BIN").expect("CCMCP_BIN")),
        working_dir: env::current_dir().ok(),
        environment,
        claude_bin: None,
        accept_models: Vec::new(),
        require_subscription: false,
        limits,
        diagnostics: Diagnostics::default(),
    };
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(serve(settings));
    runtime.shutdown_timeout(Duration::from_millis(100));
}

async fn serve(settings: Settings) {
    let spawner = Spawner::new(settings.executable.clone()).expect("our own identity");
    let agents = Agents::new(Arc::new(settings), spawner, Role::Server);
    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        let request: Request = serde_json::from_str(&line).expect("a request");
        let answer = answer(&agents, request).await;
        let answer = answer.unwrap_or_else(|error| json!(ErrorObject { error: &error }));
        println!("{answer}");
    }
    agents.shut_down().await;
}

async fn answer(agents: &Agents, request: Request) -> Result<Value, Error> {
    Ok(match request {
        Request::Spawn { task, cwd, writes } => {
            let permission_profile = if writes { Profile::WorkspaceWrite } else { Profile::ReadOnly };
            let input = SpawnAgent { task, cwd: Some(cwd), permission_profile, ..SpawnAgent::default() };
            json!(agents.spawn_agent(input).await?)
        }
        Request::Followup { agent, message } => json!(agents.followup_task(agent, &message).await?),
        Request::Send { agent, message } => json!(agents.send_message(agent, &message).await?),
        Request::Interrupt { agent } => json!(agents.interrupt_agent(agent).await?),
        Request::List => json!(agents.list_agents(ListAgents::default()).await?),
    })
}
