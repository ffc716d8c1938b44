//! How a turn ends, or goes back into the queue: one transaction with its events.

use std::time::Duration;

use super::{
    event::{self, Event, Queued},
    retry,
};
use crate::core::{
    clock::Timestamp,
    ids::{AgentId, ChildId, TurnId},
    store::{AgentState, Change, Phase, RequestKind, StoreError, TurnEnd, TurnReason, TurnRow, TurnStatus},
};

/// What happened to a turn.
#[derive(Clone, Debug)]
pub(super) enum Outcome {
    /// It ended.
    Ended(TurnEnd),
    /// Its process ended in the middle of it; what is known about that.
    Died(TurnEnd),
    /// Its process did not get to work; what is known about that.
    LaunchFailed(TurnEnd),
    /// Its process went before it was given the turn.
    NotStarted,
}

/// What becomes of the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Afterwards {
    /// It rests and takes the next turn.
    Rested,
    /// It is still taking in context.
    Settling,
    /// It is being ended.
    Ending,
    /// It is gone.
    Gone,
}

/// What to do with a turn.
#[derive(Clone, Debug)]
enum Decision {
    End(TurnEnd),
    Again { deaths: u32, launch_failures: u32, pause: Option<Duration> },
}

/// A turn whose process died is repeated once; a launch is tried again after a while; and what was to be interrupted
/// is interrupted, whatever happened.
fn decide(turn: &TurnRow, outcome: Outcome, interrupted: bool) -> Decision {
    let as_interrupted = |end: TurnEnd| {
        let (status, reason) = (TurnStatus::Interrupted, Some(TurnReason::Interrupted));
        Decision::End(TurnEnd { status, reason, ..end })
    };
    let failed =
        |end: TurnEnd, reason| Decision::End(TurnEnd { status: TurnStatus::Failed, reason: Some(reason), ..end });
    let again = |deaths, launch_failures, pause| Decision::Again { deaths, launch_failures, pause };
    match outcome {
        Outcome::Ended(end) if interrupted && end.status == TurnStatus::Failed => as_interrupted(end),
        Outcome::Ended(end) => Decision::End(end),
        Outcome::Died(end) | Outcome::LaunchFailed(end) if interrupted => as_interrupted(end),
        Outcome::NotStarted if interrupted => {
            as_interrupted(TurnEnd::new(TurnStatus::Interrupted, Some(TurnReason::Interrupted)))
        }
        Outcome::NotStarted => again(turn.deaths, turn.launch_failures, None),
        Outcome::Died(_) if turn.deaths == 0 => again(1, turn.launch_failures, None),
        Outcome::Died(end) => failed(end, TurnReason::Exited),
        Outcome::LaunchFailed(end) => match retry::pause(turn.launch_failures + 1) {
            Some(pause) => again(turn.deaths, turn.launch_failures + 1, Some(pause)),
            None => failed(end, TurnReason::LaunchFailed),
        },
    }
}

