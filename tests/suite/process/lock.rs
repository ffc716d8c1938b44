//! The lock that a supervisor holds for its tree.

use std::{path::Path, time::Duration};

use ccmcp::core::process::{Exit, Ladder, Launch};

use super::harness::{ended, is_dead, line, script, spawner, start, until, within};

/// Long enough for somebody who does not have to wait.
const MOMENT: Duration = Duration::from_millis(200);

fn locked(path: &Path, text: &str) -> Launch {
    Launch { lock: Some(path.to_owned()), ..script(text) }
}

#[tokio::test]
async fn one_at_a_time() {
    let dir = tempfile::tempdir().unwrap();
    let lock = dir.path().join("lock");
    let mut first = start(locked(&lock, "echo up; exec sleep 1000")).await;
    assert_eq!(line(&mut first).await, "up");

    let mut second = spawner().spawn(locked(&lock, "echo second")).await.unwrap();
    assert!(tokio::time::timeout(MOMENT, second.locked()).await.is_err(), "both have the lock");
    let mut other = spawner().spawn(locked(&dir.path().join("other"), "")).await.unwrap();
    within(other.locked()).await.unwrap();

    first.end(Ladder::KILL);
    ended(&mut first).await;
    within(second.locked()).await.unwrap();
    within(second.locked()).await.unwrap();
    let mut second = within(second.go()).await.unwrap();
    assert_eq!(ended(&mut second).await.0, ["second"]);
}

#[tokio::test]
async fn go_waits_for_the_lock_by_itself() {
    let dir = tempfile::tempdir().unwrap();
    let lock = dir.path().join("lock");
    let mut first = start(locked(&lock, "echo first; exec sleep 1000")).await;
    assert_eq!(line(&mut first).await, "first");
    let second = spawner().spawn(locked(&lock, "echo second")).await.unwrap();
    let mut going = Box::pin(second.go());
    assert!(tokio::time::timeout(MOMENT, &mut going).await.is_err(), "both have the lock");
    drop(first);
    let mut second = within(going).await.unwrap();
    let (lines, end) = ended(&mut second).await;
    assert_eq!((lines, end.exit), (vec!["second".to_owned()], Exit::Code(0)));
}

#[tokio::test]
async fn giving_up_while_waiting_starts_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let (lock, proof) = (dir.path().join("lock"), dir.path().join("proof"));
    let mut first = start(locked(&lock, "echo up; exec sleep 1000")).await;
    assert_eq!(line(&mut first).await, "up");
    let mut second = spawner().spawn(locked(&lock, &format!("touch {}", proof.display()))).await.unwrap();
    assert!(tokio::time::timeout(MOMENT, second.locked()).await.is_err());
    let supervisor = second.supervisor().clone();
    drop(second);
    until(|| is_dead(&supervisor)).await;
    assert!(!proof.exists());
    // With the lock in hand as well.
    first.end(Ladder::KILL);
    ended(&mut first).await;
    let mut third = spawner().spawn(locked(&lock, &format!("touch {}", proof.display()))).await.unwrap();
    within(third.locked()).await.unwrap();
    let supervisor = third.supervisor().clone();
    drop(third);
    until(|| is_dead(&supervisor)).await;
    assert!(!proof.exists());
    let mut last = start(locked(&lock, "echo free")).await;
    assert_eq!(ended(&mut last).await.0, ["free"]);
}

#[tokio::test]
async fn free_again_as_soon_as_the_end_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let lock = dir.path().join("lock");
    for _ in 0..5 {
        let mut child = start(locked(&lock, "(setsid sleep 1000 &) ; exit 0")).await;
        ended(&mut child).await;
        let file = std::fs::File::open(&lock).unwrap();
        file.try_lock().expect("nobody holds it");
    }
}
