//! The history tools: past conversations listed, searched and read.
//!
//! | file | holds |
//! |---|---|
//! | `tools.rs` | the six tools, and how each is run |
//! | `params.rs` | their arguments, and the questions that these are to the core |
//! | `listing.rs` | projects, sessions and hits as text |
//! | `shape.rs` | trees, threads and forks as text |
//! | `resources.rs` | past sessions as resources, `ccmcp://session/<id>` |
//! | `prompts.rs` | the prompt `recall` |
//!
//! The structured content is the whole answer; the text is the same for people, without what only programs need.

mod listing;
mod params;
pub(super) mod prompts;
pub(super) mod resources;
mod shape;
mod tools;

pub(super) use tools::tools;
