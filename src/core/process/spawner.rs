//! Starting a program: a supervisor first, then its lock, then the program.

use std::{io, path::Path, path::PathBuf, process::Stdio, sync::Arc, time::Duration};

use tokio::time::{Instant, timeout};

use super::{
    child::Child,
    control::{Command, Report},
    error::SpawnError,
    identity::Identity,
    launch::{Launch, Limits, Stdin},
    lifeline::{Lifeline, Told},
    pipes::{Errors, Input},
    platform,
    supervisor::Args,
    timers::Timers,
};
use crate::core::ids::ChildId;

/// How long the system may take from "go" to a running program. Only a machine in great trouble needs more than
/// milliseconds.
const START_LIMIT: Duration = Duration::from_mins(1);

/// Starts programs, each under a supervisor of its own. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Spawner {
    executable: Arc<Path>,
    owner: Identity,
}

impl Spawner {
    /// `own_exe` is the `ccmcp` executable, which is also the supervisor: on Linux best `/proc/self/exe`, which stays
    /// the same program when the file is replaced by an update. An error when this process cannot tell its own start.
    pub fn new(own_exe: PathBuf) -> io::Result<Self> {
        Ok(Self { executable: own_exe.into(), owner: Identity::own()? })
    }

    /// This process, as the owner of what it starts.
    pub fn owner(&self) -> &Identity {
        &self.owner
    }

    /// Starts a supervisor for `launch`, which sets about taking the lock. The program itself is not started before
    /// [`Held::go`].
    ///
    /// Has to be called within a Tokio runtime with I/O and time enabled.
    #[expect(clippy::unused_async, reason = "starting a process may become asynchronous; it needs a runtime anyway")]
    pub async fn spawn(&self, launch: Launch) -> Result<Held, SpawnError> {
        let id = ChildId::new();
        let Launch { program, args, cwd, env, stdin, lock, limits } = launch;
        let mut args = Args {
            child: id,
            owner: self.owner.clone(),
            cwd: cwd.clone(),
            lock: lock.clone(),
            control: None,
            program: program.clone().into(),
            arguments: args,
        };
        let command = |control| {
            args.control = control;
            #[expect(clippy::disallowed_methods, reason = "core/process is the only place that starts a process")]
            let mut command = tokio::process::Command::new(&*self.executable);
            command.args(args.to_arguments()).env_clear().envs(env);
            command.stdin(if matches!(stdin, Stdin::Null) { Stdio::null() } else { Stdio::piped() });
            command.stdout(Stdio::piped()).stderr(Stdio::piped());
            command
        };
        let (mut process, channel) = match platform::launch(command) {
            Ok(started) => started,
            // These are about what the caller wants to hand to the program.
            Err(source)
                if matches!(source.kind(), io::ErrorKind::ArgumentListTooLong | io::ErrorKind::InvalidInput) =>
            {
                return Err(SpawnError::Refused { program, source });
            }
            Err(source) => return Err(SpawnError::Supervisor { source }),
        };
        let streams = (process.stdin.take(), process.stdout.take(), process.stderr.take());
        let lifeline = Lifeline::new(id, process, channel).map_err(|source| SpawnError::Supervisor { source })?;
        Ok(Held { lifeline, streams, program, cwd, stdin, lock, limits, locked: false })
    }
}

/// A program that has not been started: its supervisor is waiting for the lock, or for [`Self::go`]. Dropping it gives
/// up: the wait ends, the lock is free, nothing was started.
#[derive(Debug)]
pub struct Held {
    lifeline: Lifeline,
    streams:
        (Option<tokio::process::ChildStdin>, Option<tokio::process::ChildStdout>, Option<tokio::process::ChildStderr>),
    program: PathBuf,
    cwd: PathBuf,
    stdin: Stdin,
    lock: Option<PathBuf>,
    limits: Limits,
    locked: bool,
}

impl Held {
    /// The tree that this will be.
    pub fn id(&self) -> ChildId {
        self.lifeline.id()
    }

    /// The supervisor.
    pub fn supervisor(&self) -> &Identity {
        self.lifeline.identity()
    }

    /// Waits, however long it takes, until the lock is taken; at once when there is none to take. Cancel-safe: a caller
    /// can look at it for a moment to find out whether there is a wait at all.
    pub async fn locked(&mut self) -> Result<(), SpawnError> {
        while !self.locked && self.lock.is_some() {
            if self.report().await? == Report::Locked {
                self.locked = true;
            }
        }
        Ok(())
    }

    /// Takes the lock if that is still to be done, then starts the program. Dropping the future kills what it started.
    pub async fn go(mut self) -> Result<Child, SpawnError> {
        self.locked().await?;
        self.lifeline.send(Command::Go);
        let started = async {
            loop {
                if let Report::Started { pid, start } = self.report().await? {
                    return Ok(Identity::from_start(pid, start));
                }
            }
        };
        let slow = |_| SpawnError::Supervisor { source: io::ErrorKind::TimedOut.into() };
        let program = timeout(START_LIMIT, started).await.map_err(slow)??;

        let timers = Timers::new(self.limits, Instant::now());
        let (stdin, stdout, stderr) = self.streams;
        let missing = || SpawnError::Supervisor { source: io::Error::other("a standard stream is missing") };
        let errors = Errors::drain(stderr.ok_or_else(missing)?, timers.activity().clone());
        let input = match (self.stdin, stdin) {
            (Stdin::Null, _) => Input::closed(),
            (Stdin::Bytes(bytes), Some(stdin)) => {
                let mut input = Input::open(stdin, bytes);
                input.close();
                input
            }
            (Stdin::Open, Some(stdin)) => Input::open(stdin, Vec::new()),
            (Stdin::Bytes(_) | Stdin::Open, None) => return Err(missing()),
        };
        Ok(Child::new(program, self.lifeline, stdout.ok_or_else(missing)?, errors, input, timers))
    }

    /// The next report that is not about a failure.
    async fn report(&mut self) -> Result<Report, SpawnError> {
        match self.lifeline.next().await {
            Told::Report(Report::Failed { stage, errno }) => {
                Err(SpawnError::reported(stage, errno, self.program.clone(), self.cwd.clone(), self.lock.clone()))
            }
            Told::Report(report) => Ok(report),
            Told::Over { .. } => Err(SpawnError::vanished()),
        }
    }
}
