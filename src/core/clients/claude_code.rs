//! The entries that Claude Code itself reads: `.claude.json` (for the user, and per project) and a project's
//! `.mcp.json`.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use serde_json::{Map, Value};

use crate::core::config::Places;

/// One MCP server in a client's configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerEntry {
    /// The file that it stands in.
    pub file: PathBuf,
    /// Its name there.
    pub name: String,
    /// The program.
    pub command: String,
    /// The program's arguments.
    pub args: Vec<String>,
    /// The variables that the entry sets, by name.
    pub env: Vec<(String, String)>,
}

impl ServerEntry {
    /// Whether this starts a `ccmcp serve`, by whatever path.
    pub fn is_ccmcp(&self) -> bool {
        let words = || std::iter::once(&self.command).chain(&self.args);
        let is_program = |word: &String| {
            let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
            name == "ccmcp" || name.eq_ignore_ascii_case("ccmcp.exe")
        };
        words().any(is_program) && words().any(|word| word == "serve")
    }

    /// Whether a server started by this would offer to drive Claude to a Claude that starts it.
    pub fn drives(&self) -> bool {
        let lifted =
            |value: &str| !["", "0", "false", "no", "off", "n", "f"].contains(&value.to_ascii_lowercase().as_str());
        let flag = self.args.iter().any(|word| word == "--allow-inside-claude-code");
        let variable = self.env.iter().any(|(name, value)| name == "CCMCP_ALLOW_INSIDE_CLAUDE_CODE" && lifted(value));
        (flag || variable) && self.sets().is_none_or(|sets| sets.iter().any(|set| set != "history"))
    }

    /// The sets of tools that are asked for; `None`: all.
    pub fn sets(&self) -> Option<Vec<String>> {
        let mut sets = Vec::new();
        let mut words = self.args.iter();
        while let Some(word) = words.next() {
            let list = match word.strip_prefix("--tools=") {
                Some(list) => Some(list),
                None if word == "--tools" => words.next().map(String::as_str),
                None => None,
            };
            sets.extend(list.into_iter().flat_map(|list| list.split(',')).map(|set| set.trim().to_owned()));
        }
        if sets.is_empty() {
            let variable = self.env.iter().find(|(name, _)| name == "CCMCP_TOOLS")?;
            sets.extend(variable.1.split(',').map(|set| set.trim().to_owned()));
        }
        Some(sets)
    }
}

/// Reads the entries that Claude Code would use in `working_dir`. A file that is not there is no file; one that cannot
/// be read or parsed is told as an error beside its path.
pub fn claude_code_entries(
    places: &Places,
    custom_config: bool,
    working_dir: Option<&Path>,
) -> (Vec<ServerEntry>, Vec<(PathBuf, io::Error)>) {
    // With CLAUDE_CONFIG_DIR the file lies in that directory, otherwise beside it (measured).
    let user = if custom_config { &places.claude_config } else { &places.home };
    let mut files = vec![user.join(".claude.json")];
    files.extend(working_dir.into_iter().flat_map(Path::ancestors).map(|dir| dir.join(".mcp.json")));
    let (mut entries, mut failures) = (Vec::new(), Vec::new());
    for file in files {
        let read = match fs::read(&file) {
            Ok(bytes) => serde_json::from_slice::<Value>(&bytes).map_err(io::Error::from),
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => Err(error),
        };
        match read {
            Ok(config) => entries.extend(servers(&config, &file)),
            Err(error) => failures.push((file, error)),
        }
    }
    (entries, failures)
}

/// The servers for the user, and those of every project.
fn servers(config: &Value, file: &Path) -> Vec<ServerEntry> {
    let of = |value: &Value| value.get("mcpServers").and_then(Value::as_object).cloned().unwrap_or_default();
    let projects = config.get("projects").and_then(Value::as_object);
    let groups = std::iter::once(of(config)).chain(projects.into_iter().flat_map(Map::values).map(of));
    let entry = |(name, server): (String, Value)| {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let env = server.get("env").and_then(Value::as_object).into_iter().flatten();
        Some(ServerEntry {
            file: file.to_path_buf(),
            name,
            command: text(server.get("command")?)?,
            args: server.get("args").and_then(Value::as_array).into_iter().flatten().filter_map(text).collect(),
            env: env.filter_map(|(name, value)| Some((name.clone(), text(value)?))).collect(),
        })
    };
    groups.flatten().filter_map(entry).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn entries(config: &Value) -> Vec<ServerEntry> {
        servers(config, Path::new("/x"))
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
        let ccmcp: Vec<_> = entries(&config).into_iter().filter(ServerEntry::is_ccmcp).collect();
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
        assert!(entries(&config).iter().all(|entry| entry.is_ccmcp() && !entry.drives()));
    }
}
