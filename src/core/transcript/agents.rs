//! A sub-agent's own transcript and what is known about who started it.

use std::{
    fs::File,
    io::{self, Read as _},
    path::PathBuf,
};

use serde::Deserialize;

use super::chunks::Chunks;
use crate::core::{clock::Timestamp, ids::SessionId};

/// A `.meta.json` is a few hundred bytes; more than this is none.
const LARGEST_META: u64 = 1 << 20;

/// The transcript of one sub-agent: `<session>/subagents/agent-<id>.jsonl`, or `agent-<id>.jsonl` beside the
/// session in older versions. Sidechain records inside a session's own file are found by its tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentFile {
    /// The file.
    pub path: PathBuf,
    /// The slug of the project that it lies in.
    pub project: String,
    /// The session that it belongs to; `None` in the flat layout, where only the records know.
    pub session: Option<SessionId>,
    /// The agent's id: unique within its session only.
    pub id: String,
    /// Size in bytes when it was listed.
    pub size: u64,
    /// When the file was last written, as the file system says.
    pub modified: Timestamp,
}

/// What `agent-<id>.meta.json` tells about a sub-agent (2.1.332).
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AgentMeta {
    /// The call that started it.
    pub tool_use_id: Option<String>,
    /// Which kind of agent it is.
    pub agent_type: Option<String>,
    /// What it was started for, in a few words.
    pub description: Option<String>,
}

impl AgentFile {
    /// The facts in the `.meta.json` beside the transcript; empty ones where there is none.
    pub fn meta(&self) -> AgentMeta {
        let path = self.path.with_extension("meta.json");
        // The listing did not see this file, so a symlink in its place was not checked.
        if !path.symlink_metadata().is_ok_and(|metadata| metadata.is_file() && metadata.len() <= LARGEST_META) {
            return AgentMeta::default();
        }
        let mut bytes = Vec::new();
        let read = File::open(path).and_then(|file| file.take(LARGEST_META).read_to_end(&mut bytes));
        read.ok().and_then(|_| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
    }

    /// The session that the first record with a session names: the only way to know it in the flat layout.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn first_session(&self) -> io::Result<Option<SessionId>> {
        let mut chunks = Chunks::small(File::open(&self.path)?);
        chunks.find_record(|record| record.session_id.as_deref()?.parse().ok())
    }
}
