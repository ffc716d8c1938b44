//! Which of the events that are there a wait returns. Pure.

use super::{
    event::{ends_turn, is_trouble},
    input::Until,
};

/// The most events in one answer.
pub(super) const PAGE: usize = 200;

/// Whether an event of this type is what a wait is for, or something that it must not sleep past.
fn matches(kind: &str, until: Until) -> bool {
    match until {
        Until::Any => true,
        Until::TurnEnd => ends_turn(kind) || is_trouble(kind),
        Until::Idle => kind == "agent.idle" || is_trouble(kind),
    }
}

/// How many of the events, which are in order, are returned: everything up to the last one that matches, at most a
/// page. `None` when nothing matches.
pub(super) fn window<'a>(
    kinds: impl DoubleEndedIterator<Item = &'a str> + ExactSizeIterator,
    until: Until,
) -> Option<usize> {
    let last = kinds.enumerate().rev().find(|(_, kind)| matches(kind, until)).map(|(at, _)| at)?;
    Some((last + 1).min(PAGE))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(kinds: &[&str], until: Until) -> Option<usize> {
        window(kinds.iter().copied(), until)
    }

    #[test]
    fn everything_up_to_what_was_waited_for() {
        let story = ["message.enqueued", "turn.started", "turn.completed", "agent.idle", "message.enqueued"];
        assert_eq!(of(&story, Until::Any), Some(5));
        assert_eq!(of(&story, Until::TurnEnd), Some(3));
        assert_eq!(of(&story, Until::Idle), Some(4));
        assert_eq!(of(&story[..2], Until::TurnEnd), None);
        assert_eq!(of(&[], Until::Any), None);
    }

    #[test]
    fn nobody_sleeps_past_trouble() {
        for trouble in ["agent.needs_attention", "agent.closed", "agent.stalled"] {
            for until in [Until::TurnEnd, Until::Idle] {
                assert_eq!(of(&["turn.started", trouble, "message.enqueued"], until), Some(2), "{trouble}");
            }
        }
    }

    #[test]
    fn a_page_is_bounded() {
        let many = vec!["message.enqueued"; PAGE + 50];
        assert_eq!(window(many.iter().copied(), Until::Any), Some(PAGE));
        let ends: Vec<&str> = many.iter().copied().chain(["turn.failed"]).collect();
        assert_eq!(window(ends.iter().copied(), Until::TurnEnd), Some(PAGE), "the rest is for the next call");
    }
}
