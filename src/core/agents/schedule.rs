//! The scheduler: who starts, and whose idle process has to go. Pure.
//!
//! * At most `limit` live processes, over all servers.
//! * Workspaces: readers share, a writer is alone, and who came first is not overtaken by one that would stand in its
//!   way: a younger turn waits when it conflicts with an older one that still waits.
//! * First come, first served, skipping whoever has to wait for a workspace.
//! * When slots run out, idle processes are ended, the least recently used first.

use std::collections::HashSet;

use super::workspace::{Claim, Claims};
use crate::core::ids::AgentId;

/// A turn that waits; the oldest comes first in [`Scene::queue`].
#[derive(Clone, Debug)]
pub(super) struct Waiting {
    /// Whose turn.
    pub(super) agent: AgentId,
    /// The workspace that it needs.
    pub(super) claim: Claim,
    /// Whether its time has come (a failed launch waits before the next try). Others do not overtake it meanwhile.
    pub(super) due: bool,
    /// What its agent's process is doing.
    pub(super) process: Process,
}

/// The process of an agent whose turn waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Process {
    /// There is none: a slot is needed.
    None,
    /// It is idle and takes the turn.
    Idle,
    /// It is on its way out; its slot comes free, and then a new one is needed.
    Leaving,
}

/// Everything that the decision depends on.
#[derive(Clone, Debug)]
pub(super) struct Scene {
    /// The most live processes.
    pub(super) limit: usize,
    /// How many there are, whatever they do.
    pub(super) live: usize,
    /// How many of them are on their way out.
    pub(super) leaving: usize,
    /// Workspaces in use.
    pub(super) held: Vec<Claim>,
    /// Agents with an idle process, the least recently used first.
    pub(super) idle: Vec<AgentId>,
    /// Turns that wait, the oldest first.
    pub(super) queue: Vec<Waiting>,
}

/// The decision.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Plan {
    /// Whose turns start now.
    pub(super) start: Vec<AgentId>,
    /// Whose idle processes have to go.
    pub(super) evict: Vec<AgentId>,
}

/// Decides.
pub(super) fn plan(scene: &Scene) -> Plan {
    let mut plan = Plan::default();
    let mut free = scene.limit.saturating_sub(scene.live);
    // Slots that come free without further ado.
    let mut coming = scene.leaving;
    // Workspaces in use, and those that somebody older waits for: neither is to be had.
    let mut claims = Claims::default();
    scene.held.iter().for_each(|claim| claims.add(claim));
    let mut kept: HashSet<AgentId> = HashSet::new();
    let mut starved = 0_usize;
    let last_idle = scene.queue.iter().rposition(|turn| turn.process == Process::Idle);
    for (place, turn) in scene.queue.iter().enumerate() {
        // From here on nobody can start, and every idle process is asked to go already.
        if free == 0 && starved > scene.idle.len() + scene.leaving && last_idle.is_none_or(|last| last < place) {
            break;
        }
        let blocked = claims.conflict(&turn.claim);
        let starts = turn.due
            && !blocked
            && match turn.process {
                Process::Idle => true,
                // Older turns that wait for a slot come first.
                Process::None if free > 0 && starved == 0 => {
                    free -= 1;
                    true
                }
                Process::None | Process::Leaving => {
                    // Its own process frees the slot that it will need.
                    if turn.process == Process::None || coming == 0 {
                        starved += 1;
                    } else {
                        coming -= 1;
                    }
                    false
                }
            };
        claims.add(&turn.claim);
        if starts {
            kept.insert(turn.agent);
            plan.start.push(turn.agent);
        }
    }
    let needed = starved.saturating_sub(free + coming);
    // An idle process whose own turn waits is spared while there are others.
    let (wanted, unwanted): (Vec<AgentId>, Vec<AgentId>) = scene
        .idle
        .iter()
        .filter(|agent| !kept.contains(agent))
        .partition(|agent| scene.queue.iter().any(|turn| turn.agent == **agent));
    plan.evict = unwanted.into_iter().chain(wanted).take(needed).collect();
    plan
}

#[cfg(test)]
mod tests;
