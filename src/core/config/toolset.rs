//! [`ToolSet`]: what a server may offer.

/// A group of tools that is offered or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolSet {
    /// Start and continue sessions.
    Sessions,
    /// Durable background agents.
    Agents,
    /// Transcripts.
    History,
}

impl ToolSet {
    /// All, in the order in which their tools are listed.
    pub const ALL: [Self; 3] = [Self::Sessions, Self::Agents, Self::History];

    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sessions => "sessions",
            Self::Agents => "agents",
            Self::History => "history",
        }
    }

    /// Whether its tools start models.
    pub const fn drives(self) -> bool {
        !matches!(self, Self::History)
    }
}
