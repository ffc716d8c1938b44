//! The Claude CLI: what ccmcp knows about the program that it drives.
//!
//! | file | holds |
//! |---|---|
//! | `executable.rs` | finding the program |
//! | `preflight.rs` | is it usable: version, login, billing |
//! | `guard.rs` | the recursion guard: Claude driving Claude |
//! | `environment.rs` | what a child inherits |
//! | `command.rs` | command lines, a reason for every flag |
//! | `models.rs` | which model names are accepted |
//! | `frame.rs` | the stream-json frames, read tolerantly |
//! | `observation.rs` | what a turn's frames amount to |
//! | `failure.rs` | why a turn failed, and the code for it |
//! | `owner.rs` | which living process owns a session |
//!
//! Facts about the CLI come from running its versions 2.1.197, 2.1.238 and 2.1.332 against a scripted API.

mod command;
mod environment;
mod executable;
mod failure;
mod frame;
mod guard;
mod models;
mod observation;
mod owner;
mod preflight;

pub use command::{AgentCommand, Profile, RESERVED_FLAGS, SessionCommand, Target};
pub use environment::{child_environment, redact};
pub use executable::{Executable, ExecutableError, FoundBy, find};
pub use failure::{Failure, FailureKind};
pub use frame::{Activity, ApiRetry, Assistant, Frame, Init, RateLimit, ResultFrame, User};
pub use guard::{DEPTH_VARIABLE, Depth, Nesting};
pub use models::Models;
pub use observation::Observation;
pub use owner::{LiveOwner, live_owner};
pub use preflight::{Auth, Billing, MINIMUM_FOR_AGENTS, Preflight, Unusable, Version, check};
