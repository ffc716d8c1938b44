//! `search`: hits with their surroundings, the matches highlighted.

use std::{sync::Arc, time::Duration};

use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use tokio::{
    task::spawn_blocking,
    time::{Instant, interval_at},
};
use tokio_util::sync::CancellationToken;

use super::{
    Terminal,
    ask::{for_people, interrupted, outcome},
    dates::{self, DateArgs},
    hits::{self, Surroundings},
    sessions::{count, directory},
    status,
};
use crate::core::{
    Core,
    clock::Timestamp,
    error::{ErrorCode, ExitStatus, Result},
    history::{Branch, Current, Mode, Role, Search, SearchPage, Watch, Within},
};

/// A search shorter than this shows no progress.
const PATIENCE: Duration = Duration::from_millis(500);
/// How often the progress is drawn.
const TICK: Duration = Duration::from_millis(100);

/// Search past conversations, newest first
///
/// Case is ignored, and the query is found as it stands: --mode words finds all its words in any order. What tools
/// printed and what the model thought is searched with --in. Exit status 1 when nothing is found.
#[derive(Args, Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
#[command(after_long_help = "\
Examples:
  ccmcp search 'connection pool'
  ccmcp search --mode words 'flaky test linux' --since 30d
  ccmcp search --in tools 'permission denied' -p myproject
  ccmcp search -m regex 'rate.?limit' --json | jq '.hits[].snippet'")]
pub struct SearchArgs {
    /// What to find
    pub query: String,

    /// Find it as text, words or regex
    ///
    /// `words` finds all its words, in any order.
    #[arg(long, short, value_name = "MODE", value_enum, default_value_t = Mode::Text, hide_possible_values = true)]
    pub mode: Mode,

    /// In messages (the default), tools, thinking or all
    ///
    /// `tools` are calls and results.
    #[arg(long = "in", value_name = "TEXTS", value_enum, default_value_t = Within::Messages, hide_possible_values = true, hide_default_value = true)]
    pub within: Within,

    /// Only this directory: `.`, a path or part of one
    // The name of a folder among the transcripts begins with a hyphen.
    #[arg(long, short, value_name = "PROJECT", allow_hyphen_values = true)]
    pub project: Option<String>,

    /// Only this session: an id, its beginning, or `last`
    #[arg(long, alias = "session-id", value_name = "SESSION")]
    pub session: Option<String>,

    /// Only what user, assistant, tool or system wrote
    #[arg(long, value_name = "ROLE", value_enum, hide_possible_values = true)]
    pub role: Option<Role>,

    /// Only the primary branch, or abandoned ones
    #[arg(long, value_name = "BRANCH", value_enum, default_value_t = OnBranch::Any, hide_possible_values = true, hide_default_value = true)]
    pub branch: OnBranch,

    /// Only since then: a date, a time, or an age such as 7d
    #[arg(long, value_name = "WHEN", value_parser = dates::parse)]
    pub since: Option<Timestamp>,

    /// Only until then
    #[arg(long, value_name = "WHEN", value_parser = dates::parse)]
    pub until: Option<Timestamp>,

    /// Tell upper and lower case apart
    #[arg(long, short = 's')]
    pub case_sensitive: bool,

    /// Also search sub-agents' conversations
    #[arg(long)]
    pub include_subagents: bool,

    /// Also search the session that runs this command
    #[arg(long, hide_short_help = true)]
    pub include_current: bool,

    /// Show at most this many hits [1 to 50]
    #[arg(long, short = 'n', value_name = "N", value_parser = clap::value_parser!(u8).range(1..=50), default_value_t = 10)]
    pub max_results: u8,

    /// Pass over this many hits
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true, hide_short_help = true)]
    pub offset: usize,

    /// Go on where a search ran out of time
    #[arg(long, value_name = "CURSOR", hide_short_help = true)]
    pub cursor: Option<String>,

    /// Print what the MCP tool answers, as JSON
    #[arg(long)]
    pub json: bool,

    /// How dates are shown
    #[command(flatten)]
    pub dates: DateArgs,
}

/// Which branches a search looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OnBranch {
    /// All
    Any,
    /// The one that the session goes on with
    Primary,
    /// Those that were left
    Abandoned,
}

impl ValueEnum for Mode {
    fn value_variants<'a>() -> &'a [Self] {
        &[Self::Text, Self::Words, Self::Regex]
    }

    fn to_possible_value(&self) -> Option<clap::builder::PossibleValue> {
        let (name, help) = match self {
            Self::Text => ("text", "As it stands"),
            Self::Words => ("words", "All its words, in any order"),
            Self::Regex => ("regex", "As a regular expression"),
        };
        Some(clap::builder::PossibleValue::new(name).help(help))
    }
}

impl ValueEnum for Within {
    fn value_variants<'a>() -> &'a [Self] {
        &[Self::Messages, Self::Tools, Self::Thinking, Self::All]
    }

    fn to_possible_value(&self) -> Option<clap::builder::PossibleValue> {
        let (name, help) = match self {
            Self::Messages => ("messages", "What was typed and answered"),
            Self::Tools => ("tools", "Tool calls and their results"),
            Self::Thinking => ("thinking", "The model's thinking"),
            Self::All => ("all", "Everything"),
        };
        Some(clap::builder::PossibleValue::new(name).help(help))
    }
}

