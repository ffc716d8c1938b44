//! `list_sessions`: newest first; heads and tails for the order, whole files only for the page.

use std::{
    cmp::Reverse,
    collections::{HashMap, HashSet},
    fs::File,
};

use rayon::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    History,
    error::HistoryError,
    open::Opened,
    page::{self, bounded, limit, next_offset, room},
    peek::{Head, last_spoken},
    speech::one_line,
};
use crate::core::{
    clock::Timestamp,
    error::Result,
    ids::SessionId,
    transcript::{AgentFile, Key, KeyMap, SessionFile},
};

/// How much of a title is shown.
const TITLE: usize = 120;

/// What `list_sessions` is asked.
#[derive(Clone, Debug, Default)]
pub struct ListSessions {
    /// A slug, a working directory, or a unique part of either.
    pub project: Option<String>,
    /// How many sessions to show: 20, at most 1000.
    pub limit: Option<usize>,
    /// How many sessions to pass over.
    pub offset: usize,
    /// Only sessions whose conversation went on at this time or later.
    pub since: Option<Timestamp>,
    /// Only sessions whose conversation began at this time or earlier.
    pub until: Option<Timestamp>,
    /// Also sessions without any conversation.
    pub include_empty: bool,
}

/// A page of sessions.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Sessions {
    /// The sessions, newest conversation first.
    pub sessions: Vec<Session>,
    /// How many sessions there are.
    pub total: usize,
    /// What to pass as `offset` for the next page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<usize>,
    /// Transcripts that cannot be read, passed over.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unreadable: Vec<String>,
}

/// One session.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Session {
    /// The session.
    pub session_id: SessionId,
    /// The slug of its project.
    pub project: String,
    /// The working directory in which it was started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Its own title, else the one a model gave it, else a summary of it, else the first prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The beginning of the first prompt that was typed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_prompt: Option<String>,
    /// How many records the file holds.
    pub record_count: u64,
    /// How many prompts were typed and answers given, on all branches.
    pub message_count: usize,
    /// When the conversation began.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_timestamp: Option<Timestamp>,
    /// When the last record of the conversation was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_timestamp: Option<Timestamp>,
    /// How many sub-agents it started.
    pub subagent_count: usize,
    /// How many forks it has; left out where there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fork_count: Option<usize>,
    /// The git branch at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub git_branch: Option<String>,
    /// The file's size in bytes.
    pub size_bytes: u64,
    /// Sessions that hold some of the same records.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lineage: Vec<Relative>,
}

/// A session that holds some of the same records as another one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Relative {
    /// The other session.
    pub session_id: SessionId,
    /// What it is to this one.
    pub relation: Relation,
}

/// What a session is to another one that holds the same records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Relation {
    /// The records were first there.
    Origin,
    /// The records were copied there.
    Copy,
}

/// The sub-agents' own transcripts by project and session.
type Agents<'a> = HashMap<&'a str, HashMap<SessionId, Vec<&'a AgentFile>>>;

/// A session with what its beginning and its end tell.
struct Peeked<'a> {
    file: &'a SessionFile,
    head: Head,
    spoken: Option<Timestamp>,
}

impl History {
    /// The sessions, newest conversation first.
    ///
    /// # Errors
    /// No such project; a limit out of range; the projects directory cannot be read.
    pub fn list_sessions(&self, asked: &ListSessions) -> Result<Sessions> {
        Ok(self.sessions(asked)?)
    }

    fn sessions(&self, asked: &ListSessions) -> std::result::Result<Sessions, HistoryError> {
        let limit = limit(asked.limit, 20, 1000)?;
        let (listed, mut unreadable) = self.listing(asked.project.as_deref())?;
        let files: Vec<_> = listed.iter().flat_map(|listed| &listed.contents.sessions).collect();
        let peeked: Vec<_> = files.par_iter().map(|file| peek(file)).collect();
        let mut all = Vec::new();
        for (peeked, file) in peeked.into_iter().zip(&files) {
            match peeked {
                Ok(peeked) => all.push(peeked),
                Err(error) => unreadable.push(format!("{}/{}: {error}", file.project, file.id)),
            }
        }
        let mut wanted: Vec<_> = all.iter().filter(|session| fits(session, asked)).collect();
        wanted.sort_by_key(|session| Reverse((session.spoken, session.file.modified, session.file.id)));
        let page = wanted.get(asked.offset..).unwrap_or_default();
        let page = page.get(..limit).unwrap_or(page);
        let families = families(&all);
        let shown: HashSet<_> = page.iter().map(|session| &*session.file.project).collect();
        let shown = listed.iter().filter(|listed| shown.contains(&*listed.project.slug));
        let agents = shown.map(|listed| (&*listed.project.slug, listed.agents())).collect();
        let opened: Vec<_> = page.par_iter().map(|session| session.show(&all, &families, &agents)).collect();
        let mut sessions = Vec::new();
        for (session, peeked) in opened.into_iter().zip(page) {
            match session {
                Ok(session) => sessions.push(session),
                Err(error) => unreadable.push(format!("{}/{}: {error}", peeked.file.project, peeked.file.id)),
            }
        }
        let lost = page.len() - sessions.len();
        let sessions = bounded(sessions, room(asked.limit.is_some_and(|limit| limit > 20)));
        let next_offset = next_offset(asked.offset, sessions.len() + lost, wanted.len());
        Ok(Sessions { next_offset, total: wanted.len(), sessions, unreadable: page::unreadable(unreadable) })
    }
}

