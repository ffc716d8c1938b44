//! The hits of a page as they are shown: snippet, branch, ancestors.

use std::{
    collections::{HashMap, hash_map::Entry},
    io,
};

use schemars::JsonSchema;
use serde::Serialize;

use super::{
    super::{
        Branch, Role,
        error::HistoryError,
        open::{Opened, Texts},
    },
    query::{Matcher, Search},
    relevance::{matched, spots},
    scan::{Haystack, Hit},
};
use crate::core::{
    clock::Timestamp,
    ids::SessionId,
    transcript::{Integrity, Key, Kind, SessionFile, each_record},
};

/// How much of a text a snippet shows before and after the first match, in characters.
const BEFORE: usize = 80;
const AFTER: usize = 160;
/// How much of one match a snippet shows, in characters.
const LONGEST_MATCH: usize = 400;
/// How many messages before a hit are shown.
const ANCESTORS: usize = 2;

/// A record that matches.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SearchHit {
    /// The session that holds the record: where it was written first.
    pub session_id: SessionId,
    /// The slug of the session's project.
    pub project: String,
    /// The working directory in which the session was started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// The record.
    pub uuid: String,
    /// Who wrote the text that matches.
    pub role: Role,
    /// When the record was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<Timestamp>,
    /// Whether the session goes on with it.
    pub branch: Branch,
    /// The sub-agent whose conversation holds the record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// The text around the first match, as it is.
    pub snippet: String,
    /// The matches in the snippet.
    pub matches: Vec<Span>,
    /// The messages before the record, the nearest last.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ancestors: Vec<Ancestor>,
    /// Other sessions that hold a copy of the record.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also_in: Vec<SessionId>,
}

/// A part of a snippet, in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Span {
    /// The first character.
    pub start: usize,
    /// The character behind the last one.
    pub end: usize,
}

/// A message before a hit.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Ancestor {
    /// Who wrote it.
    pub role: Role,
    /// Its first record.
    pub uuid: String,
    /// The beginning of its text.
    pub preview: String,
}

/// Opens each file of a page once.
#[derive(Default)]
pub(super) struct Shower(HashMap<usize, (Opened, Option<String>)>);

impl Shower {
    /// One hit of the file with this index.
    pub(super) fn show(
        &mut self,
        index: usize,
        haystack: &Haystack,
        hit: &Hit,
        asked: &Search,
        matcher: &Matcher,
    ) -> Result<Option<SearchHit>, HistoryError> {
        let (opened, cwd) = match self.0.entry(index) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => entry.insert(open(haystack)?),
        };
        let Some(node) = opened.tree.find_key(hit.key) else { return Ok(None) };
        let mut texts = opened.texts()?;
        let Some((snippet, spans)) = texts.snippet(hit, asked, matcher)? else { return Ok(None) };
        let owner = opened.reduced.owner(node);
        let is_message = opened.tree.node(node).message.is_some();
        let above = owner.and_then(|owner| if is_message { opened.reduced.parent(owner) } else { Some(owner) });
        let mut ancestors = Vec::new();
        for message in std::iter::successors(above, |message| opened.reduced.parent(*message)).take(ANCESTORS) {
            let preview = texts.preview(message)?;
            ancestors.push(Ancestor { role: opened.role(message), uuid: opened.uuid(message), preview });
        }
        ancestors.reverse();
        Ok(Some(SearchHit {
            session_id: haystack.session,
            project: haystack.project.clone(),
            cwd: cwd.clone(),
            uuid: opened.tree.uuid(node),
            role: hit.role,
            timestamp: Timestamp::from_millis(hit.time),
            branch: opened.reduced.branch_of(&opened.tree, node),
            agent_id: haystack.agent.clone(),
            snippet,
            matches: spans,
            ancestors,
            also_in: Vec::new(),
        }))
    }
}

/// A file as a tree, with the directory in which its session was started.
fn open(haystack: &Haystack) -> Result<(Opened, Option<String>), HistoryError> {
    let file = SessionFile {
        path: haystack.path.clone(),
        project: haystack.project.clone(),
        id: haystack.session,
        size: haystack.size,
        modified: Timestamp::from_millis(haystack.newest).unwrap_or_else(Timestamp::now),
    };
    let opened = if haystack.agent.is_some() { Opened::read_agent(file)? } else { Opened::read(file)? };
    let cwd = opened.facts.cwd.clone();
    Ok((opened, cwd))
}

/// The hits that are on the wanted branch.
pub(super) fn on_branch(haystack: &Haystack, mut hits: Vec<Hit>, wanted: Option<Branch>) -> io::Result<Vec<Hit>> {
    let Some(wanted) = wanted.filter(|_| !hits.is_empty()) else { return Ok(hits) };
    let (opened, _) = open(haystack).map_err(|error| io::Error::other(error.to_string()))?;
    let branch = |key: Key| opened.tree.find_key(key).map(|node| opened.reduced.branch_of(&opened.tree, node));
    hits.retain(|hit| branch(hit.key) == Some(wanted));
    Ok(hits)
}

impl Texts<'_> {
    /// The text around the first match of a hit.
    fn snippet(
        &mut self,
        hit: &Hit,
        asked: &Search,
        matcher: &Matcher,
    ) -> Result<Option<(String, Vec<Span>)>, HistoryError> {
        let mut shown = None;
        let read = self.reread.line(hit.place.line, |line| {
            let base = line.as_ptr().addr();
            let mut found = Vec::new();
            each_record(line, true, &mut Integrity::default(), &mut |position, record| {
                if u32::try_from(position) == Ok(hit.place.position) {
                    found = spots(record, Kind::of(record), base, asked);
                }
            });
            matched(line, &found, matcher, &mut |text| shown = around(text, matcher));
        });
        read.map_err(HistoryError::unreadable(&self.opened.file.path))?;
        Ok(shown)
    }
}

/// The part of a text around its first match, and the matches in it.
fn around(text: &str, matcher: &Matcher) -> Option<(String, Vec<Span>)> {
    let (first, end) = matcher.first(text)?;
    let before = text.get(..first)?.char_indices().rev().nth(BEFORE - 1).map_or(0, |(at, _)| at);
    let shown = text.get(first..end)?.chars().count().min(LONGEST_MATCH) + AFTER;
    let behind = text.get(first..)?.char_indices().nth(shown).map_or(text.len(), |(at, _)| first + at);
    let snippet = text.get(before..behind)?;
    // Counts characters from match to match, so that a snippet is gone through once.
    let mut counted = (before, 0);
    let mut characters = |to: usize| {
        counted.1 += text.get(counted.0..to).map_or(0, |part| part.chars().count());
        counted.0 = to;
        counted.1
    };
    let found = matcher.matches(text, first).take_while(|(start, _)| *start < behind);
    let spans = found.map(|(start, end)| Span { start: characters(start), end: characters(end.min(behind)) });
    Some((snippet.to_owned(), spans.collect()))
}
