//! Finding and ending what has no owner left, by the marker in its environment.

use std::{
    collections::HashMap,
    io,
    time::{Duration, Instant},
};

use super::{
    identity::Identity,
    marker::{Marker, VARIABLE},
    platform::{self, Entry, Signal},
};
use crate::core::ids::ChildId;

/// How long one sweep goes on at most. What is left then cannot be killed by this user.
const LIMIT: Duration = Duration::from_secs(5);

/// Between two passes: a killed process needs a moment to go.
const PAUSE: Duration = Duration::from_millis(2);

/// How many times in a row nothing must be found. One pass can miss a process that was born behind it while its parent
/// died ahead of it.
const QUIET_PASSES: u32 = 2;

/// A process that a sweep ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Swept {
    /// Who it was.
    pub process: Identity,
    /// The tree it belonged to, where its own environment said so; the others were found below such a process.
    pub child: Option<ChildId>,
}

/// Ends every process of this user that belongs to a tree whose server *and* supervisor are dead for certain, and
/// everything below it. For a server's start. Blocks, as a rule for a few milliseconds.
///
/// A tree whose supervisor lives is left to it: it is ending the tree right now. A tree of another pid namespace is
/// left alone, since nothing can be said about its owner.
pub fn sweep_dead_owners() -> io::Result<Vec<Swept>> {
    // Many processes of one tree have the same value, and each liveness costs a read.
    let mut verdicts: HashMap<String, Option<ChildId>> = HashMap::new();
    let mut children: HashMap<(u32, u64), ChildId> = HashMap::new();
    let ended = end_all(|| {
        let entries = platform::entries()?;
        let mut roots = Vec::new();
        for entry in entries.iter().filter(|entry| platform::own(entry.pid)) {
            let Some(value) = platform::variable(entry.pid, VARIABLE) else { continue };
            let verdict = verdicts
                .entry(value)
                .or_insert_with_key(|value| Marker::all(value).find(Marker::orphaned).map(|marker| marker.child));
            if let Some(child) = *verdict {
                children.insert((entry.pid, entry.start), child);
                roots.push(*entry);
            }
        }
        Ok(platform::descendants(&entries, roots))
    })?;
    let swept = |entry: Entry| Swept {
        process: Identity::from_start(entry.pid, entry.start),
        child: children.get(&(entry.pid, entry.start)).copied(),
    };
    Ok(ended.into_iter().map(swept).collect())
}

/// Finds what [`sweep_dead_owners`] would end, and leaves it alone. Blocks.
pub fn orphans() -> io::Result<Vec<Identity>> {
    let entries = platform::entries()?;
    let is_orphan = |entry: &&Entry| {
        platform::own(entry.pid)
            && platform::variable(entry.pid, VARIABLE)
                .is_some_and(|value| Marker::all(&value).any(|marker| marker.orphaned()))
    };
    Ok(entries.iter().filter(is_orphan).map(|entry| Identity::from_start(entry.pid, entry.start)).collect())
}

/// Ends everything that is marked as part of `child`'s tree, and everything below that; says how many it was. For a
/// server whose supervisor vanished. Blocks.
pub(super) fn end_child(child: ChildId) -> io::Result<u32> {
    let ended = end_all(|| {
        let entries = platform::entries()?;
        let roots = marked_in(&entries, child);
        Ok(platform::descendants(&entries, roots))
    })?;
    Ok(u32::try_from(ended.len()).unwrap_or(u32::MAX))
}

/// Ends a process that is not a child of ours with everything below it and, if it was a supervised program, all of its
/// tree. Blocks.
pub(super) fn end_foreign(process: &Identity, child: Option<ChildId>) -> io::Result<()> {
    end_all(|| {
        let entries = platform::entries()?;
        let is_it = |entry: &&Entry| Identity::from_start(entry.pid, entry.start) == *process;
        let mut roots: Vec<Entry> = entries.iter().filter(is_it).copied().collect();
        if let Some(child) = child {
            roots.extend(marked_in(&entries, child));
        }
        Ok(platform::descendants(&entries, roots))
    })?;
    Ok(())
}

/// The innermost tree that a process says it belongs to.
pub(super) fn child_of(process: &Identity) -> Option<ChildId> {
    let value = platform::variable(process.pid, VARIABLE)?;
    let child = Marker::all(&value).last()?.child;
    // Only now: the pid could have changed hands before the value was read.
    (Identity::of(process.pid).ok().flatten().as_ref() == Some(process)).then_some(child)
}

/// All living processes but this one that are marked as part of `child`'s tree.
pub(super) fn marked(child: ChildId) -> io::Result<Vec<Entry>> {
    let own = std::process::id();
    let mut marked = marked_in(&platform::entries()?, child);
    marked.retain(|entry| entry.pid != own && !entry.dead);
    Ok(marked)
}

fn marked_in(entries: &[Entry], child: ChildId) -> Vec<Entry> {
    let is_marked = |entry: &&Entry| {
        platform::variable(entry.pid, VARIABLE)
            .is_some_and(|value| Marker::all(&value).any(|marker| marker.child == child))
    };
    entries.iter().filter(is_marked).copied().collect()
}

/// Kills what `find` finds, again and again until it finds nothing; returns whom it killed.
fn end_all(mut find: impl FnMut() -> io::Result<Vec<Entry>>) -> io::Result<Vec<Entry>> {
    let own = std::process::id();
    let end = Instant::now() + LIMIT;
    let mut killed: HashMap<(u32, u64), Entry> = HashMap::new();
    let mut quiet = 0;
    loop {
        let mut found = find()?;
        // A process that was killed may be nobody's any more, and still take a moment to go.
        let now = |entry: &Entry| platform::entry(entry.pid).ok().flatten().filter(|now| now.start == entry.start);
        found.extend(killed.values().filter_map(now));
        found.retain(|entry| entry.pid != own && !entry.dead);
        for entry in &found {
            if platform::signal(entry.pid, entry.start, Signal::Kill).unwrap_or(false) {
                killed.insert((entry.pid, entry.start), *entry);
            }
        }
        quiet = if found.is_empty() { quiet + 1 } else { 0 };
        if quiet >= QUIET_PASSES {
            return Ok(killed.into_values().collect());
        }
        if Instant::now() >= end {
            return Err(io::Error::other(format!("{} processes cannot be ended", found.len())));
        }
        if !found.is_empty() {
            #[expect(
                clippy::disallowed_methods,
                reason = "documented as blocking; there is no event for a foreign process"
            )]
            std::thread::sleep(PAUSE);
        }
    }
}
