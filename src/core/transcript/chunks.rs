//! Reads a file in runs of whole lines: bounded memory, lines of any length, a file that still grows.

use std::io::{self, Read};

use memchr::{memchr, memrchr};

use super::{integrity::Integrity, line::each_record, record::Record};

/// Fits the second-level cache, so that a scan and the reading of the lines it found touch memory once.
const LARGE: usize = 256 * 1024;
/// Enough for the first records of most files.
const SMALL: usize = 16 * 1024;
/// The most that is read at once, so that hardly more than a long line is ever held.
const LARGEST: usize = 16 * 1024 * 1024;

/// Hands out a reader's bytes in runs that end with a line's end, so that no line is ever cut.
///
/// The memory held is one run: a few hundred kilobytes, or the longest line where that is more.
#[derive(Debug)]
pub struct Chunks<R> {
    source: R,
    /// Longer than what is filled, so that memory is cleared once and not for every read.
    buffer: Vec<u8>,
    filled: usize,
    /// How much of the buffer the caller has had.
    handed_out: usize,
    /// Where in the file the buffer begins.
    offset: u64,
    size: usize,
    at_end: bool,
}

/// A run of whole lines.
#[derive(Debug)]
pub struct Chunk<'a> {
    /// Where in the file the run begins.
    pub offset: u64,
    /// The lines with their ends. Writable, so that texts can be unescaped where they lie.
    pub bytes: &'a mut [u8],
}

/// One line of a [`Chunk`], without its end.
#[derive(Debug)]
pub struct Line<'a> {
    /// Where in the file the line begins.
    pub offset: u64,
    /// The line without its end.
    pub bytes: &'a mut [u8],
    /// Whether its end is there: the last line of a live file may still be in the writing.
    pub ended: bool,
}

impl<R: Read> Chunks<R> {
    /// For a whole file.
    pub fn new(source: R) -> Self {
        Self::reusing(Vec::new(), source)
    }

    /// For one file of many: with the buffer of the one before.
    pub fn reusing(buffer: Vec<u8>, source: R) -> Self {
        Self { source, buffer, filled: 0, handed_out: 0, offset: 0, size: LARGE, at_end: false }
    }

    /// For the first few records of a file.
    pub fn small(source: R) -> Self {
        Self { size: SMALL, ..Self::new(source) }
    }

    /// For the rest of a file: `source` stands at `offset`, the beginning of a line.
    pub fn resume(source: R, offset: u64) -> Self {
        Self { offset, ..Self::new(source) }
    }

    /// The buffer, for the next file.
    pub fn into_buffer(self) -> Vec<u8> {
        self.buffer
    }

    /// The next run, `None` at the end. Only the last run can end without a line's end.
    ///
    /// # Errors
    /// The source cannot be read.
    pub fn next_chunk(&mut self) -> io::Result<Option<Chunk<'_>>> {
        self.drop_handed_out();
        // Bytes before this hold no line's end.
        let mut searched = 0;
        while !self.at_end {
            self.fill()?;
            if let Some(end) = self.buffer.get(searched..self.filled).and_then(|new| memrchr(b'\n', new)) {
                return Ok(self.hand_out(searched + end + 1));
            }
            searched = self.filled;
        }
        Ok(self.hand_out(self.filled))
    }

    /// Reads more: as much as the buffer is meant to hold, or of a long line as much again as there is.
    fn fill(&mut self) -> io::Result<()> {
        let wanted = self.filled + self.filled.clamp(self.size, LARGEST);
        if self.buffer.len() < wanted {
            self.buffer.resize(wanted, 0);
        }
        loop {
            match self.source.read(self.buffer.get_mut(self.filled..wanted).unwrap_or_default()) {
                Ok(read) => {
                    self.filled += read;
                    self.at_end = read == 0;
                    return Ok(());
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    fn hand_out(&mut self, length: usize) -> Option<Chunk<'_>> {
        self.handed_out = length;
        let bytes = self.buffer.get_mut(..length).filter(|bytes| !bytes.is_empty())?;
        Some(Chunk { offset: self.offset, bytes })
    }

    fn drop_handed_out(&mut self) {
        self.offset = self.offset.saturating_add(self.handed_out as u64);
        self.buffer.copy_within(self.handed_out..self.filled, 0);
        self.filled -= self.handed_out;
        self.handed_out = 0;
        // After a huge line its memory goes back.
        if self.buffer.len() > 4 * self.size && self.filled <= self.size {
            self.buffer.truncate(self.size);
            self.buffer.shrink_to_fit();
        }
    }

    /// What `found` makes of the first record for which it makes something.
    ///
    /// # Errors
    /// The source cannot be read.
    pub fn find_record<T>(&mut self, mut found: impl FnMut(&Record<'_>) -> Option<T>) -> io::Result<Option<T>> {
        let mut integrity = Integrity::default();
        while let Some(chunk) = self.next_chunk()? {
            for line in chunk.lines() {
                let mut result = None;
                each_record(line.bytes, line.ended, &mut integrity, &mut |_, record| {
                    if result.is_none() {
                        result = found(record);
                    }
                });
                if result.is_some() {
                    return Ok(result);
                }
            }
        }
        Ok(None)
    }
}

impl<'a> Chunk<'a> {
    /// The lines of the run.
    pub fn lines(self) -> Lines<'a> {
        Lines { rest: self.bytes, offset: self.offset }
    }
}

/// Iterates over the lines of a [`Chunk`].
#[derive(Debug)]
pub struct Lines<'a> {
    rest: &'a mut [u8],
    offset: u64,
}

impl<'a> Iterator for Lines<'a> {
    type Item = Line<'a>;

    fn next(&mut self) -> Option<Line<'a>> {
        let rest = std::mem::take(&mut self.rest);
        if rest.is_empty() {
            return None;
        }
        let end = memchr(b'\n', rest);
        let (line, rest) = rest.split_at_mut(end.map_or(rest.len(), |end| end + 1));
        let offset = self.offset;
        self.offset += line.len() as u64;
        self.rest = rest;
        let length = line.len() - usize::from(end.is_some());
        Some(Line { offset, bytes: line.get_mut(..length)?, ended: end.is_some() })
    }
}
