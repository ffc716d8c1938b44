//! [`Client`]: the MCP clients that ccmcp has entries for, and what is particular to each.

use schemars::JsonSchema;
use serde::Serialize;

use super::jsonc::Dialect;

/// An MCP client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Client {
    /// The Codex CLI, its app and its editor extension, which share one file.
    Codex,
    /// The Claude Desktop app.
    ClaudeDesktop,
    /// Cowork: a part of the Claude Desktop app, with the same file.
    Cowork,
    /// The Cursor editor.
    Cursor,
    /// Visual Studio Code.
    #[serde(rename = "vscode")]
    VsCode,
    /// The Zed editor.
    Zed,
    /// The Claude Code CLI, which gets the history tools only.
    ClaudeCode,
}

/// What a client's file is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Json(Dialect),
    Toml,
}

impl Client {
    /// All, in the order of the README's table.
    pub const ALL: [Self; 7] =
        [Self::Codex, Self::ClaudeDesktop, Self::Cowork, Self::Cursor, Self::VsCode, Self::Zed, Self::ClaudeCode];

    /// The name on the command line.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Codex => "codex",
            Self::ClaudeDesktop => "claude-desktop",
            Self::Cowork => "cowork",
            Self::Cursor => "cursor",
            Self::VsCode => "vscode",
            Self::Zed => "zed",
            Self::ClaudeCode => "claude-code",
        }
    }

    /// The name that people know.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Codex => "Codex",
            Self::ClaudeDesktop => "Claude Desktop",
            Self::Cowork => "Cowork",
            Self::Cursor => "Cursor",
            Self::VsCode => "VS Code",
            Self::Zed => "Zed",
            Self::ClaudeCode => "Claude Code",
        }
    }

    /// Whether it is started from a desktop, where nobody sees what the shell has in `PATH` and other variables.
    pub const fn is_desktop(self) -> bool {
        !matches!(self, Self::Codex | Self::ClaudeCode)
    }

    /// The key that the servers stand under.
    pub(super) const fn section(self) -> &'static str {
        match self {
            Self::Codex => "mcp_servers",
            Self::ClaudeDesktop | Self::Cowork | Self::Cursor | Self::ClaudeCode => "mcpServers",
            Self::VsCode => "servers",
            Self::Zed => "context_servers",
        }
    }

    /// Claude's own programs take JSON alone, and pass over a file with a comment in it; the editors take comments.
    pub(super) const fn format(self) -> Format {
        match self {
            Self::Codex => Format::Toml,
            Self::ClaudeDesktop | Self::Cowork | Self::ClaudeCode => Format::Json(Dialect::Strict),
            Self::Cursor | Self::VsCode | Self::Zed => Format::Json(Dialect::Commented),
        }
    }

    /// Whether its file must hold nothing but JSON.
    pub(super) fn takes_json_alone(self) -> bool {
        self.format() == Format::Json(Dialect::Strict)
    }

    /// What a person has to do before the client sees a change.
    pub const fn next_step(self) -> &'static str {
        match self {
            Self::Codex => "Start Codex again; `/mcp` there lists the tools.",
            Self::ClaudeDesktop => "Quit Claude Desktop (closing its window is not enough) and start it again.",
            Self::Cowork => {
                "Quit the Claude app (closing its window is not enough), start it again, and open a new task."
            }
            Self::Cursor => "Restart Cursor, or switch the server on under Settings, MCP.",
            Self::VsCode => "Run `MCP: List Servers` in VS Code's command palette and start the server there.",
            Self::Zed => "Zed starts the server by itself; its agent settings show the state.",
            Self::ClaudeCode => "Start Claude Code again; `/mcp` there lists the tools.",
        }
    }
}
