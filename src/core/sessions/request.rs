//! What a caller asks for, and its limits.

use std::{ffi::OsString, fs, io, ops::RangeInclusive, path::PathBuf, time::Duration};

use crate::core::{
    claude::RESERVED_FLAGS,
    error::{Error, ErrorCode, Result},
    ids::SessionId,
};

/// The CLI refuses more than this on standard input (measured: `Error: piped stdin input exceeds 10MB`), in bytes.
pub const LONGEST_PROMPT: usize = 10 * 1024 * 1024;

/// What a turn's two limits may be, in milliseconds: up to a day.
pub const TURN_LIMITS: RangeInclusive<u64> = 1..=86_400_000;

/// How long a turn may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TurnLimits {
    /// Milliseconds without any output of the CLI.
    pub idle_ms: u64,
    /// Milliseconds in all.
    pub wall_ms: u64,
}

impl Default for TurnLimits {
    fn default() -> Self {
        Self { idle_ms: 60_000, wall_ms: 1_800_000 }
    }
}

impl TurnLimits {
    /// The limit on silence.
    pub fn idle(self) -> Duration {
        Duration::from_millis(self.idle_ms)
    }

    /// The limit on the whole turn.
    pub fn wall(self) -> Duration {
        Duration::from_millis(self.wall_ms)
    }

    fn check(self) -> Result<()> {
        for (field, value) in [("timeout_idle_ms", self.idle_ms), ("timeout_wall_ms", self.wall_ms)] {
            if !TURN_LIMITS.contains(&value) {
                let expected =
                    format!("a number of milliseconds from {} to {}", TURN_LIMITS.start(), TURN_LIMITS.end());
                return Err(bad_argument(field, &expected));
            }
        }
        Ok(())
    }
}

/// A new session and its first turn.
#[derive(Clone, Debug)]
pub struct Start {
    /// The id of the session to be: a new one. The caller needs it where a failure has to name the session.
    pub session_id: SessionId,
    /// Where the session works: absolute.
    pub cwd: PathBuf,
    /// The first prompt.
    pub prompt: String,
    /// The model.
    pub model: String,
    /// How long the turn may take.
    pub limits: TurnLimits,
    /// Further arguments for the CLI.
    pub extra: Vec<OsString>,
}

/// A further turn of an existing session.
#[derive(Clone, Debug)]
pub struct Send {
    /// The session.
    pub session_id: SessionId,
    /// The directory that it was started in: absolute.
    pub cwd: PathBuf,
    /// The message.
    pub message: String,
    /// The model.
    pub model: String,
    /// How long the turn may take.
    pub limits: TurnLimits,
    /// Further arguments for the CLI.
    pub extra: Vec<OsString>,
}

impl Start {
    /// Checks everything but the model.
    pub(super) fn check(&self) -> Result<()> {
        check_prompt("initial_prompt", &self.prompt)?;
        self.limits.check()?;
        check_extra(&self.extra)?;
        check_cwd(&self.cwd)
    }
}

impl Send {
    /// Checks everything but the model and the session.
    pub(super) fn check(&self) -> Result<()> {
        check_prompt("message", &self.message)?;
        self.limits.check()?;
        check_extra(&self.extra)?;
        check_cwd(&self.cwd)
    }
}

/// `SCHEMA_VALIDATION` for `field`; says what is expected and never what was given.
fn bad_argument(field: &str, expected: &str) -> Error {
    Error::new(ErrorCode::SchemaValidation, format!("`{field}` is not valid: expected {expected}."))
        .hint("Correct the argument and call again.")
        .details(|details| {
            details.field = Some(field.to_owned());
            details.expected = Some(expected.to_owned());
        })
}

fn check_prompt(field: &str, prompt: &str) -> Result<()> {
    if prompt.trim().is_empty() {
        return Err(bad_argument(field, "a text that is not empty"));
    }
    if prompt.len() > LONGEST_PROMPT {
        return Err(bad_argument(
            field,
            "at most 10 MiB of text (Claude takes no more): put it into a file and name that",
        ));
    }
    Ok(())
}

