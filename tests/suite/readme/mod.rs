//! README.md is true: its commands run as they stand, and its tables leave nothing out.

use std::{fs, path::Path};

#[cfg(target_os = "linux")]
mod snippets;
mod tables;

/// The README's text.
fn readme() -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).expect("README.md")
}
