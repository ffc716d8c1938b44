//! First come, first served within this process.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError, Weak},
};

use tokio::sync::{Mutex as Turnstile, OwnedMutexGuard};

use crate::core::ids::SessionId;

/// One turnstile a session; tokio's mutex lets waiters in in the order in which they came.
#[derive(Clone, Debug, Default)]
pub(super) struct Queue(Arc<Mutex<HashMap<SessionId, Weak<Turnstile<()>>>>>);

/// A caller's place: it is their turn for as long as they hold it.
pub(super) type Place = OwnedMutexGuard<()>;

impl Queue {
    /// Waits for the session to be free; `on_wait` is called once if it is not.
    pub(super) async fn enter(&self, session: SessionId, on_wait: impl FnOnce()) -> Place {
        let turnstile = self.turnstile(session);
        if let Ok(place) = Arc::clone(&turnstile).try_lock_owned() {
            return place;
        }
        on_wait();
        turnstile.lock_owned().await
    }

    fn turnstile(&self, session: SessionId) -> Arc<Turnstile<()>> {
        // Nothing can panic while this is held, and a map of weak references is right in any state.
        let mut turnstiles = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(turnstile) = turnstiles.get(&session).and_then(Weak::upgrade) {
            return turnstile;
        }
        turnstiles.retain(|_, turnstile| turnstile.strong_count() > 0);
        let turnstile = Arc::new(Turnstile::new(()));
        turnstiles.insert(session, Arc::downgrade(&turnstile));
        turnstile
    }
}

#[cfg(test)]
mod tests {
    use std::future::{Future, poll_fn};
    use std::pin::pin;
    use std::task::Poll;

    use super::*;

    #[tokio::test]
    async fn waiters_enter_in_order_and_sessions_do_not_meet() {
        let queue = Queue::default();
        let (one, other) = (SessionId::new(), SessionId::new());
        let first = queue.enter(one, || panic!("nobody is there")).await;
        let unrelated = queue.enter(other, || panic!("another session")).await;
        let mut waits = 0;
        {
            let mut second = pin!(queue.enter(one, || waits += 1));
            let third = queue.enter(one, || ());
            let mut third = pin!(third);
            poll_fn(|context| {
                assert!(second.as_mut().poll(context).is_pending());
                assert!(third.as_mut().poll(context).is_pending());
                Poll::Ready(())
            })
            .await;
            drop(first);
            let place = second.await;
            poll_fn(|context| {
                assert!(third.as_mut().poll(context).is_pending());
                Poll::Ready(())
            })
            .await;
            drop(place);
            drop(third.await);
        }
        assert_eq!(waits, 1);
        drop(unrelated);
        drop(queue.enter(SessionId::new(), || ()).await);
        assert_eq!(queue.0.lock().unwrap().len(), 1, "turnstiles that nobody holds are let go");
    }
}