/// Records what happened to the turn that `child` runs, and what the agent does next. Whether it was still that
/// process's turn: if not, somebody has taken it away, and nothing is changed.
pub(super) fn conclude(
    change: &Change<'_>,
    child: ChildId,
    turn: TurnId,
    outcome: Outcome,
    process: Afterwards,
    again: Queued,
) -> Result<bool, StoreError> {
    let held = change.child(child)?.filter(|child| child.turn_id == Some(turn));
    let (Some(held), Some(row)) = (held, change.turn(turn)?) else { return Ok(false) };
    let agent = held.agent_id;
    let Some(state) = change.agent(agent)?.map(|agent| agent.state) else { return Ok(false) };
    let request = change.request(agent, RequestKind::Interrupt)?.filter(|request| request.turn_id == Some(turn));
    release(change, child, process)?;
    match decide(&row, outcome, request.is_some()) {
        Decision::End(end) => {
            let interrupted = end.status == TurnStatus::Interrupted;
            let mut discarded = change.discard_turn(turn)?;
            if process == Afterwards::Gone {
                change.return_mail(agent)?;
            }
            let until = request.map_or(0, |request| request.mail_until);
            let behind = discard_behind(change, agent, until)?;
            discarded += behind.context;
            end_turn(change, &row, &end, discarded)?;
            for turn in behind.turns {
                interrupt_queued(change, &turn)?;
            }
            let idle = match state {
                AgentState::NeedsAttention => event::Idle::Recovered,
                _ if interrupted => event::Idle::Interrupted,
                _ => event::Idle::TurnBoundary,
            };
            proceed(change, agent, idle)?;
        }
        Decision::Again { deaths, launch_failures, pause } => {
            change.return_turn(turn)?;
            change.return_mail(agent)?;
            change.requeue_turn(turn, deaths, launch_failures, pause.and_then(|pause| later(change.now(), pause)))?;
            change.set_agent_state(agent, AgentState::Queued, None)?;
            Event::AgentQueued { reason: again, turn }.record(change, agent)?;
        }
    }
    change.remove_request(agent, RequestKind::Interrupt)?;
    Ok(true)
}

fn release(change: &Change<'_>, child: ChildId, process: Afterwards) -> Result<(), StoreError> {
    match process {
        Afterwards::Rested => change.set_child_phase(child, Phase::Idle, None),
        Afterwards::Settling => change.set_child_phase(child, Phase::Busy, None),
        Afterwards::Ending => change.set_child_phase(child, Phase::Ending, None),
        Afterwards::Gone => change.remove_child(child),
    }
}

fn later(now: Timestamp, pause: Duration) -> Option<Timestamp> {
    let pause = i64::try_from(pause.as_millis()).ok()?;
    Timestamp::from_millis(now.as_millis().checked_add(pause)?)
}

/// Ends a turn of an agent that is being closed.
pub(super) fn close_turn(change: &Change<'_>, turn: &TurnRow, end: &TurnEnd) -> Result<(), StoreError> {
    let discarded = change.discard_turn(turn.turn_id)?;
    end_turn(change, turn, end, discarded)
}

/// Ends a turn and tells of it.
fn end_turn(change: &Change<'_>, turn: &TurnRow, end: &TurnEnd, discarded: usize) -> Result<(), StoreError> {
    change.end_turn(turn.turn_id, end)?;
    if let Some(cost) = end.cost_usd {
        change.add_cost(turn.agent_id, cost)?;
    }
    let ended = event::Ended {
        turn: turn.turn_id,
        number: turn.number,
        status: end.status,
        reason: end.reason,
        cost_usd: end.cost_usd,
        duration_ms: turn.started_at.map_or(0, |started| change.now().as_millis() - started.as_millis()).max(0),
        acknowledged: change.acknowledged_count(turn.turn_id)?,
        discarded: u64::try_from(discarded).unwrap_or_default(),
    };
    Event::TurnEnded(ended).record(change, turn.agent_id)?;
    Ok(())
}

/// What an interrupt took out of the mailbox behind the turn in progress.
pub(super) struct Behind {
    /// How many messages of context.
    pub(super) context: usize,
    /// Turns that lost their followup, the oldest first.
    pub(super) turns: Vec<TurnRow>,
}

/// Discards the mail up to `until`; the turns that lose their followup by that are still to be ended.
pub(super) fn discard_behind(change: &Change<'_>, agent: AgentId, until: i64) -> Result<Behind, StoreError> {
    let discarded = change.discard_mail(agent, until)?;
    let mut turns = Vec::new();
    for id in change.turns_without_mail(agent)? {
        turns.extend(change.turn(id)?);
    }
    Ok(Behind { context: discarded.saturating_sub(turns.len()), turns })
}

/// Ends a queued turn whose followup was discarded.
pub(super) fn interrupt_queued(change: &Change<'_>, turn: &TurnRow) -> Result<(), StoreError> {
    end_turn(change, turn, &TurnEnd::new(TurnStatus::Interrupted, Some(TurnReason::Interrupted)), 1)
}

