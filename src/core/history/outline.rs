//! A session as somebody would draw it: the prompts in order, and the ways that were left.

use std::collections::{HashMap, HashSet};

use super::{
    Branch, Compaction, GetTree, History, Role, SessionTree, Subagent,
    error::HistoryError,
    open::{Opened, Texts},
};
use crate::core::{
    clock::Timestamp,
    error::Result,
    transcript::{Kind, MessageId, NodeId},
};

/// How many prompts without anything between them are shown, half of them at each end.
const LONGEST_RUN: usize = 16;
/// How many ways may branch off from one another; what is deeper is only counted.
const DEEPEST: usize = 12;

/// A session's prompts in order, with the ways that were left.
#[derive(Clone, Debug)]
pub struct Outline {
    /// The session's shape: what `get_tree` answers.
    pub tree: SessionTree,
    /// The conversation from each of its beginnings, in the order of the file.
    pub beginnings: Vec<Way>,
    /// Sub-agents whose call is not known.
    pub stray_agents: Vec<Subagent>,
}

/// One way through a conversation, from where it begins to its leaf.
#[derive(Clone, Debug)]
pub struct Way {
    /// Whether the session goes on with it.
    pub branch: Branch,
    /// The last message: what to pass to `get_thread`.
    pub leaf_uuid: String,
    /// How many messages it has, with those on the ways that leave it.
    pub message_count: usize,
    /// What happens on it, in order. Empty where too many ways branch off from one another.
    pub steps: Vec<Step>,
}

/// Something that happens on a way.
#[derive(Clone, Debug)]
pub enum Step {
    /// A prompt, or the answer that begins a way.
    Said(Said),
    /// The conversation was compacted.
    Compacted(Compaction),
    /// A sub-agent was started.
    Started(Subagent),
    /// Another way leaves here.
    Left(Way),
    /// So many prompts are not shown.
    Passed(usize),
}

/// A prompt, or the answer that begins a way.
#[derive(Clone, Debug)]
pub struct Said {
    /// Who speaks.
    pub role: Role,
    /// The message's first record.
    pub uuid: String,
    /// When it began.
    pub timestamp: Option<Timestamp>,
    /// The beginning of its text.
    pub preview: String,
    /// How many answers come before the next prompt.
    pub answers: usize,
}

/// A step before its texts are read.
#[derive(Clone, Copy)]
enum Mark {
    Said { message: MessageId, answers: usize },
    Compacted(NodeId),
    Started(MessageId),
    Left { first: MessageId },
    Passed(usize),
}

impl History {
    /// A session as somebody would draw it. `whole` shows every prompt of long runs too.
    ///
    /// # Errors
    /// No such session or project; the transcript cannot be read.
    pub fn outline(&self, asked: &GetTree, whole: bool) -> Result<Outline> {
        Ok(self.draw(asked, whole)?)
    }

    fn draw(&self, asked: &GetTree, whole: bool) -> std::result::Result<Outline, HistoryError> {
        let (file, listed) = self.session(&asked.session_id, asked.project.as_deref())?;
        let opened = Opened::read(file)?;
        let subagents = opened.subagents(&listed)?;
        let mut artist = Artist::new(&opened, &subagents, whole)?;
        let roots = opened.reduced.messages(&opened.tree).map(|(id, _)| id);
        let roots: Vec<_> = roots.filter(|id| opened.reduced.parent(*id).is_none()).collect();
        let beginnings = roots.into_iter().map(|root| artist.way(root, 0)).collect::<std::result::Result<_, _>>()?;
        let stray_agents = artist.strays;
        Ok(Outline { tree: opened.shape(subagents)?, beginnings, stray_agents })
    }
}

struct Artist<'a> {
    opened: &'a Opened,
    texts: Texts<'a>,
    /// The compactions between a message and the one before it.
    before: HashMap<MessageId, Vec<NodeId>>,
    /// The compactions that no message follows, by the message that they follow.
    behind: HashMap<MessageId, Vec<NodeId>>,
    agents: HashMap<MessageId, Vec<Subagent>>,
    strays: Vec<Subagent>,
    whole: bool,
}

impl<'a> Artist<'a> {
    fn new(opened: &'a Opened, subagents: &[Subagent], whole: bool) -> std::result::Result<Self, HistoryError> {
        let mut agents: HashMap<_, Vec<_>> = HashMap::new();
        let mut strays = Vec::new();
        for agent in subagents {
            let call = agent.call_uuid.as_deref().and_then(|uuid| opened.tree.find(uuid));
            match call.and_then(|call| opened.reduced.owner(call)) {
                Some(message) => agents.entry(message).or_default().push(agent.clone()),
                None => strays.push(agent.clone()),
            }
        }
        let mut before: HashMap<_, Vec<_>> = HashMap::new();
        let mut placed = HashSet::new();
        for (message, _) in opened.reduced.messages(&opened.tree) {
            let above = opened.boundaries_above(message);
            placed.extend(above.iter().copied());
            if !above.is_empty() {
                before.insert(message, above);
            }
        }
        let mut behind: HashMap<_, Vec<_>> = HashMap::new();
        for boundary in opened.main_nodes(|node| node.kind == Kind::Boundary) {
            if let Some(owner) = opened.reduced.owner(boundary).filter(|_| !placed.contains(&boundary)) {
                behind.entry(owner).or_default().push(boundary);
            }
        }
        Ok(Self { opened, texts: opened.texts()?, before, behind, agents, strays, whole })
    }

