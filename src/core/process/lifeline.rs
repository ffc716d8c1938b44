//! A server's hold on one supervisor. Letting go of it ends the tree.

use std::{io, time::Duration};

use tokio::task::JoinHandle;

use super::{
    control::{Command, Report},
    identity::Identity,
    platform::{CLEAR_LIMIT, Channel},
    sweep,
};
use crate::core::ids::ChildId;

/// How long a supervisor may take from a kill, or the end of its program, to its own end: its own limit and some more.
pub(super) const PATIENCE: Duration = CLEAR_LIMIT.saturating_add(Duration::from_secs(5));

/// What a supervisor's side of things has to tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Told {
    /// It says something.
    Report(Report),
    /// It has ended, its lock is free and its tree is dead. If it vanished before it had ended the tree itself, we did,
    /// and found so many processes.
    Over { swept: u32 },
}

/// A supervisor and the channel to it.
#[derive(Debug)]
pub(super) struct Lifeline {
    id: ChildId,
    identity: Identity,
    channel: Channel,
    /// `None` only while this is dropped.
    process: Option<tokio::process::Child>,
    state: State,
}

/// How far the end has come.
#[derive(Debug)]
enum State {
    /// The channel is open. `started`: there is a tree; `gone`: there was one, and it is dead.
    Open { started: bool, gone: bool },
    /// The channel has ended, the process perhaps not yet. `orphaned`: its tree may be alive.
    Closed { orphaned: bool },
    /// It vanished, and we look for what it left behind.
    Sweeping(JoinHandle<io::Result<u32>>),
    /// Nothing is left.
    Over { swept: u32 },
}

impl Lifeline {
    /// Takes hold of a supervisor that was just started.
    pub(super) fn new(id: ChildId, process: tokio::process::Child, channel: Channel) -> io::Result<Self> {
        let pid = process.id().ok_or(io::ErrorKind::NotFound)?;
        // One that could not take its lock, for one, has said so and is gone: what it said is still to be heard.
        let identity = Identity::of_child(pid)?.ok_or(io::ErrorKind::NotFound)?;
        let state = State::Open { started: false, gone: false };
        Ok(Self { id, identity, channel, process: Some(process), state })
    }

    /// The tree.
    pub(super) fn id(&self) -> ChildId {
        self.id
    }

    /// The supervisor.
    pub(super) fn identity(&self) -> &Identity {
        &self.identity
    }

    /// Asks the supervisor for something.
    pub(super) fn send(&mut self, command: Command) {
        self.channel.send(command);
    }

    /// Ends a supervisor that does not do what it should. What is below it is swept as soon as it is dead.
    pub(super) fn cut(&mut self) {
        if let Some(process) = &mut self.process {
            // Not reaped yet, so the pid is still its own; and if it is, this does nothing.
            let _dead_already = process.start_kill();
        }
    }

    /// The next thing to know; [`Told::Over`] for ever once all is over. Cancel-safe.
    pub(super) async fn next(&mut self) -> Told {
        loop {
            match &mut self.state {
                State::Open { started, gone } => match self.channel.report().await {
                    Ok(Some(report)) => {
                        *started |= matches!(report, Report::Started { .. });
                        *gone |= matches!(report, Report::Gone { .. });
                        return Told::Report(report);
                    }
                    Ok(None) | Err(_) => self.state = State::Closed { orphaned: *started && !*gone },
                },
                State::Closed { orphaned } => {
                    let orphaned = *orphaned;
                    if let Some(process) = &mut self.process {
                        if orphaned {
                            // As a rule it is dead. Without its channel it is of no use, and must not get in the way.
                            let _dead_already = process.start_kill();
                        }
                        let _status = process.wait().await;
                    }
                    let id = self.id;
                    self.state = if orphaned {
                        State::Sweeping(tokio::task::spawn_blocking(move || sweep::end_child(id)))
                    } else {
                        State::Over { swept: 0 }
                    };
                }
                State::Sweeping(sweep) => {
                    let swept = sweep.await.map_err(io::Error::other).flatten();
                    if let Err(error) = &swept {
                        tracing::warn!(child = %self.id, %error, "what a lost supervisor left behind could not be ended");
                    }
                    self.state = State::Over { swept: swept.unwrap_or(0) };
                }
                State::Over { swept } => return Told::Over { swept: *swept },
            }
        }
    }
}

impl Drop for Lifeline {
    /// The channel closes right after this, which ends the tree. Somebody still has to take the supervisor's status, and
    /// to see to the tree if the supervisor is dead already or dies over it.
    fn drop(&mut self) {
        let (Some(mut process), Ok(runtime)) = (self.process.take(), tokio::runtime::Handle::try_current()) else {
            return;
        };
        if matches!(self.state, State::Sweeping(_) | State::Over { .. }) {
            return;
        }
        let id = self.id;
        runtime.spawn(async move {
            let status = tokio::time::timeout(PATIENCE, process.wait()).await;
            if !status.is_ok_and(|status| status.is_ok_and(|status| status.success())) {
                let _dead_already = process.start_kill();
                let _status = process.wait().await;
                let _counted = tokio::task::spawn_blocking(move || sweep::end_child(id)).await;
            }
        });
    }
}
