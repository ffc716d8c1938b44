//! Each step of the ladder ends a program that the steps before did not.

use std::time::Duration;

use ccmcp::core::process::{Child, End, Exit, Ladder, Launch, Stdin, Step};

use super::harness::{LIMIT, announced, ended, is_dead, line, script, start};

/// The grace of a step that is known not to work.
const SHORT: Duration = Duration::from_millis(50);

async fn up(text: &str) -> Child {
    let mut child = start(Launch { stdin: Stdin::Open, ..script(text) }).await;
    assert_eq!(line(&mut child).await, "up");
    child
}

async fn end(text: &str, ladder: Ladder) -> End {
    let mut child = up(text).await;
    child.end(ladder);
    ended(&mut child).await.1
}

#[tokio::test]
async fn the_end_of_input() {
    let end = end("echo up; exec cat", Ladder::at_rest(LIMIT)).await;
    assert_eq!((end.exit, end.step), (Exit::Code(0), Some(Step::CloseStdin)));
}

#[tokio::test]
async fn interrupt() {
    let ladder = Ladder { close_stdin: Some(SHORT), interrupt: Some(LIMIT), terminate: None };
    let end = end("echo up; exec sleep 1000", ladder).await;
    assert_eq!((end.exit, end.step), (Exit::Signal(2), Some(Step::Interrupt)));
}

#[tokio::test]
async fn terminate() {
    let ladder = Ladder { close_stdin: Some(SHORT), interrupt: Some(SHORT), terminate: Some(LIMIT) };
    let end = end("trap '' INT; trap 'exit 143' TERM; echo up; while :; do sleep 0.01; done", ladder).await;
    assert_eq!((end.exit, end.step), (Exit::Code(143), Some(Step::Terminate)));
}

#[tokio::test]
async fn kill() {
    let ladder = Ladder { close_stdin: Some(SHORT), interrupt: Some(SHORT), terminate: Some(SHORT) };
    let end = end("trap '' INT TERM; echo up; while :; do sleep 0.01; done", ladder).await;
    assert_eq!((end.exit, end.step), (Exit::Signal(9), Some(Step::Kill)));
}

#[tokio::test]
async fn a_signal_reaches_the_program_behind_a_wrapper() {
    let mut child = start(script("sleep 1000 & echo $!; wait")).await;
    let inner = announced(&mut child).await;
    child.end(Ladder { interrupt: None, ..Ladder::in_a_hurry(LIMIT) });
    let (_, end) = ended(&mut child).await;
    assert_eq!((end.exit, end.step), (Exit::Signal(15), Some(Step::Terminate)));
    assert!(is_dead(&inner));
}

#[tokio::test]
async fn output_of_the_last_moments_is_handed_out() {
    let mut child = up("trap 'echo bye; exit 0' INT; echo up; while :; do sleep 0.01; done").await;
    child.end(Ladder { interrupt: Some(LIMIT), ..Ladder::at_work() });
    let (lines, end) = ended(&mut child).await;
    assert_eq!((lines, end.exit, end.step), (vec!["bye".to_owned()], Exit::Code(0), Some(Step::Interrupt)));
}

#[tokio::test]
async fn asked_again_it_hurries() {
    let mut child = up("trap '' INT TERM; echo up; while :; do sleep 0.01; done").await;
    child.end(Ladder { interrupt: Some(Duration::MAX), ..Ladder::at_work() });
    let pulled = tokio::time::timeout(SHORT, child.event()).await;
    assert!(pulled.is_err(), "it ignores the signal, so nothing happens: {pulled:?}");
    child.end(Ladder::KILL);
    let (_, end) = ended(&mut child).await;
    assert_eq!((end.exit, end.step), (Exit::Signal(9), Some(Step::Kill)));
}

#[tokio::test]
async fn a_program_that_ended_by_itself_names_no_step() {
    let mut child = start(script("exit 4")).await;
    let (_, end) = ended(&mut child).await;
    child.end(Ladder::KILL);
    assert_eq!((end.exit, end.step), (Exit::Code(4), None));
    assert_eq!(ended(&mut child).await.1, end);
}
