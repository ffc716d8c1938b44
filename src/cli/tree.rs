//! `tree`: one session as a picture, a thread, a list of forks, or a document.

use clap::{Args, ValueEnum};
use tokio_util::sync::CancellationToken;

use super::{
    Terminal,
    ask::ask,
    conversation,
    dates::{DateArgs, Dates},
    document,
    picture::picture,
    resume::{labelled, resume},
    sessions::{count, directory, shown_directory},
    style::{BOLD, DIM, paint},
};
use crate::core::{
    Core,
    error::{ExitStatus, Result},
    history::{Branch, GetForks, GetThread, GetTree, History, Outline, SessionTree},
    ids::SessionId,
};

/// Draw a session as the tree it is, or read one of its branches
///
/// The picture shows the prompts: the branch that the session goes on with straight down, abandoned ones beside it, with
/// compactions and sub-agents. SESSION is an id, the beginning of one, or `last`: the newest of this directory.
#[derive(Args, Clone, Debug)]
#[command(after_long_help = "\
Examples:
  ccmcp tree last                            the picture
  ccmcp tree 7f3a --thread                   the conversation
  ccmcp tree 7f3a --thread 591c0e22          another branch of it
  ccmcp tree 7f3a --forks                    where it went two ways, and why
  ccmcp tree last --export md > session.md   all of it, uncut")]
pub struct TreeArgs {
    /// The session: an id, the beginning of one, or `last`
    pub session: String,

    /// Its directory, if the id was used in several
    ///
    /// `.`, a path, or a unique part of one.
    // The name of a folder among the transcripts begins with a hyphen.
    #[arg(long, short, value_name = "PROJECT", allow_hyphen_values = true)]
    pub project: Option<String>,

    /// Show every prompt, not only the ends of long runs
    #[arg(long, conflicts_with_all = ["thread", "forks", "export", "json"])]
    pub all: bool,

    /// Show the messages up to LEAF, the beginning of an id
    ///
    /// Without LEAF, or with `last`: the branch that the session goes on with.
    #[arg(long, value_name = "LEAF", num_args = 0..=1, default_missing_value = "")]
    pub thread: Option<String>,

    /// List the forks, or only the one at FORK
    ///
    /// FORK is an id, the beginning of one, or `last`.
    #[arg(long, value_name = "FORK", num_args = 0..=1, default_missing_value = "", conflicts_with = "thread")]
    pub forks: Option<String>,

    /// Print the whole thread, uncut
    #[arg(long, value_name = "FORM", value_enum, conflicts_with_all = ["json", "forks", "offset", "limit", "max_chars"])]
    pub export: Option<Export>,

    /// With a thread: pass over this many messages
    #[arg(long, value_name = "N", requires = "thread", hide_short_help = true)]
    pub offset: Option<usize>,

    /// With a thread: so many messages [default: 50]
    #[arg(long, short = 'n', value_name = "N", requires = "thread", value_parser = clap::value_parser!(u8).range(1..=200))]
    pub limit: Option<u8>,

    /// With a thread: characters of a text [default: 1000]
    #[arg(long, value_name = "N", requires = "thread", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub max_chars: Option<u32>,

    /// With a thread: show tool calls with their results
    #[arg(long, alias = "include-tool-calls")]
    pub tools: bool,

    /// Print what the MCP tool answers, as JSON
    #[arg(long)]
    pub json: bool,

    /// How dates are shown
    #[command(flatten)]
    pub dates: DateArgs,
}

/// What a thread is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Export {
    /// Markdown
    Md,
    /// JSON, as the MCP tool answers it
    Json,
}

/// Runs `ccmcp tree`.
pub async fn tree(core: &Core, args: TreeArgs, terminal: &Terminal, stop: &CancellationToken) -> Result<ExitStatus> {
    let view = View { core, args: &args, terminal: *terminal, stop, dates: args.dates.dates() };
    if let Some(form) = args.export {
        view.export(form).await?;
    } else if args.thread.is_some() {
        view.thread().await?;
    } else if args.forks.is_some() {
        view.forks().await?;
    } else if args.json {
        terminal.write_json(&view.ask(|history, asked| history.get_tree(&asked)).await?)?;
    } else {
        view.picture().await?;
    }
    Ok(ExitStatus::Ok)
}

struct View<'a> {
    core: &'a Core,
    args: &'a TreeArgs,
    terminal: Terminal,
    stop: &'a CancellationToken,
    dates: Dates,
}

