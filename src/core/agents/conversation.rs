//! One process of an agent, as a state machine: what happened goes in, what to do comes out. Pure: the driver
//! (`worker.rs`) does the input and output, and hands in the time.

use std::time::Duration;

use tokio::time::Instant;

use super::attribution::{self, Known, Owner};
use crate::core::{
    claude::Frame,
    ids::{InputId, TurnId},
    process::Ladder,
};

/// How long a process may take to carry out an interrupt before the ladder begins. With the ladder's 3 s an interrupt
/// is over within 8 s, whatever the process does.
const INTERRUPT_GRACE: Duration = Duration::from_secs(3);

/// The same while the server is shutting down.
const SHUTDOWN_GRACE: Duration = Duration::from_millis(2500);

/// How long the result may come after the CLI has said that the input is dealt with. Usually it comes before.
const RESULT_GRACE: Duration = Duration::from_secs(2);

/// How long a process may take to take in context while it rests.
const SETTLE: Duration = Duration::from_secs(10);

/// How long a resting process may take to exit after its standard input was closed.
const LEAVE: Duration = Duration::from_secs(5);

/// Limits of the owner's choice.
#[derive(Clone, Copy, Debug)]
pub(super) struct Patience {
    /// How long a process stays up without a turn.
    pub(super) idle: Duration,
    /// Silence after which a turn is called stalled.
    pub(super) stall: Duration,
}

/// Why a turn is being stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// Somebody asked.
    Interrupt,
    /// The server is shutting down.
    Shutdown,
    /// It takes longer than `max_turn_seconds`.
    TimeLimit,
    /// The API refuses the login, and the CLI would go on trying for minutes.
    LoginRefused,
}

/// What the driver has to do.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Effect {
    /// Record that the CLI has this input.
    Confirmed(InputId),
    /// Record that the turn ended by the frame just read.
    TurnEnded,
    /// The CLI has dealt with the turn's input without a turn: it was cancelled before it began, or swallowed.
    TurnDropped(Turn),
    /// All context is settled: the process can take the next turn.
    Rested,
    /// Write the interrupt request.
    AskInterrupt,
    /// End the process.
    End(Ladder),
    /// Record that the turn has been silent for this long.
    Stalled(Duration),
    /// The process has rested long enough: end it, unless somebody has just given it a turn.
    Expired,
}

/// The turn in progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Turn {
    /// Its id.
    pub(super) id: TurnId,
    /// The input that began it.
    pub(super) input: InputId,
    /// Whether the CLI has confirmed the input.
    pub(super) confirmed: bool,
    /// Why it is being stopped, if it is.
    pub(super) stop: Option<Stop>,
}

/// Context that was written.
#[derive(Clone, Copy, Debug)]
struct Context {
    input: InputId,
    replayed: bool,
}

/// The state of one process.
#[derive(Debug)]
pub(super) struct Conversation {
    patience: Patience,
    turn: Option<Turn>,
    context: Vec<Context>,
    names_inputs: bool,
    ending: bool,
    /// When the turn is to be stopped.
    time_limit: Option<Instant>,
    /// When an unanswered interrupt becomes the ladder.
    ladder_at: Option<Instant>,
    /// When a turn whose input is dealt with is given up.
    dropped_at: Option<Instant>,
    /// The last sign of life.
    heard: Instant,
    /// Whether the present silence was reported.
    stalled: bool,
    /// Since when there is no turn.
    resting_since: Instant,
    /// Since when context is out while there is no turn.
    settling_since: Option<Instant>,
}

impl Conversation {
    /// A process that was just started.
    pub(super) fn new(patience: Patience, now: Instant) -> Self {
        Self {
            patience,
            turn: None,
            context: Vec::new(),
            names_inputs: false,
            ending: false,
            time_limit: None,
            ladder_at: None,
            dropped_at: None,
            heard: now,
            stalled: false,
            resting_since: now,
            settling_since: None,
        }
    }

