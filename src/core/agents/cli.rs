//! Whether the CLI can be used for agents, remembered for a moment.

use std::{sync::Arc, time::Duration};

use tokio::{sync::Mutex, time::Instant};

use super::error;
use crate::core::{
    claude::{self, Executable, MINIMUM_FOR_AGENTS},
    config::Settings,
    error::Result,
    process::Spawner,
};

/// How long a good answer holds. A bad one never does: whoever has mended the CLI need not wait.
const GOOD_FOR: Duration = Duration::from_mins(1);

/// Looks whether the CLI can be used, and remembers that it can.
#[derive(Debug)]
pub(super) struct Cli {
    settings: Arc<Settings>,
    spawner: Spawner,
    good: Mutex<Option<(Executable, Instant)>>,
}

impl Cli {
    pub(super) fn new(settings: Arc<Settings>, spawner: Spawner) -> Self {
        Self { settings, spawner, good: Mutex::default() }
    }

    /// The executable; `cli_unavailable` with the reason when it is missing, too old or logged out. Callers that come
    /// while somebody looks wait for that one look.
    pub(super) async fn usable(&self) -> Result<Executable> {
        let mut good = self.good.lock().await;
        if let Some((executable, since)) = &*good
            && since.elapsed() < GOOD_FOR
        {
            return Ok(executable.clone());
        }
        *good = None;
        let found = claude::check(&self.settings, &self.spawner).await.map_err(error::cli_unavailable)?;
        if found.version.is_none_or(|version| version < MINIMUM_FOR_AGENTS) {
            return Err(error::too_old(found.version));
        }
        *good = Some((found.executable.clone(), Instant::now()));
        Ok(found.executable)
    }

    /// Forgets: something was wrong after all.
    pub(super) async fn doubt(&self) {
        *self.good.lock().await = None;
    }
}
