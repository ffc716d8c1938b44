//! A supervisor's life, step by step.

use std::{io, process::ExitCode};

use super::{
    args::{Args, SUPERVISE},
    lock,
};
use crate::core::process::{
    control::{Command, Exit, Report, Stage},
    identity::Identity,
    marker::{self, Marker},
    platform::{Cleared, Notice, Seat, Signal},
    sweep,
};

/// Runs as a supervisor if that is what this process was started for; the caller exits with the code.
///
/// Has to come first in `main`, before any thread is started: the program's parent-death signal follows the thread that
/// starts it.
pub fn supervise_if_asked() -> Option<ExitCode> {
    let mut line = std::env::args_os().skip(1);
    if line.next()? != SUPERVISE {
        return None;
    }
    // Whoever types this by hand gets no more than a status.
    let Some(args) = Args::parse(line) else { return Some(ExitCode::from(2)) };
    let Ok(mut seat) = Seat::take(args.control.as_deref()) else { return Some(ExitCode::from(2)) };
    Some(match supervise(&args, &mut seat) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure { stage, error }) => {
            seat.report(Report::failed(stage, &error));
            ExitCode::FAILURE
        }
    })
}

/// What went wrong, and when.
struct Failure {
    stage: Stage,
    error: io::Error,
}

/// Names the stage of an error.
fn at(stage: Stage) -> impl FnOnce(io::Error) -> Failure {
    move |error| Failure { stage, error }
}

/// From the lock to the end of the tree. Returns early when the server gives up before the program was started.
fn supervise(args: &Args, seat: &mut Seat) -> Result<(), Failure> {
    // Held until this process has ended, which is after the tree has.
    let _lock = match &args.lock {
        None => None,
        Some(path) => match lock::take(path, seat).map_err(at(Stage::Lock))? {
            None => return Ok(()),
            held => held,
        },
    };
    seat.report(Report::Locked);
    loop {
        match seat.wait(None).map_err(at(Stage::Setup))? {
            Notice::Command(Command::Go) => break,
            Notice::Command(_) | Notice::Closed => return Ok(()),
            Notice::Exited(_) | Notice::Elapsed => {}
        }
    }

    std::env::set_current_dir(&args.cwd).map_err(at(Stage::Cwd))?;
    let (pid, start) = seat.start(program(args).map_err(at(Stage::Setup))?).map_err(at(Stage::Start))?;
    seat.report(Report::Started { pid, start });
    // Our own working directory would keep a removed directory, or a file system, busy.
    let _stays = std::env::set_current_dir(std::path::Path::new(std::path::MAIN_SEPARATOR_STR));

    // Whatever happens to us from here on, the tree has to be ended before we go.
    let exit = watch(seat);
    if let Some(exit) = exit {
        seat.report(Report::Exited(exit));
    }
    let cleared = seat.clear(|| sweep::marked(args.child)).map_err(at(Stage::Setup))?;
    if exit.is_none() {
        seat.report(Report::Exited(cleared.exit.unwrap_or(Exit::Lost)));
    }
    let Cleared { killed, left, .. } = cleared;
    seat.report(Report::Gone { killed, left });
    Ok(())
}

/// Passes signals on until the program ends (`Some`), or is not wanted any more (`None`).
fn watch(seat: &mut Seat) -> Option<Exit> {
    loop {
        match seat.wait(None) {
            Ok(Notice::Exited(exit)) => return Some(exit),
            Ok(Notice::Command(Command::Interrupt)) => seat.signal(Signal::Interrupt),
            Ok(Notice::Command(Command::Terminate)) => seat.signal(Signal::Terminate),
            Ok(Notice::Command(Command::Kill) | Notice::Closed) | Err(_) => return None,
            Ok(Notice::Command(Command::Go) | Notice::Elapsed) => {}
        }
    }
}

/// The program with our own environment, working directory and standard streams, and its mark.
fn program(args: &Args) -> io::Result<std::process::Command> {
    let mark = Marker { child: args.child, owner: args.owner.clone(), supervisor: Identity::own()? };
    #[expect(clippy::disallowed_methods, reason = "this process's environment *is* the program's, mark excepted")]
    let inherited = std::env::var_os(marker::VARIABLE);
    #[expect(clippy::disallowed_methods, reason = "core/process is the only place that starts a process")]
    let mut command = std::process::Command::new(&args.program);
    command
        .args(&args.arguments)
        .env(marker::VARIABLE, mark.extend(inherited.as_deref().and_then(|value| value.to_str())));
    Ok(command)
}
