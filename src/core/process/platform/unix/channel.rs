//! The socket pair to a supervisor, seen from the server.

use std::{
    io,
    os::{fd::OwnedFd, unix::net::UnixStream},
};

use command_fds::{CommandFdExt, FdMapping};
use tokio::net::UnixStream as AsyncStream;

use super::inherited::CONTROL;
use crate::core::process::control::{Command, Report, Reports};

/// The server's end of the control channel.
#[derive(Debug)]
pub(in super::super::super) struct Channel {
    stream: AsyncStream,
    reports: Reports,
}

impl Channel {
    /// The next report; `None` when the supervisor has gone. Cancel-safe.
    pub(in super::super::super) async fn report(&mut self) -> io::Result<Option<Report>> {
        loop {
            if let Some(report) = self.reports.next() {
                return report.map(Some);
            }
            self.stream.readable().await?;
            let mut bytes = [0; 256];
            match self.stream.try_read(&mut bytes) {
                Ok(0) => return Ok(None),
                Ok(length) => self.reports.push(bytes.get(..length).unwrap_or_default()),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                // What a killed supervisor had not read of ours makes the end look like this.
                Err(error) if error.kind() == io::ErrorKind::ConnectionReset => return Ok(None),
                Err(error) => return Err(error),
            }
        }
    }

    /// Sends a command. One byte always fits, and a supervisor that is gone is heard of by [`Self::report`].
    pub(in super::super::super) fn send(&mut self, command: Command) {
        // Not through the runtime: that would refuse as long as it has not looked whether the socket is writable.
        let _gone = rustix::io::write(&self.stream, &[command.byte()]);
    }
}

/// Starts a supervisor with its end of a new channel. `command` gets what the supervisor has to be told of that end.
pub(in super::super::super) fn launch(
    command: impl FnOnce(Option<String>) -> tokio::process::Command,
) -> io::Result<(tokio::process::Child, Channel)> {
    let mut command = command(None);
    let (ours, theirs) = UnixStream::pair()?;
    ours.set_nonblocking(true)?;
    let stream = AsyncStream::from_std(ours)?;
    command
        .fd_mappings(vec![FdMapping { parent_fd: OwnedFd::from(theirs), child_fd: CONTROL }])
        .map_err(io::Error::other)?;
    // However the executable was named to us (`/proc/self/exe`), this is what a list of processes shows.
    let process = command.arg0("ccmcp").spawn()?;
    Ok((process, Channel { stream, reports: Reports::default() }))
}