    /// The turn in progress.
    pub(super) fn turn(&self) -> Option<&Turn> {
        self.turn.as_ref()
    }

    /// Whether a turn may be written: one is never written into another, nor into context that is being taken in.
    pub(super) fn is_rested(&self) -> bool {
        self.turn.is_none() && self.context.is_empty() && !self.ending
    }

    /// Whether context may be written.
    pub(super) fn takes_context(&self) -> bool {
        !self.ending && self.turn.is_none_or(|turn| turn.stop.is_none())
    }

    /// Whether the process is being ended.
    pub(super) fn is_ending(&self) -> bool {
        self.ending
    }

    /// A turn's input was written.
    pub(super) fn began(&mut self, id: TurnId, input: InputId, limit: Option<Duration>, now: Instant) {
        self.turn = Some(Turn { id, input, confirmed: false, stop: None });
        self.time_limit = limit.and_then(|limit| now.checked_add(limit));
        (self.heard, self.stalled) = (now, false);
    }

    /// Context was written.
    pub(super) fn wrote_context(&mut self, input: InputId, now: Instant) {
        self.context.push(Context { input, replayed: false });
        if self.turn.is_none() {
            self.settling_since.get_or_insert(now);
        }
    }

    /// Stops the turn in progress: by the protocol first, then by the ladder. Without a turn nothing happens.
    pub(super) fn stop(&mut self, why: Stop, now: Instant) -> Vec<Effect> {
        let Some(turn) = &mut self.turn else { return Vec::new() };
        let grace = if why == Stop::Shutdown { SHUTDOWN_GRACE } else { INTERRUPT_GRACE };
        let at = now.checked_add(grace);
        if turn.stop.is_some() {
            // Asking again gives no extra time.
            self.ladder_at = self.ladder_at.min(at);
            return Vec::new();
        }
        turn.stop = Some(why);
        self.ladder_at = at;
        vec![Effect::AskInterrupt]
    }

    /// Ends the process: gently when it rests.
    pub(super) fn leave(&mut self) -> Vec<Effect> {
        if std::mem::replace(&mut self.ending, true) {
            return Vec::new();
        }
        vec![Effect::End(if self.turn.is_some() { Ladder::at_work() } else { Ladder::at_rest(LEAVE) })]
    }

    /// A line was read.
    pub(super) fn heard(&mut self, frame: &Frame, now: Instant) -> Vec<Effect> {
        (self.heard, self.stalled) = (now, false);
        let mut effects = Vec::new();
        match frame {
            Frame::User(user) if user.is_replay == Some(true) => {
                if let Some(input) = user.uuid.as_deref().and_then(|id| id.parse().ok()) {
                    self.replayed(input, &mut effects);
                }
            }
            Frame::Lifecycle { input, state } => {
                if let Ok(input) = input.parse::<InputId>()
                    && matches!(state.as_str(), "completed" | "cancelled")
                {
                    self.settle(|context| context.input == input, &mut effects);
                    if self.turn.is_some_and(|turn| turn.input == input) {
                        self.dropped_at = now.checked_add(RESULT_GRACE);
                    }
                }
            }
            Frame::Result(result) => {
                let named = attribution::named(result);
                self.names_inputs |= !named.is_empty();
                let context: Vec<InputId> = self.context.iter().map(|context| context.input).collect();
                let turn = self.turn.map(|turn| (turn.input, turn.confirmed));
                let known = Known { turn, context: &context, names_inputs: self.names_inputs };
                let owner = attribution::owner(result, known);
                for input in named {
                    self.replayed(input, &mut effects);
                }
                // One without names settles what was replayed before it.
                let unnamed = !self.names_inputs;
                let named = attribution::named(result);
                if owner != Owner::Nobody {
                    self.settle(
                        |context| named.contains(&context.input) || (unnamed && context.replayed),
                        &mut effects,
                    );
                }
                if owner == Owner::Turn {
                    self.end_turn(now);
                    effects.push(Effect::TurnEnded);
                    effects.extend(self.rested());
                }
            }
            _ => {}
        }
        effects
    }

