//! Looks at the beginning and the end of a transcript: enough to sort thousands of them.

use std::{fs::File, io, path::Path};

use crate::core::{
    clock::Timestamp,
    transcript::{Chunks, Key, SessionFile, last_record},
};

/// What the first records tell.
#[derive(Clone, Debug, Default)]
pub(super) struct Head {
    /// The first record of the tree: the same in a session and in its copies.
    pub(super) first: Option<Key>,
    /// The first time that a record names: when the file began. In a copy the copied records come later.
    pub(super) born: Option<Timestamp>,
    /// Summaries before the first record of the tree, with the record that each is about.
    pub(super) summaries: Vec<(Key, String)>,
}

impl Head {
    /// Reads up to the first record of the tree.
    pub(super) fn read(path: &Path) -> io::Result<Self> {
        Self::of(&mut File::open(path)?)
    }

    /// Like [`read`](Self::read), of a file that has just been opened.
    pub(super) fn of(file: &mut File) -> io::Result<Self> {
        let mut head = Self::default();
        let mut chunks = Chunks::small(file);
        chunks.find_record(|record| {
            if head.born.is_none() {
                head.born = record.timestamp.as_deref().and_then(Timestamp::parse);
            }
            if let (Some(leaf), Some(summary)) = (record.leaf.as_deref(), record.summary.as_deref()) {
                head.summaries.push((Key::of(leaf), summary.to_owned()));
            }
            head.first = record.uuid.as_deref().map(Key::of);
            head.first.map(|_| ())
        })?;
        Ok(head)
    }
}

/// When the last record of the conversation was written; `None` where there is no conversation.
///
/// A conversation without any time counts from the file's own.
pub(super) fn last_spoken(session: &SessionFile, file: &mut File) -> io::Result<Option<Timestamp>> {
    last_record(file, b"\"message\"", |record| {
        let spoken = record.is_conversation().then_some(record.timestamp.as_deref());
        spoken.map(|time| time.and_then(Timestamp::parse).unwrap_or(session.modified))
    })
}

/// The newest time that a record at the end of a file names.
pub(super) fn last_written(path: &Path) -> io::Result<Option<Timestamp>> {
    last_record(&mut File::open(path)?, b"\"timestamp\"", |record| {
        record.timestamp.as_deref().and_then(Timestamp::parse)
    })
}
