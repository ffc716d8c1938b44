//! The core: everything ccmcp knows and does, without a face.
//!
//! [`Core`] is the one handle that both faces get.

pub mod agents;
pub mod claude;
pub mod clients;
pub mod clock;
pub mod config;
pub mod doctor;
pub mod error;
pub mod history;
pub mod ids;
pub mod nearest;
pub mod process;
pub mod sessions;
pub mod store;
pub mod transcript;

mod handle;

pub use handle::Core;
