//! Configuration: what `app.rs` hands into the core, and the places that follow from it.
//!
//! | file | holds |
//! |---|---|
//! | `environment.rs` | one snapshot of the environment variables |
//! | `places.rs` | directories: Claude's own, and ours |
//! | `toolset.rs` | the groups of tools that a server may offer |
//! | `settings.rs` | everything that a flag or a variable can set, as the core takes it |

mod environment;
mod places;
mod settings;
mod toolset;

pub use environment::Environment;
pub use places::{Places, PlacesError};
pub use settings::{Diagnostics, Limits, Settings};
pub use toolset::ToolSet;
