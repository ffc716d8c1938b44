//! What a turn gives back.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::core::{claude::ResultFrame, ids::SessionId};

/// A successful turn. Every key is always there; a figure that the CLI did not report is `null`, never made up.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TurnAnswer {
    /// The session: pass it to `send_message` with the same cwd.
    pub session_id: SessionId,
    /// What Claude answered.
    pub response: String,
    /// Always false: a failure is an error.
    pub is_error: bool,
    /// Tokens, as Claude reports them.
    pub usage: Option<Value>,
    /// Tokens and cost per model, as Claude reports them.
    pub model_usage: Option<Value>,
    /// US dollars as Claude accumulates them for the session.
    pub total_cost_usd: Option<f64>,
    /// US dollars of this turn alone.
    pub turn_cost_usd: Option<f64>,
    /// Milliseconds.
    pub duration_ms: Option<u64>,
    /// Model turns.
    pub num_turns: Option<u64>,
    /// Why the turn ended, in Claude's words.
    pub terminal_reason: Option<String>,
    /// Tool calls that the permission rules refused.
    pub permission_denials: Option<Value>,
}

impl TurnAnswer {
    /// Reads a success's result frame. `spent_before` is what the session had cost at launch, in US dollars; `None`
    /// when that cannot be known.
    pub(super) fn of(session_id: SessionId, result: ResultFrame, spent_before: Option<f64>) -> Self {
        Self {
            session_id,
            response: result.result.unwrap_or_default(),
            is_error: false,
            usage: result.usage,
            model_usage: result.model_usage,
            total_cost_usd: result.total_cost_usd,
            turn_cost_usd: turn_cost(result.total_cost_usd, spent_before),
            duration_ms: result.duration_ms,
            num_turns: result.num_turns,
            terminal_reason: result.terminal_reason,
            permission_denials: result.permission_denials,
        }
    }
}

/// A turn's part of an accumulated total. A total below what was spent before was counted from somewhere else, so
/// nothing can be said.
fn turn_cost(total: Option<f64>, before: Option<f64>) -> Option<f64> {
    let cost = total? - before?;
    // A ten-millionth of a dollar: sums of binary fractions differ in their last digits.
    (cost > -1e-7).then(|| (cost.max(0.0) * 1e9).round() / 1e9)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_costs_what_the_total_grew_by() {
        assert_eq!(turn_cost(Some(0.3), Some(0.1)), Some(0.2));
        assert_eq!(turn_cost(Some(0.1), Some(0.1 + 1e-12)), Some(0.0));
        assert_eq!(turn_cost(Some(0.1), Some(0.2)), None, "counted from somewhere else");
        assert_eq!(turn_cost(None, Some(0.2)), None);
        assert_eq!(turn_cost(Some(0.2), None), None);
    }
}
