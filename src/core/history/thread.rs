//! `get_thread`: the messages from the root to a leaf.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::{
    Branch, History, Role,
    error::HistoryError,
    open::{Opened, Texts},
    page::{bounded, limit, next_offset, room},
    speech::{beginning, cut, each_block, join},
};
use crate::core::{
    clock::Timestamp,
    error::Result,
    ids::SessionId,
    transcript::{Block, Call, MessageId, Record, result_texts, unescape},
};

/// How many characters of a message are shown.
const CHARACTERS: usize = 1000;

/// What `get_thread` is asked.
#[derive(Clone, Debug, Default)]
pub struct GetThread {
    /// A session id or a unique prefix of one.
    pub session_id: String,
    /// Any record of the thread's last message, or a unique prefix of its uuid; `None` or `last` for the primary thread.
    pub leaf_uuid: Option<String>,
    /// A slug, a working directory, or a unique part of either.
    pub project: Option<String>,
    /// How many messages to pass over.
    pub offset: usize,
    /// How many messages to show: 50, at most 200.
    pub limit: Option<usize>,
    /// Whether tool calls come with their input and result.
    pub include_tool_calls: bool,
    /// How many characters of each text to show: 1000.
    pub max_chars: Option<usize>,
}

/// A thread, root to leaf.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Thread {
    /// The session.
    pub session_id: SessionId,
    /// The slug of its project.
    pub project: String,
    /// The working directory in which it was started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// The first record of the last message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leaf_uuid: Option<String>,
    /// Whether this is the branch that the session goes on with.
    pub branch: Branch,
    /// The messages of this page.
    pub messages: Vec<ThreadMessage>,
    /// How many messages the thread has.
    pub total: usize,
    /// What to pass as `offset` for the next page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<usize>,
}

/// One typed prompt or one answer.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ThreadMessage {
    /// Who speaks.
    pub role: Role,
    /// The text, without thinking and tools.
    pub text: String,
    /// The message's first record.
    pub uuid: String,
    /// When it began.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<Timestamp>,
    /// The text is longer than `max_chars`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    /// The names of the tools that were called, where the calls themselves are left out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
    /// The tool calls, with `include_tool_calls`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
}

/// One tool call with its result.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ToolCall {
    /// The tool.
    pub name: String,
    /// The arguments; as a text that breaks off where they are longer than `max_chars`.
    pub input: Value,
    /// The result's text, cut to `max_chars`; missing where the call has none yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// The tool failed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_error: bool,
    /// The result is longer than `max_chars`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
}

/// How much of a thread is shown.
struct Extent {
    offset: usize,
    limit: usize,
    characters: usize,
    /// Somebody asked for more than the default, and gets it.
    widened: bool,
}

impl History {
    /// The messages from the root to a leaf, one entry per typed prompt and per answer.
    ///
    /// # Errors
    /// No such session, project or record; an argument out of range; the transcript cannot be read.
    pub fn get_thread(&self, asked: &GetThread) -> Result<Thread> {
        let limit = limit(asked.limit, 50, 200)?;
        let characters = asked.max_chars.unwrap_or(CHARACTERS);
        let widened = characters > CHARACTERS || limit > 50;
        Ok(self.thread(asked, &Extent { offset: asked.offset, limit, characters, widened })?)
    }

    /// Every message of a thread in full: neither `offset`, `limit` nor `max_chars` of `asked` counts.
    ///
    /// # Errors
    /// No such session, project or record; the transcript cannot be read.
    pub fn whole_thread(&self, asked: &GetThread) -> Result<Thread> {
        Ok(self.thread(asked, &Extent { offset: 0, limit: usize::MAX, characters: usize::MAX, widened: true })?)
    }

