//! The real Codex CLI as an MCP client of ccmcp, driven against a loopback [`Responses`] API.

use std::{
    fs,
    io::ErrorKind,
    net::TcpListener,
    path::PathBuf,
    process::{Command, Stdio},
};

use super::{Sandbox, real, responses::Responses};

/// The pinned version.
const VERSION: &str = include_str!("real-cli/codex-version");

/// The real CLI.
#[derive(Clone, Debug)]
pub(crate) struct RealCodex {
    path: PathBuf,
}

impl RealCodex {
    /// The pinned version; `None`, and a loud line the first time, where it is not installed.
    ///
    /// # Panics
    /// When it is not installed and `CCMCP_REAL_CLI` is `required`.
    pub(crate) fn find() -> Option<Self> {
        let version = VERSION.trim();
        let path = real::found(&format!("the real Codex CLI {version}"), place(version))?;
        Some(Self { path })
    }

    /// A command that runs one prompt, with ccmcp (and whatever Claude the sandbox has) as its only MCP server. What
    /// would leave this machine ends at `trap`.
    pub(crate) fn exec(&self, sandbox: &Sandbox, api: &Responses, trap: &Trap, prompt: &str) -> Command {
        let home = sandbox.root().join("codex");
        fs::create_dir_all(&home).expect("Codex's folder");
        let ccmcp = sandbox.command("ccmcp");
        let variables: Vec<String> = ccmcp
            .get_envs()
            .filter_map(|(name, value)| Some((name.to_str()?, value?.to_str()?)))
            // It passes on a few variables only, so that all are named here.
            .map(|(name, value)| format!("{} = {}", quoted(name), quoted(value)))
            .collect();
        let config = format!(
            r#"model = "scripted"
model_provider = "loopback"
approval_policy = "never"
sandbox_mode = "read-only"
check_for_update_on_startup = false

[analytics]
enabled = false

# Codex fetches its list of plugins from the network.
[features]
plugins = false

[model_providers.loopback]
name = "loopback"
base_url = "{url}"
env_key = "SCRIPTED_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0

[mcp_servers.ccmcp]
command = {command}
args = ["serve"]
required = true
default_tools_approval_mode = "approve"

[mcp_servers.ccmcp.env]
{variables}
"#,
            url = api.url(),
            command = quoted(ccmcp.get_program().to_str().expect("a UTF-8 path")),
            variables = variables.join("\n"),
        );
        fs::write(home.join("config.toml"), config).expect("Codex's configuration");
        let mut command = sandbox.command(self.path.to_str().expect("a UTF-8 path"));
        command.args(["exec", "--skip-git-repo-check", "--json", prompt]);
        command.env("CODEX_HOME", home).env("SCRIPTED_KEY", "made-up").env("NO_PROXY", "127.0.0.1");
        for proxy in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"] {
            command.env(proxy, trap.url());
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }
}

/// A text as a string of TOML, which has JSON's escapes.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// A proxy that leads nowhere, and knows whether somebody tried.
#[derive(Debug)]
pub(crate) struct Trap(TcpListener);

impl Trap {
    /// Sets it up on a loopback port.
    pub(crate) fn set() -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a loopback port");
        listener.set_nonblocking(true).expect("a listener that does not wait");
        Self(listener)
    }

    fn url(&self) -> String {
        format!("http://{}", self.0.local_addr().expect("the port"))
    }

    /// Whether nobody tried so far. Connections wait in the listener's queue until they are counted.
    pub(crate) fn is_empty(&self) -> bool {
        matches!(self.0.accept(), Err(error) if error.kind() == ErrorKind::WouldBlock)
    }
}

/// Where the executable is, if this machine is of a known kind.
fn place(version: &str) -> Option<PathBuf> {
    let processor = if std::env::consts::ARCH == "aarch64" { "aarch64" } else { "x86_64" };
    let target = match std::env::consts::OS {
        "linux" => format!("{processor}-unknown-linux-musl"),
        "macos" => format!("{processor}-apple-darwin"),
        "windows" => format!("{processor}-pc-windows-msvc"),
        _ => return None,
    };
    let package = format!("codex-{}", real::platform()?);
    let folder = real::cache()?.join(format!("codex-{version}")).join("node_modules").join("@openai").join(package);
    Some(folder.join("vendor").join(target).join("bin").join(format!("codex{}", std::env::consts::EXE_SUFFIX)))
}
