//! One turn: from lock to outcome.

use std::{path::PathBuf, time::Duration};

use tokio::time::{Instant, sleep_until, timeout};
use tokio_util::sync::CancellationToken;

use super::request::TurnLimits;
use crate::core::{
    claude::{Failure, Frame, Models, Observation, ResultFrame, SessionCommand, child_environment, redact},
    config::Settings,
    error::{Error, ErrorCode, Result},
    process::{self, Child, Deadline, End, Event, Held, Ladder, Launch, SpawnError, Spawner, Stdin},
};

/// How long Claude may stay silent after its result before it is ended. It writes the rest of its transcript then.
const RESULT_GRACE: Duration = Duration::from_secs(10);

/// A wait for another process's turn that is shorter than this is not worth a word.
const UNSAID_WAIT: Duration = Duration::from_millis(250);

/// How much of the CLI's standard error an error may carry, in characters.
const STDERR_IN_ERRORS: usize = 2000;

/// What is told while a turn runs.
#[derive(Clone, Copy, Debug)]
pub enum TurnEvent<'a> {
    /// Another turn of this session is running; said once.
    Waiting,
    /// One line of the CLI's output, as it was printed, and what it says.
    Frame(&'a [u8], &'a Frame),
    /// The line with the turn's result, which becomes the answer.
    Result(&'a [u8]),
}

/// Everything a turn needs.
pub(super) struct Turn<'a> {
    pub settings: &'a Settings,
    pub spawner: &'a Spawner,
    pub models: &'a Models,
    pub program: PathBuf,
    pub command: SessionCommand,
    pub cwd: PathBuf,
    pub prompt: String,
    pub limits: TurnLimits,
    pub cancel: &'a CancellationToken,
}

/// Why a child is being ended before its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cause {
    Cancelled,
    Idle,
    Wall,
    LoginRefused,
    /// The result is here, and the process stays.
    Done,
}

