//! Windows: a job object that the supervisor sits in itself, two anonymous pipes, CTRL-BREAK.
//!
//! | file | what is in it |
//! |---|---|
//! | `table` | the process table, and ending one process |
//! | `channel` | the two pipes, seen from the server |
//! | `seat` | the supervisor's side |
//! | `job` | the job object |

mod channel;
mod job;
mod seat;
mod table;

pub(in super::super) use channel::{Channel, launch};
pub(in super::super) use seat::Seat;
pub(in super::super) use table::{entries, entry, own, private_directory, private_file, signal, variable, world};
