//! A reply as it is written: text, spinner, the line at the end.

use super::{clean::printable, columns::width, spinner::Spinner, terminal::Terminal};
use crate::core::{
    claude::{Activity, Frame},
    error::Result,
    ids::SessionId,
    sessions::{TurnAnswer, TurnEvent},
};

/// How a reply is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// The text as it is written.
    Text,
    /// The result object at the end.
    Json,
    /// The CLI's own lines.
    Frames,
}

/// Shows one turn.
pub(super) struct ReplyView {
    terminal: Terminal,
    form: Form,
    spinner: Spinner,
    tokens: u64,
    doing: String,
    /// Whether any text was printed, and whether it ended with a line end: the spinner needs a line of its own.
    printed: bool,
    at_line_start: bool,
    /// Standard output does not take any more; said once the turn is over.
    broken: Result<()>,
}

impl ReplyView {
    pub(super) fn new(terminal: Terminal, form: Form) -> Self {
        let mut view = Self {
            terminal,
            form,
            spinner: Spinner::new(terminal.has_status_line() && form != Form::Frames),
            tokens: 0,
            doing: String::new(),
            printed: false,
            at_line_start: true,
            broken: Ok(()),
        };
        view.doing("starting");
        view
    }

    /// Takes one event of the turn.
    pub(super) fn show(&mut self, event: TurnEvent<'_>) {
        match event {
            TurnEvent::Waiting => self.doing("waiting for another turn of this session"),
            TurnEvent::Frame(line, frame) => {
                self.frame(line);
                match frame {
                    Frame::Init(_) => self.doing("thinking"),
                    Frame::Activity(Activity::Text(text)) => self.text(text),
                    Frame::Activity(Activity::Writing) => self.next_block(),
                    Frame::Activity(Activity::Tool(name)) => self.tool(name),
                    Frame::Activity(Activity::OutputTokens(tokens)) => {
                        self.tokens += tokens;
                        self.tell_status();
                    }
                    Frame::ApiRetry(_) => self.doing("the API failed, trying again"),
                    _ => {}
                }
            }
            TurnEvent::Result(line) => self.frame(line),
        }
    }

    /// Prints what is still to be printed: the text if none was streamed, or the object; and the line at the end.
    pub(super) fn finish(mut self, answer: &TurnAnswer, model: &str) -> Result<()> {
        if !self.printed {
            self.text(&answer.response);
        }
        self.end_line();
        self.spinner.hide();
        self.broken?;
        if self.form == Form::Json {
            self.terminal.write_json(answer)?;
        }
        for line in closing_lines(answer, model, usize::from(self.terminal.width())) {
            self.terminal.remark(&line);
        }
        Ok(())
    }

    /// Clears the way for an error.
    pub(super) fn abandon(mut self) {
        self.end_line();
        self.spinner.hide();
    }

    fn frame(&mut self, line: &[u8]) {
        if self.form == Form::Frames {
            self.keep(self.terminal.exactly().write(&[line, b"\n"].concat()));
        }
    }

    fn text(&mut self, text: &str) {
        if self.form != Form::Text || text.is_empty() {
            return;
        }
        self.spinner.hide();
        let written = if self.terminal.is_interactive() {
            self.terminal.write(printable(text).as_bytes())
        } else {
            self.terminal.exactly().write(text.as_bytes())
        };
        self.keep(written);
        self.printed = true;
        self.at_line_start = text.ends_with('\n');
    }

    fn end_line(&mut self) {
        if !self.at_line_start {
            self.text("\n");
        }
    }

    /// A further block of text is a paragraph of its own.
    fn next_block(&mut self) {
        if self.printed {
            self.end_line();
            self.text("\n");
        }
        self.doing("writing");
    }

    fn doing(&mut self, what: &str) {
        self.doing = printable(what).into_owned();
        self.tell_status();
        // In the middle of a line there is no place for it; the text itself shows that something goes on.
        if self.at_line_start || !self.terminal.is_interactive() {
            self.spinner.show();
        }
    }

    /// A tool may run for long: it gets a line of its own.
    fn tool(&mut self, name: &str) {
        self.end_line();
        self.doing(name);
    }

    fn tell_status(&mut self) {
        let tokens = if self.tokens == 0 { String::new() } else { format!(" · {} tokens", self.tokens) };
        self.spinner.tell(format!("{}{tokens}", self.doing));
    }

    fn keep(&mut self, written: Result<()>) {
        if self.broken.is_ok() {
            self.broken = written;
        }
    }
}

/// Session, cost, duration, and the command to go on: in one line where that fits.
fn closing_lines(answer: &TurnAnswer, model: &str, columns: usize) -> Vec<String> {
    let id = answer.session_id.to_string();
    let mut facts = vec![format!("session {id}")];
    facts.extend(answer.turn_cost_usd.or(answer.total_cost_usd).map(|dollars| format!("${dollars:.4}")));
    #[expect(clippy::cast_precision_loss, reason = "milliseconds of one turn")]
    facts.extend(answer.duration_ms.map(|ms| format!("{:.1} s", ms as f64 / 1000.0)));
    let whole = [facts.clone(), vec![command(&id, model)]].concat().join(" · ");
    if width(&whole) <= columns {
        return vec![whole];
    }
    let mut lines: Vec<String> = Vec::new();
    for fact in facts {
        match lines.last_mut().filter(|line| width(line) + 3 + width(&fact) <= columns) {
            Some(line) => *line = format!("{line} · {fact}"),
            None => lines.push(fact),
        }
    }
    lines.push(going_on(answer.session_id, model, columns));
    lines
}

/// The command to go on, on one line: nothing to copy is broken in the middle.
pub(super) fn going_on(session: SessionId, model: &str, columns: usize) -> String {
    let id = session.to_string();
    let whole = command(&id, model);
    if width(&whole) <= columns {
        return whole;
    }
    let short: String = id.chars().take(8).collect();
    command(&short, model)
}

fn command(id: &str, model: &str) -> String {
    format!("go on: ccmcp send {id} --model {model} …")
}