impl ValueEnum for Role {
    fn value_variants<'a>() -> &'a [Self] {
        &[Self::User, Self::Assistant, Self::Tool, Self::System]
    }

    fn to_possible_value(&self) -> Option<clap::builder::PossibleValue> {
        Some(clap::builder::PossibleValue::new(hits::role(*self)))
    }
}

/// Runs `ccmcp search`.
pub async fn search(
    core: &Core,
    args: SearchArgs,
    terminal: &Terminal,
    stop: &CancellationToken,
) -> Result<ExitStatus> {
    let asked = question(core, &args);
    let found = find(core, asked, *terminal, stop).await;
    let page = found.map_err(|error| for_people(error, *terminal))?;
    if args.json {
        terminal.write_json(&page)?;
    } else {
        show(core, &args, *terminal, &page)?;
    }
    Ok(if page.hits.is_empty() { ExitStatus::Failed } else { ExitStatus::Ok })
}

fn question(core: &Core, args: &SearchArgs) -> Search {
    let running = core.settings().environment.text("CLAUDE_CODE_SESSION_ID").and_then(|id| id.parse().ok());
    Search {
        query: args.query.clone(),
        project: args.project.as_deref().map(|project| directory(core, project)),
        max_results: Some(usize::from(args.max_results)),
        offset: args.offset,
        include_subagents: args.include_subagents,
        mode: args.mode,
        case_sensitive: args.case_sensitive,
        role: args.role,
        branch: match args.branch {
            OnBranch::Any => None,
            OnBranch::Primary => Some(Branch::Primary),
            OnBranch::Abandoned => Some(Branch::Abandoned),
        },
        within: args.within,
        since: args.since,
        until: args.until,
        session_id: args.session.clone(),
        include_current: args.include_current,
        current: running.map(|id| Current { session_id: Some(id), tool_use_id: None }),
        cursor: args.cursor.clone(),
        time_limit: None,
    }
}

/// Searches, with a bar on standard error when it takes long. `stop` ends the search.
async fn find(core: &Core, mut asked: Search, terminal: Terminal, stop: &CancellationToken) -> Result<SearchPage> {
    let watch = Arc::new(Watch::default());
    let mut searching = spawn_blocking({
        let (history, watch) = (core.history().clone(), Arc::clone(&watch));
        let here = core.settings().working_dir.clone();
        move || {
            if let Some(name) = asked.session_id.take() {
                asked.session_id = Some(history.session_named(&name, here.as_deref(), asked.project.as_deref())?);
            }
            history.search(&asked, &watch)
        }
    });
    let bar = terminal.has_status_line().then(bar);
    let mut ticks = interval_at(Instant::now() + PATIENCE, TICK);
    let found = loop {
        tokio::select! {
            found = &mut searching => break found,
            () = stop.cancelled(), if !watch.is_cancelled() => watch.cancel(),
            _ = ticks.tick() => if let Some(bar) = &bar { draw(bar, &watch) },
        }
    };
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
    outcome(found).map_err(|error| if error.code == ErrorCode::Cancelled { interrupted() } else { error })
}

fn bar() -> ProgressBar {
    let length = if status::width() < 72 { 12 } else { 30 };
    let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::hidden());
    if let Ok(style) =
        ProgressStyle::with_template(&format!("{{bar:{length}.cyan/dim}} {{bytes}}/{{total_bytes}} {{msg:.dim}}"))
    {
        bar.set_style(style.progress_chars("━━─"));
    }
    bar
}

fn draw(bar: &ProgressBar, watch: &Watch) {
    if bar.is_hidden() {
        bar.set_draw_target(status::target());
    }
    let ((files, all_files), (bytes, all_bytes)) = (watch.files(), watch.bytes());
    bar.set_length(all_bytes);
    bar.set_position(bytes);
    bar.set_message(format!("{files}/{}", count(all_files, "file")));
}

fn show(core: &Core, args: &SearchArgs, terminal: Terminal, page: &SearchPage) -> Result<()> {
    let dates = args.dates.dates();
    let surroundings = Surroundings { core, dates: &dates, columns: usize::from(terminal.width()) };
    let text: Vec<_> = page.hits.iter().map(|hit| surroundings.show(hit)).collect();
    terminal.write(text.join("\n").as_bytes())?;
    for file in &page.unreadable {
        terminal.remark(&format!("cannot be read: {file}"));
    }
    terminal.remark(&summary(page, args));
    if let Some(cursor) = &page.cursor {
        terminal.remark(&format!("The time ran out; to search the rest: --cursor '{cursor}'"));
    }
    Ok(())
}

fn summary(page: &SearchPage, args: &SearchArgs) -> String {
    let offset = args.offset;
    let files = count(page.files_searched, "file");
    if page.hits.is_empty() {
        let more = if page.total > 0 { "No more hits" } else { "Nothing found" };
        let wider = page.total == 0 && args.within == Within::Messages;
        let hint = if wider { "; --in all searches tools and thinking too" } else { "" };
        return format!("{more} in {files}{hint}");
    }
    let bound = if page.complete { "" } else { "at least " };
    let hits = if page.hits.len() == page.total {
        format!("{bound}{}", count(page.total, "hit"))
    } else {
        format!("{}–{} of {bound}{}", offset + 1, offset + page.hits.len(), count(page.total, "hit"))
    };
    let next = page.next_offset.map_or_else(String::new, |next| format!("; more: --offset {next}"));
    format!("{hits} in {files}{next}")
}
