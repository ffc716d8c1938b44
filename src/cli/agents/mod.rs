//! `ccmcp agents`: background agents looked at and steered.
//!
//! Spawning and mail are for servers, whose processes live on; everything else works from here, beside running servers
//! and without one.
//!
//! | file | holds |
//! |---|---|
//! | `arguments.rs` | the subcommands |
//! | `alone.rs` | what to say when no server is there |
//! | `run.rs` | which one it is, and its errors in a terminal's words |
//! | `list.rs`, `watch.rs`, `read.rs`, `follow.rs`, `wait.rs`, `steer.rs` | `list`; `list --watch`; `read`; `read --follow`; `wait`; `interrupt`, `close`, `prune` |
//! | `table.rs`, `event.rs`, `outcome.rs` | agents as a table, an event as a line, a turn's result |
//! | `words.rs` | ages, durations, dollars, and what fits into a column |

mod alone;
mod arguments;
mod event;
mod follow;
mod list;
mod outcome;
mod read;
mod run;
mod steer;
mod table;
mod wait;
mod watch;
mod words;

pub use arguments::AgentsArgs;
pub use run::agents;
