//! The two pipes to a supervisor, seen from the server.

use std::{
    io::{self, PipeWriter, Read, Write},
    os::windows::io::{AsHandle, AsRawHandle},
    sync::{Mutex, PoisonError},
};

use tokio::sync::mpsc;
use windows_sys::Win32::{
    Foundation::{HANDLE_FLAG_INHERIT, SetHandleInformation},
    System::Threading::CREATE_NO_WINDOW,
};

use crate::core::process::control::{Command, Report, Reports};

/// How many reports may wait to be asked for.
const REPORTS_WAITING: usize = 16;

/// Held while handles are inheritable: they would go to *every* process that is started meanwhile, and a pipe whose end
/// somebody else holds never ends.
static INHERITABLE: Mutex<()> = Mutex::new(());

/// The server's ends of the control channel.
#[derive(Debug)]
pub(in super::super::super) struct Channel {
    commands: PipeWriter,
    reports: mpsc::Receiver<io::Result<Report>>,
}

impl Channel {
    /// The next report; `None` when the supervisor has gone. Cancel-safe.
    pub(in super::super::super) async fn report(&mut self) -> io::Result<Option<Report>> {
        self.reports.recv().await.transpose()
    }

    /// Sends a command. One byte always fits, and a supervisor that is gone is heard of by [`Self::report`].
    pub(in super::super::super) fn send(&mut self, command: Command) {
        let _gone = self.commands.write_all(&[command.byte()]);
    }
}

/// Starts a supervisor with its ends of a new channel, whose handles it is told.
pub(in super::super::super) fn launch(
    command: impl FnOnce(Option<String>) -> tokio::process::Command,
) -> io::Result<(tokio::process::Child, Channel)> {
    let (their_commands, commands) = io::pipe()?;
    let (our_reports, their_reports) = io::pipe()?;
    let control = format!("{}:{}", number(&their_commands), number(&their_reports));
    let mut command = command(Some(control));
    // A console of its own, which nobody sees: so that it can send CTRL-BREAK to its program, and to nobody else.
    command.creation_flags(CREATE_NO_WINDOW);
    let process = {
        let _alone = INHERITABLE.lock().unwrap_or_else(PoisonError::into_inner);
        inherit(&their_commands, true)?;
        inherit(&their_reports, true)?;
        let process = command.spawn();
        drop((their_commands, their_reports));
        process?
    };
    let (sender, reports) = mpsc::channel(REPORTS_WAITING);
    // Anonymous pipes cannot be waited for in any other way. The thread ends with the supervisor.
    std::thread::Builder::new().name("supervisor".to_owned()).spawn(move || pass_on(our_reports, &sender))?;
    Ok((process, Channel { commands, reports }))
}

/// Reads reports to the end of the pipe.
fn pass_on(mut from: impl Read, to: &mpsc::Sender<io::Result<Report>>) {
    let mut reports = Reports::default();
    let mut bytes = [0; 256];
    while let Ok(length @ 1..) = from.read(&mut bytes) {
        reports.push(bytes.get(..length).unwrap_or_default());
        while let Some(report) = reports.next() {
            if to.blocking_send(report).is_err() {
                return;
            }
        }
    }
}

/// A handle's value, which is the same in the process that inherits it.
fn number(handle: &impl AsHandle) -> usize {
    handle.as_handle().as_raw_handle().addr()
}

/// Says whether a process that is started gets this handle.
#[expect(unsafe_code, reason = "the Windows API is a C interface")]
pub(super) fn inherit(handle: &impl AsHandle, inherit: bool) -> io::Result<()> {
    let flags = if inherit { HANDLE_FLAG_INHERIT } else { 0 };
    // SAFETY: the handle is open.
    let done = unsafe { SetHandleInformation(handle.as_handle().as_raw_handle(), HANDLE_FLAG_INHERIT, flags) };
    if done == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
