//! The whole screen, for what is drawn in place; given back as it was.

use tokio::sync::mpsc;

use super::Terminal;
use crate::core::error::Result;

/// To the second screen, without a cursor; and back.
const ENTER: &str = "\u{1b}[?1049h\u{1b}[?25l";
const LEAVE: &str = "\u{1b}[?25h\u{1b}[?1049l";

/// To the top left; to the end of the line is cleared; to the end of the screen is cleared. What was there before is
/// overwritten without a flicker.
const HOME: &str = "\u{1b}[H";
const END_OF_LINE: &str = "\u{1b}[K";
const REST: &str = "\u{1b}[J";

/// The second screen of a terminal. Dropping it gives the first one back.
pub(super) struct WholeScreen {
    terminal: Terminal,
    keys: mpsc::Receiver<char>,
    _modes: Option<keyboard::Modes>,
}

impl WholeScreen {
    /// Takes the screen, and the keys where they can be had one by one.
    ///
    /// # Errors
    /// Standard output cannot be written.
    pub(super) fn enter(terminal: Terminal) -> Result<Self> {
        let (sender, keys) = mpsc::channel(1);
        let modes = keyboard::Modes::single_keys();
        if modes.is_some() {
            // It ends with the process: nothing else wants to read what is typed.
            tokio::task::spawn_blocking(move || keyboard::send(&sender));
        }
        let screen = Self { terminal, keys, _modes: modes };
        terminal.exactly().write(ENTER.as_bytes())?;
        Ok(screen)
    }

    /// Draws a text and a last line, as much of the text as there is room for.
    ///
    /// # Errors
    /// Standard output cannot be written.
    pub(super) fn draw(&mut self, text: &str, last: &str, size: Terminal) -> Result<()> {
        let rows = usize::from(size.height()).saturating_sub(2);
        let mut frame = HOME.to_owned();
        for line in text.lines().take(rows).chain(["", last]) {
            let break_before = if frame.len() > HOME.len() { "\r\n" } else { "" };
            frame.push_str(break_before);
            frame.push_str(&self.terminal.styled(line));
            frame.push_str(END_OF_LINE);
        }
        self.terminal.exactly().write(format!("{frame}{REST}").as_bytes())
    }

    /// Waits until this key is pressed; for ever where keys cannot be had.
    pub(super) async fn key(&mut self, wanted: char) {
        while let Some(key) = self.keys.recv().await {
            if key.eq_ignore_ascii_case(&wanted) {
                return;
            }
        }
        std::future::pending::<()>().await;
    }
}

impl Drop for WholeScreen {
    fn drop(&mut self) {
        self.terminal.exactly().write(LEAVE.as_bytes()).ok();
    }
}

#[cfg(unix)]
mod keyboard {
    use std::io::{self, IsTerminal, Read};

    use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};
    use tokio::sync::mpsc;

    /// How the keyboard was set. Dropping it sets it so again.
    pub(super) struct Modes(Termios);

    impl Modes {
        /// Keys come one by one and are not shown. Those that send a signal go on doing so.
        pub(super) fn single_keys() -> Option<Self> {
            let stdin = io::stdin();
            let before = tcgetattr(&stdin).ok().filter(|_| stdin.is_terminal())?;
            let mut modes = before.clone();
            modes.local_modes.remove(LocalModes::ICANON | LocalModes::ECHO);
            tcsetattr(&stdin, OptionalActions::Now, &modes).ok()?;
            Some(Self(before))
        }
    }

    impl Drop for Modes {
        fn drop(&mut self) {
            tcsetattr(io::stdin(), OptionalActions::Now, &self.0).ok();
        }
    }

    pub(super) fn send(keys: &mpsc::Sender<char>) {
        for byte in io::stdin().lock().bytes() {
            if !byte.is_ok_and(|byte| keys.blocking_send(char::from(byte)).is_ok()) {
                return;
            }
        }
    }
}

#[cfg(windows)]
mod keyboard {
    use tokio::sync::mpsc;

    /// Keys are not to be had one by one: Ctrl-C is the way to end.
    pub(super) struct Modes;

    impl Modes {
        pub(super) fn single_keys() -> Option<Self> {
            None
        }
    }

    pub(super) fn send(_: &mpsc::Sender<char>) {}
}
