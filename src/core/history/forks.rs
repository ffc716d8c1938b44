//! `get_forks`: where the conversation went two ways.

use schemars::JsonSchema;
use serde::Serialize;

use super::{
    Branch, History, Role,
    error::HistoryError,
    open::{Opened, Texts},
    page::{LIST, bounded},
};
use crate::core::{clock::Timestamp, error::Result, ids::SessionId, transcript::MessageId};

/// How many branches of one fork are shown.
const BRANCHES: usize = 50;

/// What `get_forks` is asked.
#[derive(Clone, Debug, Default)]
pub struct GetForks {
    /// A session id or a unique prefix of one.
    pub session_id: String,
    /// A slug, a working directory, or a unique part of either.
    pub project: Option<String>,
    /// Only the fork at this record, or at the only one whose uuid starts with this; `last`: the last of the file.
    pub fork_uuid: Option<String>,
}

/// The forks of a session.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Forks {
    /// The session.
    pub session_id: SessionId,
    /// The slug of its project.
    pub project: String,
    /// The forks, in the order of the file.
    pub forks: Vec<Fork>,
    /// How many forks there are.
    pub total: usize,
}

/// Why a conversation goes two ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ForkKind {
    /// Somebody went back and typed another prompt.
    Rewind,
    /// The same prompt was answered again.
    Retry,
    /// Two writers, or a resume from an earlier point: a prompt beside an answer.
    Divergence,
}

/// A message that several messages follow.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Fork {
    /// The last shared message: its first record.
    pub fork_uuid: String,
    /// Why the conversation goes two ways here.
    pub kind: ForkKind,
    /// Who wrote the last shared message.
    pub role: Role,
    /// When the last shared message began.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<Timestamp>,
    /// The beginning of the last shared message.
    pub preview: String,
    /// How many ways it goes.
    pub branch_count: usize,
    /// The ways it goes, oldest first; of very many the primary one and the first.
    pub branches: Vec<ForkBranch>,
}

/// One of the ways a conversation goes.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ForkBranch {
    /// The branch's first record.
    pub uuid: String,
    /// Who wrote its first message.
    pub role: Role,
    /// When its first message began.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<Timestamp>,
    /// How many messages come after the first one, on all ways.
    pub descendant_count: usize,
    /// The branch's last message: what to pass to `get_thread` as `leaf_uuid`.
    pub leaf_uuid: String,
    /// Whether the session goes on with it.
    pub branch: Branch,
    /// The beginning of its first message.
    pub preview: String,
}

impl History {
    /// Where the conversation went two ways.
    ///
    /// # Errors
    /// No such session, project or fork; the transcript cannot be read.
    pub fn get_forks(&self, asked: &GetForks) -> Result<Forks> {
        Ok(self.forks(asked)?)
    }

    fn forks(&self, asked: &GetForks) -> std::result::Result<Forks, HistoryError> {
        let (file, _) = self.session(&asked.session_id, asked.project.as_deref())?;
        let opened = Opened::read(file)?;
        let mut at = opened.forked_messages();
        if let Some(wanted) = asked.fork_uuid.as_deref().filter(|uuid| !uuid.is_empty()) {
            at = opened.fork_named(&at, wanted)?;
        }
        let forks = opened.show_forks(&at, LIST)?;
        Ok(Forks { session_id: opened.file.id, project: opened.file.project.clone(), forks, total: at.len() })
    }
}

impl Opened {
    /// The messages that several messages follow, in the order of the file.
    pub(super) fn forked_messages(&self) -> Vec<MessageId> {
        let messages = self.reduced.messages(&self.tree).map(|(id, _)| id);
        messages.filter(|id| self.reduced.children(&self.tree, *id).nth(1).is_some()).collect()
    }

    /// The fork at any record of its message, or at the only fork whose record's uuid starts with `wanted`.
    fn fork_named(&self, forks: &[MessageId], wanted: &str) -> std::result::Result<Vec<MessageId>, HistoryError> {
        if wanted == "last" {
            return Ok(forks.last().copied().into_iter().collect());
        }
        let named = |fork: &&MessageId| self.tree.records(**fork).any(|node| self.tree.uuid(node).starts_with(wanted));
        let found: Vec<_> = forks.iter().filter(named).copied().collect();
        match found.as_slice() {
            [_] => Ok(found),
            [] => Err(self.no_record("fork", wanted)),
            several => {
                let tops: Vec<_> = several.iter().map(|fork| self.reduced.top(*fork)).collect();
                Err(self.many_records(&tops, wanted))
            }
        }
    }

    /// The forks as they are shown, as many as fit.
    pub(super) fn show_forks(&self, forks: &[MessageId], room: usize) -> std::result::Result<Vec<Fork>, HistoryError> {
        let mut texts = self.texts()?;
        let mut failed = None;
        let shown = forks.iter().map_while(|fork| texts.fork(*fork).map_err(|error| failed = Some(error)).ok());
        let shown = bounded(shown, room);
        failed.map_or(Ok(shown), Err)
    }
}

impl Texts<'_> {
    fn fork(&mut self, fork: MessageId) -> std::result::Result<Fork, HistoryError> {
        let opened = self.opened;
        let children: Vec<_> = opened.reduced.children(&opened.tree, fork).collect();
        let prompts = children.iter().filter(|child| opened.role(**child) == Role::User).count();
        let kind = match prompts {
            0 => ForkKind::Retry,
            all if all == children.len() => ForkKind::Rewind,
            _ => ForkKind::Divergence,
        };
        let mut branches = Vec::new();
        for (index, child) in children.iter().copied().enumerate() {
            if index >= BRANCHES && !opened.reduced.is_primary(child) {
                continue;
            }
            let below = opened.reduced.below(child);
            branches.push(ForkBranch {
                uuid: opened.uuid(child),
                role: opened.role(child),
                timestamp: opened.time(child),
                descendant_count: below.count,
                leaf_uuid: opened.uuid(below.leaf),
                branch: opened.branch(child),
                preview: self.preview(child)?,
            });
        }
        Ok(Fork {
            fork_uuid: opened.uuid(fork),
            kind,
            role: opened.role(fork),
            timestamp: opened.time(fork),
            preview: self.preview(fork)?,
            branch_count: children.len(),
            branches,
        })
    }
}
