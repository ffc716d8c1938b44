//! Listing and reading agents.

use std::path::Path;

use super::{
    Cursor,
    answer::{AgentSummary, ListedAgents, ReadAgentAnswer},
    error,
    hub::Hub,
    input::{self, ListAgents, ReadAgent},
    show,
};
use crate::core::{
    error::{Error, Result},
    store::{self, AgentFilter, StoreError, View},
};

/// The longest answer, in bytes of JSON, and how it is shared out.
const MOST: usize = 40_000;
const TURNS: usize = 8_000;
const EVENTS: usize = 12_000;
const RESULT: usize = 10_000;
const FRAME: usize = 3_000;

/// Lists agents.
pub(super) async fn list(hub: &Hub, input: ListAgents) -> Result<ListedAgents> {
    input::within("limit", input.limit, 1, 1000)?;
    let filter = AgentFilter { state: input.state, limit: input.limit, offset: input.offset };
    hub.store
        .read(move |view| {
            let (agents, total) = view.agents(filter)?;
            let agents = agents.into_iter().map(|agent| show::summary(view, agent));
            Ok(ListedAgents { agents: agents.collect::<Result<_, StoreError>>()?, total })
        })
        .await
}

/// Looks at the agents that changed last, without opening anything for longer. None where there is no database.
pub(super) fn glance(state_dir: &Path, most: u32) -> Result<Vec<AgentSummary>> {
    let filter = AgentFilter { state: None, limit: most, offset: 0 };
    let agents = store::glance(state_dir, move |view| {
        view.agents(filter)?.0.into_iter().map(|agent| show::summary(view, agent)).collect()
    });
    Ok(agents?.unwrap_or_default())
}

/// Reads one agent.
pub(super) async fn read(hub: &Hub, input: ReadAgent) -> Result<ReadAgentAnswer> {
    input::within("limit", input.limit, 1, 1000)?;
    hub.store.read(move |view| answer(view, &input)).await
}

fn answer(view: &View<'_>, input: &ReadAgent) -> Result<ReadAgentAnswer> {
    let id = input.agent_id;
    let agent = view.agent(id)?.ok_or_else(|| error::not_found(id))?;
    let zero = "0".to_owned();
    let after = input.after_cursor.as_ref().unwrap_or(&zero);
    let after = input::cursor("after_cursor", after, view.newest_event()?)?;

    let (rows, total) = view.turns(id, 100)?;
    let turns = rows.into_iter().map(|turn| show::turn(view, turn)).collect::<Result<Vec<_>, StoreError>>()?;
    let turns = fitting(turns, TURNS, 1);
    let omitted = total.saturating_sub(turns.len().try_into().unwrap_or_default());

    let rows = view.events(&[id], after.0, input.limit.saturating_add(1))?;
    let found = rows.len();
    let limit = usize::try_from(input.limit).unwrap_or(usize::MAX);
    let events = fitting(rows.into_iter().take(limit).map(show::event).collect(), EVENTS, 1);

    let mut answer = ReadAgentAnswer {
        agent: show::summary(view, agent)?,
        turns,
        turns_omitted: (omitted > 0).then_some(omitted),
        latest_result: view.latest_result(id)?.map(|frame| show::latest_result(&frame, RESULT)),
        cursor: events.last().map_or(after, |event| event.sequence),
        has_more: events.len() < found,
        events,
        raw_events: None,
        raw_cursor: None,
        raw_has_more: None,
    };
    if input.include_raw {
        let after = input.after_raw_cursor.as_ref().unwrap_or(&zero);
        let after = input::cursor("after_raw_cursor", after, view.newest_frame_of(id)?)?;
        add_raw(view, input, after, &mut answer)?;
    }
    Ok(answer)
}

fn add_raw(view: &View<'_>, input: &ReadAgent, after: Cursor, answer: &mut ReadAgentAnswer) -> Result<(), Error> {
    let rows = view.frames(input.agent_id, after.0, input.limit.saturating_add(1))?;
    let found = rows.len();
    let limit = usize::try_from(input.limit).unwrap_or(usize::MAX);
    let frames = rows.into_iter().take(limit).map(|frame| show::raw(frame, FRAME)).collect();
    let room = MOST.saturating_sub(size(answer) + 200);
    let frames = fitting(frames, room, 1);
    answer.raw_cursor = Some(frames.last().map_or(after, |frame| frame.sequence));
    answer.raw_has_more = Some(frames.len() < found);
    answer.raw_events = Some(frames);
    Ok(())
}

/// As many from the front as fit into `room` bytes of JSON, but at least `least`.
fn fitting<T: serde::Serialize>(items: Vec<T>, room: usize, least: usize) -> Vec<T> {
    let mut used = 0;
    let fits = |item: &T| {
        used += size(item) + 1;
        used <= room
    };
    let count = items.iter().take_while({
        let mut fits = fits;
        move |item| fits(item)
    });
    let count = count.count().max(least);
    items.into_iter().take(count).collect()
}

fn size(item: &impl serde::Serialize) -> usize {
    serde_json::to_string(item).map_or(0, |text| text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_left_out_from_the_end() {
        assert_eq!(fitting(vec![11, 22, 33], 6, 1), [11, 22]);
        assert_eq!(fitting(vec!["long text"], 2, 1), ["long text"]);
        assert_eq!(fitting(Vec::<u8>::new(), 2, 1), Vec::<u8>::new());
    }
}