fn peek(file: &SessionFile) -> std::io::Result<Peeked<'_>> {
    let mut opened = File::open(&file.path)?;
    Ok(Peeked { file, head: Head::of(&mut opened)?, spoken: last_spoken(file, &mut opened)? })
}

fn fits(session: &Peeked<'_>, asked: &ListSessions) -> bool {
    let Some(spoken) = session.spoken else {
        return asked.include_empty && asked.since.is_none() && asked.until.is_none();
    };
    let begun = session.head.born.unwrap_or(spoken);
    asked.since.is_none_or(|since| spoken >= since) && asked.until.is_none_or(|until| begun <= until)
}

/// The sessions that begin with the same record.
fn families<'a>(all: &'a [Peeked<'a>]) -> KeyMap<Vec<&'a Peeked<'a>>> {
    let mut families: KeyMap<Vec<_>> = HashMap::default();
    for session in all {
        if let Some(first) = session.head.first {
            families.entry(first).or_default().push(session);
        }
    }
    families
}

impl Peeked<'_> {
    /// Reads the whole file.
    fn show(
        &self,
        all: &[Peeked<'_>],
        families: &KeyMap<Vec<&Peeked<'_>>>,
        agents: &Agents<'_>,
    ) -> std::result::Result<Session, HistoryError> {
        let opened = Opened::read(self.file.clone())?;
        let forks = opened.forked_messages().len();
        let span = opened.span();
        let agents = agents.get(&*self.file.project).and_then(|agents| agents.get(&self.file.id));
        let subagents = opened.inline_agents().len() + agents.map_or(0, Vec::len);
        Ok(Session {
            session_id: self.file.id,
            project: self.file.project.clone(),
            title: self.title(&opened, all),
            record_count: opened.facts.record_count(),
            message_count: opened.reduced.messages(&opened.tree).count(),
            first_timestamp: span.map(|(first, _)| first),
            last_timestamp: span.map(|(_, last)| last),
            subagent_count: subagents,
            fork_count: (forks > 0).then_some(forks),
            size_bytes: self.file.size,
            lineage: self.lineage(&opened, families),
            cwd: opened.facts.cwd,
            first_prompt: opened.facts.first_prompt,
            git_branch: opened.facts.git_branch,
        })
    }

    fn title(&self, opened: &Opened, all: &[Peeked<'_>]) -> Option<String> {
        let facts = &opened.facts;
        let own = facts.custom_title.clone().or_else(|| facts.ai_title.clone());
        // Older versions wrote a session's summary at the beginning of other sessions of the project.
        let summary = || {
            let project = all.iter().filter(|other| other.file.project == self.file.project);
            let mut summaries = project.flat_map(|other| &other.head.summaries).chain(&facts.summaries);
            let about = |(leaf, _): &&(Key, String)| opened.tree.find_key(*leaf).is_some();
            summaries.rfind(about).map(|(_, summary)| summary.clone())
        };
        let title = own.or_else(summary).or_else(|| facts.first_prompt.clone())?;
        Some(one_line(&title, TITLE))
    }

    /// The sessions that hold some of the same records: those that the copies name, and those that begin alike.
    fn lineage(&self, opened: &Opened, families: &KeyMap<Vec<&Peeked<'_>>>) -> Vec<Relative> {
        let named = opened.facts.copied_from.iter();
        let mut lineage: Vec<_> = named.map(|id| Relative { session_id: *id, relation: Relation::Origin }).collect();
        let family = self.head.first.and_then(|first| families.get(&first)).into_iter().flatten();
        for other in family.filter(|other| other.file.id != self.file.id) {
            if lineage.iter().all(|known| known.session_id != other.file.id) {
                let relation = if other.age() < self.age() { Relation::Origin } else { Relation::Copy };
                lineage.push(Relative { session_id: other.file.id, relation });
            }
        }
        lineage.sort_by_key(|relative| (relative.relation, relative.session_id));
        lineage
    }

    /// Older files come first: by when they began, then by when they ended.
    fn age(&self) -> (Option<Timestamp>, Option<Timestamp>, SessionId) {
        (self.head.born, self.spoken, self.file.id)
    }
}
