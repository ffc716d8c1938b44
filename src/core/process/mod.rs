//! Processes: spawn, lines, deadlines, the kill ladder, identity, and the supervisor. The only place that starts one.
//!
//! # Map
//!
//! | file | what is in it |
//! |---|---|
//! | `launch` | [`Launch`]: what to start; [`Stdin`], [`Limits`] |
//! | `spawner` | [`Spawner`] starts a supervisor, [`Held`] waits for the lock and lets the program go |
//! | `child` | [`Child`]: the one handle that a task pulls [`Event`]s from |
//! | `timers` | when a child's limits, steps and grace periods are due |
//! | `ladder` | [`Ladder`]: how a child is ended, step by step; [`End`] says which step worked |
//! | `output` | [`Spawner::output`]: short commands |
//! | `lines`, `pipes` | bytes of standard output into lines; the tasks on standard input and standard error |
//! | `identity` | [`Identity`]: a pid that cannot be mistaken for a later one |
//! | `marker`, `sweep` | the variable that says whose a process is; finding and ending what has no owner left |
//! | `foreign` | ending a process that is no child of ours |
//! | `control` | the words that server and supervisor exchange |
//! | `supervisor` | the other side: what runs as `ccmcp __supervise` |
//! | `platform` | what Linux, macOS and Windows each do differently |
//!
//! # Why a supervisor
//!
//! When a server dies, in whatever way, nothing that it started may go on. A server cannot promise that about itself
//! (it may be killed), and the program cannot be asked to (Claude lives on when its parent is killed, and runs every
//! Bash command in a session and process group of its own). So each program has a supervisor between itself and the
//! server: the same executable, entered before anything else of ccmcp is set up, with one thread and no state. It
//! hands its own standard streams to the program, keeps no copy of them, and holds three things: the control channel,
//! the program's whole tree, and the file lock that the program needs. While it lives the lock is taken; it goes only
//! when the tree is dead. If the server is killed, its end of the channel closes, which means: end the tree now.
//!
//! # The control channel
//!
//! On Unix one end of a socket pair as file descriptor 3, on Windows two anonymous pipes.
//!
//! | server to supervisor | |
//! |---|---|
//! | `g` | the lock is yours, start the program |
//! | `i`, `t` | SIGINT, SIGTERM to the program's process group |
//! | `k`, or the end of the channel | end the whole tree |
//!
//! | supervisor to server, one a line | |
//! |---|---|
//! | `locked` | it has the lock, and waits for `g` |
//! | `started PID START` | the program runs |
//! | `exited code N`, `exited signal N` | the program has ended; now the rest of the tree is ended |
//! | `gone KILLED LEFT` | the tree is dead, but for `LEFT` processes that cannot be killed |
//! | `failed STAGE ERRNO` | `setup`, `lock`, `cwd` or `start` did not work |
//!
//! # What each platform can promise
//!
//! | | Linux | macOS | Windows |
//! |---|---|---|---|
//! | server killed | tree ends (channel) | tree ends (channel) | tree ends (channel) |
//! | supervisor killed | program ends (parent-death signal), the server sweeps by marker | the server sweeps by marker | the kernel ends all (job object) |
//! | both killed | program ends; the next server sweeps by marker | the next server sweeps by marker | the kernel ends all |
//! | escape from the tree | none (child subreaper) | a process that detaches within the observation interval and hides its environment | none |
//! | SIGINT, SIGTERM | yes | yes | both are CTRL-BREAK |

mod child;
mod control;
mod error;
mod foreign;
mod identity;
mod ladder;
mod launch;
mod lifeline;
mod lines;
mod marker;
mod output;
mod pipes;
mod platform;
mod spawner;
mod supervisor;
mod sweep;
mod timers;

pub use child::{Child, Event};
pub use control::Exit;
pub use error::{SpawnError, WriteError};
pub use identity::{Identity, Liveness, NotAnIdentity};
pub use ladder::{End, Ladder, Step};
pub use launch::{Launch, Limits, Stdin};
pub use lines::Line;
pub use output::Output;
pub use spawner::{Held, Spawner};
pub use supervisor::supervise_if_asked;
pub use sweep::{Swept, orphans, sweep_dead_owners};
pub use timers::Deadline;
