//! `sessions`: past sessions and projects as tables.

use std::path::Path;

use clap::Args;
use tokio_util::sync::CancellationToken;

use super::{
    Terminal,
    ask::ask,
    columns::{cut, cut_start},
    dates::{self, DateArgs, Dates},
    resume::{labelled, resume},
    table::{GAP, Rows},
};
use crate::core::{
    Core,
    clock::Timestamp,
    error::{ExitStatus, Result},
    history::{ListProjects, ListSessions, ProjectsPage, Relation, Session, Sessions},
};

/// From this width on, ids are shown whole.
const WIDE: usize = 100;
/// From this width on, there is room for the directory.
const MEDIUM: usize = 80;
/// How much room a title needs before anything else gets more.
const TITLE: usize = 26;
/// With less room than this a directory says nothing.
const DIRECTORY: usize = 12;

/// List past sessions, newest first
///
/// PROJECT is a directory, the name of its folder among the transcripts, or a unique part of either; without it the
/// sessions of all directories are listed. Nothing is changed, and no Claude is needed.
#[derive(Args, Clone, Debug)]
#[command(after_long_help = "\
Examples:
  ccmcp sessions                    the newest 20
  ccmcp sessions . --since 7d       this directory, the last week
  ccmcp sessions --projects         the directories
  ccmcp sessions --json | jq -r '.sessions[].session_id'")]
pub struct SessionsArgs {
    /// Only this directory: `.`, a path or part of one
    pub project: Option<String>,

    /// List the directories instead
    #[arg(long, conflicts_with_all = ["project", "since", "until", "include_empty"])]
    pub projects: bool,

    /// List at most this many [default: 20, with --projects 50]
    #[arg(long, short = 'n', value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub limit: Option<u16>,

    /// Pass over this many
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub offset: usize,

    /// Only sessions active since then: a date, a time, or an age such as 7d
    #[arg(long, value_name = "WHEN", value_parser = dates::parse)]
    pub since: Option<Timestamp>,

    /// Only sessions begun until then
    #[arg(long, value_name = "WHEN", value_parser = dates::parse)]
    pub until: Option<Timestamp>,

    /// Also sessions without any message
    #[arg(long)]
    pub include_empty: bool,

    /// Print what the MCP tool answers, as JSON
    #[arg(long)]
    pub json: bool,

    /// How dates are shown
    #[command(flatten)]
    pub dates: DateArgs,
}

/// Runs `ccmcp sessions`.
pub async fn sessions(
    core: &Core,
    args: SessionsArgs,
    terminal: &Terminal,
    stop: &CancellationToken,
) -> Result<ExitStatus> {
    let (limit, offset) = (args.limit.map(usize::from), args.offset);
    if args.projects {
        let asked = ListProjects { limit, offset };
        let page = ask(core, *terminal, stop, move |history| history.list_projects(&asked)).await?;
        if args.json {
            terminal.write_json(&page)?;
        } else {
            show_projects(core, &args, *terminal, &page)?;
        }
        return Ok(ExitStatus::Ok);
    }
    let asked = ListSessions {
        project: args.project.as_deref().map(|project| directory(core, project)),
        limit,
        offset,
        since: args.since,
        until: args.until,
        include_empty: args.include_empty,
    };
    let page = ask(core, *terminal, stop, move |history| history.list_sessions(&asked)).await?;
    if args.json {
        terminal.write_json(&page)?;
    } else {
        show_sessions(core, &args, *terminal, &page)?;
    }
    Ok(ExitStatus::Ok)
}

/// `.` and paths from here mean directories; anything else is compared as it is.
pub(super) fn directory(core: &Core, project: &str) -> String {
    let relative = project == "." || project == ".." || project.starts_with("./") || project.starts_with("../");
    match &core.settings().working_dir {
        Some(here) if relative => {
            let path = here.join(project);
            dunce::canonicalize(&path).unwrap_or(path).to_string_lossy().into_owned()
        }
        _ => project.to_owned(),
    }
}

/// A directory as it is shown: the home directory is `~`.
pub(super) fn shown_directory(core: &Core, cwd: Option<&str>, project: &str) -> String {
    let Some(cwd) = cwd else { return project.to_owned() };
    match Path::new(cwd).strip_prefix(&core.settings().places.home) {
        Ok(rest) if rest.as_os_str().is_empty() => "~".to_owned(),
        Ok(rest) => format!("~{}{}", std::path::MAIN_SEPARATOR, rest.display()),
        Err(_) => cwd.to_owned(),
    }
}

