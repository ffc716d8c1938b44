//! Dead servers: what becomes of their processes, turns and agents.

use std::{
    collections::{HashMap, HashSet},
    sync::Mutex,
    time::{Duration, Instant},
};

use super::{
    ending::{self, Afterwards, Outcome},
    error,
    event::{Event, Queued},
    hub::{Hub, blocking},
    life,
};
use crate::core::{
    error::Result,
    ids::{AgentId, ChildId, OwnerId},
    process::{Identity, Liveness, sweep_dead_owners},
    store::{AgentState, AttentionReason, Change, ChildRow, ServerRow, StoreError, TurnEnd, TurnReason, TurnStatus},
};

/// How long the process of a dead server may go on before somebody has to be told. Its supervisor needs 2 s at most.
const GRACE: Duration = Duration::from_secs(5);

/// What is known about the process of a dead server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Remains {
    /// Nothing of it is left for certain.
    Dead,
    /// Its supervisor or Claude itself lives.
    Alive,
    /// It cannot be told.
    Unknown(AttentionReason),
}

/// Claude, as far as it was recorded.
pub(super) fn claude(child: &ChildRow) -> Option<Identity> {
    Some(Identity { pid: child.pid?, start: child.started.clone()? })
}

/// The supervisor, as far as it was recorded.
pub(super) fn supervisor(child: &ChildRow) -> Option<Identity> {
    Some(Identity { pid: child.supervisor_pid?, start: child.supervisor_started.clone()? })
}

/// Looks at a process whose server is dead, after what has neither server nor supervisor was ended.
pub(super) fn look(child: &ChildRow) -> Remains {
    // A supervisor is recorded before it may start Claude: where there is none, there never was a Claude.
    let supervisor = liveness(child.supervisor_pid, supervisor(child).as_ref());
    let claude = liveness(child.pid, claude(child).as_ref());
    match (supervisor, claude) {
        (Some(Liveness::Alive), _) | (_, Some(Liveness::Alive)) => Remains::Alive,
        // Its tree was ended with it, or by us: whoever has Claude's pid now is somebody else.
        (Some(Liveness::Dead), _) | (None, None | Some(Liveness::Dead)) => Remains::Dead,
        _ => Remains::Unknown(incomplete(child)),
    }
}

/// The same of Claude alone, whose supervisor has gone.
pub(super) fn look_at_claude(child: &ChildRow) -> Remains {
    match liveness(child.pid, claude(child).as_ref()) {
        None | Some(Liveness::Dead) => Remains::Dead,
        Some(Liveness::Alive) => Remains::Alive,
        Some(Liveness::Unknown) => Remains::Unknown(incomplete(child)),
    }
}

/// Whether a recorded process lives; `None` when none was recorded. A pid without an exact start says something only
/// when nobody has it.
fn liveness(pid: Option<u32>, known: Option<&Identity>) -> Option<Liveness> {
    let pid = pid?;
    Some(known.map_or_else(
        || match Identity::of(pid) {
            Ok(None) => Liveness::Dead,
            Ok(Some(_)) | Err(_) => Liveness::Unknown,
        },
        Identity::liveness,
    ))
}

fn incomplete(child: &ChildRow) -> AttentionReason {
    let has_start = |pid: Option<u32>, start: &Option<String>| pid.is_none() || start.is_some();
    if has_start(child.pid, &child.started) && has_start(child.supervisor_pid, &child.supervisor_started) {
        AttentionReason::OwnershipUnknown
    } else {
        AttentionReason::IdentityIncomplete
    }
}

/// Remembers since when dead servers' processes have been seen alive.
#[derive(Debug, Default)]
pub(super) struct Watch {
    since: Mutex<HashMap<ChildId, Instant>>,
}

impl Watch {
    /// Whether the grace of a process is over; begins with the first look.
    fn is_overdue(&self, child: ChildId) -> bool {
        let mut since = self.since.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        since.entry(child).or_insert_with(Instant::now).elapsed() >= GRACE
    }

    fn forget_others(&self, children: &[ChildRow]) {
        let mut since = self.since.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        since.retain(|id, _| children.iter().any(|child| child.child_id == *id));
    }
}

/// Which of the registered servers live, us among them, and which are dead.
async fn sort(hub: &Hub, servers: Vec<ServerRow>) -> Result<(Vec<OwnerId>, Vec<OwnerId>)> {
    let (state, me) = (hub.store.dir().to_path_buf(), hub.me);
    blocking(move || {
        // Whoever cannot be looked at is left alone.
        let is_dead = |id: &OwnerId| *id != me && life::is_dead(&state, *id).unwrap_or(false);
        let (dead, alive) = servers.into_iter().map(|server| server.server_id).partition(is_dead);
        (alive, dead)
    })
    .await
}

