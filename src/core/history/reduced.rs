//! The reduced tree: typed prompts and real answers, each under the nearest one among its ancestors.
//!
//! Attachments, progress, hooks, meta records and tool results stand between them in the file and would make
//! forks where nobody forked anything.

use std::{cmp::Reverse, collections::HashMap};

use super::Branch;
use crate::core::transcript::{Kind, Message, MessageId, Node, NodeId, Tree};

/// The conversation as a tree of messages. A replayed prompt is the prompt that it repeats.
#[derive(Clone, Debug)]
pub(super) struct Reduced {
    /// For every record the message that it is, or belongs to, or follows.
    owner: Vec<Option<MessageId>>,
    /// For every message the one that stands for it: itself, or the prompt that it replays.
    stands_for: Vec<MessageId>,
    parent: Vec<Option<MessageId>>,
    children: Vec<Vec<MessageId>>,
    /// For every message its topmost record.
    top: Vec<NodeId>,
    primary: Vec<bool>,
    primary_leaf: Option<MessageId>,
    below: Vec<Below>,
}

/// What comes after a message.
#[derive(Clone, Copy, Debug)]
pub(super) struct Below {
    /// How many messages.
    pub(super) count: usize,
    /// The last one: on the primary branch its leaf, else the newest.
    pub(super) leaf: MessageId,
    /// Primary before not, then newer before older.
    rank: (bool, i64, MessageId),
}

impl Reduced {
    pub(super) fn of(tree: &Tree) -> Self {
        let order = roots_first(tree);
        let mut depth = vec![0_u32; order.len()];
        let mut owner: Vec<Option<MessageId>> = vec![None; order.len()];
        for id in &order {
            let node = tree.node(*id);
            depth[id.index()] = node.parent.map_or(0, |parent| depth[parent.index()] + 1);
            owner[id.index()] = node.message.or_else(|| owner[node.parent?.index()]);
        }
        // The topmost record decides where a message hangs. What hangs there is nearer to a root, so that even
        // messages whose records are strewn over the tree never hang under each other in a circle.
        let messages = tree.message_count();
        let top: Vec<NodeId> = tree
            .messages()
            .map(|(id, message)| tree.records(id).min_by_key(|node| depth[node.index()]).unwrap_or(message.first))
            .collect();
        let mut by_depth: Vec<MessageId> = tree.messages().map(|(id, _)| id).collect();
        by_depth.sort_by_key(|id| depth[top[id.index()].index()]);
        let mut reduced = Self {
            owner,
            stands_for: tree.messages().map(|(id, _)| id).collect(),
            parent: vec![None; messages],
            children: vec![Vec::new(); messages],
            top,
            primary: vec![false; messages],
            primary_leaf: None,
            below: Vec::new(),
        };
        reduced.hang(tree, &by_depth);
        reduced.own_results(tree);
        reduced.choose_primary(tree, &order);
        reduced.count_below(tree, &by_depth);
        reduced
    }

    /// Gives every message its parent, and joins prompts that are replays of each other.
    fn hang(&mut self, tree: &Tree, by_depth: &[MessageId]) {
        let mut prompts: HashMap<(Option<MessageId>, u64, i64), MessageId> = HashMap::new();
        for id in by_depth {
            let top = tree.node(self.top(*id));
            let above = top.parent.and_then(|parent| self.owner[parent.index()]);
            let parent = above.map(|above| self.stands_for[above.index()]);
            if top.kind == Kind::Prompt {
                let first = *prompts.entry((parent, tree.message(*id).text, top.time)).or_insert(*id);
                self.stands_for[id.index()] = first;
                if first != *id {
                    continue;
                }
            }
            self.parent[id.index()] = parent;
            if let Some(parent) = parent {
                self.children[parent.index()].push(*id);
            }
        }
        for children in &mut self.children {
            children.sort_by_key(|child| (tree.node(self.top[child.index()]).time, *child));
        }
        for owner in self.owner.iter_mut().flatten() {
            *owner = self.stands_for[owner.index()];
        }
    }

    /// Tool results belong to the message that made the call, wherever they hang.
    fn own_results(&mut self, tree: &Tree) {
        for call in tree.calls() {
            if let Some(result) = call.result {
                self.owner[result.index()] = self.owner[call.node.index()].or(self.owner[result.index()]);
            }
        }
    }

    /// The newest leaf outside sidechains, by the time of the nearest record of the conversation.
    fn choose_primary(&mut self, tree: &Tree, order: &[NodeId]) {
        let mut has_child = vec![false; order.len()];
        let mut time = vec![i64::MIN; order.len()];
        for id in order {
            let node = tree.node(*id);
            if let Some(parent) = node.parent.filter(|_| !node.sidechain) {
                has_child[parent.index()] = true;
            }
            time[id.index()] = if is_conversation(node) { node.time } else { time_above(node, &time) };
        }
        let leaf = tree.nodes().filter(|(id, node)| !node.sidechain && !has_child[id.index()]);
        let newest = leaf.max_by_key(|(id, _)| (time[id.index()], *id));
        self.primary_leaf = newest.and_then(|(id, _)| self.owner[id.index()]);
        for message in self.primary_leaf.map(|leaf| self.chain(leaf)).unwrap_or_default() {
            self.primary[message.index()] = true;
        }
    }

