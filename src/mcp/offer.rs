//! Which tools there are to offer, and when that is known.
//!
//! Session tools are offered only while the Claude CLI can be used, which takes half a second to find out: never
//! before the handshake, at most a moment before the list.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use tokio::{
    sync::{Mutex, watch},
    time::timeout,
};

use super::{agents, history, sessions, tool::Entry};
use crate::core::{
    Core,
    claude::{Nesting, Preflight},
    config::ToolSet,
    error::{Error, ErrorCode, Result},
};

/// How long `tools/list` waits for the verdict; some clients wait no longer for the list than this.
const PATIENCE: Duration = Duration::from_secs(5);

/// The pauses between looks after a failed one: somebody may be logging in right now, or never.
const PAUSES: [Duration; 5] = [
    Duration::from_secs(2),
    Duration::from_secs(4),
    Duration::from_secs(8),
    Duration::from_secs(16),
    Duration::from_secs(30),
];

/// A failed verdict older than this is looked at again when somebody asks.
const FRESH: Duration = Duration::from_secs(2);

/// Which sets may be offered where this process stands, and what to say about those that may not.
///
/// `named`: the caller asked for `sets` by name.
///
/// # Errors
/// `RECURSION_REFUSED`: what was asked for by name would drive Claude from inside a Claude that ccmcp drives, or there
/// is nothing left to offer.
pub(super) fn permitted(
    sets: &[ToolSet],
    named: bool,
    nesting: Nesting,
    allow_inside: bool,
) -> Result<(Vec<ToolSet>, Option<&'static str>)> {
    let (why, hint) = match nesting {
        Nesting::Outside => return Ok((sets.to_vec(), None)),
        Nesting::InsideClaude if allow_inside => return Ok((sets.to_vec(), None)),
        Nesting::InsideClaude => (
            "Started by Claude Code itself, ccmcp offers only the history tools: a Claude that drives Claudes can go on \
             for ever, at your cost. `--allow-inside-claude-code` lifts this.",
            "Use `--tools history`, or `--allow-inside-claude-code` if you mean it.",
        ),
        Nesting::Driven => (
            "Inside a Claude that ccmcp drives, only the history tools are offered: one level of driving is the limit.",
            "Use `--tools history` here.",
        ),
    };
    let left: Vec<ToolSet> = sets.iter().copied().filter(|set| !set.drives()).collect();
    let refused = named && nesting == Nesting::Driven && left.len() < sets.len();
    if refused || left.is_empty() {
        return Err(Error::new(ErrorCode::RecursionRefused, why).hint(hint));
    }
    // Who asked for no more gets all of it: there is nothing to say.
    let why = (left.len() < sets.len()).then_some(why);
    Ok((left, why))
}

/// What is known about the Claude CLI.
#[derive(Clone)]
pub(super) enum Verdict {
    Pending,
    Usable(Arc<Preflight>),
    Unusable(Error),
}

/// The tools, as far as they can be offered right now.
pub(super) struct Offer {
    core: Core,
    sets: Vec<ToolSet>,
    all: Arc<Vec<Entry>>,
    without_sessions: Arc<Vec<Entry>>,
    verdict: watch::Sender<Verdict>,
    /// When it was last looked; held while looking, so that looks do not overlap.
    looked: Mutex<Option<Instant>>,
}

impl Offer {
    pub(super) fn new(core: Core, sets: Vec<ToolSet>) -> Self {
        let entries = |with_sessions: bool| {
            let mut entries = Vec::new();
            for set in ToolSet::ALL.into_iter().filter(|set| sets.contains(set)) {
                match set {
                    ToolSet::Sessions if with_sessions => entries.extend(sessions::tools(core.sessions().models())),
                    ToolSet::Agents => add_agents(&mut entries),
                    ToolSet::History => entries.extend(history::tools()),
                    ToolSet::Sessions => {}
                }
            }
            Arc::new(entries)
        };
        let (all, without_sessions) = (entries(true), entries(false));
        Self {
            core,
            sets,
            all,
            without_sessions,
            verdict: watch::Sender::new(Verdict::Pending),
            looked: Mutex::new(None),
        }
    }

    pub(super) fn sets(&self) -> &[ToolSet] {
        &self.sets
    }

