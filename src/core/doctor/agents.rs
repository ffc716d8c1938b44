//! The agents' database, and what dead servers left in it.

use std::path::{Path, PathBuf};

use super::report::Check;
use crate::core::{
    agents::{dead_servers, has_server},
    config::Settings,
    error::Error,
    store::{self, AgentFilter, AgentState, Soundness},
};

const DATABASE: &str = "agents' database";
const SERVERS: &str = "dead servers";
const WAITING: &str = "waiting agents";

/// Looks at the state directory, which may not be there.
pub(super) async fn checks(settings: &Settings) -> Vec<Check> {
    let state = settings.places.state.clone();
    // It reads the whole database.
    match tokio::task::spawn_blocking(move || vec![database(&state), servers(&state), waiting(&state)]).await {
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

/// Queued agents need a server; other states without one are the dead servers' business.
fn waiting(state: &Path) -> Check {
    let filter = AgentFilter { state: Some(AgentState::Queued), limit: 1, offset: 0 };
    let queued = store::glance(state, move |view| view.agents(filter));
    // What is wrong with the database is told above.
    match queued.ok().flatten().map_or(0, |(_, queued)| queued) {
        0 => Check::ok(WAITING, "none"),
        queued if has_server(state).unwrap_or(true) => Check::ok(WAITING, format!("{queued}, and a server runs them")),
        queued => Check::warn(
            WAITING,
            format!("{queued} queued, and no server is running"),
            "Start an MCP client that has ccmcp, or close them with `ccmcp agents interrupt` and `close`.",
        ),
    }
}
