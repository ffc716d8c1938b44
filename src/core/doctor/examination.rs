//! [`Doctor`]: which checks there are, and their order.

use tokio_util::sync::CancellationToken;

use super::{
    agents, cli, clients, directories, live, processes,
    report::{Check, Report},
    surroundings,
};
use crate::core::{config::Settings, process::Spawner, sessions::Sessions};

/// Looks at everything that ccmcp needs.
#[derive(Clone, Copy, Debug)]
pub struct Doctor<'a> {
    settings: &'a Settings,
    spawner: &'a Spawner,
    sessions: &'a Sessions,
}

impl<'a> Doctor<'a> {
    pub(in crate::core) fn new(settings: &'a Settings, spawner: &'a Spawner, sessions: &'a Sessions) -> Self {
        Self { settings, spawner, sessions }
    }

    /// Makes every check that costs nothing. Takes a second or two.
    pub async fn examine(&self) -> Report {
        let mut checks = cli::checks(self.settings, self.spawner).await;
        checks.push(surroundings::nesting(self.settings));
        checks.extend(clients::checks(self.settings).await);
        checks.extend(directories::checks(self.settings));
        checks.extend(agents::checks(self.settings).await);
        checks.push(processes::orphans().await);
        checks.push(processes::handshake(self.settings, self.spawner).await);
        Report::of(checks)
    }

    /// Runs one real turn, which costs something. Asking first is up to the caller.
    pub async fn live_turn(&self, model: &str, stop: &CancellationToken) -> Check {
        live::turn(self.settings, self.sessions, model, stop).await
    }
}
