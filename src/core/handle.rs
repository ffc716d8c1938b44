//! [`Core`]: the one handle that both faces get.

use std::sync::Arc;

use super::{
    agents::{Agents, Role},
    claude::{self, Nesting, Preflight, Unusable},
    config::Settings,
    doctor::Doctor,
    error::{Error, Result},
    history::History,
    process::{Spawner, sweep_dead_owners},
    sessions::Sessions,
};

/// Everything ccmcp can do, with the settings it does it by. Cheap to clone. Creating one touches nothing.
#[derive(Clone, Debug)]
pub struct Core {
    settings: Arc<Settings>,
    spawner: Spawner,
    sessions: Sessions,
    history: History,
    agents: Agents,
}

impl Core {
    /// Puts the parts together. `role` is what this process is to the agents.
    ///
    /// # Errors
    /// This process's own identity cannot be read.
    pub fn new(settings: Settings, role: Role) -> Result<Self> {
        let settings = Arc::new(settings);
        let spawner = Spawner::new(settings.executable.clone())
            .map_err(|error| Error::internal("reading this process's own identity", error))?;
        let sessions = Sessions::new(Arc::clone(&settings), spawner.clone());
        let history = History::new(settings.places.projects());
        let agents = Agents::new(Arc::clone(&settings), spawner.clone(), role);
        Ok(Self { settings, spawner, sessions, history, agents })
    }

    /// What ccmcp was started with.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Where this process stands towards other Claudes.
    pub fn nesting(&self) -> Nesting {
        Nesting::of(&self.settings.environment)
    }

    /// Sessions: start and continue.
    pub fn sessions(&self) -> &Sessions {
        &self.sessions
    }

    /// History: transcripts as trees.
    pub fn history(&self) -> &History {
        &self.history
    }

    /// Agents: durable, in the background.
    pub fn agents(&self) -> &Agents {
        &self.agents
    }

    /// Checks of everything that ccmcp needs.
    pub fn doctor(&self) -> Doctor<'_> {
        Doctor::new(&self.settings, &self.spawner, &self.sessions)
    }

    /// Ends whatever servers left running that were killed together with their supervisors; says how many processes
    /// that were. Blocks, as a rule for a few milliseconds.
    ///
    /// # Errors
    /// The process table cannot be read.
    pub fn end_orphans(&self) -> Result<usize> {
        let swept = sweep_dead_owners().map_err(|error| Error::internal("looking for orphaned processes", error))?;
        Ok(swept.len())
    }

    /// Looks whether the Claude CLI can be used. Takes about half a second.
    ///
    /// # Errors
    /// Why it cannot.
    pub async fn preflight(&self) -> Result<Preflight, Unusable> {
        claude::check(&self.settings, &self.spawner).await
    }
}
