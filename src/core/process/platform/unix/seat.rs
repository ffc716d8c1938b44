//! The supervisor's side: one thread that waits for the server and for the end of its children.

use std::{
    collections::{HashSet, VecDeque},
    fs, io,
    io::{Read, Write},
    os::{
        fd::AsFd,
        unix::{net::UnixStream, process::CommandExt},
    },
    time::{Duration, Instant},
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::Errno,
    process::{self as sys, Pid, WaitOptions, WaitStatus},
};
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGQUIT, SIGTERM};

#[cfg(target_os = "linux")]
use super::super::linux as os;
#[cfg(target_os = "macos")]
use super::super::macos as os;
use super::{
    super::words::{CLEAR_LIMIT, Cleared, Entry, Notice, Signal},
    inherited,
};
use crate::core::process::control::{Command, Exit, Report};

/// The program that a supervisor looks after.
#[derive(Debug)]
struct Program {
    pid: Pid,
    /// Known once its status was taken. Until then its pid, and its group's, cannot be anybody else's.
    exit: Option<Exit>,
}

/// What taking the status of dead children came to.
struct Reaped {
    /// The program's status, if it was among them.
    exit: Option<Exit>,
    /// Whether there is no child left at all. For a subreaper that means: nothing is left below it.
    childless: bool,
}

/// A supervisor's own means.
pub(in super::super::super) struct Seat {
    control: UnixStream,
    /// Becomes readable when a child of ours has changed its state.
    wake: UnixStream,
    commands: VecDeque<Notice>,
    program: Option<Program>,
    /// Reaped children other than the program, which a kill ended.
    killed: u32,
    tree: os::Tree,
}

impl Seat {
    /// Takes the place of a supervisor: own session, no file but the standard streams and the control channel.
    pub(in super::super::super) fn take(_control: Option<&str>) -> io::Result<Self> {
        let control = inherited::control()?;
        inherited::close_others()?;
        // Not a leader yet, unless somebody started this by hand.
        let _leader_already = sys::setsid();
        os::adopt_orphans()?;
        let (wake, waker) = UnixStream::pair()?;
        wake.set_nonblocking(true)?;
        // All but the first only so that they do nothing here (a supervisor ends when its tree has ended), and so that
        // the program has the default again where our starter ignored one: exec resets what has a handler.
        for signal in [SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT] {
            signal_hook::low_level::pipe::register(signal, waker.try_clone()?)?;
        }
        Ok(Self { control, wake, commands: VecDeque::new(), program: None, killed: 0, tree: os::Tree::new() })
    }

    /// Tells the server something. A server that is gone is noticed by [`Self::wait`].
    pub(in super::super::super) fn report(&mut self, report: Report) {
        let _gone = self.control.write_all(format!("{report}\n").as_bytes());
    }

    /// Waits for the next thing to happen, at most for `limit`.
    pub(in super::super::super) fn wait(&mut self, limit: Option<Duration>) -> io::Result<Notice> {
        let end = limit.map(|limit| Instant::now() + limit);
        loop {
            if let Some(notice) = self.commands.pop_front() {
                return Ok(notice);
            }
            let left = end.map(|end| end.saturating_duration_since(Instant::now()));
            let patience = left.into_iter().chain(os::OBSERVE.filter(|_| self.program.is_some())).min();
            let (control, woken) = ready(&self.control, &self.wake, patience)?;
            if woken && let Some(exit) = self.reap()?.exit {
                return Ok(Notice::Exited(exit));
            }
            if control {
                self.read_commands();
            } else if !woken && left.is_some_and(|left| left.is_zero()) {
                return Ok(Notice::Elapsed);
            }
            self.tree.observe();
        }
    }

