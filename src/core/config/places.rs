//! Directories: Claude's own, and ours.

use std::path::{Path, PathBuf};

use super::Environment;
use crate::core::error::{Error, ErrorCode};

/// Where things are on this machine. Nothing here is created by looking it up.
#[derive(Clone, Debug)]
pub struct Places {
    /// The user's home directory.
    pub home: PathBuf,
    /// Claude's configuration directory: `CLAUDE_CONFIG_DIR`, else `~/.claude`.
    pub claude_config: PathBuf,
    /// Where the agents' database is: `--state-dir`, else the default.
    pub state: PathBuf,
    /// One lock file per session, always under the *default* state directory: two servers with different
    /// `--state-dir` still must not run two turns of one session at once.
    pub locks: PathBuf,
}

/// A directory that cannot be worked out.
#[derive(Debug, thiserror::Error)]
pub enum PlacesError {
    /// Neither the environment nor the system names a home directory.
    #[error("cannot tell where your home directory is")]
    NoHome,
    /// A relative directory was named and the working directory is gone.
    #[error("{0} is relative, and the current directory cannot be read")]
    Relative(&'static str),
}

impl From<PlacesError> for Error {
    fn from(error: PlacesError) -> Self {
        let (field, hint) = match &error {
            PlacesError::NoHome => ("HOME", "Set HOME (Windows: USERPROFILE) to your home directory."),
            PlacesError::Relative(field) => (*field, "Give an absolute path."),
        };
        Self::new(ErrorCode::SettingInvalid, error.to_string())
            .hint(hint)
            .details(|details| details.field = Some(field.to_owned()))
    }
}

impl Places {
    /// Works the directories out.
    ///
    /// `home` is the system's answer for where `environment` has none; `state_dir` is what the user asked for.
    /// Relative paths are taken from `working_dir`.
    pub fn find(
        environment: &Environment,
        home: Option<&Path>,
        state_dir: Option<&Path>,
        working_dir: Option<&Path>,
    ) -> Result<Self, PlacesError> {
        let absolute = |path: PathBuf, field: &'static str| match working_dir {
            _ if path.is_absolute() => Ok(path),
            Some(base) => Ok(base.join(path)),
            None => Err(PlacesError::Relative(field)),
        };
        let home_variable = if cfg!(windows) { "USERPROFILE" } else { "HOME" };
        let home = environment.get(home_variable).map(PathBuf::from).or_else(|| home.map(Path::to_path_buf));
        let home = home.filter(|home| home.is_absolute()).ok_or(PlacesError::NoHome)?;
        let claude_config = match environment.get("CLAUDE_CONFIG_DIR") {
            Some(dir) => absolute(dir.into(), "CLAUDE_CONFIG_DIR")?,
            None => home.join(".claude"),
        };
        let default = default_state(environment, &home);
        let state = match state_dir {
            Some(dir) => absolute(dir.to_path_buf(), "--state-dir")?,
            None => default.clone(),
        };
        Ok(Self { home, claude_config, state, locks: default.join("locks") })
    }

    /// Where Claude keeps its transcripts.
    pub fn projects(&self) -> PathBuf {
        self.claude_config.join("projects")
    }

    /// Where Claude says which process owns which session.
    pub fn live_sessions(&self) -> PathBuf {
        self.claude_config.join("sessions")
    }
}

/// The default state directory. It follows from the home directory alone on Unix, so that a client which hands on
/// only `HOME` (Codex) and a terminal with `XDG_STATE_HOME` mean the same locks.
fn default_state(environment: &Environment, home: &Path) -> PathBuf {
    if cfg!(windows) {
        let local = environment.get("LOCALAPPDATA").map(PathBuf::from);
        local.unwrap_or_else(|| home.join("AppData").join("Local")).join("ccmcp")
    } else if cfg!(target_os = "macos") {
        home.join("Library").join("Application Support").join("ccmcp")
    } else {
        home.join(".local").join("state").join("ccmcp")
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn environment(variables: &[(&str, &str)]) -> Environment {
        variables.iter().map(|(name, value)| (name.into(), value.into())).collect()
    }

    #[test]
    fn locks_stay_where_they_are_whatever_the_state_directory() {
        let environment = environment(&[("HOME", "/h"), ("XDG_STATE_HOME", "/x"), ("XDG_RUNTIME_DIR", "/r")]);
        let usual = Places::find(&environment, None, None, None).unwrap();
        let moved = Places::find(&environment, None, Some(Path::new("s")), Some(Path::new("/w"))).unwrap();
        assert_eq!(usual.locks, moved.locks);
        assert_eq!(moved.state, Path::new("/w/s"));
        assert!(usual.locks.starts_with("/h"));
    }

    #[test]
    fn the_config_directory_can_be_moved() {
        let environment = environment(&[("HOME", "/h"), ("CLAUDE_CONFIG_DIR", "/c")]);
        assert_eq!(Places::find(&environment, None, None, None).unwrap().projects(), Path::new("/c/projects"));
    }

    #[test]
    fn no_home_is_an_error_that_names_the_variable() {
        let error = Error::from(Places::find(&Environment::default(), None, None, None).unwrap_err());
        assert_eq!(error.details.field.as_deref(), Some("HOME"));
    }
}
