//! Goes through the files in parallel, newest first, and stops as soon as a page is safe.

use std::{
    collections::BTreeSet,
    io,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

use super::{
    super::{error::HistoryError, peek::last_written},
    scan::{Haystack, Hit, Scan},
    show::on_branch,
    watch::Watch,
};
use crate::core::{clock::Timestamp, transcript::Key};

/// What came out of one file.
type Outcome = io::Result<Vec<Hit>>;

/// What a search has found.
#[derive(Debug)]
pub(super) struct Collected {
    /// By file, in the order of the files; `None` for a file that was not searched to its end.
    pub(super) outcomes: Vec<Option<Outcome>>,
    /// The first file that the time did not suffice for.
    pub(super) out_of_time: Option<usize>,
}

/// What the threads share.
struct Shared<'a> {
    haystacks: &'a [Haystack],
    needed: usize,
    next: AtomicUsize,
    enough: AtomicBool,
    late: AtomicBool,
    found: Mutex<Found>,
}

#[derive(Default)]
struct Found {
    outcomes: Vec<Option<Outcome>>,
    /// The newest hits, as many as are needed.
    newest: BTreeSet<(i64, Key)>,
    /// The first file that is not done.
    first_open: usize,
    /// For every file the newest time of a record in it or in any file behind it, once that has been looked up.
    bounds: Option<Vec<i64>>,
}

/// Searches `haystacks` until `needed` hits are found that no file left could come before.
pub(super) fn collect(
    scan: &Scan<'_>,
    haystacks: &[Haystack],
    needed: usize,
    limit: Duration,
    watch: &Watch,
) -> Result<Collected, HistoryError> {
    let deadline = Instant::now().checked_add(limit);
    watch.begin(haystacks.len(), haystacks.iter().map(|haystack| haystack.size).sum());
    let found = Found { outcomes: haystacks.iter().map(|_| None).collect(), ..Found::default() };
    let shared = Shared {
        haystacks,
        needed,
        next: AtomicUsize::new(0),
        enough: AtomicBool::new(false),
        late: AtomicBool::new(false),
        found: Mutex::new(found),
    };
    rayon::broadcast(|_| shared.work(scan, deadline, watch));
    if watch.is_cancelled() {
        return Err(HistoryError::Cancelled);
    }
    let late = shared.late.load(Relaxed) && !shared.enough.load(Relaxed);
    let mut found = shared.found.into_inner().unwrap_or_else(PoisonError::into_inner);
    let out_of_time = Some(found.first_open).filter(|open| late && *open < haystacks.len());
    if let Some(open) = out_of_time {
        // The next search begins here, so what other threads found behind it would come twice.
        found.outcomes.iter_mut().skip(open).for_each(|outcome| *outcome = None);
    }
    Ok(Collected { outcomes: found.outcomes, out_of_time })
}

impl Shared<'_> {
    /// What one thread does: one file after the other.
    fn work(&self, scan: &Scan<'_>, deadline: Option<Instant>, watch: &Watch) {
        let mut buffer = Vec::new();
        loop {
            let index = self.next.fetch_add(1, Relaxed);
            let Some(haystack) = self.haystacks.get(index) else { return };
            // The first file is searched to its end whatever it takes, so that a cursor always gets further.
            let late = || index > 0 && deadline.is_some_and(|deadline| Instant::now() >= deadline);
            let stop = |bytes| {
                watch.bytes_read(bytes);
                if late() {
                    self.late.store(true, Relaxed);
                }
                watch.is_cancelled() || self.enough.load(Relaxed) || index > 0 && self.late.load(Relaxed)
            };
            if stop(0) {
                return;
            }
            let outcome = match scan.file(haystack, &mut buffer, &stop) {
                Ok(None) => return,
                Ok(Some(hits)) => on_branch(haystack, hits, scan.asked.branch),
                Err(error) => Err(error),
            };
            watch.file_done();
            self.done(index, outcome);
        }
    }

    fn found(&self) -> MutexGuard<'_, Found> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn done(&self, index: usize, outcome: Outcome) {
        let mut found = self.found();
        for hit in outcome.iter().flatten() {
            found.newest.insert((hit.time, hit.key));
            if found.newest.len() > self.needed {
                found.newest.pop_first();
            }
        }
        if let Some(place) = found.outcomes.get_mut(index) {
            *place = Some(outcome);
        }
        while found.outcomes.get(found.first_open).is_some_and(Option::is_some) {
            found.first_open += 1;
        }
        let oldest = found.newest.first().map(|(time, _)| *time).filter(|_| found.newest.len() == self.needed);
        if let (Some(oldest), Some(haystack)) = (oldest, self.haystacks.get(found.first_open))
            && oldest > haystack.newest
        {
            let first_open = found.first_open;
            let bounds = found.bounds.get_or_insert_with(|| bounds(self.haystacks, first_open));
            if bounds.get(first_open).is_some_and(|bound| oldest > *bound) {
                self.enough.store(true, Relaxed);
            }
        }
    }
}

/// Looks up when the files from `start` on really end: a copied file can have an older date than its records.
fn bounds(haystacks: &[Haystack], start: usize) -> Vec<i64> {
    let mut bounds = vec![i64::MAX; haystacks.len()];
    let mut newest = i64::MIN;
    for (bound, haystack) in bounds.iter_mut().zip(haystacks).skip(start).rev() {
        let written = last_written(&haystack.path).ok().flatten().map_or(i64::MIN, Timestamp::as_millis);
        newest = newest.max(haystack.newest).max(written);
        *bound = newest;
    }
    bounds
}
