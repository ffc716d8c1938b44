//! Walks through JSON that serde has already found sound, without building anything.
//!
//! serde gives the big fields of a record as raw text. What is inside is found here by jumping from quote to
//! quote, at the speed of a byte search; nothing is copied, and positions in the line stay known. On text that
//! is no JSON the walks end early; they never panic.

use std::borrow::Cow;

use memchr::{memchr, memchr2};

use super::mend::{MENDED, unicode_escape};

/// The length of the string at the start of `text`, both quotes included.
fn string_length(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = 1;
    loop {
        at += memchr2(b'"', b'\\', bytes.get(at..)?)?;
        if bytes.get(at) == Some(&b'"') {
            return Some(at + 1);
        }
        at += 2;
    }
}

/// The length of the value at the start of `text`.
fn value_length(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    match bytes.first()? {
        b'"' => string_length(text),
        b'{' | b'[' => {
            let mut depth = 0_usize;
            let mut at = 0;
            loop {
                match bytes.get(at)? {
                    b'"' => at += string_length(text.get(at..)?)? - 1,
                    b'{' | b'[' => depth += 1,
                    b'}' | b']' => depth -= 1,
                    _ => {}
                }
                at += 1;
                if depth == 0 {
                    return Some(at);
                }
            }
        }
        _ => Some(bytes.iter().take_while(|byte| !matches!(byte, b',' | b'}' | b']') && **byte > b' ').count()),
    }
}

/// Splits the value at the start of `text` off; `text` then begins behind the comma that follows, if one does.
fn take_value<'a>(text: &mut &'a str) -> Option<&'a str> {
    let (value, rest) = text.split_at_checked(value_length(text)?)?;
    let rest = rest.trim_ascii_start();
    *text = rest.strip_prefix(',').unwrap_or(rest).trim_ascii_start();
    (!value.is_empty()).then_some(value)
}

/// The inside of a string's raw text, still escaped; `None` where the value is no string.
pub(super) fn inner(value: &str) -> Option<&str> {
    value.strip_prefix('"')?.strip_suffix('"')
}

/// The fields of an object's raw text: the key (still escaped) and the raw value.
pub(super) fn fields(object: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = object.trim_ascii_start().strip_prefix('{').unwrap_or_default().trim_ascii_start();
    std::iter::from_fn(move || {
        if !rest.starts_with('"') {
            return None;
        }
        let (key, behind) = rest.split_at_checked(string_length(rest)?)?;
        rest = behind.trim_ascii_start().strip_prefix(':')?.trim_ascii_start();
        Some((inner(key)?, take_value(&mut rest)?))
    })
}

/// The raw values of an array's raw text.
pub(super) fn items(array: &str) -> impl Iterator<Item = &str> {
    let mut rest = array.trim_ascii_start().strip_prefix('[').unwrap_or_default().trim_ascii_start();
    std::iter::from_fn(move || if rest.starts_with(']') { None } else { take_value(&mut rest) })
}

/// Every string value anywhere in the raw text, still escaped, with the last key before it (empty at the top).
pub(super) fn strings(value: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = value;
    let mut key = "";
    std::iter::from_fn(move || {
        loop {
            let (_, from) = rest.split_at_checked(memchr(b'"', rest.as_bytes())?)?;
            let (string, behind) = from.split_at_checked(string_length(from)?)?;
            rest = behind;
            let string = inner(string)?;
            if behind.trim_ascii_start().starts_with(':') {
                key = string;
            } else {
                return Some((key, string));
            }
        }
    })
}

/// The text that a raw string stands for.
pub fn unescape(raw: &str) -> Cow<'_, str> {
    if memchr(b'\\', raw.as_bytes()).is_none() {
        return Cow::Borrowed(raw);
    }
    let mut bytes = raw.as_bytes().to_vec();
    let length = unescape_in_place(&mut bytes).len();
    bytes.truncate(length);
    Cow::Owned(String::from_utf8(bytes).unwrap_or_default())
}

/// Like [`unescape`], over the escaped text itself, which never is shorter: a string of any length needs no
/// second copy. What is not UTF-8 ends the text. A lone surrogate becomes U+FFFD.
pub fn unescape_in_place(bytes: &mut [u8]) -> &str {
    let mut read = 0;
    let mut written = 0;
    while let Some(run) = bytes.get(read..) {
        let length = memchr(b'\\', run).unwrap_or(run.len());
        if written != read {
            bytes.copy_within(read..read + length, written);
        }
        read += length;
        written += length;
        if read >= bytes.len() {
            break;
        }
        let (character, used) = escaped(bytes, read);
        let mut utf8 = [0; 4];
        let utf8 = character.encode_utf8(&mut utf8).as_bytes();
        if let Some(place) = bytes.get_mut(written..written + utf8.len()) {
            place.copy_from_slice(utf8);
        }
        read += used;
        written += utf8.len();
    }
    let text = bytes.get(..written).unwrap_or_default();
    match std::str::from_utf8(text) {
        Ok(text) => text,
        Err(error) => text.get(..error.valid_up_to()).and_then(|text| std::str::from_utf8(text).ok()).unwrap_or(""),
    }
}

/// The character that the escape at `at` stands for, and the escape's length.
fn escaped(bytes: &[u8], at: usize) -> (char, usize) {
    let simple = match bytes.get(at + 1) {
        Some(b'n') => '\n',
        Some(b't') => '\t',
        Some(b'r') => '\r',
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'u') => return utf16_escape(bytes, at),
        Some(other) if other.is_ascii() => char::from(*other),
        _ => return ('\\', 1),
    };
    (simple, 2)
}

fn utf16_escape(bytes: &[u8], at: usize) -> (char, usize) {
    // The replacement must not be longer than what it replaces.
    let Some(unit) = unicode_escape(bytes, at) else { return (MENDED, 2) };
    let next = unicode_escape(bytes, at + 6).unwrap_or_default();
    match char::decode_utf16([unit, next]).next() {
        Some(Ok(character)) => (character, 6 * character.len_utf16()),
        _ => ('\u{FFFD}', 6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_fields_items_and_strings() {
        let object = r#"{ "a" : "x\"y" , "b":[1, {"c":"}"}, "]"],"d":-1.5e3,"e":{},"f":[],"g":null}"#;
        let found: Vec<_> = fields(object).collect();
        assert_eq!(
            found,
            [
                ("a", r#""x\"y""#),
                ("b", r#"[1, {"c":"}"}, "]"]"#),
                ("d", "-1.5e3"),
                ("e", "{}"),
                ("f", "[]"),
                ("g", "null")
            ]
        );
        assert_eq!(items(found[1].1).collect::<Vec<_>>(), ["1", r#"{"c":"}"}"#, r#""]""#]);
        assert_eq!(items("[ ]").count() + fields("{ }").count() + fields("[1]").count() + items("3").count(), 0);
        assert_eq!(strings(object).collect::<Vec<_>>(), [("a", r#"x\"y"#), ("c", "}"), ("c", "]")]);
    }

    #[test]
    fn unescapes_like_serde() {
        for raw in [r"plain", r#"\"\\\/\b\f\n\r\t"#, r"\u0041\u00e9\ud83d\udea2 灯\u53f0", r"", r"a\\", r"\\u0041"] {
            let expected: String = serde_json::from_str(&format!("\"{raw}\"")).unwrap();
            assert_eq!(unescape(raw), expected, "{raw}");
        }
        assert_eq!(unescape(r"\ud83dx\udea2"), "\u{FFFD}x\u{FFFD}");
        assert_eq!(unescape("\\"), "\\");
        assert_eq!(unescape("\\u12"), "\u{7F}12");
    }
}
