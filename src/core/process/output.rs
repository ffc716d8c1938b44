//! Short commands: start, wait, take what they wrote.

use std::{io, time::Duration};

use tokio::time::{Instant, timeout_at};

use super::{child::Event, control::Exit, error::SpawnError, ladder::Ladder, launch::Launch, spawner::Spawner};

/// How much of standard output is kept, in bytes.
const OUTPUT_LIMIT: usize = 1024 * 1024;

/// What came of a short command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// How it ended.
    pub exit: Exit,
    /// The first MiB of its standard output, line endings as `\n`, invalid UTF-8 replaced.
    pub stdout: String,
    /// The last 16 KiB of its standard error, invalid UTF-8 replaced.
    pub stderr: String,
    /// Whether it was killed because it took too long.
    pub timed_out: bool,
}

impl Spawner {
    /// Runs a short command, such as `claude --version`, to its end, under the same supervision as everything else. After
    /// `limit`, counted from now (a wait for its lock included), its tree is killed.
    pub async fn output(&self, launch: Launch, limit: Duration) -> Result<Output, SpawnError> {
        let end = Instant::now().checked_add(limit);
        let late = |_| SpawnError::Supervisor { source: io::ErrorKind::TimedOut.into() };
        let start = async { self.spawn(launch).await?.go().await };
        let mut child = match end {
            Some(end) => timeout_at(end, start).await.map_err(late)??,
            None => start.await?,
        };
        let mut stdout = Vec::new();
        let mut timed_out = false;
        loop {
            let event = match end.filter(|_| !timed_out) {
                Some(end) => timeout_at(end, child.event()).await,
                None => Ok(child.event().await),
            };
            match event {
                Ok(Event::Line(line)) => {
                    let room = OUTPUT_LIMIT.saturating_sub(stdout.len());
                    stdout.extend(line.bytes.into_iter().chain([b'\n']).take(room));
                }
                Ok(Event::Deadline(_)) => {}
                Ok(Event::Ended(end)) => {
                    let stdout = String::from_utf8_lossy(&stdout).into_owned();
                    return Ok(Output { exit: end.exit, stdout, stderr: end.stderr_tail, timed_out });
                }
                Err(_) => {
                    timed_out = true;
                    child.end(Ladder::KILL);
                }
            }
        }
    }
}
