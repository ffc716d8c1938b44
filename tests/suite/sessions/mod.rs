//! Sessions through the terminal: the same core answers over MCP.

mod answer;
mod ends;
mod faults;
mod launch;
mod lookup;
mod queue;
mod recordings;
mod secrets;
