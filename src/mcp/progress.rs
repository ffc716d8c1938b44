//! Progress that can neither stall a turn nor grow without bound.
//!
//! A turn prints frames as fast as it likes, a client reads as slowly as it likes. Between them is a queue of bounded
//! size: a frame that does not fit is not told. The counter goes on, so a gap shows.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use rmcp::{
    RoleServer,
    model::{ProgressNotificationParam, ProgressToken},
    service::{Peer, RequestContext},
};
use tokio::{sync::mpsc, task::JoinHandle};

/// How many messages may wait.
const MESSAGES: usize = 4096;

/// How many bytes may wait.
const BYTES: usize = 16 << 20;

/// The sending side of one request's progress. Without a token in the request it does nothing.
pub(super) struct Progress(Option<Running>);

struct Running {
    queue: mpsc::Sender<(u32, String)>,
    waiting: Arc<AtomicUsize>,
    told: u32,
    forwarder: JoinHandle<()>,
}

impl Progress {
    /// Starts telling, if the request asks for it.
    pub(super) fn of(context: &RequestContext<RoleServer>) -> Self {
        let Some(token) = context.meta.get_progress_token() else { return Self(None) };
        let (queue, queued) = mpsc::channel(MESSAGES);
        let waiting = Arc::new(AtomicUsize::new(0));
        let forwarder = tokio::spawn(forward(context.peer.clone(), token, queued, Arc::clone(&waiting)));
        Self(Some(Running { queue, waiting, told: 0, forwarder }))
    }

    /// Tells one message, unless too much is waiting. Never blocks.
    pub(super) fn tell(&mut self, message: &[u8]) {
        let Some(running) = &mut self.0 else { return };
        running.told += 1;
        if running.waiting.load(Ordering::Relaxed) + message.len() > BYTES {
            return;
        }
        let message = String::from_utf8_lossy(message).into_owned();
        let length = message.len();
        // Counted before it can be taken out, so that the count never goes below zero.
        running.waiting.fetch_add(length, Ordering::Relaxed);
        if running.queue.try_send((running.told, message)).is_err() {
            running.waiting.fetch_sub(length, Ordering::Relaxed);
        }
    }

    /// Waits until everything told is on the wire, so that the answer comes last.
    pub(super) async fn finish(self) {
        let Some(Running { queue, forwarder, .. }) = self.0 else { return };
        drop(queue);
        // It ends with its queue; if it panicked there is nothing left to tell.
        forwarder.await.ok();
    }
}

async fn forward(
    peer: Peer<RoleServer>,
    token: ProgressToken,
    mut queued: mpsc::Receiver<(u32, String)>,
    waiting: Arc<AtomicUsize>,
) {
    while let Some((number, message)) = queued.recv().await {
        let length = message.len();
        let progress = ProgressNotificationParam::new(token.clone(), f64::from(number)).with_message(message);
        let sent = peer.notify_progress(progress).await;
        waiting.fetch_sub(length, Ordering::Relaxed);
        if sent.is_err() {
            // The client is gone.
            return;
        }
    }
}
