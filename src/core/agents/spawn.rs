//! Making an agent with its first task.

use std::path::{Path, PathBuf};

use super::{
    Cursor,
    answer::SpawnedAgent,
    error,
    event::Event,
    hub::{Hub, blocking},
    input::{self, SpawnAgent},
    profile, service, workspace,
};
use crate::core::{
    error::{Error, Result},
    ids::{AgentId, MessageId, SessionId, TurnId},
    store::{AgentState, Change, MessageKind, NewAgent},
};

/// Makes an agent.
pub(super) async fn spawn(hub: &Hub, input: SpawnAgent) -> Result<SpawnedAgent> {
    let task = input::text("task", &input.task)?;
    input.check_limits()?;
    let name = input::name(input.name.as_deref())?;
    let model = input::optional_text("model", input.model.as_deref())?;
    let (cwd, workspace) = place(hub, input.cwd.as_deref()).await?;
    hub.cli.usable().await?;
    let session = match input.resume_session_id {
        Some(session) => resumable(hub, session, &cwd).await?,
        None => SessionId::new(),
    };
    let agent = NewAgent {
        agent_id: AgentId::new(),
        session_id: session,
        session_seen: input.resume_session_id.is_some(),
        name,
        cwd: cwd.to_string_lossy().into_owned(),
        workspace,
        permission_profile: profile::word(input.permission_profile).to_owned(),
        model,
        effort: input.effort.map(|effort| effort.as_str().to_owned()),
        max_turn_seconds: input.max_turn_seconds.and_then(|seconds| seconds.try_into().ok()),
        max_budget_usd: input.max_budget_usd,
        owner: hub.me,
    };
    hub.store.write(move |change| add(change, &agent, &task)).await
}

fn add(change: &Change<'_>, agent: &NewAgent, task: &str) -> Result<SpawnedAgent> {
    if !change.is_registered(agent.owner)? {
        return Err(service::shutting_down());
    }
    if agent.session_seen && change.agent_of_session(agent.session_id)?.is_some() {
        return Err(error::resume_failed(None).hint("Another agent has this session. Send it a followup instead."));
    }
    let (id, turn, message) = (agent.agent_id, TurnId::new(), MessageId::new());
    change.add_agent(agent)?;
    change.add_turn(turn, id)?;
    change.add_message(message, id, MessageKind::Followup, Some(turn), task)?;
    Event::AgentCreated { agent: id, turn }.record(change, id)?;
    let cursor = Event::MessageEnqueued { message, kind: MessageKind::Followup }.record(change, id)?;
    Ok(SpawnedAgent {
        agent_id: id,
        session_id: agent.session_id,
        turn_id: turn,
        state: AgentState::Queued,
        cursor: Cursor(cursor),
    })
}

/// The directory to work in, and the key of its workspace.
async fn place(hub: &Hub, cwd: Option<&str>) -> Result<(PathBuf, String)> {
    let text = match cwd {
        Some(cwd) => input::text("cwd", cwd)?,
        None => {
            let own = hub.settings.working_dir.as_deref().and_then(Path::to_str);
            own.ok_or_else(|| error::invalid_input("cwd", "given: the server's own directory cannot be used"))?
                .to_owned()
        }
    };
    blocking(move || {
        let directory = workspace::directory(&text).map_err(|expected| error::invalid_input("cwd", expected))?;
        let key = workspace::key(&directory)
            .map_err(|_| error::invalid_input("cwd", "the path of a directory that this user may read"))?;
        Ok((directory, key))
    })
    .await?
}

/// The session, if it is one of that directory and nobody uses it.
async fn resumable(hub: &Hub, session: SessionId, cwd: &Path) -> Result<SessionId> {
    let file = hub.transcript(session).await?.ok_or_else(|| error::resume_failed(None))?;
    let cwd = cwd.to_path_buf();
    let same = blocking(move || {
        let recorded = file.first_cwd().ok().flatten().map(PathBuf::from);
        let real = |path: PathBuf| dunce::canonicalize(&path).unwrap_or(path);
        recorded.is_some_and(|recorded| real(recorded) == real(cwd))
    })
    .await?;
    if !same {
        return Err(
            error::resume_failed(None).hint("The session belongs to another directory: pass that one as `cwd`.")
        );
    }
    if hub.is_live_elsewhere(session).await? {
        let hint = "Another process is using this session: end it, then try again.";
        return Err(Error::hint(error::resume_failed(None), hint));
    }
    Ok(session)
}
