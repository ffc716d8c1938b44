//! One task per process: it starts it, talks to it, and records what comes of it. It alone touches the process;
//! everybody else sends it [`Order`]s.

use std::{future::pending, sync::Arc, time::Duration};

use tokio::{
    sync::mpsc,
    time::{Instant, sleep_until},
};

use super::{
    assembly, attention,
    claim::Claimed,
    conversation::{Conversation, Effect, Patience, Stop},
    cost::Meter,
    ending::{self, Afterwards, Outcome},
    event::{Event as AgentEvent, Queued},
    hub::Hub,
    launch::{self, NotStarted, Started},
    reconcile::{self, Remains},
    record::{Recorder, Turned},
    verdict,
};
use crate::core::{
    claude::{Frame, Observation, redact},
    clock::Timestamp,
    ids::{ChildId, InputId, TurnId},
    process::{Child, End, Event, Exit, Ladder},
    store::{AgentRow, AgentState, AttentionReason, Phase, RequestKind, StoreError, TurnEnd, TurnReason, TurnStatus},
};

/// What the others want of a worker. All of it is in the database too: an order only says "look now".
#[derive(Clone, Copy, Debug)]
pub(super) enum Order {
    /// Take this turn.
    Begin(TurnId),
    /// There is context in the mailbox.
    Mail,
    /// Stop the turn in progress.
    Stop(Stop),
    /// End the process, if it rests.
    Leave,
}

/// How long a process that is idle at shutdown may take to write what it has.
const HURRY: Duration = Duration::from_millis(1500);

/// A process at work.
struct Worker {
    hub: Arc<Hub>,
    agent: AgentRow,
    lease: ChildId,
    child: Child,
    conversation: Conversation,
    observation: Observation,
    meter: Meter,
    recorder: Recorder,
    /// What the turn was asked, which must not show up in what is told about its failure.
    asked: Vec<String>,
    /// The server is shutting down: once there is no turn, the process goes.
    hurried: bool,
}

/// Runs a claimed turn, and those that come after it in the same process, until the process is gone.
pub(super) async fn run(hub: Arc<Hub>, claimed: Claimed, mut orders: mpsc::Receiver<Order>) -> Result<(), StoreError> {
    let Claimed { child: lease, agent, turn, .. } = claimed;
    let started = tokio::select! {
        started = launch::start(&hub, &agent, lease) => started,
        stop = stopped(&mut orders) => return not_begun(&hub, lease, turn, Outcome::Ended(verdict::stopped(stop))).await,
    };
    match started {
        Ok(Started { child, meter }) => {
            let patience = Patience { idle: hub.settings.limits.idle, stall: hub.settings.limits.stall };
            let worker = Worker {
                recorder: Recorder::new(agent.agent_id),
                hub,
                agent,
                lease,
                child,
                conversation: Conversation::new(patience, Instant::now()),
                observation: Observation::default(),
                meter,
                asked: Vec::new(),
                hurried: false,
            };
            worker.work(turn, orders).await
        }
        Err(NotStarted::LeaseLost) => Ok(()),
        Err(NotStarted::TranscriptMissing) => lost_transcript(&hub, lease, turn).await,
        Err(NotStarted::Failed(why)) => {
            hub.cli.doubt().await;
            tracing::warn!(agent = %agent.agent_id, %why, "an agent's process could not be started");
            let known = TurnEnd {
                stderr_tail: verdict::tail(&why),
                ..TurnEnd::new(TurnStatus::Failed, Some(TurnReason::LaunchFailed))
            };
            not_begun(&hub, lease, turn, Outcome::LaunchFailed(known)).await
        }
    }
}

/// Waits for the order to stop; the others find nothing to do before the process runs.
async fn stopped(orders: &mut mpsc::Receiver<Order>) -> Stop {
    loop {
        match orders.recv().await {
            Some(Order::Stop(stop)) => return stop,
            Some(_) => {}
            None => return Stop::Shutdown,
        }
    }
}

/// Records what happened to a turn whose process never ran.
async fn not_begun(hub: &Hub, lease: ChildId, turn: TurnId, outcome: Outcome) -> Result<(), StoreError> {
    let conclude = move |change: &crate::core::store::Change<'_>| {
        ending::conclude(change, lease, turn, outcome, Afterwards::Gone, Queued::Retry)
    };
    hub.store.write(conclude).await.map(drop)
}

