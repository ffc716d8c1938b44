//! What a program leaves behind is found, wherever it hides.

use ccmcp::core::process::{Exit, Ladder, Launch, Stdin, Step};

use super::harness::{announced, ended, is_dead, line, script, start, start_detaching, until};

#[tokio::test]
async fn a_detached_process_ends_with_the_program() {
    let (mut child, detached) = start_detaching("read go").await;
    child.close_stdin();
    let (_, end) = ended(&mut child).await;
    assert_eq!((end.exit, end.step, end.leftovers), (Exit::Code(1), None, 1));
    assert!(is_dead(&detached));
    assert!(is_dead(child.supervisor()));
}

#[tokio::test]
async fn a_program_that_is_killed_takes_its_tree_with_it() {
    let (mut child, detached) = start_detaching("exec sleep 1000").await;
    super::harness::kill(child.identity());
    let (_, end) = ended(&mut child).await;
    assert_eq!((end.exit, end.step, end.leftovers), (Exit::Signal(9), None, 1));
    assert!(is_dead(&detached));
}

#[tokio::test]
async fn the_last_step_ends_the_whole_tree() {
    let (mut child, detached) = start_detaching("trap '' INT TERM; exec sleep 1000").await;
    child.end(Ladder::KILL);
    let (_, end) = ended(&mut child).await;
    assert_eq!((end.exit, end.step, end.leftovers), (Exit::Signal(9), Some(Step::Kill), 1));
    assert!(is_dead(&detached));
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_process_that_hides_its_marker_is_found_below_the_supervisor() {
    let text = "echo $(setsid env -i /bin/sh -c 'sleep 1000 <&- >&- 2>&- & echo $!'); read go";
    let mut child = start(Launch { stdin: Stdin::Open, ..script(text) }).await;
    let hidden = announced(&mut child).await;
    child.close_stdin();
    let (_, end) = ended(&mut child).await;
    assert_eq!(end.leftovers, 1);
    assert!(is_dead(&hidden));
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn processes_that_never_stop_forking_are_caught() {
    let dir = tempfile::tempdir().unwrap();
    let comet = dir.path().join("comet.sh");
    // Each one lives just long enough to start its successor, in a new session.
    std::fs::write(&comet, "setsid sh \"$0\" </dev/null >/dev/null 2>&1 &\n").unwrap();
    let text = format!("sh {0}; sh {0}; sh {0}; echo up; read never", comet.display());
    let mut child = start(Launch { stdin: Stdin::Open, ..script(&text) }).await;
    assert_eq!(line(&mut child).await, "up");
    child.end(Ladder::KILL);
    let (_, end) = ended(&mut child).await;
    assert_eq!(end.exit, Exit::Signal(9));
    assert_eq!(super::harness::marked(&child), [0; 0]);
}

#[tokio::test]
async fn dropping_the_child_ends_the_tree() {
    let (child, detached) = start_detaching("exec sleep 1000").await;
    let (program, supervisor) = (child.identity().clone(), child.supervisor().clone());
    drop(child);
    until(|| is_dead(&program) && is_dead(&detached) && is_dead(&supervisor)).await;
}

#[tokio::test]
async fn dropping_the_start_ends_what_was_started() {
    let dir = tempfile::tempdir().unwrap();
    let proof = dir.path().join("pid");
    let text = format!("echo $$ > {0}.new; mv {0}.new {0}; exec sleep 1000", proof.display());
    let held = super::harness::spawner().spawn(script(&text)).await.unwrap();
    let supervisor = held.supervisor().clone();
    let mut going = Box::pin(held.go());
    // Polled once it has sent the word; dropped as soon as the program runs, whatever the future knows of it.
    tokio::select! {
        biased;
        started = &mut going => drop(started),
        () = until(|| proof.exists()) => drop(going),
    }
    until(|| is_dead(&supervisor)).await;
    if let Ok(pid) = std::fs::read_to_string(&proof) {
        let pid = pid.trim().parse().unwrap();
        assert_eq!(ccmcp::core::process::Identity::of(pid).unwrap(), None);
    }
}
