//! The application: environment → configuration → core; signals; which face; exit code.

use std::{
    fs::OpenOptions,
    path::{Path, PathBuf},
    process::ExitCode,
    time::Duration,
};

use anyhow::Context;
use tokio_util::sync::CancellationToken;
use tracing_subscriber::{EnvFilter, fmt::MakeWriter};

use crate::{
    cli::{self, Cli, Command, GlobalArgs, ServeArgs, Terminal},
    core::{
        Core,
        agents::Role,
        config::{Diagnostics, Environment, Places, Settings},
        error::{Error, ErrorCode, ExitStatus, Result},
        process,
    },
    mcp,
};

/// What is left after a command has ended may take this long before it is dropped. Dropping a child ends its tree.
const SHUTDOWN: Duration = Duration::from_millis(100);

/// Runs `ccmcp` as the command line and the environment say.
pub fn main() -> ExitCode {
    // Before anything else: a supervisor is a process of one thread that shares nothing with the rest of this program.
    if let Some(code) = process::supervise_if_asked() {
        return code;
    }
    let environment = environment();
    let arguments: Vec<_> = std::env::args_os().collect();
    let asked = cli::complete(&arguments, &environment, working_dir().as_deref(), || looking(environment.clone()));
    if let Some(status) = asked {
        return exit(status);
    }
    let cli = match cli::parse(&arguments, &environment) {
        Ok(cli) => cli,
        Err(unparsed) => return exit(unparsed.show()),
    };
    match start(cli, environment) {
        Ok(status) => exit(status),
        Err(error) => exit(Terminal::plain().fail(&Error::internal("starting", format!("{error:#}")))),
    }
}

fn exit(status: ExitStatus) -> ExitCode {
    ExitCode::from(status as u8)
}

/// The one place that reads the environment.
#[expect(clippy::disallowed_methods, reason = "this is the snapshot that everybody else gets")]
fn environment() -> Environment {
    std::env::vars_os().collect()
}

/// A core for looking at what there is, with the settings that the environment has. None where those are wrong.
fn looking(environment: Environment) -> Option<Core> {
    let cli = cli::parse(&["ccmcp", "sessions"].map(Into::into), &environment).ok()?;
    Core::new(settings(&cli.global, environment).ok()?, role(&cli.command)).ok()
}

/// Builds the core and runs the command on a runtime of its own: with `#[tokio::main]`, a pending read of standard
/// input would keep the process alive after its end.
fn start(cli: Cli, environment: Environment) -> anyhow::Result<ExitStatus> {
    let terminal = Terminal::new(cli.command.wants_json());
    if let Err(error) = log(&cli.global) {
        return Ok(terminal.fail(&error));
    }
    let core = match settings(&cli.global, environment).and_then(|settings| Core::new(settings, role(&cli.command))) {
        Ok(core) => core,
        Err(error) => return Ok(terminal.fail(&error)),
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().context("starting the runtime")?;
    let status = runtime.block_on(run(cli.command, core, &terminal));
    runtime.shutdown_timeout(SHUTDOWN);
    Ok(status)
}

async fn run(command: Command, core: Core, terminal: &Terminal) -> ExitStatus {
    let (stop, at_once) = (CancellationToken::new(), CancellationToken::new());
    tokio::spawn(watch_signals(stop.clone(), at_once.clone()));
    // A client signals its server again and again: that must not cut its end short, which is bounded anyway.
    let serves = matches!(command, Command::Serve(_));
    let done = async {
        match command {
            Command::Serve(args) => {
                cli::explain_waiting(terminal);
                Box::pin(mcp::serve(core, served(args), stop.clone())).await.map(|()| ExitStatus::Ok)
            }
            Command::Start(args) => cli::start(&core, args, terminal, &stop).await,
            Command::Send(args) => cli::send(&core, args, terminal, &stop).await,
            Command::Sessions(args) => cli::sessions(&core, args, terminal, &stop).await,
            Command::Search(args) => cli::search(&core, args, terminal, &stop).await,
            Command::Tree(args) => cli::tree(&core, args, terminal, &stop).await,
            Command::Agents(args) => cli::agents(&core, args, terminal, &stop).await,
            Command::Config(args) => cli::config(&core, args, terminal),
            Command::Doctor(args) => cli::doctor(&core, args, terminal, &stop).await,
        }
    };
    let done = tokio::select! {
        done = done => done,
        () = at_once.cancelled(), if !serves => Err(interrupted_twice()),
    };
    done.unwrap_or_else(|error| terminal.fail(&error))
}

fn interrupted_twice() -> Error {
    Error::new(ErrorCode::Cancelled, "Interrupted twice: stopped at once.")
        .hint("What it had started is ended all the same. Run it again, or see `ccmcp doctor` if something is left.")
}

/// What `serve` is to offer.
fn served(args: ServeArgs) -> mcp::Options {
    mcp::Options {
        sets: Some(args.tools).filter(|sets| !sets.is_empty()),
        allow_inside_claude_code: args.allow_inside_claude_code,
    }
}

/// Only a server runs agents.
fn role(command: &Command) -> Role {
    match command {
        Command::Serve(_) => Role::Server,
        _ => Role::Visitor,
    }
}

/// The first signal asks for an orderly end, the second for one at once.
async fn watch_signals(stop: CancellationToken, at_once: CancellationToken) {
    for token in [stop, at_once] {
        if signal().await.is_err() {
            // Without handlers the system's own apply.
            return;
        }
        token.cancel();
    }
}

#[cfg(unix)]
async fn signal() -> std::io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut hangup = signal(SignalKind::hangup())?;
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
        _ = hangup.recv() => {}
    }
    Ok(())
}

