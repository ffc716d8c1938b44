//! The handle: everything that can be done with agents.

use std::{fmt, sync::Arc, time::Duration};

use tokio::{sync::OnceCell, time::sleep};

use super::{
    answer::{
        AgentSummary, ClosedAgent, FollowedUp, InterruptedAgent, ListedAgents, ListedModels, PrunedAgents,
        ReadAgentAnswer, SentMessage, SpawnedAgent, Waited,
    },
    bell::Bells,
    cli::Cli,
    close, error, find,
    hub::Hub,
    input::{ListAgents, ReadAgent, SpawnAgent, WaitAgent},
    interrupt, life, mail, models, read,
    reconcile::{self, Watch},
    service::Service,
    shutdown, spawn, wait,
    wait::Progress,
};
use crate::core::{
    config::Settings,
    error::Result,
    ids::{AgentId, OwnerId},
    process::Spawner,
    store::{DATABASE, Store},
};

/// How often a server looks whether there is a database by now.
const LOOK: Duration = Duration::from_secs(1);

/// The pause after a database that could not be opened.
const LOOK_AGAIN: Duration = Duration::from_secs(30);

/// What a process is to the agents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It runs agents' processes, and adopts what dead servers leave.
    Server,
    /// It looks at agents and steers them, and runs nothing: a terminal command.
    Visitor,
}

/// Agents. Cheap to clone.
///
/// Making one touches nothing: the state directory is opened, and a server registers, when something is first asked.
/// An error while opening is the answer to that call; the next call tries again.
#[derive(Clone)]
pub struct Agents {
    inner: Arc<Inner>,
}

struct Inner {
    settings: Arc<Settings>,
    spawner: Spawner,
    role: Role,
    opened: OnceCell<Opened>,
}

struct Opened {
    hub: Arc<Hub>,
    service: Option<Arc<Service>>,
    watch: Watch,
}

impl Opened {
    fn watch(&self) -> &Watch {
        self.service.as_ref().map_or(&self.watch, |service| service.watch())
    }
}

impl fmt::Debug for Agents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Agents").field("role", &self.inner.role).finish_non_exhaustive()
    }
}

impl Agents {
    /// The agents of the state directory in `settings`.
    pub fn new(settings: Arc<Settings>, spawner: Spawner, role: Role) -> Self {
        Self { inner: Arc::new(Inner { settings, spawner, role, opened: OnceCell::new() }) }
    }

    async fn opened(&self) -> Result<&Opened> {
        self.inner.opened.get_or_try_init(|| self.open()).await
    }

    async fn open(&self) -> Result<Opened> {
        let Inner { settings, spawner, role, .. } = &*self.inner;
        let store = Store::open(&settings.places.state).await?;
        let cli = Arc::new(Cli::new(Arc::clone(settings), spawner.clone()));
        let (settings, spawner) = (Arc::clone(settings), spawner.clone());
        let bells = Bells::hang(&store).await?;
        let hub = Arc::new(Hub { me: OwnerId::new(), settings, spawner, store, cli, bells });
        let service = match role {
            Role::Server => Some(Service::start(Arc::clone(&hub)).await?),
            Role::Visitor => None,
        };
        let watch = Watch::default();
        if service.is_none() {
            // There may be no server that would see what a dead one left.
            reconcile::pass(&hub, &watch, None).await?;
        }
        Ok(Opened { hub, service, watch })
    }

    /// Makes an agent with its first task. Servers only.
    ///
    /// # Errors
    /// `invalid_input`, `cli_unavailable`, `resume_failed`.
    pub async fn spawn_agent(&self, input: SpawnAgent) -> Result<SpawnedAgent> {
        spawn::spawn(&self.opened().await?.hub, input).await
    }

    /// Gives an agent context. It starts no turn.
    ///
    /// # Errors
    /// `invalid_input`, `agent_not_found`, `invalid_state`.
    pub async fn send_message(&self, agent: AgentId, message: &str) -> Result<SentMessage> {
        mail::send(&self.opened().await?.hub, agent, message).await
    }

    /// Gives an agent a task, which becomes a turn of its own. Servers only.
    ///
    /// # Errors
    /// `invalid_input`, `agent_not_found`, `invalid_state`, `cli_unavailable`, `resume_failed`.
    pub async fn followup_task(&self, agent: AgentId, message: &str) -> Result<FollowedUp> {
        mail::followup(&self.opened().await?.hub, agent, message).await
    }

