//! The sealed box that a test runs in: nothing of the machine's own gets in, nothing that the test starts stays.

use std::{
    env,
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    process::Command,
    thread,
    time::Duration,
};

use tempfile::TempDir;

use super::{
    fake::{Fake, Script, Step},
    processes,
    wait::{LIMIT, wait_for},
};

/// How long what a test started may outlive the test: the contract's containment, and some air for a busy machine.
const GRACE: Duration = Duration::from_secs(5);

/// Private folders and a cleared environment.
///
/// Dropping it checks that no process of the test is left: one is ended and fails the test.
#[derive(Debug)]
pub(crate) struct Sandbox {
    folder: TempDir,
    root: PathBuf,
    environment: Vec<(OsString, OsString)>,
}

impl Sandbox {
    /// A new box, with the scripted Claude (a healthy one) as its CLI.
    pub(crate) fn new() -> Self {
        let folder = tempfile::Builder::new().prefix("ccmcp-").tempdir().expect("a temporary folder");
        let root = dunce::canonicalize(folder.path()).expect("the temporary folder's real path");
        let mut sandbox = Self { folder, root, environment: Vec::new() };
        for part in ["home", "config", "run", "state", "cache", "tmp", "work", "bin"] {
            fs::create_dir(sandbox.root.join(part)).expect("a folder in the sandbox");
        }
        private(&sandbox.root.join("run"));
        for (name, part) in [
            ("HOME", "home"),
            ("USERPROFILE", "home"),
            ("LOCALAPPDATA", "state"),
            ("APPDATA", "state"),
            ("CLAUDE_CONFIG_DIR", "config"),
            ("XDG_RUNTIME_DIR", "run"),
            ("XDG_STATE_HOME", "state"),
            ("XDG_CONFIG_HOME", "home/.config"),
            ("XDG_CACHE_HOME", "cache"),
            ("TMPDIR", "tmp"),
            ("TMP", "tmp"),
            ("TEMP", "tmp"),
        ] {
            let value = sandbox.root.join(part);
            sandbox.set(name, value);
        }
        let mut path = vec![sandbox.root.join("bin")];
        path.extend(
            ["/usr/bin", "/bin", "/usr/sbin", "/sbin"].map(PathBuf::from).into_iter().filter(|part| part.is_dir()),
        );
        if let Some(system) = env::var_os("SystemRoot") {
            path.push(Path::new(&system).join("System32"));
            sandbox.set("SystemRoot", system);
        }
        sandbox.set("PATH", env::join_paths(path).expect("a search path"));
        sandbox.set("LANG", "C.UTF-8");
        sandbox.set("TZ", "UTC");
        sandbox.set("CLAUDE_BIN", fake_claude());
        sandbox
    }

    /// Sets a variable for the commands made from here on.
    pub(crate) fn set(&mut self, name: &str, value: impl Into<OsString>) {
        self.unset(name);
        self.environment.push((name.into(), value.into()));
    }

    /// Takes a variable away for the commands made from here on.
    pub(crate) fn unset(&mut self, name: &str) {
        self.environment.retain(|(known, _)| known != name);
    }

    /// The box itself.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// The home directory.
    pub(crate) fn home(&self) -> PathBuf {
        self.root.join("home")
    }

    /// Claude's own folder (`CLAUDE_CONFIG_DIR`).
    pub(crate) fn config_dir(&self) -> PathBuf {
        self.root.join("config")
    }

    /// ccmcp's default state directory.
    pub(crate) fn state_dir(&self) -> PathBuf {
        if cfg!(target_os = "macos") {
            self.home().join("Library").join("Application Support").join("ccmcp")
        } else {
            self.home().join(".local").join("state").join("ccmcp")
        }
    }

    /// The directory to work in.
    pub(crate) fn workspace(&self) -> PathBuf {
        self.root.join("work")
    }

    /// A command that has the box's environment only and starts in the workspace: `ccmcp`, `fake-claude`, or any
    /// other program by its path or name.
    pub(crate) fn command(&self, program: &str) -> Command {
        let mut command = match program {
            "ccmcp" => Command::new(env!("CARGO_BIN_EXE_ccmcp")),
            "fake-claude" => Command::new(fake_claude()),
            other => Command::new(other),
        };
        command.env_clear().envs(self.environment.iter().map(|(name, value)| (name, value)));
        command.current_dir(self.workspace());
        command
    }