/// Ends a queued turn that is never going to be started.
pub(super) fn fail_queued(change: &Change<'_>, turn: &TurnRow, reason: TurnReason) -> Result<(), StoreError> {
    let discarded = change.discard_turn(turn.turn_id)?;
    end_turn(change, turn, &TurnEnd::new(TurnStatus::Failed, Some(reason)), discarded)?;
    proceed(change, turn.agent_id, event::Idle::TurnBoundary)
}

/// What the agent does next: its next turn, or nothing.
pub(super) fn proceed(change: &Change<'_>, agent: AgentId, idle: event::Idle) -> Result<(), StoreError> {
    if let Some(next) = change.queued_turns(agent)?.first() {
        change.set_agent_state(agent, AgentState::Queued, None)?;
        Event::AgentQueued { reason: Queued::TurnBoundary, turn: next.turn_id }.record(change, agent)?;
    } else {
        change.set_agent_state(agent, AgentState::Idle, None)?;
        Event::AgentIdle { reason: idle }.record(change, agent)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(deaths: u32, launch_failures: u32) -> TurnRow {
        TurnRow {
            position: 1,
            turn_id: TurnId::new(),
            agent_id: AgentId::new(),
            number: 1,
            status: TurnStatus::Running,
            reason: None,
            attempt: 1,
            deaths,
            launch_failures,
            not_before: None,
            started_at: None,
            ended_at: None,
            cost_usd: None,
            num_turns: None,
            exit_code: None,
            signal: None,
            api_error_status: None,
            resets_at: None,
            stderr_tail: None,
            result_sequence: None,
            created_at: Timestamp::now(),
            updated_at: Timestamp::now(),
        }
    }

    fn blank() -> TurnEnd {
        TurnEnd::new(TurnStatus::Failed, Some(TurnReason::ApiError))
    }

    fn ended(decision: Decision) -> (TurnStatus, Option<TurnReason>) {
        match decision {
            Decision::End(end) => (end.status, end.reason),
            Decision::Again { .. } => panic!("it is not over"),
        }
    }

    #[test]
    fn a_death_is_repeated_once() {
        let again = decide(&turn(0, 2), Outcome::Died(blank()), false);
        assert!(matches!(again, Decision::Again { deaths: 1, launch_failures: 2, pause: None }));
        let end = decide(&turn(1, 0), Outcome::Died(blank()), false);
        assert_eq!(ended(end), (TurnStatus::Failed, Some(TurnReason::Exited)));
    }

    #[test]
    fn a_launch_is_tried_four_times() {
        for (failures, seconds) in [(0, 1), (1, 5), (2, 25)] {
            let again = decide(&turn(0, failures), Outcome::LaunchFailed(blank()), false);
            let Decision::Again { launch_failures, pause, .. } = again else { panic!("given up too early") };
            assert_eq!((launch_failures, pause), (failures + 1, Some(Duration::from_secs(seconds))));
        }
        let end = decide(&turn(0, 3), Outcome::LaunchFailed(blank()), false);
        assert_eq!(ended(end), (TurnStatus::Failed, Some(TurnReason::LaunchFailed)));
    }

    #[test]
    fn what_was_to_be_interrupted_is_unless_it_had_ended_well_or_by_its_own_limit() {
        let interrupted = (TurnStatus::Interrupted, Some(TurnReason::Interrupted));
        for outcome in [Outcome::Died(blank()), Outcome::LaunchFailed(blank()), Outcome::Ended(blank())] {
            assert_eq!(ended(decide(&turn(0, 0), outcome, true)), interrupted);
        }
        for (status, reason) in [(TurnStatus::Succeeded, None), (TurnStatus::TimedOut, Some(TurnReason::TimedOut))] {
            let outcome = Outcome::Ended(TurnEnd::new(status, reason));
            assert_eq!(ended(decide(&turn(0, 0), outcome, true)), (status, reason));
        }
    }
}
