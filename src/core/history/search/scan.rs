//! Searches one file: candidate lines by bytes, hits by parsing those lines only.

use std::{fs::File, io, path::PathBuf};

use memchr::memmem;

use super::{
    super::Role,
    prefilter::Prefilter,
    query::{Matcher, Search, Within},
    relevance::{matched, spots},
};
use crate::core::{
    ids::SessionId,
    transcript::{
        Block, Chunks, Integrity, Key, KeySet, Kind, Place, Record, blocks, each_record, milliseconds, unescape,
    },
};

/// A file to search: a session, or a sub-agent of one.
#[derive(Clone, Debug)]
pub(super) struct Haystack {
    pub(super) path: PathBuf,
    pub(super) project: String,
    pub(super) session: SessionId,
    /// The sub-agent whose own file it is.
    pub(super) agent: Option<String>,
    pub(super) size: u64,
    /// No record is newer, in milliseconds since the epoch: when the file was last changed.
    pub(super) newest: i64,
}

/// A record that matches.
#[derive(Clone, Debug)]
pub(super) struct Hit {
    pub(super) key: Key,
    /// In milliseconds since the epoch; `i64::MIN` where the record does not say.
    pub(super) time: i64,
    pub(super) place: Place,
    pub(super) role: Role,
    /// The record itself says that it was copied from another session.
    pub(super) copy: bool,
    /// The call whose result it is.
    call: Option<Key>,
}

/// What looks for hits.
#[derive(Clone, Debug)]
pub(super) struct Scan<'a> {
    pub(super) asked: &'a Search,
    pub(super) matcher: Matcher,
    pub(super) prefilter: Prefilter,
}

/// The names of ccmcp's own history tools, as Claude Code writes them.
const OWN_TOOLS: [&str; 6] = ["list_projects", "list_sessions", "search", "get_tree", "get_thread", "get_forks"];
/// How MCP clients put ccmcp's name before its tools.
const OWN_SERVER: &str = "ccmcp__";

impl<'a> Scan<'a> {
    pub(super) fn new(asked: &'a Search) -> Result<Self, super::super::HistoryError> {
        Ok(Self { asked, matcher: Matcher::new(asked)?, prefilter: Prefilter::new(asked) })
    }

    /// The hits of a file in the order of the file, each record once; `None` where `stop` said so before the end.
    /// `buffer` is kept from file to file.
    pub(super) fn file(
        &self,
        haystack: &Haystack,
        buffer: &mut Vec<u8>,
        stop: &dyn Fn(u64) -> bool,
    ) -> io::Result<Option<Vec<Hit>>> {
        let mut chunks = Chunks::reusing(std::mem::take(buffer), File::open(&haystack.path)?);
        let mut hits = Vec::new();
        let mut own_calls = KeySet::default();
        let hide_own = !self.asked.include_current && matches!(self.asked.within, Within::Tools | Within::All);
        let own_server = memmem::Finder::new(OWN_SERVER);
        let mut candidates = Vec::new();
        while let Some(chunk) = chunks.next_chunk()? {
            if stop(chunk.bytes.len() as u64) {
                return Ok(None);
            }
            candidates.clear();
            self.prefilter.candidates(chunk.bytes, &mut |line| candidates.push(line));
            if hide_own {
                own_calls_in(chunk.bytes, &own_server, &mut own_calls);
            }
            for range in candidates.drain(..) {
                let line = chunk.offset + range.start as u64;
                if let Some(bytes) = chunk.bytes.get_mut(range) {
                    self.line(bytes, line, haystack, &mut hits);
                }
            }
        }
        *buffer = chunks.into_buffer();
        let mut seen = KeySet::default();
        hits.retain(|hit| !hit.call.is_some_and(|call| own_calls.contains(&call)) && seen.insert(hit.key));
        Ok(Some(hits))
    }

    /// Adds the hits of one line.
    fn line(&self, bytes: &mut [u8], line: u64, haystack: &Haystack, hits: &mut Vec<Hit>) {
        let base = bytes.as_ptr().addr();
        let mut records = Vec::new();
        each_record(bytes, true, &mut Integrity::default(), &mut |position, record| {
            let place = Place { line, position: u32::try_from(position).unwrap_or(u32::MAX) };
            if let Some(hit) = self.record(record, place, haystack) {
                let spots = spots(record, Kind::of(record), base, self.asked);
                if !spots.is_empty() {
                    records.push((hit, spots));
                }
            }
        });
        for (hit, spots) in records {
            if let Some(role) = matched(bytes, &spots, &self.matcher, &mut |_| {}) {
                hits.push(Hit { role, ..hit });
            }
        }
    }

    /// A hit as far as the record's own facts decide.
    fn record(&self, record: &Record<'_>, place: Place, haystack: &Haystack) -> Option<Hit> {
        let uuid = record.uuid.as_deref().filter(|uuid| !uuid.is_empty())?;
        if record.is_sidechain == Some(true) && haystack.agent.is_none() && !self.asked.include_subagents {
            return None;
        }
        let time = record.timestamp.as_deref().and_then(milliseconds).unwrap_or(i64::MIN);
        let late_enough = self.asked.since.is_none_or(|since| time >= since.as_millis());
        let early_enough = self.asked.until.is_none_or(|until| time <= until.as_millis() && time != i64::MIN);
        if !late_enough || !early_enough {
            return None;
        }
        let own = haystack.session.to_string();
        let asked_by = record.request_session.as_deref();
        let mut call = None;
        if let Some(content) = record.message.as_ref().and_then(|message| message.content) {
            for block in blocks(content) {
                match block {
                    Block::Result { call: id, .. } => call = call.or_else(|| Some(Key::of(&unescape(id)))),
                    Block::Call { id, name, .. } if is_own(name) => call = Some(Key::of(&unescape(id))),
                    _ => {}
                }
            }
        }
        Some(Hit {
            key: Key::of(uuid),
            time,
            place,
            role: Role::System,
            copy: record.forked_from.is_some() || asked_by.is_some_and(|session| session != own),
            call,
        })
    }
}

/// Remembers the calls of ccmcp's own tools, which hold the queries of earlier searches.
fn own_calls_in(bytes: &mut [u8], server: &memmem::Finder<'_>, calls: &mut KeySet) {
    let mut start = 0;
    while let Some(hit) = bytes.get(start..).and_then(|rest| server.find(rest)).map(|at| start + at) {
        let line = bytes.get(..hit).and_then(|before| memchr::memrchr(b'\n', before)).map_or(0, |end| end + 1);
        let end = bytes.get(hit..).and_then(|rest| memchr::memchr(b'\n', rest)).map_or(bytes.len(), |end| hit + end);
        if let Some(line) = bytes.get_mut(line..end) {
            each_record(line, true, &mut Integrity::default(), &mut |_, record| {
                let content = record.message.as_ref().and_then(|message| message.content);
                for block in content.into_iter().flat_map(blocks) {
                    if let Block::Call { id, name, .. } = block
                        && is_own(name)
                    {
                        calls.insert(Key::of(&unescape(id)));
                    }
                }
            });
        }
        start = end + 1;
    }
}

/// Whether a tool is one of ccmcp's own history tools.
fn is_own(name: &str) -> bool {
    unescape(name)
        .rsplit_once("__")
        .is_some_and(|(server, tool)| server.ends_with("ccmcp") && OWN_TOOLS.contains(&tool))
}
