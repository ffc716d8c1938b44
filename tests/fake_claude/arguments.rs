//! The command line, read as the CLI reads it: unknown options are refused, so that a wrong flag fails a test.

use uuid::Uuid;

/// Options that take one value.
const ONE: &[&str] = &[
    "--model",
    "--session-id",
    "--resume",
    "--permission-mode",
    "--input-format",
    "--output-format",
    "--effort",
    "--max-budget-usd",
    "--max-turns",
    "--append-system-prompt",
    "--system-prompt",
    "--permission-prompt-tool",
    "--fallback-model",
    "--settings",
    "--name",
    "--resume-session-at",
    "--setting-sources",
    "--betas",
];
/// Options that take values up to the next option.
const MANY: &[&str] = &[
    "--tools",
    "--allowedTools",
    "--allowed-tools",
    "--disallowedTools",
    "--disallowed-tools",
    "--mcp-config",
    "--add-dir",
];
/// Options that take none.
const NONE: &[&str] = &[
    "-p",
    "--print",
    "--verbose",
    "--include-partial-messages",
    "--replay-user-messages",
    "--safe-mode",
    "--strict-mcp-config",
    "--fork-session",
    "--debug",
    "--no-session-persistence",
    "--dangerously-skip-permissions",
    "--disable-slash-commands",
    "--include-hook-events",
];

/// What the command line says.
#[derive(Clone, Debug, Default)]
pub(crate) struct Arguments {
    pub(crate) session_id: Option<String>,
    pub(crate) resume: Option<String>,
    /// `--resume-session-at`: the record to go back to.
    pub(crate) back_to: Option<String>,
    pub(crate) model: Option<String>,
    pub(crate) permission_mode: Option<String>,
    pub(crate) prompt: Option<String>,
    pub(crate) streaming: bool,
    pub(crate) partial: bool,
    pub(crate) replay: bool,
    pub(crate) budget: Option<f64>,
}

impl Arguments {
    /// Reads the command line, or says what the CLI says about a wrong one on standard error.
    pub(crate) fn read(arguments: &[String]) -> Result<Self, String> {
        let mut read = Self::default();
        let (mut stream_out, mut verbose, mut print) = (false, false, false);
        let mut rest = arguments.iter().peekable();
        while let Some(argument) = rest.next() {
            let name = if argument == "-r" { "--resume" } else { argument.as_str() };
            if ONE.contains(&name) {
                let Some(value) = rest.next() else {
                    return Err(format!("error: option '{name} <value>' argument missing"));
                };
                match name {
                    "--session-id" => read.session_id = Some(value.clone()),
                    "--resume" => read.resume = Some(value.clone()),
                    "--resume-session-at" => read.back_to = Some(value.clone()),
                    "--model" => read.model = Some(value.clone()),
                    "--permission-mode" => read.permission_mode = Some(value.clone()),
                    "--input-format" => read.streaming = value == "stream-json",
                    "--output-format" => stream_out = value == "stream-json",
                    "--max-budget-usd" => read.budget = value.parse().ok(),
                    _ => {}
                }
            } else if MANY.contains(&name) {
                while rest.next_if(|value| !value.starts_with('-')).is_some() {}
            } else if NONE.contains(&name) {
                match name {
                    "-p" | "--print" => print = true,
                    "--verbose" => verbose = true,
                    "--include-partial-messages" => read.partial = true,
                    "--replay-user-messages" => read.replay = true,
                    _ => {}
                }
            } else if name.starts_with('-') {
                return Err(format!("error: unknown option '{name}'"));
            } else {
                read.prompt = Some(argument.clone());
            }
        }
        if !print {
            return Err("error: the scripted CLI has no interactive mode".to_owned());
        }
        if !stream_out {
            return Err("error: the scripted CLI prints stream-json only".to_owned());
        }
        if !verbose {
            return Err("Error: When using --print, --output-format=stream-json requires --verbose".to_owned());
        }
        if read.session_id.as_ref().is_some_and(|id| Uuid::try_parse(id).is_err()) {
            return Err("Error: Invalid session ID. Must be a valid UUID.".to_owned());
        }
        Ok(read)
    }
}
