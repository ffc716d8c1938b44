//! macOS: libproc, `KERN_PROCARGS2`, and a tree that is kept in mind, since orphans go to launchd.

use std::{collections::HashMap, ffi::c_int, io, mem::MaybeUninit, ptr, time::Duration};

use rustix::process::{self as sys, Pid};

use super::words::{Entry, Signal, descendants};

/// What the kernel knows of a process; `None` when there is none, when it is a zombie, or when it is another user's.
#[expect(unsafe_code, reason = "libproc is a C interface")]
fn information(pid: u32) -> io::Result<Option<libc::proc_bsdinfo>> {
    let Ok(pid) = c_int::try_from(pid) else { return Ok(None) };
    let mut information = MaybeUninit::<libc::proc_bsdinfo>::zeroed();
    let size = size_of::<libc::proc_bsdinfo>() as c_int;
    // SAFETY: the buffer is as large as is said, and any bytes make a valid `proc_bsdinfo`.
    let (written, information) = unsafe {
        let written = libc::proc_pidinfo(pid, libc::PROC_PIDTBSDINFO, 0, information.as_mut_ptr().cast(), size);
        (written, information.assume_init())
    };
    if written == size {
        return Ok(Some(information));
    }
    let error = io::Error::last_os_error();
    match error.raw_os_error() {
        // Not permitted means another user's, and so not the process that is asked for, which was started by us.
        Some(libc::ESRCH | libc::EPERM) => Ok(None),
        _ => Err(error),
    }
}

fn reading(information: &libc::proc_bsdinfo) -> Entry {
    Entry {
        pid: information.pbi_pid,
        parent: information.pbi_ppid,
        start: information.pbi_start_tvsec.saturating_mul(1_000_000).saturating_add(information.pbi_start_tvusec),
        dead: information.pbi_status == libc::SZOMB,
    }
}

/// The process with this pid.
pub(in super::super) fn entry(pid: u32) -> io::Result<Option<Entry>> {
    Ok(information(pid)?.as_ref().map(reading))
}

/// All processes of this user.
#[expect(unsafe_code, reason = "libproc is a C interface")]
pub(in super::super) fn entries() -> io::Result<Vec<Entry>> {
    // Some room for those that start between the two calls; a list that is full may be cut, so it is asked for again.
    let mut room = 256;
    loop {
        let mut pids: Vec<libc::pid_t> = vec![0; room];
        let size = c_int::try_from(size_of_val(pids.as_slice())).map_err(io::Error::other)?;
        // SAFETY: the buffer is as large as is said, and is plain integers.
        let count = unsafe { libc::proc_listallpids(pids.as_mut_ptr().cast(), size) };
        let count = usize::try_from(count).map_err(|_| io::Error::last_os_error())?;
        if count < room {
            pids.truncate(count);
            let pids = pids.into_iter().filter_map(|pid| u32::try_from(pid).ok()).filter(|pid| *pid > 0);
            return Ok(pids.filter_map(|pid| entry(pid).ok().flatten()).collect());
        }
        room *= 2;
    }
}

/// The value of one variable of a process's first environment. The system hides the environment of its own protected
/// executables (`/bin/sh` among them), which is why the marker alone is not enough here.
#[expect(unsafe_code, reason = "sysctl is a C interface")]
pub(in super::super) fn variable(pid: u32, name: &str) -> Option<String> {
    let mut query = [libc::CTL_KERN, libc::KERN_PROCARGS2, c_int::try_from(pid).ok()?];
    let mut size = 0;
    let length = u32::try_from(query.len()).ok()?;
    // SAFETY: asks for the size only.
    if unsafe { libc::sysctl(query.as_mut_ptr(), length, ptr::null_mut(), &raw mut size, ptr::null_mut(), 0) } != 0 {
        return None;
    }
    let mut bytes = vec![0_u8; size];
    // SAFETY: the buffer is as large as is said; the call writes back how much of it was used.
    let status = unsafe {
        libc::sysctl(query.as_mut_ptr(), length, bytes.as_mut_ptr().cast(), &raw mut size, ptr::null_mut(), 0)
    };
    if status != 0 {
        return None;
    }
    bytes.truncate(size);
    find(&bytes, name)
}

