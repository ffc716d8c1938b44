//! The conversation's promises: on single stories, and on random ones.

use proptest::{collection::vec, prelude::*};

use super::*;

const PATIENCE: Patience = Patience { idle: Duration::from_mins(5), stall: Duration::from_mins(1) };
const SECOND: Duration = Duration::from_secs(1);

fn frame(text: &str) -> Frame {
    Frame::read(text.as_bytes())
}

fn replay(input: InputId) -> Frame {
    frame(&format!(r#"{{"type":"user","isReplay":true,"uuid":"{input}"}}"#))
}

fn result(turns: u32, named: &[InputId]) -> Frame {
    let named: Vec<String> = named.iter().map(|input| format!("\"{input}\"")).collect();
    let list = if named.is_empty() { String::new() } else { format!(r#","user_message_uuids":[{}]"#, named.join(",")) };
    frame(&format!(r#"{{"type":"result","subtype":"success","is_error":false,"num_turns":{turns}{list}}}"#))
}

fn interrupted() -> Frame {
    frame(r#"{"type":"result","subtype":"error_during_execution","is_error":true,"num_turns":2}"#)
}

fn lifecycle(input: InputId, state: &str) -> Frame {
    frame(&format!(r#"{{"type":"command_lifecycle","command_uuid":"{input}","state":"{state}"}}"#))
}

/// A conversation in the middle of a turn that the CLI has confirmed.
fn in_turn(now: Instant) -> (Conversation, InputId) {
    let (mut conversation, input) = (Conversation::new(PATIENCE, now), InputId::new());
    conversation.began(TurnId::new(), input, None, now);
    assert_eq!(conversation.heard(&replay(input), now), [Effect::Confirmed(input)]);
    (conversation, input)
}

#[test]
fn a_turn_is_confirmed_and_ends_by_its_own_result_alone() {
    let now = Instant::now();
    let (mut conversation, input) = in_turn(now);
    assert_eq!(conversation.heard(&result(1, &[InputId::new()]), now), [], "somebody else's");
    assert_eq!(conversation.heard(&result(1, &[]), now), [], "nobody's: this process names inputs");
    assert_eq!(conversation.heard(&result(1, &[input]), now), [Effect::TurnEnded, Effect::Rested]);
    assert!(conversation.is_rested());
    assert_eq!(conversation.heard(&lifecycle(input, "completed"), now), []);
}

#[test]
fn context_is_settled_before_the_next_turn() {
    let now = Instant::now();
    let (mut conversation, input) = in_turn(now);
    let context = InputId::new();
    conversation.wrote_context(context, now);
    assert_eq!(conversation.heard(&result(1, &[input]), now), [Effect::TurnEnded]);
    assert!(!conversation.is_rested(), "the context is still on its way");
    assert_eq!(conversation.heard(&replay(context), now), [Effect::Confirmed(context)]);
    assert_eq!(conversation.heard(&result(0, &[context]), now), [Effect::Rested]);
    assert!(conversation.is_rested());
}

#[test]
fn context_that_is_folded_into_the_turn_is_settled_with_it() {
    let now = Instant::now();
    let (mut conversation, input) = in_turn(now);
    let context = InputId::new();
    conversation.wrote_context(context, now);
    assert_eq!(
        conversation.heard(&result(2, &[input, context]), now),
        [Effect::Confirmed(context), Effect::TurnEnded, Effect::Rested]
    );
}

#[test]
fn without_names_a_zero_turn_settles_the_context() {
    let now = Instant::now();
    let mut conversation = Conversation::new(PATIENCE, now);
    let context = InputId::new();
    conversation.wrote_context(context, now);
    assert_eq!(conversation.heard(&replay(context), now), [Effect::Confirmed(context)]);
    assert_eq!(conversation.heard(&result(0, &[]), now), [Effect::Rested]);
}

#[test]
fn a_process_that_does_not_take_in_context_is_replaced() {
    let now = Instant::now();
    let mut conversation = Conversation::new(PATIENCE, now);
    conversation.wrote_context(InputId::new(), now);
    assert_eq!(conversation.due(now + SETTLE), [Effect::End(Ladder::at_rest(LEAVE))]);
    assert!(conversation.is_ending());
}

#[test]
fn an_interrupt_asks_first_and_the_process_lives_on() {
    let now = Instant::now();
    let (mut conversation, _) = in_turn(now);
    assert_eq!(conversation.stop(Stop::Interrupt, now), [Effect::AskInterrupt]);
    assert_eq!(conversation.stop(Stop::Interrupt, now), [], "asked already");
    assert!(!conversation.takes_context());
    assert_eq!(conversation.heard(&interrupted(), now), [Effect::TurnEnded, Effect::Rested]);
    assert_eq!(conversation.due(now + SECOND * 60), []);
    assert!(!conversation.is_ending());
}

#[test]
fn a_stuck_process_goes_down_the_ladder_within_eight_seconds() {
    let now = Instant::now();
    let (mut conversation, _) = in_turn(now);
    conversation.stop(Stop::Interrupt, now);
    let due = conversation.next_due().unwrap();
    assert_eq!(conversation.due(due), [Effect::End(Ladder::at_work())]);
    let Ladder { interrupt, terminate, .. } = Ladder::at_work();
    assert!(due + interrupt.unwrap() + terminate.unwrap() - now < SECOND * 8);
    assert_eq!(conversation.take_turn(due).unwrap().stop, Some(Stop::Interrupt));
}

#[test]
fn an_interrupt_that_comes_before_the_turn_has_begun_is_asked_again() {
    let now = Instant::now();
    let (mut conversation, input) = (Conversation::new(PATIENCE, now), InputId::new());
    conversation.began(TurnId::new(), input, None, now);
    assert_eq!(conversation.stop(Stop::Interrupt, now), [Effect::AskInterrupt]);
    assert_eq!(conversation.heard(&replay(input), now), [Effect::Confirmed(input), Effect::AskInterrupt]);
}

#[test]
fn an_input_that_the_cli_cancels_or_swallows_ends_its_turn() {
    let now = Instant::now();
    let (mut conversation, input) = in_turn(now);
    conversation.stop(Stop::Interrupt, now);
    assert_eq!(conversation.heard(&lifecycle(input, "cancelled"), now), []);
    let turn = *conversation.turn().unwrap();
    assert_eq!(conversation.due(now + RESULT_GRACE), [Effect::TurnDropped(turn), Effect::Rested]);
}

#[test]
fn a_time_limit_is_an_interrupt_of_our_own() {
    let now = Instant::now();
    let (mut conversation, input) = (Conversation::new(PATIENCE, now), InputId::new());
    conversation.began(TurnId::new(), input, Some(SECOND), now);
    assert_eq!(conversation.next_due(), Some(now + SECOND));
    assert_eq!(conversation.due(now + SECOND), [Effect::AskInterrupt]);
    assert_eq!(conversation.turn().unwrap().stop, Some(Stop::TimeLimit));
}

#[test]
fn a_silence_is_told_once_until_there_is_life_again() {
    let now = Instant::now();
    let (mut conversation, _) = in_turn(now);
    let quiet = now + PATIENCE.stall;
    assert_eq!(conversation.next_due(), Some(quiet));
    assert_eq!(conversation.due(quiet), [Effect::Stalled(PATIENCE.stall)]);
    assert_eq!(conversation.due(quiet + PATIENCE.stall * 3), []);
    conversation.heard(&Frame::Other, quiet + SECOND);
    assert_eq!(conversation.due(quiet + SECOND + PATIENCE.stall), [Effect::Stalled(PATIENCE.stall)]);
}

#[test]
fn a_rested_process_expires_and_is_asked_again_if_it_was_needed() {
    let now = Instant::now();
    let mut conversation = Conversation::new(PATIENCE, now);
    assert_eq!(conversation.next_due(), Some(now + PATIENCE.idle));
    assert_eq!(conversation.due(now + PATIENCE.idle), [Effect::Expired]);
    assert_eq!(conversation.next_due(), Some(now + PATIENCE.idle * 2));
    assert_eq!(conversation.leave(), [Effect::End(Ladder::at_rest(LEAVE))]);
    assert_eq!(conversation.next_due(), None);
}

proptest! {
    /// Whatever a process prints: an input is confirmed once, a turn ends once and only after it began, and a stopped
    /// turn ends by itself or by the ladder.
    #[test]
    fn no_story_breaks_the_books(
        steps in vec((0_u8..10, any::<prop::sample::Index>(), 0_u64..4000), 1..80),
    ) {
        let mut now = Instant::now();
        let mut conversation = Conversation::new(PATIENCE, now);
        let (mut inputs, mut confirmed): (Vec<InputId>, Vec<InputId>) = (vec![InputId::new()], Vec::new());
        let (mut begun, mut ended) = (0, 0);
        let mut stopped_since: Option<Instant> = None;
        for (what, which, wait) in steps {
            now += Duration::from_millis(wait);
            let input = *which.get(&inputs);
            let effects = match what {
                0 if conversation.is_rested() => {
                    inputs.push(InputId::new());
                    conversation.began(TurnId::new(), *inputs.last().unwrap(), None, now);
                    begun += 1;
                    Vec::new()
                }
                1 if conversation.takes_context() => {
                    inputs.push(InputId::new());
                    conversation.wrote_context(*inputs.last().unwrap(), now);
                    Vec::new()
                }
                2 if conversation.turn().is_some() => {
                    stopped_since.get_or_insert(now);
                    conversation.stop(Stop::Interrupt, now)
                }
                3 | 4 => conversation.heard(&replay(input), now),
                5 => conversation.heard(&result(1, &[input]), now),
                6 => conversation.heard(&result(0, &[input]), now),
                7 => conversation.heard(&result(1, &[]), now),
                8 => conversation.heard(&lifecycle(input, "completed"), now),
                _ => conversation.due(now),
            };
            for effect in effects {
                match effect {
                    Effect::Confirmed(input) => {
                        prop_assert!(!confirmed.contains(&input), "confirmed twice");
                        confirmed.push(input);
                    }
                    Effect::TurnEnded | Effect::TurnDropped(_) => {
                        ended += 1;
                        stopped_since = None;
                    }
                    Effect::Rested => prop_assert!(conversation.is_rested()),
                    _ => {}
                }
            }
            prop_assert!(ended <= begun && begun <= ended + 1, "a turn was written into another");
            prop_assert_eq!(conversation.turn().is_some(), begun > ended);
            if let Some(since) = stopped_since
                && !conversation.is_ending()
            {
                let due = conversation.next_due().expect("a stopped turn has a deadline");
                prop_assert!(due <= since + INTERRUPT_GRACE.max(RESULT_GRACE) + SECOND * 4);
            }
        }
    }
}
