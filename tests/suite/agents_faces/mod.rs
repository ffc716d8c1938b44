//! Both faces of the agents: the MCP tools over real pipes, and `ccmcp agents` beside running servers.

mod arguments;
mod calls;
mod ends;
mod ground;
mod listing;
mod message;
mod real;
mod screens;
mod secrets;
mod terminal;
mod unavailable;
mod waiting;
mod watching;