/// `CWD_INVALID` unless it is a directory that can be listed.
pub(super) fn check_cwd(cwd: &std::path::Path) -> Result<()> {
    let invalid = |why: &str| {
        Error::new(ErrorCode::CwdInvalid, format!("The working directory {why}."))
            .hint("Pass the absolute path of an existing directory on this machine.")
            .details(|details| details.field = Some("cwd".to_owned()))
    };
    if !cwd.is_absolute() {
        return Err(invalid("is not an absolute path"));
    }
    // Listing it is what Claude will do first, and tells a missing directory from a locked one.
    match fs::read_dir(cwd) {
        Ok(_) => Ok(()),
        Err(error) => Err(invalid(match error.kind() {
            io::ErrorKind::NotFound => "does not exist",
            io::ErrorKind::NotADirectory => "is not a directory",
            io::ErrorKind::PermissionDenied => "is not accessible",
            _ if cwd.is_file() => "is not a directory",
            _ => "cannot be read",
        })),
    }
}

/// Arguments that ccmcp sets itself would contradict it, or end the turn in a way that it cannot follow.
fn check_extra(extra: &[OsString]) -> Result<()> {
    for argument in extra {
        let Some(text) = argument.to_str() else { continue };
        let flag = match text.as_bytes() {
            // A value may follow a short flag at once (`-rID`), and so may another short flag.
            [b'-', letter, ..] if letter.is_ascii_alphabetic() => &text[..2],
            _ => text.split('=').next().unwrap_or(text),
        };
        if RESERVED_FLAGS.contains(&flag) {
            let message = format!("`{flag}` cannot be handed on to Claude: ccmcp sets it itself.");
            return Err(Error::new(ErrorCode::SchemaValidation, message)
                .hint("Use ccmcp's own options (`ccmcp start -h`), and leave this one out.")
                .details(|details| details.field = Some(flag.to_owned())));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start(cwd: &std::path::Path) -> Start {
        Start {
            session_id: SessionId::new(),
            cwd: cwd.to_path_buf(),
            prompt: "hi".into(),
            model: "opus".into(),
            limits: TurnLimits::default(),
            extra: Vec::new(),
        }
    }

    fn fault(start: &Start) -> (ErrorCode, Option<String>) {
        let error = start.check().unwrap_err();
        (error.code, error.details.field.clone())
    }

    #[test]
    fn bad_arguments_name_the_field() {
        let dir = tempfile::tempdir().unwrap();
        let good = start(dir.path());
        assert!(good.check().is_ok());
        let schema = |field: &str| (ErrorCode::SchemaValidation, Some(field.to_owned()));
        assert_eq!(fault(&Start { prompt: " \n\t".into(), ..good.clone() }), schema("initial_prompt"));
        assert_eq!(fault(&Start { prompt: "x".repeat(LONGEST_PROMPT + 1), ..good.clone() }), schema("initial_prompt"));
        let limits = TurnLimits { idle_ms: 0, ..TurnLimits::default() };
        assert_eq!(fault(&Start { limits, ..good.clone() }), schema("timeout_idle_ms"));
        let limits = TurnLimits { wall_ms: u64::MAX, ..TurnLimits::default() };
        assert_eq!(fault(&Start { limits, ..good.clone() }), schema("timeout_wall_ms"));
        for (flag, name) in
            [("--resume", "--resume"), ("-p", "-p"), ("--model=opus", "--model"), ("-rID", "-r"), ("-cp", "-c")]
        {
            assert_eq!(fault(&Start { extra: vec![flag.into()], ..good.clone() }), schema(name));
        }
        assert!(Start { extra: vec!["--add-dir".into(), "/x".into()], ..good }.check().is_ok());
    }

    #[test]
    fn the_directory_has_to_be_there() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("file");
        fs::write(&file, "").unwrap();
        for bad in [PathBuf::from("relative"), dir.path().join("missing"), file] {
            assert_eq!(fault(&start(&bad)), (ErrorCode::CwdInvalid, Some("cwd".to_owned())), "{}", bad.display());
        }
    }
}
