//! A Responses API on loopback that drives the real Codex CLI: no account, no network.
//!
//! A test says what the model does in each round; what Codex sent is recorded whole.

use std::sync::{Arc, Mutex, PoisonError};

use http_body_util::{BodyExt, Full};
use hyper::{
    Method, Request, Response,
    body::{Bytes, Incoming},
};
use serde_json::{Value, json};

use super::loopback::Loopback;

/// What the model does in a round.
#[derive(Clone, Debug)]
pub(crate) enum Turn {
    /// Calls a tool of an MCP server.
    Tool {
        /// The server's name, as Codex spells it: `mcp__NAME`.
        server: String,
        /// The tool.
        name: String,
        /// Its arguments.
        arguments: Value,
    },
    /// Calls a tool of Codex's own.
    Own {
        /// The tool.
        name: String,
        /// Its arguments.
        arguments: Value,
    },
    /// Says something, which ends the turn.
    Say(String),
}

/// What the server was sent.
#[derive(Debug, Default)]
struct Asked {
    /// The bodies of the requests for an answer.
    rounds: Vec<Value>,
    /// Everything else: method and path.
    others: Vec<String>,
}

/// A Responses API on a loopback port of its own.
#[derive(Debug)]
pub(crate) struct Responses {
    server: Loopback,
    asked: Arc<Mutex<Asked>>,
}

impl Responses {
    /// Starts the server. `play` decides each round by the tool outputs so far, in the order of the calls.
    pub(crate) fn start(play: impl Fn(&[Value]) -> Turn + Send + Sync + 'static) -> Self {
        let asked = Arc::new(Mutex::new(Asked::default()));
        let (play, record) = (Arc::new(play), Arc::clone(&asked));
        let server = Loopback::start(move |request| respond(Arc::clone(&play), Arc::clone(&record), request));
        Self { server, asked }
    }

    /// What `base_url` of the model provider has to be.
    pub(crate) fn url(&self) -> String {
        format!("{}/v1", self.server.url())
    }

    /// The bodies of the requests for an answer so far.
    pub(crate) fn rounds(&self) -> Vec<Value> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).rounds.clone()
    }

    /// What else was asked for: method and path.
    pub(crate) fn others(&self) -> Vec<String> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).others.clone()
    }
}

/// The outputs of the tools that a request holds, as the model is shown them.
pub(crate) fn outputs(body: &Value) -> Vec<Value> {
    let items = body["input"].as_array().into_iter().flatten();
    items.filter(|item| item["type"] == "function_call_output").map(|item| item["output"].clone()).collect()
}

async fn respond<P: Fn(&[Value]) -> Turn>(
    play: Arc<P>,
    asked: Arc<Mutex<Asked>>,
    request: Request<Incoming>,
) -> Response<Full<Bytes>> {
    let (head, body) = request.into_parts();
    let bytes = body.collect().await.map(http_body_util::Collected::to_bytes).unwrap_or_default();
    if head.method != Method::POST || !head.uri.path().ends_with("/responses") {
        let other = format!("{} {}", head.method, head.uri.path());
        asked.lock().unwrap_or_else(PoisonError::into_inner).others.push(other);
        return Response::builder().status(404).body(Full::default()).expect("a response");
    }
    let body: Value = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
    let turn = play(&outputs(&body));
    let round = {
        let mut asked = asked.lock().unwrap_or_else(PoisonError::into_inner);
        asked.rounds.push(body);
        asked.rounds.len()
    };
    let events: String = events(round, turn).iter().map(event).collect();
    let response = Response::builder().header("content-type", "text/event-stream");
    response.body(Full::new(Bytes::from(events))).expect("a response")
}

/// The events of an answer, as the public Responses API streams them.
fn events(round: usize, turn: Turn) -> [Value; 3] {
    let id = format!("resp_{round}");
    let call = |name: String, arguments: &Value| {
        json!({ "type": "function_call", "call_id": format!("call_{round}"), "name": name,
                "arguments": arguments.to_string() })
    };
    let item = match turn {
        Turn::Tool { server, name, arguments } => {
            let mut item = call(name, &arguments);
            item["namespace"] = json!(server);
            item
        }
        Turn::Own { name, arguments } => call(name, &arguments),
        Turn::Say(text) => json!({ "type": "message", "role": "assistant", "id": format!("msg_{round}"),
                                   "content": [{ "type": "output_text", "text": text }] }),
    };
    let usage = json!({ "input_tokens": 1, "input_tokens_details": null, "output_tokens": 1,
                        "output_tokens_details": null, "total_tokens": 2 });
    [
        json!({ "type": "response.created", "response": { "id": id } }),
        json!({ "type": "response.output_item.done", "output_index": 0, "item": item }),
        json!({ "type": "response.completed", "response": { "id": id, "usage": usage } }),
    ]
}

/// One server-sent event.
fn event(data: &Value) -> String {
    format!("event: {}\ndata: {data}\n\n", data["type"].as_str().unwrap_or_default())
}
