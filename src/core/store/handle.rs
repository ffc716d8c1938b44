//! The handle: one writer thread, readers, news of commits.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError, mpsc as std_mpsc},
    thread,
};

use rusqlite::{Connection, Transaction, TransactionBehavior};
use tokio::{
    sync::{mpsc, oneshot, watch},
    task::spawn_blocking,
};

use super::{Change, StoreError, View, news, open};

/// How many transactions may wait for the writer before a caller has to.
const QUEUE: usize = 256;

/// How many connections for reading are kept for the next reader.
const SPARE_READERS: usize = 4;

type Job = Box<dyn FnOnce(&mut Connection, &watch::Sender<u64>) + Send>;

/// The database of one state directory. Cheap to clone; closed when the last clone is dropped.
#[derive(Clone)]
pub struct Store {
    inner: Arc<Inner>,
}

struct Inner {
    dir: PathBuf,
    writer: mpsc::Sender<Job>,
    readers: Mutex<Vec<Connection>>,
    news: watch::Receiver<u64>,
    /// Dropping it ends the watching thread.
    _watching: std_mpsc::Sender<()>,
}

impl Store {
    /// Opens the database in `dir`, makes or upgrades it. Refuses, untouched, what is not ours or too new.
    pub async fn open(dir: &Path) -> Result<Self, StoreError> {
        let dir = dir.to_path_buf();
        spawn_blocking(move || Self::open_blocking(dir)).await.map_err(|_| StoreError::Panicked)?
    }

    fn open_blocking(dir: PathBuf) -> Result<Self, StoreError> {
        let connection = open::open(&dir)?;
        let watched = open::reopen(&dir)?;
        let (sender, news) = watch::channel(0);
        let (writer, jobs) = mpsc::channel(QUEUE);
        let (watching, stop) = std_mpsc::channel();
        let started = news::watch(watched, sender.clone(), stop).and_then(|()| {
            let write = move || write_all(connection, jobs, &sender);
            thread::Builder::new().name("ccmcp-writer".to_owned()).spawn(write)
        });
        started.map_err(|source| StoreError::Io { path: dir.clone(), source })?;
        let inner = Inner { dir, writer, readers: Mutex::default(), news, _watching: watching };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// The state directory.
    pub fn dir(&self) -> &Path {
        &self.inner.dir
    }

    /// Changes whenever anybody, in this process or another, has committed an event or a request: within a
    /// millisecond for this process's commits, within 100 ms for others'.
    pub fn news(&self) -> watch::Receiver<u64> {
        self.inner.news.clone()
    }

    /// Runs `job` as one transaction on the writer thread. It is committed when `job` returns `Ok`, else rolled
    /// back. A caller that goes away does not stop it.
    pub async fn write<T, E>(&self, job: impl FnOnce(&Change<'_>) -> Result<T, E> + Send + 'static) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let (answer, answered) = oneshot::channel();
        let run: Job = Box::new(move |connection, news| {
            let done = catch_unwind(AssertUnwindSafe(|| transact(connection, news, job)));
            // The caller may have gone away: the commit stands.
            let _ = answer.send(done.unwrap_or_else(|_| Err(StoreError::Panicked.into())));
        });
        self.inner.writer.send(run).await.map_err(|_| StoreError::Closed)?;
        answered.await.map_err(|_| StoreError::Closed)?
    }

    /// Runs `job` on a thread for blocking work, with one consistent view of the database.
    pub async fn read<T, E>(&self, job: impl FnOnce(&View<'_>) -> Result<T, E> + Send + 'static) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let inner = Arc::clone(&self.inner);
        spawn_blocking(move || inner.read(job)).await.map_err(|_| StoreError::Panicked)?
    }
}

impl Inner {
    fn read<T, E: From<StoreError>>(&self, job: impl FnOnce(&View<'_>) -> Result<T, E>) -> Result<T, E> {
        let spare = self.spare_readers().pop();
        let mut connection = match spare {
            Some(connection) => connection,
            None => open::reopen(&self.dir)?,
        };
        let transaction = connection.transaction().map_err(StoreError::from)?;
        let result = job(&View { connection: &transaction });
        transaction.finish().map_err(StoreError::from)?;
        let mut spare = self.spare_readers();
        if spare.len() < SPARE_READERS {
            spare.push(connection);
        }
        result
    }

    fn spare_readers(&self) -> std::sync::MutexGuard<'_, Vec<Connection>> {
        self.readers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The writer thread: it ends, and closes the database, when the last [`Store`] is gone.
fn write_all(mut connection: Connection, mut jobs: mpsc::Receiver<Job>, news: &watch::Sender<u64>) {
    while let Some(job) = jobs.blocking_recv() {
        job(&mut connection, news);
    }
}

fn transact<T, E: From<StoreError>>(
    connection: &mut Connection,
    news: &watch::Sender<u64>,
    job: impl FnOnce(&Change<'_>) -> Result<T, E>,
) -> Result<T, E> {
    let transaction = Transaction::new(connection, TransactionBehavior::Immediate).map_err(StoreError::from)?;
    let change = Change::new(&transaction);
    let value = job(&change)?;
    let has_news = change.has_news();
    transaction.commit().map_err(StoreError::from)?;
    if has_news {
        news::bump(news);
    }
    Ok(value)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::json;
    use tokio::time::timeout;

    use super::*;
    use crate::core::{
        ids::{AgentId, OwnerId, SessionId},
        store::{AgentState, NewAgent},
    };

    /// A limit for things that take milliseconds.
    const LIMIT: Duration = Duration::from_secs(20);

    fn agent() -> NewAgent {
        NewAgent {
            agent_id: AgentId::new(),
            session_id: SessionId::new(),
            session_seen: false,
            name: None,
            cwd: "/w".to_owned(),
            workspace: "/w".to_owned(),
            permission_profile: "read_only".to_owned(),
            model: None,
            effort: None,
            max_turn_seconds: None,
            max_budget_usd: None,
            owner: OwnerId::new(),
        }
    }

    async fn add(store: &Store, agent: NewAgent) -> i64 {
        let add = move |change: &Change<'_>| {
            change.add_agent(&agent)?;
            change.add_event(agent.agent_id, "agent.created", &json!({}))?;
            Ok::<_, StoreError>(change.cursor().unwrap())
        };
        store.write(add).await.unwrap()
    }

    #[tokio::test]
    async fn a_commit_wakes_its_own_process_and_another() {
        let dir = tempfile::tempdir().unwrap();
        let (one, two) = (Store::open(dir.path()).await.unwrap(), Store::open(dir.path()).await.unwrap());
        let (mut own, mut other) = (one.news(), two.news());
        let agent = agent();
        let id = agent.agent_id;
        let cursor = add(&one, agent).await;
        timeout(LIMIT, own.changed()).await.unwrap().unwrap();
        timeout(LIMIT, other.changed()).await.unwrap().unwrap();
        let events = two.read(move |view| view.events(&[id], 0, 10)).await.unwrap();
        assert_eq!(events.last().unwrap().sequence, cursor);
    }

    #[tokio::test]
    async fn a_failed_or_panicking_transaction_leaves_nothing_and_the_writer_lives() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).await.unwrap();
        let lost = agent();
        let failed = store
            .write(move |change| {
                change.add_agent(&lost)?;
                Err::<(), _>(StoreError::Closed)
            })
            .await;
        assert!(matches!(failed, Err(StoreError::Closed)));
        let lost = agent();
        let panicked = store
            .write(move |change| -> Result<(), StoreError> {
                change.add_agent(&lost)?;
                panic!("on purpose")
            })
            .await;
        assert!(matches!(panicked, Err(StoreError::Panicked)));
        assert_eq!(add(&store, agent()).await, 1);
        let filter = crate::core::store::AgentFilter { state: None, limit: 10, offset: 0 };
        assert_eq!(store.read(move |view| view.agents(filter)).await.unwrap().1, 1);
    }

