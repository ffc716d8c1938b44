//! The last line of the terminal on standard error, where spinners and bars are drawn.

use std::{
    io::{self, Write},
    sync::{Mutex, PoisonError},
};

use indicatif::{ProgressDrawTarget, TermLike};
use terminal_size::terminal_size_of;

/// Columns left free at the right: the library fills the line up to its end, and where it is full, the `^C` that the
/// terminal writes for a key would go to the next line; then nobody could clear this one.
const FREE: u16 = 4;

/// Where to draw.
pub(super) fn target() -> ProgressDrawTarget {
    ProgressDrawTarget::term_like_with_hz(Box::new(StatusLine::default()), 20)
}

/// How many columns a status may take at this moment.
pub(super) fn width() -> u16 {
    terminal_size_of(io::stderr()).map_or(80, |(width, _)| width.0).saturating_sub(FREE).max(1)
}

/// Written in one go with each flush, so that nothing flickers.
#[derive(Debug, Default)]
struct StatusLine(Mutex<Vec<u8>>);

impl StatusLine {
    fn put(&self, text: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(text.as_bytes());
    }

    /// Moves the cursor: `letter` says where to.
    fn go(&self, count: usize, letter: char) {
        if count > 0 {
            self.put(&format!("\u{1b}[{count}{letter}"));
        }
    }
}

impl TermLike for StatusLine {
    fn width(&self) -> u16 {
        width()
    }

    fn height(&self) -> u16 {
        terminal_size_of(io::stderr()).map_or(24, |(_, height)| height.0)
    }

    fn move_cursor_up(&self, count: usize) -> io::Result<()> {
        self.go(count, 'A');
        Ok(())
    }

    fn move_cursor_down(&self, count: usize) -> io::Result<()> {
        self.go(count, 'B');
        Ok(())
    }

    fn move_cursor_right(&self, count: usize) -> io::Result<()> {
        self.go(count, 'C');
        Ok(())
    }

    fn move_cursor_left(&self, count: usize) -> io::Result<()> {
        self.go(count, 'D');
        Ok(())
    }

    fn write_line(&self, text: &str) -> io::Result<()> {
        self.put(text);
        self.put("\n");
        Ok(())
    }

    fn write_str(&self, text: &str) -> io::Result<()> {
        self.put(text);
        Ok(())
    }

    fn clear_line(&self) -> io::Result<()> {
        self.put("\r\u{1b}[2K");
        Ok(())
    }

    fn flush(&self) -> io::Result<()> {
        let bytes = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        let mut stderr = io::stderr().lock();
        stderr.write_all(&bytes)?;
        stderr.flush()
    }
}
