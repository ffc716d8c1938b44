//! A real terminal of a chosen size: what a command draws on it, and keys pressed on it.

use std::{
    fs::File,
    io::{Read, Write},
    num::NonZero,
    os::{fd::OwnedFd, unix::process::CommandExt},
    process::{Child, Command, Stdio},
    sync::mpsc::{Receiver, channel},
    thread,
};

use rustix::{
    fs::{Mode, OFlags, open},
    process::{ioctl_tiocsctty, setsid},
    pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt},
    termios::{Winsize, tcsetwinsize},
};

use super::{LIMIT, wait_until};

/// The rows of a terminal of which only the width matters.
const ROWS: u16 = 50;

/// A command that runs on a terminal, which is its controlling one: Ctrl-C reaches it.
pub(crate) struct Screen {
    child: Child,
    keys: File,
    parts: Receiver<Vec<u8>>,
    shown: Vec<u8>,
    drawn: vt100::Parser,
}

impl Screen {
    /// Runs a command whose three streams are one terminal of so many columns.
    #[track_caller]
    pub(crate) fn start(command: Command, columns: u16) -> Self {
        Self::sized(command, columns, ROWS)
    }

    /// The same, with so many rows too.
    #[track_caller]
    pub(crate) fn sized(mut command: Command, columns: u16, rows: u16) -> Self {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
        grantpt(&master).and_then(|()| unlockpt(&master)).expect("a terminal of our own");
        let name = ptsname(&master, Vec::new()).expect("its name");
        let size = Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        let slave: OwnedFd = open(name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).expect("its other end");
        tcsetwinsize(&slave, size).expect("its size");
        let other = || Stdio::from(slave.try_clone().expect("one more"));
        command.env("TERM", "xterm-256color").stdin(other()).stdout(other()).stderr(other());
        own_terminal(&mut command);
        let child = command.spawn().expect("the command starts");
        drop((slave, command));
        let keys = File::from(master);
        let mut master = keys.try_clone().expect("one more");
        let (sender, parts) = channel();
        thread::spawn(move || {
            let mut part = [0; 4096];
            while let Ok(count @ 1..) = master.read(&mut part) {
                if sender.send(part[..count].to_vec()).is_err() {
                    return;
                }
            }
        });
        let size = |size| NonZero::new(size).expect("some rows and columns");
        let drawn = vt100::Parser::new(size(rows), size(columns), 0);
        Self { child, keys, parts, shown: Vec::new(), drawn }
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Presses keys.
    #[track_caller]
    pub(crate) fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).expect("keys");
    }

    fn take(&mut self, part: &[u8]) {
        self.shown.extend_from_slice(part);
        self.drawn.process(part);
    }

    fn look(&mut self) {
        let parts: Vec<u8> = self.parts.try_iter().flatten().collect();
        self.take(&parts);
    }

    /// Waits until this has been shown.
    #[track_caller]
    pub(crate) fn wait_for(&mut self, text: &str) {
        wait_until(LIMIT, &format!("{text:?} is shown"), || {
            self.look();
            String::from_utf8_lossy(&self.shown).contains(text).then_some(())
        });
    }

    /// Waits until what is on the screen is as it should be.
    #[track_caller]
    pub(crate) fn wait_until(&mut self, what: &str, mut is_right: impl FnMut(&str) -> bool) {
        wait_until(LIMIT, what, || {
            self.look();
            is_right(&self.drawn()).then_some(())
        });
    }

    /// What is on the screen now: its lines without what is blank at their ends, and no empty ones at the end.
    pub(crate) fn drawn(&self) -> String {
        self.drawn.screen().contents()
    }

    /// Everything that has been shown, escape sequences included.
    pub(crate) fn shown(&self) -> String {
        String::from_utf8_lossy(&self.shown).into_owned()
    }

    /// Whether the cursor is hidden, or the second screen in use.
    pub(crate) fn is_left_in_disorder(&self) -> bool {
        let screen = self.drawn.screen();
        screen.hide_cursor() || screen.alternate_screen()
    }

    /// Waits for the command's end; its exit status. What it has shown stays to be looked at.
    #[track_caller]
    pub(crate) fn end(&mut self) -> Option<i32> {
        let status = wait_until(LIMIT, "the command ends", || {
            self.look();
            self.child.try_wait().expect("a status")
        });
        // Its end hangs the terminal up: what it wrote last comes before that.
        while let Ok(part) = self.parts.recv_timeout(LIMIT) {
            self.take(&part);
        }
        status.code()
    }

    /// Everything that was shown until the command ended, and its exit status.
    #[track_caller]
    pub(crate) fn finish(mut self) -> (String, Option<i32>) {
        let status = self.end();
        // The terminal itself puts a carriage return before each line feed.
        (String::from_utf8(self.shown).expect("UTF-8").replace("\r\n", "\n"), status)
    }
}

/// Makes the terminal on standard input the command's own.
#[expect(unsafe_code, reason = "there is no safe way to run something between fork and exec")]
fn own_terminal(command: &mut Command) {
    let take = || {
        setsid()?;
        ioctl_tiocsctty(rustix::stdio::stdin())?;
        Ok(())
    };
    // SAFETY: two system calls, which is all that happens between fork and exec.
    unsafe { command.pre_exec(take) };
}

/// What is left of a text when its styles are taken away.
pub(crate) fn plain(text: &str) -> String {
    anstream::adapter::strip_str(text).to_string()
}
