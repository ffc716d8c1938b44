//! `ccmcp` run as a terminal command, to its end or in the background.

use std::{
    fs,
    io::Write,
    path::PathBuf,
    process::{Child, Command, Output, Stdio},
    thread,
};

use serde_json::Value;

use super::{Sandbox, finish};

/// What a command printed and how it ended.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    pub(crate) status: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Run {
    /// Reads a finished child's output.
    fn of(output: Output) -> Self {
        Self {
            status: output.status.code(),
            stdout: String::from_utf8(output.stdout).expect("UTF-8 on standard output"),
            stderr: String::from_utf8(output.stderr).expect("UTF-8 on standard error"),
        }
    }

    /// Standard output as one JSON document.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("no JSON ({error}): {self:#?}"))
    }

    /// The answer of a turn that has to have succeeded.
    #[track_caller]
    pub(crate) fn answer(&self) -> Value {
        assert_eq!(self.status, Some(0), "{self:#?}");
        self.json()
    }

    /// The error object of a command with `--json` that has to have failed with this code.
    #[track_caller]
    pub(crate) fn error(&self, code: &str) -> Value {
        let error = self.json()["error"].take();
        assert_eq!(error["code"], code, "{self:#?}");
        assert!(error["hint"].is_string(), "every error says what to do next: {self:#?}");
        assert_ne!(self.status, Some(0), "{self:#?}");
        error
    }
}

/// A command that runs while the test does something else.
#[derive(Debug)]
pub(crate) struct Running(Child);

impl Running {
    /// Waits for its end.
    #[track_caller]
    pub(crate) fn finish(self) -> Run {
        Run::of(finish(self.0))
    }

    /// Its pid.
    pub(crate) fn pid(&self) -> u32 {
        self.0.id()
    }
}

/// Starts `command` with `input` on its standard input.
#[track_caller]
pub(crate) fn spawn(mut command: Command, input: &[u8]) -> Running {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the command starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let input = input.to_vec();
    // It may end without reading all of it.
    thread::spawn(move || stdin.write_all(&input));
    Running(child)
}

impl Sandbox {
    /// Starts `ccmcp` with these arguments and an empty standard input.
    #[track_caller]
    pub(crate) fn begin(&self, arguments: &[&str]) -> Running {
        let mut command = self.command("ccmcp");
        command.args(arguments);
        spawn(command, b"")
    }

    /// Runs `ccmcp` to its end, with an empty standard input.
    #[track_caller]
    pub(crate) fn ccmcp(&self, arguments: &[&str]) -> Run {
        self.begin(arguments).finish()
    }

    /// Runs `ccmcp` to its end with this on its standard input.
    #[track_caller]
    pub(crate) fn ccmcp_with(&self, arguments: &[&str], input: &[u8]) -> Run {
        let mut command = self.command("ccmcp");
        command.args(arguments);
        spawn(command, input).finish()
    }

    /// Puts a script in front of the CLI that keeps a copy of everything it prints; gives the copy's path.
    #[cfg(unix)]
    pub(crate) fn copy_output(&mut self) -> PathBuf {
        use std::os::unix::fs::PermissionsExt;
        let program = self.command("fake-claude").get_program().to_owned();
        let (path, copy) = (self.root().join("copying-claude"), self.root().join("copy"));
        let script = format!("#!/bin/sh\n'{}' \"$@\" | tee -a '{}'\n", program.to_string_lossy(), copy.display());
        fs::write(&path, script).expect("a script");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("rights");
        self.set("CLAUDE_BIN", path);
        copy
    }

    /// `ccmcp start --json` with this prompt.
    #[track_caller]
    pub(crate) fn start(&self, prompt: &str) -> Run {
        self.ccmcp_with(&["start", "--model", "opus", "--json", "-"], prompt.as_bytes())
    }

    /// `ccmcp send --json` of this message to a session.
    #[track_caller]
    pub(crate) fn send(&self, session: &str, message: &str) -> Run {
        self.ccmcp_with(&["send", session, "--model", "opus", "--json", "-"], message.as_bytes())
    }

    /// Starts a session and gives its id.
    #[track_caller]
    pub(crate) fn session(&self) -> String {
        let run = self.start("hello");
        run.answer()["session_id"].as_str().expect("an id").to_owned()
    }
}
