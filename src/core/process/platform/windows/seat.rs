//! The supervisor's side. Threads are harmless here: nothing is tied to the one that starts the program.

use std::{
    collections::HashSet,
    fs::File,
    io::{self, Read, Write},
    os::windows::{
        io::{FromRawHandle, OwnedHandle, RawHandle},
        process::CommandExt,
    },
    ptr,
    sync::mpsc::{self, RecvTimeoutError},
    time::{Duration, Instant},
};

use windows_sys::Win32::System::{
    Console::{
        CTRL_BREAK_EVENT, GenerateConsoleCtrlEvent, GetStdHandle, STD_ERROR_HANDLE, STD_INPUT_HANDLE,
        STD_OUTPUT_HANDLE, SetStdHandle,
    },
    Threading::CREATE_NEW_PROCESS_GROUP,
};

use super::{
    super::words::{CLEAR_LIMIT, Cleared, Entry, Notice, Signal},
    channel::inherit,
    job::Job,
    table,
};
use crate::core::process::control::{Command, Exit, Report};

/// A supervisor's own means.
pub(in super::super::super) struct Seat {
    reports: File,
    notices: mpsc::Receiver<Notice>,
    notify: mpsc::Sender<Notice>,
    job: Job,
    /// The program's pid, and how it ended.
    program: Option<(u32, Option<Exit>)>,
}

impl Seat {
    /// Takes the place of a supervisor: enters a job, and begins to listen to the server.
    pub(in super::super::super) fn take(control: Option<&str>) -> io::Result<Self> {
        let (commands, reports) = ends(control.unwrap_or_default()).ok_or(io::ErrorKind::InvalidInput)?;
        inherit(&commands, false)?;
        inherit(&reports, false)?;
        let job = Job::enter()?;
        let (notify, notices) = mpsc::channel();
        let listener = notify.clone();
        std::thread::Builder::new().name("control".to_owned()).spawn(move || listen(commands, &listener))?;
        Ok(Self { reports, notices, notify, job, program: None })
    }

    /// Tells the server something. A server that is gone is noticed by [`Self::wait`].
    pub(in super::super::super) fn report(&mut self, report: Report) {
        let _gone = self.reports.write_all(format!("{report}\n").as_bytes());
    }

    /// Waits for the next thing to happen, at most for `limit`.
    pub(in super::super::super) fn wait(&mut self, limit: Option<Duration>) -> io::Result<Notice> {
        let notice = match limit {
            None => self.notices.recv().map_err(io::Error::other)?,
            Some(limit) => match self.notices.recv_timeout(limit) {
                Ok(notice) => notice,
                Err(RecvTimeoutError::Timeout) => return Ok(Notice::Elapsed),
                Err(error @ RecvTimeoutError::Disconnected) => return Err(io::Error::other(error)),
            },
        };
        if let (Notice::Exited(exit), Some((_, known))) = (notice, &mut self.program) {
            *known = Some(exit);
        }
        Ok(notice)
    }

    /// Starts the program in its own process group, with our standard streams, of which we keep no copy.
    pub(in super::super::super) fn start(&mut self, mut command: std::process::Command) -> io::Result<(u32, u64)> {
        let mut program = command.creation_flags(CREATE_NEW_PROCESS_GROUP).spawn()?;
        let pid = program.id();
        self.program = Some((pid, None));
        close_streams();
        let start = table::entry(pid)?.map_or(0, |entry| entry.start);
        let notify = self.notify.clone();
        std::thread::Builder::new().name("program".to_owned()).spawn(move || {
            let code = program.wait().ok().and_then(|status| status.code());
            let _ending_too = notify.send(Notice::Exited(code.map_or(Exit::Lost, Exit::Code)));
        })?;
        Ok((pid, start))
    }

    /// Sends CTRL-BREAK to the program's process group: CTRL-C does not reach a new group.
    #[expect(unsafe_code, reason = "the Windows API is a C interface")]
    pub(in super::super::super) fn signal(&self, signal: Signal) {
        if let Some((pid, None)) = self.program
            && signal != Signal::Kill
        {
            // SAFETY: takes plain integers; a group that is gone, or has no console, is an error that changes nothing.
            unsafe { GenerateConsoleCtrlEvent(CTRL_BREAK_EVENT, pid) };
        }
    }

    /// Kills all that is left of the tree, again and again until the job is empty but for us. Nothing is outside of it
    /// that a marker could tell of.
    pub(in super::super::super) fn clear(
        &mut self,
        _marked: impl Fn() -> io::Result<Vec<Entry>>,
    ) -> io::Result<Cleared> {
        let (program, known) = self.program.unwrap_or_default();
        let end = Instant::now() + CLEAR_LIMIT;
        let mut killed = HashSet::new();
        let left = loop {
            let others = self.job.others()?;
            for pid in &others {
                if self.job.end(*pid).unwrap_or(false) {
                    killed.insert(*pid);
                }
            }
            if others.is_empty() {
                self.job.release()?;
                break 0;
            }
            if Instant::now() >= end {
                break others.len();
            }
            // The program's end wakes us; whatever is below it is looked at again soon.
            self.wait(Some(Duration::from_millis(2)))?;
        };
        if known.is_none() && left == 0 {
            // It is dead; its status is on its way.
            while self.program.is_some_and(|(_, exit)| exit.is_none()) {
                if self.wait(Some(CLEAR_LIMIT))? == Notice::Elapsed {
                    break;
                }
            }
        }
        killed.remove(&program);
        Ok(Cleared {
            exit: if known.is_none() { self.program.and_then(|(_, exit)| exit) } else { None },
            killed: u32::try_from(killed.len()).unwrap_or(u32::MAX),
            left: u32::try_from(left).unwrap_or(u32::MAX),
        })
    }
}

/// The two ends that the server has named.
fn ends(control: &str) -> Option<(File, File)> {
    let (commands, reports) = control.split_once(':')?;
    Some((end(commands)?, end(reports)?))
}

#[expect(unsafe_code, reason = "an inherited handle can only be taken by its number")]
fn end(number: &str) -> Option<File> {
    let handle: RawHandle = ptr::without_provenance_mut(number.parse().ok()?);
    // SAFETY: the server has made this handle for us alone; anything else fails at its first use.
    Some(unsafe { File::from_raw_handle(handle) })
}

/// Passes the server's commands on, to the end of the pipe.
fn listen(mut from: File, to: &mpsc::Sender<Notice>) {
    let mut bytes = [0; 16];
    while let Ok(length @ 1..) = from.read(&mut bytes) {
        for command in bytes.iter().take(length).copied().filter_map(Command::from_byte) {
            let _ending = to.send(Notice::Command(command));
        }
    }
    let _ending = to.send(Notice::Closed);
}

/// Closes our own standard streams: while we held them, the program's would never end.
#[expect(unsafe_code, reason = "the Windows API is a C interface")]
fn close_streams() {
    for stream in [STD_INPUT_HANDLE, STD_OUTPUT_HANDLE, STD_ERROR_HANDLE] {
        // SAFETY: the handle is this process's own, nothing writes to the streams, and nobody finds it from here on.
        unsafe {
            let handle = GetStdHandle(stream);
            SetStdHandle(stream, ptr::null_mut());
            if !handle.is_null() && handle.addr() != usize::MAX {
                drop(OwnedHandle::from_raw_handle(handle));
            }
        }
    }
}
