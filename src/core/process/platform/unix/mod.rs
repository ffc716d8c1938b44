//! What Linux and macOS have in common: the socket pair, the supervisor's waiting, and ending a tree.
//!
//! | file | what is in it |
//! |---|---|
//! | `channel` | the socket pair, seen from the server |
//! | `inherited` | what a supervisor finds open when it starts: its end of the socket pair, and what it has to close |
//! | `files` | files and directories for this user alone |
//! | `seat` | the supervisor's side |

mod channel;
mod files;
mod inherited;
mod seat;

pub(in super::super) use channel::{Channel, launch};
pub(in super::super) use files::{private_directory, private_file};
pub(in super::super) use seat::Seat;
