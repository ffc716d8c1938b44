//! The entries for ccmcp in MCP clients' configurations.

use std::{collections::BTreeSet, path::Path};

use serde_json::Value;

use super::{
    mend::mend,
    program::{Program, is_bare},
    report::{Check, Status},
    surroundings,
};
use crate::core::{
    agents::LONGEST_WAIT,
    clients::{Client, ServerEntry, is_same_file, lasting_executable, scan},
    config::Settings,
    error::Error,
};

const ALL: &str = "MCP clients";
/// Cowork has the file of Claude Desktop.
const CLIENTS: [Client; 6] =
    [Client::Codex, Client::ClaudeDesktop, Client::Cursor, Client::VsCode, Client::Zed, Client::ClaudeCode];
/// What Codex takes where an entry says nothing, in seconds.
const CODEX_DEFAULT_CALL_SECONDS: f64 = 300.0;

/// Says which clients start ccmcp, and for each of them what is wrong with that.
pub(super) async fn checks(settings: &Settings) -> Vec<Check> {
    let settings = settings.clone();
    // It reads what lies in the directory at hand, which may be on a disk far away.
    let look = move || [vec![surroundings::client_entries(&settings)], entries(&settings)].concat();
    match tokio::task::spawn_blocking(look).await {
        Ok(checks) => checks,
        Err(error) => vec![Check::error(ALL, Error::internal("looking at the clients", error))],
    }
}

fn entries(settings: &Settings) -> Vec<Check> {
    let found = scan(settings, &CLIENTS);
    let own = lasting_executable(settings);
    let ccmcp: Vec<&ServerEntry> =
        found.entries.iter().filter(|entry| entry.mention(own.to_str()).is_some() && !entry.is_disabled()).collect();
    let mut checks = vec![overview(&ccmcp)];
    for client in CLIENTS {
        let mut findings = Vec::new();
        for entry in ccmcp.iter().filter(|entry| entry.client == client) {
            findings.extend(look(settings, &own, entry));
        }
        // What Claude Code cannot read is told in a check of its own.
        for (_, file, fault) in found.faults.iter().filter(|fault| fault.0 == client && client != Client::ClaudeCode) {
            findings.push(Finding {
                fails: false,
                detail: format!("{} cannot be read: {fault}", file.display()),
                hints: BTreeSet::from([format!("Mend the file: {} cannot read it either.", client.label())]),
            });
        }
        checks.extend(combined(client, &findings));
    }
    checks
}

fn overview(ccmcp: &[&ServerEntry]) -> Check {
    let users: Vec<&str> = CLIENTS
        .iter()
        .filter(|client| ccmcp.iter().any(|entry| entry.client == **client))
        .map(|client| client.label())
        .collect();
    if users.is_empty() {
        let hint = "`ccmcp config CLIENT` prints the entry for one, and writes it with --write.";
        return Check { hint: Some(hint.to_owned()), ..Check::ok(ALL, "none starts ccmcp yet") };
    }
    Check::ok(ALL, format!("ccmcp is set up in {}", users.join(", ")))
}

/// What is wrong with one entry or file, and what to do about it.
#[derive(Debug)]
struct Finding {
    fails: bool,
    detail: String,
    hints: BTreeSet<String>,
}

/// One check a client, however much is wrong there.
fn combined(client: Client, findings: &[Finding]) -> Option<Check> {
    let status = if findings.iter().any(|finding| finding.fails) { Status::Fail } else { Status::Warn };
    let hints: BTreeSet<&str> = findings.iter().flat_map(|finding| &finding.hints).map(String::as_str).collect();
    let hint = hints.into_iter().collect::<Vec<_>>().join(" ");
    let details: Vec<&str> = findings.iter().map(|finding| finding.detail.as_str()).collect();
    (!findings.is_empty()).then(|| Check { name: name(client), status, detail: details.join("\n"), hint: Some(hint) })
}

const fn name(client: Client) -> &'static str {
    match client {
        Client::Codex => "entry in Codex",
        Client::ClaudeDesktop | Client::Cowork => "entry in Claude Desktop",
        Client::Cursor => "entry in Cursor",
        Client::VsCode => "entry in VS Code",
        Client::Zed => "entry in Zed",
        Client::ClaudeCode => "entry in Claude Code",
    }
}

