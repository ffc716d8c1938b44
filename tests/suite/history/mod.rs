//! Tests of `core::history` and `core::transcript` through their public surface.

#![expect(
    clippy::unwrap_used,
    clippy::format_collect,
    reason = "tests fail by panicking, in their helpers too, and build small texts"
)]

#[expect(dead_code, reason = "the bench fills whole directories with it")]
mod corpus;
mod draft;
mod expected;
mod generated;
mod memory;
mod paths;
mod properties;
mod reference;
mod scenarios;

use std::path::{Path, PathBuf};

use ccmcp::core::history::History;

/// The transcripts with known answers, as a config directory.
fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/transcripts")
}

/// History over the transcripts with known answers.
fn known() -> History {
    History::new(fixtures().join("projects"))
}
