//! The faces of history: the six tools over MCP, and `sessions`, `search` and `tree` in a terminal.

mod answers;
mod documents;
mod errors;
mod hostile;
mod names;
mod pages;
mod pipes;
mod resources;
mod standing;

#[cfg(unix)]
mod running;
#[cfg(unix)]
mod screens;

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

use crate::support::{Sandbox, fixture, mcp::Mcp};

/// The tools in their order.
const TOOLS: [&str; 6] = ["list_projects", "list_sessions", "search", "get_tree", "get_thread", "get_forks"];

/// A box whose Claude has written the transcripts with known answers.
fn known() -> Sandbox {
    let sandbox = Sandbox::new();
    copy(&fixture("transcripts/projects"), &sandbox.config_dir().join("projects"));
    sandbox
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), &target).unwrap();
        }
    }
}

/// The known sessions' ids by name.
fn names() -> BTreeMap<String, String> {
    serde_json::from_slice(&fs::read(fixture("transcripts/names.json")).unwrap()).unwrap()
}

/// A server with the history tools only.
fn serve(sandbox: &Sandbox) -> Mcp {
    Mcp::legacy(sandbox.command("ccmcp").args(["serve", "--tools", "history"]))
}

/// The structured content of an answer that has to be none of an error.
#[track_caller]
fn ask(mcp: &mut Mcp, tool: &str, arguments: Value) -> Value {
    let mut result = mcp.tool(tool, arguments);
    assert_eq!(result["isError"], false, "{result}");
    result["structuredContent"].take()
}

/// A session that is made up: prompts and answers in a row, then whatever a test adds.
struct Written {
    id: String,
    folder: PathBuf,
    cwd: String,
    lines: Vec<String>,
    last: Option<String>,
    clock: u32,
}

impl Written {
    fn new(sandbox: &Sandbox, slug: &str, id: &str) -> Self {
        let folder = sandbox.config_dir().join("projects").join(slug);
        Self { id: id.to_owned(), folder, cwd: "/home/dev/made-up".to_owned(), lines: Vec::new(), last: None, clock: 0 }
    }

    fn in_directory(mut self, cwd: &str) -> Self {
        cwd.clone_into(&mut self.cwd);
        self
    }

    /// Adds a record after the last one; gives its uuid.
    fn record(&mut self, mut record: Value) -> String {
        self.clock += 1;
        // Unique: the same record in two sessions would be a copy.
        let uuid = format!("{:08x}-0000-4000-8000-{}", self.clock, &self.id[self.id.len() - 12..]);
        record["uuid"] = json!(uuid);
        record["parentUuid"] = json!(self.last);
        record["sessionId"] = json!(self.id);
        record["cwd"] = json!(self.cwd);
        record["isSidechain"] = json!(false);
        record["timestamp"] = json!(format!(
            "2026-11-29T{:02}:{:02}:{:02}.000Z",
            10 + self.clock / 3600,
            self.clock / 60 % 60,
            self.clock % 60
        ));
        self.last = Some(uuid.clone());
        self.lines.push(record.to_string());
        uuid
    }

    fn prompt(&mut self, text: &str) -> String {
        self.record(json!({ "type": "user", "message": { "role": "user", "content": text } }))
    }

    fn answer(&mut self, text: &str) -> String {
        self.blocks(&json!([{ "type": "text", "text": text }]))
    }

    fn blocks(&mut self, content: &Value) -> String {
        let id = format!("msg_{}", self.clock);
        let message = json!({ "id": id, "type": "message", "role": "assistant", "model": "m", "content": content });
        self.record(json!({ "type": "assistant", "message": message }))
    }

    /// Goes back: the next record follows this one.
    fn back_to(&mut self, uuid: &str) {
        self.last = Some(uuid.to_owned());
    }

    fn write(&self) {
        fs::create_dir_all(&self.folder).unwrap();
        let text = self.lines.join("\n") + "\n";
        fs::write(self.folder.join(format!("{}.jsonl", self.id)), text).unwrap();
    }
}
