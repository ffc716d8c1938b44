//! The text of a configuration file: places in it, and changes to it that leave all the rest as it is.

use std::ops::Range;

/// Why a file cannot be read or changed, and where in it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {reason}")]
pub(super) struct Fault {
    /// From 1.
    pub(super) line: usize,
    /// From 1, in characters.
    pub(super) column: usize,
    /// What is wrong there.
    pub(super) reason: String,
    /// Whether the client can read it all the same, and only a change cannot be made.
    pub(super) is_style: bool,
}

impl Fault {
    /// A fault at a byte of the text.
    pub(super) fn at(text: &str, offset: usize, reason: impl Into<String>) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Self {
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            reason: reason.into(),
            is_style: false,
        }
    }

    /// Something in the way of a change at a byte of the text, which is written as the client takes it.
    pub(super) fn style(text: &str, offset: usize, reason: impl Into<String>) -> Self {
        Self { is_style: true, ..Self::at(text, offset, reason) }
    }
}

/// Puts other text in the place of some ranges, which lie in order and do not overlap. All else stays byte for byte.
pub(super) fn spliced(text: &str, splices: &[(Range<usize>, String)]) -> String {
    let mut result = String::with_capacity(text.len() + splices.iter().map(|(_, new)| new.len()).sum::<usize>());
    let mut done = 0;
    for (range, new) in splices {
        result.push_str(&text[done..range.start]);
        result.push_str(new);
        done = range.end;
    }
    result.push_str(&text[done..]);
    result
}

/// How the text ends its lines; its first line decides.
pub(super) fn line_end(text: &str) -> &'static str {
    match text.find('\n') {
        Some(newline) if text[..newline].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// The white space that the line of this byte begins with, up to the byte.
pub(super) fn indent_at(text: &str, offset: usize) -> &str {
    let line = &text[text[..offset].rfind('\n').map_or(0, |newline| newline + 1)..offset];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// Where the line of this byte ends: before its line end, or at the end of the text.
pub(super) fn end_of_line(text: &str, offset: usize) -> usize {
    let end = text[offset..].find('\n').map_or(text.len(), |newline| offset + newline);
    if text[offset..end].ends_with('\r') { end - 1 } else { end }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_says_where() {
        let fault = Fault::at("a\r\nßé x", "a\r\nßé ".len(), "bad");
        assert_eq!(fault.to_string(), "line 2, column 4: bad");
    }

    #[test]
    fn lines_are_measured() {
        let text = "ab\r\n\t  cd # e\r\nf";
        assert_eq!((line_end(text), line_end("x")), ("\r\n", "\n"));
        assert_eq!(indent_at(text, 8), "\t  ");
        assert_eq!(&text[..end_of_line(text, 5)], "ab\r\n\t  cd # e");
        assert_eq!(end_of_line(text, text.len()), text.len());
    }
}
