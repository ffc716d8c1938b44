//! Rows as callers see them.

use serde_json::Value;

use super::{
    Cursor,
    answer::{AgentEvent, AgentSummary, AgentTurn, LatestResult, RawEvent, TurnResult},
    cut,
    profile::profile_of,
};
use crate::core::{
    claude::{Frame, ResultFrame},
    store::{AgentRow, EventRow, FrameRow, StoreError, TurnRow, View},
};

/// The longest result text in a wait's answer, in bytes.
const RESULT: usize = 8 * 1024;

/// The most of a turn's refused calls, in bytes of JSON.
const DENIALS: usize = 2 * 1024;

pub(super) fn summary(view: &View<'_>, agent: AgentRow) -> Result<AgentSummary, StoreError> {
    Ok(AgentSummary {
        last_turn_status: view.last_turn_status(agent.agent_id)?,
        pending_message_count: view.pending_count(agent.agent_id)?,
        permission_profile: profile_of(&agent),
        agent_id: agent.agent_id,
        session_id: agent.session_id,
        name: agent.name,
        state: agent.state,
        reason: agent.reason,
        cwd: agent.cwd,
        model: agent.model,
        effort: agent.effort,
        last_activity_at: agent.last_activity_at,
        stalled: agent.stalled,
        total_cost_usd: agent.total_cost_usd,
        created_at: agent.created_at,
        updated_at: agent.updated_at,
    })
}

pub(super) fn event(event: EventRow) -> AgentEvent {
    AgentEvent {
        sequence: Cursor(event.sequence),
        agent_id: event.agent_id,
        kind: event.kind,
        payload: event.payload,
        created_at: event.created_at,
    }
}

pub(super) fn turn(view: &View<'_>, turn: TurnRow) -> Result<AgentTurn, StoreError> {
    let result = result_of(view, &turn)?;
    let duration = turn.started_at.zip(turn.ended_at).map(|(start, end)| end.as_millis() - start.as_millis());
    Ok(AgentTurn {
        permission_denials: result.and_then(|result| denials(*result)),
        duration_ms: duration.map(|duration| duration.max(0)),
        turn_id: turn.turn_id,
        agent_id: turn.agent_id,
        number: turn.number,
        status: turn.status,
        reason: turn.reason,
        started_at: turn.started_at,
        ended_at: turn.ended_at,
        cost_usd: turn.cost_usd,
        num_turns: turn.num_turns,
        exit_code: turn.exit_code,
        signal: turn.signal,
        api_error_status: turn.api_error_status,
        resets_at: turn.resets_at,
        stderr_tail: turn.stderr_tail,
        created_at: turn.created_at,
        updated_at: turn.updated_at,
    })
}

pub(super) fn result(view: &View<'_>, turn: &TurnRow) -> Result<TurnResult, StoreError> {
    let frame = result_of(view, turn)?;
    let text = frame.as_ref().and_then(|frame| {
        // What an interrupted CLI notes for its own makers is no answer.
        let told = |error: &&String| !error.starts_with("[ede_diagnostic]");
        let errors: Vec<&str> = frame.errors.iter().flatten().filter(told).map(String::as_str).collect();
        let errors = (!errors.is_empty()).then(|| errors.join("\n"));
        frame.result.clone().filter(|text| !text.is_empty()).or(errors)
    });
    Ok(TurnResult {
        agent_id: turn.agent_id,
        turn_id: turn.turn_id,
        status: turn.status,
        reason: turn.reason,
        result: text.map(|text| cut::text(&text, RESULT)),
        permission_denials: frame.and_then(|frame| denials(*frame)),
    })
}

fn result_of(view: &View<'_>, turn: &TurnRow) -> Result<Option<Box<ResultFrame>>, StoreError> {
    let Some(sequence) = turn.result_sequence else { return Ok(None) };
    Ok(match view.frame(sequence)?.map(|frame| Frame::read(frame.payload.as_bytes())) {
        Some(Frame::Result(result)) => Some(result),
        _ => None,
    })
}

fn denials(result: ResultFrame) -> Option<Value> {
    let denials = result.permission_denials.filter(|denials| denials.as_array().is_none_or(|list| !list.is_empty()))?;
    Some(cut::value(denials, DENIALS))
}

pub(super) fn latest_result(frame: &FrameRow, most: usize) -> LatestResult {
    LatestResult { turn_id: frame.turn_id, created_at: frame.created_at, payload: payload(&frame.payload, most) }
}

pub(super) fn raw(frame: FrameRow, most: usize) -> RawEvent {
    RawEvent {
        sequence: Cursor(frame.sequence),
        agent_id: frame.agent_id,
        turn_id: frame.turn_id,
        kind: frame.kind,
        payload: payload(&frame.payload, most),
        created_at: frame.created_at,
    }
}

fn payload(text: &str, most: usize) -> Value {
    cut::value(serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned())), most)
}
