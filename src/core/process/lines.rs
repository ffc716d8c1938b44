//! Bytes into lines, of any length, in bounded memory.

use memchr::memchr;
use tokio::io::{AsyncRead, AsyncReadExt};

/// The most of one line that is kept, in bytes (64 MiB). The longest lines seen from the CLI are tens of megabytes.
pub(super) const LINE_LIMIT: usize = 64 * 1024 * 1024;

/// How much is read at a time, in bytes: what a pipe holds on Linux.
const CHUNK: usize = 64 * 1024;

/// One line of standard output, without its line ending.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// The bytes, as written: not necessarily UTF-8.
    pub bytes: Vec<u8>,
    /// How many bytes beyond the first 64 MiB were dropped.
    pub cut: u64,
}

/// The reader's state between two reads: a chunk that is not used up yet, and the beginning of a line.
#[derive(Debug)]
pub(super) struct Lines {
    chunk: Vec<u8>,
    at: usize,
    line: Vec<u8>,
    cut: u64,
    last_dropped: u8,
    limit: usize,
}

impl Lines {
    /// Nothing read yet; lines longer than `limit` bytes are cut.
    pub(super) fn new(limit: usize) -> Self {
        Self { chunk: Vec::with_capacity(CHUNK), at: 0, line: Vec::new(), cut: 0, last_dropped: 0, limit }
    }

    /// Reads one chunk once [`Self::next`] has used up the one before; returns its length, 0 at the end. Cancel-safe.
    pub(super) async fn fill(&mut self, from: &mut (impl AsyncRead + Unpin)) -> std::io::Result<usize> {
        self.chunk.clear();
        self.at = 0;
        from.read_buf(&mut self.chunk).await
    }

    /// The next whole line of what was read.
    pub(super) fn next(&mut self) -> Option<Line> {
        let rest = self.chunk.get(self.at..).unwrap_or_default();
        let end = memchr(b'\n', rest);
        let piece = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
        let kept = piece.len().min(self.limit.saturating_sub(self.line.len()));
        let (kept, dropped) = piece.split_at(kept);
        self.line.extend_from_slice(kept);
        if let Some(last) = dropped.last() {
            self.cut += dropped.len() as u64;
            self.last_dropped = *last;
        }
        self.at += piece.len() + usize::from(end.is_some());
        end.map(|_| self.take(true))
    }

    /// What is left at the end of the stream: a line that its writer did not finish.
    pub(super) fn finish(&mut self) -> Option<Line> {
        (!self.line.is_empty() || self.cut > 0).then(|| self.take(false))
    }

    /// Hands the line out. The carriage return before a line feed belongs to the line's end, wherever the cut fell.
    fn take(&mut self, ended: bool) -> Line {
        let mut line = Line { bytes: std::mem::take(&mut self.line), cut: std::mem::take(&mut self.cut) };
        if ended && line.cut > 0 {
            line.cut -= u64::from(self.last_dropped == b'\r');
        } else if ended && line.bytes.last() == Some(&b'\r') {
            line.bytes.pop();
        }
        line
    }
}

#[cfg(test)]
mod tests {
    use proptest::{collection::vec, prelude::*};

    use super::*;

    /// The same by the simplest means: the whole text at once.
    fn reference(text: &[u8], limit: usize) -> Vec<Line> {
        let mut lines: Vec<Vec<u8>> = text.split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
        let last = lines.pop().unwrap();
        for line in &mut lines {
            if line.last() == Some(&b'\r') {
                line.pop();
            }
        }
        if !last.is_empty() {
            lines.push(last);
        }
        let cut = |line: Vec<u8>| Line {
            cut: line.len().saturating_sub(limit) as u64,
            bytes: line.into_iter().take(limit).collect(),
        };
        lines.into_iter().map(cut).collect()
    }

    /// Delivers `text` in pieces, like a pipe.
    async fn read(text: &[u8], sizes: &[usize], limit: usize) -> Vec<Line> {
        let mut lines = Lines::new(limit);
        let mut seen = Vec::new();
        let mut rest = text;
        let mut sizes = sizes.iter().cycle();
        while !rest.is_empty() {
            let (mut piece, later) = rest.split_at((*sizes.next().unwrap()).min(rest.len()));
            rest = later;
            while lines.fill(&mut piece).await.unwrap() > 0 {
                while let Some(line) = lines.next() {
                    seen.push(line);
                }
            }
        }
        seen.extend(lines.finish());
        seen
    }

    proptest! {
        #[test]
        fn equals_the_reference(
            text in vec(prop_oneof![Just(b'\n'), Just(b'\r'), Just(0), Just(b'x'), any::<u8>()], 0..400),
            sizes in vec(1usize..40, 1..8),
            limit in 1usize..30,
        ) {
            let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
            prop_assert_eq!(runtime.block_on(read(&text, &sizes, limit)), reference(&text, limit));
        }
    }

    #[tokio::test]
    async fn a_line_of_exactly_the_limit_is_whole_with_either_ending() {
        for text in [&b"abcd\nx"[..], b"abcd\r\nx"] {
            let lines = read(text, &[1], 4).await;
            assert_eq!(lines[0], Line { bytes: b"abcd".to_vec(), cut: 0 });
            assert_eq!(lines[1].bytes, b"x");
        }
    }

    #[tokio::test]
    async fn memory_stays_bounded_by_the_limit() {
        let text = vec![b'x'; 8 * CHUNK];
        let mut lines = Lines::new(1000);
        let mut rest = text.as_slice();
        while lines.fill(&mut rest).await.unwrap() > 0 {
            assert_eq!(lines.next(), None);
            assert!(lines.line.capacity() <= 2048 && lines.chunk.capacity() <= CHUNK);
        }
        assert_eq!(lines.finish().unwrap().cut, (8 * CHUNK - 1000) as u64);
    }
}
