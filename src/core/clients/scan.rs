//! All entries in all clients' files.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use serde_json::Value;

use super::{
    Client, ServerEntry,
    document::{servers, tree},
    files::{project_file, user_file},
    setup::utf8,
};
use crate::core::config::Settings;

/// What stands in clients' files.
#[derive(Clone, Debug, Default)]
pub struct Scan {
    /// The servers.
    pub entries: Vec<ServerEntry>,
    /// Files that the client cannot read either: whose, which, and why.
    pub faults: Vec<(Client, PathBuf, String)>,
}

/// Reads what these clients would read in the directory that ccmcp was started in: the user's file and those of the
/// project, up to the home directory. Nothing is written.
pub fn scan(settings: &Settings, clients: &[Client]) -> Scan {
    let mut scan = Scan::default();
    for &client in clients {
        for file in files(client, settings) {
            let bytes = match fs::read(&file) {
                Ok(bytes) => bytes,
                Err(error) if is_absent(&error) => continue,
                Err(error) => {
                    scan.faults.push((client, file, error.to_string()));
                    continue;
                }
            };
            match utf8(&bytes).and_then(|text| tree(client, text)) {
                Ok(tree) => scan.entries.extend(entries(client, &tree, &file)),
                Err(fault) => scan.faults.push((client, file, fault.to_string())),
            }
        }
    }
    scan
}

fn files(client: Client, settings: &Settings) -> Vec<PathBuf> {
    let mut files = vec![user_file(client, settings)];
    if let Some(name) = project_file(client) {
        let directories = settings.working_dir.iter().flat_map(|directory| directory.ancestors());
        // What others have in the home directory is the user's own, not a project's.
        let is_inside = |directory: &&Path| client == Client::ClaudeCode || *directory != settings.places.home;
        let projects = directories.take_while(is_inside);
        files.extend(projects.map(|directory| directory.join(name)));
    }
    files
}

/// A file where a directory should be is no file of the client's.
fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// The servers of a document, and with Claude Code those that it keeps for single projects.
fn entries(client: Client, tree: &Value, file: &Path) -> Vec<ServerEntry> {
    let projects = tree.get("projects").and_then(Value::as_object).filter(|_| client == Client::ClaudeCode);
    let groups = std::iter::once(tree).chain(projects.into_iter().flat_map(|projects| projects.values()));
    let all = groups.flat_map(|group| servers(client, group));
    all.filter_map(|(name, table)| ServerEntry::read(client, file.to_path_buf(), name, table)).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn found(config: &Value) -> Vec<ServerEntry> {
        entries(Client::ClaudeCode, config, Path::new("/x"))
    }

    #[test]
    fn a_driving_ccmcp_is_found_wherever_it_stands() {
        let config = json!({
            "mcpServers": {
                "good": { "command": "/opt/ccmcp", "args": ["serve", "--tools", "history"] },
                "guarded": { "command": "ccmcp", "args": ["serve"] },
                "bad": { "command": "C:\\tools\\ccmcp.exe", "args": ["serve", "--allow-inside-claude-code"] },
                "other": { "command": "npx", "args": ["something"] },
                "remote": { "type": "http", "url": "http://localhost" },
            },
            "projects": { "/p": { "mcpServers": { "there": {
                "command": "env", "args": ["ccmcp", "serve"], "env": { "CCMCP_ALLOW_INSIDE_CLAUDE_CODE": "1" },
            } } } },
        });
        let ccmcp: Vec<_> = found(&config).into_iter().filter(ServerEntry::is_ccmcp).collect();
        let names = |entries: Vec<&ServerEntry>| entries.iter().map(|entry| entry.name.clone()).collect::<Vec<_>>();
        assert_eq!(names(ccmcp.iter().collect()), ["good", "guarded", "bad", "there"]);
        assert_eq!(names(ccmcp.iter().filter(|entry| entry.drives()).collect()), ["bad", "there"]);
    }

    #[test]
    fn history_alone_drives_nothing() {
        let config = json!({ "mcpServers": {
            "flag": { "command": "ccmcp", "args": ["serve", "--tools=history", "--allow-inside-claude-code"] },
            "variable": { "command": "ccmcp", "args": ["serve", "--allow-inside-claude-code"], "env": { "CCMCP_TOOLS": "history" } },
        } });
        assert!(found(&config).iter().all(|entry| entry.is_ccmcp() && !entry.drives()));
    }
}
