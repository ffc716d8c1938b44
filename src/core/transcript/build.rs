//! Builds a [`Tree`] record by record, so that a file that has grown only needs its new records read.

use std::{
    fs::File,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    io::{self, Seek as _, SeekFrom},
    path::Path,
};

use serde_json::value::RawValue;

use super::{
    chunks::Chunks,
    content::{Block, blocks, started_agent},
    integrity::Integrity,
    json::unescape,
    key::{Key, KeyMap},
    kind::Kind,
    line::each_record,
    link::Links,
    record::Record,
    time::milliseconds,
    tree::{Call, Message, MessageId, Node, NodeId, Place, Tree},
};

/// A tree in the making. [`tree`](Self::tree) can be asked at any time, and records added afterwards.
#[derive(Clone, Debug, Default)]
pub struct TreeBuilder {
    tree: Tree,
    links: Links,
    answers: KeyMap<MessageId>,
    /// Tool results by the call's id: a result can come before its call.
    results: Vec<(Key, NodeId)>,
    /// Sub-agents by the call's id, from the results.
    started: Vec<(Key, String)>,
    /// The last node of the main conversation and of each sub-agent inside the file.
    latest: KeyMap<NodeId>,
    /// The file is a sub-agent's own, where every record is marked as one of a side conversation.
    of_agent: bool,
}

