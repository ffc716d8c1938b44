//! The two limits of a child.

use std::time::Duration;

use ccmcp::core::process::{Deadline, Event, Exit, Ladder, Launch, Limits, Step};

use super::harness::{ended, line, script, start, within};

const SHORT: Duration = Duration::from_millis(100);

#[tokio::test]
async fn each_limit_is_told_once_and_ends_nothing() {
    let limits = Limits { idle: Some(SHORT), wall: Some(SHORT * 4) };
    let mut child = start(Launch { limits, ..script("exec sleep 1000") }).await;
    assert_eq!(within(child.event()).await, Event::Deadline(Deadline::Idle));
    assert_eq!(within(child.event()).await, Event::Deadline(Deadline::Wall));
    child.end(Ladder::KILL);
    let (_, end) = ended(&mut child).await;
    assert_eq!((end.exit, end.step), (Exit::Signal(9), Some(Step::Kill)));
}

#[tokio::test]
async fn a_byte_on_standard_error_is_a_sign_of_life() {
    // Chatters on standard error for longer than the limit, each time well within it.
    let text = "for i in $(seq 40); do printf . >&2; sleep 0.05; done; echo quiet; exec sleep 1000";
    let limits = Limits { idle: Some(Duration::from_secs(1)), wall: None };
    let mut child = start(Launch { limits, ..script(text) }).await;
    assert_eq!(line(&mut child).await, "quiet");
    assert_eq!(within(child.event()).await, Event::Deadline(Deadline::Idle));
}

#[tokio::test]
async fn a_caller_who_was_away_has_not_made_the_program_silent() {
    let limits = Limits { idle: Some(SHORT), wall: None };
    let mut child = start(Launch { limits, ..script("echo one; echo two >&2; exec sleep 1000") }).await;
    super::harness::until(|| !child.stderr_tail().is_empty()).await;
    // Longer than the limit, without looking.
    let away = tokio::time::Instant::now();
    super::harness::until(|| away.elapsed() > SHORT * 2).await;
    assert_eq!(line(&mut child).await, "one");
    assert_eq!(within(child.event()).await, Event::Deadline(Deadline::Idle));
}

#[tokio::test]
async fn a_flood_does_not_hide_the_wall_limit() {
    let limits = Limits { idle: Some(SHORT * 600), wall: Some(SHORT) };
    let mut child = start(Launch { limits, ..script("exec yes") }).await;
    within(async {
        loop {
            match child.event().await {
                Event::Line(_) => {}
                other => break assert_eq!(other, Event::Deadline(Deadline::Wall)),
            }
        }
    })
    .await;
    child.end(Ladder::at_work());
    let (_, end) = ended(&mut child).await;
    assert_eq!((end.exit, end.step), (Exit::Signal(2), Some(Step::Interrupt)));
}