/// Something wrong with an entry.
#[derive(Debug)]
struct Fault {
    fails: bool,
    what: String,
    hint: String,
}

impl Fault {
    fn warn(what: String, hint: String) -> Self {
        Self { fails: false, what, hint }
    }
}

fn look(settings: &Settings, own: &Path, entry: &ServerEntry) -> Option<Finding> {
    let mend = mend(settings, entry);
    let mut faults: Vec<Fault> = program(settings, own, entry, &mend).into_iter().collect();
    if let Some((_, claude)) = entry.env.iter().find(|(name, value)| name == "CLAUDE_BIN" && !value.is_empty())
        && Program::of(settings, entry, claude) == Program::Absent
    {
        faults.push(Fault::warn(format!("names a Claude that is not there: {claude}"), mend.clone()));
    }
    if entry.client == Client::Codex {
        faults.extend(codex(settings, entry).into_iter().map(|what| Fault::warn(what, mend.clone())));
    }
    let whats: Vec<&str> = faults.iter().map(|fault| fault.what.as_str()).collect();
    (!faults.is_empty()).then(|| Finding {
        fails: faults.iter().any(|fault| fault.fails),
        detail: format!("`{}` in {} {}", entry.name, entry.file.display(), whats.join("; ")),
        hints: faults.iter().map(|fault| fault.hint.clone()).collect(),
    })
}

/// Whether the program is there, and is the one that runs.
fn program(settings: &Settings, own: &Path, entry: &ServerEntry, mend: &str) -> Option<Fault> {
    let word = entry.words().nth(entry.program(own.to_str())?)?;
    let path = match Program::of(settings, entry, word) {
        Program::Unknown => return None,
        Program::Absent => {
            let what = format!("starts {word}, which is not there or cannot be run");
            return Some(Fault { fails: true, what, hint: mend.to_owned() });
        }
        Program::There(path) => path,
    };
    if !is_same_file(&path, &settings.executable) {
        let what = format!("starts {}, which is not the ccmcp that runs now", path.display());
        return Some(Fault::warn(what, format!("If {} is the one you want: {}", own.display(), lower(mend))));
    }
    (is_bare(word) && entry.client.is_desktop()).then(|| {
        let what = format!("names no path, and {} may not see your shell's PATH", entry.client.label());
        Fault::warn(what, mend.to_owned())
    })
}

fn lower(sentence: &str) -> String {
    sentence.replacen("Run", "run", 1).replacen("Mend", "mend", 1)
}

/// What Codex would need and is not told.
fn codex(settings: &Settings, entry: &ServerEntry) -> Vec<String> {
    let mut missing = Vec::new();
    let table = &entry.table;
    if entry.asks_to_drive() {
        if table.get("default_tools_approval_mode").is_none() && table.get("tools").is_none() {
            missing.push("has no `default_tools_approval_mode`: `codex exec` refuses to start agents".to_owned());
        }
        let limit = table.get("tool_timeout_sec").and_then(Value::as_f64).unwrap_or(CODEX_DEFAULT_CALL_SECONDS);
        if limit < LONGEST_WAIT.as_secs_f64() {
            missing.push(format!("lets a call take {limit} s: less than a turn or a wait may take"));
        }
    }
    let named = |name: &str| {
        let list = table.get("env_vars").and_then(Value::as_array);
        let handed_on = list.into_iter().flatten().any(|element| element.get("name").unwrap_or(element) == name);
        handed_on || entry.env.iter().any(|(known, _)| known == name)
    };
    let needed: &[&str] =
        if entry.asks_to_drive() { &["CLAUDE_CONFIG_DIR", "CLAUDE_BIN"] } else { &["CLAUDE_CONFIG_DIR"] };
    for name in needed.iter().filter(|name| settings.environment.is_set(name) && !named(name)) {
        missing.push(format!("does not hand on {name}, which is set here"));
    }
    missing
}

#[cfg(test)]
mod tests {
    use crate::core::{agents::LONGEST_WAIT, clients::CODEX_CALL_SECONDS, sessions::TurnLimits};

    #[test]
    fn what_is_written_for_codex_is_long_enough() {
        assert!(u128::from(CODEX_CALL_SECONDS) * 1000 > LONGEST_WAIT.as_millis());
        assert!(CODEX_CALL_SECONDS * 1000 > TurnLimits::default().wall_ms);
    }
}
