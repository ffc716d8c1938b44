//! Cursors: places in the order of events, as decimal text.

use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};

/// A place in the order of all events (or of one agent's raw frames): "everything after this".
///
/// Text, because the numbers of a long-lived store outgrow what JavaScript clients can hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cursor(pub i64);

impl Cursor {
    /// Reads a cursor: `0`, or digits without a leading zero.
    pub fn parse(text: &str) -> Option<Self> {
        let canonical = text == "0" || (!text.starts_with('0') && text.bytes().all(|byte| byte.is_ascii_digit()));
        if canonical { text.parse().ok().map(Self) } else { None }
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Serialize for Cursor {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl JsonSchema for Cursor {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Cursor".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": "^(0|[1-9][0-9]*)$" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_canonical_form_is_read() {
        for text in ["0", "1", "10", "9223372036854775807"] {
            assert_eq!(Cursor::parse(text).map(|cursor| cursor.to_string()).as_deref(), Some(text));
        }
        for text in ["", "00", "01", "-1", "+1", " 1", "1 ", "1.0", "0x1", "9223372036854775808", "١"] {
            assert_eq!(Cursor::parse(text), None, "{text:?}");
        }
    }
}