impl Turn<'_> {
    /// Takes the session's lock. Nothing is launched yet; dropping the answer gives the lock back.
    pub(super) async fn lock(&self, watch: &mut (dyn FnMut(TurnEvent<'_>) + Send)) -> Result<Held> {
        let launch = Launch {
            program: self.program.clone(),
            args: self.command.arguments(),
            cwd: self.cwd.clone(),
            env: child_environment(&self.settings.environment, &[]),
            stdin: Stdin::Bytes(self.prompt.clone().into_bytes()),
            lock: Some(self.settings.places.locks.join(format!("{}.lock", self.command.target.session_id()))),
            limits: process::Limits { idle: Some(self.limits.idle()), wall: Some(self.limits.wall()) },
        };
        let mut held = self.spawner.spawn(launch).await.map_err(|error| self.not_started(error))?;
        let locked = async {
            if let Ok(locked) = timeout(UNSAID_WAIT, held.locked()).await {
                return locked;
            }
            watch(TurnEvent::Waiting);
            held.locked().await
        };
        tokio::select! {
            biased;
            () = self.cancel.cancelled() => return Err(cancelled()),
            locked = locked => locked.map_err(|error| self.not_started(error))?,
        }
        Ok(held)
    }

    /// Launches Claude and follows it to its end. The process tree is gone when this returns.
    pub(super) async fn run(&self, held: Held, watch: &mut (dyn FnMut(TurnEvent<'_>) + Send)) -> Result<ResultFrame> {
        let mut child = held.go().await.map_err(|error| self.not_started(error))?;
        let mut observation = Observation::default();
        let (end, cause) = self.follow(&mut child, &mut observation, watch).await;
        self.outcome(observation, &end, cause)
    }

    /// The lock file is named after the session, whose id no error tells.
    fn not_started(&self, error: SpawnError) -> Error {
        let mut error = Error::from(error);
        error.message = error.message.replace(&self.command.target.session_id().to_string(), "SESSION");
        error
    }

    async fn follow(
        &self,
        child: &mut Child,
        observation: &mut Observation,
        watch: &mut (dyn FnMut(TurnEvent<'_>) + Send),
    ) -> (End, Option<Cause>) {
        let mut cause = None;
        // A result without a turn: the answer, unless something follows it.
        let mut maybe_last: Option<Vec<u8>> = None;
        let mut stays_until: Option<Instant> = None;
        loop {
            let stays_too_long = async {
                match stays_until {
                    Some(at) if cause.is_none() => sleep_until(at).await,
                    _ => std::future::pending().await,
                }
            };
            let new_cause = tokio::select! {
                biased;
                () = self.cancel.cancelled(), if cause.is_none() => Cause::Cancelled,
                event = child.event() => match event {
                    Event::Ended(end) => {
                        if let Some(line) = maybe_last.filter(|_| !observation.has_result()) {
                            watch(TurnEvent::Result(&line));
                        }
                        return (end, cause);
                    }
                    Event::Deadline(Deadline::Idle) => Cause::Idle,
                    Event::Deadline(Deadline::Wall) => Cause::Wall,
                    Event::Line(line) => {
                        let frame = Frame::read(&line.bytes);
                        observation.see(&frame);
                        if let Some(earlier) = maybe_last.take() {
                            watch(TurnEvent::Frame(&earlier, &Frame::Other));
                        }
                        match &frame {
                            Frame::Result(result) if result.is_real() => watch(TurnEvent::Result(&line.bytes)),
                            Frame::Result(_) => maybe_last = Some(line.bytes),
                            frame => watch(TurnEvent::Frame(&line.bytes, frame)),
                        }
                        if observation.has_result() {
                            stays_until = Some(Instant::now() + RESULT_GRACE);
                        }
                        if !observation.login_is_refused() { continue }
                        Cause::LoginRefused
                    }
                },
                () = stays_too_long => Cause::Done,
            };
            if cause.is_none() {
                // What comes after the result does not change it; what the CLI prints because it is being ended does
                // not explain why.
                cause = Some(if observation.has_result() { Cause::Done } else { new_cause });
                child.end(Ladder::at_work());
            }
        }
    }

    fn outcome(&self, observation: Observation, end: &End, cause: Option<Cause>) -> Result<ResultFrame> {
        let session = self.command.target.session_id().to_string();
        let stderr = redact(&end.stderr_tail, &self.settings.environment, &[&self.prompt, &session]);
        let skipped = stderr.chars().count().saturating_sub(STDERR_IN_ERRORS);
        let stderr: String = stderr.chars().skip(skipped).collect();
        let refused = observation.refused_login();
        let concluded = observation.conclude(end.exit, &stderr);
        let fail = |failure: Failure| failure.into_error(self.models, &stderr);
        match (cause, concluded) {
            // It succeeded before whatever happened afterwards.
            (_, Ok(result)) => Ok(result),
            (Some(Cause::LoginRefused), Err(_)) => Err(fail(refused)),
            (Some(Cause::Cancelled), Err(_)) => Err(cancelled()),
            (Some(Cause::Idle), Err(_)) => Err(self.timed_out(ErrorCode::IdleTimeout)),
            (Some(Cause::Wall), Err(_)) => Err(self.timed_out(ErrorCode::WallTimeout)),
            (Some(Cause::Done) | None, Err(failure)) => Err(fail(failure)),
        }
    }

    fn timed_out(&self, code: ErrorCode) -> Error {
        let (message, hint) = match code {
            ErrorCode::IdleTimeout => (
                format!("Claude printed nothing for {} ms; the turn was ended.", self.limits.idle_ms),
                "Raise timeout_idle_ms if tools run that long in silence. The session is usable: send a message to go on.",
            ),
            _ => (
                format!("The turn took longer than {} ms and was ended.", self.limits.wall_ms),
                "Raise timeout_wall_ms, or use a background agent. The session is usable: send a message to go on.",
            ),
        };
        Error::new(code, message).hint(hint)
    }
}

/// The caller does not want the turn any more.
pub(super) fn cancelled() -> Error {
    Error::new(ErrorCode::Cancelled, "The turn was cancelled.")
        .hint("The session is still usable: send a message to go on.")
}
