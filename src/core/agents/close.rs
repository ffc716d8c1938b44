//! Closing agents, and removing old ones.

use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::{
    answer::{ClosedAgent, PrunedAgents},
    attention, ending, error,
    event::Event,
    hub::{Hub, blocking},
    show,
};
use crate::core::{
    clock::Timestamp,
    error::{Error, Result},
    ids::{AgentId, SessionId},
    store::{AgentState, Change, RequestKind, StoreError, TurnEnd, TurnReason, TurnStatus},
};

/// How long the process of a closed agent may take to end before its record can be removed.
const LIMIT: Duration = Duration::from_secs(10);

/// How often it is looked for.
const LOOK: Duration = Duration::from_millis(50);

/// Closes an agent; with `delete` its record is removed too.
pub(super) async fn close(hub: &Hub, id: AgentId, delete: bool) -> Result<ClosedAgent> {
    let agent = attention::look_again(hub, attention::agent(hub, id).await?).await?;
    let session = agent.session_id;
    hub.store.write(move |change| close_one(change, id)).await?;
    if delete {
        let end = Instant::now() + LIMIT;
        while let Some(child) = attention::process(hub, id).await? {
            if Instant::now() >= end {
                let agent = attention::agent(hub, id).await?;
                return Err(error::uncertain(&agent, Some(&child)));
            }
            sleep(LOOK).await;
        }
        remove(hub, vec![(id, session)]).await?;
    }
    Ok(ClosedAgent { state: AgentState::Closed })
}

fn close_one(change: &Change<'_>, id: AgentId) -> Result<()> {
    let agent = change.agent(id)?.ok_or_else(|| error::not_found(id))?;
    match agent.state {
        AgentState::Closed => return Ok(()),
        AgentState::Idle | AgentState::NeedsAttention => {}
        AgentState::Queued | AgentState::Running | AgentState::Cancelling => {
            return Err(error::invalid_state(&agent, "Interrupt it first, or wait until it is idle."));
        }
    }
    let mut open = change.queued_turns(id)?;
    open.extend(change.running_turn(id)?);
    open.sort_by_key(|turn| turn.number);
    for turn in open {
        ending::close_turn(change, &turn, &TurnEnd::new(TurnStatus::Interrupted, Some(TurnReason::Interrupted)))?;
    }
    change.return_mail(id)?;
    change.discard_mail(id, i64::MAX)?;
    if let Some(child) = change.child_of(id)? {
        change.add_request(id, RequestKind::Evict, None, 0)?;
        if child.turn_id.is_some() {
            // Its turn is settled; what remains of the process is only a slot.
            change.set_child_phase(child.child_id, child.phase, None)?;
        }
    }
    change.set_agent_state(id, AgentState::Closed, None)?;
    Event::AgentClosed.record(change, id)?;
    Ok(())
}

/// Removes agents that have been idle or closed, and unchanged, for at least `older_than`; only looks with `dry_run`.
pub(super) async fn prune(hub: &Hub, older_than: Duration, dry_run: bool) -> Result<PrunedAgents> {
    let age = i64::try_from(older_than.as_millis()).unwrap_or(i64::MAX);
    let before = Timestamp::from_millis(Timestamp::now().as_millis().saturating_sub(age))
        .ok_or_else(|| error::invalid_input("older_than", "an age within this calendar"))?;
    let (agents, ids) = hub
        .store
        .read(move |view| {
            let rows = view.prunable(before)?;
            let ids: Vec<_> = rows.iter().map(|agent| (agent.agent_id, agent.session_id)).collect();
            let agents = rows.into_iter().map(|agent| show::summary(view, agent));
            Ok::<_, StoreError>((agents.collect::<Result<Vec<_>, StoreError>>()?, ids))
        })
        .await?;
    if !dry_run {
        remove(hub, ids).await?;
    }
    Ok(PrunedAgents { agents, removed: !dry_run })
}

/// Removes records, unless their agents have found something to do meanwhile.
async fn remove(hub: &Hub, agents: Vec<(AgentId, SessionId)>) -> Result<()> {
    for (id, session) in agents {
        let removed = hub
            .store
            .write(move |change| {
                let still =
                    |agent: crate::core::store::AgentRow| matches!(agent.state, AgentState::Idle | AgentState::Closed);
                let rests = change.agent(id)?.is_some_and(still) && change.child_of(id)?.is_none();
                if rests {
                    change.remove_agent(id)?;
                    change.announce();
                }
                Ok::<_, Error>(rests)
            })
            .await?;
        if removed {
            let lock = hub.lock_of(session);
            // A leftover file is harmless.
            blocking(move || drop(std::fs::remove_file(lock))).await?;
        }
    }
    Ok(())
}
