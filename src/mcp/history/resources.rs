//! Past sessions as resources, `ccmcp://session/<id>`: for people who attach a conversation in their client.
//!
//! The list holds the newest sessions only, since some clients fetch all of it at start-up; every session can be read.

use rmcp::model::{
    Annotations, ErrorData, ListResourceTemplatesResult, ListResourcesResult, ReadResourceResult, Resource,
    ResourceContents, ResourceTemplate,
};
use serde_json::json;

use super::{
    listing::{count, line},
    shape,
};
use crate::core::{
    error::{Error, ErrorCode},
    history::{GetThread, History, ListSessions, Session, Thread},
};

/// What comes before a session's id.
const SESSION: &str = "ccmcp://session/";

/// What may come behind it.
const TEMPLATE: &str = "ccmcp://session/{session_id}{?offset,leaf_uuid,project}";

/// What a conversation is written in.
const MARKDOWN: &str = "text/markdown";

/// How many sessions are listed on all pages together.
const LISTED: usize = 100;

type Result<T> = std::result::Result<T, ErrorData>;

/// A page of the newest sessions. `cursor` is the place in the list at which the page begins.
pub(in crate::mcp) fn list(history: &History, cursor: Option<&str>) -> Result<ListResourcesResult> {
    let offset = match cursor.map(str::parse) {
        None => 0,
        Some(Ok(offset)) if offset < LISTED => offset,
        Some(_) => {
            let message = "the cursor is not one that resources/list gave: leave it out to begin at the newest session";
            return Err(ErrorData::invalid_params(message, None));
        }
    };
    let page =
        history.list_sessions(&ListSessions { offset, ..ListSessions::default() }).map_err(|error| refusal(&error))?;
    let sessions = &page.sessions;
    let twice = |session: &Session| sessions.iter().filter(|other| other.session_id == session.session_id).count() > 1;
    let resources = sessions.iter().map(|session| resource(session, twice(session))).collect();
    let mut listed = ListResourcesResult::with_all_items(resources);
    listed.resources.truncate(LISTED - offset);
    listed.next_cursor = page.next_offset.filter(|next| *next < LISTED).map(|next| next.to_string());
    Ok(listed)
}

/// `twice`: the id alone does not tell which session is meant.
fn resource(session: &Session, twice: bool) -> Resource {
    let title = session.title.as_deref().unwrap_or("(no prompt)");
    let directory = session.cwd.as_deref().unwrap_or(&session.project);
    let messages = count(session.message_count, "message");
    let mut annotations = Annotations::default();
    annotations.last_modified = session.last_timestamp.map(|at| at.to_string());
    // Claude Code lists resources by address and description and says the name of the one it reads: each of the three
    // has to tell a person which conversation it is.
    let project = if twice { format!("?project={}", session.project) } else { String::new() };
    Resource::new(format!("{SESSION}{}{project}", session.session_id), title)
        .with_title(title)
        .with_description(format!("{title} ({messages} in {directory})"))
        .with_mime_type(MARKDOWN)
        .with_annotations(annotations)
}

/// How every session's address is made.
pub(in crate::mcp) fn templates() -> ListResourceTemplatesResult {
    ListResourceTemplatesResult::with_all_items(vec![
        ResourceTemplate::new(TEMPLATE, "session")
            .with_title("A past Claude Code conversation")
            .with_description(
                "Any past Claude Code conversation: session_id is its id or a unique prefix, offset how many messages to \
                 pass over, leaf_uuid where to end, for another branch than the one that the session goes on with, project \
                 the directory where one id is in several.",
            )
            .with_mime_type(MARKDOWN),
    ])
}

/// One session's conversation, at most 40 kB of it.
pub(in crate::mcp) fn read(history: &History, uri: &str) -> Result<ReadResourceResult> {
    let asked = question(uri)?;
    let thread = history.get_thread(&asked).map_err(|error| refusal(&error))?;
    let contents = ResourceContents::text(text(&thread, &asked), uri).with_mime_type(MARKDOWN);
    Ok(ReadResourceResult::new(vec![contents]))
}

/// What an address asks for.
fn question(uri: &str) -> Result<GetThread> {
    let rest = uri.strip_prefix(SESSION).ok_or_else(|| {
        let known = format!("no such resource: the resources are {TEMPLATE}");
        ErrorData::resource_not_found(known, Some(json!({ "uri": uri })))
    })?;
    let (session, query) = rest.split_once('?').unwrap_or((rest, ""));
    let mut asked = GetThread { session_id: session.to_owned(), ..GetThread::default() };
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        match pair.split_once('=') {
            Some(("offset", offset)) => {
                let whole =
                    |_| ErrorData::invalid_params("`offset` is not valid: expected a whole number from 0", None);
                asked.offset = offset.parse().map_err(whole)?;
            }
            Some(("leaf_uuid", leaf)) => asked.leaf_uuid = Some(leaf.to_owned()),
            Some(("project", project)) => asked.project = Some(project.to_owned()),
            _ => {
                let message = "a session's address takes offset, leaf_uuid and project; for more, call get_thread";
                return Err(ErrorData::invalid_params(message, None));
            }
        }
    }
    Ok(asked)
}

/// The conversation, and how to read on where it is not all of it.
fn text(thread: &Thread, asked: &GetThread) -> String {
    let mut text = shape::conversation(thread);
    let is_cut = thread.messages.iter().any(|message| message.truncated);
    if is_cut || thread.next_offset.is_some() {
        line(&mut text, "\n---");
    }
    if is_cut {
        line(&mut text, "Texts that end with … are cut: the tool get_thread with max_chars gives them whole.");
    }
    if let Some(next) = thread.next_offset {
        let more = |name, value: Option<&String>| value.map_or_else(String::new, |value| format!("&{name}={value}"));
        let (leaf, project) = (more("leaf_uuid", asked.leaf_uuid.as_ref()), more("project", asked.project.as_ref()));
        let uri = format!("{SESSION}{}?offset={next}{leaf}{project}", thread.session_id);
        line(&mut text, format_args!("{} of {} messages came before this; to go on, read {uri}", next, thread.total));
    }
    text
}

/// What the core refuses, as the protocol says it, with the error that a tool would answer in the data.
fn refusal(error: &Error) -> ErrorData {
    let message = match &error.hint {
        Some(hint) => format!("{}. {hint}", error.message),
        None => error.message.clone(),
    };
    // Only texts, numbers and lists of them: writing it cannot fail.
    let data = serde_json::to_value(error).ok();
    match error.code {
        ErrorCode::SessionNotFound | ErrorCode::RecordNotFound => ErrorData::resource_not_found(message, data),
        ErrorCode::HistoryUnreadable | ErrorCode::InternalError => ErrorData::internal_error(message, data),
        _ => ErrorData::invalid_params(message, data),
    }
}
