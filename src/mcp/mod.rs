//! The MCP face: `ccmcp serve`, a server over standard input and output.
//!
//! | file | holds |
//! |---|---|
//! | `serve.rs` | the server's life, from the first byte to the exit code |
//! | `server.rs` | the protocol's requests |
//! | `offer.rs` | which tools there are to offer, and when that is known |
//! | `tool.rs` | the tools by name, and how each describes itself |
//! | `schema.rs` | schemas from types, made fit for every client |
//! | `arguments.rs` | arguments checked against the schema, then read |
//! | `reply.rs` | answers and errors as tool results |
//! | `progress.rs` | progress that can neither stall a turn nor grow without bound |
//! | `input.rs` | standard input that tells when it ends |
//! | `instructions.rs` | what a client's model is told first |
//! | `sessions.rs` | `start_session` and `send_message` |
//! | `agents/` | durable background agents |
//! | `history/` | past conversations listed, searched and read |
//!
//! Standard output carries protocol frames only.

mod agents;
mod arguments;
mod history;
mod input;
mod instructions;
mod offer;
mod progress;
mod reply;
mod schema;
mod serve;
mod server;
mod sessions;
mod tool;

pub use serve::{Options, serve};
