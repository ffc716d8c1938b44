//! Events: what is told about agents. Never prompt or reply text.

use serde_json::{Value, json};

use crate::core::{
    ids::{AgentId, MessageId, TurnId},
    store::{AttentionReason, Change, MessageKind, StoreError, TurnReason, TurnStatus},
};

/// Why an agent is queued again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Queued {
    /// A followup woke it.
    Followup,
    /// The turn before ended, and the next one waits.
    TurnBoundary,
    /// The turn is tried again.
    Retry,
    /// The turn is repeated: its server died.
    Reconciled,
}

/// Why an agent is idle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Idle {
    /// Its turn ended, and no other waits.
    TurnBoundary,
    /// It was interrupted.
    Interrupted,
    /// It needed attention, and got it.
    Recovered,
}

/// How a turn ended, as told.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ended {
    pub(super) turn: TurnId,
    pub(super) number: u32,
    pub(super) status: TurnStatus,
    pub(super) reason: Option<TurnReason>,
    pub(super) cost_usd: Option<f64>,
    pub(super) duration_ms: i64,
    pub(super) acknowledged: u64,
    pub(super) discarded: u64,
}

/// Something that happened to an agent.
#[derive(Clone, Copy, Debug)]
pub(super) enum Event {
    AgentCreated { agent: AgentId, turn: TurnId },
    MessageEnqueued { message: MessageId, kind: MessageKind },
    TurnStarted { turn: TurnId, number: u32, attempt: u32 },
    TurnEnded(Ended),
    AgentQueued { reason: Queued, turn: TurnId },
    AgentIdle { reason: Idle },
    AgentCancelling { turn: TurnId },
    AgentNeedsAttention { reason: AttentionReason },
    AgentStalled { turn: TurnId, last_activity_at: crate::core::clock::Timestamp, stalled_for_ms: u64 },
    AgentClosed,
}

impl Event {
    /// Its type.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::AgentCreated { .. } => "agent.created",
            Self::MessageEnqueued { .. } => "message.enqueued",
            Self::TurnStarted { .. } => "turn.started",
            Self::TurnEnded(Ended { status, .. }) => match status {
                TurnStatus::Succeeded => "turn.completed",
                TurnStatus::Interrupted => "turn.interrupted",
                TurnStatus::Failed | TurnStatus::TimedOut | TurnStatus::Queued | TurnStatus::Running => "turn.failed",
            },
            Self::AgentQueued { .. } => "agent.queued",
            Self::AgentIdle { .. } => "agent.idle",
            Self::AgentCancelling { .. } => "agent.cancelling",
            Self::AgentNeedsAttention { .. } => "agent.needs_attention",
            Self::AgentStalled { .. } => "agent.stalled",
            Self::AgentClosed => "agent.closed",
        }
    }

    /// More about it.
    fn payload(&self) -> Value {
        match *self {
            Self::AgentCreated { agent, turn } => json!({ "agentId": agent, "turnId": turn }),
            Self::MessageEnqueued { message, kind } => json!({ "messageId": message, "kind": kind }),
            Self::TurnStarted { turn, number, attempt } => {
                json!({ "turnId": turn, "number": number, "attempt": attempt })
            }
            Self::TurnEnded(ended) => ended.payload(),
            Self::AgentQueued { reason, turn } => {
                let reason = match reason {
                    Queued::Followup => "followup",
                    Queued::TurnBoundary => "turn_boundary",
                    Queued::Retry => "retry",
                    Queued::Reconciled => "reconciled",
                };
                json!({ "reason": reason, "turnId": turn })
            }
            Self::AgentIdle { reason } => {
                let reason = match reason {
                    Idle::TurnBoundary => "turn_boundary",
                    Idle::Interrupted => "interrupted",
                    Idle::Recovered => "recovered",
                };
                json!({ "reason": reason })
            }
            Self::AgentCancelling { turn } => json!({ "turnId": turn }),
            Self::AgentNeedsAttention { reason } => json!({ "reason": reason }),
            Self::AgentStalled { turn, last_activity_at, stalled_for_ms } => {
                json!({ "turnId": turn, "lastActivityAt": last_activity_at, "stalledForMs": stalled_for_ms })
            }
            Self::AgentClosed => json!({}),
        }
    }

    /// Appends it to the transaction; its sequence.
    pub(super) fn record(&self, change: &Change<'_>, agent: AgentId) -> Result<i64, StoreError> {
        change.add_event(agent, self.kind(), &self.payload())
    }
}

impl Ended {
    fn payload(&self) -> Value {
        let mut payload = json!({
            "turnId": self.turn,
            "number": self.number,
            "status": self.status,
            "durationMs": self.duration_ms,
            "acknowledged": self.acknowledged,
            "discarded": self.discarded,
        });
        if let Some(reason) = self.reason {
            payload["reason"] = json!(reason);
        }
        if let Some(cost) = self.cost_usd {
            payload["costUsd"] = json!(cost);
        }
        payload
    }
}

/// Whether an event of this type ends a turn.
pub(super) fn ends_turn(kind: &str) -> bool {
    matches!(kind, "turn.completed" | "turn.failed" | "turn.interrupted")
}

/// Whether an event of this type is trouble, or an end, that nobody should sleep past.
pub(super) fn is_trouble(kind: &str) -> bool {
    matches!(kind, "agent.needs_attention" | "agent.closed" | "agent.stalled")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turns_end_is_told_in_the_contracts_words() {
        let turn = TurnId::new();
        let mut ended = Ended {
            turn,
            number: 2,
            status: TurnStatus::TimedOut,
            reason: Some(TurnReason::TimedOut),
            cost_usd: None,
            duration_ms: 5,
            acknowledged: 1,
            discarded: 0,
        };
        assert_eq!(Event::TurnEnded(ended).kind(), "turn.failed");
        assert_eq!(
            Event::TurnEnded(ended).payload(),
            json!({ "turnId": turn, "number": 2, "status": "timed_out", "reason": "timed_out", "durationMs": 5,
                    "acknowledged": 1, "discarded": 0 })
        );
        (ended.status, ended.reason, ended.cost_usd) = (TurnStatus::Succeeded, None, Some(0.5));
        assert_eq!(Event::TurnEnded(ended).kind(), "turn.completed");
        assert_eq!(Event::TurnEnded(ended).payload()["costUsd"], 0.5);
        assert!(ends_turn(Event::TurnEnded(ended).kind()));
    }
}
