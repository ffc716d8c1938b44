//! A real terminal of a chosen width.

use std::{
    fs::File,
    io::Read,
    os::fd::OwnedFd,
    process::{Child, Command, Stdio},
    sync::mpsc::{Receiver, channel},
    thread,
};

use rustix::{
    fs::{Mode, OFlags, open},
    pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt},
    termios::{Winsize, tcsetwinsize},
};

use crate::support::{LIMIT, wait_until};

/// A command that runs on a terminal.
pub(super) struct Screen {
    child: Child,
    parts: Receiver<Vec<u8>>,
    shown: Vec<u8>,
}

impl Screen {
    /// Runs a command whose three streams are one terminal of so many columns.
    pub(super) fn start(mut command: Command, columns: u16) -> Self {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
        grantpt(&master).and_then(|()| unlockpt(&master)).expect("a terminal of our own");
        let name = ptsname(&master, Vec::new()).expect("its name");
        let size = Winsize { ws_row: 50, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        let slave: OwnedFd = open(name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).expect("its other end");
        tcsetwinsize(&slave, size).expect("its size");
        let other = || Stdio::from(slave.try_clone().expect("one more"));
        command.env("TERM", "xterm-256color").stdin(other()).stdout(other()).stderr(other());
        let child = command.spawn().expect("the command starts");
        // The terminal ends when nobody has its other end any more.
        drop((slave, command));
        let (sender, parts) = channel();
        thread::spawn(move || {
            let mut master = File::from(master);
            let mut part = [0; 4096];
            while let Ok(count @ 1..) = master.read(&mut part) {
                if sender.send(part[..count].to_vec()).is_err() {
                    return;
                }
            }
        });
        Self { child, parts, shown: Vec::new() }
    }

    pub(super) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Waits until this is on the screen.
    #[track_caller]
    pub(super) fn wait_for(&mut self, text: &str) {
        wait_until(LIMIT, &format!("{text:?} is shown"), || {
            self.shown.extend(self.parts.try_iter().flatten());
            String::from_utf8_lossy(&self.shown).contains(text).then_some(())
        });
    }

    /// Everything that was shown until the command ended, and its exit status.
    #[track_caller]
    pub(super) fn finish(mut self) -> (String, Option<i32>) {
        let status = wait_until(LIMIT, "the command ends", || self.child.try_wait().expect("a status"));
        while let Ok(part) = self.parts.recv_timeout(LIMIT) {
            self.shown.extend(part);
        }
        // The terminal itself puts a carriage return before each line feed.
        (String::from_utf8(self.shown).expect("UTF-8").replace("\r\n", "\n"), status.code())
    }
}

/// What is left of a text when its styles are taken away.
pub(super) fn plain(text: &str) -> String {
    anstream::adapter::strip_str(text).to_string()
}
