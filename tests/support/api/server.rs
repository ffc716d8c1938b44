//! The server: one connection at a time for each that the CLI opens, every request recorded.

use std::{
    collections::{HashMap, HashSet},
    convert::Infallible,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{SystemTime, UNIX_EPOCH},
};

use http_body_util::{BodyExt, Channel, Either, Full, channel::Sender};
use hyper::{
    Method, Request, Response,
    body::{Bytes, Incoming},
};
use serde_json::{Value, json};
use tokio::sync::Notify;

use super::{
    answer,
    prompt::{Directives, Failure, Limit, last_prompt, typed},
};
use crate::support::{
    loopback::Loopback,
    wait::{LIMIT, wait_until},
};

/// A body that is whole or comes event by event.
type Body = Either<Full<Bytes>, Channel<Bytes, Infallible>>;

/// One recorded request.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    /// `POST /v1/messages`, without the query.
    pub(crate) route: String,
    /// The headers, names in lower case.
    pub(crate) headers: HashMap<String, String>,
    /// The body; `null` when it is no JSON.
    pub(crate) body: Value,
}

impl Asked {
    /// Whether this is a turn of the conversation, not one of the CLI's own requests (titles, the permission
    /// classifier).
    pub(crate) fn is_turn(&self) -> bool {
        self.route == "POST /v1/messages" && self.body["tools"].as_array().is_some_and(|tools| !tools.is_empty())
    }

    /// The conversation in it: role and text of each message of the two sides that has any, without the CLI's reminders.
    pub(crate) fn conversation(&self) -> Vec<(String, String)> {
        // New versions put their own instructions among the messages, as `system`.
        let messages =
            self.body["messages"].as_array().into_iter().flatten().filter(|message| message["role"] != "system");
        let spoken =
            messages.map(|message| (message["role"].as_str().unwrap_or("?").to_owned(), typed(&message["content"])));
        spoken.filter(|(_, text)| !text.is_empty()).collect()
    }
}

/// What the server's tasks share.
#[derive(Debug, Default)]
struct Shared {
    asked: Mutex<Vec<Asked>>,
    open: Mutex<HashSet<String>>,
    opened: Notify,
    failed: Mutex<HashMap<String, usize>>,
    ids: AtomicU64,
}

/// A Messages API on a loopback port of its own. Dropping it ends all its connections.
#[derive(Debug)]
pub(crate) struct Api {
    server: Loopback,
    shared: Arc<Shared>,
}

impl Api {
    /// Starts the server.
    pub(crate) fn start() -> Self {
        let shared = Arc::new(Shared::default());
        let state = Arc::clone(&shared);
        let server = Loopback::start(move |request| respond(Arc::clone(&state), request));
        Self { server, shared }
    }

    /// What `ANTHROPIC_BASE_URL` has to be.
    pub(crate) fn url(&self) -> String {
        self.server.url()
    }

    /// Lets the answers through that wait, or will wait, at `[[gate:NAME]]`.
    pub(crate) fn open(&self, name: &str) {
        self.shared.open.lock().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned());
        self.shared.opened.notify_waiters();
    }

    /// Every request so far.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.shared.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The requests so far that are turns of a conversation.
    pub(crate) fn turns(&self) -> Vec<Asked> {
        self.asked().into_iter().filter(Asked::is_turn).collect()
    }

    /// Waits for the first turn whose last prompt contains `text`.
    #[track_caller]
    pub(crate) fn wait_turn(&self, text: &str) -> Asked {
        wait_until(LIMIT, &format!("a request with the prompt {text:?}"), || {
            self.turns().into_iter().find(|asked| last_prompt(&asked.body).0.contains(text))
        })
    }
}

async fn respond(shared: Arc<Shared>, request: Request<Incoming>) -> Response<Body> {
    let (head, body) = request.into_parts();
    let bytes = body.collect().await.map(http_body_util::Collected::to_bytes).unwrap_or_default();
    let body: Value = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
    let headers = head
        .headers
        .iter()
        .map(|(name, value)| (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned()));
    let asked = Asked { route: format!("{} {}", head.method, head.uri.path()), headers: headers.collect(), body };
    shared.asked.lock().unwrap_or_else(PoisonError::into_inner).push(asked.clone());
    match (head.method, head.uri.path()) {
        (Method::POST, "/v1/messages") => messages(shared, &asked),
        (Method::POST, "/v1/messages/count_tokens") => whole(200, &json!({ "input_tokens": 12 }), &[]),
        (Method::HEAD, _) => whole(200, &Value::Null, &[]),
        _ => whole(404, &error("not_found_error", "there is nothing here"), &[]),
    }
}

fn error(kind: &str, message: &str) -> Value {
    json!({ "type": "error", "error": { "type": kind, "message": message }, "request_id": "req_loopback" })
}

