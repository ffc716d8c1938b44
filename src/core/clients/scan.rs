//! All entries in all clients' files.

use std::{
    collections::BTreeSet,
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
};

use serde_json::Value;

use super::{
    Client, Scope, ServerEntry,
    document::{servers, tree},
    executable::is_same_file,
    files::{project_file, user_file},
    setup::utf8,
};
use crate::core::config::Settings;

/// The longest file that is read, in bytes. Configurations have some thousands; what a repository calls one may be
/// anything.
const LONGEST: u64 = 16 << 20;

/// What stands in clients' files.
#[derive(Clone, Debug, Default)]
pub struct Scan {
    /// The servers.
    pub entries: Vec<ServerEntry>,
    /// Files that the client cannot read either: whose, which, and why.
    pub faults: Vec<(Client, PathBuf, String)>,
}

/// Reads what these clients would read in the directory that ccmcp was started in: the user's file and those of the
/// project, up to the home directory. Nothing is written. Blocks for some milliseconds.
pub fn scan(settings: &Settings, clients: &[Client]) -> Scan {
    let mut scan = Scan::default();
    for &client in clients {
        let mut seen = BTreeSet::new();
        for (file, scope) in files(client, settings) {
            // By another name, or by a link: the user's own comes first.
            if !seen.insert(dunce::canonicalize(&file).unwrap_or_else(|_| file.clone())) {
                continue;
            }
            let bytes = match read(&file) {
                Ok(bytes) => bytes,
                Err(error) if is_absent(&error) => continue,
                Err(error) => {
                    scan.faults.push((client, file, error.to_string()));
                    continue;
                }
            };
            match utf8(&bytes).and_then(|text| tree(client, text)) {
                Ok(tree) => scan.entries.extend(entries(client, &tree, &file, &scope)),
                Err(fault) => scan.faults.push((client, file, fault.to_string())),
            }
        }
    }
    scan
}

fn files(client: Client, settings: &Settings) -> Vec<(PathBuf, Scope)> {
    let mut files = vec![(user_file(client, settings), Scope::User)];
    if let Some(name) = project_file(client) {
        let directories = settings.working_dir.iter().flat_map(|directory| directory.ancestors());
        // What others have in the home directory is the user's own, not a project's.
        let home = &settings.places.home;
        let is_home = |directory: &Path| directory == home || is_same_file(directory, home);
        let projects = directories.take_while(|directory| client == Client::ClaudeCode || !is_home(directory));
        files.extend(projects.map(|directory| (directory.join(name), Scope::Project(directory.to_path_buf()))));
    }
    files
}

/// The bytes of a file; not of what only has the name of one, and never ends or never begins.
fn read(path: &Path) -> io::Result<Vec<u8>> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no file"));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(LONGEST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LONGEST {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, "it is longer than any configuration"));
    }
    Ok(bytes)
}

/// A file where a directory should be is no file of the client's.
fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// The servers of a document, and with Claude Code those that it keeps for single projects.
fn entries(client: Client, tree: &Value, file: &Path, scope: &Scope) -> Vec<ServerEntry> {
    let projects = tree.get("projects").and_then(Value::as_object).filter(|_| client == Client::ClaudeCode);
    let local = |(directory, group)| (Scope::Local(PathBuf::from(directory)), group);
    let groups = std::iter::once((scope.clone(), tree)).chain(projects.into_iter().flatten().map(local));
    let mut entries = Vec::new();
    for (scope, group) in groups {
        let read = |(name, table)| {
            let entry = ServerEntry::read(client, file.to_path_buf(), name, table)?;
            Some(ServerEntry { scope: scope.clone(), ..entry })
        };
        entries.extend(servers(client, group).filter_map(|(name, table)| read((name.as_str(), table))));
    }
    entries
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    #[cfg(unix)]
    use crate::core::config::{Diagnostics, Environment, Limits, Places};

    fn found(config: &Value) -> Vec<ServerEntry> {
        entries(Client::ClaudeCode, config, Path::new("/x"), &Scope::User)
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

    #[test]
    #[cfg(unix)]
    fn what_is_no_file_or_has_no_end_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mcp.json");
        let error = || read(&path).unwrap_err();
        assert!(is_absent(&error()));
        std::os::unix::fs::symlink("/dev/zero", &path).unwrap();
        assert_eq!(error().to_string(), "it is no file");
        fs::remove_file(&path).unwrap();
        #[cfg(target_os = "linux")]
        {
            rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
            assert_eq!(error().to_string(), "it is no file");
            fs::remove_file(&path).unwrap();
        }
        // It takes no room on the disk.
        File::create(&path).unwrap().set_len(LONGEST + 1).unwrap();
        assert_eq!(error().kind(), io::ErrorKind::FileTooLarge);
        File::create(&path).unwrap().set_len(LONGEST).unwrap();
        assert_eq!(read(&path).unwrap().len() as u64, LONGEST);
    }

    #[test]
    #[cfg(unix)]
    fn a_file_counts_once_by_whatever_name() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let (real, link) = (folder.path().join("real"), folder.path().join("link"));
        let work = real.join("work");
        for directory in [folder.path().join(".cursor"), real.join(".cursor"), work.join(".cursor")] {
            fs::create_dir_all(&directory).unwrap();
        }
        symlink(&real, &link).unwrap();
        let text = |name: &str| json!({ "mcpServers": { name: { "command": "ccmcp" } } }).to_string();
        fs::write(real.join(".cursor/mcp.json"), text("user")).unwrap();
        fs::write(folder.path().join(".cursor/mcp.json"), text("outside")).unwrap();
        symlink(real.join(".cursor/mcp.json"), work.join(".cursor/mcp.json")).unwrap();
        let environment = Environment::default();
        let settings = Settings {
            places: Places::find(&environment, Some(&link), None, None).unwrap(),
            environment,
            executable: "/ccmcp".into(),
            working_dir: Some(work.clone()),
            claude_bin: None,
            accept_models: Vec::new(),
            require_subscription: false,
            limits: Limits::default(),
            diagnostics: Diagnostics::default(),
        };
        let names = || {
            let entries = scan(&settings, &[Client::Cursor]).entries;
            entries.into_iter().map(|entry| (entry.name, entry.scope)).collect::<Vec<_>>()
        };
        assert_eq!(names(), [("user".to_owned(), Scope::User)]);
        fs::remove_file(work.join(".cursor/mcp.json")).unwrap();
        fs::write(work.join(".cursor/mcp.json"), text("mine")).unwrap();
        assert_eq!(names(), [("user".to_owned(), Scope::User), ("mine".to_owned(), Scope::Project(work.clone()))]);
    }
}
