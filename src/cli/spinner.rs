//! The status line on standard error while a turn runs.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use super::{columns::cut, status};

/// What stands before the message.
const BEFORE: usize = 12;

/// A spinner that can step aside for text and come back. It counts the time of the whole turn.
pub(super) struct Spinner {
    enabled: bool,
    started: Instant,
    message: String,
    bar: Option<ProgressBar>,
}

impl Spinner {
    /// Not drawn until something is told. Without `enabled`, never.
    pub(super) fn new(enabled: bool) -> Self {
        Self { enabled, started: Instant::now(), message: String::new(), bar: None }
    }

    /// Says what is going on; draws it unless the spinner has stepped aside.
    pub(super) fn tell(&mut self, message: String) {
        self.message = message;
        if let Some(bar) = &self.bar {
            bar.set_message(self.fitting());
        }
    }

    /// Draws the spinner, in a line of its own.
    pub(super) fn show(&mut self) {
        if !self.enabled || self.bar.is_some() {
            return;
        }
        let bar = ProgressBar::with_draw_target(None, status::target()).with_elapsed(self.started.elapsed());
        if let Ok(style) = ProgressStyle::with_template("{spinner:.cyan} {elapsed} {msg:.dim}") {
            bar.set_style(style);
        }
        bar.set_message(self.fitting());
        bar.enable_steady_tick(Duration::from_millis(120));
        self.bar = Some(bar);
    }

    /// The message, as long as the line has room for it at this moment.
    fn fitting(&self) -> String {
        cut(&self.message, usize::from(status::width()).saturating_sub(BEFORE))
    }

    /// Takes the spinner off the screen.
    pub(super) fn hide(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}

impl Drop for Spinner {
    fn drop(&mut self) {
        self.hide();
    }
}
