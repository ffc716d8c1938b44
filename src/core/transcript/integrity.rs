//! What could not be read in a transcript, and what was mended: counted, never a reason to fail the file.

use schemars::JsonSchema;
use serde::Serialize;

/// The damage found in one file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Integrity {
    /// Records whose parent is not in the file, joined to the record before them.
    pub bridged_links: u64,
    /// Lines that break off in the middle of a record.
    pub torn_lines: u64,
    /// Bytes that belong to no readable record.
    pub skipped_bytes: u64,
    /// Records whose `uuid` an earlier record already has.
    pub duplicate_records: u64,
    /// Links that led back to where they came from, cut.
    #[serde(skip_serializing_if = "is_zero")]
    pub cut_cycles: u64,
    /// Lines that hold more than one record.
    #[serde(skip_serializing_if = "is_zero")]
    pub shared_lines: u64,
    /// Lines that hold JSON, but no object.
    #[serde(skip_serializing_if = "is_zero")]
    pub foreign_lines: u64,
    /// Records read after mending: invalid UTF-8, lone surrogates, raw control characters, fields of the wrong type.
    #[serde(skip_serializing_if = "is_zero")]
    pub mended_records: u64,
    /// Bytes of a last line that is still being written.
    #[serde(skip_serializing_if = "is_zero")]
    pub unfinished_bytes: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Integrity {
    /// Whether nothing at all was wrong.
    pub fn is_clean(&self) -> bool {
        *self == Self::default()
    }
}
