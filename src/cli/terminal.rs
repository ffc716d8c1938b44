//! Where output goes, and what errors look like there.

use std::{
    borrow::Cow,
    io::{self, IsTerminal, Write},
};

use anstream::{AutoStream, ColorChoice};
use serde::Serialize;

use super::{
    clean::{escaped, printable},
    style::{DIM, ERROR, RESET},
};
use crate::core::error::{Error, ErrorObject, ExitStatus, Result};

/// The width of what is no terminal, in columns: nothing is cut or wrapped for a program.
const UNBOUNDED: u16 = u16::MAX;

/// Standard output and standard error, and how to write to them. Colours follow `NO_COLOR`, `CLICOLOR` and pipes.
#[derive(Clone, Copy, Debug)]
pub struct Terminal {
    json: bool,
    interactive: bool,
    status_line: bool,
    width: u16,
    height: u16,
    colors: ColorChoice,
    error_colors: ColorChoice,
}

impl Terminal {
    /// With `json`, errors are JSON on standard output.
    pub fn new(json: bool) -> Self {
        Self { json, ..Self::plain() }
    }

    /// For what is said before the command is known.
    pub fn plain() -> Self {
        Self {
            json: false,
            interactive: io::stdout().is_terminal(),
            status_line: io::stderr().is_terminal(),
            width: UNBOUNDED,
            height: UNBOUNDED,
            colors: AutoStream::choice(&io::stdout()),
            error_colors: AutoStream::choice(&io::stderr()),
        }
        .measured()
    }

    /// The same with the size that it has now.
    pub(super) fn measured(self) -> Self {
        match terminal_size::terminal_size_of(io::stdout()) {
            Some((width, height)) => Self { width: width.0, height: height.0, ..self },
            None => self,
        }
    }

    /// Whether the output, errors included, is JSON.
    pub(super) fn is_json(self) -> bool {
        self.json
    }

    /// Whether standard output is a terminal.
    pub(super) fn is_interactive(self) -> bool {
        self.interactive
    }

    /// Whether standard error is a terminal.
    pub(super) fn has_status_line(self) -> bool {
        self.status_line
    }

    /// The width of standard output in columns.
    pub(super) fn width(self) -> u16 {
        self.width
    }

    /// The height of standard output in rows.
    pub(super) fn height(self) -> u16 {
        self.height
    }

    /// A text with its styles as the terminal wants them.
    pub(super) fn styled(self, text: &str) -> Cow<'_, str> {
        if self.colors == ColorChoice::Never {
            Cow::Owned(anstream::adapter::strip_str(text).to_string())
        } else {
            Cow::Borrowed(text)
        }
    }

    /// Writes to standard output, styles as the terminal wants them. A reader that has gone away is no failure of
    /// ours: it has what it wanted.
    pub(super) fn write(self, bytes: &[u8]) -> Result<()> {
        let mut stdout = AutoStream::new(io::stdout().lock(), self.colors);
        match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                Err(Error::internal("writing the output", error))
            }
            _ => Ok(()),
        }
    }

    /// Writes one JSON document and a line end.
    pub(super) fn write_json(self, value: &impl Serialize) -> Result<()> {
        let text = serde_json::to_string_pretty(value).map_err(|error| Error::internal("writing the output", error))?;
        self.exactly().write(format!("{}\n", escaped(&text)).as_bytes())
    }

    /// The same, for bytes that are to arrive exactly as they are.
    pub(super) fn exactly(self) -> Self {
        Self { colors: ColorChoice::AlwaysAnsi, ..self }
    }

    /// Says one line on standard error. There is nowhere to complain when that fails.
    pub fn say(self, line: &str) {
        writeln!(self.stderr(), "{}", printable(line)).ok();
    }

    /// Says one line on standard error, in the background of what matters.
    pub(super) fn remark(self, line: &str) {
        writeln!(self.stderr(), "{DIM}{}{RESET}", printable(line)).ok();
    }

    /// Reports an error, and gives the status to exit with.
    pub fn fail(self, error: &Error) -> ExitStatus {
        debug_assert!(error.hint.is_some(), "every error says what to do next: {error}");
        if self.json {
            // If standard output is gone, so is whoever wanted to know.
            self.write_json(&ErrorObject { error }).ok();
        } else {
            let mut stderr = self.stderr();
            writeln!(stderr, "{ERROR}error{RESET}: {} [{}]", printable(&error.message), error.code).ok();
            if let Some(tail) = &error.details.stderr_tail {
                for line in printable(tail).lines() {
                    writeln!(stderr, "  {DIM}claude:{RESET} {line}").ok();
                }
            }
            if let Some(hint) = &error.hint {
                writeln!(stderr, "{DIM}hint{RESET}: {}", printable(hint)).ok();
            }
        }
        error.code.exit_status()
    }

    fn stderr(self) -> AutoStream<io::StderrLock<'static>> {
        AutoStream::new(io::stderr().lock(), self.error_colors)
    }
}
