//! Where each client keeps its configuration.
//!
//! Sources: the clients' own documentation and code; for Claude Desktop on Windows, what its packaged builds do.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::Client;
use crate::core::config::{Environment, Settings};

/// The file for everything that the user does with this client.
pub fn user_file(client: Client, settings: &Settings) -> PathBuf {
    let places = &settings.places;
    let bases = Bases::of(System::HERE, &settings.environment, &places.home);
    match client {
        // With CLAUDE_CONFIG_DIR the file lies in that directory, otherwise beside it (measured).
        Client::ClaudeCode if settings.environment.is_set("CLAUDE_CONFIG_DIR") => {
            places.claude_config.join(".claude.json")
        }
        other => bases.file(other),
    }
}

/// The file for one project, from the project's root.
pub fn project_file(client: Client) -> Option<&'static str> {
    match client {
        Client::Codex => Some(".codex/config.toml"),
        Client::ClaudeDesktop | Client::Cowork => None,
        Client::Cursor => Some(".cursor/mcp.json"),
        Client::VsCode => Some(".vscode/mcp.json"),
        Client::Zed => Some(".zed/settings.json"),
        Client::ClaudeCode => Some(".mcp.json"),
    }
}

/// The operating system, as far as clients tell them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum System {
    Linux,
    Mac,
    Windows,
}

impl System {
    const HERE: Self = if cfg!(windows) {
        Self::Windows
    } else if cfg!(target_os = "macos") {
        Self::Mac
    } else {
        Self::Linux
    };
}

/// The directories that files lie in.
struct Bases<'a> {
    home: &'a Path,
    /// `CODEX_HOME`, or where it is otherwise.
    codex: PathBuf,
    /// Where applications keep their settings.
    applications: PathBuf,
    /// Claude Desktop's own directory there.
    claude_desktop: PathBuf,
    zed: PathBuf,
}

impl<'a> Bases<'a> {
    fn of(system: System, environment: &Environment, home: &'a Path) -> Self {
        let named = |name: &str| environment.get(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let xdg = || named("XDG_CONFIG_HOME").unwrap_or_else(|| home.join(".config"));
        let applications = match system {
            System::Linux => xdg(),
            System::Mac => home.join("Library").join("Application Support"),
            System::Windows => named("APPDATA").unwrap_or_else(|| home.join("AppData").join("Roaming")),
        };
        let packaged = || {
            let local = named("LOCALAPPDATA").unwrap_or_else(|| home.join("AppData").join("Local"));
            packaged_claude(&local.join("Packages"))
        };
        let claude_desktop = match system {
            System::Windows => packaged(),
            _ => None,
        };
        let zed = match system {
            System::Linux => named("FLATPAK_XDG_CONFIG_HOME").unwrap_or_else(xdg).join("zed"),
            System::Mac => home.join(".config").join("zed"),
            System::Windows => applications.join("Zed"),
        };
        Self {
            home,
            codex: named("CODEX_HOME").unwrap_or_else(|| home.join(".codex")),
            claude_desktop: claude_desktop.unwrap_or_else(|| applications.join("Claude")),
            applications,
            zed,
        }
    }

    fn file(&self, client: Client) -> PathBuf {
        match client {
            Client::Codex => self.codex.join("config.toml"),
            Client::ClaudeDesktop | Client::Cowork => self.claude_desktop.join("claude_desktop_config.json"),
            Client::Cursor => self.home.join(".cursor").join("mcp.json"),
            Client::VsCode => self.applications.join("Code").join("User").join("mcp.json"),
            Client::Zed => self.zed.join("settings.json"),
            Client::ClaudeCode => self.home.join(".claude.json"),
        }
    }
}

/// A Claude Desktop that came as a package (as all do since 2026) has its application data redirected: it never sees
/// what stands in the usual place.
fn packaged_claude(packages: &Path) -> Option<PathBuf> {
    let entries = fs::read_dir(packages).ok()?.flatten();
    let claude = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with("Claude_"));
    let data = claude.map(|entry| entry.path().join("LocalCache").join("Roaming").join("Claude"));
    data.filter(|path| path.is_dir()).min()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn files(system: System, variables: &[(&str, &str)]) -> Vec<String> {
        let environment = variables.iter().map(|(name, value)| (name.into(), value.into())).collect();
        let bases = Bases::of(system, &environment, Path::new("/h"));
        Client::ALL.map(|client| bases.file(client).display().to_string()).to_vec()
    }

    #[test]
    fn each_client_has_its_place_on_each_system() {
        assert_eq!(
            files(System::Linux, &[]),
            [
                "/h/.codex/config.toml",
                "/h/.config/Claude/claude_desktop_config.json",
                "/h/.config/Claude/claude_desktop_config.json",
                "/h/.cursor/mcp.json",
                "/h/.config/Code/User/mcp.json",
                "/h/.config/zed/settings.json",
                "/h/.claude.json",
            ]
        );
        assert_eq!(
            files(System::Mac, &[("XDG_CONFIG_HOME", "/x")]),
            [
                "/h/.codex/config.toml",
                "/h/Library/Application Support/Claude/claude_desktop_config.json",
                "/h/Library/Application Support/Claude/claude_desktop_config.json",
                "/h/.cursor/mcp.json",
                "/h/Library/Application Support/Code/User/mcp.json",
                "/h/.config/zed/settings.json",
                "/h/.claude.json",
            ]
        );
        assert_eq!(
            files(System::Windows, &[("APPDATA", "/r")]),
            [
                "/h/.codex/config.toml",
                "/r/Claude/claude_desktop_config.json",
                "/r/Claude/claude_desktop_config.json",
                "/h/.cursor/mcp.json",
                "/r/Code/User/mcp.json",
                "/r/Zed/settings.json",
                "/h/.claude.json",
            ]
        );
    }

    #[test]
    fn variables_move_them() {
        let moved = files(System::Linux, &[("CODEX_HOME", "/c"), ("XDG_CONFIG_HOME", "/x")]);
        assert_eq!((moved[0].as_str(), moved[5].as_str()), ("/c/config.toml", "/x/zed/settings.json"));
        let relative = files(System::Linux, &[("XDG_CONFIG_HOME", "x")]);
        assert_eq!(relative[4], "/h/.config/Code/User/mcp.json", "a relative one counts as none");
    }

    #[test]
    fn a_packaged_claude_desktop_reads_its_own_copy() {
        let local = tempfile::tempdir().unwrap();
        let data = local.path().join("Packages/Claude_abc/LocalCache/Roaming/Claude");
        let file = || files(System::Windows, &[("APPDATA", "/r"), ("LOCALAPPDATA", local.path().to_str().unwrap())]);
        assert_eq!(file()[1], "/r/Claude/claude_desktop_config.json");
        fs::create_dir_all(&data).unwrap();
        assert_eq!(file()[1], data.join("claude_desktop_config.json").to_str().unwrap());
    }
}
