//! Looking again at an agent that needs attention.

use super::{
    error,
    hub::{Hub, blocking},
    reconcile::{self, Remains},
};
use crate::core::{
    error::Result,
    ids::AgentId,
    process::{Ladder, sweep_dead_owners},
    store::{AgentRow, AgentState, AttentionReason, ChildRow, RequestKind, StoreError},
};

/// One agent; `agent_not_found` when there is none.
pub(super) async fn agent(hub: &Hub, id: AgentId) -> Result<AgentRow> {
    hub.store.read(move |view| view.agent(id)?.ok_or_else(|| error::not_found(id))).await
}

/// Looks whether what was uncertain is certain by now, and if so takes the agent out of `needs_attention`.
pub(super) async fn look_again(hub: &Hub, agent: AgentRow) -> Result<AgentRow> {
    if agent.state != AgentState::NeedsAttention {
        return Ok(agent);
    }
    let id = agent.agent_id;
    match process(hub, id).await? {
        Some(child) => {
            let swept = blocking(sweep_dead_owners).await?;
            swept.map_err(|cause| error::internal("ending what dead servers left", cause))?;
            if reconcile::look(&child) == Remains::Dead {
                hub.store.write(move |change| reconcile::settle(change, &child, Remains::Dead)).await?;
            }
        }
        None => {
            if agent.reason == Some(AttentionReason::TranscriptMissing)
                && hub.transcript(agent.session_id).await?.is_none()
            {
                return Ok(agent);
            }
            hub.store.write(move |change| reconcile::recover(change, id)).await?;
        }
    }
    self::agent(hub, id).await
}

/// Ends the process of an agent that needs attention, and settles what it was doing as interrupted. An error when it is
/// still uncertain whether it is dead.
pub(super) async fn resolve(hub: &Hub, agent: AgentRow) -> Result<AgentRow> {
    let id = agent.agent_id;
    let Some(child) = process(hub, id).await? else {
        hub.store.write(move |change| reconcile::recover(change, id)).await?;
        return self::agent(hub, id).await;
    };
    if let Some(turn) = child.turn_id {
        // Whoever settles it from now on, in whatever process: it ends interrupted, and is not repeated.
        let ask = move |change: &crate::core::store::Change<'_>| {
            let until = change.newest_message(id)?;
            change.add_request(id, RequestKind::Interrupt, Some(turn), until)
        };
        hub.store.write(ask).await?;
    }
    let claude = reconcile::claude(&child);
    for process in [claude.as_ref(), reconcile::supervisor(&child).as_ref()].into_iter().flatten() {
        if let Err(cause) = process.end_tree(Ladder::at_work()).await {
            tracing::warn!(agent = %id, pid = process.pid, %cause, "a process cannot be ended");
        }
    }
    let swept = blocking(sweep_dead_owners).await?;
    swept.map_err(|cause| error::internal("ending what dead servers left", cause))?;
    if reconcile::look(&child) != Remains::Dead {
        return Err(error::uncertain(&agent, Some(&child)));
    }
    hub.store.write(move |change| reconcile::settle(change, &child, Remains::Dead)).await?;
    self::agent(hub, id).await
}

/// The recorded process of an agent.
pub(super) async fn process(hub: &Hub, id: AgentId) -> Result<Option<ChildRow>, StoreError> {
    hub.store.read(move |view| view.child_of(id)).await
}
