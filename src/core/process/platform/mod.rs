//! What the operating systems each do differently, behind one set of names.
//!
//! * `entry`, `entries`, `variable`, `own`, `world`, `signal`: the process table, for whoever wants to know or end a process;
//! * [`Channel`], `launch`: the server's end of a supervisor;
//! * [`Seat`]: the supervisor's own end: its control channel, its program and the tree below;
//! * `words`: what all of these speak of.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "macos")]
mod macos;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;
mod words;

#[cfg(target_os = "linux")]
pub(super) use linux::{entries, entry, own, signal, variable, world};
#[cfg(target_os = "macos")]
pub(super) use macos::{entries, entry, own, signal, variable, world};
#[cfg(unix)]
pub(super) use unix::{Channel, Seat, launch, private_directory, private_file};
#[cfg(windows)]
pub(super) use windows::{
    Channel, Seat, entries, entry, launch, own, private_directory, private_file, signal, variable, world,
};
pub(super) use words::{CLEAR_LIMIT, Cleared, Entry, Notice, Signal, descendants};
