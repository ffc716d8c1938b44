//! Makes a damaged but whole JSON object readable, in place: no second copy of a line of any length.

use std::str;

/// What stands for a byte that is none of a text: one byte long, allowed in JSON, and nothing anybody types.
pub const MENDED: char = '\u{7F}';

/// Replaces what serde does not read in a string: invalid UTF-8 (by [`MENDED`]) and lone surrogates (by U+FFFD).
///
/// Returns the text, which has the same length.
pub(super) fn mend(bytes: &mut [u8]) -> &str {
    replace_invalid(bytes);
    replace_lone_surrogates(bytes);
    str::from_utf8(bytes).unwrap_or_default()
}

fn replace_invalid(bytes: &mut [u8]) {
    let mut from = 0;
    while let Some(Err(error)) = bytes.get(from..).map(str::from_utf8) {
        let start = from + error.valid_up_to();
        let end = error.error_len().map_or(bytes.len(), |length| start + length);
        if let Some(invalid) = bytes.get_mut(start..end) {
            invalid.fill(MENDED as u8);
        }
        from = end;
    }
}

/// Replaces raw control characters inside strings by [`MENDED`]; says whether there were any.
pub(super) fn replace_controls(bytes: &mut [u8]) -> bool {
    let mut in_string = false;
    let mut escaped = false;
    let mut replaced = false;
    for byte in bytes {
        match *byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = in_string,
            b'"' => in_string = !in_string,
            ..b' ' if in_string => {
                *byte = MENDED as u8;
                replaced = true;
            }
            _ => {}
        }
    }
    replaced
}

fn replace_lone_surrogates(bytes: &mut [u8]) {
    let mut at = 0;
    while let Some(found) = bytes.get(at..).and_then(|rest| memchr::memchr(b'\\', rest)) {
        at += found;
        let length = match unicode_escape(bytes, at) {
            Some(0xD800..=0xDBFF) if matches!(unicode_escape(bytes, at + 6), Some(0xDC00..=0xDFFF)) => 12,
            Some(0xD800..=0xDFFF) => {
                if let Some(digits) = bytes.get_mut(at + 2..at + 6) {
                    digits.copy_from_slice(b"fffd");
                }
                6
            }
            _ => 2,
        };
        at += length;
    }
}

/// The UTF-16 unit that the escape `\uXXXX` at `at` stands for.
pub fn unicode_escape(bytes: &[u8], at: usize) -> Option<u16> {
    let digits = bytes.get(at..at.checked_add(6)?)?.strip_prefix(b"\\u")?;
    digits.iter().try_fold(0_u16, |unit, digit| {
        let value = char::from(*digit).to_digit(16)?;
        Some(unit << 4 | u16::try_from(value).ok()?)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mends_without_changing_the_length() {
        let mut bytes = br#"{"a":"\ud83d\udea2 \ud83d \\ud83d \udea2"}"#.to_vec();
        assert_eq!(mend(&mut bytes), r#"{"a":"\ud83d\udea2 \ufffd \\ud83d \ufffd"}"#);
        let mut bytes = b"{\"a\":\"\xFFx\xC3\"}".to_vec();
        assert_eq!(mend(&mut bytes), "{\"a\":\"\u{7F}x\u{7F}\"}");
    }
}
