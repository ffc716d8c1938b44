//! A Messages API on loopback that drives the real CLI: no account, no network.
//!
//! The last prompt decides the answer, by directives in its text; without any the answer is `ECHO: ` and the prompt.
//!
//! | directive | what happens |
//! |---|---|
//! | `[[delay:SECONDS]]` | the answer waits that long, after its headers |
//! | `[[gate:NAME]]` | the answer waits until [`Api::open`] |
//! | `[[http:529\|overloaded_error\|Overloaded]]` | the request fails, every time |
//! | `[[http:529\|overloaded_error\|Overloaded\|2]]` | it fails twice, then goes through |
//! | `[[limit:allowed]]`, `[[limit:warning]]`, `[[limit:rejected]]` | the headers of a subscription's limits, the last with a 429; the limit ends in one hour |
//! | `[[tool:NAME\|{JSON}]]` | calls a tool; may stand several times: one call after the other |
//! | `[[par:COMMAND;COMMAND]]` | several Bash calls in one answer |
//! | `[[task:PROMPT]]` | starts a sub-agent with that prompt |
//! | `[[pace:MILLISECONDS]]` | the answer comes word by word, that far apart |
//! | `[[drop]]` | the connection ends in the middle of the answer |
//!
//! Requests without tools (titles, the permission classifier) are the CLI's own; they are recorded and echoed, and
//! directives in them do nothing.
//!
//! | file | what it holds |
//! |---|---|
//! | `server.rs` | [`Api`]: the server, its gates and what it was asked |
//! | `prompt.rs` | the prompt of a request and its directives |
//! | `answer.rs` | the events of a streamed answer |

mod answer;
mod prompt;
mod server;

pub(crate) use server::Api;