    #[tokio::test]
    #[expect(clippy::redundant_closure_for_method_calls, reason = "a method is not general enough over lifetimes")]
    async fn the_newest_event_survives_the_deletion_of_its_agent() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).await.unwrap();
        let gone = agent();
        let id = gone.agent_id;
        let cursor = add(&store, gone).await;
        store.write(move |change| change.remove_agent(id)).await.unwrap();
        assert_eq!(store.read(|view| view.newest_event()).await.unwrap(), cursor);
        assert_eq!(add(&store, agent()).await, cursor + 1);
    }

    #[tokio::test]
    async fn many_processes_write_in_one_order() {
        let dir = tempfile::tempdir().unwrap();
        let mut tasks = tokio::task::JoinSet::new();
        for _ in 0..8 {
            let dir = dir.path().to_path_buf();
            tasks.spawn(async move {
                let store = Store::open(&dir).await.unwrap();
                let mut cursors = Vec::new();
                for _ in 0..20 {
                    cursors.push(add(&store, agent()).await);
                }
                cursors
            });
        }
        let mut all: Vec<i64> = tasks.join_all().await.into_iter().flatten().collect();
        all.sort_unstable();
        assert_eq!(all, (1..=160).collect::<Vec<_>>());
    }

    #[tokio::test]
    async fn a_state_needs_its_reason() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).await.unwrap();
        let row = agent();
        let id = row.agent_id;
        add(&store, row).await;
        let bad = move |change: &Change<'_>| change.set_agent_state(id, AgentState::NeedsAttention, None);
        assert!(store.write(bad).await.is_err());
    }
}