    fn thread(&self, asked: &GetThread, extent: &Extent) -> std::result::Result<Thread, HistoryError> {
        let (file, _) = self.session(&asked.session_id, asked.project.as_deref())?;
        let opened = Opened::read(file)?;
        let leaf = opened.leaf(asked.leaf_uuid.as_deref())?;
        let chain = leaf.map(|leaf| opened.reduced.chain(leaf)).unwrap_or_default();
        let mut texts = opened.texts()?;
        let page = chain.iter().skip(extent.offset).take(extent.limit);
        let mut messages = Vec::new();
        // Messages are read one by one as they fit, so that a page never costs more than it shows.
        let mut failed = None;
        let shown = page.map_while(|message| {
            let read = texts.message(*message, extent.characters, asked.include_tool_calls);
            read.map_err(|error| failed = Some(error)).ok()
        });
        messages.extend(bounded(shown, room(extent.widened)));
        if let Some(error) = failed {
            return Err(error);
        }
        Ok(Thread {
            session_id: opened.file.id,
            project: opened.file.project.clone(),
            cwd: opened.facts.cwd.clone(),
            leaf_uuid: leaf.map(|leaf| opened.uuid(leaf)),
            branch: leaf.map_or(Branch::Primary, |leaf| opened.branch(leaf)),
            next_offset: next_offset(extent.offset, messages.len(), chain.len()),
            messages,
            total: chain.len(),
        })
    }
}

impl Opened {
    /// The message at the end of the asked thread; `None` only for a session without any message.
    fn leaf(&self, asked: Option<&str>) -> std::result::Result<Option<MessageId>, HistoryError> {
        let Some(asked) = asked.filter(|asked| !asked.is_empty() && *asked != "last") else {
            return Ok(self.reduced.primary_leaf());
        };
        let record = self.record(asked)?;
        match self.reduced.owner(record) {
            Some(message) => Ok(Some(message)),
            None => Err(self.no_record("message at", asked)),
        }
    }
}

impl Texts<'_> {
    fn message(
        &mut self,
        message: MessageId,
        characters: usize,
        with_calls: bool,
    ) -> std::result::Result<ThreadMessage, HistoryError> {
        let mut text = self.text(message, characters)?;
        let truncated = cut(&mut text, characters);
        let mut tools = Vec::new();
        let mut tool_calls = Vec::new();
        if self.opened.role(message) == Role::Assistant {
            for node in self.opened.tree.records(message) {
                let calls = self.record(node, |record| calls(record, characters))?.unwrap_or_default();
                for (id, mut call) in calls {
                    if with_calls {
                        self.result(self.opened.tree.call(&id), &id, characters, &mut call)?;
                        tool_calls.push(call);
                    } else {
                        tools.push(call.name);
                    }
                }
            }
        }
        let opened = self.opened;
        Ok(ThreadMessage {
            role: opened.role(message),
            text,
            uuid: opened.uuid(message),
            timestamp: opened.time(message),
            truncated,
            tools,
            tool_calls,
        })
    }

    /// Adds the result of a call, wherever in the file it stands.
    fn result(
        &mut self,
        call: Option<Call>,
        id: &str,
        characters: usize,
        shown: &mut ToolCall,
    ) -> std::result::Result<(), HistoryError> {
        let Some(result) = call.and_then(|call| call.result) else { return Ok(()) };
        self.record(result, |record| {
            each_block(record, &mut |block| match block {
                Block::Result { call, content, is_error } if unescape(call) == id => {
                    let mut text = String::new();
                    for piece in result_texts(content) {
                        join(&mut text, &beginning(piece, characters));
                    }
                    shown.truncated = cut(&mut text, characters);
                    shown.result = Some(text);
                    shown.is_error = is_error;
                }
                _ => {}
            });
        })?;
        Ok(())
    }
}

/// The tool calls of a record with their ids.
fn calls(record: &Record<'_>, characters: usize) -> Vec<(String, ToolCall)> {
    let mut found = Vec::new();
    each_block(record, &mut |block| {
        if let Block::Call { id, name, input } = block {
            let call = ToolCall {
                name: unescape(name).into_owned(),
                input: input_value(input, characters),
                result: None,
                is_error: false,
                truncated: false,
            };
            found.push((unescape(id).into_owned(), call));
        }
    });
    found
}

/// The arguments as they are, or the beginning of their text.
fn input_value(raw: &str, characters: usize) -> Value {
    if raw.len() <= characters {
        return serde_json::from_str(raw).unwrap_or_default();
    }
    let mut text = raw.get(..raw.floor_char_boundary(characters.saturating_mul(4))).unwrap_or_default().to_owned();
    cut(&mut text, characters);
    Value::String(text)
}
