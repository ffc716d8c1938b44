//! The configuration entries of MCP clients.
//!
//! | file | holds |
//! |---|---|
//! | `claude_code.rs` | the entries that Claude Code itself reads |

mod claude_code;

pub use claude_code::{ServerEntry, claude_code_entries};
