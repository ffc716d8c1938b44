//! The agents' database, and what dead servers left in it.

use std::path::{Path, PathBuf};

use super::report::Check;
use crate::core::{
    agents::dead_servers,
    config::Settings,
    error::Error,
    store::{self, Soundness},
};

const DATABASE: &str = "agents' database";
const SERVERS: &str = "dead servers";

/// Looks at the state directory, which may not be there.
pub(super) async fn checks(settings: &Settings) -> Vec<Check> {
    let state = settings.places.state.clone();
    // It reads the whole database.
    match tokio::task::spawn_blocking(move || vec![database(&state), servers(&state)]).await {
        Ok(checks) => checks,
        Err(error) => vec![Check::error(DATABASE, Error::internal("looking at the database", error))],
    }
}

fn database(state: &Path) -> Check {
    let path: PathBuf = state.join(store::DATABASE);
    match store::check(state) {
        Ok(Soundness::Absent) => Check::ok(DATABASE, "none yet: it is made with the first agent"),
        Ok(Soundness::Sound) => Check::ok(DATABASE, format!("{} is sound", path.display())),
        Ok(Soundness::Damaged(faults)) => Check::fail(
            DATABASE,
            format!("{} is damaged: {}", path.display(), faults.join("; ")),
            "Stop all servers, move the file away (the sessions themselves are Claude's and stay), and start again.",
        ),
        Err(error) => Check::error(DATABASE, error.into()),
    }
}

fn servers(state: &Path) -> Check {
    match dead_servers(state) {
        Ok(dead) if dead.is_empty() => Check::ok(SERVERS, "none"),
        Ok(dead) => Check::warn(
            SERVERS,
            format!("{} died and left its agents to others", dead.len()),
            "Start any `ccmcp serve` and use an agent tool: it takes them over.",
        ),
        Err(error) => {
            Check::fail(SERVERS, format!("cannot be looked at: {error}"), "Mend the rights of the state directory.")
        }
    }
}
