//! Mail: context, and followups that want a turn.

use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::{
    Cursor,
    answer::{FollowedUp, SentMessage},
    attention::{self, look_again},
    error,
    event::{Event, Queued},
    hub::{Hub, blocking},
    input, life, service,
};
use crate::core::{
    error::Result,
    ids::{AgentId, MessageId, OwnerId, TurnId},
    store::{AgentRow, AgentState, AttentionReason, Change, MessageKind, MessageState, Phase},
};

/// How long a live process may take to be given a message before the answer says that the message waits.
const DELIVERY: Duration = Duration::from_secs(1);

/// How often another server's delivery is looked for.
const LOOK: Duration = Duration::from_millis(20);

/// Puts context into an agent's mailbox; a live process gets it at once.
pub(super) async fn send(hub: &Hub, id: AgentId, message: &str) -> Result<SentMessage> {
    let body = input::text("message", message)?;
    let agent = look_again(hub, attention::agent(hub, id).await?).await?;
    if agent.state == AgentState::NeedsAttention && agent.reason != Some(AttentionReason::TranscriptMissing) {
        return Err(still_uncertain(hub, &agent).await?);
    }
    let message = MessageId::new();
    let (cursor, live) = hub
        .store
        .write(move |change| {
            let agent = change.agent(id)?.ok_or_else(|| error::not_found(id))?;
            refuse_closed(&agent)?;
            change.add_message(message, id, MessageKind::Message, None, &body)?;
            let live = change.child_of(id)?.is_some_and(|child| matches!(child.phase, Phase::Idle | Phase::Busy));
            let kind = MessageKind::Message;
            Ok::<_, crate::core::error::Error>((Event::MessageEnqueued { message, kind }.record(change, id)?, live))
        })
        .await?;
    let end = Instant::now() + DELIVERY;
    loop {
        let (state, mailbox_depth, waits) = hub
            .store
            .read(move |view| {
                let state = view.message(message)?.map(|message| message.state);
                let behind = view.pending(id)?.iter().any(|mail| mail.kind == MessageKind::Followup);
                Ok::<_, crate::core::store::StoreError>((state, view.pending_count(id)?, behind))
            })
            .await?;
        let queued_only = state == Some(MessageState::Pending);
        // Behind a followup it has its place in a later turn.
        if !queued_only || !live || waits || Instant::now() >= end {
            return Ok(SentMessage { message_id: message, queued_only, mailbox_depth, cursor: Cursor(cursor) });
        }
        let mut news = hub.store.news();
        news.mark_unchanged();
        tokio::select! {
            _ = news.changed() => {}
            () = sleep(LOOK) => {}
        }
    }
}

/// Gives an agent a task: a turn of its own, after those that wait already.
pub(super) async fn followup(hub: &Hub, id: AgentId, message: &str) -> Result<FollowedUp> {
    let body = input::text("message", message)?;
    let agent = attention::agent(hub, id).await?;
    refuse_closed(&agent)?;
    hub.cli.usable().await?;
    let agent = look_again(hub, agent).await?;
    if agent.state == AgentState::NeedsAttention && agent.reason != Some(AttentionReason::TranscriptMissing) {
        return Err(still_uncertain(hub, &agent).await?);
    }
    // A live process needs no transcript to go on.
    let resumes = matches!(agent.state, AgentState::Idle | AgentState::NeedsAttention)
        && attention::process(hub, id).await?.is_none_or(|child| child.phase == Phase::Ending);
    if resumes && agent.session_seen && hub.transcript(agent.session_id).await?.is_none() {
        return Err(error::resume_failed(Some(id)));
    }
    let owner = owner(hub, &agent).await?;
    let me = hub.me;
    hub.store
        .write(move |change| {
            if !change.is_registered(me)? {
                return Err(service::shutting_down());
            }
            enqueue(change, id, owner, &body)
        })
        .await
}

fn enqueue(change: &Change<'_>, id: AgentId, owner: OwnerId, body: &str) -> Result<FollowedUp> {
    let agent = change.agent(id)?.ok_or_else(|| error::not_found(id))?;
    refuse_closed(&agent)?;
    if agent.state == AgentState::NeedsAttention {
        return Err(error::invalid_state(&agent, "Call `interrupt_agent`, then try again."));
    }
    let (turn, message) = (TurnId::new(), MessageId::new());
    change.add_turn(turn, id)?;
    change.add_message(message, id, MessageKind::Followup, Some(turn), body)?;
    let kind = MessageKind::Followup;
    let mut cursor = Event::MessageEnqueued { message, kind }.record(change, id)?;
    let mut state = agent.state;
    if state == AgentState::Idle {
        state = AgentState::Queued;
        change.set_owner(id, owner)?;
        change.set_agent_state(id, state, None)?;
        cursor = Event::AgentQueued { reason: Queued::Followup, turn }.record(change, id)?;
    }
    Ok(FollowedUp { message_id: message, turn_id: turn, state, cursor: Cursor(cursor) })
}

/// Who is to run the agent's turns: its server while that lives, else this one.
async fn owner(hub: &Hub, agent: &AgentRow) -> Result<OwnerId> {
    let Some(owner) = agent.owner.filter(|owner| *owner != hub.me) else { return Ok(hub.me) };
    let registered = hub.store.read(move |view| view.is_registered(owner)).await?;
    let state = hub.store.dir().to_path_buf();
    let dead = blocking(move || life::is_dead(&state, owner)).await?;
    Ok(if registered && !dead.unwrap_or(true) { owner } else { hub.me })
}

fn refuse_closed(agent: &AgentRow) -> Result<()> {
    if agent.state == AgentState::Closed {
        return Err(error::invalid_state(agent, "It is closed. Spawn a new agent."));
    }
    Ok(())
}

async fn still_uncertain(hub: &Hub, agent: &AgentRow) -> Result<crate::core::error::Error> {
    let process = attention::process(hub, agent.agent_id).await?;
    Ok(error::uncertain(agent, process.as_ref()))
}
