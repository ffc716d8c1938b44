//! Finds the lines that can hold a match without parsing any: a byte search that knows JSON's escapes.
//!
//! A text stands in the file as its writer escaped it. Nearly every writer escapes only what it must, so the
//! query in that form is searched first. Any other way of writing one of its characters needs `\uXXXX` (or
//! `\/`), so that a line with such an escape of one of its characters is a candidate too. Together they cannot
//! miss; what they find too much is sorted out by parsing.

use memchr::memmem;
use regex::bytes::{Regex, RegexBuilder};
use regex_syntax::hir::{
    ClassUnicode, ClassUnicodeRange, Hir, HirKind,
    literal::{Extractor, Seq},
};

use super::query::{Mode, Search, words};
use crate::core::transcript::{MENDED, unicode_escape};

/// Finds lines that can hold a match.
#[derive(Clone, Debug)]
pub(super) struct Prefilter {
    /// The query as most writers escape it; `None` where every line has to be parsed.
    usual: Option<Regex>,
    /// The UTF-16 units whose escapes make a line a candidate.
    units: Units,
    unit_escape: memmem::Finder<'static>,
    slash_escape: Option<memmem::Finder<'static>>,
}

/// A set of UTF-16 units.
#[derive(Clone, Debug)]
struct Units(Vec<u64>);

impl Units {
    fn none() -> Self {
        Self(vec![0; 1 << 10])
    }

    fn add(&mut self, character: char) {
        let mut units = [0; 2];
        for unit in character.encode_utf16(&mut units) {
            self.0[usize::from(*unit >> 6)] |= 1 << (*unit & 63);
        }
    }

    fn holds(&self, unit: u16) -> bool {
        self.0[usize::from(unit >> 6)] >> (unit & 63) & 1 == 1
    }
}

impl Prefilter {
    pub(super) fn new(asked: &Search) -> Self {
        let longest = || words(&asked.query).max_by_key(|word| word.len()).unwrap_or_default();
        let literal = match asked.mode {
            Mode::Text => Some(vec![asked.query.clone()]),
            Mode::Words => Some(vec![longest().to_owned()]),
            Mode::Regex => required(&asked.query),
        };
        let fold = !asked.case_sensitive;
        let slash = literal.iter().flatten().any(|literal| literal.contains('/'));
        Self {
            usual: literal.as_deref().and_then(|literals| usual(literals, fold)),
            units: units(literal.as_deref().unwrap_or_default(), fold),
            unit_escape: memmem::Finder::new(b"\\u"),
            slash_escape: slash.then(|| memmem::Finder::new(b"\\/")),
        }
    }

    /// Calls `found` with the bounds of every candidate line in a run of whole lines, in order.
    pub(super) fn candidates(&self, bytes: &[u8], found: &mut dyn FnMut(std::ops::Range<usize>)) {
        let mut start = 0;
        let mut usual = Next::Unknown;
        let mut unit = Next::Unknown;
        let mut slash = Next::Unknown;
        while start < bytes.len() {
            let hit = match &self.usual {
                None => Some(start),
                Some(regex) => {
                    let usual = usual.from(start, |start| regex.find_at(bytes, start).map(|found| found.start()));
                    let unit = unit.from(start, |start| self.unit(bytes, start));
                    let slash =
                        slash.from(start, |start| Some(start + self.slash_escape.as_ref()?.find(bytes.get(start..)?)?));
                    [usual, unit, slash].into_iter().flatten().min()
                }
            };
            let Some(hit) = hit else { return };
            let line = bytes.get(..hit).and_then(|before| memchr::memrchr(b'\n', before)).map_or(0, |end| end + 1);
            let end =
                bytes.get(hit..).and_then(|rest| memchr::memchr(b'\n', rest)).map_or(bytes.len(), |end| hit + end);
            found(line..end);
            start = end + 1;
        }
    }

    /// The next escape of one of the query's characters.
    fn unit(&self, bytes: &[u8], start: usize) -> Option<usize> {
        let mut at = start;
        loop {
            at += self.unit_escape.find(bytes.get(at..)?)?;
            // Escapes often come in rows, which are faster to walk than to search.
            while let Some(unit) = unicode_escape(bytes, at) {
                if self.units.holds(unit) {
                    return Some(at);
                }
                at += 6;
            }
            if bytes.get(at..)?.starts_with(b"\\u") {
                at += 2;
            }
        }
    }
}

/// The next place of one kind of hit, searched again only when it has been passed.
enum Next {
    /// Nothing was searched yet.
    Unknown,
    /// The next one is here.
    At(usize),
    /// There is none any more.
    Never,
}

impl Next {
    fn from(&mut self, start: usize, search: impl FnOnce(usize) -> Option<usize>) -> Option<usize> {
        let passed = match self {
            Self::Unknown => true,
            Self::At(place) => *place < start,
            Self::Never => false,
        };
        if passed {
            *self = search(start).map_or(Self::Never, Self::At);
        }
        match self {
            Self::At(place) => Some(*place),
            _ => None,
        }
    }
}

