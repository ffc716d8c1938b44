//! The terminal face: one file a command.
//!
//! | file | holds |
//! |---|---|
//! | `arguments.rs` | the command line: [`Cli`], and what all commands share |
//! | `command_line.rs`, `usage.rs` | the command line parsed, and what is said about a wrong one |
//! | `completion.rs` | what a shell is offered while one types |
//! | `terminal.rs` | where output goes, and what errors look like there |
//! | `reply.rs` | a reply as it is written: text, spinner, the line at the end |
//! | `spinner.rs`, `status.rs` | the status line while a turn runs, and where it is drawn |
//! | `turn.rs` | `start` and `send` |
//! | `failure.rs` | why a turn failed, in the words of the command line |
//! | `serve.rs` | the arguments of `serve`, and what it says to somebody who types it |
//! | `config.rs` | `config` |
//! | `doctor.rs` | `doctor` |
//! | `sessions.rs` | `sessions` |
//! | `search.rs`, `hits.rs` | `search`, and one hit as it is shown |
//! | `tree.rs`, `picture.rs`, `conversation.rs`, `document.rs` | `tree`: a session drawn, read, exported |
//! | `ask.rs` | questions to history, asked from a terminal |
//! | `resume.rs` | the command that goes on with a session |
//! | `screen.rs` | the whole screen, for what is drawn in place |
//! | `table.rs`, `columns.rs` | what fits the terminal's width |
//! | `dates.rs` | points in time, as people write and read them |
//! | `style.rs` | styles by what they mean |
//! | `agents/` | `agents list`, `read`, `wait`, `interrupt`, `close`, `prune` |
//! | `clean.rs` | text from outside, made safe to print |
//!
//! A command parses, calls the core, and renders.

mod agents;
mod arguments;
mod ask;
mod clean;
mod columns;
mod command_line;
mod completion;
mod config;
mod conversation;
mod dates;
mod doctor;
mod document;
mod failure;
mod hits;
mod picture;
mod reply;
mod resume;
mod screen;
mod search;
mod serve;
mod sessions;
mod spinner;
mod status;
mod style;
mod table;
mod terminal;
mod tree;
mod turn;
mod usage;

pub use agents::{AgentsArgs, agents};
pub use arguments::{Cli, Command, GlobalArgs};
pub use command_line::{Unparsed, parse};
pub use completion::complete;
pub use config::{ConfigArgs, config};
pub use dates::DateArgs;
pub use doctor::{DoctorArgs, doctor};
pub use search::{OnBranch, SearchArgs, search};
pub use serve::{ServeArgs, explain_waiting};
pub use sessions::{SessionsArgs, sessions};
pub use terminal::Terminal;
pub use tree::{Export, TreeArgs, tree};
pub use turn::{SendArgs, StartArgs, send, start};
