//! Follows a search from outside: how far it is, and an end to it.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};

/// How far a search is, and whether it is still wanted. Shared with the thread that searches.
#[derive(Debug, Default)]
pub struct Watch {
    cancelled: AtomicBool,
    files: AtomicUsize,
    files_done: AtomicUsize,
    bytes: AtomicU64,
    bytes_done: AtomicU64,
}

impl Watch {
    /// Ends the search soon, with [`Cancelled`](crate::core::error::ErrorCode::Cancelled).
    pub fn cancel(&self) {
        self.cancelled.store(true, Relaxed);
    }

    /// Whether the search is no longer wanted.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Relaxed)
    }

    /// How many files have been searched, of how many.
    pub fn files(&self) -> (usize, usize) {
        (self.files_done.load(Relaxed), self.files.load(Relaxed))
    }

    /// How many bytes have been searched, of how many.
    pub fn bytes(&self) -> (u64, u64) {
        (self.bytes_done.load(Relaxed), self.bytes.load(Relaxed))
    }

    pub(super) fn begin(&self, files: usize, bytes: u64) {
        self.files.store(files, Relaxed);
        self.bytes.store(bytes, Relaxed);
    }

    pub(super) fn file_done(&self) {
        self.files_done.fetch_add(1, Relaxed);
    }

    pub(super) fn bytes_read(&self, bytes: u64) {
        self.bytes_done.fetch_add(bytes, Relaxed);
    }
}
