//! SQLite: everything that must outlive a server. Knows no process and no Claude.
//!
//! | file | holds |
//! |---|---|
//! | `place.rs` | the state directory and its private files |
//! | `open.rs` | opening the database: is it ours, is it new enough |
//! | `migrations.rs` | the append-only ladder of schema versions |
//! | `handle.rs` | [`Store`]: one writer thread, readers, news of commits |
//! | `news.rs` | noticing what other processes committed |
//! | `check.rs` | is the database sound |
//! | `glance.rs` | one look at a database that is there |
//! | `view.rs`, `change.rs` | a connection to read with, and a transaction to write in |
//! | `words.rs`, `columns.rs` | states and kinds; ids and times as columns |
//! | `agents.rs` … `requests.rs` | one file per group of tables |
//!
//! A state change and its events are one transaction, written by a closure on the writer thread:
//! [`Store::write`] gives it a [`Change`], whose [`Change::cursor`] is the transaction's own last event. Several
//! processes share one database: every write transaction begins with `BEGIN IMMEDIATE`, so that what it read is
//! still true when it commits.

mod agents;
mod change;
mod check;
mod columns;
mod error;
mod events;
mod frames;
mod glance;
mod handle;
mod messages;
mod migrations;
mod news;
mod open;
mod place;
mod requests;
mod servers;
mod turns;
mod view;
mod words;

pub use agents::{AgentFilter, AgentRow, NewAgent};
pub use change::Change;
pub use check::{Soundness, check};
pub use error::StoreError;
pub use events::EventRow;
pub use frames::{FrameRow, NewFrame};
pub use glance::glance;
pub use handle::Store;
pub use messages::MessageRow;
pub use place::{DATABASE, make_private_dir, private_file};
pub use requests::RequestRow;
pub use servers::{ChildRow, ServerRow};
pub use turns::{QueueRow, TurnEnd, TurnRow};
pub use view::View;
pub use words::{AgentState, AttentionReason, MessageKind, MessageState, Phase, RequestKind, TurnReason, TurnStatus};
