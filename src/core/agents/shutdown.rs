//! Going down: what runs is interrupted, what waits goes on waiting.

use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use super::{conversation::Stop, event::Event, service::Service, worker::Order};
use crate::core::{
    ids::OwnerId,
    store::{AgentState, Change, RequestKind, StoreError},
};

/// How long all of it may take. Clients kill after less; what is left then is ended by the supervisors.
const LIMIT: Duration = Duration::from_secs(5);

/// Ends a server in order. First one transaction that marks every running turn: if we are killed in the middle of the
/// rest, the next server finds turns to interrupt, not turns to repeat.
pub(super) async fn shut_down(service: &Service) {
    let end = Instant::now() + LIMIT;
    let (hub, me) = (service.hub(), service.hub().me);
    service.stopping.cancel();
    let marked = hub.store.write(move |change| mark(change, me)).await;
    if let Err(error) = marked {
        tracing::warn!(%error, "cannot mark the running turns");
    }
    for worker in service.everybody() {
        let _ = timeout_at(end, worker.send(Order::Stop(Stop::Shutdown))).await;
    }
    if timeout_at(end, service.finished()).await.is_err() {
        tracing::warn!("some agents' processes are left to their supervisors");
        return;
    }
    // Nothing of ours is left: the next server need not look for it.
    if let Err(error) = hub.store.write(move |change| change.remove_server(me)).await {
        tracing::debug!(%error, "cannot take this server off the list");
    }
    service.end_life();
}

/// Marks our running turns as to be interrupted. Mail behind them is kept: nobody asked for it to be dropped.
fn mark(change: &Change<'_>, me: OwnerId) -> Result<(), StoreError> {
    for child in change.children()? {
        let Some(turn) = child.turn_id.filter(|_| child.server_id == me) else { continue };
        if !change.add_request(child.agent_id, RequestKind::Interrupt, Some(turn), 0)? {
            continue;
        }
        if change.agent(child.agent_id)?.is_some_and(|agent| agent.state == AgentState::Running) {
            change.set_agent_state(child.agent_id, AgentState::Cancelling, None)?;
            Event::AgentCancelling { turn }.record(change, child.agent_id)?;
        }
    }
    Ok(())
}
