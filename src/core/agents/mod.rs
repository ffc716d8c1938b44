//! Agents: durable background agents over the store.
//!
//! [`Agents`] is the handle; it opens the state directory when something is first asked. A **server** runs agents'
//! processes; a **visitor** (a terminal command) looks and steers. All that one of them wants of another goes through
//! the database, and is noticed there within milliseconds.
//!
//! | file | holds |
//! |---|---|
//! | `handle.rs` | [`Agents`]: one method for each thing one can do |
//! | `input.rs`, `answer.rs`, `error.rs`, `cursor.rs` | what goes in and comes out |
//! | `spawn.rs`, `mail.rs`, `wait.rs`, `interrupt.rs`, `read.rs`, `close.rs`, `models.rs` | the operations |
//! | `find.rs` | which agent a person means |
//! | `show.rs`, `cut.rs`, `window.rs` | rows as callers see them, and how much of them |
//! | `event.rs` | what is told about agents |
//! | `ending.rs`, `claim.rs` | state changes: how turns end or go back, how they are claimed |
//! | `schedule.rs`, `workspace.rs` | who may start: pure |
//! | `conversation.rs`, `attribution.rs`, `verdict.rs`, `assembly.rs`, `cost.rs`, `retry.rs` | one process and its turns: pure |
//! | `worker.rs`, `launch.rs`, `record.rs` | the task that drives one process |
//! | `service.rs`, `shutdown.rs`, `hub.rs`, `cli.rs` | a server's life |
//! | `bell.rs` | waking those who wait for certain agents |
//! | `life.rs`, `reconcile.rs`, `attention.rs` | who is dead, and what becomes of what they left |
//!
//! Decisions are pure functions over what is known; drivers do the input and output. Every state change is one
//! transaction with its events.

mod answer;
mod assembly;
mod attention;
mod attribution;
mod bell;
mod claim;
mod cli;
mod close;
mod conversation;
mod cost;
mod cursor;
mod cut;
mod ending;
mod error;
mod event;
mod find;
mod handle;
mod hub;
mod input;
mod interrupt;
mod launch;
mod life;
mod mail;
mod models;
mod profile;
mod read;
mod reconcile;
mod record;
mod retry;
mod schedule;
mod service;
mod show;
mod shutdown;
mod spawn;
mod verdict;
mod wait;
mod window;
mod worker;
mod workspace;

pub use answer::{
    AgentEvent, AgentSummary, AgentTurn, ClosedAgent, FollowedUp, InterruptedAgent, LatestResult, ListedAgents,
    ListedModels, ModelChoice, PrunedAgents, RawEvent, ReadAgentAnswer, SentMessage, SpawnedAgent, TurnResult, Waited,
};
pub use cursor::Cursor;
pub use handle::{Agents, Role};
pub use input::{
    Effort, LONGEST_WAIT, ListAgents, MOST_TURN_SECONDS, MOST_WAITED, ReadAgent, SpawnAgent, Until, WaitAgent,
};
pub use life::{dead_servers, has_server};
pub use wait::Progress;