fn show_sessions(core: &Core, args: &SessionsArgs, terminal: Terminal, page: &Sessions) -> Result<()> {
    if page.sessions.is_empty() {
        remark_unreadable(terminal, page);
        terminal.remark(if page.total == 0 { "No sessions." } else { "No more sessions." });
        return Ok(());
    }
    let columns = usize::from(terminal.width());
    let dates = args.dates.dates();
    terminal.write(table(core, &page.sessions, &dates, columns).as_bytes())?;
    remark_unreadable(terminal, page);
    terminal.remark(&shown(page.sessions.len(), args.offset, page.total, "session", page.next_offset));
    if let Some(first) = page.sessions.first() {
        const LABEL: &str = "go on with the first: ";
        let here = core.settings().working_dir.as_deref();
        let lines = resume(first.session_id, first.cwd.as_deref(), here, columns.saturating_sub(LABEL.len()));
        for line in labelled(LABEL, &lines, columns) {
            terminal.remark(&line);
        }
    }
    Ok(())
}

fn remark_unreadable(terminal: Terminal, page: &Sessions) {
    for file in &page.unreadable {
        terminal.remark(&format!("cannot be read: {file}"));
    }
}

fn table(core: &Core, sessions: &[Session], dates: &Dates, columns: usize) -> String {
    let wide = columns >= WIDE;
    let id = |session: &Session| {
        let id = session.session_id.to_string();
        if wide { id } else { id.chars().take(8).collect() }
    };
    let mut rows = Rows::new(columns);
    rows.column("SESSION", sessions.iter().map(id)).bold();
    rows.column("LAST", sessions.iter().map(|session| dates.show(session.last_timestamp)));
    let count = |session: &Session| session.message_count.to_string();
    rows.column("MSGS", sessions.iter().map(count)).right();
    if sessions.iter().any(|session| !notes(session).is_empty()) && columns >= MEDIUM {
        rows.column("NOTES", sessions.iter().map(notes)).dim();
    }
    let room = rows.room().saturating_sub(TITLE + GAP).min(columns / 4);
    if columns >= MEDIUM && room >= DIRECTORY {
        let shown = |session: &Session| shown_directory(core, session.cwd.as_deref(), &session.project);
        rows.column("DIRECTORY", sessions.iter().map(|session| cut_start(&shown(session), room))).dim();
    }
    let room = rows.room();
    let title = |session: &Session| cut(session.title.as_deref().unwrap_or("(no prompt)"), room);
    rows.column("TITLE", sessions.iter().map(title));
    rows.to_string()
}

fn notes(session: &Session) -> String {
    let mut notes = Vec::new();
    notes.extend(session.fork_count.map(|forks| count(forks, "fork")));
    notes.extend((session.subagent_count > 0).then(|| count(session.subagent_count, "agent")));
    let copy = session.lineage.iter().any(|relative| relative.relation == Relation::Origin);
    notes.extend(copy.then(|| "copy".to_owned()));
    notes.join(", ")
}

fn show_projects(core: &Core, args: &SessionsArgs, terminal: Terminal, page: &ProjectsPage) -> Result<()> {
    if page.projects.is_empty() {
        terminal.remark(if page.total == 0 { "No projects." } else { "No more projects." });
        return Ok(());
    }
    let dates = args.dates.dates();
    let projects = &page.projects;
    let columns = usize::from(terminal.width());
    let mut rows = Rows::new(columns);
    rows.column("LAST", projects.iter().map(|project| dates.show(project.last_activity)));
    rows.column("SESSIONS", projects.iter().map(|project| project.session_count.to_string())).right();
    if columns >= MEDIUM {
        rows.column("AGENTS", projects.iter().map(|project| project.subagent_count.to_string())).right();
        rows.column("SIZE", projects.iter().map(|project| size(project.total_size_bytes))).right();
    }
    let room = rows.room();
    let directories = projects.iter().map(|project| shown_directory(core, project.cwd.as_deref(), &project.slug));
    rows.column("DIRECTORY", directories.map(|directory| cut_start(&directory, room))).bold();
    terminal.write(rows.to_string().as_bytes())?;
    let what = shown(projects.len(), args.offset, page.total, "project", page.next_offset);
    let all = format!("{} and {} in all", count(page.total_sessions, "session"), size(page.total_size_bytes));
    terminal.remark(&format!("{what}; {all}"));
    Ok(())
}

/// `3 of 12 sessions; the next ones: --offset 3`.
fn shown(shown: usize, offset: usize, total: usize, noun: &str, next: Option<usize>) -> String {
    let of = if shown == total {
        count(total, noun)
    } else {
        format!("{}–{} of {}", offset + 1, offset + shown, count(total, noun))
    };
    next.map_or_else(|| of.clone(), |next| format!("{of}; more: --offset {next}"))
}

/// `1 fork`, `2 forks`.
pub(super) fn count(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

fn size(bytes: u64) -> String {
    indicatif::BinaryBytes(bytes).to_string()
}
