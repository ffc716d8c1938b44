//! Where output goes, and what errors look like there.

use std::{
    borrow::Cow,
    io::{self, IsTerminal, Write},
};

use anstream::{AutoStream, ColorChoice};
use serde::Serialize;

use super::{
    clean::{escaped, printable},
    columns::{width, wrap},
    style::{DIM, ERROR, RESET, paint},
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
            let what = format!("{} [{}]", error.message, error.code);
            write!(stderr, "{}", told("error", ERROR, &what)).ok();
            if let Some(tail) = &error.details.stderr_tail {
                for line in printable(tail).lines() {
                    writeln!(stderr, "  {DIM}claude:{RESET} {line}").ok();
                }
            }
            if let Some(hint) = &error.hint {
                write!(stderr, "{}", told("hint", DIM, hint)).ok();
            }
        }
        error.code.exit_status()
    }

    fn stderr(self) -> AutoStream<io::StderrLock<'static>> {
        AutoStream::new(io::stderr().lock(), self.error_colors)
    }
}

/// Lines for standard error that begin with a label; on a terminal none is broken inside a word.
fn told(label: &str, style: &str, text: &str) -> String {
    let columns = terminal_size::terminal_size_of(io::stderr()).map_or(usize::MAX, |(width, _)| usize::from(width.0));
    let text = format!("{label}: {}", printable(text));
    let mut told = String::new();
    for (number, line) in text.lines().enumerate() {
        let labelled = if number == 0 { label.len() } else { 0 };
        let pieces = if width(line) <= columns {
            let (bright, rest) = line.split_at(labelled);
            vec![vec![(bright.to_owned(), true), (rest.to_owned(), false)]]
        } else {
            let lines = wrap(line, columns, |index| index < labelled);
            lines.into_iter().map(|line| line.into_iter().map(|piece| (piece.text, piece.bright)).collect()).collect()
        };
        for line in pieces {
            told.extend(line.into_iter().map(|(text, bright)| if bright { paint(style, &text) } else { text }));
            told.push('\n');
        }
    }
    told
}
