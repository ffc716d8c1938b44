//! Text from outside, made safe to print.

use std::{borrow::Cow, fmt::Write};

/// Removes whatever could steer a terminal: control characters other than line feed and tab, and with them the start
/// of every escape sequence; and the invisible characters that change the direction of what follows.
pub(super) fn printable(text: &str) -> Cow<'_, str> {
    if text.chars().any(is_unsafe) {
        Cow::Owned(text.chars().filter(|character| !is_unsafe(*character)).collect())
    } else {
        Cow::Borrowed(text)
    }
}

/// The same for a JSON document: there such characters can only stand in strings, where JSON has a way to write them.
pub(super) fn escaped(json: &str) -> Cow<'_, str> {
    if !json.chars().any(is_unsafe) {
        return Cow::Borrowed(json);
    }
    let mut text = String::with_capacity(json.len());
    for character in json.chars() {
        if is_unsafe(character) {
            // A text takes whatever is written to it.
            write!(text, "\\u{:04x}", u32::from(character)).ok();
        } else {
            text.push(character);
        }
    }
    Cow::Owned(text)
}

fn is_unsafe(character: char) -> bool {
    (character.is_control() && character != '\n' && character != '\t')
        || matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' | '\u{61c}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_are_disarmed() {
        assert_eq!(printable("a\u{1b}[31mb\u{7}\u{9b}c\r\n\td\u{202e}"), "a[31mbc\n\td");
        assert!(matches!(printable("äß 灯台 🚢\n"), Cow::Borrowed(_)));
    }

    #[test]
    fn json_keeps_its_value() {
        let value = serde_json::json!({ "a": "x\u{9b}31m\u{202e}\u{7f}y\n" });
        let text = serde_json::to_string_pretty(&value).unwrap();
        let safe = escaped(&text);
        assert!(!safe.chars().any(is_unsafe), "{safe:?}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&safe).unwrap(), value);
    }
}
