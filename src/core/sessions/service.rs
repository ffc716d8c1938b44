//! [`Sessions`]: start and send, from arguments to answer.

use std::{path::Path, sync::Arc};

use tokio_util::sync::CancellationToken;

use super::{
    answer::TurnAnswer,
    lookup::{self, Found, SessionName, unreadable},
    queue::Queue,
    request::{Send, Start},
    turn::{Turn, TurnEvent, cancelled},
};
use crate::core::{
    claude::{Models, ResultFrame, SessionCommand, Target, Unusable, check, find, live_owner},
    config::Settings,
    error::{Error, ErrorCode, Result},
    ids::SessionId,
    process::Spawner,
    transcript::{Projects, SessionFile},
};

/// Starts and continues sessions. Cheap to clone; clones share the queue.
#[derive(Clone, Debug)]
pub struct Sessions {
    settings: Arc<Settings>,
    spawner: Spawner,
    models: Models,
    projects: Projects,
    queue: Queue,
}

impl Sessions {
    /// Nothing is read or started yet.
    pub fn new(settings: Arc<Settings>, spawner: Spawner) -> Self {
        let models = Models::new(&settings.accept_models);
        let projects = Projects::new(settings.places.projects());
        Self { settings, spawner, models, projects, queue: Queue::default() }
    }

    /// The accepted models.
    pub fn models(&self) -> &Models {
        &self.models
    }

    /// Creates a session and runs its first turn. `watch` hears every frame as it comes.
    ///
    /// # Errors
    /// One code of the sessions' contract. The process tree is gone when an error is returned.
    pub async fn start(
        &self,
        request: Start,
        watch: &mut (dyn FnMut(TurnEvent<'_>) + std::marker::Send),
        cancel: &CancellationToken,
    ) -> Result<TurnAnswer> {
        request.check()?;
        self.models.accept(&request.model)?;
        self.refuse_api_key().await?;
        let id = request.session_id;
        let turn = Turn {
            settings: &self.settings,
            spawner: &self.spawner,
            models: &self.models,
            program: find(&self.settings)?.path,
            command: SessionCommand { target: Target::Start(id), model: request.model, extra: request.extra },
            cwd: request.cwd,
            prompt: request.prompt,
            limits: request.limits,
            cancel,
        };
        let held = turn.lock(watch).await?;
        let result = turn.run(held, watch).await?;
        self.answer(id, result, Some(0.0)).await
    }

    /// Runs a further turn of an existing session. Turns of one session run one after another.
    ///
    /// # Errors
    /// One code of the sessions' contract. The process tree is gone when an error is returned.
    pub async fn send(
        &self,
        request: Send,
        watch: &mut (dyn FnMut(TurnEvent<'_>) + std::marker::Send),
        cancel: &CancellationToken,
    ) -> Result<TurnAnswer> {
        request.check()?;
        self.models.accept(&request.model)?;
        self.refuse_api_key().await?;
        let id = request.session_id;
        let (projects, cwd) = (self.projects.clone(), request.cwd.clone());
        let transcript = blocking(move || lookup::in_directory(&projects, id, &cwd)).await?;
        let turn = Turn {
            settings: &self.settings,
            spawner: &self.spawner,
            models: &self.models,
            program: find(&self.settings)?.path,
            command: SessionCommand { target: Target::Resume(id), model: request.model, extra: request.extra },
            cwd: request.cwd,
            prompt: request.message,
            limits: request.limits,
            cancel,
        };
        let _place = tokio::select! {
            biased;
            () = cancel.cancelled() => return Err(cancelled()),
            place = self.queue.enter(id, || watch(TurnEvent::Waiting)) => place,
        };
        let held = turn.lock(watch).await?;
        self.refuse_if_owned(id).await?;
        let spent_before = blocking(move || Ok(spent(&transcript))).await?;
        let result = turn.run(held, watch).await?;
        self.answer(id, result, spent_before).await
    }

    /// Finds the session that a person means by `name`, seen from the directory `cwd`; with `only_here`, among the
    /// sessions of that directory alone. Blocks on the file system.
    ///
    /// # Errors
    /// `SESSION_NOT_FOUND`, `SESSION_AMBIGUOUS`, `CWD_INVALID`, `HISTORY_UNREADABLE`.
    pub fn find(&self, name: &SessionName, cwd: &Path, only_here: bool) -> Result<Found> {
        lookup::by_name(&self.projects, &self.settings.places, name, cwd, only_here)
    }

    /// Asks the CLI who would pay, where only a subscription may. Whatever else is wrong with it, the turn itself says.
    async fn refuse_api_key(&self) -> Result<()> {
        if !self.settings.require_subscription {
            return Ok(());
        }
        match check(&self.settings, &self.spawner).await {
            Err(refused @ Unusable::ApiKey) => Err(refused.into()),
            Ok(_) | Err(_) => Ok(()),
        }
    }

    /// Whether session `id` of the directory `cwd` has a transcript that a further turn can go on with. Blocks on the
    /// file system.
    pub fn has_begun(&self, id: SessionId, cwd: &Path) -> bool {
        lookup::in_directory(&self.projects, id, cwd).is_ok()
    }

    /// A second writer would fork the transcript.
    async fn refuse_if_owned(&self, id: SessionId) -> Result<()> {
        let directory = self.settings.places.live_sessions();
        match blocking(move || live_owner(&directory, id).map_err(unreadable)).await? {
            None => Ok(()),
            Some(owner) => {
                let pid = owner.process.pid;
                Err(Error::new(ErrorCode::SessionIdInUse, "Another Claude has this session open.").hint(format!(
                    "Close it (process {pid}) and try again, or start a new session: two writers would fork the conversation."
                )))
            }
        }
    }

    /// The result frame's session id counts (a prompt such as `/clear` moves on to another session), and what is
    /// handed out has to be on disk.
    async fn answer(&self, asked: SessionId, result: ResultFrame, spent_before: Option<f64>) -> Result<TurnAnswer> {
        let id = result.session_id.as_deref().and_then(|id| id.parse().ok()).unwrap_or(asked);
        let projects = self.projects.clone();
        let files = blocking(move || projects.sessions_named(id).map_err(unreadable)).await?;
        if files.is_empty() {
            return Err(Error::new(ErrorCode::CliOutputInvalid, "Claude reported success, and left no transcript.").hint(
                "Check that Claude may write to its configuration directory (`ccmcp doctor` names it), then try again.",
            ));
        }
        Ok(TurnAnswer::of(id, result, spent_before))
    }
}

/// What the session had cost at launch, in US dollars: the CLI goes on from the last total that the transcript holds,
/// and from 0 where there is none. `None` when the transcript cannot be read.
fn spent(transcript: &SessionFile) -> Option<f64> {
    transcript.last_cost_usd().ok().map(|cost| cost.unwrap_or(0.0))
}

/// Runs file work where it cannot hold up the runtime.
async fn blocking<T: std::marker::Send + 'static>(
    work: impl FnOnce() -> Result<T> + std::marker::Send + 'static,
) -> Result<T> {
    tokio::task::spawn_blocking(work).await.map_err(|error| Error::internal("file work", error))?
}