/// The literals as most writers escape them.
fn usual(literals: &[String], fold: bool) -> Option<Regex> {
    // What stands for damage is not in the file as it is in the text.
    if literals.is_empty() || literals.iter().any(|literal| literal.contains([MENDED, '\u{FFFD}'])) {
        return None;
    }
    let escaped = literals.iter().map(|literal| {
        let json = serde_json::Value::from(literal.as_str()).to_string();
        regex::escape(json.get(1..json.len() - 1).unwrap_or_default())
    });
    let pattern = escaped.collect::<Vec<_>>().join("|");
    RegexBuilder::new(&pattern).case_insensitive(fold).build().ok()
}

/// The units of all characters that can match one of the literals.
fn units(literals: &[String], fold: bool) -> Units {
    let mut units = Units::none();
    for character in literals.iter().flat_map(|literal| literal.chars()) {
        units.add(character);
        if fold {
            let mut class = ClassUnicode::new([ClassUnicodeRange::new(character, character)]);
            // Without the tables nothing folds here, and nothing folds in the matcher either.
            _ = class.try_case_fold_simple();
            class.iter().flat_map(|range| range.start()..=range.end()).for_each(|folded| units.add(folded));
        }
    }
    units
}

/// Texts of which every match of the pattern holds at least one, where case does not matter in whatever case;
/// `None` where there are none worth searching.
fn required(pattern: &str) -> Option<Vec<String>> {
    let hir = regex_syntax::parse(pattern).ok()?;
    let literals = best(&hir)?;
    let texts = literals.literals()?.iter().map(|literal| {
        // A literal is cut at a length, perhaps inside a character.
        let bytes = literal.as_bytes();
        let valid = std::str::from_utf8(bytes).map_or_else(|error| error.valid_up_to(), str::len);
        bytes.get(..valid).and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or_default().to_owned()
    });
    let texts: Vec<_> = texts.collect();
    (!texts.is_empty() && texts.iter().all(|text| text.len() > 1)).then_some(texts)
}

/// The literals with which a match, or a part that every match has, begins: those whose shortest is longest.
fn best(hir: &Hir) -> Option<Seq> {
    let mut found = vec![Extractor::new().extract(hir)];
    match hir.kind() {
        HirKind::Capture(capture) => found.extend(best(&capture.sub)),
        HirKind::Repetition(repetition) if repetition.min > 0 => found.extend(best(&repetition.sub)),
        HirKind::Concat(parts) => {
            for start in 1..parts.len() {
                found.push(Extractor::new().extract(&Hir::concat(parts.get(start..)?.to_vec())));
            }
            found.extend(parts.iter().filter_map(best));
        }
        _ => {}
    }
    found.into_iter().filter(|seq| seq.is_finite() && !seq.is_empty()).max_by_key(Seq::min_literal_len)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(asked: &Search, text: &str) -> Vec<String> {
        let mut found = Vec::new();
        Prefilter::new(asked).candidates(text.as_bytes(), &mut |line| found.push(text[line].to_owned()));
        found
    }

    fn search(query: &str, mode: Mode) -> Search {
        Search { query: query.into(), mode, ..Search::default() }
    }

    #[test]
    fn lines_are_found_in_whatever_way_they_are_escaped() {
        let text = "say \\\"Hi\\\"\nno\nsay \\u0022hi\\u0022\nSAY \\\"hI\\\"\n\\u0073ay\nesc \\u001b[1m\n";
        let found = lines(&search("say \"hi\"", Mode::Text), text);
        assert_eq!(found, ["say \\\"Hi\\\"", "say \\u0022hi\\u0022", "SAY \\\"hI\\\"", "\\u0073ay"]);
        assert_eq!(lines(&search("möwe", Mode::Text), "M\\u00d6we\nM\u{d6}WE\n\\u00e4\n").len(), 2);
        assert_eq!(lines(&search("🚢", Mode::Text), "\\ud83d\\udea2\n🚢\nx").len(), 2);
        assert_eq!(lines(&search("a/b", Mode::Text), "a\\/b\na/b\n"), ["a\\/b", "a/b"]);
        assert_eq!(lines(&search("a\nb", Mode::Text), "a\\nb\na\\u000ab\nanb\n"), ["a\\nb", "a\\u000ab"]);
    }

    #[test]
    fn a_regular_expression_is_searched_by_what_every_match_holds() {
        let text = "one needle two\nneed\nNEEDLE\nn\\u0065edle\n\\u0041\n";
        assert_eq!(lines(&search(r"\w+ needle", Mode::Regex), text).len(), 2);
        for pattern in ["needle", r"(one|two)? ?needle", r"(?:needle)+", r"\bneedle\b"] {
            assert_eq!(lines(&search(pattern, Mode::Regex), text).len(), 3, "{pattern}");
        }
        for pattern in [r"\w+", "a*", "x?", r".", "(?:needle)?"] {
            assert_eq!(lines(&search(pattern, Mode::Regex), text).len(), 5, "{pattern}");
        }
    }

    #[test]
    fn what_stands_for_damage_is_searched_everywhere() {
        assert_eq!(lines(&search("\u{FFFD}", Mode::Text), "a\nb\n").len(), 2);
    }
}
