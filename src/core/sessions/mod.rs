//! Sessions: start and continue Claude Code sessions, one `claude -p` process per call.
//!
//! The driver keeps nothing: the caller carries session id and directory, and the session lives in Claude Code's own
//! transcript. Turns of one session run one after another, within a process and across processes.
//!
//! | file | holds |
//! |---|---|
//! | `service.rs` | [`Sessions`]: start and send, from arguments to answer |
//! | `request.rs` | what a caller asks for, and its limits |
//! | `lookup.rs` | the transcript that a session id and a directory mean |
//! | `queue.rs` | first come, first served within this process |
//! | `turn.rs` | one turn: from lock to outcome |
//! | `answer.rs` | what a turn gives back |

mod answer;
mod lookup;
mod queue;
mod request;
mod service;
mod turn;

pub use answer::TurnAnswer;
pub use lookup::{Found, SessionName};
pub use request::{LONGEST_PROMPT, Send, Start, TURN_LIMITS, TurnLimits};
pub use service::Sessions;
pub use turn::TurnEvent;