impl View<'_> {
    /// Asks about the session that was named.
    async fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&History, GetTree) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (name, here) = (self.args.session.clone(), self.core.settings().working_dir.clone());
        let project = self.args.project.as_deref().map(|project| directory(self.core, project));
        let question = move |history: &History| {
            let session_id = history.session_named(&name, here.as_deref(), project.as_deref())?;
            question(history, GetTree { session_id, project })
        };
        ask(self.core, self.terminal, self.stop, question).await
    }

    /// The thread that was named: the tool's question, with the session still to be filled in.
    fn thread_asked(&self) -> GetThread {
        GetThread {
            leaf_uuid: self.args.thread.clone(),
            offset: self.args.offset.unwrap_or_default(),
            limit: self.args.limit.map(usize::from),
            include_tool_calls: self.args.tools,
            max_chars: self.args.max_chars.and_then(|most| usize::try_from(most).ok()),
            ..GetThread::default()
        }
    }

    async fn picture(&self) -> Result<()> {
        let whole = self.args.all;
        let outline = self.ask(move |history, asked| history.outline(&asked, whole)).await?;
        let columns = usize::from(self.terminal.width());
        let text = format!("{}\n{}", self.heading(&outline), picture(&outline, &self.dates, columns));
        self.terminal.write(text.as_bytes())?;
        if let Some(damage) = damage(&outline.tree) {
            self.terminal.remark(&damage);
        }
        self.go_on(outline.tree.session_id, outline.tree.cwd.as_deref());
        Ok(())
    }

    async fn thread(&self) -> Result<()> {
        let asked = self.thread_asked();
        let thread = self
            .ask(move |history, session| {
                let GetTree { session_id, project } = session;
                history.get_thread(&GetThread { session_id, project, ..asked })
            })
            .await?;
        if self.args.json {
            return self.terminal.write_json(&thread);
        }
        self.terminal.write(conversation::thread(&thread, &self.dates).as_bytes())?;
        let (shown, total) = (thread.messages.len(), count(thread.total, "message"));
        let first = self.args.offset.unwrap_or_default() + 1;
        let next = thread.next_offset.map_or_else(String::new, |next| format!("; more: --offset {next}"));
        self.terminal.remark(&if shown == thread.total {
            total
        } else {
            format!("{first}–{} of {total}{next}", first - 1 + shown)
        });
        if thread.branch == Branch::Primary {
            self.go_on(thread.session_id, thread.cwd.as_deref());
        } else {
            self.terminal.remark("an abandoned branch: the session goes on with its primary one");
        }
        Ok(())
    }

    async fn forks(&self) -> Result<()> {
        let fork_uuid = self.args.forks.clone();
        let ask_forks = move |history: &History, session: GetTree| {
            let GetTree { session_id, project } = session;
            history.get_forks(&GetForks { session_id, project, fork_uuid })
        };
        let forks = self.ask(ask_forks).await?;
        if self.args.json {
            return self.terminal.write_json(&forks);
        }
        if forks.forks.is_empty() {
            self.terminal.remark("No forks: this conversation goes one way.");
            return Ok(());
        }
        let columns = usize::from(self.terminal.width());
        self.terminal.write(conversation::forks(&forks, &self.dates, columns).as_bytes())?;
        let shown = forks.forks.len();
        self.terminal.remark(&if shown == forks.total {
            count(forks.total, "fork")
        } else {
            format!("{shown} of {}; more: --forks FORK", count(forks.total, "fork"))
        });
        let id: String = forks.session_id.to_string().chars().take(8).collect();
        self.terminal.remark(&format!("read a branch: ccmcp tree {id} --thread LEAF"));
        Ok(())
    }

    async fn export(&self, form: Export) -> Result<()> {
        let asked = self.thread_asked();
        let thread = self
            .ask(move |history, session| {
                let GetTree { session_id, project } = session;
                history.whole_thread(&GetThread { session_id, project, ..asked })
            })
            .await?;
        match form {
            Export::Json => self.terminal.write_json(&thread),
            Export::Md => {
                let text = document::markdown(&thread);
                if self.terminal.is_interactive() {
                    self.terminal.write(super::clean::printable(&text).as_bytes())
                } else {
                    self.terminal.exactly().write(text.as_bytes())
                }
            }
        }
    }

    /// What the session is, over the picture.
    fn heading(&self, outline: &Outline) -> String {
        let tree = &outline.tree;
        let directory = shown_directory(self.core, tree.cwd.as_deref(), &tree.project);
        let mut facts = vec![directory, count(tree.message_count, "message")];
        let counted =
            [(tree.fork_count, "fork"), (tree.compaction_count, "compaction"), (tree.subagent_count, "sub-agent")];
        facts.extend(counted.into_iter().filter(|(number, _)| *number > 0).map(|(number, noun)| count(number, noun)));
        let columns = usize::from(self.terminal.width());
        let facts = super::columns::cut(&facts.join(" · "), columns);
        format!("{}\n{}\n", paint(BOLD, &tree.session_id.to_string()), paint(DIM, &facts))
    }

    fn go_on(&self, session: SessionId, cwd: Option<&str>) {
        const LABEL: &str = "go on: ";
        let here = self.core.settings().working_dir.as_deref();
        let columns = usize::from(self.terminal.width());
        let lines = resume(session, cwd, here, columns.saturating_sub(LABEL.len()));
        for line in labelled(LABEL, &lines, columns) {
            self.terminal.remark(&line);
        }
    }
}

/// What was wrong with the file, if anything was.
fn damage(tree: &SessionTree) -> Option<String> {
    let found = &tree.integrity;
    let counts = [
        (found.bridged_links, "missing link"),
        (found.torn_lines, "torn line"),
        (found.skipped_bytes, "unreadable byte"),
        (found.duplicate_records, "repeated record"),
        (found.cut_cycles, "cycle"),
        (found.mended_records, "mended record"),
        (found.unfinished_bytes, "unfinished byte"),
    ];
    let counts = counts.into_iter().filter(|(number, _)| *number > 0);
    let said: Vec<_> =
        counts.map(|(number, noun)| count(usize::try_from(number).unwrap_or(usize::MAX), noun)).collect();
    (!said.is_empty()).then(|| format!("in the file: {}", said.join(", ")))
}
