//! Sub-agents: whose call started them.

use schemars::JsonSchema;
use serde::Serialize;

use super::{
    error::HistoryError,
    find::Listed,
    open::{Opened, Texts},
    speech::{each_block, typed_of},
};
use crate::core::transcript::{AgentFile, Block, Node, NodeId, Record, texts, unescape};

/// How many calls before a sub-agent's beginning are compared with its prompt.
const LOOK_BACK: usize = 20;
/// How much of a prompt is compared.
const COMPARED: usize = 500;

/// One sub-agent's conversation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Subagent {
    /// The agent's id, unique within its session; missing where an older version wrote none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// The record whose call started it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call_uuid: Option<String>,
    /// Which kind of agent it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_type: Option<String>,
    /// What it was started for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The first record, where the conversation lies inside the session's own file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root_uuid: Option<String>,
    /// The size of its own file in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size_bytes: Option<u64>,
}

impl Opened {
    /// The first records of the sub-agents' conversations inside the file.
    pub(super) fn inline_agents(&self) -> Vec<NodeId> {
        let main = |id: NodeId| !self.tree.node(id).sidechain;
        let first = |(_, node): &(NodeId, &Node)| node.sidechain && node.parent.is_none_or(main);
        self.tree.nodes().filter(first).map(|(id, _)| id).collect()
    }

    /// Every sub-agent with the call that started it.
    pub(super) fn subagents(&self, listed: &Listed) -> Result<Vec<Subagent>, HistoryError> {
        let agents = listed.agents().remove(&self.file.id).unwrap_or_default();
        let mut found: Vec<_> = agents.into_iter().map(|agent| self.own_file(agent)).collect();
        let mut texts = self.texts()?;
        for root in self.inline_agents() {
            found.push(texts.inline(root)?);
        }
        Ok(found)
    }

    fn own_file(&self, agent: &AgentFile) -> Subagent {
        let meta = agent.meta();
        let call = meta.tool_use_id.as_deref().and_then(|id| self.tree.call(id)).map(|call| call.node);
        let call = call.or_else(|| self.tree.starter(&agent.id));
        Subagent {
            agent_id: Some(agent.id.clone()),
            call_uuid: call.map(|call| self.tree.uuid(call)),
            agent_type: meta.agent_type,
            description: meta.description,
            root_uuid: None,
            size_bytes: Some(agent.size),
        }
    }
}

impl Texts<'_> {
    /// A conversation inside the file belongs to the call with its prompt, else to the last one before it that
    /// starts sub-agents.
    fn inline(&mut self, root: NodeId) -> Result<Subagent, HistoryError> {
        let tree = &self.opened.tree;
        let (agent_id, prompt) = self
            .record(root, |record| (record.agent_id.as_deref().map(str::to_owned), typed_of(record, COMPARED)))?
            .unwrap_or_default();
        let named = agent_id.as_deref().and_then(|agent| tree.starter(agent));
        let mut call = named.or_else(|| tree.node(root).parent);
        if call.is_none() {
            let mut calls: Vec<_> = tree.calls().map(|call| call.node).filter(|node| *node < root).collect();
            calls.sort_unstable();
            calls.dedup();
            let mut nearest = None;
            for node in calls.into_iter().rev().take(LOOK_BACK) {
                let (starts, same) = self.record(node, |record| starts(record, &prompt))?.unwrap_or_default();
                nearest = nearest.or_else(|| starts.then_some(node));
                if same {
                    nearest = Some(node);
                    break;
                }
            }
            call = nearest;
        }
        Ok(Subagent {
            agent_id,
            call_uuid: call.map(|call| self.opened.tree.uuid(call)),
            agent_type: None,
            description: None,
            root_uuid: Some(self.opened.tree.uuid(root)),
            size_bytes: None,
        })
    }
}

/// Whether a record calls the tool that starts sub-agents, and whether with this prompt.
fn starts(record: &Record<'_>, prompt: &str) -> (bool, bool) {
    let mut found = (false, false);
    each_block(record, &mut |block| {
        if let Block::Call { name, input, .. } = block
            && matches!(&*unescape(name), "Task" | "Agent")
        {
            found.0 = true;
            let same = |text: &str| !prompt.is_empty() && unescape(text).trim().starts_with(prompt.trim());
            found.1 |= texts(input).any(same);
        }
    });
    found
}
