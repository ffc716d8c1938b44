//! A running child, seen from the one task that owns it.

use std::{future::pending, time::Duration};

use tokio::{
    process::ChildStdout,
    time::{Instant, sleep_until},
};

use super::{
    control::{Command, Exit, Report},
    error::WriteError,
    identity::Identity,
    ladder::{Climb, End, Ladder, Step},
    lifeline::{Lifeline, PATIENCE, Told},
    lines::{LINE_LIMIT, Line, Lines},
    pipes::{Errors, Input},
    timers::{Deadline, Timers},
};
use crate::core::ids::ChildId;

/// How long an output may stay open after the tree is dead: somebody outside of it holds the other end.
const OUTPUT_GRACE: Duration = Duration::from_secs(2);

/// How much of standard output may still come after the tree is dead, in bytes: the most that a pipe holds.
const OUTPUT_REST: usize = 1024 * 1024;

/// What happens to a child.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// It wrote a line to standard output.
    Line(Line),
    /// A limit ran out, for the first and only time. Nothing is done about it.
    Deadline(Deadline),
    /// It ended: the program is dead, all of its output was handed out, and nothing of its tree is left.
    Ended(End),
}

/// A program that was started, and the tree below it.
///
/// One task owns it and pulls its events. Standard error is drained by itself; standard output is read as events are
/// pulled, so a slow caller slows the program down instead of filling memory. Timers and the ladder move on only while
/// [`Self::event`] is being waited for. Dropping it, at any point, kills the whole tree.
#[derive(Debug)]
pub struct Child {
    program: Identity,
    lifeline: Lifeline,
    /// `None` at the end of standard output.
    stdout: Option<ChildStdout>,
    lines: Lines,
    errors: Errors,
    input: Input,
    timers: Timers,
    climb: Option<Climb>,
    /// When a supervisor that should have ended everything is given up.
    stuck_at: Option<Instant>,
    exit: Option<(Exit, Option<Step>)>,
    leftovers: u32,
    rest: Option<Rest>,
    end: Option<End>,
}

/// Reading what is left in the pipes when the tree is dead.
#[derive(Debug)]
struct Rest {
    until: Instant,
    bytes: usize,
    abandoned: bool,
}

/// What [`Child::event`] waits for.
enum Woken {
    Told(Told),
    /// So many bytes of standard output; 0 at its end.
    Read(usize),
    ErrorsEnded,
    Time,
}

impl Child {
    /// Takes over a program that has just been started.
    pub(super) fn new(
        program: Identity,
        lifeline: Lifeline,
        stdout: ChildStdout,
        errors: Errors,
        input: Input,
        timers: Timers,
    ) -> Self {
        Self {
            program,
            lifeline,
            stdout: Some(stdout),
            lines: Lines::new(LINE_LIMIT),
            errors,
            input,
            timers,
            climb: None,
            stuck_at: None,
            exit: None,
            leftovers: 0,
            rest: None,
            end: None,
        }
    }

    /// The program itself.
    pub fn identity(&self) -> &Identity {
        &self.program
    }

    /// Its supervisor.
    pub fn supervisor(&self) -> &Identity {
        self.lifeline.identity()
    }

    /// The tree.
    pub fn id(&self) -> ChildId {
        self.lifeline.id()
    }

    /// What the program wrote to standard error so far: the last 16 KiB, invalid UTF-8 replaced.
    pub fn stderr_tail(&self) -> String {
        self.errors.tail()
    }

    /// Queues bytes for standard input (only with [`Stdin::Open`](super::Stdin::Open)), in order and without waiting:
    /// at most 64 writes can wait for a program that does not read. That the bytes were taken is not said here.
    pub fn write(&mut self, bytes: Vec<u8>) -> Result<(), WriteError> {
        self.input.write(bytes)
    }

    /// Closes standard input, once all that was queued is written.
    pub fn close_stdin(&mut self) {
        self.input.close();
    }

    /// Begins to end the child. Go on pulling [`Self::event`] until [`Event::Ended`]; limits are silent from now on.
    ///
    /// Called again, it goes on from the step that was reached: it can hurry things up, never slow them down.
    pub fn end(&mut self, ladder: Ladder) {
        let now = Instant::now();
        self.timers.disarm();
        match &mut self.climb {
            // Nobody is there to take another step.
            _ if self.exit.is_some() => {}
            Some(climb) => climb.change(ladder, now),
            None => self.climb = Some(Climb::new(ladder, now)),
        }
    }

