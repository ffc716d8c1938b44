//! The transcript file and the note of who owns the session, as the CLI writes them.

use std::{
    env,
    fs::{self, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
};

use jiff::Timestamp;
use serde_json::{Value, json};
use uuid::Uuid;

use super::machine::{start_time, write_whole};

/// The current time as the CLI writes it.
pub(crate) fn now() -> String {
    format!("{:.3}", Timestamp::now())
}

/// The CLI's own folder: `CLAUDE_CONFIG_DIR`, else `~/.claude`.
pub(crate) fn config_dir() -> PathBuf {
    env::var_os("CLAUDE_CONFIG_DIR").map_or_else(
        || {
            PathBuf::from(env::var_os("HOME").or_else(|| env::var_os("USERPROFILE")).unwrap_or_default())
                .join(".claude")
        },
        PathBuf::from,
    )
}

/// The name of a working directory's folder under `projects/`.
fn slug(cwd: &Path) -> String {
    let real = dunce::canonicalize(cwd).unwrap_or_else(|_| cwd.to_owned());
    let text = real.to_string_lossy();
    let name: String = text
        .encode_utf16()
        .map(|unit| char::from_u32(u32::from(unit)).filter(char::is_ascii_alphanumeric).unwrap_or('-'))
        .collect();
    if name.len() <= 200 {
        return name;
    }
    // The CLI adds a hash; which one does not matter, nobody may decode a slug.
    let hash = text.bytes().fold(5381_u64, |hash, byte| hash.wrapping_mul(33) ^ u64::from(byte));
    format!("{}-{hash:x}", &name[..200])
}

/// One session's file.
#[derive(Debug)]
pub(crate) struct Transcript {
    path: PathBuf,
    session: String,
    version: String,
    mode: String,
    leaf: Option<String>,
    /// `cost-state.totalCostUSD` as last recorded before this process.
    pub(crate) cost_before: f64,
}

impl Transcript {
    /// A new session's file; `None` when the id is taken in this directory. Writes nothing yet.
    pub(crate) fn create(session: &str, version: &str, mode: &str) -> Option<Self> {
        let cwd = env::current_dir().unwrap_or_default();
        let path = config_dir().join("projects").join(slug(&cwd)).join(format!("{session}.jsonl"));
        let (version, mode) = (version.to_owned(), mode.to_owned());
        (!path.exists()).then(|| Self {
            path,
            session: session.to_owned(),
            version,
            mode,
            leaf: None,
            cost_before: 0.0,
        })
    }

    /// The file of an existing session: in this directory's folder, or (`anywhere`) in any.
    pub(crate) fn open(session: &str, version: &str, mode: &str, anywhere: bool) -> Option<Self> {
        let cwd = env::current_dir().unwrap_or_default();
        let projects = config_dir().join("projects");
        let name = format!("{session}.jsonl");
        let mut path = projects.join(slug(&cwd)).join(&name);
        if !path.is_file() && anywhere {
            path =
                fs::read_dir(&projects).ok()?.flatten().map(|entry| entry.path().join(&name)).find(|p| p.is_file())?;
        }
        let bytes = fs::read(&path).ok()?;
        let (mut leaf, mut cost_before) = (None, 0.0);
        for line in bytes.split(|byte| *byte == b'\n') {
            let Ok(record) = serde_json::from_slice::<Value>(line) else { continue };
            if let Some(uuid) = record["uuid"].as_str() {
                leaf = Some(uuid.to_owned());
            }
            if record["type"] == "cost-state" {
                cost_before = record["totalCostUSD"].as_f64().unwrap_or(0.0);
            }
        }
        let (version, mode) = (version.to_owned(), mode.to_owned());
        Some(Self { path, session: session.to_owned(), version, mode, leaf, cost_before })
    }

    /// Whether a record with this uuid is in the file.
    pub(crate) fn has(&self, uuid: &str) -> bool {
        let needle = format!(r#""uuid":"{uuid}""#);
        fs::read_to_string(&self.path).is_ok_and(|text| text.contains(&needle))
    }

    /// Goes back to a record: what comes next follows it. `false` where there is none.
    pub(crate) fn go_back(&mut self, uuid: &str) -> bool {
        let found = self.has(uuid);
        if found {
            self.leaf = Some(uuid.to_owned());
        }
        found
    }

    /// Appends a record without a place in the tree.
    pub(crate) fn note(&self, kind: &str, mut record: Value) {
        record["type"] = json!(kind);
        record["sessionId"] = json!(self.session);
        self.append(&record);
    }

    /// Appends a record to the chain, under the last one.
    pub(crate) fn chain(&mut self, kind: &str, uuid: &str, mut record: Value) {
        record["parentUuid"] = self.leaf.clone().map_or(Value::Null, Value::String);
        record["isSidechain"] = json!(false);
        record["type"] = json!(kind);
        record["uuid"] = json!(uuid);
        record["timestamp"] = json!(now());
        record["userType"] = json!("external");
        record["entrypoint"] = json!("sdk-cli");
        record["cwd"] = json!(env::current_dir().unwrap_or_default());
        record["sessionId"] = json!(self.session);
        record["version"] = json!(self.version);
        record["gitBranch"] = json!("HEAD");
        self.append(&record);
        self.leaf = Some(uuid.to_owned());
    }

    /// Records an input, with what the CLI writes around it.
    pub(crate) fn input(&mut self, uuid: &str, content: &Value, modern: bool) {
        self.note("queue-operation", json!({ "operation": "enqueue", "timestamp": now(), "content": content }));
        self.note("queue-operation", json!({ "operation": "dequeue", "timestamp": now() }));
        let mode = self.mode.clone();
        let prompt = Uuid::new_v4().to_string();
        self.chain(
            "user",
            uuid,
            json!({ "promptId": prompt, "message": { "role": "user", "content": content }, "permissionMode": mode,
                    "promptSource": "sdk" }),
        );
        if modern {
            for kind in ["environment", "date", "prompt_snapshot"] {
                self.chain("attachment", &Uuid::new_v4().to_string(), json!({ "attachment": { "type": kind } }));
            }
        }
    }

    /// Records what the CLI writes at a turn's end.
    pub(crate) fn end_of_turn(&self, prompt: &str, total_cost: Option<f64>) {
        let prompt: String = prompt.trim().chars().take(200).collect();
        self.note("last-prompt", json!({ "lastPrompt": prompt, "leafUuid": self.leaf }));
        self.note("mode", json!({ "mode": "normal" }));
        if let Some(total) = total_cost {
            self.note(
                "cost-state",
                json!({ "totalCostUSD": total, "totalAPIDuration": 26, "hasUnknownModelCost": false }),
            );
        }
    }

    fn append(&self, record: &Value) {
        let written = (|| -> io::Result<()> {
            if let Some(folder) = self.path.parent() {
                fs::create_dir_all(folder)?;
            }
            let mut line = record.to_string();
            line.push('\n');
            OpenOptions::new().append(true).create(true).open(&self.path)?.write_all(line.as_bytes())
        })();
        if let Err(error) = written {
            eprintln!("scripted CLI: cannot write the transcript: {error}");
        }
    }
}

/// Writes `<config>/sessions/<pid>.json` (and, in new versions, the key file beside it), and says which files to
/// remove at the end.
pub(crate) fn own(session: &str, version: &str, modern: bool) -> Vec<PathBuf> {
    let folder = config_dir().join("sessions");
    let pid = std::process::id();
    let start = start_time();
    let note = folder.join(format!("{pid}.json"));
    let at = Timestamp::now().as_millisecond();
    let owner = json!({
        "pid": pid, "sessionId": session, "cwd": env::current_dir().unwrap_or_default(), "startedAt": at,
        "procStart": start, "version": version, "peerProtocol": 1, "kind": "interactive", "entrypoint": "sdk-cli",
        "name": "scripted", "nameSource": "derived", "nameSince": at, "status": "idle", "updatedAt": at,
    });
    let mut files = vec![(note, owner)];
    if modern {
        let key = folder.join(format!("{pid}.022292c40f7aad1b5fa0db60c5a892dc.key"));
        files.push((key, json!({ "peerToken": "a93ac926f1c3094f6618c0d3ddb311ae", "procStart": start })));
    }
    let _ = fs::create_dir_all(&folder);
    files
        .into_iter()
        .filter(|(path, json)| write_whole(path, json.to_string().as_bytes()).is_ok())
        .map(|(path, _)| path)
        .collect()
}
