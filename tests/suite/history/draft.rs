//! Writes transcripts for tests record by record.

use std::{
    fs,
    path::{Path, PathBuf},
};

use ccmcp::core::history::History;
use serde_json::{Value, json};

use super::corpus::timestamp;

/// Milliseconds since the epoch at which drafts begin (2026-06-01).
pub(super) const BEGIN: i64 = 1_780_272_000_000;

/// A projects directory that goes away with the test.
#[derive(Debug)]
pub(super) struct Folder(tempfile::TempDir);

impl Folder {
    pub(super) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(super) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(super) fn history(&self) -> History {
        History::new(self.path().to_owned())
    }

    /// Writes a file, with the folders above it.
    pub(super) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    /// Writes a draft as a session of a project.
    pub(super) fn session(&self, project: &str, draft: &Draft) -> PathBuf {
        self.write(&format!("{project}/{}.jsonl", draft.session), draft.text())
    }
}

/// A session in the making: every record hangs under the one before it unless told otherwise.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    pub(super) session: String,
    pub(super) records: Vec<Value>,
    pub(super) time: i64,
    /// The record under which the next one hangs.
    pub(super) at: Option<String>,
}

/// The id of the session with this number.
pub(super) fn session_id(number: u32) -> String {
    format!("{number:08x}-0000-4000-8000-000000000000")
}

impl Draft {
    pub(super) fn new(number: u32) -> Self {
        Self { session: session_id(number), records: Vec::new(), time: BEGIN, at: None }
    }

    /// A record of the tree with these fields, `uuid` being this.
    pub(super) fn record(&mut self, uuid: &str, kind: &str, fields: &Value) -> &mut Self {
        self.time += 1000;
        let mut record = json!({
            "parentUuid": self.at, "isSidechain": false, "type": kind, "uuid": uuid,
            "timestamp": timestamp(self.time), "sessionId": self.session, "cwd": "/home/dev", "gitBranch": "main",
        });
        record.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        self.records.push(record);
        self.at = Some(uuid.to_owned());
        self
    }

    pub(super) fn prompt(&mut self, uuid: &str, text: &str) -> &mut Self {
        self.record(uuid, "user", &json!({ "message": { "role": "user", "content": text } }))
    }

    pub(super) fn answer(&mut self, uuid: &str, text: &str) -> &mut Self {
        self.blocks(uuid, &format!("msg_{uuid}"), &json!([{ "type": "text", "text": text }]))
    }

    /// One record of an answer.
    pub(super) fn blocks(&mut self, uuid: &str, id: &str, blocks: &Value) -> &mut Self {
        let message = json!({ "id": id, "role": "assistant", "model": "claude-sonnet-5-5", "content": blocks });
        self.record(uuid, "assistant", &json!({ "message": message }))
    }

    pub(super) fn call(&mut self, uuid: &str, id: &str, call: &str, name: &str, input: &Value) -> &mut Self {
        self.blocks(uuid, id, &json!([{ "type": "tool_use", "id": call, "name": name, "input": input }]))
    }

    pub(super) fn result(&mut self, uuid: &str, call: &str, text: &str) -> &mut Self {
        let block = json!({ "type": "tool_result", "tool_use_id": call, "content": text });
        self.record(uuid, "user", &json!({ "message": { "role": "user", "content": [block] } }))
    }

    pub(super) fn attachment(&mut self, uuid: &str) -> &mut Self {
        self.record(uuid, "attachment", &json!({ "attachment": { "type": "date" } }))
    }

    /// A record outside the tree.
    pub(super) fn outside(&mut self, record: Value) -> &mut Self {
        self.records.push(record);
        self
    }

    /// The next record hangs under this one.
    pub(super) fn under(&mut self, uuid: &str) -> &mut Self {
        self.at = Some(uuid.to_owned());
        self
    }

    /// The next record hangs under nothing.
    pub(super) fn afresh(&mut self) -> &mut Self {
        self.at = None;
        self
    }

    /// Changes the last record.
    pub(super) fn set(&mut self, field: &str, value: impl Into<Value>) -> &mut Self {
        self.records.last_mut().unwrap()[field] = value.into();
        self
    }

    pub(super) fn text(&self) -> String {
        self.records.iter().map(|record| format!("{record}\n")).collect()
    }
}
