//! Where this process stands, and the entries in Claude Code's own configuration.

use super::{mend::mend, report::Check};
use crate::core::{
    claude::{Depth, Nesting},
    clients::{Client, Scan, ServerEntry, scan},
    config::Settings,
};

const NESTING: &str = "nesting";
const ENTRIES: &str = "Claude Code's MCP entries";

/// Whether the recursion guard has anything to say here.
pub(super) fn nesting(settings: &Settings) -> Check {
    match Nesting::of(&settings.environment) {
        Nesting::Outside => Check::ok(NESTING, "not inside Claude"),
        Nesting::InsideClaude => Check::warn(
            NESTING,
            "inside Claude Code: `serve` offers only the history tools",
            "Run ccmcp outside Claude Code to drive sessions, or pass --allow-inside-claude-code.",
        ),
        Nesting::Driven => {
            let depth = Depth::of(&settings.environment).get();
            Check::warn(
                NESTING,
                format!("inside a Claude that ccmcp drives (depth {depth}): nothing can be driven from here"),
                "Run ccmcp outside Claude Code to drive sessions.",
            )
        }
    }
}

/// Whether Claude Code itself would start a ccmcp that drives Claude. Blocks.
pub(super) fn client_entries(settings: &Settings) -> Check {
    let Scan { entries, faults } = scan(settings, &[Client::ClaudeCode]);
    if let Some((_, file, error)) = faults.first() {
        let detail = format!("{} cannot be read: {error}", file.display());
        return Check::warn(ENTRIES, detail, "Mend the file: Claude Code cannot read it either.");
    }
    let ccmcp: Vec<&ServerEntry> = entries.iter().filter(|entry| entry.is_ccmcp()).collect();
    if let Some(entry) = ccmcp.iter().find(|entry| entry.drives()) {
        let detail = format!("`{}` in {} lets Claude drive Claude", entry.name, entry.file.display());
        return Check::fail(
            ENTRIES,
            detail,
            format!(
                "Make it `ccmcp serve --tools history`: a Claude that drives Claudes can go on for ever, at your cost. {}",
                mend(settings, entry)
            ),
        );
    }
    if let Some(entry) = ccmcp.iter().find(|entry| entry.asks_to_drive()) {
        let detail = format!("`{}` in {} asks for more than the history tools", entry.name, entry.file.display());
        return Check::warn(
            ENTRIES,
            detail,
            format!(
                "Make it `ccmcp serve --tools history`: the recursion guard leaves out the rest anyway. {}",
                mend(settings, entry)
            ),
        );
    }
    Check::ok(ENTRIES, if ccmcp.is_empty() { "no ccmcp there" } else { "only the history tools" })
}