/// The turn fails, and somebody has to decide what becomes of the agent.
async fn lost_transcript(hub: &Hub, lease: ChildId, turn: TurnId) -> Result<(), StoreError> {
    hub.store
        .write(move |change| {
            let end = TurnEnd::new(TurnStatus::Failed, Some(TurnReason::ResumeFailed));
            let agent = change.child(lease)?.map(|child| child.agent_id);
            let outcome = Outcome::Ended(end);
            if ending::conclude(change, lease, turn, outcome, Afterwards::Gone, Queued::Retry)?
                && let Some(agent) = agent
                && change.agent(agent)?.is_some_and(|agent| agent.state == AgentState::Idle)
            {
                let reason = AttentionReason::TranscriptMissing;
                change.set_agent_state(agent, AgentState::NeedsAttention, Some(reason))?;
                AgentEvent::AgentNeedsAttention { reason }.record(change, agent)?;
            }
            Ok(())
        })
        .await
}

impl Worker {
    async fn work(mut self, first: TurnId, mut orders: mpsc::Receiver<Order>) -> Result<(), StoreError> {
        self.begin(first).await?;
        let mut listening = true;
        loop {
            let due = [self.conversation.next_due(), self.recorder.due()].into_iter().flatten().min();
            tokio::select! {
                event = self.child.event() => match event {
                    Event::Line(line) => self.heard(&line.bytes).await?,
                    Event::Deadline(_) => {}
                    Event::Ended(end) => return self.ended(&end).await,
                },
                order = orders.recv(), if listening => match order {
                    Some(order) => self.ordered(order).await?,
                    None => {
                        // The server is going down without having asked us to stop.
                        listening = false;
                        self.child.end(Ladder::in_a_hurry(HURRY));
                    }
                },
                () = async {
                    match due {
                        Some(due) => sleep_until(due).await,
                        None => pending().await,
                    }
                } => {
                    let effects = self.conversation.due(Instant::now());
                    self.carry_out(effects, None).await?;
                    if self.recorder.due().is_some_and(|due| due <= Instant::now()) {
                        self.recorder.flush(&self.hub.store).await?;
                    }
                }
            }
            if self.hurried && self.conversation.turn().is_none() {
                self.child.end(Ladder { close_stdin: Some(HURRY), ..Ladder::in_a_hurry(Duration::from_millis(500)) });
            }
        }
    }

    async fn ordered(&mut self, order: Order) -> Result<(), StoreError> {
        match order {
            Order::Begin(turn) => self.begin(turn).await,
            Order::Mail => self.deliver().await,
            Order::Stop(stop) => {
                self.hurried |= stop == Stop::Shutdown;
                let effects = self.conversation.stop(stop, Instant::now());
                self.carry_out(effects, None).await
            }
            Order::Leave => self.leave().await,
        }
    }

    /// Writes a turn's input, unless there is a reason not to.
    async fn begin(&mut self, turn: TurnId) -> Result<(), StoreError> {
        if self.conversation.turn().is_some() {
            return Ok(());
        }
        let (lease, agent, input) = (self.lease, self.agent.agent_id, InputId::new());
        let mail = self
            .hub
            .store
            .write(move |change| {
                let held = change.child(lease)?.is_some_and(|child| child.turn_id == Some(turn));
                let Some(row) = change.turn(turn)?.filter(|_| held) else { return Ok(None) };
                let pending = change.pending(agent)?;
                let mail = assembly::input(&pending);
                let request = change.request(agent, RequestKind::Interrupt)?;
                let stop = request.is_some_and(|request| request.turn_id == Some(turn));
                if stop || mail.is_empty() {
                    let outcome = Outcome::Ended(verdict::stopped(Stop::Interrupt));
                    ending::conclude(change, lease, turn, outcome, Afterwards::Rested, Queued::Retry)?;
                    return Ok(None);
                }
                for message in mail {
                    change.lease_message(message.message_id, Some(turn), input, lease)?;
                }
                change.set_child_phase(lease, Phase::Busy, Some(turn))?;
                Ok::<_, StoreError>(Some((mail.to_vec(), row.deaths > 0)))
            })
            .await?;
        let Some((mail, died)) = mail else { return Ok(()) };
        let repeat = died || mail.iter().any(|message| message.tried);
        self.observation = Observation::default();
        self.asked = mail.iter().map(|message| message.body.clone()).collect();
        let limit = self.agent.max_turn_seconds.and_then(|seconds| seconds.try_into().ok()).map(Duration::from_secs);
        self.conversation.began(turn, input, limit, Instant::now());
        self.write(assembly::turn_line(self.agent.session_id, input, &mail, repeat));
        Ok(())
    }

