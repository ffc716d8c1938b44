//! Standard input that tells when it ends.
//!
//! rmcp lets running calls go on for seconds after the end of input; a turn that nobody waits for should end at once.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll},
};

use tokio::io::{AsyncRead, ReadBuf};
use tokio_util::sync::{CancellationToken, DropGuard};

/// Reads through, and cancels a token at the end of input (or at a failure to read).
pub(super) struct WatchedInput<R> {
    inner: R,
    ended: Option<DropGuard>,
}

impl<R> WatchedInput<R> {
    pub(super) fn new(inner: R, ended: CancellationToken) -> Self {
        Self { inner, ended: Some(ended.drop_guard()) }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for WatchedInput<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let polled = Pin::new(&mut self.inner).poll_read(context, buffer);
        let ended = match &polled {
            Poll::Ready(Ok(())) => buffer.filled().len() == before && buffer.capacity() > before,
            Poll::Ready(Err(_)) => true,
            Poll::Pending => false,
        };
        if ended {
            self.ended = None;
        }
        polled
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt;

    use super::*;

    #[tokio::test]
    async fn the_end_is_told_and_nothing_before_it() {
        let ended = CancellationToken::new();
        let mut input = WatchedInput::new(&b"ab"[..], ended.clone());
        assert_eq!(input.read_u8().await.unwrap(), b'a');
        assert_eq!(input.read_u8().await.unwrap(), b'b');
        assert!(!ended.is_cancelled());
        assert!(input.read_u8().await.is_err());
        assert!(ended.is_cancelled());
    }
}
