//! Which texts of a record count for a search, and who wrote them.

use std::ops::Range;

use super::{
    super::Role,
    query::{Matcher, Search, Within},
};
use crate::core::transcript::{Kind, Piece, Record, pieces, typed_text, unescape_in_place};

/// A text of a record, by its place in the line.
#[derive(Clone, Debug)]
pub(super) struct Spot {
    range: Range<usize>,
    role: Role,
    /// Only what was typed counts, not what the program put around it.
    typed: bool,
}

/// The texts of `record` that count. `base` is the address of the line that the record borrows from.
pub(super) fn spots(record: &Record<'_>, kind: Kind, base: usize, asked: &Search) -> Vec<Spot> {
    let mut spots = Vec::new();
    pieces(record, &mut |piece, raw| {
        let Some((role, typed)) = counts(kind, piece, record, asked.within) else { return };
        // An empty text can lie anywhere.
        let start = raw.as_ptr().addr().checked_sub(base).filter(|_| !raw.is_empty());
        if let Some(start) = start.filter(|_| asked.role.is_none_or(|wanted| wanted == role)) {
            spots.push(Spot { range: start..start + raw.len(), role, typed });
        }
    });
    spots
}

/// Whether a piece of a record counts: who wrote it, and whether only a typed part counts.
fn counts(kind: Kind, piece: Piece, record: &Record<'_>, within: Within) -> Option<(Role, bool)> {
    let messages = matches!(within, Within::Messages | Within::All);
    let tools = matches!(within, Within::Tools | Within::All);
    let everything = within == Within::All;
    match piece {
        Piece::Text => match kind {
            Kind::Prompt => messages.then_some((Role::User, !everything)),
            Kind::Answer => messages.then_some((Role::Assistant, false)),
            Kind::Synthetic => {
                (everything || messages && record.is_api_error == Some(true)).then_some((Role::System, false))
            }
            _ => everything.then_some((Role::System, false)),
        },
        Piece::Queued => messages.then_some((Role::User, !everything)),
        Piece::System => messages.then_some((Role::System, !everything)),
        Piece::Thinking => matches!(within, Within::Thinking | Within::All).then_some((Role::Assistant, false)),
        Piece::Call => tools.then_some((Role::Assistant, false)),
        Piece::Result => tools.then_some((Role::Tool, false)),
        Piece::Attachment => everything.then_some((Role::System, false)),
    }
}

impl Spot {
    /// The text, decoded where it lies in the line.
    pub(super) fn text<'a>(&self, line: &'a mut [u8]) -> &'a str {
        let text = unescape_in_place(line.get_mut(self.range.clone()).unwrap_or_default());
        if self.typed { typed_text(text) } else { text }
    }
}

/// Looks for everything that is wanted in the texts of one record. Says who wrote the first text with a match,
/// and calls `show` with it.
pub(super) fn matched(line: &mut [u8], spots: &[Spot], matcher: &Matcher, show: &mut dyn FnMut(&str)) -> Option<Role> {
    let mut missing: Vec<usize> = (0..matcher.len()).collect();
    let mut role = None;
    for spot in spots {
        let text = spot.text(line);
        let before = missing.len();
        missing.retain(|wanted| !matcher.finds(*wanted, text));
        if missing.len() < before && role.is_none() {
            role = Some(spot.role);
            show(text);
        }
        if missing.is_empty() {
            return role;
        }
    }
    None
}
