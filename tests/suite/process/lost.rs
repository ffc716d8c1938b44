//! Somebody is killed who should have looked after the tree: the server, the supervisor, or both.

use ccmcp::core::process::{Event, Exit, Identity, Ladder, Launch, Liveness, Step, sweep_dead_owners};
use rustix::process::Signal;

use super::{
    harness::{
        DETACH, announced, ended, is_dead, kill, process, script, signal, spawner, start, start_detaching, until,
        within,
    },
    owner::Owner,
};

/// What the program goes on with.
const STUBBORN: &str = "trap '' INT TERM HUP; exec sleep 1000";

/// A server whose program has detached a process.
async fn owner(lock: Option<&std::path::Path>) -> (Owner, Identity) {
    let mut owner = Owner::start(&format!("{DETACH}; {STUBBORN}"), lock).await;
    let detached = process(&owner.said("line").await);
    (owner, detached)
}

#[tokio::test]
async fn a_killed_server_takes_everything_with_it() {
    let (mut owner, detached) = owner(None).await;
    owner.kill().await;
    until(|| is_dead(&owner.program) && is_dead(&detached) && is_dead(&owner.supervisor)).await;
}

#[tokio::test]
async fn the_lock_of_a_killed_server_is_free_only_when_its_tree_is_dead() {
    let dir = tempfile::tempdir().unwrap();
    let lock = dir.path().join("lock");
    let (mut owner, detached) = owner(Some(&lock)).await;
    let mut next = spawner().spawn(Launch { lock: Some(lock), ..script("") }).await.unwrap();
    owner.kill().await;
    within(next.locked()).await.unwrap();
    assert!(is_dead(&owner.program) && is_dead(&detached));
}

#[tokio::test]
async fn a_killed_supervisor_is_stood_in_for_by_the_server() {
    let (mut child, detached) = start_detaching(STUBBORN).await;
    kill(child.supervisor());
    let (_, end) = ended(&mut child).await;
    assert_eq!((end.exit, end.step), (Exit::Lost, None));
    assert!(end.leftovers >= 1);
    assert!(is_dead(child.identity()) && is_dead(&detached));
}

#[tokio::test]
async fn a_child_dropped_after_its_supervisor_was_killed_is_ended() {
    let (child, detached) = start_detaching(STUBBORN).await;
    let program = child.identity().clone();
    kill(child.supervisor());
    drop(child);
    until(|| is_dead(&program) && is_dead(&detached)).await;
}

#[tokio::test]
async fn program_and_supervisor_killed_together() {
    let (mut child, detached) = start_detaching(STUBBORN).await;
    signal(child.supervisor(), Signal::STOP);
    kill(child.identity());
    kill(child.supervisor());
    let (_, end) = ended(&mut child).await;
    assert_eq!(end.exit, Exit::Lost);
    assert!(is_dead(&detached));
}

#[tokio::test(start_paused = true)]
async fn a_supervisor_that_does_not_answer_is_cut_off() {
    // Paused time jumps to the next timer whenever nothing else is to be done, so it must not run before all is set.
    tokio::time::resume();
    let (mut child, detached) = start_detaching(STUBBORN).await;
    signal(child.supervisor(), Signal::STOP);
    child.end(Ladder::KILL);
    tokio::time::pause();
    let end = loop {
        match child.event().await {
            Event::Ended(end) => break end,
            other => assert!(matches!(other, Event::Line(_)), "{other:?}"),
        }
    };
    assert_eq!((end.exit, end.step), (Exit::Lost, Some(Step::Kill)));
    assert!(is_dead(child.identity()) && is_dead(&detached) && is_dead(child.supervisor()));
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn the_next_server_ends_what_nobody_is_left_for() {
    let (mut owner, detached) = owner(None).await;
    // In this order, so that neither can stand in for the other.
    signal(&owner.identity, Signal::STOP);
    kill(&owner.supervisor);
    until(|| is_dead(&owner.program)).await;
    let sweep = || tokio::task::spawn_blocking(sweep_dead_owners);
    let swept = sweep().await.unwrap().unwrap();
    assert!(swept.iter().all(|swept| swept.process != detached), "its server is not dead");
    owner.kill().await;

    let mut bystander = start(script("echo $$; exec sleep 1000")).await;
    let alive = announced(&mut bystander).await;
    let swept = sweep().await.unwrap().unwrap();
    assert!(is_dead(&detached));
    // Every server sweeps for all of them: one of another test may have been there first.
    if let Some(found) = swept.iter().find(|swept| swept.process == detached) {
        assert!(found.child.is_some());
    }
    assert_eq!(alive.liveness(), Liveness::Alive);
    assert!(swept.iter().all(|swept| swept.process != alive));
}
