//! `search`: one question from beginning to end.

use std::{cmp::Reverse, time::Duration};

use schemars::JsonSchema;
use serde::Serialize;

use super::{
    super::{
        History,
        error::HistoryError,
        page::{self, LIST, bounded, next_offset},
        peek::Head,
    },
    collect::collect,
    files::behind,
    query::Search,
    scan::{Haystack, Hit, Scan},
    show::{SearchHit, Shower},
    watch::Watch,
};
use crate::core::{
    error::Result,
    transcript::{Key, KeyMap},
};

/// How long a search takes at most before it gives a cursor.
const TIME_LIMIT: Duration = Duration::from_secs(20);
/// How many hits a page shows at most.
const MOST: usize = 50;

/// A page of hits.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SearchPage {
    /// The hits, newest first.
    pub hits: Vec<SearchHit>,
    /// How many hits there are; at least so many where `complete` is false.
    pub total: usize,
    /// Whether every file was searched. A page can be safe before that.
    pub complete: bool,
    /// How many files were searched to their end.
    pub files_searched: usize,
    /// What to pass as `offset` for the next page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<usize>,
    /// The time ran out: what to pass as `cursor` to search the other files, from offset 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// Transcripts that cannot be read, passed over.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unreadable: Vec<String>,
}

/// A record with its copies: the index of each one's file, and the hit there.
type Group<'a> = Vec<(usize, &'a Hit)>;

impl History {
    /// The records that match, newest first. `watch` tells how far it is and can end it.
    ///
    /// # Errors
    /// A bad query; no such project or session; an argument out of range; the projects directory cannot be read;
    /// cancelled.
    pub fn search(&self, asked: &Search, watch: &Watch) -> Result<SearchPage> {
        Ok(self.find(asked, watch)?)
    }

    fn find(&self, asked: &Search, watch: &Watch) -> std::result::Result<SearchPage, HistoryError> {
        let scan = Scan::new(asked)?;
        let most = max_results(asked)?;
        let (mut haystacks, mut unreadable) = self.haystacks(asked)?;
        if let Some(cursor) = &asked.cursor {
            behind(&mut haystacks, cursor)?;
        }
        let needed = asked.offset.saturating_add(most);
        let limit = asked.time_limit.unwrap_or(TIME_LIMIT);
        let collected = collect(&scan, &haystacks, needed, limit, watch)?;
        for (outcome, haystack) in collected.outcomes.iter().zip(&haystacks) {
            if let Some(Err(error)) = outcome {
                unreadable.push(format!("{}/{}: {error}", haystack.project, haystack.session));
            }
        }
        let groups = groups(&collected.outcomes, &haystacks);
        let mut shower = Shower::default();
        let mut failed = Vec::new();
        let page = groups.get(asked.offset..).unwrap_or_default();
        let shown = page.iter().take(most).filter_map(|group| {
            let (index, haystack, hit) = owner(group, &haystacks)?;
            let shown = shower.show(index, haystack, hit, asked, &scan.matcher);
            let mut shown = shown.map_err(|error| failed.push(error.to_string())).ok().flatten()?;
            let others = group.iter().filter_map(|(index, _)| haystacks.get(*index)).map(|other| other.session);
            shown.also_in = others.filter(|other| *other != haystack.session).collect();
            shown.also_in.sort_unstable();
            shown.also_in.dedup();
            Some(shown)
        });
        let hits = bounded(shown, LIST);
        let passed = page.len().min(most);
        unreadable.extend(failed);
        let searched = collected.outcomes.iter().flatten().filter(|outcome| outcome.is_ok()).count();
        let complete = collected.outcomes.iter().all(Option::is_some);
        let cut = hits.len() < passed && !hits.is_empty();
        let next = next_offset(asked.offset, if cut { hits.len() } else { passed }, groups.len());
        // Where the search stopped early, another page may be behind the last hit that is known.
        let more = (!complete && collected.out_of_time.is_none()).then(|| asked.offset + passed);
        Ok(SearchPage {
            hits,
            total: groups.len(),
            complete,
            files_searched: searched,
            next_offset: next.or(more),
            cursor: collected.out_of_time.and_then(|open| haystacks.get(open)).map(Haystack::cursor),
            unreadable: page::unreadable(unreadable),
        })
    }
}

fn max_results(asked: &Search) -> std::result::Result<usize, HistoryError> {
    match asked.max_results.unwrap_or(10) {
        most @ 1..=MOST => Ok(most),
        most => Err(HistoryError::Argument {
            field: "max_results",
            problem: format!("is {most}"),
            expected: "a number from 1 to 50",
        }),
    }
}

/// The records with their copies, newest first.
fn groups<'a>(outcomes: &'a [Option<std::io::Result<Vec<Hit>>>], haystacks: &[Haystack]) -> Vec<Group<'a>> {
    let mut known: KeyMap<usize> = KeyMap::default();
    let mut groups: Vec<Group<'_>> = Vec::new();
    for (index, outcome) in outcomes.iter().enumerate() {
        for hit in outcome.iter().flatten().flatten() {
            let key: Key = hit.key;
            let group = *known.entry(key).or_insert(groups.len());
            match groups.get_mut(group) {
                Some(group) => group.push((index, hit)),
                None => groups.push(vec![(index, hit)]),
            }
        }
    }
    groups.sort_by_cached_key(|group| {
        let first = group.first();
        let session = first.and_then(|(index, _)| haystacks.get(*index)).map(|haystack| haystack.session);
        (Reverse(first.map(|(_, hit)| hit.time)), session, Reverse(first.map(|(_, hit)| hit.place)))
    });
    groups
}

/// Where a record was written first: not in a file that says it is a copy, else in the older file.
fn owner<'a>(group: &Group<'a>, haystacks: &'a [Haystack]) -> Option<(usize, &'a Haystack, &'a Hit)> {
    let of = |(index, hit): &(usize, &'a Hit)| Some((*index, haystacks.get(*index)?, *hit));
    if let [only] = &group[..] {
        return of(only);
    }
    group.iter().filter_map(of).min_by_key(|(_, haystack, hit)| {
        let born = Head::read(&haystack.path).ok().and_then(|head| head.born);
        (hit.copy, born, haystack.newest, haystack.session)
    })
}
