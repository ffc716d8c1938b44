//! `config`.

use std::path::PathBuf;

use clap::{Args, ValueEnum, builder::PossibleValue};
use serde::Serialize;
use serde_json::Value;

use super::Terminal;
use crate::core::{
    Core,
    clients::{Client, Outcome, Request, Setup, Written, project_file},
    config::ToolSet,
    error::{ExitStatus, Result},
};

/// Add ccmcp to an MCP client: print its entry, or write it there
///
/// The entry goes to standard output, and where it belongs to standard error. With --write it is merged into the
/// client's own file: a backup is made first, and comments, other servers and your own additions to the entry stay as
/// they are. Writing twice changes nothing. Claude Code gets the history tools only.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  ccmcp config codex                           what to paste, and where
  ccmcp config codex --write
  ccmcp config claude-desktop --write --tools agents,history
  ccmcp config claude-code --write --file .mcp.json")]
pub struct ConfigArgs {
    /// The client to add ccmcp to
    #[arg(value_name = "CLIENT")]
    pub client: Client,

    /// Merge the entry into the client's file, after a backup
    #[arg(long)]
    pub write: bool,

    /// Offer these sets of tools [default: all; for claude-code: history]
    #[arg(long, value_name = "SET", value_delimiter = ',')]
    pub tools: Vec<ToolSet>,

    /// Use this file, such as a project's .mcp.json [default: yours for this client]
    #[arg(long, value_name = "PATH")]
    pub file: Option<PathBuf>,

    /// Give the entry this name
    #[arg(long, value_name = "NAME", default_value = "ccmcp")]
    pub name: String,

    /// Print what was done as one JSON object
    #[arg(long)]
    pub json: bool,
}

impl ValueEnum for Client {
    fn value_variants<'a>() -> &'a [Self] {
        &Self::ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.id()))
    }
}

/// What was done, for programs.
#[derive(Debug, Serialize)]
struct Done<'a> {
    client: Client,
    name: &'a str,
    file: String,
    /// The entry as it was asked for; what else the user has in it is not repeated.
    entry: Value,
    changed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    backup: Option<String>,
}

/// Runs `ccmcp config`.
pub fn config(core: &Core, args: ConfigArgs, terminal: &Terminal) -> Result<ExitStatus> {
    let ConfigArgs { client, write, tools, file, name, json } = args;
    let setup = Setup::new(core.settings(), Request { client, name, tools, file })?;
    let written = if write { Some(setup.write()?) } else { None };
    if json {
        terminal.write_json(&Done {
            client,
            name: &setup.name,
            file: setup.file.display().to_string(),
            entry: setup.entry(),
            changed: written.as_ref().is_some_and(|written| written.outcome != Outcome::Same),
            backup: written.and_then(|written| written.backup).map(|path| path.display().to_string()),
        })?;
        return Ok(ExitStatus::Ok);
    }
    match written {
        Some(written) => report(&setup, &written, *terminal)?,
        None => {
            terminal.exactly().write(setup.text()?.as_bytes())?;
            explain(&setup, *terminal);
        }
    }
    Ok(ExitStatus::Ok)
}

/// What is to be done with the printed entry.
fn explain(setup: &Setup, terminal: Terminal) {
    let file = setup.file.display();
    terminal.remark("");
    if setup.has_file() {
        terminal.remark(&format!("Merge this into {file}, or run this again with --write."));
    } else {
        terminal.remark(&format!("This belongs into {file}, which is not there yet; --write makes it."));
    }
    if let Some(project) = project_file(setup.client) {
        terminal.remark(&format!("For one project only: {project} in its root (--file)."));
    }
    terminal.remark(setup.client.next_step());
}

fn report(setup: &Setup, written: &Written, terminal: Terminal) -> Result<()> {
    let (name, file) = (&setup.name, setup.file.display());
    let line = match &written.outcome {
        Outcome::Added => format!("Added `{name}` to {file}"),
        Outcome::Updated(keys) => format!("Updated `{name}` in {file}: {}", keys.join(", ")),
        Outcome::Same => format!("`{name}` is already there: nothing to change in {file}"),
    };
    terminal.write(format!("{}\n", super::clean::printable(&line)).as_bytes())?;
    if let Some(backup) = &written.backup {
        terminal.remark(&format!("As it was before: {}", backup.display()));
    }
    for other in &written.others {
        terminal.say(&format!("`{other}` in the same file starts ccmcp too: take one of the two out."));
    }
    if written.outcome != Outcome::Same {
        terminal.remark(setup.client.next_step());
    }
    Ok(())
}
