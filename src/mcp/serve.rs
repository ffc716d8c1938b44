//! The server's life, from the first byte to the exit code.

use std::{sync::Arc, time::Duration};

use rmcp::{
    RoleServer, ServiceExt,
    service::{Peer, QuitReason, ServerInitializeError},
    transport::{async_rw::AsyncRwTransport, io::stdio_pipes},
};
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::{
    input::WatchedInput,
    offer::{Offer, Verdict, permitted},
    server::Server,
};
use crate::core::{
    Core,
    agents::Agents,
    claude::Billing,
    config::ToolSet,
    error::{Error, ErrorCode, Result},
};

/// The longest line that is read, in bytes: a prompt of 10 MB can take six times that when it is escaped.
const LONGEST_LINE: usize = 64 << 20;

/// How long the server takes over ending after a signal: clients kill after half a second. What is not ended by then
/// the supervisors end.
const SIGNAL_GRACE: Duration = Duration::from_millis(350);

/// A server that lives longer than this was not started to probe it.
const PROBE: Duration = Duration::from_secs(1);

/// What to serve.
#[derive(Clone, Debug)]
pub struct Options {
    /// The sets that were asked for; none: all.
    pub sets: Option<Vec<ToolSet>>,
    /// Drive Claude although Claude Code started this process.
    pub allow_inside_claude_code: bool,
}

/// Serves until the end of input, or until `stop` is cancelled.
///
/// # Errors
/// `RECURSION_REFUSED`, or `CLAUDE_UNAVAILABLE` and its like when there is nothing left to offer.
pub async fn serve(core: Core, options: Options, stop: CancellationToken) -> Result<()> {
    let named = options.sets.is_some();
    let sets = options.sets.unwrap_or_else(|| ToolSet::ALL.to_vec());
    let (sets, restriction) = permitted(&sets, named, core.nesting(), options.allow_inside_claude_code)?;
    let drives = sets.iter().any(|set| set.drives());
    let mut notes: Vec<String> = Vec::new();
    if let Some(restriction) = restriction {
        tracing::warn!("{restriction}");
        notes.push(restriction.to_owned());
    }
    // Known before the CLI is asked, so that it can be said in the handshake.
    if core.settings().environment.is_set("ANTHROPIC_API_KEY") && drives {
        notes.extend(Billing::ApiKey.warning().map(str::to_owned));
    }
    if drives {
        tokio::task::spawn_blocking({
            let core = core.clone();
            move || match core.end_orphans() {
                Ok(0) => {}
                Ok(count) => tracing::warn!("ended {count} processes that a killed server had left behind"),
                Err(error) => tracing::warn!("{}", error.message),
            }
        });
    }
    let offer = Arc::new(Offer::new(core.clone(), sets));
    // Cancelled at the end of input and by a signal: turns in progress end, history calls may finish.
    let work = stop.child_token();
    let agents = offer.sets().contains(&ToolSet::Agents).then(|| core.agents().clone());
    let ending = tokio::spawn({
        let (agents, work) = (agents.clone(), work.clone());
        async move {
            work.cancelled().await;
            if let Some(agents) = agents {
                agents.shut_down().await;
            }
        }
    });
    let server = Server::new(core, Arc::clone(&offer), &notes, work.clone());
    let looking = tokio::spawn({
        let offer = Arc::clone(&offer);
        async move { offer.watch().await }
    });
    let nothing_left = nothing_left(&offer);
    let outcome = tokio::select! {
        biased;
        error = nothing_left => Err(error),
        done = run(server, &offer, agents, work.clone(), &stop) => done,
    };
    looking.abort();
    work.cancel();
    // It takes its own time, which is bounded; if it panicked, the supervisors and the next server see to the rest.
    ending.await.ok();
    outcome
}

async fn run(
    server: Server,
    offer: &Arc<Offer>,
    agents: Option<Agents>,
    work: CancellationToken,
    stop: &CancellationToken,
) -> Result<()> {
    let (input, output) = stdio_pipes();
    let transport =
        AsyncRwTransport::new_server(WatchedInput::new(input, work.clone()), output).with_max_line_length(LONGEST_LINE);
    let running = match server.serve_with_ct(transport, stop.child_token()).await {
        Ok(running) => running,
        // Nobody said a word, or not for long: no failure of ours.
        Err(
            ServerInitializeError::ConnectionClosed(_)
            | ServerInitializeError::Cancelled
            | ServerInitializeError::TransportError { .. },
        ) => return Ok(()),
        Err(error) => return Err(Error::internal("opening the connection", error)),
    };
    let telling = tokio::spawn(tell_changes(Arc::clone(offer), running.peer().clone()));
    if let Some(agents) = agents {
        tokio::spawn(work.run_until_cancelled_owned(take_up(agents)));
    }
    let mut waiting = std::pin::pin!(running.waiting());
    let quit = tokio::select! {
        quit = &mut waiting => Some(quit),
        () = stop.cancelled() => timeout(SIGNAL_GRACE, waiting).await.ok(),
    };
    telling.abort();
    match quit {
        Some(Ok(QuitReason::JoinError(error)) | Err(error)) => Err(Error::internal("serving", error)),
        _ => Ok(()),
    }
}

/// Takes up what dead servers left. A client that probes throws its first server away at once: that one must not
/// begin somebody's turn.
async fn take_up(agents: Agents) {
    sleep(PROBE).await;
    agents.take_up().await;
}

/// Logs verdicts, and tells the client when the tools that depend on one come or go.
async fn tell_changes(offer: Arc<Offer>, peer: Peer<RoleServer>) {
    let mut verdicts = offer.verdicts();
    let mut offered_less = false;
    loop {
        let verdict = verdicts.borrow_and_update().clone();
        match verdict {
            Verdict::Pending => {}
            Verdict::Usable(preflight) => {
                let version = preflight.version.map_or_else(|| "unknown".to_owned(), |version| version.to_string());
                let method = preflight.auth.auth_method.as_deref().unwrap_or("unknown");
                tracing::info!(%version, login = method, billing = %preflight.billing, "Claude is usable");
                if let Some(warning) = preflight.billing.warning() {
                    tracing::warn!("{warning}");
                }
                if offered_less {
                    // A client that is gone needs no telling.
                    peer.notify_tool_list_changed().await.ok();
                }
            }
            Verdict::Unusable(error) => {
                tracing::warn!(hint = error.hint.as_deref(), "the session tools are not offered: {}", error.message);
                offered_less = true;
            }
        }
        if verdicts.changed().await.is_err() {
            return;
        }
    }
}

/// Ends when there is nothing left to offer; otherwise never.
async fn nothing_left(offer: &Offer) -> Error {
    if offer.sets() != [ToolSet::Sessions] {
        return std::future::pending().await;
    }
    let mut verdicts = offer.verdicts();
    let verdict = verdicts.wait_for(|verdict| matches!(verdict, Verdict::Unusable(_))).await;
    match verdict.as_deref() {
        Ok(Verdict::Unusable(error)) => {
            let mut error = error.clone();
            error.code = ErrorCode::ClaudeUnavailable;
            error
        }
        _ => std::future::pending().await,
    }
}
