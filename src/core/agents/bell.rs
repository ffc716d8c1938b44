//! Waking those who wait for certain agents, and nobody else: with a thousand of them waiting, each event would
//! otherwise send a thousand to the database.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use tokio::sync::Notify;
use tokio_util::task::AbortOnDropHandle;

use crate::core::{
    ids::AgentId,
    store::{Store, StoreError},
};

/// One bell for each agent that somebody waits for.
#[derive(Debug)]
pub(super) struct Bells {
    ropes: Arc<Ropes>,
    _ringer: AbortOnDropHandle<()>,
}

type Ropes = Mutex<HashMap<AgentId, Arc<Notify>>>;

impl Bells {
    /// Begins to ring for every event that anybody commits from now on.
    pub(super) async fn hang(store: &Store) -> Result<Self, StoreError> {
        // Subscribed before the first look, so that nothing falls between the two.
        let mut news = store.news();
        news.mark_unchanged();
        let mut seen = store.read(|view| view.agents_with_news(i64::MAX)).await?.1;
        let ropes = Arc::new(Ropes::default());
        let (store, ringing) = (store.clone(), Arc::clone(&ropes));
        let ring_all = async move {
            while news.changed().await.is_ok() {
                match store.read(move |view| view.agents_with_news(seen)).await {
                    Ok((agents, newest)) => {
                        seen = newest;
                        ring(&ringing, &agents);
                    }
                    Err(error) => tracing::warn!(%error, "cannot see whom the news is about"),
                }
            }
        };
        Ok(Self { ropes, _ringer: AbortOnDropHandle::new(tokio::spawn(ring_all)) })
    }

    /// The bell of an agent. Listen first, look at the events then.
    pub(super) fn of(&self, agent: AgentId) -> Arc<Notify> {
        let mut ropes = self.ropes.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(ropes.entry(agent).or_default())
    }
}

fn ring(ropes: &Ropes, agents: &[AgentId]) {
    let mut ropes = ropes.lock().unwrap_or_else(PoisonError::into_inner);
    for agent in agents {
        if let Some(bell) = ropes.get(agent) {
            bell.notify_waiters();
        }
    }
    // Bells that nobody listens to any more.
    ropes.retain(|_, bell| Arc::strong_count(bell) > 1);
}