    /// Scripts the Claude of the commands made from here on.
    pub(crate) fn script(&mut self, script: &Script) -> Fake {
        let number = fs::read_dir(&self.root).map_or(0, Iterator::count);
        let path = self.root.join(format!("script-{number}.json"));
        fs::write(&path, serde_json::to_vec_pretty(script).expect("a script as JSON")).expect("the script's file");
        self.set("FAKE_CLAUDE_SCRIPT", &path);
        Fake::new(path.with_extension("d"))
    }

    /// A gate of this name, closed at first.
    pub(crate) fn gate(&self, name: &str) -> Gate {
        Gate(self.root.join(format!("gate-{name}")))
    }

    /// A flag of this name, not yet raised.
    pub(crate) fn flag(&self, name: &str) -> Flag {
        Flag(self.root.join(format!("flag-{name}")))
    }

    /// The lines of a session's transcript, parsed; empty when there is none.
    pub(crate) fn transcript(&self, session: &str) -> Vec<serde_json::Value> {
        let name = format!("{session}.jsonl");
        let folders = fs::read_dir(self.config_dir().join("projects")).into_iter().flatten().flatten();
        let text = folders.map(|folder| folder.path().join(&name)).find_map(|path| fs::read_to_string(path).ok());
        text.unwrap_or_default().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        let until = std::time::Instant::now() + GRACE;
        let mut left = processes::belonging_to(&self.root);
        while !left.is_empty() && std::time::Instant::now() < until && !thread::panicking() {
            thread::sleep(Duration::from_millis(10));
            left = processes::belonging_to(&self.root);
        }
        for (process, _) in &left {
            processes::kill(process);
        }
        if !thread::panicking() {
            let names: Vec<_> = left.iter().map(|(process, command)| format!("{} {command}", process.pid)).collect();
            assert!(left.is_empty(), "left behind by the test (ended now):\n{}", names.join("\n"));
        }
        // Where processes were ended just now, files may still come and go: not this test's fault.
        let _ = fs::remove_dir_all(self.folder.path());
    }
}

/// Makes a folder the owner's alone, as a runtime directory has to be.
fn private(path: &Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(path, fs::Permissions::from_mode(0o700)).expect("a private folder");
    }
    #[cfg(not(unix))]
    let _ = path;
}

/// The scripted Claude: beside the test executable, under `examples/`.
fn fake_claude() -> PathBuf {
    let test = env::current_exe().expect("the test executable's path");
    let folder = test.parent().and_then(Path::parent).expect("the build's folder");
    let path = folder.join("examples").join(format!("fake-claude{}", env::consts::EXE_SUFFIX));
    assert!(
        path.is_file(),
        "no scripted Claude at {}: build it with `cargo build --example fake-claude`",
        path.display()
    );
    path
}

/// A file under `tests/fixtures`.
pub(crate) fn fixture(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join("fixtures").join(path)
}

/// Something that a script waits for until the test opens it.
#[derive(Clone, Debug)]
pub(crate) struct Gate(PathBuf);

impl Gate {
    /// The step that waits here.
    pub(crate) fn step(&self) -> Step {
        Step::Gate { path: self.0.clone() }
    }

    /// Lets everyone through from now on.
    pub(crate) fn open(&self) {
        fs::write(&self.0, "").expect("the gate's file");
    }
}

/// Something that a script raises and the test waits for.
#[derive(Clone, Debug)]
pub(crate) struct Flag(PathBuf);

impl Flag {
    /// The step that raises it.
    pub(crate) fn step(&self) -> Step {
        Step::Touch { path: self.0.clone() }
    }

    /// Waits until it is up.
    #[track_caller]
    pub(crate) fn wait(&self) {
        wait_for(LIMIT, &format!("{} is raised", self.0.display()), || self.is_up());
    }

    /// Whether it is up.
    pub(crate) fn is_up(&self) -> bool {
        self.0.exists()
    }
}
