//! The one handle on history, and the words that all answers share.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::core::{ids::SessionId, transcript::Projects};

/// Reads Claude Code's transcripts where they are. Cheap to make and to clone; it keeps nothing and writes nothing.
#[derive(Clone, Debug)]
pub struct History {
    pub(super) projects: Projects,
}

impl History {
    /// History over a projects directory (`<config dir>/projects`); one that does not exist is empty.
    pub fn new(projects_dir: PathBuf) -> Self {
        Self { projects: Projects::new(projects_dir) }
    }
}

/// The session from which history is being asked: a search leaves it out unless it is wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Current {
    /// The session, where the environment tells it (`CLAUDE_CODE_SESSION_ID`).
    pub session_id: Option<SessionId>,
    /// The tool call that asks (`_meta["claudecode/toolUseId"]`): the session that holds it is the current one.
    pub tool_use_id: Option<String>,
}

/// Who wrote a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Somebody typed it.
    User,
    /// The model answered it.
    Assistant,
    /// A tool gave it back.
    Tool,
    /// The program wrote it.
    System,
}

/// Which way of the conversation something is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Branch {
    /// The way that ends with the newest message: the one that the session goes on with.
    Primary,
    /// A way that was left.
    Abandoned,
}