    /// The CLI has an input.
    fn replayed(&mut self, input: InputId, effects: &mut Vec<Effect>) {
        if let Some(turn) = self.turn.as_mut().filter(|turn| turn.input == input && !turn.confirmed) {
            turn.confirmed = true;
            effects.push(Effect::Confirmed(input));
            // The request came before the turn had begun, and stopped nothing.
            if turn.stop.is_some() {
                effects.push(Effect::AskInterrupt);
            }
        } else if let Some(context) =
            self.context.iter_mut().find(|context| context.input == input && !context.replayed)
        {
            context.replayed = true;
            effects.push(Effect::Confirmed(input));
        }
    }

    /// Context that `is` settled is off the list, confirmed if it was not before.
    fn settle(&mut self, is: impl Fn(&Context) -> bool, effects: &mut Vec<Effect>) {
        let before = self.context.len();
        for context in self.context.extract_if(.., |context| is(context)) {
            if !context.replayed {
                effects.push(Effect::Confirmed(context.input));
            }
        }
        if before > 0 && self.context.is_empty() && self.turn.is_none() {
            self.settling_since = None;
            effects.extend(self.rested());
        }
    }

    fn rested(&self) -> Option<Effect> {
        self.is_rested().then_some(Effect::Rested)
    }

    fn end_turn(&mut self, now: Instant) {
        self.turn = None;
        (self.time_limit, self.ladder_at, self.dropped_at) = (None, None, None);
        self.resting_since = now;
        self.settling_since = (!self.context.is_empty()).then_some(now);
    }

    /// Gives up the turn in progress, which will not end by itself any more: the process is gone.
    pub(super) fn take_turn(&mut self, now: Instant) -> Option<Turn> {
        let turn = self.turn;
        self.end_turn(now);
        turn
    }

    /// When [`Self::due`] has something to do.
    pub(super) fn next_due(&self) -> Option<Instant> {
        if self.ending {
            return None;
        }
        let (idle, stall) = (self.patience.idle, self.patience.stall);
        let quiet = (self.turn.is_some() && !self.stalled).then(|| self.heard.checked_add(stall)).flatten();
        let settled = self.settling_since.and_then(|since| since.checked_add(SETTLE));
        let rested = self.is_rested().then(|| self.resting_since.checked_add(idle)).flatten();
        [self.time_limit, self.ladder_at, self.dropped_at, quiet, settled, rested].into_iter().flatten().min()
    }

    /// What is due at `now`.
    pub(super) fn due(&mut self, now: Instant) -> Vec<Effect> {
        let past = |at: Option<Instant>| at.is_some_and(|at| at <= now);
        if self.ending {
            return Vec::new();
        }
        if past(self.dropped_at)
            && let Some(turn) = self.take_turn(now)
        {
            return [Effect::TurnDropped(turn)].into_iter().chain(self.rested()).collect();
        }
        if past(self.ladder_at) || past(self.settling_since.and_then(|since| since.checked_add(SETTLE))) {
            self.ladder_at = None;
            return self.leave();
        }
        if past(self.time_limit) {
            self.time_limit = None;
            return self.stop(Stop::TimeLimit, now);
        }
        if self.turn.is_some() && !self.stalled && past(self.heard.checked_add(self.patience.stall)) {
            self.stalled = true;
            return vec![Effect::Stalled(now.saturating_duration_since(self.heard))];
        }
        if self.is_rested() && past(self.resting_since.checked_add(self.patience.idle)) {
            // If somebody gives it a turn just now, the turn goes first; else this is asked again.
            self.resting_since = now;
            return vec![Effect::Expired];
        }
        Vec::new()
    }
}

#[cfg(test)]
mod tests;
