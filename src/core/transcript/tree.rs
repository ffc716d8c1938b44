//! A whole transcript as a tree: every record with a `uuid` is a node, whatever its type.

use super::{
    integrity::Integrity,
    key::{Key, KeyMap, Names},
    kind::Kind,
};

/// The index of a node in its [`Tree`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub(super) u32);

/// The index of a message in its [`Tree`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MessageId(pub(super) u32);

/// Where a record stands in its file, so that its text need not be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Where the line begins.
    pub line: u64,
    /// Where in the line the record begins.
    pub position: u32,
}

/// One record of the tree.
#[derive(Clone, Debug)]
pub struct Node {
    /// The record's `uuid`.
    pub key: Key,
    /// What it is in the conversation.
    pub kind: Kind,
    /// Whether it is part of a sub-agent's conversation inside the session's own file.
    pub sidechain: bool,
    /// Whether its link was missing and leads to the record before it.
    pub bridged: bool,
    /// When it was written, in milliseconds since the Unix epoch; `i64::MIN` where the record does not say.
    pub time: i64,
    /// Where it stands.
    pub place: Place,
    /// The record it follows. Never a cycle.
    pub parent: Option<NodeId>,
    /// The message that it is a part of.
    pub message: Option<MessageId>,
    /// The next record of the same message, in the order of the file.
    pub(super) next: Option<NodeId>,
}

/// A typed prompt, or one answer of the model: all records with one `message.id`, wherever they hang.
#[derive(Clone, Debug)]
pub struct Message {
    /// The first record in the file.
    pub first: NodeId,
    pub(super) last: NodeId,
    /// A hash of a prompt's text, to find replays.
    pub text: u64,
}

/// A tool call and the record that made it.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    /// The record that made the call.
    pub node: NodeId,
    /// The record with its result.
    pub result: Option<NodeId>,
}

/// A transcript as a tree. Every node hangs under the record it follows; links are mended, cycles are cut.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    pub(super) nodes: Vec<Node>,
    pub(super) messages: Vec<Message>,
    pub(super) calls: KeyMap<Call>,
    pub(super) index: KeyMap<NodeId>,
    pub(super) names: Names,
    /// The call that started a sub-agent, by the agent's id.
    pub(super) agents: Vec<(String, NodeId)>,
    /// What was wrong in the file.
    pub integrity: Integrity,
}

impl NodeId {
    /// The index, in the order of the file.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl MessageId {
    /// The index, in the order in which the messages begin in the file.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl Tree {
    /// The nodes in the order of the file.
    pub fn nodes(&self) -> impl Iterator<Item = (NodeId, &Node)> {
        (0..).map(NodeId).zip(&self.nodes)
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is no node at all.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// How many messages there are.
    pub fn message_count(&self) -> usize {
        self.messages.len()
    }

    /// The tool calls, in no order.
    pub fn calls(&self) -> impl Iterator<Item = Call> {
        self.calls.values().copied()
    }

    /// The messages in the order in which they begin in the file.
    pub fn messages(&self) -> impl Iterator<Item = (MessageId, &Message)> {
        (0..).map(MessageId).zip(&self.messages)
    }

    /// A node of this tree.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// A message of this tree.
    pub fn message(&self, id: MessageId) -> &Message {
        &self.messages[id.index()]
    }

    /// The records of a message, in the order of the file.
    pub fn records(&self, id: MessageId) -> impl Iterator<Item = NodeId> {
        std::iter::successors(Some(self.message(id).first), |node| self.node(*node).next)
    }

    /// The node with this `uuid`.
    pub fn find(&self, uuid: &str) -> Option<NodeId> {
        self.index.get(&Key::of(uuid)).copied()
    }

    /// The node with this key.
    pub fn find_key(&self, key: Key) -> Option<NodeId> {
        self.index.get(&key).copied()
    }

    /// The nodes whose `uuid` starts with `prefix`, in the order of the file.
    pub fn find_prefix(&self, prefix: &str) -> impl Iterator<Item = NodeId> {
        self.nodes().filter(|(_, node)| self.names.starts_with(node.key, prefix)).map(|(id, _)| id)
    }

    /// A node's `uuid`.
    pub fn uuid(&self, id: NodeId) -> String {
        self.names.text(self.node(id).key)
    }

    /// The tool call with this id.
    pub fn call(&self, id: &str) -> Option<Call> {
        self.calls.get(&Key::of(id)).copied()
    }

    /// The record whose tool call started the sub-agent, where a result in the file tells it.
    pub fn starter(&self, agent: &str) -> Option<NodeId> {
        self.agents.iter().find(|(id, _)| id == agent).map(|(_, node)| *node)
    }
}
