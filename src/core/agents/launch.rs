//! Starting an agent's process.

use std::time::Duration;

use tokio::time::timeout;

use super::{
    cost::{self, Meter},
    hub::{Hub, blocking},
    profile::profile_of,
};
use crate::core::{
    claude::{AgentCommand, Target, child_environment},
    error::{Error, ErrorCode},
    ids::{AgentId, ChildId},
    process::{Child, Identity, Launch, Limits, SpawnError, Stdin},
    store::{AgentRow, Phase, StoreError},
};

/// How long the tree of an earlier process may take to die. Its supervisor needs 2 s at most.
const LOCK_LIMIT: Duration = Duration::from_secs(10);

/// A process that runs.
pub(super) struct Started {
    pub(super) child: Child,
    pub(super) meter: Meter,
}

/// Why there is none.
#[derive(Debug)]
pub(super) enum NotStarted {
    /// The transcript that is to be resumed is gone.
    TranscriptMissing,
    /// It may work later.
    Failed(String),
    /// The lease is somebody else's by now.
    LeaseLost,
}

impl From<Error> for NotStarted {
    fn from(error: Error) -> Self {
        match error.code {
            ErrorCode::ResumeFailed => Self::TranscriptMissing,
            _ => Self::Failed(error.hint.unwrap_or(error.message)),
        }
    }
}

impl From<StoreError> for NotStarted {
    fn from(error: StoreError) -> Self {
        Error::from(error).into()
    }
}

impl From<SpawnError> for NotStarted {
    fn from(error: SpawnError) -> Self {
        Self::Failed(error.to_string())
    }
}

/// Starts the process of an agent under the lease `lease`. Dropping the future ends whatever was started.
pub(super) async fn start(hub: &Hub, agent: &AgentRow, lease: ChildId) -> Result<Started, NotStarted> {
    let transcript = hub.transcript(agent.session_id).await?;
    if transcript.is_none() && agent.session_seen {
        return Err(NotStarted::TranscriptMissing);
    }
    if transcript.is_some() && hub.is_live_elsewhere(agent.session_id).await? {
        return Err(NotStarted::Failed("Another process is using the agent's session.".to_owned()));
    }
    let target = match transcript {
        Some(_) => Target::Resume(agent.session_id),
        None => Target::Start(agent.session_id),
    };
    if transcript.is_some() && !agent.session_seen {
        see_session(hub, agent.agent_id).await?;
    }
    let carried = match transcript {
        // An unreadable one costs the figure, not the turn.
        Some(file) => blocking(move || file.last_cost_usd()).await?.ok().flatten().unwrap_or(0.0),
        None => 0.0,
    };
    let executable = hub.cli.usable().await?;
    let command = AgentCommand {
        target,
        profile: profile_of(agent),
        empty_mcp_config: hub.empty_mcp_config()?,
        model: agent.model.clone(),
        effort: agent.effort.clone(),
        max_budget_usd: cost::left(agent.max_budget_usd, agent.total_cost_usd),
    };
    let launch = Launch {
        program: executable.path,
        args: command.arguments(),
        cwd: agent.cwd.clone().into(),
        // An idle process must not start turns by itself when a background command ends.
        env: child_environment(&hub.settings.environment, &[("CLAUDE_CODE_DISABLE_BACKGROUND_TASKS", "1")]),
        stdin: Stdin::Open,
        lock: Some(hub.lock_of(agent.session_id)),
        limits: Limits::default(),
    };
    let mut held = hub.spawner.spawn(launch).await?;
    let supervisor = held.supervisor().clone();
    identify(hub, lease, None, &supervisor).await?;
    // The claim on the agent is ours alone, so the only one who can hold its lock is a process that is dying.
    timeout(LOCK_LIMIT, held.locked())
        .await
        .map_err(|_| NotStarted::Failed("An earlier process of the agent is still being ended.".to_owned()))??;
    let child = held.go().await?;
    identify(hub, lease, Some(child.identity()), &supervisor).await?;
    Ok(Started { child, meter: Meter::new(carried) })
}

/// Notes that the agent's session has a transcript: from now on a missing one is a loss, and no reason to begin anew.
/// The CLI writes it a moment after the first result, so nothing but the file itself says that it is there.
pub(super) async fn see_session(hub: &Hub, agent: AgentId) -> Result<(), StoreError> {
    hub.store.write(move |change| change.set_session_seen(agent)).await
}

/// Records who the process is before anything is written to it.
async fn identify(
    hub: &Hub,
    lease: ChildId,
    claude: Option<&Identity>,
    supervisor: &Identity,
) -> Result<(), NotStarted> {
    let (claude, supervisor) = (claude.cloned(), supervisor.clone());
    let held = hub
        .store
        .write(move |change| {
            if change.child(lease)?.is_none_or(|child| child.phase == Phase::Ending) {
                return Ok::<_, StoreError>(false);
            }
            let (pid, start) = claude.map(|claude| (claude.pid, claude.start)).unzip();
            change.identify_child(lease, (pid, start.as_deref()), (Some(supervisor.pid), Some(&supervisor.start)))?;
            Ok(true)
        })
        .await?;
    if held { Ok(()) } else { Err(NotStarted::LeaseLost) }
}
