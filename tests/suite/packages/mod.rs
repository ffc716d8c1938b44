//! What people install: the archive for a target, and the bundle for MCP clients.

mod archive;
mod bundle;
