//! Tests of `core::agents` through its public surface, on the scripted Claude.
//!
//! | file | about |
//! |---|---|
//! | `ground.rs` | what the tests stand on |
//! | `turns.rs` | turns: what is told, what is delivered, what comes back |
//! | `mail.rs` | context and followups |
//! | `ending.rs` | interrupts, limits, failures, shutdown |
//! | `reading.rs` | waiting, reading, and what must not be read |
//! | `servers.rs` | several servers on one state directory |
//! | `real.rs` | the same with the real CLI |
//! | `crashes.rs` | single crashes, each with its way out |
//! | `crash.rs` | random kills under load |

mod crash;
mod crashes;
mod ending;
mod ground;
mod mail;
mod reading;
#[cfg(unix)]
mod real;
mod servers;
mod turns;
