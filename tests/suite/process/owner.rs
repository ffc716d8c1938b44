//! A server that can be killed: this test binary again, as a process of its own.

use std::{path::Path, process::Stdio};

use ccmcp::core::process::{Event, Identity, Launch};
use tokio::io::{AsyncBufReadExt as _, BufReader, Lines};

use super::harness::{process, script, start, within};

/// Tells the process that it is one: the script to run, and the lock to hold (or nothing).
const SCRIPT: &str = "CCMCP_TEST_OWNER_SCRIPT";
const LOCK: &str = "CCMCP_TEST_OWNER_LOCK";

/// Not a test: the main function of an [`Owner`]. Does nothing in an ordinary run.
#[tokio::test]
async fn owner_process() {
    #[expect(clippy::disallowed_methods, reason = "this is the main function of a process of the tests")]
    let (Ok(text), lock) = (std::env::var(SCRIPT), std::env::var_os(LOCK)) else { return };
    let mut child = start(Launch { lock: lock.map(Into::into), ..script(&text) }).await;
    println!("\nOWNER started {} {}", child.identity().pid, child.supervisor().pid);
    loop {
        match child.event().await {
            Event::Line(line) => println!("\nOWNER line {}", String::from_utf8(line.bytes).unwrap()),
            Event::Ended(end) => return println!("\nOWNER ended {:?} {}", end.exit, end.leftovers),
            Event::Deadline(_) => {}
        }
    }
}

/// A process that owns a child.
pub(super) struct Owner {
    process: tokio::process::Child,
    lines: Lines<BufReader<tokio::process::ChildStdout>>,
    /// The owner itself.
    pub(super) identity: Identity,
    /// Its child.
    pub(super) program: Identity,
    /// Its child's supervisor.
    pub(super) supervisor: Identity,
}

impl Owner {
    /// Starts one that runs `text`.
    pub(super) async fn start(text: &str, lock: Option<&Path>) -> Self {
        #[expect(clippy::disallowed_methods, reason = "the owner must not be under a supervisor itself")]
        let mut command = tokio::process::Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "process::owner::owner_process", "--nocapture"]).env(SCRIPT, text);
        if let Some(lock) = lock {
            command.env(LOCK, lock);
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped()).kill_on_drop(true);
        let mut process = command.spawn().unwrap();
        let identity = Identity::of(process.id().unwrap()).unwrap().unwrap();
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let started = said(&mut lines, "started").await;
        let (program, supervisor) = started.split_once(' ').unwrap();
        let (program, supervisor) = (self::process(program), self::process(supervisor));
        Self { process, lines, identity, program, supervisor }
    }

    /// The next thing of this kind that it says.
    pub(super) async fn said(&mut self, kind: &str) -> String {
        said(&mut self.lines, kind).await
    }

    /// Kills it, and takes its status.
    pub(super) async fn kill(&mut self) {
        super::harness::kill(&self.identity);
        within(self.process.wait()).await.unwrap();
    }
}

async fn said(lines: &mut Lines<BufReader<tokio::process::ChildStdout>>, kind: &str) -> String {
    let prefix = format!("OWNER {kind} ");
    within(async {
        loop {
            let line = lines.next_line().await.unwrap().expect("the owner still runs");
            if let Some(rest) = line.strip_prefix(&prefix) {
                return rest.to_owned();
            }
        }
    })
    .await
}
