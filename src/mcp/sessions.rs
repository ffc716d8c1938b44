//! `start_session` and `send_message`.

use std::path::PathBuf;

use futures_util::{FutureExt, future::BoxFuture};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    progress::Progress,
    reply::Reply,
    tool::{Call, Effect, Entry},
};
use crate::core::{
    claude::Models,
    error::{ErrorCode, Result},
    ids::SessionId,
    sessions::{Send, Start, TurnAnswer, TurnEvent, TurnLimits},
};

/// What a progress message says while another turn of the session runs.
const WAITING: &str = "waiting: another turn of this session is running";

/// The tools of this set.
pub(super) fn tools(models: &Models) -> Vec<Entry> {
    let models = accepted(models);
    let patience = "It waits for the turn, and a call that the client cuts off (often at 60 s) ends it: for longer work \
                    use spawn_agent and wait_agent where offered.";
    vec![
        Entry::new::<StartSessionParams, TurnAnswer>(
            "start_session",
            "Start a session",
            format!(
                "Start a NEW Claude Code session in a directory and run its first turn: Claude reads and edits files and \
                 runs commands there. Returns its answer (response), session_id, usage and cost; go on with \
                 send_message, that session_id and the same cwd. {patience}"
            ),
            Effect::Starts,
            ErrorCode::SchemaValidation,
            start_session,
        )
        .describing("model", &models),
        Entry::new::<SendMessageParams, TurnAnswer>(
            "send_message",
            "Continue a session",
            format!(
                "Send a message to an EXISTING Claude Code session and run one turn. Pass the session_id and cwd of \
                 start_session; any session of this machine that is not open elsewhere can be continued. Returns \
                 Claude's answer (response), usage and cost. Calls on one session run one after another. {patience}"
            ),
            Effect::Continues,
            ErrorCode::SchemaValidation,
            send_message,
        )
        .describing("model", &models),
    ]
}

/// What `model` may be, in words.
fn accepted(models: &Models) -> String {
    format!("One of: {}.", models.names().join(", "))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct StartSessionParams {
    /// Where to work: the absolute path of an existing directory.
    #[schemars(length(min = 1))]
    cwd: PathBuf,
    /// The first prompt. Not empty, at most 10 MiB.
    #[schemars(length(min = 1))]
    initial_prompt: String,
    /// One of the accepted models.
    model: String,
    /// End the turn after so many milliseconds without output (1 to 86400000, default 60000).
    #[schemars(range(min = 1, max = 86_400_000))]
    timeout_idle_ms: Option<u64>,
    /// End the turn after so many milliseconds (1 to 86400000, default 1800000).
    #[schemars(range(min = 1, max = 86_400_000))]
    timeout_wall_ms: Option<u64>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SendMessageParams {
    /// The session's id (a UUID).
    session_id: SessionId,
    /// The absolute path of the directory that it was started in.
    #[schemars(length(min = 1))]
    cwd: PathBuf,
    /// The message. Not empty, at most 10 MiB.
    #[schemars(length(min = 1))]
    message: String,
    /// One of the accepted models.
    model: String,
    /// End the turn after so many milliseconds without output (1 to 86400000, default 60000).
    #[schemars(range(min = 1, max = 86_400_000))]
    timeout_idle_ms: Option<u64>,
    /// End the turn after so many milliseconds (1 to 86400000, default 1800000).
    #[schemars(range(min = 1, max = 86_400_000))]
    timeout_wall_ms: Option<u64>,
}

fn limits(idle: Option<u64>, wall: Option<u64>) -> TurnLimits {
    let default = TurnLimits::default();
    TurnLimits { idle_ms: idle.unwrap_or(default.idle_ms), wall_ms: wall.unwrap_or(default.wall_ms) }
}

fn start_session(mut call: Call) -> BoxFuture<'static, Result<Reply>> {
    async move {
        let params: StartSessionParams = call.read()?;
        let request = Start {
            session_id: SessionId::new(),
            cwd: params.cwd,
            prompt: params.initial_prompt,
            model: params.model,
            limits: limits(params.timeout_idle_ms, params.timeout_wall_ms),
            extra: Vec::new(),
        };
        let mut progress = Progress::of(&call.context);
        let answer = call.core.sessions().start(request, &mut |event| tell(&mut progress, event), &call.cancel).await;
        progress.finish().await;
        Reply::json(&answer?)
    }
    .boxed()
}

pub(super) fn send_message(mut call: Call) -> BoxFuture<'static, Result<Reply>> {
    async move {
        let params: SendMessageParams = call.read()?;
        let request = Send {
            session_id: params.session_id,
            cwd: params.cwd,
            message: params.message,
            model: params.model,
            limits: limits(params.timeout_idle_ms, params.timeout_wall_ms),
            extra: Vec::new(),
        };
        let mut progress = Progress::of(&call.context);
        let answer = call.core.sessions().send(request, &mut |event| tell(&mut progress, event), &call.cancel).await;
        progress.finish().await;
        Reply::json(&answer?)
    }
    .boxed()
}

fn tell(progress: &mut Progress, event: TurnEvent<'_>) {
    match event {
        TurnEvent::Waiting => progress.tell(WAITING.as_bytes()),
        TurnEvent::Frame(line, _) => progress.tell(line),
        // It becomes the answer.
        TurnEvent::Result(_) => {}
    }
}
