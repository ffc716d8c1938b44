//! Command lines, with a reason for every flag.

use std::{ffi::OsString, path::PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::core::ids::SessionId;

/// Which session a process works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A new session with this id.
    Start(SessionId),
    /// An existing session.
    Resume(SessionId),
}

impl Target {
    /// The session's id.
    pub fn session_id(self) -> SessionId {
        match self {
            Self::Start(id) | Self::Resume(id) => id,
        }
    }

    fn arguments(self) -> [OsString; 2] {
        match self {
            Self::Start(id) => ["--session-id".into(), id.to_string().into()],
            Self::Resume(id) => ["--resume".into(), id.to_string().into()],
        }
    }
}

/// Flags that ccmcp sets itself: nobody may pass them through.
pub const RESERVED_FLAGS: &[&str] = &[
    "--session-id",
    "--resume",
    "-r",
    "--continue",
    "-c",
    "--fork-session",
    "--model",
    "--permission-mode",
    "--dangerously-skip-permissions",
    "--output-format",
    "--input-format",
    "--verbose",
    "--include-partial-messages",
    "--print",
    "-p",
    "--no-session-persistence",
];

/// One turn of a session: `claude … -p`, the prompt on standard input.
#[derive(Clone, Debug)]
pub struct SessionCommand {
    /// The session.
    pub target: Target,
    /// The model, passed verbatim.
    pub model: String,
    /// Further arguments of the user's, already checked against [`RESERVED_FLAGS`].
    pub extra: Vec<OsString>,
}

impl SessionCommand {
    /// The arguments.
    pub fn arguments(&self) -> Vec<OsString> {
        let mut arguments = self.target.arguments().to_vec();
        arguments.extend(["--model".into(), OsString::from(&self.model)]);
        arguments.extend(
            [
                // Nobody is there to be asked: a classifier decides what may run.
                "--permission-mode",
                "auto",
                // One JSON frame a line, as things happen; the CLI wants `--verbose` with it.
                "--output-format",
                "stream-json",
                "--verbose",
                // Text as it is written, which also keeps the idle limit from firing on long answers.
                "--include-partial-messages",
            ]
            .map(OsString::from),
        );
        arguments.extend(self.extra.iter().cloned());
        // Last: what follows `-p` would be taken for the prompt.
        arguments.push("-p".into());
        arguments
    }
}

/// What an agent may do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Profile {
    /// Read, search, and nothing else.
    #[default]
    ReadOnly,
    /// Read, edit and run commands, under the CLI's own classifier.
    WorkspaceWrite,
}

impl Profile {
    /// Flags of the profile. `--tools` is what really limits the set: without it the CLI offers further tools in
    /// spite of the allow list (measured with 2.1.332).
    fn arguments(self) -> [&'static str; 8] {
        match self {
            Self::ReadOnly => [
                "--permission-mode",
                "dontAsk",
                "--tools",
                "Read,Glob,Grep",
                "--allowedTools",
                "Read,Glob,Grep",
                "--disallowedTools",
                "Bash,Edit,Write,NotebookEdit,Agent,mcp__*",
            ],
            Self::WorkspaceWrite => [
                "--permission-mode",
                "auto",
                "--tools",
                "Read,Glob,Grep,Edit,Write,NotebookEdit,Bash",
                "--allowedTools",
                "Read,Glob,Grep,Edit,Write,NotebookEdit,Bash",
                "--disallowedTools",
                "Agent,mcp__*",
            ],
        }
    }
}

/// The process of an agent: turns come as JSON lines on standard input.
#[derive(Clone, Debug)]
pub struct AgentCommand {
    /// The session.
    pub target: Target,
    /// What the agent may do.
    pub profile: Profile,
    /// An MCP configuration without servers.
    pub empty_mcp_config: PathBuf,
    /// The model; none: the CLI's default.
    pub model: Option<String>,
    /// The effort; none: the CLI's default.
    pub effort: Option<String>,
    /// What this process may cost, in US dollars.
    pub max_budget_usd: Option<f64>,
}

impl AgentCommand {
    /// The arguments.
    pub fn arguments(&self) -> Vec<OsString> {
        let mut arguments: Vec<OsString> = [
            "-p",
            "--verbose",
            "--input-format",
            "stream-json",
            "--output-format",
            "stream-json",
            // Says which input a turn belongs to.
            "--replay-user-messages",
            // No CLAUDE.md, skills, plugins, hooks: an agent does what its caller says.
            "--safe-mode",
            // No MCP servers: among them could be ccmcp itself.
            "--strict-mcp-config",
            "--mcp-config",
        ]
        .map(OsString::from)
        .to_vec();
        arguments.push(self.empty_mcp_config.clone().into_os_string());
        arguments.extend(self.profile.arguments().map(OsString::from));
        let budget = self.max_budget_usd.map(|dollars| dollars.to_string());
        for (flag, value) in [("--model", &self.model), ("--effort", &self.effort), ("--max-budget-usd", &budget)] {
            if let Some(value) = value {
                arguments.extend([OsString::from(flag), OsString::from(value)]);
            }
        }
        arguments.extend(self.target.arguments());
        arguments
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "11111111-2222-4333-8444-555555555555";

    fn joined(arguments: &[OsString]) -> String {
        arguments.join(" ".as_ref()).into_string().unwrap()
    }

    #[test]
    fn a_session_is_started_and_resumed_as_the_contract_says() {
        let id: SessionId = ID.parse().unwrap();
        let start = SessionCommand { target: Target::Start(id), model: "opus".into(), extra: Vec::new() };
        assert_eq!(
            joined(&start.arguments()),
            format!(
                "--session-id {ID} --model opus --permission-mode auto --output-format stream-json --verbose \
                 --include-partial-messages -p"
            )
        );
        let resume =
            SessionCommand { target: Target::Resume(id), extra: vec!["--add-dir".into(), "/x".into()], ..start };
        assert_eq!(
            joined(&resume.arguments()),
            format!(
                "--resume {ID} --model opus --permission-mode auto --output-format stream-json --verbose \
                 --include-partial-messages --add-dir /x -p"
            )
        );
    }

    #[test]
    fn an_agent_is_limited_by_its_profile() {
        let mut command = AgentCommand {
            target: Target::Start(ID.parse().unwrap()),
            profile: Profile::ReadOnly,
            empty_mcp_config: "/s/empty-mcp.json".into(),
            model: None,
            effort: None,
            max_budget_usd: None,
        };
        let base = "-p --verbose --input-format stream-json --output-format stream-json --replay-user-messages \
                    --safe-mode --strict-mcp-config --mcp-config /s/empty-mcp.json";
        assert_eq!(
            joined(&command.arguments()),
            format!(
                "{base} --permission-mode dontAsk --tools Read,Glob,Grep --allowedTools Read,Glob,Grep \
                 --disallowedTools Bash,Edit,Write,NotebookEdit,Agent,mcp__* --session-id {ID}"
            )
        );
        command.profile = Profile::WorkspaceWrite;
        command.target = Target::Resume(ID.parse().unwrap());
        (command.model, command.effort) = (Some("opus".into()), Some("high".into()));
        command.max_budget_usd = Some(0.25);
        let tools = "Read,Glob,Grep,Edit,Write,NotebookEdit,Bash";
        assert_eq!(
            joined(&command.arguments()),
            format!(
                "{base} --permission-mode auto --tools {tools} --allowedTools {tools} --disallowedTools Agent,mcp__* \
                 --model opus --effort high --max-budget-usd 0.25 --resume {ID}"
            )
        );
    }
}
