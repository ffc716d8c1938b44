//! Waiting for events, across calls and across servers.

use std::{sync::Arc, time::Duration};

use futures_util::future::select_all;
use tokio::{
    sync::Notify,
    time::{Instant, MissedTickBehavior, interval_at, sleep_until},
};

use super::{
    answer::{TurnResult, Waited},
    error,
    event::ends_turn,
    hub::Hub,
    input::{self, MOST_WAITED, Until, WaitAgent},
    show,
    window::{PAGE, window},
};
use crate::core::{
    error::{Error, Result},
    ids::{AgentId, TurnId},
    store::{EventRow, StoreError, View},
};

/// At least so often a waiting caller hears that it still waits.
const SIGN: Duration = Duration::from_secs(10);

/// How far ahead a wait looks for what it is for.
const AHEAD: u32 = 10_000;

/// The most of result texts in one answer, in bytes; further turns are for the next call.
const RESULTS: usize = 24 * 1024;

/// Told while a wait goes on: a sentence for each event, and one now and then.
pub type Progress<'a> = &'a (dyn Fn(String) + Send + Sync);

/// Waits.
pub(super) async fn wait(hub: &Hub, input: WaitAgent, progress: Option<Progress<'_>>) -> Result<Waited> {
    let agents = check(&input)?;
    let (ids, cursor) = (agents.clone(), input.after_cursor.clone());
    let after = hub
        .store
        .read(move |view| {
            for id in &ids {
                view.agent(*id)?.ok_or_else(|| error::not_found(*id))?;
            }
            input::cursor("after_cursor", &cursor, view.newest_event()?)
        })
        .await?;
    let end = Instant::now() + input.timeout;
    let mut sign = interval_at(Instant::now() + SIGN, SIGN);
    sign.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut told = after.0;
    let bells: Vec<Arc<Notify>> = agents.iter().map(|agent| hub.bells.of(*agent)).collect();
    loop {
        // Listening before looking: what is committed after the look wakes us.
        let rung = select_all(bells.iter().map(|bell| {
            let mut rung = Box::pin(bell.notified());
            rung.as_mut().enable();
            rung
        }));
        let page = page(hub, &agents, after.0, input.until).await?;
        if let Some(progress) = progress {
            for event in page.events.iter().filter(|event| event.sequence > told) {
                progress(format!("{} {}", event.kind, event.agent_id));
            }
        }
        told = page.events.last().map_or(told, |event| event.sequence.max(told));
        if let Some(count) = page.matching {
            return answer(hub, page, count).await;
        }
        let mut late = false;
        tokio::select! {
            _ = rung => {}
            () = sleep_until(end) => late = true,
            _ = sign.tick() => if let Some(progress) = progress {
                progress("waiting".to_owned());
            },
        }
        if late {
            let cursor = after;
            return Ok(Waited { events: Vec::new(), cursor, timed_out: true, has_more: false, results: Vec::new() });
        }
    }
}

fn check(input: &WaitAgent) -> Result<Vec<AgentId>> {
    if input.agent_ids.is_empty() || input.agent_ids.len() > MOST_WAITED {
        return Err(error::invalid_input("agent_ids", &format!("a list of 1 to {MOST_WAITED} agent ids")));
    }
    let most = input::LONGEST_WAIT.as_millis();
    input::within("timeout_ms", input.timeout.as_millis(), 0, most)?;
    Ok(input.agent_ids.clone())
}

struct Page {
    events: Vec<EventRow>,
    matching: Option<usize>,
}

async fn page(hub: &Hub, agents: &[AgentId], after: i64, until: Until) -> Result<Page> {
    let agents = agents.to_vec();
    let events = hub
        .store
        .read(move |view| {
            for id in &agents {
                // Deleted meanwhile: nothing is ever going to happen to it.
                view.agent(*id)?.ok_or_else(|| error::not_found(*id))?;
            }
            Ok::<_, Error>(view.events(&agents, after, AHEAD)?)
        })
        .await?;
    let matching = window(events.iter().map(|event| event.kind.as_str()), until);
    // With more than can be looked through, what is there has to do.
    let full = events.len() >= usize::try_from(AHEAD).unwrap_or(usize::MAX);
    let matching = matching.or_else(|| full.then_some(PAGE));
    Ok(Page { events, matching })
}

async fn answer(hub: &Hub, page: Page, count: usize) -> Result<Waited> {
    hub.store
        .read(move |view| {
            let total = page.events.len();
            let mut events = page.events;
            events.truncate(count);
            let mut results: Vec<TurnResult> = Vec::new();
            let mut size = 0;
            for (at, event) in events.iter().enumerate() {
                let Some(result) = result_of(view, event)? else { continue };
                size += result.result.as_deref().map_or(0, str::len);
                if size > RESULTS && !results.is_empty() {
                    events.truncate(at);
                    break;
                }
                results.push(result);
            }
            let has_more = events.len() < total;
            let events: Vec<_> = events.into_iter().map(show::event).collect();
            let cursor = events.last().map(|event| event.sequence).unwrap_or_default();
            Ok(Waited { events, cursor, timed_out: false, has_more, results })
        })
        .await
}

fn result_of(view: &View<'_>, event: &EventRow) -> Result<Option<TurnResult>, StoreError> {
    if !ends_turn(&event.kind) {
        return Ok(None);
    }
    let id = event.payload.get("turnId").and_then(|id| id.as_str()).and_then(|id| id.parse::<TurnId>().ok());
    let turn = id.map(|id| view.turn(id)).transpose()?.flatten();
    turn.map(|turn| show::result(view, &turn)).transpose()
}
