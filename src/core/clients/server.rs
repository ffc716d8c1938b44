//! [`ServerEntry`]: an MCP server as it stands in a client's configuration.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::{Client, wrapper};

/// For what an entry counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    /// For everything that the user does with the client.
    User,
    /// For the project in this directory, in a file of the project's.
    Project(PathBuf),
    /// For the project in this directory, in the user's own file: with Claude Code, under `projects`.
    Local(PathBuf),
}

impl Scope {
    /// The project's directory.
    pub fn directory(&self) -> Option<&Path> {
        match self {
            Self::User => None,
            Self::Project(directory) | Self::Local(directory) => Some(directory),
        }
    }
}

/// One MCP server in a client's configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerEntry {
    /// Whose configuration it is.
    pub client: Client,
    /// The file that it stands in.
    pub file: PathBuf,
    /// For what it counts.
    pub scope: Scope,
    /// Its name there.
    pub name: String,
    /// The program.
    pub command: String,
    /// The program's arguments.
    pub args: Vec<String>,
    /// The variables that the entry sets, by name.
    pub env: Vec<(String, String)>,
    /// All that stands there.
    pub table: Map<String, Value>,
}

impl ServerEntry {
    /// Reads one; `None` for what starts no program, such as a server somewhere else.
    pub(super) fn read(client: Client, file: PathBuf, name: &str, table: &Map<String, Value>) -> Option<Self> {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let env = table.get("env").and_then(Value::as_object).into_iter().flatten();
        Some(Self {
            client,
            file,
            scope: Scope::User,
            name: name.to_owned(),
            command: text(table.get("command")?)?,
            args: table.get("args").and_then(Value::as_array).into_iter().flatten().filter_map(text).collect(),
            env: env.filter_map(|(name, value)| Some((name.clone(), text(value)?))).collect(),
            table: table.clone(),
        })
    }

    /// Command and arguments.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&self.command).chain(&self.args).map(String::as_str)
    }

    /// Which of its words may be ccmcp, or `own` (the program under another name), whatever comes before it (`docker
    /// run`, for example); `None` for what starts no `ccmcp serve`.
    pub fn mention(&self, own: Option<&str>) -> Option<usize> {
        let position = self.words().position(|word| is_program(word, own))?;
        self.words().skip(position + 1).any(|word| word == "serve").then_some(position)
    }

    /// Which of its words is certainly ccmcp, or `own`: its command, or what a command such as `env` starts here.
    pub fn program(&self, own: Option<&str>) -> Option<usize> {
        let words: Vec<&str> = self.words().collect();
        let position = wrapper::program(&words).filter(|&position| is_program(words[position], own))?;
        words[position + 1..].contains(&"serve").then_some(position)
    }

    /// Whether its arguments are a list of texts, or not there.
    pub fn has_plain_arguments(&self) -> bool {
        match self.table.get("args") {
            None => true,
            Some(Value::Array(args)) => args.iter().all(Value::is_string),
            Some(_) => false,
        }
    }

    /// Whether this starts a `ccmcp serve`, by whatever path.
    pub fn is_ccmcp(&self) -> bool {
        self.mention(None).is_some()
    }

    /// Whether the client leaves it alone.
    pub fn is_disabled(&self) -> bool {
        let is = |key: &str, value: bool| self.table.get(key).and_then(Value::as_bool) == Some(value);
        is("enabled", false) || is("disabled", true)
    }

    /// Whether a server started by this would offer to drive Claude to a Claude that starts it.
    pub fn drives(&self) -> bool {
        let lifted =
            |value: &str| !["", "0", "false", "no", "off", "n", "f"].contains(&value.to_ascii_lowercase().as_str());
        let flag = self.args.iter().any(|word| word == "--allow-inside-claude-code");
        let variable = self.env.iter().any(|(name, value)| name == "CCMCP_ALLOW_INSIDE_CLAUDE_CODE" && lifted(value));
        (flag || variable) && self.asks_to_drive()
    }

    /// Whether it asks for more than the history tools.
    pub fn asks_to_drive(&self) -> bool {
        self.sets().is_none_or(|sets| sets.iter().any(|set| set != "history"))
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

fn is_program(word: &str, own: Option<&str>) -> bool {
    let name = wrapper::name(word);
    name == "ccmcp" || name.eq_ignore_ascii_case("ccmcp.exe") || Some(word) == own
}
