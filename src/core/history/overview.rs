//! `get_tree`: the shape of a session.

use schemars::JsonSchema;
use serde::Serialize;

use super::{
    Branch, Fork, History, Subagent,
    error::HistoryError,
    open::{Counts, Opened, Texts},
    page::bounded,
};
use crate::core::{
    clock::Timestamp,
    error::Result,
    ids::SessionId,
    transcript::{Integrity, Kind, MessageId, Node, NodeId},
};

/// How many bytes of JSON each list takes, so that they fit together.
const FORKS: usize = 14_000;
const LEAVES: usize = 9_000;
const SUBAGENTS: usize = 6_000;
const ROOTS: usize = 3_000;
const COMPACTIONS: usize = 3_000;

/// What `get_tree` is asked.
#[derive(Clone, Debug, Default)]
pub struct GetTree {
    /// A session id or a unique prefix of one.
    pub session_id: String,
    /// A slug, a working directory, or a unique part of either.
    pub project: Option<String>,
}

/// The shape of a session.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SessionTree {
    /// The session.
    pub session_id: SessionId,
    /// The slug of its project.
    pub project: String,
    /// The working directory in which it was started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// How many records the file holds.
    pub record_count: u64,
    /// How many records of each type.
    pub counts: Counts,
    /// How many prompts were typed and answers given, on all branches.
    pub message_count: usize,
    /// How many beginnings the tree has.
    pub root_count: usize,
    /// The beginnings: more than one where the conversation was started over.
    pub roots: Vec<Root>,
    /// How many forks there are.
    pub fork_count: usize,
    /// The first forks; `get_forks` shows all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub forks: Vec<Fork>,
    /// How many compactions there are.
    pub compaction_count: usize,
    /// Where the conversation was compacted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub compactions: Vec<Compaction>,
    /// How many leaves there are.
    pub leaf_count: usize,
    /// The last messages of the branches: the primary one first, then the newest.
    pub leaves: Vec<Leaf>,
    /// How many sub-agents were started.
    pub subagent_count: usize,
    /// The sub-agents under their calls.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub subagents: Vec<Subagent>,
    /// What was damaged in the file, and mended.
    pub integrity: Integrity,
}

/// A beginning of the tree.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Root {
    /// The record.
    pub uuid: String,
    /// When it was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<Timestamp>,
    /// The beginning of its text.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub preview: String,
}

/// Where a conversation was compacted.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Compaction {
    /// The boundary's record.
    pub uuid: String,
    /// When it was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<Timestamp>,
    /// The last message before it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after_uuid: Option<String>,
    /// The record that it follows is not in the file; it was joined to the one before it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub bridged: bool,
}

/// The last message of a branch.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Leaf {
    /// The message's first record: what to pass to `get_thread` as `leaf_uuid`.
    pub uuid: String,
    /// How many messages the thread that ends here has.
    pub depth: usize,
    /// Whether the session goes on with it.
    pub branch: Branch,
    /// When the message began.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<Timestamp>,
    /// The beginning of its text.
    pub preview: String,
}

impl History {
    /// The shape of a session.
    ///
    /// # Errors
    /// No such session or project; the transcript cannot be read.
    pub fn get_tree(&self, asked: &GetTree) -> Result<SessionTree> {
        Ok(self.tree(asked)?)
    }

    fn tree(&self, asked: &GetTree) -> std::result::Result<SessionTree, HistoryError> {
        let (file, listed) = self.session(&asked.session_id, asked.project.as_deref())?;
        let opened = Opened::read(file)?;
        let subagents = opened.subagents(&listed)?;
        opened.shape(subagents)
    }
}

/// As many as fit of what `show` makes of each; the texts of the others are not read.
fn each<I: Copy, T: Serialize>(
    ids: &[I],
    room: usize,
    mut show: impl FnMut(I) -> std::result::Result<T, HistoryError>,
) -> std::result::Result<Vec<T>, HistoryError> {
    let mut failed = None;
    let shown = bounded(ids.iter().map_while(|id| show(*id).map_err(|error| failed = Some(error)).ok()), room);
    failed.map_or(Ok(shown), Err)
}

impl Opened {
    /// The shape of the session, which started `subagents`.
    pub(super) fn shape(&self, subagents: Vec<Subagent>) -> std::result::Result<SessionTree, HistoryError> {
        let mut texts = self.texts()?;
        let roots = self.main_nodes(|node| node.parent.is_none());
        let compactions = self.main_nodes(|node| node.kind == Kind::Boundary);
        let leaves = self.reduced.leaves(&self.tree);
        let forks = self.forked_messages();
        Ok(SessionTree {
            session_id: self.file.id,
            project: self.file.project.clone(),
            cwd: self.facts.cwd.clone(),
            record_count: self.facts.record_count(),
            counts: self.facts.counts.clone(),
            message_count: self.reduced.messages(&self.tree).count(),
            root_count: roots.len(),
            roots: each(&roots, ROOTS, |root| texts.root(root))?,
            fork_count: forks.len(),
            forks: self.show_forks(&forks, FORKS)?,
            compaction_count: compactions.len(),
            compactions: bounded(compactions.iter().map(|boundary| self.compaction(*boundary)), COMPACTIONS),
            leaf_count: leaves.len(),
            leaves: each(&leaves, LEAVES, |leaf| texts.leaf(leaf))?,
            subagent_count: subagents.len(),
            subagents: bounded(subagents, SUBAGENTS),
            integrity: self.tree.integrity.clone(),
        })
    }

    /// The records of the main conversation for which `wanted` holds.
    pub(super) fn main_nodes(&self, wanted: impl Fn(&Node) -> bool) -> Vec<NodeId> {
        self.tree.nodes().filter(|(_, node)| !node.sidechain && wanted(node)).map(|(id, _)| id).collect()
    }

    pub(super) fn compaction(&self, boundary: NodeId) -> Compaction {
        let node = self.tree.node(boundary);
        Compaction {
            uuid: self.tree.uuid(boundary),
            timestamp: self.time_of(boundary),
            after_uuid: self.reduced.owner(boundary).map(|message| self.uuid(message)),
            bridged: node.bridged,
        }
    }
}

impl Texts<'_> {
    fn root(&mut self, root: NodeId) -> std::result::Result<Root, HistoryError> {
        let uuid = self.opened.tree.uuid(root);
        Ok(Root { uuid, timestamp: self.opened.time_of(root), preview: self.preview_of(root)? })
    }

    fn leaf(&mut self, leaf: MessageId) -> std::result::Result<Leaf, HistoryError> {
        let opened = self.opened;
        Ok(Leaf {
            uuid: opened.uuid(leaf),
            depth: opened.reduced.chain(leaf).len(),
            branch: opened.branch(leaf),
            timestamp: opened.time(leaf),
            preview: self.preview(leaf)?,
        })
    }
}
