//! Pages of a list: offset, limit, and a bound on the reply's size.

use serde::Serialize;

use super::error::HistoryError;

/// How many bytes of JSON a reply's list takes by default. A reply stays under 40 kB; what is around the list
/// takes the rest.
pub(super) const LIST: usize = 36_000;
/// How many unreadable files a reply names.
const UNREADABLE: usize = 20;

/// Checks a `limit` against its range.
pub(super) fn limit(given: Option<usize>, default: usize, most: usize) -> Result<usize, HistoryError> {
    match given {
        None => Ok(default),
        Some(limit) if (1..=most).contains(&limit) => Ok(limit),
        Some(limit) => Err(HistoryError::Argument {
            field: "limit",
            problem: format!("is {limit}"),
            expected: match most {
                200 => "a number from 1 to 200",
                _ => "a number from 1 to 1000",
            },
        }),
    }
}

/// The room for a list: unbounded where the caller asked for more than the default.
pub(super) fn room(widened: bool) -> usize {
    if widened { usize::MAX } else { LIST }
}

/// Takes as many of `items` as fit into so many bytes of JSON, but at least one; the rest is for the next page.
pub(super) fn bounded<T: Serialize>(items: impl IntoIterator<Item = T>, room: usize) -> Vec<T> {
    let mut size = 0;
    let mut taken = Vec::new();
    for item in items {
        size += serde_json::to_string(&item).map_or(0, |json| json.len() + 1);
        if size > room && !taken.is_empty() {
            break;
        }
        taken.push(item);
    }
    taken
}

/// The offset of the next page, if there is one.
pub(super) fn next_offset(offset: usize, shown: usize, total: usize) -> Option<usize> {
    let next = offset.saturating_add(shown);
    (next < total).then_some(next)
}

/// The unreadable files that a reply names; the last entry counts the others.
pub(super) fn unreadable(mut files: Vec<String>) -> Vec<String> {
    let more = files.len().saturating_sub(UNREADABLE);
    if more > 0 {
        files.truncate(UNREADABLE);
        files.push(format!("and {more} more"));
    }
    files
}
