//! The process table: who is alive, and who belongs to a sandbox.

use std::{fs, path::Path};

use serde_json::Value;

/// A process, told apart from a later one with the same pid by its start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Process {
    pub(crate) pid: u32,
    /// Field 22 of `/proc/<pid>/stat`; empty where there is no `/proc`.
    pub(crate) start: String,
}

impl Process {
    /// The process that wrote `{"pid", "start"}`, as a process that Claude leaves behind does; `None` until it has.
    pub(crate) fn from_file(path: &Path) -> Option<Self> {
        let json: Value = serde_json::from_slice(&fs::read(path).ok()?).ok()?;
        let pid = u32::try_from(json["pid"].as_u64()?).ok()?;
        Some(Self { pid, start: json["start"].as_str()?.to_owned() })
    }

    /// Whether it still runs. A zombie does not.
    pub(crate) fn is_alive(&self) -> bool {
        alive(self.pid, &self.start)
    }
}

/// Whether the process `pid` that began at `start` still runs. A zombie does not; an empty `start` is any.
pub(crate) fn alive(pid: u32, start: &str) -> bool {
    if !cfg!(target_os = "linux") {
        let found = std::process::Command::new("ps").args(["-o", "stat=", "-p", &pid.to_string()]).output();
        return found.is_ok_and(|found| !found.stdout.is_empty() && found.stdout.first() != Some(&b'Z'));
    }
    stat(pid).is_some_and(|(state, began)| state != "Z" && state != "X" && (start.is_empty() || began == start))
}

/// The state letter and the start time of a process; `None` when there is none.
fn stat(pid: u32) -> Option<(String, String)> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, rest) = stat.rsplit_once(')')?;
    let fields: Vec<&str> = rest.split_whitespace().collect();
    Some(((*fields.first()?).to_owned(), (*fields.get(19)?).to_owned()))
}

/// The start time of a live process as [`alive`] takes it.
pub(crate) fn start_of(pid: u32) -> Option<String> {
    stat(pid).map(|(_, start)| start)
}

/// Every live process whose environment, command line or working directory names `folder`, with its command line;
/// this process is never among them. Linux only: elsewhere the answer is always empty.
pub(crate) fn belonging_to(folder: &Path) -> Vec<(Process, String)> {
    let needle = folder.to_string_lossy().into_owned();
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else { continue };
        let Some((state, start)) = stat(pid) else { continue };
        if pid == std::process::id() || state == "Z" || state == "X" {
            continue;
        }
        let read =
            |name: &str| String::from_utf8_lossy(&fs::read(entry.path().join(name)).unwrap_or_default()).into_owned();
        let command = read("cmdline").replace('\0', " ");
        let cwd = fs::read_link(entry.path().join("cwd")).unwrap_or_default();
        if command.contains(&needle) || cwd.starts_with(folder) || read("environ").contains(&needle) {
            found.push((Process { pid, start }, command));
        }
    }
    found
}

/// Ends a process at once, if it is still the same one.
pub(crate) fn kill(process: &Process) {
    signal(process, "KILL");
}

/// Sends a signal (`TERM`, `INT`, `KILL`, `STOP`, `CONT`) to a process, if it is still the same one.
pub(crate) fn signal(process: &Process, name: &str) {
    if process.is_alive() {
        // Not rustix: `kill` is one program on all systems that have signals.
        let _ = std::process::Command::new("kill").args([&format!("-{name}"), &process.pid.to_string()]).status();
    }
}