    /// Writes the context at the head of the mailbox.
    async fn deliver(&mut self) -> Result<(), StoreError> {
        if !self.conversation.takes_context() {
            return Ok(());
        }
        let turn = self.conversation.turn().map(|turn| turn.id);
        let (lease, agent) = (self.lease, self.agent.agent_id);
        let mail = self
            .hub
            .store
            .write(move |change| {
                let Some(child) = change.child(lease)? else { return Ok(Vec::new()) };
                // A turn that was claimed a moment ago goes first.
                let ready = match turn {
                    Some(_) => child.turn_id == turn,
                    None => child.turn_id.is_none() && matches!(child.phase, Phase::Idle | Phase::Busy),
                };
                if !ready {
                    return Ok(Vec::new());
                }
                let pending = change.pending(agent)?;
                let mut mail = Vec::new();
                for message in assembly::context(&pending) {
                    let input = InputId::new();
                    change.lease_message(message.message_id, None, input, lease)?;
                    mail.push((message.clone(), input));
                }
                if !mail.is_empty() && turn.is_none() {
                    change.set_child_phase(lease, Phase::Busy, None)?;
                }
                Ok::<_, StoreError>(mail)
            })
            .await?;
        for (message, input) in mail {
            self.conversation.wrote_context(input, Instant::now());
            self.write(assembly::context_line(self.agent.session_id, input, &message));
        }
        Ok(())
    }

    /// Ends the process if nobody has given it a turn meanwhile.
    async fn leave(&mut self) -> Result<(), StoreError> {
        let (lease, agent) = (self.lease, self.agent.agent_id);
        let leaves = self
            .hub
            .store
            .write(move |change| {
                let rests = change.child(lease)?.is_some_and(|child| child.phase == Phase::Idle);
                if rests {
                    change.set_child_phase(lease, Phase::Ending, None)?;
                    change.remove_request(agent, RequestKind::Evict)?;
                }
                Ok::<_, StoreError>(rests)
            })
            .await?;
        let effects = if leaves { self.conversation.leave() } else { Vec::new() };
        self.carry_out(effects, None).await
    }

    /// A line that the process wrote.
    async fn heard(&mut self, line: &[u8]) -> Result<(), StoreError> {
        let frame = Frame::read(line);
        let turn = self.conversation.turn().copied();
        self.recorder.add(turn.map(|turn| turn.id), &frame, line);
        let effects = self.conversation.heard(&frame, Instant::now());
        match &frame {
            // A failure before the input was taken says why the process is about to end.
            Frame::Result(result) => {
                let early = turn.is_some_and(|turn| !turn.confirmed) && result.is_error == Some(true);
                if effects.contains(&Effect::TurnEnded) || early {
                    self.observation.see(&frame);
                }
            }
            frame => self.observation.see(frame),
        }
        let ended = turn.filter(|_| effects.contains(&Effect::TurnEnded)).map(|turn| (turn.id, turn.stop));
        let ended = ended.map(|(turn, stop)| {
            let concluded = std::mem::take(&mut self.observation).conclude(Exit::Code(0), "");
            let mut end = verdict::by_result(&concluded, stop);
            if let Frame::Result(result) = &frame {
                end.cost_usd = result.total_cost_usd.map(|total| self.meter.turn(total));
                end.num_turns = result.num_turns.and_then(|turns| turns.try_into().ok());
            }
            Turned { turn, end }
        });
        self.carry_out(effects, ended).await?;
        if self.observation.login_is_refused() && self.conversation.turn().is_some_and(|turn| turn.stop.is_none()) {
            let effects = self.conversation.stop(Stop::LoginRefused, Instant::now());
            self.carry_out(effects, None).await?;
        }
        Ok(())
    }

    async fn carry_out(&mut self, effects: Vec<Effect>, ended: Option<Turned>) -> Result<(), StoreError> {
        let mut confirmed = Vec::new();
        let mut rested = false;
        for effect in effects {
            match effect {
                Effect::Confirmed(input) => confirmed.push(input),
                Effect::Rested => rested = true,
                Effect::TurnEnded => {}
                Effect::TurnDropped(turn) => {
                    let known = TurnEnd::new(TurnStatus::Failed, Some(TurnReason::Exited));
                    let outcome = turn.stop.map_or(Outcome::Died(known), |stop| Outcome::Ended(verdict::stopped(stop)));
                    self.conclude(turn.id, outcome).await?;
                }
                Effect::AskInterrupt => self.write(assembly::interrupt_line(&InputId::new().to_string())),
                Effect::End(ladder) => self.child.end(ladder),
                Effect::Stalled(quiet) => self.stalled(quiet).await?,
                Effect::Expired => Box::pin(self.leave()).await?,
            }
        }
        let held =
            self.recorder.settle(&self.hub.store, self.lease, confirmed, ended, rested, self.afterwards()).await?;
        if !held {
            // Somebody has taken the turn away: whatever this process does now is nobody's.
            self.child.end(Ladder::KILL);
        }
        Ok(())
    }

