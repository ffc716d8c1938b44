//! Waiting for events: a condition, a limit, and a message when the limit runs out.

use std::{
    process::{Child, Output},
    sync::mpsc::channel,
    thread,
    time::{Duration, Instant},
};

use super::processes::{self, Process};

/// The usual limit of a wait: far above what anything here takes, below what anybody has patience for.
pub(crate) const LIMIT: Duration = Duration::from_secs(30);
/// How often a condition is looked at.
const TICK: Duration = Duration::from_millis(5);

/// Waits until `look` finds something; fails the test after `limit` with `what`.
#[track_caller]
pub(crate) fn wait_until<T>(limit: Duration, what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let until = Instant::now() + limit;
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < until, "not within {limit:?}: {what}");
        thread::sleep(TICK);
    }
}

/// Waits until `condition` holds; fails the test after `limit` with `what`.
#[track_caller]
pub(crate) fn wait_for(limit: Duration, what: &str, mut condition: impl FnMut() -> bool) {
    wait_until(limit, what, || condition().then_some(()));
}

/// Waits until a child has ended and its pipes are closed, and gives what they held; ends it and fails the test after
/// [`LIMIT`].
#[track_caller]
pub(crate) fn finish(child: Child) -> Output {
    let process = Process { pid: child.id(), start: processes::start_of(child.id()).unwrap_or_default() };
    let (sender, ended) = channel();
    thread::spawn(move || sender.send(child.wait_with_output()));
    let Ok(output) = ended.recv_timeout(LIMIT) else {
        processes::kill(&process);
        panic!("process {} (or one that holds its pipes) has not ended within {LIMIT:?}", process.pid)
    };
    output.expect("the child's output")
}
