//! The supervisor: what runs as `ccmcp __supervise`, between a server and one program.
//!
//! Why there is one, and what it and the server say to each other: see the map of `core/process`.
//!
//! | file | what is in it |
//! |---|---|
//! | `args` | its command line: written by the server, read here |
//! | `lock` | the lock file, waited for without losing sight of the server |
//! | `run` | its life, step by step |

mod args;
mod lock;
mod run;

pub(super) use args::Args;
pub use run::supervise_if_asked;
