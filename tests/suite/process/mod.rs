//! Real processes under the real supervisor, each branch of it. They are shell scripts, so these tests are Unix's.
#![cfg(unix)]
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "Clippy takes only functions with #[test] for tests"
)]

mod bystander;
mod harness;
mod ladder;
mod launch;
mod limits;
mod lock;
mod lost;
mod memory;
mod owner;
mod streams;
mod tree;
