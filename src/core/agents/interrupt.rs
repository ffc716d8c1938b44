//! Interrupting an agent: a durable request, carried out by whoever holds the process.

use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::{
    Cursor,
    answer::InterruptedAgent,
    attention, ending, error,
    event::{Event, Idle},
    hub::Hub,
    reconcile::{self, Watch},
};
use crate::core::{
    error::{Error, Result},
    ids::{AgentId, TurnId},
    store::{AgentState, Change, RequestKind, TurnStatus},
};

/// How long the answer waits for the interrupt to be done: the protocol and the whole ladder take 6 s.
const LIMIT: Duration = Duration::from_secs(9);

/// How often a dead server is looked for while waiting.
const LOOK: Duration = Duration::from_millis(500);

/// What the request found.
enum Asked {
    /// There was nothing to interrupt.
    Nothing { state: AgentState, cursor: i64 },
    /// Turns that waited are over.
    Done { state: AgentState, cursor: i64 },
    /// A turn runs: its process was asked.
    Running { turn: TurnId, cursor: i64 },
    /// It is uncertain what its process does.
    Uncertain { cursor: i64 },
}

/// Interrupts.
pub(super) async fn interrupt(hub: &Hub, watch: &Watch, id: AgentId) -> Result<InterruptedAgent> {
    let asked = hub.store.write(move |change| ask(change, id)).await?;
    match asked {
        Asked::Nothing { state, cursor } => Ok(answer(state, false, cursor)),
        Asked::Done { state, cursor } => Ok(answer(state, true, cursor)),
        Asked::Running { turn, cursor } => {
            let (state, interrupted) = done(hub, watch, id, turn).await?;
            Ok(answer(state, interrupted, cursor))
        }
        Asked::Uncertain { cursor } => {
            let before = attention::agent(hub, id).await?;
            let busy = attention::process(hub, id).await?.is_some_and(|child| child.turn_id.is_some());
            let agent = attention::resolve(hub, before).await?;
            if agent.state == AgentState::NeedsAttention {
                return Err(error::uncertain(&agent, None));
            }
            Ok(answer(agent.state, busy, cursor))
        }
    }
}

fn answer(state: AgentState, interrupted: bool, cursor: i64) -> InterruptedAgent {
    InterruptedAgent { state, interrupted, cursor: Cursor(cursor) }
}

fn ask(change: &Change<'_>, id: AgentId) -> Result<Asked> {
    let agent = change.agent(id)?.ok_or_else(|| error::not_found(id))?;
    let newest = change.newest_event_of(id)?;
    let running = change.running_turn(id)?;
    match (agent.state, running) {
        (AgentState::NeedsAttention, _) => Ok(Asked::Uncertain { cursor: newest }),
        (AgentState::Idle | AgentState::Closed, _) => Ok(Asked::Nothing { state: agent.state, cursor: newest }),
        (AgentState::Running | AgentState::Cancelling, Some(turn)) => {
            let (turn, until) = (turn.turn_id, change.newest_message(id)?);
            change.add_request(id, RequestKind::Interrupt, Some(turn), until)?;
            let mut cursor = newest;
            if agent.state == AgentState::Running {
                change.set_agent_state(id, AgentState::Cancelling, None)?;
                cursor = Event::AgentCancelling { turn }.record(change, id)?;
            }
            Ok(Asked::Running { turn, cursor })
        }
        (AgentState::Queued | AgentState::Running | AgentState::Cancelling, _) => {
            let Some(first) = change.queued_turns(id)?.into_iter().next() else {
                return Ok(Asked::Nothing { state: agent.state, cursor: newest });
            };
            let cursor = Event::AgentCancelling { turn: first.turn_id }.record(change, id)?;
            for turn in ending::discard_behind(change, id, i64::MAX)?.turns {
                ending::interrupt_queued(change, &turn)?;
            }
            ending::proceed(change, id, Idle::Interrupted)?;
            Ok(Asked::Done { state: AgentState::Idle, cursor })
        }
    }
}

/// Waits until the turn is over; how the agent stands then, and whether the turn was interrupted.
async fn done(hub: &Hub, watch: &Watch, id: AgentId, turn: TurnId) -> Result<(AgentState, bool)> {
    let end = Instant::now() + LIMIT;
    let mut news = hub.store.news();
    loop {
        news.mark_unchanged();
        let (state, status) = hub
            .store
            .read(move |view| {
                let agent = view.agent(id)?.ok_or_else(|| error::not_found(id))?;
                let status = view.turn(turn)?.map(|turn| turn.status);
                Ok::<_, Error>((agent.state, status))
            })
            .await?;
        let over = !matches!(status, Some(TurnStatus::Running | TurnStatus::Queued));
        if over || state == AgentState::NeedsAttention || Instant::now() >= end {
            return Ok((state, status == Some(TurnStatus::Interrupted)));
        }
        tokio::select! {
            _ = news.changed() => {}
            // Its server may be dead, and no other may be there to see it.
            () = sleep(LOOK) => reconcile::pass(hub, watch, None).await?,
        }
    }
}
