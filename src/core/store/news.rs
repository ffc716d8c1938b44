//! Noticing what other processes committed.

use std::{sync::mpsc, thread, time::Duration};

use rusqlite::Connection;
use tokio::sync::watch;

use super::{StoreError, View};

/// How often to look. `PRAGMA data_version` reads one shared counter: it costs microseconds, no disk access.
const EVERY: Duration = Duration::from_millis(40);

/// Watches the database on a thread of its own until `stop` is dropped, and bumps `news` whenever anybody has
/// committed an event or a request.
pub(super) fn watch(connection: Connection, news: watch::Sender<u64>, stop: mpsc::Receiver<()>) -> std::io::Result<()> {
    let run = move || {
        let mut seen = (0, (0, 0));
        while stop.recv_timeout(EVERY) == Err(mpsc::RecvTimeoutError::Timeout) {
            match look(&connection, seen) {
                Ok(now) => {
                    if now.1 != seen.1 {
                        bump(&news);
                    }
                    seen = now;
                }
                Err(error) => tracing::debug!(%error, "cannot look for news in the database"),
            }
        }
    };
    thread::Builder::new().name("ccmcp-news".to_owned()).spawn(run).map(drop)
}

/// Tells everybody who waits that there may be something new.
pub(super) fn bump(news: &watch::Sender<u64>) {
    news.send_modify(|count| *count = count.wrapping_add(1));
}

type Seen = (i64, (i64, i64));

fn look(connection: &Connection, seen: Seen) -> Result<Seen, StoreError> {
    let version: i64 = connection.pragma_query_value(None, "data_version", |row| row.get(0))?;
    if version == seen.0 {
        return Ok(seen);
    }
    Ok((version, View { connection }.news()?))
}
