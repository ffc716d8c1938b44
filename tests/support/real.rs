//! The real Claude CLI, driven against the loopback API.
//!
//! `tests/support/real-cli/install` brings it (`.ci/run` calls that). Where it is missing, tests that need it say so
//! loudly and pass; with `CCMCP_REAL_CLI=required` they fail instead.

use std::{
    collections::BTreeSet,
    env, fs,
    io::Write,
    path::{Path, PathBuf},
    process::Command,
    sync::{Mutex, PoisonError},
};

use super::{Sandbox, api::Api};

/// The pinned versions, the newest first.
const VERSIONS: &str = include_str!("real-cli/versions");

/// The programs whose absence has been told.
static SAID: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// The real CLI in one version.
#[derive(Clone, Debug)]
pub(crate) struct RealClaude {
    pub(crate) version: &'static str,
    pub(crate) path: PathBuf,
}

impl RealClaude {
    /// The newest pinned version; `None` where it is not installed.
    pub(crate) fn newest() -> Option<Self> {
        Self::find(VERSIONS.lines().next().expect("a version"))
    }

    /// Every pinned version that is installed, the newest first.
    pub(crate) fn all() -> Vec<Self> {
        VERSIONS.lines().filter_map(Self::find).collect()
    }

    /// A pinned version; `None`, and a loud line the first time, where it is not installed.
    ///
    /// # Panics
    /// When it is not installed and `CCMCP_REAL_CLI` is `required`.
    pub(crate) fn find(version: &'static str) -> Option<Self> {
        let path = found(&format!("the real Claude CLI {version}"), place(version))?;
        Some(Self { version, path })
    }

    /// The CLI for the commands of a sandbox, talking to `api` with a made-up subscription login.
    pub(crate) fn enter(&self, sandbox: &mut Sandbox, api: &Api) {
        sandbox.set("CLAUDE_BIN", &self.path);
        for (name, value) in [
            ("ANTHROPIC_BASE_URL", api.url().as_str()),
            ("CLAUDE_CODE_OAUTH_TOKEN", "made-up"),
            ("DISABLE_AUTOUPDATER", "1"),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
            ("DISABLE_TELEMETRY", "1"),
            ("DISABLE_ERROR_REPORTING", "1"),
            // Ten, with growing delays, would take minutes.
            ("CLAUDE_CODE_MAX_RETRIES", "1"),
            // Root may use every permission mode only inside a sandbox, which this is.
            ("IS_SANDBOX", "1"),
        ] {
            sandbox.set(name, value);
        }
    }

    /// Makes the sandbox's CLI a wrapper that lets tools run: `auto` asks the model for a verdict, which an echo cannot
    /// give, so `--permission-mode auto` becomes `dontAsk` with these tools allowed. The process stays the CLI's own.
    #[cfg(unix)]
    pub(crate) fn allow_tools(&self, sandbox: &mut Sandbox, tools: &str) {
        use std::os::unix::fs::PermissionsExt;
        let wrapper = sandbox.root().join("bin").join("claude");
        let script = format!(
            r#"#!/bin/sh
# Every argument once round: those to change are changed on their way.
count=$#
previous=
while [ "$count" -gt 0 ]; do
    argument=$1
    shift
    if [ "$previous" = --permission-mode ] && [ "$argument" = auto ]; then
        set -- "$@" dontAsk --allowedTools "{tools}"
    else
        set -- "$@" "$argument"
    fi
    previous=$argument
    count=$((count - 1))
done
exec "{}" "$@"
"#,
            self.path.display()
        );
        fs::write(&wrapper, script).expect("the wrapper");
        fs::set_permissions(&wrapper, fs::Permissions::from_mode(0o755)).expect("an executable wrapper");
        sandbox.set("CLAUDE_BIN", wrapper);
    }

    /// A command of this CLI itself, as ccmcp would start it for one turn, with what [`RealClaude::enter`] set.
    pub(crate) fn turn(&self, sandbox: &Sandbox, arguments: &[&str]) -> Command {
        let mut command = sandbox.command(self.path.to_str().expect("a UTF-8 path"));
        command.args(arguments).args(["--model", "sonnet", "--output-format", "stream-json", "--verbose"]);
        command.args(["--include-partial-messages", "-p"]);
        command
    }
}

/// The path of a program where it is installed; else `None`, and a loud line the first time.
///
/// # Panics
/// When it is not installed and `CCMCP_REAL_CLI` is `required`.
pub(crate) fn found(program: &str, path: Option<PathBuf>) -> Option<PathBuf> {
    if path.as_ref().is_some_and(|path| path.is_file()) {
        return path;
    }
    let what = format!("{program} is not installed: run tests/support/real-cli/install");
    assert!(env::var_os("CCMCP_REAL_CLI").is_none_or(|value| value != "required"), "{what}");
    if SAID.lock().unwrap_or_else(PoisonError::into_inner).insert(program.to_owned()) {
        // Not `eprintln!`: the test runner keeps that from passing tests.
        let _ = writeln!(std::io::stderr(), "\n*** SKIPPED: tests with the real CLI: {what} ***\n");
    }
    None
}

/// What npm calls this kind of machine, if it is a known one.
pub(crate) fn platform() -> Option<String> {
    let system = match env::consts::OS {
        "linux" => "linux",
        "macos" => "darwin",
        "windows" => "win32",
        _ => return None,
    };
    let processor = if env::consts::ARCH == "aarch64" { "arm64" } else { "x64" };
    Some(format!("{system}-{processor}"))
}

/// Where the executable of a version is, if this machine is of a known kind.
fn place(version: &str) -> Option<PathBuf> {
    let package = format!("claude-code-{}", platform()?);
    let file = format!("claude{}", env::consts::EXE_SUFFIX);
    Some(
        cache()?
            .join(format!("claude-code-{version}"))
            .join("node_modules")
            .join("@anthropic-ai")
            .join(package)
            .join(file),
    )
}

/// The folder that the install script fills.
pub(crate) fn cache() -> Option<PathBuf> {
    env::var_os("CCMCP_TEST_CACHE")
        .map(PathBuf::from)
        .or_else(|| Some(PathBuf::from(env::var_os("XDG_CACHE_HOME")?).join("ccmcp-tests")))
        .or_else(|| Some(Path::new(&env::var_os("HOME")?).join(".cache").join("ccmcp-tests")))
}
