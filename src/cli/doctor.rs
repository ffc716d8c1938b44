//! `doctor`.

use std::io::{self, BufRead, IsTerminal};

use clap::Args;
use comfy_table::{Cell, CellAlignment, Color, ContentArrangement, Table, presets};
use tokio_util::sync::CancellationToken;

use super::{Terminal, ask::interrupted};
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

/// Runs `ccmcp doctor`.
pub async fn doctor(
    core: &Core,
    args: DoctorArgs,
    terminal: &Terminal,
    stop: &CancellationToken,
) -> Result<ExitStatus> {
    let doctor = core.doctor();
    let mut report = tokio::select! {
        report = doctor.examine() => report,
        () = stop.cancelled() => return Err(interrupted()),
    };
    if !args.json {
        terminal.write(table(&report.checks, *terminal).as_bytes())?;
    }
    if args.live && (args.yes || confirmed(*terminal)?) {
        let check = doctor.live_turn(&args.model, stop).await;
        if !args.json {
            terminal.write(table(std::slice::from_ref(&check), *terminal).as_bytes())?;
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

fn table(checks: &[Check], terminal: Terminal) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    // Styled always: whoever writes it takes the styles out where they are not wanted.
    table.set_width(terminal.width()).enforce_styling();
    for check in checks {
        let (mark, color) = match check.status {
            Status::Ok => ("ok", Color::Green),
            Status::Warn => ("warn", Color::Yellow),
            Status::Fail => ("FAIL", Color::Red),
        };
        let detail = match &check.hint {
            Some(hint) => format!("{}\n→ {hint}", check.detail),
            None => check.detail.clone(),
        };
        let mark = Cell::new(mark).fg(color).set_alignment(CellAlignment::Right);
        table.add_row([mark, Cell::new(check.name), Cell::new(super::clean::printable(&detail))]);
    }
    format!("{}\n", table.trim_fmt())
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
