//! What one pass over a session's records tells about it, beside its tree.

use std::collections::{BTreeMap, BTreeSet};

use super::speech::{one_line, typed_of};
use crate::core::{
    ids::SessionId,
    transcript::{Key, Kind, Record},
};

/// How much of the first prompt is shown.
const FIRST_PROMPT: usize = 200;

/// What a session's records tell about it.
#[derive(Clone, Debug, Default)]
pub(super) struct Facts {
    pub(super) cwd: Option<String>,
    pub(super) git_branch: Option<String>,
    pub(super) custom_title: Option<String>,
    pub(super) ai_title: Option<String>,
    /// Summaries with the record that each is about: often one of another session.
    pub(super) summaries: Vec<(Key, String)>,
    pub(super) first_prompt: Option<String>,
    /// How many records there are of each type.
    pub(super) counts: BTreeMap<String, u64>,
    /// The sessions that records were copied from, as the copies say.
    pub(super) copied_from: BTreeSet<SessionId>,
}

impl Facts {
    pub(super) fn add(&mut self, record: &Record<'_>, own: SessionId) {
        let kind = record.kind.as_deref().unwrap_or("unknown");
        match self.counts.get_mut(kind) {
            Some(count) => *count += 1,
            None => _ = self.counts.insert(kind.to_owned(), 1),
        }
        if self.cwd.is_none() {
            self.cwd = record.cwd.as_deref().map(str::to_owned);
        }
        replace(&mut self.git_branch, record.git_branch.as_deref());
        replace(&mut self.custom_title, record.custom_title.as_deref().filter(|_| kind == "custom-title"));
        replace(&mut self.ai_title, record.ai_title.as_deref().filter(|_| kind == "ai-title"));
        if kind == "summary"
            && let (Some(leaf), Some(summary)) = (record.leaf.as_deref(), record.summary.as_deref())
        {
            self.summaries.push((Key::of(leaf), summary.to_owned()));
        }
        let source = record.forked_from.as_ref().and_then(|from| from.session_id.as_deref());
        let copied = [source, record.request_session.as_deref()];
        let copied = copied.into_iter().flatten().filter_map(|id| id.parse::<SessionId>().ok());
        self.copied_from.extend(copied.filter(|id| *id != own));
        if self.first_prompt.is_none() && record.is_sidechain != Some(true) && Kind::of(record) == Kind::Prompt {
            self.first_prompt = Some(one_line(&typed_of(record, FIRST_PROMPT), FIRST_PROMPT));
        }
    }

    /// How many records there are.
    pub(super) fn record_count(&self) -> u64 {
        self.counts.values().sum()
    }
}

/// The newest value wins; nearly always it is the one that is there already.
fn replace(kept: &mut Option<String>, new: Option<&str>) {
    if let Some(new) = new.filter(|new| !new.trim().is_empty() && kept.as_deref() != Some(*new)) {
        *kept = Some(new.to_owned());
    }
}
