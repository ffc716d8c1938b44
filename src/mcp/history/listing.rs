//! Projects, sessions and hits as text.

use std::fmt::{Display, Write};

use crate::core::{
    clock::Timestamp,
    history::{Branch, ProjectsPage, Relation, Role, SearchHit, SearchPage, Session, Sessions},
};

pub(super) fn projects(page: &ProjectsPage) -> String {
    let mut text = format!(
        "{} with {}, {} bytes\n",
        count(page.total, "project"),
        count(page.total_sessions, "session"),
        page.total_size_bytes
    );
    for project in &page.projects {
        let last = project.last_activity.map_or_else(String::new, |at| format!(", last used {at}"));
        let directory = project.cwd.as_deref().unwrap_or(&project.slug);
        let sessions = count(project.session_count, "session");
        line(&mut text, format_args!("- {directory}: {sessions}{last} (slug {})", project.slug));
    }
    next(&mut text, page.next_offset);
    text
}

pub(super) fn sessions(page: &Sessions) -> String {
    let mut text = format!("{}\n", count(page.total, "session"));
    for session in &page.sessions {
        one_session(&mut text, session);
    }
    unreadable(&mut text, &page.unreadable);
    next(&mut text, page.next_offset);
    text
}

fn one_session(text: &mut String, session: &Session) {
    let title = session.title.as_deref().unwrap_or("(no prompt)");
    line(text, format_args!("- {title}"));
    let mut facts = vec![count(session.message_count, "message")];
    facts.extend(session.fork_count.map(|forks| count(forks, "fork")));
    facts.extend((session.subagent_count > 0).then(|| count(session.subagent_count, "sub-agent")));
    facts.extend(session.git_branch.as_ref().map(|branch| format!("git {branch}")));
    let directory = session.cwd.as_deref().unwrap_or(&session.project);
    line(text, format_args!("  {} in {directory}, {}", session.session_id, facts.join(", ")));
    if let (Some(first), Some(last)) = (session.first_timestamp, session.last_timestamp) {
        line(text, format_args!("  {first} to {last}"));
    }
    for relative in &session.lineage {
        let relation = match relative.relation {
            Relation::Origin => "copied from",
            Relation::Copy => "copied to",
        };
        line(text, format_args!("  {relation} {}", relative.session_id));
    }
}

pub(super) fn hits(page: &SearchPage) -> String {
    let bound = if page.complete { "" } else { "at least " };
    let mut text = format!("{bound}{} in {}\n", count(page.total, "hit"), count(page.files_searched, "file"));
    for hit in &page.hits {
        one_hit(&mut text, hit);
    }
    unreadable(&mut text, &page.unreadable);
    next(&mut text, page.next_offset);
    if let Some(cursor) = &page.cursor {
        line(&mut text, format_args!("time ran out; to go on pass cursor {cursor:?}"));
    }
    text
}

fn one_hit(text: &mut String, hit: &SearchHit) {
    let at = hit.timestamp.map_or_else(String::new, |at| format!("{at} "));
    let abandoned = if hit.branch == Branch::Abandoned { ", abandoned branch" } else { "" };
    let agent = hit.agent_id.as_ref().map_or_else(String::new, |agent| format!(", sub-agent {agent}"));
    let directory = hit.cwd.as_deref().unwrap_or(&hit.project);
    line(text, format_args!("- {at}{directory}{abandoned}{agent}"));
    line(text, format_args!("  session {}, record {}", hit.session_id, hit.uuid));
    for ancestor in &hit.ancestors {
        line(text, format_args!("  {}: {}", role(ancestor.role), ancestor.preview));
    }
    line(text, format_args!("  {}: {}", role(hit.role), marked(hit)));
    if !hit.also_in.is_empty() {
        let others: Vec<_> = hit.also_in.iter().map(ToString::to_string).collect();
        line(text, format_args!("  also in {}", others.join(", ")));
    }
}

/// The snippet on one line, its matches between «».
fn marked(hit: &SearchHit) -> String {
    let mut text = String::new();
    for (index, character) in hit.snippet.chars().enumerate() {
        if hit.matches.iter().any(|span| span.start == index) {
            text.push('«');
        }
        text.push(if character == '\n' { ' ' } else { character });
        if hit.matches.iter().any(|span| span.end == index + 1) {
            text.push('»');
        }
    }
    text
}

pub(super) fn role(role: Role) -> &'static str {
    match role {
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::Tool => "tool",
        Role::System => "system",
    }
}

/// `1 fork`, `2 forks`.
pub(super) fn count(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

pub(super) fn line(text: &mut String, line: impl Display) {
    // A text takes whatever is written to it.
    writeln!(text, "{line}").ok();
}

/// ` at <time>`, where it is known.
pub(super) fn at(timestamp: Option<Timestamp>) -> String {
    timestamp.map_or_else(String::new, |at| format!(" at {at}"))
}

pub(super) fn next(text: &mut String, offset: Option<usize>) {
    if let Some(offset) = offset {
        line(text, format_args!("more: offset {offset}"));
    }
}

fn unreadable(text: &mut String, files: &[String]) {
    for file in files {
        line(text, format_args!("cannot be read: {file}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::{history::Span, ids::SessionId};

    #[test]
    fn matches_are_marked_by_characters_and_line_ends_are_none() {
        let hit = SearchHit {
            session_id: SessionId::new(),
            project: "p".into(),
            cwd: None,
            uuid: "u".into(),
            role: Role::User,
            timestamp: None,
            branch: Branch::Primary,
            agent_id: None,
            snippet: "灯台 and\n灯台".into(),
            matches: vec![Span { start: 0, end: 2 }, Span { start: 7, end: 9 }],
            ancestors: Vec::new(),
            also_in: Vec::new(),
        };
        assert_eq!(marked(&hit), "«灯台» and «灯台»");
    }
}