    /// The way that begins with `first`. It branches off from `depth` others.
    fn way(&mut self, first: MessageId, depth: usize) -> std::result::Result<Way, HistoryError> {
        let below = self.opened.reduced.below(first);
        let mut steps = Vec::new();
        if depth < DEEPEST {
            let mut marks = self.marks(first);
            if !self.whole {
                marks = shortened(marks);
            }
            for mark in marks {
                self.step(mark, depth, &mut steps)?;
            }
        }
        Ok(Way {
            branch: self.opened.branch(first),
            leaf_uuid: self.opened.uuid(below.leaf),
            message_count: below.count + 1,
            steps,
        })
    }

    fn step(&mut self, mark: Mark, depth: usize, steps: &mut Vec<Step>) -> std::result::Result<(), HistoryError> {
        match mark {
            Mark::Said { message, answers } => {
                let (role, uuid) = (self.opened.role(message), self.opened.uuid(message));
                let (timestamp, preview) = (self.opened.time(message), self.texts.preview(message)?);
                steps.push(Step::Said(Said { role, uuid, timestamp, preview, answers }));
            }
            Mark::Compacted(boundary) => steps.push(Step::Compacted(self.opened.compaction(boundary))),
            Mark::Started(message) => {
                steps.extend(self.agents.get(&message).into_iter().flatten().cloned().map(Step::Started));
            }
            Mark::Left { first } => steps.push(Step::Left(self.way(first, depth + 1)?)),
            Mark::Passed(prompts) => steps.push(Step::Passed(prompts)),
        }
        Ok(())
    }

    /// What happens from `first` on, as far as the way's leaf.
    fn marks(&self, first: MessageId) -> Vec<Mark> {
        let (reduced, tree) = (&self.opened.reduced, &self.opened.tree);
        let leaf = reduced.below(first).leaf;
        let mut marks = Vec::new();
        let mut at = first;
        // The answer that begins a way beside a prompt would not be seen otherwise.
        let mut begins = true;
        loop {
            marks.extend(self.before.get(&at).into_iter().flatten().map(|boundary| Mark::Compacted(*boundary)));
            if begins || self.opened.role(at) == Role::User {
                marks.push(Mark::Said { message: at, answers: 0 });
            } else if let Some(Mark::Said { answers, .. }) =
                marks.iter_mut().rev().find(|mark| matches!(mark, Mark::Said { .. }))
            {
                *answers += 1;
            }
            if self.agents.contains_key(&at) {
                marks.push(Mark::Started(at));
            }
            marks.extend(self.behind.get(&at).into_iter().flatten().map(|boundary| Mark::Compacted(*boundary)));
            let mut next = None;
            let mut ways = 0;
            for child in reduced.children(tree, at) {
                ways += 1;
                if at != leaf && next.is_none() && reduced.below(child).leaf == leaf {
                    next = Some(child);
                } else {
                    marks.push(Mark::Left { first: child });
                }
            }
            match next {
                Some(child) => at = child,
                None => return marks,
            }
            begins = ways > 1;
        }
    }
}

/// Takes the middle out of long runs of prompts with nothing between them.
fn shortened(marks: Vec<Mark>) -> Vec<Mark> {
    let mut short = Vec::new();
    let mut run = Vec::new();
    let flush = |run: &mut Vec<Mark>, short: &mut Vec<Mark>| {
        let passed = run.len().saturating_sub(LONGEST_RUN);
        // A line that says that one is left out is no shorter than the one.
        if passed > 1 {
            let end = run.split_off(LONGEST_RUN / 2 + passed);
            run.truncate(LONGEST_RUN / 2);
            short.append(run);
            short.push(Mark::Passed(passed));
            short.extend(end);
        } else {
            short.append(run);
        }
        run.clear();
    };
    for mark in marks {
        if matches!(mark, Mark::Said { .. }) {
            run.push(mark);
        } else {
            flush(&mut run, &mut short);
            short.push(mark);
        }
    }
    flush(&mut run, &mut short);
    short
}

impl Opened {
    /// The compactions between a message and the one before it.
    fn boundaries_above(&self, message: MessageId) -> Vec<NodeId> {
        let parent = |at: NodeId| self.tree.node(at).parent;
        let above = std::iter::successors(parent(self.reduced.top(message)), |at| parent(*at));
        let between = above.take_while(|at| self.tree.node(*at).message.is_none());
        let mut found: Vec<_> = between.filter(|at| self.tree.node(*at).kind == Kind::Boundary).collect();
        found.reverse();
        found
    }
}
