//! Linux: `/proc`, pidfds, the child subreaper and the parent-death signal.

use std::{fs, io, os::unix::fs::MetadataExt, path::Path, sync::OnceLock};

use rustix::process::{self as sys, Pid, PidfdFlags};

use super::words::{Entry, Signal};

/// Reads a file of `/proc/PID`; `None` when the process is gone.
fn read(pid: u32, name: &str) -> io::Result<Option<Vec<u8>>> {
    match fs::read(format!("/proc/{pid}/{name}")) {
        Ok(bytes) => Ok(Some(bytes)),
        // A process can go between open and read.
        Err(error)
            if error.kind() == io::ErrorKind::NotFound
                || error.raw_os_error() == Some(rustix::io::Errno::SRCH.raw_os_error()) =>
        {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// The process with this pid, zombies included.
pub(in super::super) fn entry(pid: u32) -> io::Result<Option<Entry>> {
    let Some(stat) = read(pid, "stat")? else { return Ok(None) };
    parse(pid, &String::from_utf8_lossy(&stat))
        .map(Some)
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "/proc/PID/stat is not as proc(5) says"))
}

/// Reads a `stat` line. The name in it may hold anything, so the fields are counted from its last parenthesis.
fn parse(pid: u32, line: &str) -> Option<Entry> {
    let mut fields = line.get(line.rfind(')')? + 1..)?.split_ascii_whitespace();
    let dead = matches!(fields.next()?, "Z" | "X");
    let parent = fields.next()?.parse().ok()?;
    // Fields 3 and 4 are taken; the start is field 22.
    let start = fields.nth(17)?.parse().ok()?;
    Some(Entry { pid, parent, start, dead })
}

/// All processes that can be seen from here.
pub(in super::super) fn entries() -> io::Result<Vec<Entry>> {
    let mut entries = Vec::new();
    for file in fs::read_dir("/proc")? {
        let Some(pid) = file?.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        // A process that cannot be read is none of ours.
        entries.extend(entry(pid).ok().flatten());
    }
    Ok(entries)
}

/// The value of one variable of a process's *first* environment; `None` also when it may not be read.
pub(in super::super) fn variable(pid: u32, name: &str) -> Option<String> {
    let environment = read(pid, "environ").ok()??;
    let value = environment
        .split(|byte| *byte == 0)
        .find_map(|entry| entry.strip_prefix(name.as_bytes())?.strip_prefix(b"="))?;
    Some(String::from_utf8_lossy(value).into_owned())
}

/// Whether a process is this user's.
pub(in super::super) fn own(pid: u32) -> bool {
    fs::metadata(format!("/proc/{pid}")).is_ok_and(|dir| dir.uid() == sys::geteuid().as_raw())
}

/// What a pid and a start time are relative to: `BOOT/NAMESPACE`, `-` for what cannot be read.
pub(in super::super) fn world() -> &'static str {
    static WORLD: OnceLock<String> = OnceLock::new();
    WORLD.get_or_init(|| {
        let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
        let namespace =
            fs::metadata("/proc/self/ns/pid").map_or_else(|_| "-".to_owned(), |file| file.ino().to_string());
        let boot = if boot.trim().is_empty() { "-" } else { boot.trim() };
        format!("{boot}/{namespace}")
    })
}

/// Sends a signal to the process with this pid and start; `false` when that is gone.
pub(in super::super) fn signal(pid: u32, start: u64, signal: Signal) -> io::Result<bool> {
    let Some(target) = Pid::from_raw(pid.cast_signed()) else { return Ok(false) };
    let handle = match sys::pidfd_open(target, PidfdFlags::empty()) {
        Ok(handle) => Some(handle),
        Err(rustix::io::Errno::SRCH) => return Ok(false),
        // Kernels before 5.3, and sandboxes that filter the call: verify, then signal, as close together as can be.
        Err(rustix::io::Errno::NOSYS | rustix::io::Errno::PERM) => None,
        Err(error) => return Err(error.into()),
    };
    // The handle is of whoever had the pid at that moment: now make sure that this is the one who is meant.
    if !entry(pid)?.is_some_and(|entry| entry.start == start && !entry.dead) {
        return Ok(false);
    }
    let sent = match handle {
        Some(handle) => sys::pidfd_send_signal(&handle, signal.number()),
        None => sys::kill_process(target, signal.number()),
    };
    match sent {
        Ok(()) => Ok(true),
        Err(rustix::io::Errno::SRCH) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// How many times in a row nothing must be found: the kernel says for certain when a subreaper has nothing left below.
pub(super) const QUIET_PASSES: u32 = 1;

/// What is known of a tree besides the children. Nothing has to be remembered here.
pub(super) struct Tree;

impl Tree {
    /// Nothing seen yet.
    pub(super) fn new() -> Self {
        Self
    }

    /// Looks at the tree while the program runs.
    #[expect(clippy::unused_self, reason = "the same call on every platform")]
    pub(super) fn observe(&mut self) {}

    /// Processes of the tree that are not children of this one. There should be none; the marker would tell.
    #[expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "the same call on every platform")]
    pub(super) fn remains(&mut self, marked: Vec<Entry>) -> io::Result<Vec<Entry>> {
        Ok(marked)
    }
}

/// How often the tree has to be looked at while the program runs: never, orphans come to the subreaper by themselves.
pub(super) const OBSERVE: Option<std::time::Duration> = None;

/// Makes this process the one that orphans below it come to.
pub(super) fn adopt_orphans() -> io::Result<()> {
    Ok(sys::set_child_subreaper(Some(sys::getpid()))?)
}

/// In the program, between fork and exec: die with the supervisor.
///
/// The signal is tied to the parent *thread*, which is why the supervisor must never have a second one.
pub(super) fn die_with_parent(parent: Pid) -> io::Result<()> {
    sys::set_parent_process_death_signal(Some(sys::Signal::KILL))?;
    // It may have died before the line above.
    if sys::getppid() == Some(parent) { Ok(()) } else { Err(io::Error::from(io::ErrorKind::BrokenPipe)) }
}

/// This process's children, zombies included.
///
/// From the kernel's own list where it has one, so that a process which forks and exits in a loop (each new one comes
/// to us as its parent dies) is reached faster than it can run.
pub(super) fn children() -> io::Result<Vec<u32>> {
    let own = std::process::id();
    if Path::new("/proc/thread-self/children").exists() {
        let list = fs::read_to_string("/proc/thread-self/children")?;
        return Ok(list.split_ascii_whitespace().filter_map(|pid| pid.parse().ok()).collect());
    }
    Ok(entries()?.into_iter().filter(|entry| entry.parent == own).map(|entry| entry.pid).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_can_hold_anything() {
        let stat = "12 (a) R 1 (b\n) S 34 5 6 0 -1 1 2 3 4 5 6 7 8 9 20 0 1 0 987654 0 0";
        let entry = parse(12, stat).unwrap();
        assert_eq!(entry, Entry { pid: 12, parent: 34, start: 987_654, dead: false });
        assert!(parse(12, &stat.replace(") S", ") Z")).unwrap().dead);
        assert_eq!(parse(12, "12 (x) S 1"), None);
    }

    #[test]
    fn this_process_is_in_the_table_and_its_own() {
        let pid = std::process::id();
        let entry = entry(pid).unwrap().unwrap();
        assert!(entries().unwrap().iter().any(|other| (other.pid, other.start) == (pid, entry.start)));
        assert!(own(pid));
        assert!(!signal(pid, entry.start + 1, Signal::Kill).unwrap(), "another start is not signalled");
    }
}
