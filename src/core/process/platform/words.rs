//! The words that every platform's file speaks, and what needs no platform.

use std::{
    collections::{HashMap, HashSet},
    time::Duration,
};

use crate::core::process::control::{Command, Exit};

/// One process of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct Entry {
    /// Its pid.
    pub(in super::super) pid: u32,
    /// Its parent's pid.
    pub(in super::super) parent: u32,
    /// When it started, in the system's own unit.
    pub(in super::super) start: u64,
    /// Whether it is a zombie: it does nothing any more, its parent has not asked for its status yet.
    pub(in super::super) dead: bool,
}

/// What can be sent to a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Signal {
    /// SIGINT.
    Interrupt,
    /// SIGTERM.
    Terminate,
    /// SIGKILL.
    Kill,
}

#[cfg(unix)]
impl Signal {
    /// The signal as the system knows it.
    pub(super) const fn number(self) -> rustix::process::Signal {
        match self {
            Self::Interrupt => rustix::process::Signal::INT,
            Self::Terminate => rustix::process::Signal::TERM,
            Self::Kill => rustix::process::Signal::KILL,
        }
    }
}

/// What a supervisor waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Notice {
    /// The server asks for something.
    Command(Command),
    /// The server is gone, or has no use for the program any more.
    Closed,
    /// The program has ended.
    Exited(Exit),
    /// Nothing happened in time.
    Elapsed,
}

/// What ending a tree came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct Cleared {
    /// How the program itself ended, if that became known only now.
    pub(in super::super) exit: Option<Exit>,
    /// How many other processes were killed.
    pub(in super::super) killed: u32,
    /// How many could not be.
    pub(in super::super) left: u32,
}

/// How long a supervisor tries to end a tree. What is left then cannot be killed by this user (it has gained other
/// rights), or hangs in the kernel with the kill pending.
pub(in super::super) const CLEAR_LIMIT: Duration = Duration::from_secs(10);

/// `roots` and everything below them.
pub(in super::super) fn descendants(entries: &[Entry], roots: Vec<Entry>) -> Vec<Entry> {
    let mut below: HashMap<u32, Vec<Entry>> = HashMap::new();
    for entry in entries {
        below.entry(entry.parent).or_default().push(*entry);
    }
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    let mut next = roots;
    while let Some(entry) = next.pop() {
        if seen.insert(entry.pid) {
            found.push(entry);
            // Where orphans keep naming their parent (Windows), its pid may be another, later process's by now.
            let born_later = |child: &&Entry| child.start >= entry.start;
            next.extend(below.get(&entry.pid).into_iter().flatten().filter(born_later));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descendants_are_found_at_any_depth_and_loops_end() {
        let entry = |pid, parent| Entry { pid, parent, start: 5, dead: false };
        let mut table = vec![entry(1, 0), entry(2, 1), entry(3, 2), entry(4, 3), entry(5, 1), entry(6, 7), entry(7, 6)];
        table.push(Entry { start: 4, ..entry(8, 2) });
        let pids = |roots: &[Entry]| {
            let mut pids: Vec<u32> = descendants(&table, roots.to_vec()).iter().map(|entry| entry.pid).collect();
            pids.sort_unstable();
            pids
        };
        assert_eq!(pids(&[entry(2, 1)]), [2, 3, 4]);
        assert_eq!(pids(&[entry(3, 2), entry(5, 1)]), [3, 4, 5]);
        assert_eq!(pids(&[entry(6, 7)]), [6, 7]);
    }
}