    /// Follows the verdict.
    pub(super) fn verdicts(&self) -> watch::Receiver<Verdict> {
        self.verdict.subscribe()
    }

    /// The tools that can be offered; waits a moment for the first verdict where it matters.
    pub(super) async fn entries(&self) -> Arc<Vec<Entry>> {
        if !self.sets.contains(&ToolSet::Sessions) {
            return Arc::clone(&self.without_sessions);
        }
        let mut verdicts = self.verdicts();
        let known = verdicts.wait_for(|verdict| !matches!(verdict, Verdict::Pending));
        let known = timeout(PATIENCE, known).await.ok();
        let unusable = known.is_some_and(|known| known.is_ok_and(|verdict| matches!(*verdict, Verdict::Unusable(_))));
        if unusable {
            self.look().await;
        }
        match &*self.verdict.borrow() {
            // An answer that takes this long will be seen when a tool is called.
            Verdict::Usable(_) | Verdict::Pending => Arc::clone(&self.all),
            Verdict::Unusable(_) => Arc::clone(&self.without_sessions),
        }
    }

    /// Why the tool `name`, which is not among the entries, is not offered; `None` when there is no such tool at all.
    pub(super) fn why_not(&self, name: &str) -> Option<String> {
        let exists = self.all.iter().any(|entry| entry.tool.name == name);
        match &*self.verdict.borrow() {
            Verdict::Unusable(error) if exists => Some(error.message.clone()),
            _ => None,
        }
    }

    /// Looks until the CLI can be used: at once, and after growing pauses.
    pub(super) async fn watch(&self) {
        if !self.sets.contains(&ToolSet::Sessions) {
            return;
        }
        let last = PAUSES[PAUSES.len() - 1];
        for pause in PAUSES.into_iter().chain(std::iter::repeat(last)) {
            self.look().await;
            if matches!(&*self.verdict.borrow(), Verdict::Usable(_)) {
                return;
            }
            tokio::time::sleep(pause).await;
        }
    }

    /// Looks once, unless it was looked a moment ago.
    async fn look(&self) {
        let mut looked = self.looked.lock().await;
        let settled = matches!(&*self.verdict.borrow(), Verdict::Usable(_));
        if settled || looked.is_some_and(|at| at.elapsed() < FRESH) {
            return;
        }
        let verdict = match self.core.preflight().await {
            Ok(preflight) => Verdict::Usable(Arc::new(preflight)),
            Err(unusable) => Verdict::Unusable(unusable.into()),
        };
        *looked = Some(Instant::now());
        self.verdict.send_replace(verdict);
    }
}

/// Adds the agents' tools. Where the sessions' are, the two `send_message` become one that serves both.
fn add_agents(entries: &mut Vec<Entry>) {
    let mut tools = agents::tools();
    if let Some(of_sessions) = entries.iter_mut().find(|entry| entry.tool.name == agents::SEND_MESSAGE) {
        *of_sessions = agents::shared_send_message();
        tools.retain(|entry| entry.tool.name != agents::SEND_MESSAGE);
    }
    entries.extend(tools);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nesting_leaves_the_history_tools() {
        use Nesting::{Driven, InsideClaude, Outside};
        let all = ToolSet::ALL;
        let left = |sets: &[ToolSet], named, nesting, allow| {
            permitted(sets, named, nesting, allow).map(|(left, why)| (left, why.is_some())).map_err(|error| error.code)
        };
        let history = vec![ToolSet::History];
        assert_eq!(left(&all, false, Outside, false), Ok((all.to_vec(), false)));
        assert_eq!(left(&all, false, InsideClaude, false), Ok((history.clone(), true)));
        assert_eq!(left(&all, true, InsideClaude, true), Ok((all.to_vec(), false)));
        assert_eq!(left(&all, false, Driven, true), Ok((history.clone(), true)), "the cap is never lifted");
        assert_eq!(left(&all, true, Driven, true), Err(ErrorCode::RecursionRefused));
        assert_eq!(left(&history, true, Driven, false), Ok((history, false)));
        assert_eq!(left(&[ToolSet::Sessions], true, InsideClaude, false), Err(ErrorCode::RecursionRefused));
    }
}
