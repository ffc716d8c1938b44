//! When a child's limits are due. Pure: the time is handed in.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use tokio::time::Instant;

use super::launch::Limits;

/// A limit that ran out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deadline {
    /// Neither output has had a byte for that long.
    Idle,
    /// The program has run for that long.
    Wall,
}

/// When the child last wrote something, on either output. Shared with the task that drains standard error.
#[derive(Clone, Debug)]
pub(super) struct Activity {
    start: Instant,
    /// Milliseconds after `start`.
    last: Arc<AtomicU64>,
}

impl Activity {
    /// Begins now.
    pub(super) fn new(start: Instant) -> Self {
        Self { start, last: Arc::default() }
    }

    /// Something was written.
    pub(super) fn note(&self, now: Instant) {
        let millis = now.saturating_duration_since(self.start).as_millis();
        self.last.fetch_max(u64::try_from(millis).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    fn last(&self) -> Instant {
        self.start + Duration::from_millis(self.last.load(Ordering::Relaxed))
    }
}

/// The two limits, each of which speaks up once.
#[derive(Debug)]
pub(super) struct Timers {
    idle: Option<Duration>,
    wall: Option<Instant>,
    activity: Activity,
}

impl Timers {
    /// Armed from `start` on.
    pub(super) fn new(limits: Limits, start: Instant) -> Self {
        // A limit beyond what the clock can count is none.
        let wall = limits.wall.and_then(|wall| start.checked_add(wall));
        Self { idle: limits.idle, wall, activity: Activity::new(start) }
    }

    /// The note pad for the tasks that read.
    pub(super) fn activity(&self) -> &Activity {
        &self.activity
    }

    /// Neither limit is of interest any more.
    pub(super) fn disarm(&mut self) {
        self.idle = None;
        self.wall = None;
    }

    /// Whether the whole time is up.
    pub(super) fn wall(&mut self, now: Instant) -> Option<Deadline> {
        self.wall.take_if(|wall| *wall <= now).map(|_| Deadline::Wall)
    }

    /// Whether it has been quiet for too long. Ask only when there is nothing left to read.
    pub(super) fn idle(&mut self, now: Instant) -> Option<Deadline> {
        let due = self.idle_due()?;
        (due <= now).then(|| self.idle.take()).flatten().map(|_| Deadline::Idle)
    }

    /// When the next of the two is due, as far as is known now.
    pub(super) fn due(&self) -> Option<Instant> {
        self.idle_due().into_iter().chain(self.wall).min()
    }

    fn idle_due(&self) -> Option<Instant> {
        self.activity.last().checked_add(self.idle?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn each_limit_speaks_up_once() {
        let start = Instant::now();
        let mut timers = Timers::new(Limits { idle: Some(SECOND), wall: Some(SECOND * 5) }, start);
        assert_eq!(timers.due(), Some(start + SECOND));
        assert_eq!(timers.idle(start), None);
        assert_eq!(timers.idle(start + SECOND), Some(Deadline::Idle));
        assert_eq!(timers.idle(start + SECOND * 9), None);
        assert_eq!(timers.wall(start + SECOND * 4), None);
        assert_eq!(timers.wall(start + SECOND * 5), Some(Deadline::Wall));
        assert_eq!(timers.wall(start + SECOND * 9), None);
        assert_eq!(timers.due(), None);
    }

    #[test]
    fn activity_starts_the_silence_anew() {
        let start = Instant::now();
        let mut timers = Timers::new(Limits { idle: Some(SECOND), wall: None }, start);
        timers.activity().clone().note(start + SECOND);
        timers.activity().note(start);
        assert_eq!(timers.idle(start + SECOND), None);
        assert_eq!(timers.idle(start + SECOND * 2), Some(Deadline::Idle));
    }

    #[test]
    fn absurd_limits_are_none() {
        let start = Instant::now();
        let mut timers = Timers::new(Limits { idle: Some(Duration::MAX), wall: Some(Duration::MAX) }, start);
        assert_eq!((timers.idle(start), timers.wall(start), timers.due()), (None, None, None));
    }
}
