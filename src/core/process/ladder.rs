//! How a child is ended: one ladder, from asking to killing.

use std::time::Duration;

use tokio::time::Instant;

use super::control::Exit;

/// The steps of ending a child, each with the grace before the next one; a step without grace is left out. The last
/// step is always the same: the whole tree is killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ladder {
    /// Close standard input: Claude finishes its turn and exits.
    pub close_stdin: Option<Duration>,
    /// SIGINT to the program's process group. On Windows CTRL-BREAK.
    pub interrupt: Option<Duration>,
    /// SIGTERM to the program's process group. On Windows CTRL-BREAK.
    pub terminate: Option<Duration>,
}

impl Ladder {
    /// Kill the whole tree at once.
    pub const KILL: Self = Self { close_stdin: None, interrupt: None, terminate: None };

    /// For a program that is at rest: close standard input and let it write what it has to (`grace`), then the rest.
    pub const fn at_rest(grace: Duration) -> Self {
        Self { close_stdin: Some(grace), ..Self::at_work() }
    }

    /// For a program in the middle of something, where the end of input would not be an end: SIGINT with 2 s of grace,
    /// SIGTERM with 1 s, kill.
    pub const fn at_work() -> Self {
        Self { close_stdin: None, interrupt: Some(Duration::from_secs(2)), terminate: Some(Duration::from_secs(1)) }
    }

    /// For a server that is about to be killed itself: SIGTERM with `grace`, kill.
    pub const fn in_a_hurry(grace: Duration) -> Self {
        Self { close_stdin: None, interrupt: None, terminate: Some(grace) }
    }

    /// The grace of `step`; `None` when the step is left out.
    const fn grace(&self, step: Step) -> Option<Duration> {
        match step {
            Step::CloseStdin => self.close_stdin,
            Step::Interrupt => self.interrupt,
            Step::Terminate => self.terminate,
            Step::Kill => Some(Duration::MAX),
        }
    }
}

/// One step of a [`Ladder`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// Standard input was closed.
    CloseStdin,
    /// SIGINT was sent.
    Interrupt,
    /// SIGTERM was sent.
    Terminate,
    /// The tree was killed.
    Kill,
}

impl Step {
    /// In the order in which they are taken.
    const ALL: [Self; 4] = [Self::CloseStdin, Self::Interrupt, Self::Terminate, Self::Kill];
}

/// How a child ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct End {
    /// How the program itself ended.
    pub exit: Exit,
    /// The last step of the ladder that was taken before it did; `None` when nobody asked it to end.
    pub step: Option<Step>,
    /// The last 16 KiB of standard error, invalid UTF-8 replaced.
    pub stderr_tail: String,
    /// How many processes of its tree were still alive after the program itself, and were killed.
    pub leftovers: u32,
    /// Whether somebody outside the tree still held an output open when the tree was dead, so that it was given up.
    pub output_abandoned: bool,
}

/// A ladder that is being gone down. Pure: the driver carries the steps out.
#[derive(Debug)]
pub(super) struct Climb {
    ladder: Ladder,
    step: Option<Step>,
    /// When the next step is due; `None` after the last one, and when its time lies beyond what the clock can count.
    due: Option<Instant>,
}

impl Climb {
    /// Starts; the first step is due at once.
    pub(super) fn new(ladder: Ladder, now: Instant) -> Self {
        Self { ladder, step: None, due: Some(now) }
    }

    /// Goes on with another ladder: steps that were taken are not repeated, and the grace of the current one only
    /// gets shorter.
    pub(super) fn change(&mut self, ladder: Ladder, now: Instant) {
        self.ladder = ladder;
        if let Some(step) = self.step.filter(|step| *step != Step::Kill) {
            let due = now.checked_add(ladder.grace(step).unwrap_or_default());
            self.due = self.due.into_iter().chain(due).min();
        }
    }

    /// The step to carry out now, if its time has come.
    pub(super) fn next(&mut self, now: Instant) -> Option<Step> {
        if self.due? > now {
            return None;
        }
        let mut untaken = Step::ALL.into_iter().filter(|step| self.step.is_none_or(|taken| *step > taken));
        let (step, grace) = untaken.find_map(|step| Some((step, self.ladder.grace(step)?)))?;
        self.step = Some(step);
        self.due = if step == Step::Kill { None } else { now.checked_add(grace) };
        Some(step)
    }

    /// The last step taken.
    pub(super) fn step(&self) -> Option<Step> {
        self.step
    }

    /// When the next step is due.
    pub(super) fn due(&self) -> Option<Instant> {
        self.due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    /// All steps with the second in which each is taken.
    fn walk(climb: &mut Climb, start: Instant, seconds: std::ops::Range<u32>) -> Vec<(u32, Step)> {
        seconds.filter_map(|at| climb.next(start + SECOND * at).map(|step| (at, step))).collect()
    }

    #[test]
    fn takes_each_step_after_the_grace_of_the_one_before() {
        let start = Instant::now();
        let ladder = Ladder { close_stdin: Some(SECOND), interrupt: Some(SECOND * 2), terminate: Some(SECOND * 3) };
        let mut climb = Climb::new(ladder, start);
        assert_eq!(
            walk(&mut climb, start, 0..20),
            [(0, Step::CloseStdin), (1, Step::Interrupt), (3, Step::Terminate), (6, Step::Kill)]
        );
        assert_eq!(climb.due(), None);
    }

    #[test]
    fn leaves_out_steps_without_grace() {
        let start = Instant::now();
        assert_eq!(walk(&mut Climb::new(Ladder::KILL, start), start, 0..9), [(0, Step::Kill)]);
        let mut hurry = Climb::new(Ladder::in_a_hurry(SECOND), start);
        assert_eq!(walk(&mut hurry, start, 0..9), [(0, Step::Terminate), (1, Step::Kill)]);
    }

    #[test]
    fn a_second_ladder_goes_on_where_the_first_one_is() {
        let start = Instant::now();
        let mut climb = Climb::new(Ladder::at_rest(SECOND * 60), start);
        assert_eq!(climb.next(start), Some(Step::CloseStdin));
        climb.change(Ladder::at_work(), start + SECOND);
        assert_eq!(walk(&mut climb, start, 1..9), [(1, Step::Interrupt), (3, Step::Terminate), (4, Step::Kill)]);

        let mut climb = Climb::new(Ladder::at_work(), start);
        assert_eq!(climb.next(start), Some(Step::Interrupt));
        climb.change(Ladder::at_rest(SECOND), start + SECOND);
        assert_eq!(climb.due(), Some(start + SECOND * 2), "asking again gives no extra time");
        climb.change(Ladder { interrupt: Some(Duration::MAX), ..Ladder::at_work() }, start + SECOND);
        assert_eq!(climb.due(), Some(start + SECOND * 2));
        climb.change(Ladder::KILL, start + SECOND);
        assert_eq!(climb.next(start + SECOND), Some(Step::Kill));
        climb.change(Ladder::at_work(), start + SECOND);
        assert_eq!(climb.next(start + SECOND * 9), None, "killed once is killed");

        let mut climb = Climb::new(Ladder { interrupt: Some(Duration::MAX), ..Ladder::at_work() }, start);
        assert_eq!((climb.next(start), climb.due()), (Some(Step::Interrupt), None), "for ever");
        climb.change(Ladder::KILL, start + SECOND);
        assert_eq!(climb.next(start + SECOND), Some(Step::Kill));
    }
}
