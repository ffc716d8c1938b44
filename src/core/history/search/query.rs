//! What a search is asked, and what finds it in a text.

use std::time::Duration;

use regex::{Regex, RegexBuilder};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::{Branch, Current, Role, error::HistoryError};
use crate::core::clock::Timestamp;

/// Longest query, in characters.
const LONGEST: usize = 4000;

/// What `search` is asked.
#[derive(Clone, Debug, Default)]
pub struct Search {
    /// What to find.
    pub query: String,
    /// A slug, a working directory, or a unique part of either.
    pub project: Option<String>,
    /// How many hits to show: 10, at most 50.
    pub max_results: Option<usize>,
    /// How many hits to pass over.
    pub offset: usize,
    /// Also search sub-agents' conversations.
    pub include_subagents: bool,
    /// How the query is read.
    pub mode: Mode,
    /// Whether `a` and `A` differ.
    pub case_sensitive: bool,
    /// Only what this one wrote.
    pub role: Option<Role>,
    /// Only what is on such a branch; `None` for any.
    pub branch: Option<Branch>,
    /// Which texts are searched.
    pub within: Within,
    /// Only records of this time or later.
    pub since: Option<Timestamp>,
    /// Only records of this time or earlier.
    pub until: Option<Timestamp>,
    /// Only this session: its id or a unique prefix.
    pub session_id: Option<String>,
    /// Also the session that asks, and what this tool found before.
    pub include_current: bool,
    /// The session that asks.
    pub current: Option<Current>,
    /// Where an earlier search ran out of time.
    pub cursor: Option<String>,
    /// How long to search before giving a cursor: 20 seconds.
    pub time_limit: Option<Duration>,
}

/// How a query is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// As it stands.
    #[default]
    Text,
    /// As words, all of which a record holds, in any order.
    Words,
    /// As a regular expression.
    Regex,
}

/// Which texts are searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Within {
    /// What was typed and what was answered.
    #[default]
    Messages,
    /// Tool calls and their results.
    Tools,
    /// The model's thinking.
    Thinking,
    /// Everything, what the program wrote by itself included.
    All,
}

/// Finds a query in decoded texts.
#[derive(Clone, Debug)]
pub(super) struct Matcher {
    /// All of them have to be found in a record.
    wanted: Vec<Regex>,
}

impl Matcher {
    pub(super) fn new(asked: &Search) -> Result<Self, HistoryError> {
        let query = &asked.query;
        if query.trim().is_empty() {
            return Err(HistoryError::Query("is empty".into()));
        }
        if query.chars().count() > LONGEST {
            return Err(HistoryError::Query(format!("is longer than {LONGEST} characters")));
        }
        let patterns: Vec<String> = match asked.mode {
            Mode::Text => vec![regex::escape(query)],
            Mode::Words => words(query).map(regex::escape).collect(),
            Mode::Regex => vec![query.clone()],
        };
        let build = |pattern: String| RegexBuilder::new(&pattern).case_insensitive(!asked.case_sensitive).build();
        let wanted = patterns.into_iter().map(build).collect::<Result<_, _>>().map_err(|error| {
            // The error draws the pattern over several lines and says what is wrong in the last one.
            let text = error.to_string();
            HistoryError::Query(format!("is no regular expression: {}", text.lines().last().unwrap_or_default().trim()))
        })?;
        Ok(Self { wanted })
    }

    /// How many different things a record has to hold.
    pub(super) fn len(&self) -> usize {
        self.wanted.len()
    }

    /// Whether the text holds the thing with this index.
    pub(super) fn finds(&self, index: usize, text: &str) -> bool {
        self.wanted.get(index).is_some_and(|wanted| wanted.find_iter(text).any(|found| !found.is_empty()))
    }

    /// The first match in a text, in bytes.
    pub(super) fn first(&self, text: &str) -> Option<(usize, usize)> {
        self.matches(text, 0).next()
    }

    /// The matches in a text from `start` on, in bytes, in order, without overlaps.
    pub(super) fn matches<'a>(&'a self, text: &'a str, start: usize) -> impl Iterator<Item = (usize, usize)> + 'a {
        let mut at = start;
        std::iter::from_fn(move || {
            let next = |wanted: &Regex| {
                let mut from = at;
                loop {
                    let found = wanted.find_at(text, from)?;
                    if !found.is_empty() {
                        return Some((found.start(), found.end()));
                    }
                    // An empty match is none; the next one can only begin behind it.
                    from = found.end() + text.get(found.end()..)?.chars().next()?.len_utf8();
                }
            };
            // Of words that begin at one place the longest.
            let found = self.wanted.iter().filter_map(next).min_by_key(|(start, end)| (*start, usize::MAX - *end))?;
            at = found.1;
            Some(found)
        })
    }
}

/// The words of a query.
pub(super) fn words(query: &str) -> impl Iterator<Item = &str> {
    query.split_whitespace()
}
