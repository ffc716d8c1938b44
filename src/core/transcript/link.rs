//! Links between records: dangling ones are bridged, cycles are cut, so that a tree is left.

use super::{
    key::Key,
    tree::{NodeId, Tree},
};

/// What the records say about their parents, beside the nodes of a [`Tree`].
#[derive(Clone, Debug, Default)]
pub(super) struct Links {
    said: Vec<Link>,
    /// Parents that a second occurrence of a record names.
    again: Vec<(NodeId, Key)>,
    /// Tool results and the record that made the call.
    results: Vec<(NodeId, NodeId)>,
}

#[derive(Clone, Debug)]
struct Link {
    parent: Option<Key>,
    /// The record before it in the same conversation.
    before: Option<NodeId>,
    /// A compaction boundary has no parent and still is no root.
    boundary: bool,
}

impl Links {
    /// The links of the next node: to its parent, or where that is null to its logical parent.
    pub(super) fn add(&mut self, parent: Option<Key>, logical: Option<Key>, before: Option<NodeId>, boundary: bool) {
        self.said.push(Link { parent: parent.or(logical), before, boundary });
    }

    /// A record came a second time, with this parent.
    pub(super) fn again(&mut self, node: NodeId, parent: Option<Key>) {
        self.again.extend(parent.map(|parent| (node, parent)));
    }

    /// The record with a tool's result belongs to the one that made the call.
    pub(super) fn result(&mut self, result: NodeId, call: NodeId) {
        self.results.push((result, call));
    }

    /// Gives every node of `tree` its parent.
    pub(super) fn join(&mut self, tree: &mut Tree) {
        let mut parents: Vec<_> =
            self.said.iter().map(|link| link.parent.and_then(|parent| tree.index.get(&parent).copied())).collect();
        let dangles = |parents: &[Option<NodeId>], node: NodeId| {
            parents[node.index()].is_none() && self.said[node.index()].parent.is_some()
        };
        // The first occurrence wins unless its parent dangles.
        for (node, parent) in &self.again {
            if dangles(&parents, *node) {
                parents[node.index()] = tree.index.get(parent).copied();
            }
        }
        for (result, call) in &self.results {
            if dangles(&parents, *result) {
                parents[result.index()] = Some(*call);
                tree.integrity.bridged_links += 1;
                tree.nodes[result.index()].bridged = true;
            }
        }
        for (index, link) in self.said.iter().enumerate() {
            if parents[index].is_none() && (link.parent.is_some() || link.boundary) && link.before.is_some() {
                parents[index] = link.before;
                tree.integrity.bridged_links += 1;
                tree.nodes[index].bridged = true;
            }
        }
        cut_cycles(&mut parents, tree);
        for (node, parent) in tree.nodes.iter_mut().zip(parents) {
            node.parent = parent;
        }
    }
}

/// Cuts every cycle at its oldest record, which is older than its parent: the link that cannot be true.
fn cut_cycles(parents: &mut [Option<NodeId>], tree: &mut Tree) {
    /// Which walk a node was first met on; 0 for none.
    type Walk = u32;
    let mut met: Vec<Walk> = vec![0; parents.len()];
    for (start, walk) in (0..parents.len()).zip(1..) {
        let mut at = Some(start);
        while let Some(node) = at.filter(|node| met[*node] == 0) {
            met[node] = walk;
            at = parents[node].map(NodeId::index);
        }
        // The walk came back to itself: `end` is on a cycle.
        let Some(end) = at.filter(|node| met[*node] == walk) else { continue };
        let around = std::iter::successors(parents[end], |node| parents[node.index()].filter(|_| node.index() != end));
        let oldest = around.min_by_key(|node| (tree.nodes[node.index()].time, *node));
        if let Some(oldest) = oldest {
            parents[oldest.index()] = None;
            tree.integrity.cut_cycles += 1;
        }
    }
}
