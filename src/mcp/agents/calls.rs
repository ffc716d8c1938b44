//! What the agents' tools do.
//!
//! Cancelling a request ends a wait and nothing else: whatever changes something is finished once it was begun.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use futures_util::{FutureExt, future::BoxFuture};

use super::{
    super::{progress::Progress, reply::Reply, tool::Call},
    params::{
        CloseAgentParams, FollowupTaskParams, InterruptAgentParams, ListAgentsParams, ListModelsParams,
        ReadAgentParams, SendMessageParams, SpawnAgentParams, WaitAgentParams,
    },
};
use crate::core::{
    agents::{ListAgents, ReadAgent, SpawnAgent, WaitAgent},
    error::{Error, ErrorCode, Result},
};

/// How long a wait takes that does not say, in milliseconds.
const WAIT: u64 = 30_000;

/// How many agents are listed where the caller does not say: they fit into what clients show.
const LISTED: u32 = 20;

type Answer = BoxFuture<'static, Result<Reply>>;

pub(super) fn spawn_agent(mut call: Call) -> Answer {
    async move {
        let params: SpawnAgentParams = call.read_trimmed()?;
        let input = SpawnAgent {
            task: params.task,
            cwd: params.cwd,
            permission_profile: params.permission_profile.unwrap_or_default(),
            model: params.model,
            effort: params.effort,
            name: params.name,
            max_turn_seconds: params.max_turn_seconds,
            max_budget_usd: params.max_budget_usd,
            resume_session_id: params.resume_session_id,
        };
        Reply::json(&call.core.agents().spawn_agent(input).await?)
    }
    .boxed()
}

pub(super) fn send_message(mut call: Call) -> Answer {
    async move {
        let params: SendMessageParams = call.read_trimmed()?;
        Reply::json(&call.core.agents().send_message(params.agent_id, &params.message).await?)
    }
    .boxed()
}

pub(super) fn followup_task(mut call: Call) -> Answer {
    async move {
        let params: FollowupTaskParams = call.read_trimmed()?;
        Reply::json(&call.core.agents().followup_task(params.agent_id, &params.message).await?)
    }
    .boxed()
}

pub(super) fn wait_agent(mut call: Call) -> Answer {
    async move {
        let params: WaitAgentParams = call.read_trimmed()?;
        let input = WaitAgent {
            agent_ids: params.agent_ids,
            after_cursor: params.after_cursor.unwrap_or_else(|| "0".to_owned()),
            timeout: Duration::from_millis(params.timeout_ms.unwrap_or(WAIT)),
            until: params.until.unwrap_or_default(),
        };
        let progress = Mutex::new(Progress::of(&call.context));
        let tell = |message: String| progress.lock().unwrap_or_else(PoisonError::into_inner).tell(message.as_bytes());
        let answer = tokio::select! {
            answer = call.core.agents().wait_agent(input, Some(&tell)) => answer,
            () = call.cancel.cancelled() => Err(given_up()),
        };
        progress.into_inner().unwrap_or_else(PoisonError::into_inner).finish().await;
        Reply::json(&answer?)
    }
    .boxed()
}

/// The client cancelled, and sees no answer; or the server ends, and it may.
fn given_up() -> Error {
    Error::new(ErrorCode::AgentsInternal, "Internal error.").hint(
        "The server is shutting down. The agents are in its database: start a server again and wait from the same cursor.",
    )
}

pub(super) fn interrupt_agent(mut call: Call) -> Answer {
    async move {
        let params: InterruptAgentParams = call.read_trimmed()?;
        Reply::json(&call.core.agents().interrupt_agent(params.agent_id).await?)
    }
    .boxed()
}

pub(super) fn list_agents(mut call: Call) -> Answer {
    async move {
        let params: ListAgentsParams = call.read_trimmed()?;
        let input = ListAgents {
            state: params.state,
            limit: params.limit.unwrap_or(LISTED),
            offset: params.offset.unwrap_or_default(),
        };
        Reply::json(&call.core.agents().list_agents(input).await?)
    }
    .boxed()
}

pub(super) fn list_models(mut call: Call) -> Answer {
    async move {
        let ListModelsParams {} = call.read_trimmed()?;
        Reply::json(&call.core.agents().list_models())
    }
    .boxed()
}

pub(super) fn read_agent(mut call: Call) -> Answer {
    async move {
        let params: ReadAgentParams = call.read_trimmed()?;
        let default = ReadAgent::new(params.agent_id);
        let input = ReadAgent {
            after_cursor: params.after_cursor,
            limit: params.limit.unwrap_or(default.limit),
            include_raw: params.include_raw.unwrap_or_default(),
            after_raw_cursor: params.after_raw_cursor,
            ..default
        };
        Reply::json(&call.core.agents().read_agent(input).await?)
    }
    .boxed()
}

pub(super) fn close_agent(mut call: Call) -> Answer {
    async move {
        let params: CloseAgentParams = call.read_trimmed()?;
        Reply::json(&call.core.agents().close_agent(params.agent_id, params.delete.unwrap_or_default()).await?)
    }
    .boxed()
}
