//! The configuration entries of MCP clients: which there are, and ccmcp's own.
//!
//! | file | holds |
//! |---|---|
//! | `client.rs` | [`Client`]: the clients, and what is particular to each |
//! | `files.rs` | where each keeps its configuration |
//! | `setup.rs` | [`Setup`]: ccmcp's entry for one client, to be shown or written |
//! | `entry.rs` | what that entry holds |
//! | `environment.rs` | the variables in it |
//! | `executable.rs` | the path of ccmcp in it |
//! | `merge.rs` | what changes in an entry that is there already |
//! | `document.rs` | one entry of a text added or brought up to date |
//! | `jsonc.rs`, `toml.rs` | one value of a text set, in either format |
//! | `list.rs` | the elements of a list in a text |
//! | `text.rs` | places in a text, and changes to it |
//! | `replace.rs` | a file replaced in one step, with a backup |
//! | `server.rs` | [`ServerEntry`]: a server as it stands in a file |
//! | `wrapper.rs` | what a command such as `env` starts |
//! | `scan.rs` | all servers in all clients' files |
//! | `error.rs` | why a file was not changed |

mod client;
mod document;
mod entry;
mod environment;
mod error;
mod executable;
mod files;
mod jsonc;
mod list;
mod merge;
mod replace;
mod scan;
mod server;
mod setup;
mod text;
mod toml;
mod wrapper;

pub use client::Client;
pub use entry::CODEX_CALL_SECONDS;
pub use executable::{is_same_file, lasting_executable};
pub use files::{project_file, user_file};
pub use scan::{Scan, scan};
pub use server::{Scope, ServerEntry};
pub use setup::{Outcome, Request, Setup, Written, is_usable_name};
