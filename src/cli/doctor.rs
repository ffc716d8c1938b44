//! `doctor`.

use std::io::{self, BufRead, IsTerminal};

use clap::Args;
use tokio_util::sync::CancellationToken;

use super::{
    Terminal,
    ask::interrupted,
    clean::printable,
    columns::{width, wrap},
    style::{ERROR, OK, WARN, paint},
};
use crate::core::{
    Core,
    doctor::{Check, Report, Status},
    error::{Error, ErrorCode, ExitStatus, Result},
};

/// Check that everything works, and say what to do where it does not
///
/// Nothing is changed, and nothing is sent anywhere without --live. Exit status 0 when nothing fails, 1 otherwise.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  ccmcp doctor
  ccmcp doctor --json | jq '.checks[] | select(.status != \"ok\")'
  ccmcp doctor --live --yes --model haiku      one real turn, which costs a little")]
pub struct DoctorArgs {
    /// Print the checks as one JSON object
    #[arg(long)]
    pub json: bool,

    /// Also run one real turn, after asking
    #[arg(long)]
    pub live: bool,

    /// Don't ask before the real turn
    #[arg(long, requires = "live")]
    pub yes: bool,

    /// Use this model for the real turn
    #[arg(long, requires = "live", default_value = "haiku", value_name = "MODEL")]
    pub model: String,
}

/// From this width on, what was found stands beside the names.
const WIDE: usize = 80;

/// Runs `ccmcp doctor`.
pub async fn doctor(
    core: &Core,
    args: DoctorArgs,
    terminal: &Terminal,
    stop: &CancellationToken,
) -> Result<ExitStatus> {
    let (doctor, columns) = (core.doctor(), usize::from(terminal.width()));
    let mut report = tokio::select! {
        report = doctor.examine() => report,
        () = stop.cancelled() => return Err(interrupted()),
    };
    if !args.json {
        terminal.write(table(&report.checks, columns).as_bytes())?;
    }
    if args.live && (args.yes || confirmed(*terminal)?) {
        let check = doctor.live_turn(&args.model, stop).await;
        if !args.json {
            terminal.write(table(std::slice::from_ref(&check), columns).as_bytes())?;
        }
        report.add(check);
    }
    if args.json {
        terminal.write_json(&report)?;
    } else {
        terminal.remark(&summary(&report));
    }
    Ok(if report.ok { ExitStatus::Ok } else { ExitStatus::Failed })
}

/// Asks whether a turn may be run. Without somebody to ask, that is an error.
fn confirmed(terminal: Terminal) -> Result<bool> {
    if !io::stdin().is_terminal() {
        return Err(Error::new(
            ErrorCode::SettingInvalid,
            "`--live` asks before it runs a real turn, and there is nobody to ask.",
        )
        .hint("Pass `--yes` if the turn may be run."));
    }
    terminal.say("This runs one real turn, which costs a little. Go on? [y/N]");
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer).map_err(|error| Error::internal("reading the answer", error))?;
    Ok(["y", "yes"].contains(&answer.trim().to_lowercase().as_str()))
}

/// The widest name of a check, and what stands before it and after it.
const NAME: usize = 26;
const MARK: usize = 6;

/// The checks, each with what was found beside its name, or below it where there is little room.
fn table(checks: &[Check], columns: usize) -> String {
    let mut text = String::new();
    for check in checks {
        let (mark, style) = match check.status {
            Status::Ok => (" ok", OK),
            Status::Warn => ("warn", WARN),
            Status::Fail => ("FAIL", ERROR),
        };
        let gap = " ".repeat(MARK.saturating_sub(mark.len()));
        let mut told = vec![printable(&check.detail).into_owned()];
        told.extend(check.hint.as_deref().map(|hint| format!("→ {}", printable(hint))));
        let beside = columns >= WIDE || told.iter().all(|part| MARK + NAME + 1 + width(part) <= columns);
        let indent = if beside { MARK + NAME + 1 } else { MARK };
        let mut lines = Vec::new();
        for line in told.iter().flat_map(|part| wrap(part, columns.saturating_sub(indent), |_| false)) {
            lines.push(line.into_iter().map(|piece| piece.text).collect::<String>());
        }
        let first = if beside && !lines.is_empty() { lines.remove(0) } else { String::new() };
        let head = format!("{}{gap}{:<NAME$} {first}", paint(style, mark), check.name);
        for line in std::iter::once(head).chain(lines.into_iter().map(|line| format!("{}{line}", " ".repeat(indent)))) {
            text.push_str(line.trim_end());
            text.push('\n');
        }
    }
    text
}

fn summary(report: &Report) -> String {
    let count = |status: Status| report.checks.iter().filter(|check| check.status == status).count();
    let (failed, warned) = (count(Status::Fail), count(Status::Warn));
    match (failed, warned) {
        (0, 0) => "All is well.".to_owned(),
        (0, warned) => format!("Nothing fails; {warned} to know about."),
        (failed, _) => format!("{failed} of {} checks failed.", report.checks.len()),
    }
}
