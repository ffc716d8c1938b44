//! Ids: UUIDs, version 4 where ccmcp makes them, any version where it reads them.

use std::{fmt, str::FromStr};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use uuid::Uuid;

/// A text that is no UUID in the usual form of 36 characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a UUID (expected 8-4-4-4-12 hexadecimal digits)")]
pub struct NotAnId;

/// Defines one kind of id, so that a turn's id cannot be passed where an agent's is meant.
macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Uuid);

        impl $name {
            /// A new random id (UUID version 4).
            #[expect(clippy::new_without_default, reason = "every new id differs: there is no default one")]
            pub fn new() -> Self {
                Self(Uuid::new_v4())
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.as_hyphenated().fmt(f)
            }
        }

        impl FromStr for $name {
            type Err = NotAnId;

            fn from_str(text: &str) -> Result<Self, NotAnId> {
                // The other forms that `Uuid` reads (braces, no hyphens, URN) are not what the CLI takes.
                if text.len() != 36 {
                    return Err(NotAnId);
                }
                Uuid::try_parse(text).map(Self).map_err(|_| NotAnId)
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
            }
        }

        impl JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn inline_schema() -> bool {
                true
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({ "type": "string", "format": "uuid" })
            }
        }
    };
}

id! {
    /// A Claude Code session: the name of its transcript.
    SessionId
}
id! {
    /// A background agent.
    AgentId
}
id! {
    /// One turn of a background agent.
    TurnId
}
id! {
    /// One message in an agent's mailbox.
    MessageId
}
id! {
    /// One `ccmcp` process that owns children: a server, or a terminal command that runs a turn.
    OwnerId
}
id! {
    /// One supervised child process and everything it starts.
    ChildId
}
id! {
    /// One attempt to deliver an input to the CLI, echoed by its replay and lifecycle frames.
    InputId
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_only_the_usual_form() {
        let id = SessionId::new();
        assert_eq!(id.to_string().parse::<SessionId>(), Ok(id));
        for text in ["", "x", "{67e55044-10b1-426f-9247-bb680e5fe0c8}", "67e5504410b1426f9247bb680e5fe0c8"] {
            assert_eq!(text.parse::<SessionId>(), Err(NotAnId), "{text}");
        }
    }

    #[test]
    fn upper_case_is_the_same_id() {
        let id: SessionId = "67E55044-10B1-426F-9247-BB680E5FE0C8".parse().unwrap();
        assert_eq!(id.to_string(), "67e55044-10b1-426f-9247-bb680e5fe0c8");
    }
}
