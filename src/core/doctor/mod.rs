//! The doctor: asks all the others how they are.
//!
//! | file | holds |
//! |---|---|
//! | `report.rs` | [`Check`] and [`Report`] |
//! | `examination.rs` | [`Doctor`]: which checks there are, and their order |
//! | `cli.rs` | the Claude CLI: executable, version, login, billing |
//! | `surroundings.rs` | where this process stands, and the entries in Claude Code's own configuration |
//! | `clients.rs` | the entries for ccmcp in MCP clients' configurations |
//! | `program.rs` | the program that such an entry names |
//! | `mend.rs` | what brings such an entry up to date |
//! | `directories.rs` | Claude's directories and ours |
//! | `agents.rs` | the agents' database, and what dead servers left in it |
//! | `processes.rs` | processes without an owner; the self-test |
//! | `live.rs` | one real turn |

mod agents;
mod cli;
mod clients;
mod directories;
mod examination;
mod live;
mod mend;
mod processes;
mod program;
mod report;
mod surroundings;

pub use examination::Doctor;
pub use report::{Check, Report, Status};
