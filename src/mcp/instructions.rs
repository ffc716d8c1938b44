//! What a client's model is told first.

use crate::core::config::ToolSet;

/// Composes the instructions. Some clients show only the first line, cut at 247 characters, so that says what the
/// server is for.
pub(super) fn compose(sets: &[ToolSet], notes: &[String]) -> String {
    let has = |set| sets.contains(&set);
    let mut parts = Vec::new();
    if has(ToolSet::Sessions) {
        parts.push("start and continue Claude Code sessions");
    }
    if has(ToolSet::Agents) {
        parts.push("run Claude Code as durable background agents");
    }
    if has(ToolSet::History) {
        parts.push("search and read past Claude Code conversations");
    }
    let mut lines = vec![format!("ccmcp works with Claude Code on this machine: {}.", parts.join("; "))];
    if has(ToolSet::Sessions) {
        lines.push(
            "Sessions: start_session opens one in a directory and runs a turn; send_message (session_id + the same cwd) \
             goes on. Nothing is kept in the server, so sessions survive its restarts."
                .to_owned(),
        );
    }
    if has(ToolSet::Agents) {
        lines.push(
            "Agents: spawn_agent starts one in the background, wait_agent (its cursor, until: turn_end) brings the \
             result, followup_task gives it more. Agents that write at the same time need a git worktree each. They \
             outlive this server; close_agent when done."
                .to_owned(),
        );
    }
    if has(ToolSet::History) {
        lines.push(
            "History: search finds what was said in past conversations, list_sessions what there is; get_thread reads \
             one, get_tree and get_forks show its branches, abandoned ones included. Nothing is changed, nothing leaves \
             this machine. Where next_offset is given, pass it as offset for more."
                .to_owned(),
        );
    }
    lines.extend(notes.iter().cloned());
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_says_it_all_and_fits() {
        let text = compose(&[ToolSet::Sessions, ToolSet::Agents, ToolSet::History], &["A note.".to_owned()]);
        let first = text.lines().next().unwrap();
        assert!(first.chars().count() <= 240, "{first}");
        assert!(first.contains("sessions") && first.contains("agents") && first.contains("past"));
        assert!(text.ends_with("A note."));
    }
}
