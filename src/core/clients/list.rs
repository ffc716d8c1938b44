//! The elements of a list in a text: what changes when it becomes another list, so that all else in it stays, with what
//! is said about it.

use std::ops::Range;

use serde_json::Value;

use super::text::{Fault, end_of_line, indent_at, line_end};

/// What begins a comment in either format. Between two elements nothing else has these.
const COMMENT: [char; 2] = ['#', '/'];

/// An element, and where it stands.
pub(super) type Element = (Range<usize>, Value);

/// The changes that turn the elements `old` of the list in this range into `new`: some are put in, replaced or taken
/// out where they stand.
///
/// # Errors
/// A comment would be lost.
pub(super) fn changes(
    text: &str,
    list: &Range<usize>,
    old: &[Element],
    new: &[Value],
    render: impl Fn(&Value) -> Result<String, Fault>,
) -> Result<Vec<(Range<usize>, String)>, Fault> {
    let same = |(one, other): &(&Element, &Value)| one.1 == **other;
    let front = old.iter().zip(new).take_while(same).count();
    let back = old[front..].iter().rev().zip(new[front..].iter().rev()).take_while(same).count();
    let gone = &old[front..old.len() - back];
    let come = new[front..new.len() - back].iter().map(render).collect::<Result<Vec<_>, _>>()?;
    for (range, _) in gone.iter().filter(|(_, value)| value.is_array() || value.is_object()) {
        clean(text, range.clone())?;
    }
    if gone.len() == come.len() {
        return Ok(gone.iter().map(|(range, _)| range.clone()).zip(come).collect());
    }
    let inside = list.start + 1..list.end - 1;
    let before = old[..front].last().map(|(range, _)| range);
    let after = old[old.len() - back..].first().map(|(range, _)| range.start);
    let whole = gone.first().zip(gone.last()).map(|((first, _), (last, _))| first.start..last.end);
    let change = match (whole, before, after) {
        (None, Some(before), _) => behind(text, before, after.unwrap_or(inside.end), &come),
        (None, None, Some(after)) => (after..after, format!("{}, ", come.join(", "))),
        (None, None, None) => (inside, come.join(", ")),
        (Some(whole), ..) if !come.is_empty() => (whole, come.join(", ")),
        (Some(whole), Some(before), _) => (before.end..whole.end, String::new()),
        (Some(whole), None, Some(after)) => (whole.start..after, String::new()),
        (Some(_), None, None) => (inside, String::new()),
    };
    let ends = std::iter::once(change.0.start).chain(gone.iter().map(|(range, _)| range.end));
    let starts = gone.iter().map(|(range, _)| range.start).chain([change.0.end]);
    for (end, start) in ends.zip(starts) {
        clean(text, end..start)?;
    }
    Ok(vec![change])
}

/// What puts elements behind one that stays; on lines of their own if that one has one, and below what is said about it.
fn behind(text: &str, element: &Range<usize>, limit: usize, come: &[String]) -> (Range<usize>, String) {
    let at = |offset: usize, new: String| (offset..offset, new);
    let each = |form: &dyn Fn(&String) -> String| come.iter().map(form).collect::<Vec<_>>().concat();
    let indent = indent_at(text, element.start);
    let line = &text[..element.start - indent.len()];
    let lead = format!("{}{indent}", line_end(text));
    let rest = &text[element.end..limit];
    let gap = rest.len() - rest.trim_start().len();
    let comma = element.end + gap + 1;
    if line.ends_with('\n') && rest.trim().is_empty() && rest.contains('\n') {
        return at(element.end, each(&|new| format!(",{lead}{new}")));
    }
    if line.ends_with('\n') && rest[gap..].starts_with(',') {
        let end = end_of_line(text, comma);
        let tail = text[comma..end].trim();
        let lines = || each(&|new| format!("{lead}{new},"));
        if end < limit && tail.is_empty() {
            return at(comma, lines());
        }
        if end < limit && (tail.starts_with('#') || tail.starts_with("//")) {
            return at(end, lines());
        }
    }
    at(element.end, each(&|new| format!(", {new}")))
}

fn clean(text: &str, range: Range<usize>) -> Result<(), Fault> {
    if text[range.clone()].contains(COMMENT) {
        return Err(Fault::style(text, range.start, "there is a comment in what would be replaced"));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
