//! Everything but the layering, in one test binary: it links once.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "tests start programs, read the environment and fail by panicking; the exemptions of clippy.toml reach test functions only, not what they share"
)]
#![cfg_attr(
    not(target_os = "linux"),
    expect(unused, reason = "tests of signals and process tables are not built here, nor is what they alone use used")
)]

#[path = "../support/mod.rs"]
mod support;

mod agents;
mod agents_faces;
mod claude;
mod cli;
mod history;
mod history_faces;
mod mcp;
mod packages;
mod process;
mod readme;
mod real;
mod sessions;
mod testbed;