/// Reads a file and calls `each` with every record and its place; what cannot be read is counted.
///
/// # Errors
/// The file cannot be read.
pub fn read_records(path: &Path, each: &mut dyn FnMut(Place, &Record<'_>)) -> io::Result<Integrity> {
    read_grown(path, 0, each).map(|(integrity, _)| integrity)
}

/// Like [`read_records`], of what a file has gained since it was read up to `offset`. Says up to where it has
/// been read now: a last line that is still being written is handed out as far as it is readable, and again the
/// next time.
///
/// # Errors
/// The file cannot be read.
pub fn read_grown(path: &Path, offset: u64, each: &mut dyn FnMut(Place, &Record<'_>)) -> io::Result<(Integrity, u64)> {
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(offset))?;
    let mut chunks = Chunks::resume(file, offset);
    let mut integrity = Integrity::default();
    let mut read = offset;
    while let Some(chunk) = chunks.next_chunk()? {
        for line in chunk.lines() {
            if line.ended {
                read = line.offset + line.bytes.len() as u64 + 1;
            }
            each_record(line.bytes, line.ended, &mut integrity, &mut |position, record| {
                each(Place { line: line.offset, position: u32::try_from(position).unwrap_or(u32::MAX) }, record);
            });
        }
    }
    Ok((integrity, read))
}

impl TreeBuilder {
    /// For a sub-agent's own file: its conversation is the main one there.
    pub fn of_agent() -> Self {
        Self { of_agent: true, ..Self::default() }
    }

    /// Adds one record; one without a `uuid` stands outside the tree and is passed over.
    pub fn add(&mut self, place: Place, record: &Record<'_>) {
        let Some(uuid) = record.uuid.as_deref().filter(|uuid| !uuid.is_empty()) else { return };
        let key = self.tree.names.key(uuid);
        let parent = record.parent.as_deref().filter(|parent| !parent.is_empty()).map(Key::of);
        let logical = record.logical_parent.as_deref().filter(|parent| !parent.is_empty()).map(Key::of);
        if let Some(first) = self.tree.index.get(&key) {
            if self.tree.nodes[first.index()].place == place {
                // The last line of a file that has grown is read twice.
                return;
            }
            self.tree.integrity.duplicate_records += 1;
            self.links.again(*first, parent.or(logical));
            return;
        }
        // Four thousand million records in one file are past what this is for; they are passed over.
        let Ok(index) = u32::try_from(self.tree.nodes.len()) else { return };
        let id = NodeId(index);
        let kind = Kind::of(record);
        let sidechain = record.is_sidechain == Some(true) && !self.of_agent;
        let agent = if sidechain { record.agent_id.as_deref().unwrap_or("sidechain") } else { "" };
        let before = self.latest.insert(Key::of(agent), id);
        self.links.add(parent, logical, before, kind == Kind::Boundary);
        self.tree.index.insert(key, id);
        self.tree.nodes.push(Node {
            key,
            kind,
            sidechain,
            bridged: false,
            time: record.timestamp.as_deref().and_then(milliseconds).unwrap_or(i64::MIN),
            place,
            parent: None,
            message: None,
            next: None,
        });
        self.message(id, kind, record);
        self.tools(id, record);
    }

    /// Joins the record to the message that it belongs to.
    fn message(&mut self, id: NodeId, kind: Kind, record: &Record<'_>) {
        let message = record.message.as_ref();
        let text = match kind {
            Kind::Prompt => {
                let mut hasher = DefaultHasher::new();
                message.and_then(|message| message.content).map(RawValue::get).hash(&mut hasher);
                hasher.finish()
            }
            Kind::Answer => 0,
            _ => return,
        };
        let answer = message.and_then(|message| message.id.as_deref()).filter(|_| kind == Kind::Answer).map(Key::of);
        if let Some(joined) = answer.and_then(|answer| self.answers.get(&answer)).copied() {
            let last = std::mem::replace(&mut self.tree.messages[joined.index()].last, id);
            self.tree.nodes[last.index()].next = Some(id);
            self.tree.nodes[id.index()].message = Some(joined);
            return;
        }
        // There are no more messages than nodes.
        let new = MessageId(u32::try_from(self.tree.messages.len()).unwrap_or(u32::MAX));
        self.tree.messages.push(Message { first: id, last: id, text });
        self.tree.nodes[id.index()].message = Some(new);
        if let Some(answer) = answer {
            self.answers.insert(answer, new);
        }
    }

    /// Remembers the tool calls and results of a record.
    fn tools(&mut self, id: NodeId, record: &Record<'_>) {
        let Some(content) = record.message.as_ref().and_then(|message| message.content) else { return };
        for block in blocks(content) {
            match block {
                Block::Call { id: call, .. } if !call.is_empty() => {
                    self.tree.calls.entry(Key::of(&unescape(call))).or_insert(Call { node: id, result: None });
                }
                Block::Result { call, .. } if !call.is_empty() => {
                    let call = Key::of(&unescape(call));
                    self.results.push((call, id));
                    if let Some(agent) = record.tool_use_result.and_then(started_agent) {
                        self.started.push((call, unescape(agent).into_owned()));
                    }
                }
                _ => {}
            }
        }
    }

    /// The tree of the records so far.
    ///
    /// `integrity` is what the reader counted; the tree adds what it mended.
    pub fn tree(&self, integrity: &Integrity) -> Tree {
        self.clone().into_tree(integrity)
    }

    /// Like [`tree`](Self::tree), without keeping the builder.
    pub fn into_tree(mut self, integrity: &Integrity) -> Tree {
        let duplicates = self.tree.integrity.duplicate_records;
        self.tree.integrity = Integrity { duplicate_records: duplicates, ..integrity.clone() };
        for (call, result) in &self.results {
            if let Some(call) = self.tree.calls.get_mut(call) {
                call.result.get_or_insert(*result);
                self.links.result(*result, call.node);
            }
        }
        for (call, agent) in std::mem::take(&mut self.started) {
            if let Some(call) = self.tree.calls.get(&call) {
                self.tree.agents.push((agent, call.node));
            }
        }
        self.links.join(&mut self.tree);
        self.tree
    }
}

impl Tree {
    /// Reads a file as a tree.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn read(path: &Path) -> io::Result<Self> {
        let mut builder = TreeBuilder::default();
        let integrity = read_records(path, &mut |place, record| builder.add(place, record))?;
        Ok(builder.into_tree(&integrity))
    }
}