#[cfg(windows)]
async fn signal() -> std::io::Result<()> {
    tokio::signal::ctrl_c().await
}

/// Puts flags, environment and defaults together.
#[expect(clippy::disallowed_methods, reason = "the core is told its own executable from here")]
fn settings(global: &GlobalArgs, environment: Environment) -> Result<Settings> {
    let working_dir = working_dir();
    let executable = std::env::current_exe().map_err(|error| Error::internal("finding the own executable", error))?;
    let home = directories::BaseDirs::new().map(|dirs| dirs.home_dir().to_path_buf());
    let places = Places::find(&environment, home.as_deref(), global.state_dir.as_deref(), working_dir.as_deref())?;
    let absolute = |path: &PathBuf| match (&working_dir, path.components().count()) {
        // A bare name is looked for in PATH.
        (Some(base), count) if count > 1 => base.join(path),
        _ => path.clone(),
    };
    Ok(Settings {
        places,
        executable,
        claude_bin: global.claude_bin.as_ref().map(absolute),
        accept_models: global.accept_model.clone(),
        require_subscription: global.require_subscription,
        limits: global.limits(),
        diagnostics: Diagnostics {
            file: global
                .log_file
                .as_ref()
                .map(|path| working_dir.as_ref().map_or(path.clone(), |base| base.join(path))),
            level: global.log_level,
        },
        working_dir,
        environment,
    })
}

#[expect(clippy::disallowed_methods, reason = "the core is told its directory from here")]
fn working_dir() -> Option<PathBuf> {
    std::env::current_dir().ok()
}

/// Diagnostics go to standard error, or to a file: standard output carries answers, and clients hide standard error.
fn log(global: &GlobalArgs) -> Result<()> {
    match &global.log_file {
        None => subscribe(global.log_level, std::io::stderr),
        Some(path) => {
            let file =
                OpenOptions::new().create(true).append(true).open(path).map_err(|error| unusable_log(path, &error))?;
            subscribe(global.log_level, std::sync::Mutex::new(file));
        }
    }
    Ok(())
}

fn subscribe(level: tracing::Level, writer: impl for<'a> MakeWriter<'a> + Send + Sync + 'static) {
    // rmcp logs whole requests, and with them prompts.
    let filter = EnvFilter::new(format!("{level},rmcp=warn"));
    tracing_subscriber::fmt().with_env_filter(filter).with_ansi(false).with_target(false).with_writer(writer).init();
}

fn unusable_log(path: &Path, error: &std::io::Error) -> Error {
    Error::new(ErrorCode::SettingInvalid, format!("The log file {} cannot be opened: {error}.", path.display()))
        .hint("Name a file in a directory that exists with --log-file (CCMCP_LOG_FILE).")
        .details(|details| details.field = Some("--log-file".to_owned()))
}
