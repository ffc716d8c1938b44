//! Trees, threads and forks as text.

use super::listing::{at, count, line, next, role};
use crate::core::history::{Branch, Fork, ForkKind, Forks, SessionTree, Thread, ThreadMessage, ToolCall};

pub(super) fn tree(tree: &SessionTree) -> String {
    let directory = tree.cwd.as_deref().unwrap_or(&tree.project);
    let mut text = format!("session {} in {directory}\n", tree.session_id);
    let facts = [
        count(tree.message_count, "message"),
        format!("{} records", tree.record_count),
        count(tree.root_count, "beginning"),
        count(tree.fork_count, "fork"),
        count(tree.compaction_count, "compaction"),
        count(tree.subagent_count, "sub-agent"),
    ];
    line(&mut text, facts.join(", "));
    let kinds: Vec<_> = tree.counts.iter().map(|(kind, count)| format!("{kind} {count}")).collect();
    line(&mut text, format_args!("records by type: {}", kinds.join(", ")));
    for root in &tree.roots {
        line(&mut text, format_args!("begins{}: {}", at(root.timestamp), root.preview));
    }
    for fork in &tree.forks {
        one_fork(&mut text, fork);
    }
    for compaction in &tree.compactions {
        let after = compaction.after_uuid.as_ref().map_or_else(String::new, |uuid| format!(" after {uuid}"));
        line(&mut text, format_args!("compacted{}{after}", at(compaction.timestamp)));
    }
    for agent in &tree.subagents {
        let words = [&agent.agent_type, &agent.description, &agent.agent_id];
        let words: Vec<_> = words.into_iter().flatten().map(String::as_str).collect();
        line(&mut text, format_args!("sub-agent: {}", words.join(", ")));
    }
    for leaf in &tree.leaves {
        let (branch, depth) = (branch(leaf.branch), count(leaf.depth, "message"));
        line(&mut text, format_args!("{branch} branch ends with {} ({depth}): {}", leaf.uuid, leaf.preview));
    }
    let damage = &tree.integrity;
    if !damage.is_clean() {
        line(
            &mut text,
            format_args!(
                "damage: {} links bridged, {} torn lines, {} bytes skipped, {} records twice",
                damage.bridged_links, damage.torn_lines, damage.skipped_bytes, damage.duplicate_records
            ),
        );
    }
    text
}

pub(super) fn thread(thread: &Thread) -> String {
    let mut text = conversation(thread);
    next(&mut text, thread.next_offset);
    text
}

/// A thread's messages as Markdown.
pub(super) fn conversation(thread: &Thread) -> String {
    let directory = thread.cwd.as_deref().unwrap_or(&thread.project);
    let total = count(thread.total, "message");
    let mut text = format!("session {} in {directory}, {} branch, {total}\n", thread.session_id, branch(thread.branch));
    for message in &thread.messages {
        one_message(&mut text, message);
    }
    text
}

fn one_message(text: &mut String, message: &ThreadMessage) {
    line(text, format_args!("\n## {}{} ({})", role(message.role), at(message.timestamp), message.uuid));
    let more = if message.truncated { " …" } else { "" };
    if !message.text.is_empty() {
        line(text, format_args!("{}{more}", message.text.trim_end()));
    }
    if !message.tools.is_empty() {
        line(text, format_args!("[tools: {}]", message.tools.join(", ")));
    }
    for call in &message.tool_calls {
        one_call(text, call);
    }
}

fn one_call(text: &mut String, call: &ToolCall) {
    line(text, format_args!("[{} {}]", call.name, call.input));
    if let Some(result) = &call.result {
        let more = if call.truncated { " …" } else { "" };
        line(text, format_args!("[{}: {result}{more}]", if call.is_error { "failed" } else { "result" }));
    }
}

pub(super) fn forks(forks: &Forks) -> String {
    let mut text = format!("session {}: {}\n", forks.session_id, count(forks.total, "fork"));
    for fork in &forks.forks {
        one_fork(&mut text, fork);
    }
    text
}

fn one_fork(text: &mut String, fork: &Fork) {
    let kind = match fork.kind {
        ForkKind::Rewind => "rewind",
        ForkKind::Retry => "retry",
        ForkKind::Divergence => "divergence",
    };
    line(text, format_args!("{kind} after {} {}: {}", role(fork.role), fork.fork_uuid, fork.preview));
    for way in &fork.branches {
        let (branch, more) = (branch(way.branch), count(way.descendant_count, "more message"));
        line(text, format_args!("  - {branch}, {more}, ends with {}: {}", way.leaf_uuid, way.preview));
    }
    let hidden = fork.branch_count.saturating_sub(fork.branches.len());
    if hidden > 0 {
        line(text, format_args!("  - and {hidden} more"));
    }
}

fn branch(branch: Branch) -> &'static str {
    match branch {
        Branch::Primary => "primary",
        Branch::Abandoned => "abandoned",
    }
}
