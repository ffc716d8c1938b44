//! One record, read leniently: borrowed fields, unknown ones skipped, the big ones left as raw JSON.

use std::{borrow::Cow, collections::HashMap, fmt, ops::Deref};

use serde::{
    Deserialize, Deserializer,
    de::{Error as DeError, Visitor},
};
use serde_json::value::RawValue;

/// A string that borrows from the line unless it holds an escape.
///
/// serde borrows a `Cow` only where it is the whole field, never inside an `Option`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text<'a>(pub Cow<'a, str>);

impl Deref for Text<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Read;
        impl<'de> Visitor<'de> for Read {
            type Value = Text<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_borrowed_str<E: DeError>(self, text: &'de str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Borrowed(text)))
            }

            fn visit_str<E: DeError>(self, text: &str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Owned(text.to_owned())))
            }
        }
        deserializer.deserialize_str(Read)
    }
}

/// Declares the fields once, for the strict reader (derived) and for the loose one.
macro_rules! lenient {
    ($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident $key:literal: $type:ty,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, Deserialize)]
        #[serde(default, bound(deserialize = "'de: 'a"))]
        pub struct $name<'a> {
            $($(#[$field_doc])* #[serde(rename = $key)] pub $field: Option<$type>,)+
        }

        impl<'a> $name<'a> {
            /// Takes every field that has the expected type, and leaves out those that have not.
            fn loose(raw: &'a str) -> Option<Self> {
                let fields: HashMap<Cow<'a, str>, &'a RawValue> = serde_json::from_str(raw).ok()?;
                Some(Self { $($field: fields.get($key).and_then(|value| Loose::loose(value.get())),)+ })
            }
        }
    };
}

/// A field's value read on its own, `None` where it has another type.
trait Loose<'a>: Sized {
    fn loose(raw: &'a str) -> Option<Self>;
}

macro_rules! loose {
    ($($type:ty),+) => {
        $(impl<'a> Loose<'a> for $type {
            fn loose(raw: &'a str) -> Option<Self> {
                serde_json::from_str(raw).ok()
            }
        })+
    };
}

loose!(Text<'a>, bool, f64, &'a RawValue);

macro_rules! nested {
    ($($type:ident),+) => {
        $(impl<'a> Loose<'a> for $type<'a> {
            fn loose(raw: &'a str) -> Option<Self> {
                $type::loose(raw)
            }
        })+
    };
}

nested!(Message, ForkedFrom, Origin);

lenient! {
    /// One record of a transcript. Every field can be missing; a kind of record that nobody knows yet has its
    /// `type` and little else.
    Record {
        /// The kind: `user`, `assistant`, `system`, `attachment`, `summary`, …
        kind "type": Text<'a>,
        /// The record's id. A record without one stands outside the tree.
        uuid "uuid": Text<'a>,
        /// The record that this one follows.
        parent "parentUuid": Text<'a>,
        /// The record that a compaction boundary follows (its `parentUuid` is null).
        logical_parent "logicalParentUuid": Text<'a>,
        /// When it was written, ISO-8601.
        timestamp "timestamp": Text<'a>,
        /// The session, as the record says; copies may name the session they were copied into.
        session_id "sessionId": Text<'a>,
        /// The working directory.
        cwd "cwd": Text<'a>,
        /// The git branch.
        git_branch "gitBranch": Text<'a>,
        /// Of a `system` record.
        subtype "subtype": Text<'a>,
        /// The sub-agent that wrote it.
        agent_id "agentId": Text<'a>,
        /// Part of a sub-agent's conversation.
        is_sidechain "isSidechain": bool,
        /// Written by the program, not typed.
        is_meta "isMeta": bool,
        /// The summary that a compaction leaves.
        is_compact_summary "isCompactSummary": bool,
        /// An API failure in the shape of an answer.
        is_api_error "isApiErrorMessage": bool,
        /// The message of a `user` or `assistant` record.
        message "message": Message<'a>,
        /// The text of a `system` record.
        content "content": &'a RawValue,
        /// Of an `attachment` record.
        attachment "attachment": &'a RawValue,
        /// What a tool gave back, in the program's own form.
        tool_use_result "toolUseResult": &'a RawValue,
        /// Of a `summary` record.
        summary "summary": Text<'a>,
        /// Of `summary` and `last-prompt` records.
        leaf "leafUuid": Text<'a>,
        /// Of a `custom-title` record.
        custom_title "customTitle": Text<'a>,
        /// Of an `ai-title` record.
        ai_title "aiTitle": Text<'a>,
        /// Where a copied record comes from (new versions).
        forked_from "forkedFrom": ForkedFrom<'a>,
        /// The session that asked for this answer: differs from the file's own in a copied record (2.1.332).
        request_session "requestSessionId": Text<'a>,
        /// Who caused a `user` record.
        origin "origin": Origin<'a>,
        /// Of a `cost-state` record.
        total_cost_usd "totalCostUSD": f64,
    }
}

lenient! {
    /// The API's message inside a record.
    Message {
        /// The API's id: the same in all records of one answer.
        id "id": Text<'a>,
        /// `user` or `assistant`.
        role "role": Text<'a>,
        /// The model, `<synthetic>` for what the program wrote itself.
        model "model": Text<'a>,
        /// A string or a list of blocks; see [`blocks`](super::blocks).
        content "content": &'a RawValue,
    }
}

lenient! {
    /// Where a copied record comes from.
    ForkedFrom {
        /// The session that was copied.
        session_id "sessionId": Text<'a>,
        /// The record there.
        message_uuid "messageUuid": Text<'a>,
    }
}

lenient! {
    /// Who caused a `user` record.
    Origin {
        /// `task-notification`, …
        kind "kind": Text<'a>,
    }
}

impl<'a> Record<'a> {
    /// Reads one record that is a whole JSON object.
    ///
    /// # Errors
    /// No JSON object, or a field of an unexpected type.
    pub fn strict(bytes: &'a [u8]) -> Result<Self, serde_json::Error> {
        serde_json::from_slice(bytes)
    }

    /// Reads what can be read of one JSON object, `None` where it is none.
    pub fn lenient(text: &'a str) -> Option<Self> {
        serde_json::from_str(text).ok().or_else(|| Self::loose(text))
    }

    /// Whether the record's type is `kind`.
    pub fn is(&self, kind: &str) -> bool {
        self.kind.as_deref() == Some(kind)
    }

    /// Whether it is part of the conversation: a `user` or an `assistant` record.
    pub fn is_conversation(&self) -> bool {
        self.is("user") || self.is("assistant")
    }
}
