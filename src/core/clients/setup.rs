//! [`Setup`]: ccmcp's entry for one client, to be shown or written.

use std::path::PathBuf;

use serde_json::Value;

use super::{
    Client, ServerEntry,
    document::{Edited, edited, pasted, servers, tree},
    entry::Wanted,
    error::ConfigError,
    executable::lasting_executable,
    files::user_file,
    replace::{Replaced, Snapshot},
    text::Fault,
};
use crate::core::{
    config::{Settings, ToolSet},
    error::{Error, ErrorCode, Result},
};

/// How often the file is read anew when something else writes it at the same time.
const TRIES: usize = 5;
/// The longest name of an entry: with it and a tool's name, clients still build names they can use.
const LONGEST_NAME: usize = 64;

/// What is to be set up.
#[derive(Clone, Debug)]
pub struct Request {
    /// For whom.
    pub client: Client,
    /// The entry's name.
    pub name: String,
    /// The sets of tools; empty: what suits the client.
    pub tools: Vec<ToolSet>,
    /// The file, if not the user's own for this client.
    pub file: Option<PathBuf>,
}

/// ccmcp's entry for one client.
#[derive(Clone, Debug)]
pub struct Setup {
    /// For whom.
    pub client: Client,
    /// The entry's name.
    pub name: String,
    /// The file that it belongs into.
    pub file: PathBuf,
    wanted: Wanted,
}

/// What was written.
#[derive(Clone, Debug)]
pub struct Written {
    /// What became of the entry.
    pub outcome: Outcome,
    /// Where the file as it was before is kept; `None` if nothing was replaced.
    pub backup: Option<PathBuf>,
    /// Other entries in the file that start ccmcp too.
    pub others: Vec<String>,
}

/// What became of the entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It is new.
    Added,
    /// It was there, and these keys of it have new values.
    Updated(Vec<String>),
    /// It was there as it should be; nothing was written.
    Same,
}

impl Setup {
    /// Works the entry out. Nothing is read or written but to find programs.
    ///
    /// # Errors
    /// `SETTING_INVALID`: the name cannot be used, or the tools not by this client.
    pub fn new(settings: &Settings, request: Request) -> Result<Self> {
        let Request { client, name, tools, file } = request;
        if !is_usable_name(&name) {
            let expected = format!("1 to {LONGEST_NAME} letters, digits, `-` and `_`");
            return Err(invalid("--name", format!("Clients cannot use this name: it has to be {expected}."))
                .hint("Leave --name out for `ccmcp`."));
        }
        if client == Client::ClaudeCode && tools.iter().any(|set| set.drives()) {
            return Err(invalid("--tools", "Claude Code gets the history tools only: a Claude that can start Claudes can go on for ever, and you pay.")
                .hint("Leave --tools out. To drive Claude, add ccmcp to another client, or use it in a terminal."));
        }
        if lasting_executable(settings).to_str().is_none() {
            return Err(invalid("", "The path of ccmcp is no Unicode, and cannot be written into a configuration.")
                .hint("Install ccmcp somewhere else."));
        }
        let file = match (file, &settings.working_dir) {
            (Some(file), Some(base)) => base.join(file),
            (Some(file), None) => file,
            (None, _) => user_file(client, settings),
        };
        Ok(Self { client, name, file, wanted: Wanted::of(client, settings, tools) })
    }

    /// The entry as one object.
    pub fn entry(&self) -> Value {
        self.wanted.asked.value()
    }

    /// The entry in the client's own format, a document of its own.
    pub fn text(&self) -> Result<String> {
        pasted(self.client, &self.name, &self.wanted.asked).map_err(|error| Error::internal("writing the entry", error))
    }

    /// Whether the file is there.
    pub fn has_file(&self) -> bool {
        self.file.exists()
    }

    /// Puts the entry into the file, which is made where it is missing, or brings the one that is there up to date.
    /// Blocks for some milliseconds.
    ///
    /// # Errors
    /// `SETTING_INVALID`: the file cannot be parsed, or an entry of this name is something else; `permission_denied`: it
    /// may not be read or written; `INTERNAL_ERROR`: the system does not do it for another reason. Then nothing has
    /// changed.
    pub fn write(&self) -> Result<Written> {
        self.try_write().map_err(|error| error.in_file(self.client, &self.file))
    }

    fn try_write(&self) -> std::result::Result<Written, ConfigError> {
        for _ in 0..TRIES {
            let snapshot = Snapshot::take(&self.file)?;
            let text = utf8(snapshot.bytes())?;
            let edited = edited(self.client, text, &self.name, &self.wanted)?;
            let others = self.others(text);
            let (new, outcome) = match edited {
                Edited::Same => return Ok(Written { outcome: Outcome::Same, backup: None, others }),
                Edited::Added(new) => (new, Outcome::Added),
                Edited::Updated(new, keys) => (new, Outcome::Updated(keys)),
            };
            if let Replaced::Done(backup) = snapshot.replace(new.as_bytes())? {
                return Ok(Written { outcome, backup, others });
            }
        }
        Err(ConfigError::Busy)
    }

    fn others(&self, text: &str) -> Vec<String> {
        let tree = tree(self.client, text).unwrap_or_default();
        let starts_ccmcp = |name: &str, table| {
            ServerEntry::read(self.client, self.file.clone(), name, table).is_some_and(|entry| entry.is_ccmcp())
        };
        let others =
            servers(self.client, &tree).filter(|(name, table)| **name != self.name && starts_ccmcp(name, table));
        others.map(|(name, _)| name.clone()).collect()
    }
}

/// Whether clients can use this as an entry's name; and a shell takes it as it stands.
pub fn is_usable_name(name: &str) -> bool {
    let is_usable = |character: char| character.is_ascii_alphanumeric() || matches!(character, '-' | '_');
    !name.is_empty() && name.len() <= LONGEST_NAME && name.chars().all(is_usable)
}

/// The text of a file.
pub(super) fn utf8(bytes: &[u8]) -> std::result::Result<&str, Fault> {
    std::str::from_utf8(bytes).map_err(|error| {
        let good = std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default();
        Fault::at(good, good.len(), "this is no UTF-8 text")
    })
}

fn invalid(field: &str, message: impl Into<String>) -> Error {
    let field = Some(field.to_owned()).filter(|field| !field.is_empty());
    Error::new(ErrorCode::SettingInvalid, message).details(|details| details.field = field)
}
