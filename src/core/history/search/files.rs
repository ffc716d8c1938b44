//! Which files a search goes through, and in what order.

use std::{cmp::Reverse, fs::File};

use super::{
    super::{Current, History, error::HistoryError, peek::last_written},
    query::Search,
    scan::Haystack,
};
use crate::core::{
    clock::Timestamp,
    ids::SessionId,
    transcript::{Block, blocks, last_record, unescape},
};

/// How many of the files that were changed last can be the one that is asking.
const MAYBE_CURRENT: usize = 16;

/// Where in the order a search goes on: behind this file.
type Position = (Reverse<i64>, String);

impl History {
    /// The files, the one changed last first; and the folders that cannot be listed, as a reply names them.
    pub(super) fn haystacks(&self, asked: &Search) -> Result<(Vec<Haystack>, Vec<String>), HistoryError> {
        let (listed, closed) = match &asked.session_id {
            Some(session) => {
                let (file, mut listed) = self.session(session, asked.project.as_deref())?;
                listed.contents.sessions.retain(|session| session.id == file.id);
                let agents = listed.agents().remove(&file.id).unwrap_or_default();
                listed.contents.agents = agents.into_iter().cloned().collect();
                (vec![listed], Vec::new())
            }
            None => self.listing(asked.project.as_deref())?,
        };
        let mut haystacks = Vec::new();
        for listed in listed {
            haystacks.extend(listed.contents.sessions.iter().map(|file| Haystack {
                path: file.path.clone(),
                project: file.project.clone(),
                session: file.id,
                agent: None,
                size: file.size,
                newest: file.modified.as_millis(),
            }));
            if !asked.include_subagents {
                continue;
            }
            for (session, agents) in listed.agents() {
                haystacks.extend(agents.into_iter().map(|agent| Haystack {
                    path: agent.path.clone(),
                    project: agent.project.clone(),
                    session,
                    agent: Some(agent.id.clone()),
                    size: agent.size,
                    newest: agent.modified.as_millis(),
                }));
            }
        }
        if let Some(since) = asked.since {
            haystacks.retain(|haystack| haystack.reaches(since));
        }
        haystacks.sort_by_cached_key(Haystack::position);
        // A session that is asked for by its id is wanted, whoever asks.
        if let Some(current) = asked.current.as_ref().filter(|_| !asked.include_current && asked.session_id.is_none()) {
            let current = asking(current, &haystacks);
            haystacks.retain(|haystack| Some(haystack.session) != current);
        }
        Ok((haystacks, closed))
    }
}

impl Haystack {
    /// Whether a record can be as new as this. A copied file can have an older date than its records.
    fn reaches(&self, since: Timestamp) -> bool {
        self.newest >= since.as_millis() || last_written(&self.path).ok().flatten() >= Some(since)
    }

    fn position(&self) -> Position {
        let agent = self.agent.as_deref().map(|agent| format!("/{agent}")).unwrap_or_default();
        (Reverse(self.newest), format!("{}/{}{agent}", self.project, self.session))
    }

    /// The cursor with which a search goes on at this file.
    pub(super) fn cursor(&self) -> String {
        let (Reverse(newest), name) = self.position();
        format!("{newest}:{name}")
    }
}

/// Drops the files that an earlier search has gone through.
pub(super) fn behind(haystacks: &mut Vec<Haystack>, cursor: &str) -> Result<(), HistoryError> {
    let bad = || HistoryError::Argument {
        field: "cursor",
        problem: "is none that a search gave".into(),
        expected: "the cursor of the search to go on with",
    };
    let (newest, name) = cursor.split_once(':').ok_or_else(bad)?;
    let position = (Reverse(newest.parse().map_err(|_| bad())?), name.to_owned());
    haystacks.retain(|haystack| haystack.position() >= position);
    Ok(())
}

/// The session that asks: as the environment tells, else the one that holds the asking tool call.
fn asking(current: &Current, haystacks: &[Haystack]) -> Option<SessionId> {
    if let Some(session) = current.session_id {
        return Some(session);
    }
    let id = current.tool_use_id.as_deref().filter(|id| !id.is_empty())?;
    let holds = |haystack: &&Haystack| {
        let file = File::open(&haystack.path);
        file.and_then(|mut file| {
            last_record(&mut file, id.as_bytes(), |record| {
                let mut blocks =
                    record.message.as_ref().and_then(|message| message.content).into_iter().flat_map(blocks);
                blocks.find_map(|block| {
                    matches!(block, Block::Call { id: call, .. } if unescape(call) == id).then_some(())
                })
            })
        })
        .is_ok_and(|found| found.is_some())
    };
    haystacks.iter().take(MAYBE_CURRENT).find(holds).map(|haystack| haystack.session)
}