    /// Waits for events. Dropping the future ends the wait and nothing else.
    ///
    /// # Errors
    /// `invalid_input`, `agent_not_found`, `cursor_expired`.
    pub async fn wait_agent(&self, input: WaitAgent, progress: Option<Progress<'_>>) -> Result<Waited> {
        wait::wait(&self.opened().await?.hub, input, progress).await
    }

    /// Interrupts an agent: its turn, and the mail that waits. Answers when it is done, after 9 s at the latest.
    ///
    /// # Errors
    /// `agent_not_found`; `invalid_state` when it stays uncertain whether the agent's process is dead.
    pub async fn interrupt_agent(&self, agent: AgentId) -> Result<InterruptedAgent> {
        let opened = self.opened().await?;
        interrupt::interrupt(&opened.hub, opened.watch(), agent).await
    }

    /// Lists agents, the last changed first.
    ///
    /// # Errors
    /// `invalid_input`.
    pub async fn list_agents(&self, input: ListAgents) -> Result<ListedAgents> {
        read::list(&self.opened().await?.hub, input).await
    }

    /// The agents that changed last, at most so many, at a glance: opens nothing for longer, makes no database, looks
    /// after nobody. Blocks for a moment.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn glance(&self, most: u32) -> Result<Vec<AgentSummary>> {
        read::glance(&self.inner.settings.places.state, most)
    }

    /// The models that agents can be given. Opens nothing.
    pub fn list_models(&self) -> ListedModels {
        models::list()
    }

    /// Reads one agent: its turns, its latest result, its events, and with `include_raw` what the CLI printed.
    ///
    /// # Errors
    /// `invalid_input`, `agent_not_found`, `cursor_expired`.
    pub async fn read_agent(&self, input: ReadAgent) -> Result<ReadAgentAnswer> {
        read::read(&self.opened().await?.hub, input).await
    }

    /// Whether any server lives that could run agents. Blocks for a moment.
    ///
    /// # Errors
    /// The state directory cannot be looked at.
    pub fn has_server(&self) -> Result<bool> {
        let state = &self.inner.settings.places.state;
        life::has_server(state).map_err(|cause| error::internal("looking for servers", cause))
    }

    /// The agent that a person means by `name`: an id, the beginning of one, a name, or `last`, the one that changed
    /// last.
    ///
    /// # Errors
    /// `agent_not_found`: none, with those that are named nearly so; or several, with their ids.
    pub async fn find(&self, name: &str) -> Result<AgentId> {
        find::find(&self.opened().await?.hub, name).await
    }

    /// Closes an agent that is idle or needs attention; with `delete` its record is removed.
    ///
    /// # Errors
    /// `agent_not_found`, `invalid_state`.
    pub async fn close_agent(&self, agent: AgentId, delete: bool) -> Result<ClosedAgent> {
        close::close(&self.opened().await?.hub, agent, delete).await
    }

    /// Removes agents that have been idle or closed, and unchanged, for at least `older_than`; with `dry_run` it only
    /// says which.
    ///
    /// # Errors
    /// `invalid_input`.
    pub async fn prune(&self, older_than: Duration, dry_run: bool) -> Result<PrunedAgents> {
        close::prune(&self.opened().await?.hub, older_than, dry_run).await
    }

    /// Begins a server's work before anything is asked: dead servers may have left some. Waits until there is a
    /// database, and makes none; ends when it is open.
    pub async fn take_up(&self) {
        let database = self.inner.settings.places.state.join(DATABASE);
        let mut is_told = false;
        while !self.inner.opened.initialized() {
            if !database.exists() {
                sleep(LOOK).await;
                continue;
            }
            let Err(error) = self.opened().await else { return };
            if !is_told {
                tracing::warn!(%error, hint = error.hint, "cannot take up what agents there are");
                is_told = true;
            }
            sleep(LOOK_AGAIN).await;
        }
    }

    /// Ends this server in order, in 5 s at most: what runs is interrupted, what waits stays queued for the next
    /// server. Does nothing when nothing was ever asked.
    pub async fn shut_down(&self) {
        if let Some(Opened { service: Some(service), .. }) = self.inner.opened.get() {
            shutdown::shut_down(service).await;
        }
    }
}
