//! The tasks on a child's standard input and standard error, so that neither ever waits for the one on standard output.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    sync::mpsc,
    time::Instant,
};
use tokio_util::task::AbortOnDropHandle;

use super::{error::WriteError, timers::Activity};

/// How much of standard error is kept, in bytes.
pub(super) const TAIL_LIMIT: usize = 16 * 1024;

/// How many writes may wait for a program that does not read.
const WRITES_WAITING: usize = 64;

/// The last bytes of a stream.
#[derive(Debug, Default)]
struct Tail {
    bytes: Vec<u8>,
    cut: bool,
}

impl Tail {
    fn push(&mut self, bytes: &[u8]) {
        let fresh = bytes.get(bytes.len().saturating_sub(TAIL_LIMIT)..).unwrap_or_default();
        let excess = (self.bytes.len() + fresh.len()).saturating_sub(TAIL_LIMIT);
        self.cut |= excess > 0 || fresh.len() < bytes.len();
        self.bytes.drain(..excess);
        self.bytes.extend_from_slice(fresh);
    }

    /// As text. Where the beginning is cut off, so is the rest of a character that the cut fell into.
    fn text(&self) -> String {
        let torn = self.bytes.iter().take_while(|byte| self.cut && (**byte & 0b1100_0000) == 0b1000_0000).count();
        String::from_utf8_lossy(self.bytes.get(torn..).unwrap_or_default()).into_owned()
    }
}

/// The drain on standard error: reads on whatever the caller does, and keeps the tail.
#[derive(Debug)]
pub(super) struct Errors {
    tail: Arc<Mutex<Tail>>,
    /// `None` once the stream has ended, or was given up.
    task: Option<AbortOnDropHandle<()>>,
}

impl Errors {
    /// Starts to drain `stream`; every byte counts as activity.
    pub(super) fn drain(mut stream: impl AsyncRead + Send + Unpin + 'static, activity: Activity) -> Self {
        let tail = Arc::<Mutex<Tail>>::default();
        let kept = Arc::clone(&tail);
        let task = tokio::spawn(async move {
            let mut bytes = vec![0; 8 * 1024];
            while let Ok(length @ 1..) = stream.read(&mut bytes).await {
                activity.note(Instant::now());
                kept.lock().unwrap_or_else(PoisonError::into_inner).push(bytes.get(..length).unwrap_or_default());
            }
        });
        Self { tail, task: Some(AbortOnDropHandle::new(task)) }
    }

    /// Whether the stream has ended, or was given up.
    pub(super) fn ended(&self) -> bool {
        self.task.is_none()
    }

    /// Waits for the end of the stream. Cancel-safe.
    pub(super) async fn end(&mut self) {
        if let Some(task) = &mut self.task {
            let _aborted = task.await;
        }
        self.task = None;
    }

    /// Stops reading.
    pub(super) fn give_up(&mut self) {
        self.task = None;
    }

    /// What was read last.
    pub(super) fn tail(&self) -> String {
        self.tail.lock().unwrap_or_else(PoisonError::into_inner).text()
    }
}

/// A standard input that is written to by a task of its own.
#[derive(Debug)]
pub(super) struct Input {
    /// `None` once it is to be closed.
    queue: Option<mpsc::Sender<Vec<u8>>>,
    _task: Option<AbortOnDropHandle<()>>,
}

impl Input {
    /// One that is closed from the start.
    pub(super) fn closed() -> Self {
        Self { queue: None, _task: None }
    }

    /// Writes `first`, then whatever is asked for, until [`Self::close`].
    pub(super) fn open(mut stream: impl AsyncWrite + Send + Unpin + 'static, first: Vec<u8>) -> Self {
        let (queue, mut writes) = mpsc::channel::<Vec<u8>>(WRITES_WAITING);
        let task = tokio::spawn(async move {
            let mut next = Some(first);
            while let Some(bytes) = next {
                // The program has closed its end: later writes are told so, since the queue ends here.
                if stream.write_all(&bytes).await.is_err() || stream.flush().await.is_err() {
                    return;
                }
                next = writes.recv().await;
            }
        });
        Self { queue: Some(queue), _task: Some(AbortOnDropHandle::new(task)) }
    }

    /// Queues bytes, without waiting.
    pub(super) fn write(&self, bytes: Vec<u8>) -> Result<(), WriteError> {
        let Some(queue) = &self.queue else { return Err(WriteError::Closed) };
        queue.try_send(bytes).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => WriteError::Full,
            mpsc::error::TrySendError::Closed(_) => WriteError::Closed,
        })
    }

    /// Closes the stream once all that was queued is written.
    pub(super) fn close(&mut self) {
        self.queue = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tail_is_the_end_of_what_was_pushed() {
        let mut tail = Tail::default();
        tail.push(b"short");
        assert_eq!(tail.text(), "short");
        let all: Vec<u8> = (0..TAIL_LIMIT * 3).map(|at| b'a' + u8::try_from(at % 26).unwrap()).collect();
        for piece in all.chunks(1000) {
            tail.push(piece);
        }
        assert_eq!(tail.text().as_bytes(), &all[all.len() - TAIL_LIMIT..]);
        tail.push(&all);
        assert_eq!(tail.text().as_bytes(), &all[all.len() - TAIL_LIMIT..]);
    }

    #[test]
    fn a_torn_character_at_the_cut_is_left_out() {
        let mut tail = Tail::default();
        tail.push("ä".repeat(TAIL_LIMIT).as_bytes());
        tail.push(b"x");
        assert_eq!(tail.text(), format!("{}x", "ä".repeat(TAIL_LIMIT / 2 - 1)));
    }

    #[tokio::test]
    async fn writes_are_refused_when_too_many_wait_and_after_the_end() {
        let (ours, theirs) = tokio::io::duplex(1);
        let mut input = Input::open(ours, b"abc".to_vec());
        let refused = (0..=WRITES_WAITING + 1).find_map(|_| input.write(vec![b'x']).err());
        assert_eq!(refused, Some(WriteError::Full));
        input.close();
        assert_eq!(input.write(Vec::new()), Err(WriteError::Closed));
        drop(theirs);
        assert_eq!(Input::closed().write(Vec::new()), Err(WriteError::Closed));
    }
}
