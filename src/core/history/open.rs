//! One session opened: its tree, its conversation, and the way back to its texts.

use std::collections::BTreeMap;

use super::{
    Branch, Role,
    error::{Asked, HistoryError},
    facts::Facts,
    reduced::Reduced,
    speech::{answered_of, join, one_line, preview_of, typed_of},
};
use crate::core::{
    clock::Timestamp,
    nearest::nearest_ids,
    transcript::{Kind, MessageId, NodeId, Record, Reread, SessionFile, Tree, TreeBuilder, read_records},
};

type Result<T, E = HistoryError> = std::result::Result<T, E>;

/// How much of a text a preview shows, in characters.
pub(super) const PREVIEW: usize = 100;

/// A session's transcript, read as a tree.
#[derive(Debug)]
pub(super) struct Opened {
    pub(super) file: SessionFile,
    pub(super) facts: Facts,
    pub(super) tree: Tree,
    pub(super) reduced: Reduced,
}

impl Opened {
    pub(super) fn read(file: SessionFile) -> Result<Self> {
        Self::build(file, TreeBuilder::default())
    }

    /// A sub-agent's own file, named by its session.
    pub(super) fn read_agent(file: SessionFile) -> Result<Self> {
        Self::build(file, TreeBuilder::of_agent())
    }

    fn build(file: SessionFile, mut builder: TreeBuilder) -> Result<Self> {
        let mut facts = Facts::default();
        let integrity = read_records(&file.path, &mut |place, record| {
            facts.add(record, file.id);
            builder.add(place, record);
        })
        .map_err(HistoryError::unreadable(&file.path))?;
        let tree = builder.into_tree(&integrity);
        let reduced = Reduced::of(&tree);
        Ok(Self { file, facts, tree, reduced })
    }

    /// The way back to single records.
    pub(super) fn texts(&self) -> Result<Texts<'_>> {
        let reread = Reread::open(&self.file.path).map_err(HistoryError::unreadable(&self.file.path))?;
        Ok(Texts { opened: self, reread })
    }

    /// The record with this uuid, or the only one whose uuid starts with it.
    pub(super) fn record(&self, asked: &str) -> Result<NodeId> {
        if let Some(found) = self.tree.find(asked) {
            return Ok(found);
        }
        let fit: Vec<_> = self.tree.find_prefix(asked).filter(|_| !asked.is_empty()).collect();
        match fit.as_slice() {
            [found] => Ok(*found),
            [] => Err(self.no_record("record", asked)),
            several => Err(self.many_records(several, asked)),
        }
    }

    /// There is no such record, but messages whose uuids begin nearly so.
    pub(super) fn no_record(&self, what: &'static str, asked: &str) -> HistoryError {
        let messages = self.reduced.messages(&self.tree).map(|(message, _)| self.uuid(message));
        let nearest = nearest_ids(asked, messages);
        HistoryError::NoRecord { session: self.file.id, what, asked: Asked::new(asked), nearest }
    }

    /// Several records' uuids begin like this.
    pub(super) fn many_records(&self, records: &[NodeId], asked: &str) -> HistoryError {
        let candidates = records.iter().map(|record| self.tree.uuid(*record)).collect();
        HistoryError::ManyRecords { session: self.file.id, asked: Asked::new(asked), candidates }
    }

    /// Which branch a message is on.
    pub(super) fn branch(&self, message: MessageId) -> Branch {
        if self.reduced.is_primary(message) { Branch::Primary } else { Branch::Abandoned }
    }

    /// When a message began.
    pub(super) fn time(&self, message: MessageId) -> Option<Timestamp> {
        self.time_of(self.reduced.top(message))
    }

    pub(super) fn time_of(&self, node: NodeId) -> Option<Timestamp> {
        Timestamp::from_millis(self.tree.node(node).time)
    }

    pub(super) fn uuid(&self, message: MessageId) -> String {
        self.tree.uuid(self.reduced.top(message))
    }

    pub(super) fn role(&self, message: MessageId) -> Role {
        match self.tree.node(self.reduced.top(message)).kind {
            Kind::Prompt => Role::User,
            _ => Role::Assistant,
        }
    }

    /// When the first and the last record of the conversation were written.
    pub(super) fn span(&self) -> Option<(Timestamp, Timestamp)> {
        let talk = self.tree.nodes().filter(|(_, node)| {
            !matches!(node.kind, Kind::Boundary | Kind::Queued | Kind::System | Kind::Attachment | Kind::Other)
        });
        let times: Vec<_> = talk.filter_map(|(_, node)| Timestamp::from_millis(node.time)).collect();
        Some((*times.iter().min()?, *times.iter().max()?))
    }
}

/// Reads texts of an opened session.
#[derive(Debug)]
pub(super) struct Texts<'a> {
    pub(super) opened: &'a Opened,
    pub(super) reread: Reread,
}

impl Texts<'_> {
    /// The text of a message, at least its first `characters`.
    pub(super) fn text(&mut self, message: MessageId, characters: usize) -> Result<String> {
        let mut text = String::new();
        let role = self.opened.role(message);
        for node in self.opened.tree.records(message) {
            let more = self.record(node, |record| match role {
                Role::User => typed_of(record, characters),
                _ => answered_of(record, characters),
            })?;
            join(&mut text, &more.unwrap_or_default());
        }
        Ok(text)
    }

    /// One line that tells what a message is about.
    pub(super) fn preview(&mut self, message: MessageId) -> Result<String> {
        let text = self.text(message, PREVIEW)?;
        if text.is_empty() { self.preview_of(self.opened.reduced.top(message)) } else { Ok(one_line(&text, PREVIEW)) }
    }

    /// One line that tells what a record is about.
    pub(super) fn preview_of(&mut self, node: NodeId) -> Result<String> {
        Ok(self.record(node, |record| preview_of(record, PREVIEW))?.unwrap_or_default())
    }

    /// What `read` makes of a record.
    pub(super) fn record<T>(&mut self, node: NodeId, read: impl FnOnce(&Record<'_>) -> T) -> Result<Option<T>> {
        let place = self.opened.tree.node(node).place;
        self.reread.record(place, read).map_err(HistoryError::unreadable(&self.opened.file.path))
    }
}

/// The counts by type as they are shown.
pub(super) type Counts = BTreeMap<String, u64>;
