//! What everything that runs in the background shares.

use std::{path::PathBuf, sync::Arc};

use tokio::task::spawn_blocking;

use super::{bell::Bells, cli::Cli, error};
use crate::core::{
    claude,
    config::Settings,
    error::Result,
    ids::{OwnerId, SessionId},
    process::Spawner,
    store::{Store, private_file},
    transcript::{Projects, SessionFile},
};

/// The shared parts.
pub(super) struct Hub {
    /// This server.
    pub(super) me: OwnerId,
    pub(super) settings: Arc<Settings>,
    pub(super) spawner: Spawner,
    pub(super) store: Store,
    pub(super) cli: Arc<Cli>,
    pub(super) bells: Bells,
}

impl Hub {
    /// The transcript of a session, if there is one; the newest of several.
    pub(super) async fn transcript(&self, session: SessionId) -> Result<Option<SessionFile>> {
        let projects = Projects::new(self.settings.places.projects());
        let found = blocking(move || projects.sessions_named(session)).await?;
        let mut found = found.map_err(|cause| error::internal("looking for a transcript", cause))?;
        found.sort_by_key(|file| file.modified);
        Ok(found.pop())
    }

    /// Whether a living process of somebody else owns the session.
    pub(super) async fn is_live_elsewhere(&self, session: SessionId) -> Result<bool> {
        let directory = self.settings.places.live_sessions();
        let owner = blocking(move || claude::live_owner(&directory, session)).await?;
        owner.map(|owner| owner.is_some()).map_err(|cause| error::internal("looking for live sessions", cause))
    }

    /// An MCP configuration without servers.
    pub(super) fn empty_mcp_config(&self) -> Result<PathBuf> {
        let path = self.store.dir().join("empty-mcp.json");
        let text = "{\"mcpServers\":{}}\n";
        if std::fs::read_to_string(&path).is_ok_and(|found| found == text) {
            return Ok(path);
        }
        let mut file = private_file(&path)?;
        let write = file.set_len(0).and_then(|()| std::io::Write::write_all(&mut file, text.as_bytes()));
        write.map_err(|cause| error::internal("writing the empty MCP configuration", cause))?;
        Ok(path)
    }

    /// The lock that two processes of one agent can never hold at once, whatever state directory they know. It is not
    /// the lock of the session's own turns: those are refused by the live process, and must not wait for it.
    pub(super) fn lock_of(&self, session: SessionId) -> PathBuf {
        self.settings.places.locks.join(format!("{session}.agent.lock"))
    }
}

/// Runs blocking work off the async threads.
pub(super) async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
    spawn_blocking(work).await.map_err(|cause| error::internal("background work", cause))
}
