//! The server's side: it registers, dispatches turns and orders to workers, looks for dead servers, and shuts down.

use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use tokio::{
    sync::mpsc,
    time::{Instant, MissedTickBehavior, interval, sleep},
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::{
    claim::{self, Claimed},
    conversation::Stop,
    error,
    hub::{Hub, blocking},
    life::{self, Life},
    reconcile::{self, Watch},
    worker::{self, Order},
};
use crate::core::{
    clock::Timestamp,
    error::Result,
    ids::{AgentId, ChildId, OwnerId, TurnId},
    process::Identity,
    store::{RequestKind, ServerRow, StoreError},
};

/// How often dead servers are looked for.
const LOOK: Duration = Duration::from_secs(1);

/// How long another server may take to start a turn that it could start; then others go ahead.
const THEIR_TURN: Duration = Duration::from_secs(3);

/// How many orders may wait for a worker. They are repeated, so one more is one too many.
const ORDERS: usize = 16;

/// A server of agents.
pub(super) struct Service {
    hub: Arc<Hub>,
    workers: Mutex<HashMap<AgentId, Worker>>,
    watch: Watch,
    life: Mutex<Option<Life>>,
    pub(super) stopping: CancellationToken,
    tasks: TaskTracker,
}

struct Worker {
    lease: ChildId,
    orders: mpsc::Sender<Order>,
}

impl Service {
    /// Registers this process as a server and begins to work.
    pub(super) async fn start(hub: Arc<Hub>) -> Result<Arc<Self>> {
        let (state, me) = (hub.store.dir().to_path_buf(), hub.me);
        let ids = |servers: Vec<ServerRow>| servers.into_iter().map(|server| server.server_id).collect();
        let registered: Vec<OwnerId> = hub.store.read(move |view| view.servers().map(ids)).await?;
        let begin = move || {
            life::bury_strays(&state, &registered);
            Life::begin(&state, me)
        };
        let life = blocking(begin).await??;
        let Identity { pid, start } = hub.spawner.owner().clone();
        hub.store.write(move |change| change.add_server(&ServerRow { server_id: me, pid, started: start })).await?;
        let service = Arc::new(Self {
            hub,
            workers: Mutex::default(),
            watch: Watch::default(),
            life: Mutex::new(Some(life)),
            stopping: CancellationToken::new(),
            tasks: TaskTracker::new(),
        });
        let running = Arc::clone(&service);
        service.tasks.spawn(async move { running.dispatch_all().await });
        Ok(service)
    }

    /// Dispatches whenever there is news, when a retry is due, and every second.
    async fn dispatch_all(self: Arc<Self>) {
        let mut news = self.hub.store.news();
        let mut look = interval(LOOK);
        look.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut granted: HashMap<TurnId, Instant> = HashMap::new();
        let mut retry = None;
        loop {
            let due = async {
                match retry {
                    Some(pause) => sleep(pause).await,
                    None => std::future::pending().await,
                }
            };
            let mut reconciles = false;
            tokio::select! {
                () = self.stopping.cancelled() => return,
                changed = news.changed() => if changed.is_err() { return },
                _ = look.tick() => reconciles = true,
                () = due => {}
            }
            if reconciles && let Err(error) = reconcile::pass(&self.hub, &self.watch, Some(self.hub.me)).await {
                tracing::warn!(%error, hint = error.hint, "cannot look for dead servers");
            }
            match self.dispatch(&mut granted).await {
                Ok(next) => retry = next,
                Err(error) => tracing::warn!(%error, "cannot dispatch agents' turns"),
            }
        }
    }

    /// Starts what can be started and passes requests and mail on; how long until a retry is due.
    async fn dispatch(
        self: &Arc<Self>,
        granted: &mut HashMap<TurnId, Instant>,
    ) -> Result<Option<Duration>, StoreError> {
        let (me, limit) = (self.hub.me, usize::try_from(self.hub.settings.limits.processes).unwrap_or(usize::MAX));
        let skipped: HashSet<TurnId> =
            granted.iter().filter(|(_, since)| since.elapsed() > THEIR_TURN).map(|(turn, _)| *turn).collect();
        let ignored = skipped.clone();
        let (outlook, requests, mail, retry) = self
            .hub
            .store
            .read(move |view| {
                let outlook = claim::look(view, me, limit, &ignored)?;
                Ok::<_, StoreError>((outlook, view.requests_for(me)?, view.deliverable(me)?, view.next_retry()?))
            })
            .await?;
        granted.retain(|turn, _| outlook.theirs.contains(turn) || skipped.contains(turn));
        for turn in &outlook.theirs {
            granted.entry(*turn).or_insert_with(Instant::now);
        }
        if outlook.worthwhile {
            let claimed = self.hub.store.write(move |change| claim::claim(change, me, limit, &skipped)).await?;
            for turn in claimed {
                self.hand_over(turn).await;
            }
        }
        for request in requests {
            let order = match request.kind {
                RequestKind::Interrupt => Order::Stop(Stop::Interrupt),
                RequestKind::Evict => Order::Leave,
            };
            self.order(request.agent_id, order);
        }
        for agent in mail {
            self.order(agent, Order::Mail);
        }
        let now = Timestamp::now().as_millis();
        let pause = retry.map(|at| at.as_millis().saturating_sub(now)).filter(|pause| *pause > 0);
        Ok(pause.and_then(|pause| u64::try_from(pause).ok()).map(Duration::from_millis))
    }

    /// Gives a claimed turn to its worker: to the one that has the process, else to a new one.
    async fn hand_over(self: &Arc<Self>, claimed: Claimed) {
        if !claimed.launch {
            let worker = self.worker_of(claimed.agent.agent_id);
            if let Some(orders) = worker {
                // A worker that is gone has seen in the database that the turn was its own.
                let _ = orders.send(Order::Begin(claimed.turn)).await;
            }
            return;
        }
        let (orders, received) = mpsc::channel(ORDERS);
        let (agent, lease) = (claimed.agent.agent_id, claimed.child);
        self.workers().insert(agent, Worker { lease, orders });
        let service = Arc::clone(self);
        self.tasks.spawn(async move {
            let work = tokio::spawn(worker::run(Arc::clone(&service.hub), claimed, received));
            match work.await {
                Ok(Ok(())) => {}
                Ok(Err(error)) => tracing::error!(%error, %agent, "an agent's process was given up"),
                Err(error) => tracing::error!(%error, %agent, "an agent's worker failed"),
            }
            service.tidy_up(agent, lease).await;
        });
    }

    /// Makes sure that a process that is gone holds no slot, however its worker ended.
    async fn tidy_up(&self, agent: AgentId, lease: ChildId) {
        let mut pause = Duration::from_millis(10);
        loop {
            let settled = self
                .hub
                .store
                .write(move |change| match change.child(lease)? {
                    Some(child) => match reconcile::look(&child) {
                        reconcile::Remains::Alive => Ok(false),
                        remains => reconcile::settle(change, &child, remains).map(|()| true),
                    },
                    None => Ok::<_, StoreError>(true),
                })
                .await;
            if matches!(settled, Ok(true) | Err(StoreError::Closed)) {
                break;
            }
            tokio::select! {
                () = sleep(pause) => pause = (pause * 2).min(LOOK),
                // The next server finds what is left.
                () = self.stopping.cancelled() => break,
            }
        }
        let mut workers = self.workers();
        if workers.get(&agent).is_some_and(|worker| worker.lease == lease) {
            workers.remove(&agent);
        }
    }

    fn order(&self, agent: AgentId, order: Order) {
        if let Some(worker) = self.worker_of(agent) {
            // A full queue means that it will look soon anyway.
            let _ = worker.try_send(order);
        }
    }

    fn worker_of(&self, agent: AgentId) -> Option<mpsc::Sender<Order>> {
        self.workers().get(&agent).map(|worker| worker.orders.clone())
    }

    fn workers(&self) -> std::sync::MutexGuard<'_, HashMap<AgentId, Worker>> {
        self.workers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Everybody's orders, and no more of them: workers end when they have nothing to do.
    pub(super) fn everybody(&self) -> Vec<mpsc::Sender<Order>> {
        self.workers().values().map(|worker| worker.orders.clone()).collect()
    }

    pub(super) fn hub(&self) -> &Arc<Hub> {
        &self.hub
    }

    pub(super) fn watch(&self) -> &Watch {
        &self.watch
    }

    /// Waits until every worker is gone.
    pub(super) async fn finished(&self) {
        self.tasks.close();
        self.tasks.wait().await;
    }

    /// Takes the sign of life back.
    pub(super) fn end_life(&self) {
        let life = self.life.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(life) = life {
            life.end();
        }
    }
}

/// The error for work that cannot be taken on any more.
pub(super) fn shutting_down() -> crate::core::error::Error {
    error::internal("taking on work", "the server is shutting down")
}
