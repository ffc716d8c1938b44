//! Which turn a `result` belongs to. Pure.
//!
//! Newer versions name the inputs that a result answers. 2.1.238 does not: there, the first result of a real turn
//! after the replay of an input is that input's. Results are never counted: a resumed session prints one of its own
//! first, a notification starts a turn that nobody asked for, and two inputs can share one result.

use crate::core::{claude::ResultFrame, ids::InputId};

/// Whose result it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    /// The turn in progress ends with it.
    Turn,
    /// It only says that context was taken in.
    Context,
    /// Nobody asked for it.
    Nobody,
}

/// What is known when a result arrives.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known<'a> {
    /// The input of the turn in progress, and whether its replay was seen.
    pub(super) turn: Option<(InputId, bool)>,
    /// Context that was written and is not settled.
    pub(super) context: &'a [InputId],
    /// Whether this process has named inputs before.
    pub(super) names_inputs: bool,
}

/// The inputs that a result names.
pub(super) fn named(result: &ResultFrame) -> Vec<InputId> {
    let list = result.user_message_uuids.iter().flatten().chain(&result.user_message_uuid);
    list.filter_map(|id| id.parse().ok()).collect()
}

/// Decides.
pub(super) fn owner(result: &ResultFrame, known: Known<'_>) -> Owner {
    let named = named(result);
    if !named.is_empty() {
        return match known.turn {
            Some((input, _)) if named.contains(&input) => Owner::Turn,
            _ if named.iter().any(|input| known.context.contains(input)) => Owner::Context,
            _ => Owner::Nobody,
        };
    }
    let failed = result.is_error == Some(true);
    if result.num_turns == Some(0) && !failed {
        return Owner::Context;
    }
    match known.turn {
        // A failure may come without names even where a success has them.
        Some((_, true)) if failed || !known.names_inputs => Owner::Turn,
        _ => Owner::Nobody,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(num_turns: u64, is_error: bool, named: &[InputId]) -> ResultFrame {
        let named: Vec<String> = named.iter().map(InputId::to_string).collect();
        ResultFrame {
            num_turns: Some(num_turns),
            is_error: Some(is_error),
            user_message_uuid: named.first().cloned(),
            user_message_uuids: (!named.is_empty()).then_some(named),
            ..ResultFrame::default()
        }
    }

    #[test]
    fn a_result_belongs_to_whom_it_names() {
        let (turn, context, other) = (InputId::new(), InputId::new(), InputId::new());
        let known = Known { turn: Some((turn, true)), context: &[context], names_inputs: true };
        assert_eq!(owner(&result(1, false, &[turn]), known), Owner::Turn);
        assert_eq!(owner(&result(2, false, &[context, turn]), known), Owner::Turn, "context was folded into the turn");
        assert_eq!(owner(&result(0, false, &[context]), known), Owner::Context);
        assert_eq!(owner(&result(1, false, &[other]), known), Owner::Nobody);
        assert_eq!(owner(&result(1, false, &[]), known), Owner::Nobody, "a turn that the CLI started by itself");
        assert_eq!(owner(&result(2, true, &[]), known), Owner::Turn, "an interrupted turn names nobody");
    }

    #[test]
    fn without_names_the_first_real_result_after_the_replay_counts() {
        let turn = InputId::new();
        let known = |replayed| Known { turn: Some((turn, replayed)), context: &[], names_inputs: false };
        assert_eq!(owner(&result(1, false, &[]), known(false)), Owner::Nobody, "a resumed session's own");
        assert_eq!(owner(&result(0, false, &[]), known(true)), Owner::Context);
        assert_eq!(owner(&result(1, false, &[]), known(true)), Owner::Turn);
        let idle = Known { turn: None, context: &[], names_inputs: false };
        assert_eq!(owner(&result(1, false, &[]), idle), Owner::Nobody);
    }
}
