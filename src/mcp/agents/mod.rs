//! The agents' tools: durable background agents.
//!
//! | file | holds |
//! |---|---|
//! | `tools.rs` | what clients are told of each tool, in the contract's order |
//! | `params.rs` | what the tools take |
//! | `calls.rs` | what the tools do |
//! | `message.rs` | the one `send_message` that sessions and agents share when both are offered |

mod calls;
mod message;
mod params;
mod tools;

pub(super) use message::tool as shared_send_message;
pub(super) use tools::{SEND_MESSAGE, tools};