/// Settles what dead servers left: their processes' turns are repeated, interrupted or failed, and their agents find
/// a new owner when `adopt` is given.
pub(super) async fn pass(hub: &Hub, watch: &Watch, adopt: Option<OwnerId>) -> Result<()> {
    let known = hub.store.read(|view| Ok::<_, StoreError>((view.servers()?, view.children()?)));
    let (servers, children) = known.await?;
    let (alive, dead) = sort(hub, servers).await?;
    watch.forget_others(&children);
    let orphans: Vec<ChildRow> = children.into_iter().filter(|child| !alive.contains(&child.server_id)).collect();
    if !dead.is_empty() || !orphans.is_empty() {
        // What has neither server nor supervisor is ended by us; then there is certainty.
        let swept = blocking(sweep_dead_owners).await?;
        swept.map_err(|cause| error::internal("ending what dead servers left", cause))?;
    }
    let mut busy: HashSet<OwnerId> = HashSet::new();
    for child in orphans {
        let remains = look(&child);
        if remains == Remains::Alive && !watch.is_overdue(child.child_id) {
            busy.insert(child.server_id);
            continue;
        }
        let settle = move |change: &Change<'_>| settle(change, &child, remains);
        hub.store.write(settle).await?;
    }
    let forgotten: Vec<OwnerId> = dead.into_iter().filter(|server| !busy.contains(server)).collect();
    if !forgotten.is_empty() {
        let gone = forgotten.clone();
        hub.store.write(move |change| gone.iter().try_for_each(|server| change.remove_server(*server))).await?;
        let state = hub.store.dir().to_path_buf();
        blocking(move || forgotten.iter().for_each(|server| life::bury(&state, *server))).await?;
    }
    if let Some(me) = adopt {
        self::adopt(hub, me, alive).await?;
    }
    Ok(())
}

/// Takes over the queued agents that nobody has.
async fn adopt(hub: &Hub, me: OwnerId, mut alive: Vec<OwnerId>) -> Result<()> {
    alive.push(me);
    let known = alive.clone();
    let orphans = hub.store.read(move |view| view.orphans(AgentState::Queued, &known)).await?;
    if orphans.is_empty() {
        return Ok(());
    }
    hub.store
        .write(move |change| {
            for agent in change.orphans(AgentState::Queued, &alive)? {
                change.set_owner(agent.agent_id, me)?;
            }
            change.announce();
            Ok::<_, StoreError>(())
        })
        .await?;
    Ok(())
}

/// Settles one process of a dead server.
pub(super) fn settle(change: &Change<'_>, child: &ChildRow, remains: Remains) -> Result<(), StoreError> {
    // Somebody else may have done it a moment ago.
    let Some(child) = change.child(child.child_id)?.filter(|now| now.server_id == child.server_id) else {
        return Ok(());
    };
    let Some(agent) = change.agent(child.agent_id)? else { return Ok(()) };
    match remains {
        Remains::Dead => {
            bury_child(change, &child)?;
            // What it was doing is settled; what remains is an agent that somebody had been told about.
            recover(change, agent.agent_id)
        }
        Remains::Alive => needs_attention(change, agent.agent_id, AttentionReason::OwnershipUnknown),
        Remains::Unknown(reason) => needs_attention(change, agent.agent_id, reason),
    }
}

/// The process is dead for certain: its turn is settled, its slot is free.
pub(super) fn bury_child(change: &Change<'_>, child: &ChildRow) -> Result<(), StoreError> {
    match child.turn_id {
        Some(turn) => {
            // Where Claude was never let go, nothing was begun, and nothing died.
            let known = TurnEnd::new(TurnStatus::Failed, Some(TurnReason::Exited));
            let outcome = if child.pid.is_some() { Outcome::Died(known) } else { Outcome::NotStarted };
            ending::conclude(change, child.child_id, turn, outcome, Afterwards::Gone, Queued::Reconciled)?;
        }
        None => {
            change.remove_child(child.child_id)?;
            change.return_mail(child.agent_id)?;
        }
    }
    Ok(())
}

/// Takes an agent out of `needs_attention`, if it is still in it: nothing uncertain is left.
pub(super) fn recover(change: &Change<'_>, agent: AgentId) -> Result<(), StoreError> {
    if change.agent(agent)?.is_some_and(|agent| agent.state == AgentState::NeedsAttention) {
        ending::proceed(change, agent, super::event::Idle::Recovered)?;
    }
    Ok(())
}

/// Puts an agent into `needs_attention`, unless it is there or closed.
pub(super) fn needs_attention(change: &Change<'_>, agent: AgentId, reason: AttentionReason) -> Result<(), StoreError> {
    let Some(row) = change.agent(agent)? else { return Ok(()) };
    // A closed agent stays closed; its process is looked for all the same.
    if matches!(row.state, AgentState::NeedsAttention | AgentState::Closed) {
        return Ok(());
    }
    change.set_agent_state(agent, AgentState::NeedsAttention, Some(reason))?;
    Event::AgentNeedsAttention { reason }.record(change, agent).map(drop)
}
