//! An event as a line.

use serde_json::Value;

use super::words::{dollars, duration, fit};
use crate::core::agents::AgentEvent;

/// What happened, and how: never longer than a line.
pub(super) fn line(event: &AgentEvent) -> String {
    let said = |key: &str| event.payload.get(key).and_then(Value::as_str);
    let number = |key: &str| event.payload.get(key).and_then(Value::as_i64);
    let mut parts: Vec<String> = Vec::new();
    match event.kind.as_str() {
        "turn.started" => {
            parts.extend(number("number").map(|number| format!("turn {number}")));
            parts.extend(number("attempt").filter(|attempt| *attempt > 1).map(|attempt| format!("attempt {attempt}")));
        }
        "turn.completed" | "turn.failed" | "turn.interrupted" => {
            parts.extend(number("number").map(|number| format!("turn {number}")));
            let reason = said("reason").or_else(|| said("status").filter(|status| *status == "timed_out"));
            parts.extend(reason.filter(|reason| *reason != "interrupted").map(str::to_owned));
            parts.extend(number("durationMs").map(duration));
            parts.extend(event.payload.get("costUsd").and_then(Value::as_f64).filter(|cost| *cost > 0.0).map(dollars));
            let discarded = number("discarded").filter(|count| *count > 0);
            parts.extend(discarded.map(|count| format!("{count} message(s) dropped")));
        }
        "agent.stalled" => parts.extend(number("stalledForMs").map(|ms| format!("silent for {}", duration(ms)))),
        _ => parts.extend(said("kind").or_else(|| said("reason")).map(str::to_owned)),
    }
    let line = format!("{:<22} {}", fit(&event.kind, 40), fit(&parts.join(" · "), 160));
    line.trim_end().to_owned()
}

/// Whether an event ends a turn.
pub(super) fn ends_turn(event: &AgentEvent) -> bool {
    matches!(event.kind.as_str(), "turn.completed" | "turn.failed" | "turn.interrupted")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::core::{agents::Cursor, clock::Timestamp, ids::AgentId};

    #[test]
    fn lines_say_what_matters() {
        let of = |kind: &str, payload: Value| {
            let (sequence, agent_id, created_at) = (Cursor(1), AgentId::new(), Timestamp::now());
            line(&AgentEvent { sequence, agent_id, kind: kind.to_owned(), payload, created_at })
        };
        assert_eq!(
            of("turn.started", json!({ "turnId": "x", "number": 2, "attempt": 1 })),
            "turn.started           turn 2"
        );
        assert_eq!(
            of(
                "turn.failed",
                json!({ "number": 2, "status": "failed", "reason": "rate_limited", "durationMs": 900, "discarded": 0 })
            ),
            "turn.failed            turn 2 · rate_limited · 900 ms"
        );
        assert_eq!(
            of(
                "turn.interrupted",
                json!({ "number": 1, "reason": "interrupted", "durationMs": 2000, "costUsd": 0.5, "discarded": 2 })
            ),
            "turn.interrupted       turn 1 · 2.0 s · $0.5000 · 2 message(s) dropped"
        );
        assert_eq!(
            of("message.enqueued", json!({ "messageId": "x", "kind": "followup" })),
            "message.enqueued       followup"
        );
        assert_eq!(of("agent.closed", json!({})), "agent.closed");
    }
}
