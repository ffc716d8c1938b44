//! Ending a process that is no child of ours: the way out of an agent that needs attention.

use std::{process::Stdio, time::Duration};

use ccmcp::core::process::{Exit, Identity, Ladder, Liveness, Step};
use tokio::io::{AsyncBufReadExt as _, BufReader};

use super::{
    harness::{DETACH, LIMIT, announced, ended, is_dead, process, script, start, within},
    owner::Owner,
};

const SHORT: Duration = Duration::from_millis(50);

/// A process that nobody supervises, and the one whose pid it says.
async fn unsupervised(text: &str) -> (tokio::process::Child, Identity, Identity) {
    #[expect(clippy::disallowed_methods, reason = "it must not be under a supervisor")]
    let mut command = tokio::process::Command::new("/bin/sh");
    command.args(["-c", text]).stdin(Stdio::null()).stdout(Stdio::piped()).kill_on_drop(true);
    let mut child = command.spawn().unwrap();
    let identity = Identity::of(child.id().unwrap()).unwrap().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let announced = within(lines.next_line()).await.unwrap().unwrap();
    (child, identity, process(&announced))
}

/// Whether this process ignores SIGINT, and so all that it starts: a script's shell makes it so for what it puts into the
/// background.
fn interrupts_are_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 0b10 != 0)
}

#[tokio::test]
async fn goes_down_the_ladder_and_takes_the_tree() {
    let ladder = Ladder { close_stdin: None, interrupt: Some(SHORT), terminate: Some(SHORT) };
    let (_child, stubborn, below) =
        unsupervised("trap '' INT TERM; setsid sleep 1000 & echo $!; while :; do sleep 0.01; done").await;
    assert_eq!(within(stubborn.end_tree(ladder)).await.unwrap(), Some(Step::Kill));
    assert!(is_dead(&stubborn) && is_dead(&below));
    assert_eq!(within(stubborn.end_tree(ladder)).await.unwrap(), None, "dead already");
}

#[tokio::test]
async fn stops_at_the_step_that_works() {
    let (_child, process, _) = unsupervised("echo $$; exec sleep 1000").await;
    assert_eq!(within(process.end_tree(Ladder::in_a_hurry(LIMIT))).await.unwrap(), Some(Step::Terminate));
    if interrupts_are_ignored() {
        return;
    }
    let (_child, process, _) = unsupervised("echo $$; exec sleep 1000").await;
    let ladder = Ladder { interrupt: Some(LIMIT), ..Ladder::at_work() };
    assert_eq!(within(process.end_tree(ladder)).await.unwrap(), Some(Step::Interrupt));
}

#[tokio::test]
async fn another_process_with_the_same_pid_is_left_alone() {
    let (_child, process, _) = unsupervised("echo $$; exec sleep 1000").await;
    let mut earlier = process.clone();
    earlier.start.insert(0, '1');
    assert_eq!(earlier.liveness(), Liveness::Dead);
    assert_eq!(within(earlier.end_tree(Ladder::KILL)).await.unwrap(), None);
    assert_eq!(process.liveness(), Liveness::Alive);
}

#[tokio::test]
async fn what_cannot_be_told_is_an_error() {
    let mut elsewhere = Identity::own().unwrap();
    elsewhere.start.push_str("000");
    if cfg!(target_os = "linux") {
        assert_eq!(elsewhere.liveness(), Liveness::Unknown);
        within(elsewhere.end_tree(Ladder::KILL)).await.expect_err("another namespace");
    }
}

#[tokio::test]
async fn a_program_of_another_server_ends_with_its_detached_processes() {
    let mut owner = Owner::start(&format!("{DETACH}; exec sleep 1000"), None).await;
    let detached = process(&owner.said("line").await);
    assert_eq!(within(owner.program.end_tree(Ladder::in_a_hurry(LIMIT))).await.unwrap(), Some(Step::Terminate));
    assert!(is_dead(&owner.program) && is_dead(&detached));
    assert!(owner.said("ended").await.starts_with("Signal(15)"));
}

#[tokio::test]
async fn its_own_server_sees_a_child_that_somebody_else_ended() {
    let mut child = start(script("echo $$; exec sleep 1000")).await;
    let program = announced(&mut child).await;
    within(program.end_tree(Ladder::KILL)).await.unwrap();
    let (_, end) = ended(&mut child).await;
    assert_eq!((end.exit, end.step), (Exit::Signal(9), None));
}
