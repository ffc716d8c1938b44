//! Transcripts: where the files are, one record, and a whole file as a tree.
//!
//! * [`Projects`] finds the files: projects, sessions ([`SessionFile`], which also answers small questions from
//!   a file's first and last records) and sub-agents ([`AgentFile`]); [`beginning_with`] those that a name means.
//! * [`Chunks`] reads a file in runs of whole lines, [`each_record`] a line into its [`Record`]s; damage is
//!   counted in [`Integrity`] and never fails a file.
//! * [`Kind`] tells what a record is in the conversation, [`blocks`] and [`pieces`] what it says; texts stay
//!   raw JSON in the line until somebody wants to see them ([`unescape`]).
//! * [`TreeBuilder`] makes a [`Tree`] of the records: every link mended, every answer joined, every tool result
//!   at its call. It keeps no text, only each record's [`Place`] in the file, where [`Reread`] goes back to.
//!
//! Plain synchronous code: no SQLite, no face, nothing is ever written.

mod agents;
mod build;
mod chunks;
mod content;
mod edges;
mod integrity;
mod json;
mod key;
mod kind;
mod line;
mod link;
mod locate;
mod mend;
mod named;
mod record;
mod reread;
mod slug;
mod time;
mod tree;

pub use agents::{AgentFile, AgentMeta};
pub use build::{TreeBuilder, read_grown, read_records};
pub use chunks::{Chunk, Chunks, Line, Lines};
pub use content::{Block, Piece, blocks, is_queued_command, pieces, result_texts, started_agent, texts};
pub use edges::last_record;
pub use integrity::Integrity;
pub use json::{unescape, unescape_in_place};
pub use key::{Key, KeyMap, KeySet};
pub use kind::{Kind, head, typed_text};
pub use line::each_record;
pub use locate::{Contents, Project, Projects, SessionFile};
pub use mend::{MENDED, unicode_escape};
pub use named::{beginning_with, nearly_named};
pub use record::{ForkedFrom, Message as RecordMessage, Origin, Record, Text};
pub use reread::Reread;
pub use slug::slug;
pub use time::milliseconds;
pub use tree::{Call, Message, MessageId, Node, NodeId, Place, Tree};