/// A response with a whole body.
fn whole(status: u16, body: &Value, headers: &[(&str, String)]) -> Response<Body> {
    let text = if body.is_null() { String::new() } else { body.to_string() };
    let response = Response::builder()
        .status(status)
        .header("content-type", "application/json")
        .header("request-id", "req_loopback");
    let response = headers.iter().fold(response, |response, (name, value)| response.header(*name, value));
    response.body(Either::Left(Full::new(Bytes::from(text)))).expect("a response")
}

/// Answers a request for a message.
fn messages(shared: Arc<Shared>, asked: &Asked) -> Response<Body> {
    let id = format!("msg_{:016}", shared.ids.fetch_add(1, Ordering::Relaxed));
    let model = asked.body["model"].clone();
    let (prompt, rounds) = last_prompt(&asked.body);
    let directives = if asked.is_turn() { Directives::read(&prompt) } else { Directives::default() };
    let limit = directives.limit.map(limit_headers).unwrap_or_default();
    if directives.limit == Some(Limit::Rejected) {
        return whole(429, &error("rate_limit_error", "This request would exceed your account's rate limit."), &limit);
    }
    if let Some(failure) = directives.failure.as_ref().filter(|failure| shared.fails(&prompt, failure)) {
        return whole(failure.status, &error(&failure.kind, &failure.message), &limit);
    }
    if asked.body["stream"] != true {
        let text = format!("ECHO: {prompt}");
        let message = answer::message(&id, &model, &json!([{ "type": "text", "text": text }]), &json!("end_turn"));
        return whole(200, &message, &limit);
    }
    let (sender, body) = Channel::new(16);
    tokio::spawn(stream(shared, sender, directives, id, model, prompt, rounds));
    let response = Response::builder().header("content-type", "text/event-stream").header("request-id", "req_loopback");
    let response = limit.into_iter().fold(response, |response, (name, value)| response.header(name, value));
    response.body(Either::Right(body)).expect("a response")
}

/// Sends a streamed answer; ends early when nobody listens any more.
async fn stream(
    shared: Arc<Shared>,
    mut sender: Sender<Bytes>,
    directives: Directives,
    id: String,
    model: Value,
    prompt: String,
    rounds: usize,
) {
    let mut send = async |text: String| sender.send_data(Bytes::from(text)).await.is_ok();
    if !send(answer::start(&id, &model)).await {
        return;
    }
    // The waits belong to the prompt, not to each round of tools after it.
    if rounds == 0 {
        if let Some(delay) = directives.delay {
            tokio::time::sleep(delay).await;
        }
        if let Some(gate) = &directives.gate {
            shared.pass(gate).await;
        }
    }
    if let Some(calls) = directives.calls.get(rounds) {
        for (index, (name, input)) in calls.iter().enumerate() {
            let call = format!("toolu_{id}_{index}");
            if !send(answer::call(index, &call, name, input)).await {
                return;
            }
        }
        send(answer::end("tool_use")).await;
        return;
    }
    for event in answer::text(0, &format!("ECHO: {prompt}")) {
        if !send(event).await {
            return;
        }
        if directives.drop {
            return;
        }
        if let Some(pace) = directives.pace {
            tokio::time::sleep(pace).await;
        }
    }
    send(answer::end("end_turn")).await;
}

impl Shared {
    /// Waits at a gate.
    async fn pass(&self, gate: &str) {
        loop {
            let opened = self.opened.notified();
            if self.open.lock().unwrap_or_else(PoisonError::into_inner).contains(gate) {
                return;
            }
            opened.await;
        }
    }

    /// Whether a request with this prompt fails this time.
    fn fails(&self, prompt: &str, failure: &Failure) -> bool {
        let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        let count = failed.entry(prompt.to_owned()).or_default();
        *count += 1;
        failure.times.is_none_or(|times| *count <= times)
    }
}

/// The headers that tell a subscription's limits.
fn limit_headers(limit: Limit) -> Vec<(&'static str, String)> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let reset = (now + 3600).to_string();
    let (status, used) = match limit {
        Limit::Allowed => ("allowed", "0.12"),
        Limit::Warning => ("allowed_warning", "0.92"),
        Limit::Rejected => ("rejected", "1"),
    };
    let mut headers = vec![
        ("anthropic-ratelimit-unified-status", status.to_owned()),
        ("anthropic-ratelimit-unified-reset", reset.clone()),
        ("anthropic-ratelimit-unified-representative-claim", "five_hour".to_owned()),
        ("anthropic-ratelimit-unified-5h-status", status.to_owned()),
        ("anthropic-ratelimit-unified-5h-reset", reset),
        ("anthropic-ratelimit-unified-5h-utilization", used.to_owned()),
    ];
    match limit {
        Limit::Allowed => {}
        Limit::Warning => headers.push(("anthropic-ratelimit-unified-5h-surpassed-threshold", "0.9".to_owned())),
        Limit::Rejected => headers.extend([
            ("anthropic-ratelimit-unified-overage-status", "rejected".to_owned()),
            ("anthropic-ratelimit-unified-overage-disabled-reason", "out_of_credits".to_owned()),
            ("retry-after", "3600".to_owned()),
        ]),
    }
    headers
}