    async fn conclude(&mut self, turn: TurnId, outcome: Outcome) -> Result<(), StoreError> {
        let (lease, process) = (self.lease, self.afterwards());
        self.recorder.flush(&self.hub.store).await?;
        self.hub
            .store
            .write(move |change| ending::conclude(change, lease, turn, outcome, process, Queued::Retry))
            .await
            .map(drop)
    }

    fn afterwards(&self) -> Afterwards {
        if self.conversation.is_ending() {
            Afterwards::Ending
        } else if self.conversation.is_rested() {
            Afterwards::Rested
        } else {
            Afterwards::Settling
        }
    }

    /// Queues a line for the process. One that takes no more input is not going to end its turn either.
    fn write(&mut self, line: Vec<u8>) {
        if self.child.write(line).is_err() {
            self.child.end(Ladder::at_work());
        }
    }

    async fn stalled(&mut self, quiet: Duration) -> Result<(), StoreError> {
        let Some(turn) = self.conversation.turn().map(|turn| turn.id) else { return Ok(()) };
        let (agent, ms) = (self.agent.agent_id, u64::try_from(quiet.as_millis()).unwrap_or(u64::MAX));
        self.hub
            .store
            .write(move |change| {
                let back = i64::try_from(ms).unwrap_or(i64::MAX);
                let last = Timestamp::from_millis(change.now().as_millis().saturating_sub(back));
                let last_activity_at = last.unwrap_or(change.now());
                change.set_stalled(agent)?;
                AgentEvent::AgentStalled { turn, last_activity_at, stalled_for_ms: ms }.record(change, agent).map(drop)
            })
            .await
    }

    /// The process is gone.
    async fn ended(mut self, end: &End) -> Result<(), StoreError> {
        let asked: Vec<&str> = self.asked.iter().map(String::as_str).collect();
        let stderr_tail = redact(&end.stderr_tail, &self.hub.settings.environment, &asked);
        let end = &End { stderr_tail, ..end.clone() };
        self.recorder.flush(&self.hub.store).await?;
        if !self.agent.session_seen && matches!(self.hub.transcript(self.agent.session_id).await, Ok(Some(_))) {
            launch::see_session(&self.hub, self.agent.agent_id).await?;
        }
        let turn = self.conversation.take_turn(Instant::now());
        let outcome = turn.map(|turn| {
            let concluded = self.observation.conclude(end.exit, &end.stderr_tail);
            let outcome = match concluded {
                Err(failure) => verdict::by_exit(&failure, turn.stop, turn.confirmed, end),
                // A success without a name, from a process that is gone: the turn did what it could.
                Ok(_) => Outcome::Died(TurnEnd::new(TurnStatus::Failed, Some(TurnReason::Exited))),
            };
            (turn.id, outcome)
        });
        let (lease, agent) = (self.lease, self.agent.agent_id);
        // By what is recorded, since everybody who looks at the agent later has nothing else to judge by.
        let recorded = attention::process(&self.hub, agent).await?.filter(|child| child.child_id == lease);
        let uncertain = match recorded.as_ref().map_or(Remains::Dead, reconcile::look_at_claude) {
            Remains::Alive => Some(AttentionReason::Containment),
            // Where its exit was told, somebody has waited for it.
            Remains::Unknown(reason) if end.exit == Exit::Lost => Some(reason),
            Remains::Unknown(_) | Remains::Dead => None,
        };
        self.hub
            .store
            .write(move |change| {
                let Some(child) = change.child(lease)? else { return Ok(()) };
                if let Some(reason) = uncertain {
                    return reconcile::needs_attention(change, agent, reason);
                }
                match (outcome, child.turn_id) {
                    (Some((turn, outcome)), _) => {
                        ending::conclude(change, lease, turn, outcome, Afterwards::Gone, Queued::Retry)?;
                    }
                    // It was claimed for a turn that it never got.
                    (None, Some(turn)) => {
                        ending::conclude(change, lease, turn, Outcome::NotStarted, Afterwards::Gone, Queued::Retry)?;
                    }
                    (None, None) => {
                        change.remove_child(lease)?;
                        change.return_mail(agent)?;
                    }
                }
                Ok::<_, StoreError>(())
            })
            .await
    }
}