    /// Counts what comes after every message and finds its leaf, from the leaves up.
    fn count_below(&mut self, tree: &Tree, by_depth: &[MessageId]) {
        let mut below: Vec<Option<Below>> = vec![None; by_depth.len()];
        for id in by_depth.iter().rev().copied() {
            let rank = (self.primary_leaf == Some(id), tree.node(self.top(id)).time, id);
            let own = Below { count: 0, leaf: id, rank };
            let own = match below[id.index()] {
                Some(found) if !rank.0 => found,
                found => Below { count: found.map_or(0, |found| found.count), ..own },
            };
            below[id.index()] = Some(own);
            let parent = self.parent[id.index()].filter(|_| !self.is_sidechain(tree, id));
            let Some(parent) = parent else { continue };
            let so_far = below[parent.index()];
            let count = so_far.map_or(0, |so_far| so_far.count) + own.count + 1;
            let best = so_far.filter(|so_far| so_far.rank > own.rank).unwrap_or(own);
            below[parent.index()] = Some(Below { count, ..best });
        }
        self.below = below.into_iter().flatten().collect();
    }

    /// The message that a record is, belongs to, or follows.
    pub(super) fn owner(&self, node: NodeId) -> Option<MessageId> {
        self.owner[node.index()]
    }

    /// Which way a record is on: that of the message which it belongs to or follows.
    pub(super) fn branch_of(&self, tree: &Tree, node: NodeId) -> Branch {
        // A sub-agent inside the file is on the way of the record that it hangs under.
        let main = ancestry(tree, node).find(|at| !tree.node(*at).sidechain);
        let primary = match main.map(|main| self.owner(main)) {
            None => true,
            Some(Some(message)) => self.is_primary(message),
            // What comes before the first message belongs to the conversation that begins there.
            Some(None) => {
                let leaf = self.primary_leaf.map(|leaf| self.top(leaf));
                leaf.is_none_or(|leaf| ancestry(tree, leaf).last() == ancestry(tree, node).last())
            }
        };
        if primary { Branch::Primary } else { Branch::Abandoned }
    }

    /// The messages from the root to `leaf`.
    pub(super) fn chain(&self, leaf: MessageId) -> Vec<MessageId> {
        let mut chain: Vec<_> = std::iter::successors(Some(leaf), |id| self.parent[id.index()]).collect();
        chain.reverse();
        chain
    }

    /// The message before this one.
    pub(super) fn parent(&self, id: MessageId) -> Option<MessageId> {
        self.parent[id.index()]
    }

    /// What follows a message directly, oldest first; sub-agents' messages inside the file are left out.
    pub(super) fn children<'a>(&'a self, tree: &'a Tree, id: MessageId) -> impl Iterator<Item = MessageId> + 'a {
        self.children[id.index()].iter().copied().filter(|child| !self.is_sidechain(tree, *child))
    }

    /// The topmost record of a message.
    pub(super) fn top(&self, id: MessageId) -> NodeId {
        self.top[id.index()]
    }

    /// Whether the message is on the primary branch.
    pub(super) fn is_primary(&self, id: MessageId) -> bool {
        self.primary[id.index()]
    }

    /// The last message of the primary branch.
    pub(super) fn primary_leaf(&self) -> Option<MessageId> {
        self.primary_leaf
    }

    /// Whether a sub-agent's conversation inside the file holds the message.
    pub(super) fn is_sidechain(&self, tree: &Tree, id: MessageId) -> bool {
        tree.node(self.top(id)).sidechain
    }

    /// Every message of the main conversation once, in the order of the file.
    pub(super) fn messages<'a>(&'a self, tree: &'a Tree) -> impl Iterator<Item = (MessageId, &'a Message)> + 'a {
        tree.messages().filter(|(id, _)| self.stands_for[id.index()] == *id && !self.is_sidechain(tree, *id))
    }

    /// What comes after a message.
    pub(super) fn below(&self, id: MessageId) -> Below {
        self.below[id.index()]
    }

    /// The messages that nothing follows, newest first, the primary one before all.
    pub(super) fn leaves(&self, tree: &Tree) -> Vec<MessageId> {
        let mut leaves: Vec<_> = self
            .messages(tree)
            .map(|(id, _)| id)
            .filter(|id| self.primary_leaf == Some(*id) || self.below(*id).count == 0)
            .collect();
        leaves.sort_by_key(|id| Reverse(self.below(*id).rank));
        leaves
    }
}

/// A record and what it follows, up to a root.
fn ancestry(tree: &Tree, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
    std::iter::successors(Some(node), |at| tree.node(*at).parent)
}

fn is_conversation(node: &Node) -> bool {
    !matches!(node.kind, Kind::Boundary | Kind::Queued | Kind::System | Kind::Attachment | Kind::Other)
}

fn time_above(node: &Node, time: &[i64]) -> i64 {
    node.parent.map_or(i64::MIN, |parent| time[parent.index()])
}

/// All records, each after the one it follows; in the order of the file as far as that allows.
fn roots_first(tree: &Tree) -> Vec<NodeId> {
    let mut done = vec![false; tree.len()];
    let mut order = Vec::with_capacity(done.len());
    let mut above = Vec::new();
    for (id, _) in tree.nodes() {
        let mut at = Some(id);
        while let Some(node) = at.filter(|node| !done[node.index()]) {
            done[node.index()] = true;
            above.push(node);
            at = tree.node(node).parent;
        }
        order.extend(above.drain(..).rev());
    }
    order
}
