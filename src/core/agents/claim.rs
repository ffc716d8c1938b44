//! Claiming turns: the scheduler's plan, carried out in one transaction.

use std::collections::{HashMap, HashSet};

use super::{
    cost,
    ending::fail_queued,
    event::Event,
    profile::of_word,
    schedule::{Plan, Process, Scene, Waiting, plan},
    workspace::{Access, Claim},
};
use crate::core::{
    clock::Timestamp,
    ids::{AgentId, ChildId, OwnerId, TurnId},
    store::{AgentRow, AgentState, Change, ChildRow, Phase, QueueRow, RequestKind, StoreError, TurnReason, View},
};

/// A turn that is ours to run now.
#[derive(Clone, Debug)]
pub(super) struct Claimed {
    /// The lease on its process.
    pub(super) child: ChildId,
    /// Whose turn.
    pub(super) agent: AgentRow,
    /// The turn.
    pub(super) turn: TurnId,
    /// Whether the process has to be started.
    pub(super) launch: bool,
}

/// What a look at the queue says.
#[derive(Debug, Default)]
pub(super) struct Outlook {
    /// Whether [`claim`] would do something for us.
    pub(super) worthwhile: bool,
    /// Turns of other servers that could start now: they should do it at once.
    pub(super) theirs: HashSet<TurnId>,
}

/// The queue with everything that the plan depends on.
struct Board {
    queue: Vec<QueueRow>,
    children: Vec<ChildRow>,
    plan: Plan,
}

impl Board {
    /// Reads the queue and plans. Turns in `skipped` are left out: their server could start them and does not.
    fn read(view: &View<'_>, now: Timestamp, limit: usize, skipped: &HashSet<TurnId>) -> Result<Self, StoreError> {
        let children = view.children()?;
        if children.len() >= limit && children.iter().all(|child| child.phase != Phase::Idle) {
            // No slot is free and none can be made: a long queue need not be read.
            return Ok(Self { queue: Vec::new(), children, plan: Plan::default() });
        }
        let mut queue = view.queue()?;
        queue.retain(|turn| !skipped.contains(&turn.turn_id));
        let mut held = Vec::new();
        for child in children.iter().filter(|child| child.turn_id.is_some()) {
            let agent = view.agent(child.agent_id)?;
            held.extend(agent.map(|agent| wants(&agent.workspace, &agent.permission_profile)));
        }
        let by_agent: HashMap<AgentId, &ChildRow> = children.iter().map(|child| (child.agent_id, child)).collect();
        let mut idle: Vec<&ChildRow> = children.iter().filter(|child| child.phase == Phase::Idle).collect();
        idle.sort_by_key(|child| (child.idle_since, child.child_id));
        let process = |turn: &QueueRow| match by_agent.get(&turn.agent_id) {
            None => Process::None,
            Some(child) if child.phase == Phase::Idle && turn.owner == Some(child.server_id) => Process::Idle,
            Some(_) => Process::Leaving,
        };
        let waiting = queue.iter().map(|turn| Waiting {
            agent: turn.agent_id,
            claim: wants(&turn.workspace, &turn.permission_profile),
            due: turn.not_before.is_none_or(|at| at <= now),
            process: process(turn),
        });
        let scene = Scene {
            limit,
            live: children.len(),
            leaving: children.iter().filter(|child| child.phase == Phase::Ending).count(),
            held,
            idle: idle.iter().map(|child| child.agent_id).collect(),
            queue: waiting.collect(),
        };
        let plan = plan(&scene);
        Ok(Self { queue, children, plan })
    }

    fn starts(&self) -> impl Iterator<Item = &QueueRow> {
        self.queue.iter().filter(|turn| self.plan.start.contains(&turn.agent_id))
    }
}

/// The workspace that an agent needs for its turns.
fn wants(workspace: &str, profile: &str) -> Claim {
    Claim { workspace: workspace.to_owned(), access: Access::from(of_word(profile)) }
}

/// Whether nothing is left of the agent's budget.
fn is_spent(turn: &QueueRow) -> bool {
    cost::left(turn.max_budget_usd, turn.total_cost_usd).is_some_and(|left| left <= 0.0)
}

/// Looks whether there is something to claim, without taking the write lock.
pub(super) fn look(
    view: &View<'_>,
    me: OwnerId,
    limit: usize,
    skipped: &HashSet<TurnId>,
) -> Result<Outlook, StoreError> {
    let board = Board::read(view, Timestamp::now(), limit, skipped)?;
    let ours = |turn: &QueueRow| turn.owner == Some(me);
    let spent = board.queue.iter().any(|turn| ours(turn) && is_spent(turn));
    let mut evicts = false;
    for agent in &board.plan.evict {
        evicts |= view.request(*agent, RequestKind::Evict)?.is_none();
    }
    let theirs = board.starts().filter(|turn| !ours(turn)).map(|turn| turn.turn_id).collect();
    Ok(Outlook { worthwhile: spent || evicts || board.starts().any(ours), theirs })
}

/// Claims what is ours to start, and asks for idle processes to go where slots are needed.
pub(super) fn claim(
    change: &Change<'_>,
    me: OwnerId,
    limit: usize,
    skipped: &HashSet<TurnId>,
) -> Result<Vec<Claimed>, StoreError> {
    // Somebody who took us for dead has given our work to others.
    if !change.is_registered(me)? {
        return Ok(Vec::new());
    }
    let board = Board::read(change, change.now(), limit, skipped)?;
    for agent in &board.plan.evict {
        change.add_request(*agent, RequestKind::Evict, None, 0)?;
    }
    let mut claimed = Vec::new();
    for turn in board.queue.iter().filter(|turn| turn.owner == Some(me)) {
        if is_spent(turn) {
            if let Some(row) = change.turn(turn.turn_id)? {
                fail_queued(change, &row, TurnReason::Budget)?;
            }
        } else if board.plan.start.contains(&turn.agent_id)
            && let Some(agent) = change.agent(turn.agent_id)?
        {
            let idle = board.children.iter().find(|child| child.agent_id == turn.agent_id);
            claimed.push(start(change, me, turn, agent, idle)?);
        }
    }
    Ok(claimed)
}

/// Gives a turn to the agent's idle process, or takes a slot for a new one.
fn start(
    change: &Change<'_>,
    me: OwnerId,
    turn: &QueueRow,
    agent: AgentRow,
    idle: Option<&ChildRow>,
) -> Result<Claimed, StoreError> {
    let (id, turn_id) = (turn.agent_id, turn.turn_id);
    let child = idle.map_or_else(ChildId::new, |child| child.child_id);
    if idle.is_some() {
        change.set_child_phase(child, Phase::Busy, Some(turn_id))?;
        change.remove_request(id, RequestKind::Evict)?;
    } else {
        change.add_child(child, id, me, turn_id)?;
    }
    let attempt = change.start_turn(turn_id)?;
    change.set_agent_state(id, AgentState::Running, None)?;
    Event::TurnStarted { turn: turn_id, number: turn.number, attempt }.record(change, id)?;
    Ok(Claimed { child, agent, turn: turn_id, launch: idle.is_none() })
}