    /// Reads what the server has written.
    fn read_commands(&mut self) {
        let mut bytes = [0; 16];
        match self.control.read(&mut bytes) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Ok(0) | Err(_) => self.commands.push_back(Notice::Closed),
            Ok(length) => {
                let bytes = bytes.iter().take(length).copied();
                self.commands.extend(bytes.filter_map(Command::from_byte).map(Notice::Command));
            }
        }
    }

    /// Starts the program in its own process group, with our standard streams, of which we keep no copy.
    pub(in super::super::super) fn start(&mut self, mut command: std::process::Command) -> io::Result<(u32, u64)> {
        command.process_group(0);
        let parent = sys::getpid();
        #[expect(unsafe_code, reason = "the parent-death signal has to be set between fork and exec")]
        // SAFETY: the closure makes system calls only, allocates nothing and takes no lock.
        unsafe {
            command.pre_exec(move || os::die_with_parent(parent));
        }
        let program = command.spawn()?;
        let pid = Pid::from_child(&program);
        self.program = Some(Program { pid, exit: None });
        // While we held them, the program's streams would never end.
        let null = fs::OpenOptions::new().read(true).write(true).open("/dev/null")?;
        rustix::stdio::dup2_stdin(&null)?;
        rustix::stdio::dup2_stdout(&null)?;
        rustix::stdio::dup2_stderr(&null)?;
        // Not reaped yet, so it has an entry even if it has ended already.
        let start = os::entry(program.id())?.map_or(0, |entry| entry.start);
        Ok((program.id(), start))
    }

    /// Sends a signal to the program's process group.
    pub(in super::super::super) fn signal(&self, signal: Signal) {
        if let Some(program) = &self.program
            && program.exit.is_none()
        {
            let _gone = sys::kill_process_group(program.pid, signal.number());
        }
    }

    /// Takes the status of every child that has ended; returns the program's, if it is among them.
    fn reap(&mut self) -> io::Result<Reaped> {
        let mut drain = [0; 64];
        while self.wake.read(&mut drain).is_ok_and(|length| length == drain.len()) {}
        let mut exit = None;
        loop {
            match sys::wait(WaitOptions::NOHANG) {
                Ok(Some((pid, status))) => match &mut self.program {
                    Some(program) if program.pid == pid && program.exit.is_none() => {
                        program.exit = Some(reading(status));
                        exit = program.exit;
                    }
                    _ => self.killed += u32::from(status.terminating_signal() == Some(sys::Signal::KILL.as_raw())),
                },
                Ok(None) => return Ok(Reaped { exit, childless: false }),
                Err(Errno::CHILD) => return Ok(Reaped { exit, childless: true }),
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Kills all that is left of the tree, again and again until nothing is found. `marked` looks for processes that carry
    /// the tree's marker.
    pub(in super::super::super) fn clear(
        &mut self,
        marked: impl Fn() -> io::Result<Vec<Entry>>,
    ) -> io::Result<Cleared> {
        let known = self.program.as_ref().and_then(|program| program.exit);
        let end = Instant::now() + CLEAR_LIMIT;
        self.killed = 0;
        // Those that are no children of ours (outside Linux), and so are never reaped by us.
        let mut foreign = HashSet::new();
        let mut quiet = 0;
        let left = loop {
            self.signal(Signal::Kill);
            let children = os::children()?;
            for pid in children.iter().filter_map(|pid| Pid::from_raw(pid.cast_signed())) {
                // Our own child, not reaped yet: the pid is nobody else's.
                let _gone = sys::kill_process(pid, sys::Signal::KILL);
            }
            let childless = self.reap()?.childless;
            let mut found = if childless { self.tree.remains(marked()?)? } else { Vec::new() };
            found.retain(|entry| os::signal(entry.pid, entry.start, Signal::Kill).is_ok_and(|sent| sent));
            foreign.extend(found.iter().map(|entry| (entry.pid, entry.start)));
            quiet = if childless && found.is_empty() { quiet + 1 } else { 0 };
            if quiet >= os::QUIET_PASSES {
                break 0;
            }
            if Instant::now() >= end {
                break children.len().max(usize::from(!childless)) + found.len();
            }
            // A dying child wakes us; whatever is no child of ours is looked at again soon.
            ready_wake(&self.wake, Duration::from_millis(2))?;
        };
        let exit = self.program.as_ref().and_then(|program| program.exit);
        Ok(Cleared {
            exit: if known.is_none() { exit } else { None },
            killed: self.killed + u32::try_from(foreign.len()).unwrap_or(u32::MAX),
            left: u32::try_from(left).unwrap_or(u32::MAX),
        })
    }
}

/// Waits until one of the two can be read; says which.
fn ready(control: &UnixStream, wake: &UnixStream, limit: Option<Duration>) -> io::Result<(bool, bool)> {
    let mut fds = [
        PollFd::from_borrowed_fd(control.as_fd(), PollFlags::IN),
        PollFd::from_borrowed_fd(wake.as_fd(), PollFlags::IN),
    ];
    let limit = limit.and_then(|limit| Timespec::try_from(limit).ok());
    match poll(&mut fds, limit.as_ref()) {
        Ok(_) => {
            let [control, wake] = fds.map(|fd| !fd.revents().is_empty());
            Ok((control, wake))
        }
        // The signal has written to `wake`, which the next round sees.
        Err(Errno::INTR) => Ok((false, false)),
        Err(error) => Err(error.into()),
    }
}

/// Waits until a child changes its state, at most for `limit`.
fn ready_wake(wake: &UnixStream, limit: Duration) -> io::Result<()> {
    ready(wake, wake, Some(limit)).map(|_| ())
}

/// How a program ended, from its status.
fn reading(status: WaitStatus) -> Exit {
    match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => Exit::Code(code),
        (None, Some(signal)) => Exit::Signal(signal),
        (None, None) => Exit::Lost,
    }
}
