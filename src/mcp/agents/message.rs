//! The one `send_message` that sessions and agents share when both are offered.
//!
//! Its schema is flat, since clients lose the names behind alternatives; whom it addresses decides which set's own
//! contract holds from there on.

use std::path::PathBuf;

use futures_util::{FutureExt, future::BoxFuture};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    super::{
        reply::Reply,
        schema, sessions,
        tool::{Call, Effect, Entry},
    },
    calls,
    params::SendMessageParams,
    tools::SEND_MESSAGE,
};
use crate::core::{
    agents::SentMessage,
    error::{Error, ErrorCode, Result},
    ids::{AgentId, SessionId},
    sessions::TurnAnswer,
};

/// The tool.
pub(in crate::mcp) fn tool() -> Entry {
    let mut entry = Entry::new::<EitherMessageParams, TurnAnswer>(
        SEND_MESSAGE,
        "Message a session or an agent",
        "Send a message to an EXISTING Claude Code session or to a background agent: pass session_id or agent_id, not \
         both. SESSION (with cwd and model): runs one turn and returns Claude's answer (response), usage and cost. It \
         waits for the turn, and a call that the client cuts off (often at 60 s) ends it: for longer work use agents. \
         AGENT: gives it context without asking for a turn; a turn in progress gets it at once, otherwise it comes \
         first in the next. For work, call followup_task instead."
            .to_owned(),
        Effect::Continues,
        ErrorCode::SchemaValidation,
        send_message,
    );
    entry.tool.output_schema = Some(schema::either_output::<TurnAnswer, SentMessage>());
    entry
}

/// Only its schema is used: what is passed is read by the set that it addresses.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "each set reads its own parameters")]
struct EitherMessageParams {
    /// The message. Not empty.
    #[schemars(length(min = 1))]
    message: String,
    /// The agent (a UUID); then only `message` beside it.
    agent_id: Option<AgentId>,
    /// The session (a UUID).
    session_id: Option<SessionId>,
    /// For a session: the directory that it was started in, an absolute path.
    #[schemars(length(min = 1))]
    cwd: Option<PathBuf>,
    /// For a session: one of those that `start_session` lists.
    model: Option<String>,
    /// For a session, as in `start_session` (1 to 86400000, default 60000).
    #[schemars(range(min = 1, max = 86_400_000))]
    timeout_idle_ms: Option<u64>,
    /// For a session, as in `start_session` (1 to 86400000, default 1800000).
    #[schemars(range(min = 1, max = 86_400_000))]
    timeout_wall_ms: Option<u64>,
}

fn send_message(call: Call) -> BoxFuture<'static, Result<Reply>> {
    let is_given = |name: &str| call.arguments.contains_key(name);
    match (is_given("session_id"), is_given("agent_id")) {
        (true, false) => sessions::send_message(call.under::<sessions::SendMessageParams>(ErrorCode::SchemaValidation)),
        (false, true) => calls::send_message(call.under::<SendMessageParams>(ErrorCode::InvalidInput)),
        (both, _) => {
            let error = unaddressed(both);
            async move { Err(error) }.boxed()
        }
    }
}

/// Nobody is addressed, or two are.
fn unaddressed(both: bool) -> Error {
    let (message, hint) = if both {
        (
            "`session_id` and `agent_id` exclude each other.",
            "Leave `agent_id` out to run a turn of the session, or pass only `agent_id` and `message`.",
        )
    } else {
        (
            "Neither `session_id` nor `agent_id` says whom the message is for.",
            "Pass `session_id`, `cwd` and `model` to run a turn of a session, or `agent_id` to give an agent context.",
        )
    };
    Error::new(ErrorCode::SchemaValidation, message).hint(hint).details(|details| {
        details.field = Some("agent_id".to_owned());
        details.expected = Some("exactly one of session_id and agent_id".to_owned());
    })
}
