//! What a worker puts on record: frames in batches, and what follows from them.

use std::time::Duration;

use serde::Deserialize;
use tokio::time::Instant;

use super::{
    ending::{self, Afterwards, Outcome},
    event::Queued,
};
use crate::core::{
    claude::Frame,
    clock::Timestamp,
    ids::{AgentId, ChildId, InputId, TurnId},
    store::{NewFrame, Phase, Store, StoreError, TurnEnd},
};

/// How long frames wait for company before they are written.
const BATCH: Duration = Duration::from_millis(50);

/// A turn that ended by the last frame.
pub(super) struct Turned {
    pub(super) turn: TurnId,
    pub(super) end: TurnEnd,
}

/// Frames that are not written yet.
pub(super) struct Recorder {
    agent: AgentId,
    frames: Vec<NewFrame>,
    heard: Option<Timestamp>,
    due: Option<Instant>,
}

/// The only part of a frame that is recorded apart.
#[derive(Deserialize)]
struct Kind {
    #[serde(rename = "type")]
    kind: Option<String>,
}

impl Recorder {
    /// Nothing to record yet.
    pub(super) fn new(agent: AgentId) -> Self {
        Self { agent, frames: Vec::new(), heard: None, due: None }
    }

    /// Adds a frame. A line that is none is a sign of life, and nothing to keep.
    pub(super) fn add(&mut self, turn: Option<TurnId>, frame: &Frame, line: &[u8]) {
        let at = Timestamp::now();
        self.heard = Some(at);
        self.due.get_or_insert_with(|| Instant::now() + BATCH);
        if !matches!(frame, Frame::Invalid) {
            let payload = String::from_utf8_lossy(line).into_owned();
            let kind = serde_json::from_str::<Kind>(&payload).ok().and_then(|kind| kind.kind).unwrap_or_default();
            self.frames.push(NewFrame { turn_id: turn, kind, payload, at });
        }
    }

    /// When the batch is to be written.
    pub(super) fn due(&self) -> Option<Instant> {
        self.due
    }

    /// Writes the batch.
    pub(super) async fn flush(&mut self, store: &Store) -> Result<(), StoreError> {
        let (agent, frames, heard) = self.take();
        let Some(heard) = heard else { return Ok(()) };
        store
            .write(move |change| {
                change.add_frames(agent, &frames)?;
                change.touch_agent(agent, heard)
            })
            .await
    }

    /// Writes the batch together with what follows from its last frame: inputs that are confirmed, a turn that ended,
    /// a process that rests. Whether the turn was still this process's.
    pub(super) async fn settle(
        &mut self,
        store: &Store,
        lease: ChildId,
        confirmed: Vec<InputId>,
        ended: Option<Turned>,
        rested: bool,
        process: Afterwards,
    ) -> Result<bool, StoreError> {
        if confirmed.is_empty() && ended.is_none() && !rested {
            return Ok(true);
        }
        let (agent, frames, heard) = self.take();
        store
            .write(move |change| {
                if change.child(lease)?.is_none() {
                    return Ok(false);
                }
                let last = change.add_frames(agent, &frames)?;
                if let Some(heard) = heard {
                    change.touch_agent(agent, heard)?;
                }
                for input in confirmed {
                    change.acknowledge(input)?;
                }
                if let Some(Turned { turn, mut end }) = ended {
                    end.result_sequence = last;
                    return ending::conclude(change, lease, turn, Outcome::Ended(end), process, Queued::Retry);
                }
                if rested
                    && let Some(child) = change.child(lease)?
                    && child.phase == Phase::Busy
                    && child.turn_id.is_none()
                {
                    change.set_child_phase(lease, Phase::Idle, None)?;
                    // Whoever waits for this process can have it now.
                    change.announce();
                }
                Ok(true)
            })
            .await
    }

    fn take(&mut self) -> (AgentId, Vec<NewFrame>, Option<Timestamp>) {
        self.due = None;
        (self.agent, std::mem::take(&mut self.frames), self.heard.take())
    }
}