/// Finds a variable in `KERN_PROCARGS2`: the number of arguments, the executable's path, padding, the arguments, the
/// environment, all but the first ended by a NUL.
fn find(bytes: &[u8], name: &str) -> Option<String> {
    let (count, rest) = bytes.split_first_chunk::<4>()?;
    let count = usize::try_from(i32::from_ne_bytes(*count)).ok()?;
    let path = memchr::memchr(0, rest)?;
    let padded = rest.get(path..)?;
    let padding = padded.iter().position(|byte| *byte != 0)?;
    let environment = padded.get(padding..)?.split(|byte| *byte == 0).skip(count).take_while(|entry| !entry.is_empty());
    let mut values = environment.filter_map(|entry| entry.strip_prefix(name.as_bytes())?.strip_prefix(b"="));
    values.next().map(|value| String::from_utf8_lossy(value).into_owned())
}

/// Whether a process is this user's.
pub(in super::super) fn own(pid: u32) -> bool {
    information(pid).ok().flatten().is_some_and(|information| information.pbi_uid == sys::geteuid().as_raw())
}

/// Start times are absolute here: nothing to add.
pub(in super::super) fn world() -> &'static str {
    ""
}

/// Sends a signal to the process with this pid and start; `false` when that is gone. There is no handle on a process
/// here: the identity is verified as close to the signal as can be.
pub(in super::super) fn signal(pid: u32, start: u64, signal: Signal) -> io::Result<bool> {
    let Some(target) = Pid::from_raw(pid.cast_signed()) else { return Ok(false) };
    if !entry(pid)?.is_some_and(|entry| entry.start == start && !entry.dead) {
        return Ok(false);
    }
    match sys::kill_process(target, signal.number()) {
        Ok(()) => Ok(true),
        Err(rustix::io::Errno::SRCH) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// How many times in a row nothing must be found: one look at the table can miss a process that was just born.
pub(super) const QUIET_PASSES: u32 = 2;

/// How often the tree is looked at while the program runs. A process that is below it at such a moment is known from
/// then on, wherever it moves.
pub(super) const OBSERVE: Option<Duration> = Some(Duration::from_millis(250));

/// The processes that were seen below this one, and are alive as far as is known.
pub(super) struct Tree {
    seen: HashMap<u32, Entry>,
}

impl Tree {
    /// Nothing seen yet.
    pub(super) fn new() -> Self {
        Self { seen: HashMap::new() }
    }

    /// Looks at the tree while the program runs.
    pub(super) fn observe(&mut self) {
        if let Ok(entries) = entries() {
            self.update(&entries, Vec::new());
        }
    }

    /// Processes of the tree that are not children of this one.
    pub(super) fn remains(&mut self, marked: Vec<Entry>) -> io::Result<Vec<Entry>> {
        self.update(&entries()?, marked);
        Ok(self.seen.values().copied().collect())
    }

    /// Keeps those that are still alive, and adds everything that is below them, below `more`, or below this process.
    fn update(&mut self, entries: &[Entry], more: Vec<Entry>) {
        let own = std::process::id();
        let known = |entry: &&Entry| {
            entry.pid == own || self.seen.get(&entry.pid).is_some_and(|seen| seen.start == entry.start)
        };
        let roots = entries.iter().filter(known).copied().chain(more).collect();
        let tree = descendants(entries, roots);
        self.seen =
            tree.into_iter().filter(|entry| entry.pid != own && !entry.dead).map(|entry| (entry.pid, entry)).collect();
    }
}

/// There is no subreaper here.
#[expect(clippy::unnecessary_wraps, reason = "the same call on every platform")]
pub(super) fn adopt_orphans() -> io::Result<()> {
    Ok(())
}

/// There is no parent-death signal here.
#[expect(clippy::unnecessary_wraps, reason = "the same call on every platform")]
pub(super) fn die_with_parent(_parent: Pid) -> io::Result<()> {
    Ok(())
}

/// This process's living children.
pub(super) fn children() -> io::Result<Vec<u32>> {
    let own = std::process::id();
    Ok(entries()?.into_iter().filter(|entry| entry.parent == own && entry.pid != own).map(|entry| entry.pid).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_follows_the_arguments() {
        let mut bytes = 2_i32.to_ne_bytes().to_vec();
        bytes.extend(b"/bin/x\0\0\0\0x\0A=argument\0A=1\0EMPTY=\0A=2\0\0C=no\0");
        assert_eq!(find(&bytes, "A").as_deref(), Some("1"));
        assert_eq!(find(&bytes, "EMPTY").as_deref(), Some(""));
        assert_eq!(find(&bytes, "C"), None);
        assert_eq!(find(b"", "A"), None);
    }

    #[test]
    fn this_process_is_in_the_table() {
        let entry = entry(std::process::id()).unwrap().unwrap();
        assert!(entries().unwrap().contains(&entry) && own(entry.pid));
    }
}