    /// The next thing that happens. Cancel-safe. [`Event::Ended`] is the last one; whoever asks again gets it again.
    pub async fn event(&mut self) -> Event {
        loop {
            if let Some(line) = self.lines.next() {
                return Event::Line(line);
            }
            if let Some(end) = &self.end {
                // An output that was given up can end in the middle of a line.
                return self.lines.finish().map_or_else(|| Event::Ended(end.clone()), Event::Line);
            }
            if let Some(deadline) = self.due() {
                return Event::Deadline(deadline);
            }
            match self.woken().await {
                Woken::Told(told) => self.told(told),
                Woken::Read(length) => {
                    if let Some(line) = self.read(length) {
                        return Event::Line(line);
                    }
                }
                Woken::ErrorsEnded => {}
                Woken::Time => {
                    // Asked only here, where there is nothing to read: a caller that was away for long has not made
                    // the program silent.
                    if let Some(deadline) = self.timers.idle(Instant::now()) {
                        return Event::Deadline(deadline);
                    }
                }
            }
            self.settle();
        }
    }

    /// Waits for anything at all. Reports come first, since there are few; time comes last.
    async fn woken(&mut self) -> Woken {
        let Self { lifeline, stdout, lines, errors, .. } = self;
        let over = self.rest.is_some();
        let time = self.climb.as_ref().and_then(Climb::due).into_iter();
        let time =
            time.chain(self.timers.due()).chain(self.stuck_at).chain(self.rest.as_ref().map(|rest| rest.until)).min();
        tokio::select! {
            biased;
            told = lifeline.next(), if !over => Woken::Told(told),
            length = async {
                match stdout {
                    Some(stdout) => lines.fill(stdout).await.unwrap_or(0),
                    None => pending().await,
                }
            } => Woken::Read(length),
            () = errors.end(), if !errors.ended() => Woken::ErrorsEnded,
            () = async {
                match time {
                    Some(time) => sleep_until(time).await,
                    None => pending().await,
                }
            } => Woken::Time,
        }
    }

    /// Carries out what is due by the clock, but for the silence.
    fn due(&mut self) -> Option<Deadline> {
        let now = Instant::now();
        if let Some(step) = self.climb.as_mut().and_then(|climb| climb.next(now)) {
            match step {
                Step::CloseStdin => self.input.close(),
                Step::Interrupt => self.lifeline.send(Command::Interrupt),
                Step::Terminate => self.lifeline.send(Command::Terminate),
                Step::Kill => {
                    self.lifeline.send(Command::Kill);
                    self.stuck_at = now.checked_add(PATIENCE);
                }
            }
        }
        if self.stuck_at.take_if(|at| *at <= now).is_some() {
            self.lifeline.cut();
        }
        self.timers.wall(now)
    }

    /// Takes in what the supervisor has told.
    fn told(&mut self, told: Told) {
        match told {
            Told::Report(Report::Exited(exit)) => {
                self.timers.disarm();
                let step = self.climb.take().and_then(|climb| climb.step());
                self.exit = Some((exit, step));
                self.stuck_at = Instant::now().checked_add(PATIENCE);
            }
            Told::Report(Report::Gone { killed, left }) => {
                self.leftovers = killed;
                if left > 0 {
                    tracing::warn!(child = %self.id(), left, "some processes of a tree could not be ended");
                }
            }
            Told::Report(_) => {}
            Told::Over { swept } => {
                self.timers.disarm();
                self.stuck_at = None;
                self.leftovers += swept;
                let step = self.climb.take().and_then(|climb| climb.step());
                self.exit.get_or_insert((Exit::Lost, step));
                self.rest = Some(Rest { until: Instant::now() + OUTPUT_GRACE, bytes: 0, abandoned: false });
            }
        }
    }

    /// Takes in what was read; at the end of the stream (an error on a pipe is one too) there may be one more line.
    fn read(&mut self, length: usize) -> Option<Line> {
        if length == 0 {
            self.stdout = None;
            return self.lines.finish();
        }
        self.timers.activity().note(Instant::now());
        if let Some(rest) = &mut self.rest {
            rest.bytes += length;
        }
        None
    }

    /// Decides whether all is over.
    fn settle(&mut self) {
        let Some(rest) = &mut self.rest else { return };
        if rest.bytes > OUTPUT_REST || (rest.until <= Instant::now()) {
            rest.abandoned = self.stdout.is_some() || !self.errors.ended();
            self.stdout = None;
            self.errors.give_up();
        }
        if self.stdout.is_none() && self.errors.ended() {
            let (exit, step) = self.exit.unwrap_or((Exit::Lost, None));
            self.input = Input::closed();
            self.end = Some(End {
                exit,
                step,
                stderr_tail: self.errors.tail(),
                leftovers: self.leftovers,
                output_abandoned: rest.abandoned,
            });
        }
    }
}
