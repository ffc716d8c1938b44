//! Finding the program.

use std::{
    fmt, fs,
    path::{Path, PathBuf},
};

use crate::core::{
    config::Settings,
    error::{Error, ErrorCode},
};

/// Variables that may name the executable, the first one that is set wins.
const VARIABLES: [&str; 2] = ["CLAUDE_BIN", "CLAUDE_MCP_CLAUDE_EXECUTABLE"];

/// The Claude executable, and how it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Executable {
    /// The program to run.
    pub path: PathBuf,
    /// How it was found.
    pub found_by: FoundBy,
}

/// How the executable was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoundBy {
    /// `--claude-bin`.
    Flag,
    /// This environment variable.
    Variable(&'static str),
    /// A search through `PATH`.
    Path,
    /// The native installer's usual place.
    Usual,
}

impl fmt::Display for FoundBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag => f.write_str("--claude-bin"),
            Self::Variable(name) => f.write_str(name),
            Self::Path => f.write_str("PATH"),
            Self::Usual => f.write_str("~/.local/bin"),
        }
    }
}

/// Why there is no executable.
#[derive(Debug, thiserror::Error)]
pub enum ExecutableError {
    /// It is named, and is not there or cannot be run.
    #[error("the Claude executable named by {0} is not there, or cannot be executed")]
    Named(FoundBy),
    /// It is a script of the npm package, and the real program behind it is not there.
    #[error("the Claude executable found by {0} is a script, and the program behind it is missing")]
    Shim(FoundBy),
    /// Nobody named it, and it is nowhere.
    #[error("no Claude executable in PATH or ~/.local/bin")]
    Nowhere,
}

impl From<ExecutableError> for Error {
    fn from(error: ExecutableError) -> Self {
        let hint = match &error {
            ExecutableError::Named(_) => "Name the full path of the `claude` program there.",
            ExecutableError::Shim(_) => "Install Claude Code again, or name the program with `--claude-bin`.",
            ExecutableError::Nowhere => "Install Claude Code, or name the program with `--claude-bin` or CLAUDE_BIN.",
        };
        Self::new(ErrorCode::SpawnFailed, format!("{error}.")).hint(hint)
    }
}

/// Finds the executable: `--claude-bin`, else the first of its variables that is set, else `PATH`, else the native installer's place.
///
/// One that is named and cannot be run is an error; looking further would run something that nobody asked for.
pub fn find(settings: &Settings) -> Result<Executable, ExecutableError> {
    let environment = &settings.environment;
    let base = settings.working_dir.as_deref().unwrap_or(Path::new("/"));
    let named = settings.claude_bin.clone().map(|path| (path, FoundBy::Flag));
    let named = named
        .or_else(|| VARIABLES.iter().find_map(|name| Some((environment.get(name)?.into(), FoundBy::Variable(name)))));
    let (path, found_by) = match named {
        // A bare name is looked up as a shell would do it.
        Some((path, found_by)) => {
            let found = which::which_in(&path, environment.get("PATH"), base);
            (found.map_err(|_| ExecutableError::Named(found_by))?, found_by)
        }
        None => {
            let by_path = which::which_in("claude", environment.get("PATH"), base);
            let usual = || which::which_in(settings.places.home.join(".local/bin/claude"), None::<&Path>, base);
            let found =
                by_path.map(|path| (path, FoundBy::Path)).or_else(|_| usual().map(|path| (path, FoundBy::Usual)));
            found.map_err(|_| ExecutableError::Nowhere)?
        }
    };
    let path = match path.extension().and_then(|extension| extension.to_str()) {
        Some(extension) if ["cmd", "bat", "ps1"].contains(&extension.to_ascii_lowercase().as_str()) => {
            behind_shim(&path).ok_or(ExecutableError::Shim(found_by))?
        }
        _ => path,
    };
    Ok(Executable { path, found_by })
}

/// The real program behind a script that npm put into its `bin` directory on Windows: a `.cmd` would need a shell,
/// and a shell would take our arguments apart.
fn behind_shim(shim: &Path) -> Option<PathBuf> {
    let directory = shim.parent()?;
    let script = fs::read_to_string(shim).ok()?;
    // npm writes `"%dp0%\node_modules\…\claude.exe"` (in .ps1: `"$basedir/node_modules/…/claude.exe"`).
    let named = script.split('"').filter_map(|part| {
        let relative = ["%dp0%", "%~dp0", "$basedir"].iter().find_map(|prefix| part.strip_prefix(prefix))?;
        let relative = relative.trim_start_matches(['\\', '/']).replace('\\', "/");
        Some(directory.join(relative))
    });
    let packages = directory.join("node_modules").join("@anthropic-ai");
    let platform =
        ["claude-code-win32-x64", "claude-code-win32-arm64"].map(|name| packages.join(name).join("claude.exe"));
    let is_program = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "exe") && path.is_file();
    // A shim may start node.exe from beside itself; that is not the program.
    let is_claude = |path: &PathBuf| path.file_stem().is_some_and(|stem| stem.eq_ignore_ascii_case("claude"));
    named.chain(platform).filter(is_claude).find(is_program)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_shim_is_resolved_to_the_program_and_never_to_node() {
        let dir = tempfile::tempdir().unwrap();
        let shim = dir.path().join("claude.cmd");
        let program = dir.path().join("node_modules/@anthropic-ai/claude-code/bin/claude.exe");
        fs::write(
            &shim,
            "@SETLOCAL\r\nIF EXIST \"%dp0%\\node.exe\" (\r\n)\r\n\
             \"%dp0%\\node_modules\\@anthropic-ai\\claude-code\\bin\\claude.exe\"   %*\r\n",
        )
        .unwrap();
        fs::write(dir.path().join("node.exe"), "").unwrap();
        assert_eq!(behind_shim(&shim), None);
        fs::create_dir_all(program.parent().unwrap()).unwrap();
        fs::write(&program, "").unwrap();
        assert_eq!(behind_shim(&shim), Some(program));
    }
}
