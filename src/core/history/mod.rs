//! History: Claude Code's transcripts as the trees they are.
//!
//! [`History`] is the handle; each question is a plain struct and each answer a type that serialises to what
//! both faces show.
//!
//! * `find`: from what a caller passes to a project or a session; `page`: offsets and bounds; `error`.
//! * `projects`, `sessions` (with `peek`): listing from heads and tails; `recent`: the newest at a glance.
//! * `open` (with `facts`, `speech`): one session read as a tree; `reduced`: its typed prompts and real answers,
//!   where forks and the primary branch are decided.
//! * `search`: what matches, over all files.
//! * `overview` (with `subagents`), `thread`, `forks`: the three views of one session; `outline`: how one would draw it.
//!
//! Nothing is written and nothing is kept between two questions: the files are the truth.

mod error;
mod facts;
mod find;
mod forks;
mod handle;
mod open;
mod outline;
mod overview;
mod page;
mod peek;
mod projects;
mod recent;
mod reduced;
mod search;
mod sessions;
mod speech;
mod subagents;
mod thread;

pub use error::{Asked, HistoryError};
pub use forks::{Fork, ForkBranch, ForkKind, Forks, GetForks};
pub use handle::{Branch, Current, History, Role};
pub use outline::{Outline, Said, Step, Way};
pub use overview::{Compaction, GetTree, Leaf, Root, SessionTree};
pub use projects::{ListProjects, ProjectSummary, ProjectsPage};
pub use recent::Glance;
pub use search::{Ancestor, Mode, Search, SearchHit, SearchPage, Span, Watch, Within};
pub use sessions::{ListSessions, Relation, Relative, Session, Sessions};
pub use subagents::Subagent;
pub use thread::{GetThread, Thread, ThreadMessage, ToolCall};
