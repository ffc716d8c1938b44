//! Text cut and wrapped to columns: a wide character takes two, an emoji is never cut in the middle.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use super::clean::printable;

/// Stands for what was cut.
const ELLIPSIS: char = '…';

/// How many columns a text takes.
pub(super) fn width(text: &str) -> usize {
    // A terminal draws a cluster in one go, but some draw its parts: the larger number is the safe one for short texts.
    UnicodeWidthStr::width(text)
}

/// The text on one line, safe to print, cut to so many columns.
pub(super) fn cut(text: &str, columns: usize) -> String {
    let line = one_line(text);
    if width(&line) <= columns {
        return line;
    }
    let mut kept = String::new();
    let mut used = 0;
    for cluster in line.graphemes(true) {
        used += width(cluster);
        // One column is for the ellipsis.
        if used + 1 > columns {
            break;
        }
        kept.push_str(cluster);
    }
    kept.truncate(kept.trim_end().len());
    if columns > 0 {
        kept.push(ELLIPSIS);
    }
    kept
}

/// The same, but the end is kept: it tells more of a path.
pub(super) fn cut_start(text: &str, columns: usize) -> String {
    let line = one_line(text);
    if width(&line) <= columns {
        return line;
    }
    let mut kept = Vec::new();
    let mut used = 0;
    for cluster in line.graphemes(true).rev() {
        used += width(cluster);
        if used + 1 > columns {
            break;
        }
        kept.push(cluster);
    }
    let kept: String = kept.into_iter().rev().collect();
    if columns > 0 { format!("{ELLIPSIS}{kept}") } else { kept }
}

/// The text safe to print, with single spaces for all that is blank.
pub(super) fn one_line(text: &str) -> String {
    let mut line = String::new();
    for word in printable(text).split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}

/// A piece of a text that is highlighted or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) text: String,
    pub(super) bright: bool,
}

/// Breaks a text into lines of so many columns, between words where it can; says of each part whether it is `bright`.
///
/// `bright` gets the index of a character of `text`.
pub(super) fn wrap(text: &str, columns: usize, bright: impl Fn(usize) -> bool) -> Vec<Vec<Piece>> {
    let columns = columns.max(2);
    let mut lines = vec![Vec::new()];
    let mut used = 0;
    let mut index = 0;
    for word in units(text, columns) {
        let start = index;
        index += word.chars().count();
        let safe = printable(word);
        if safe.trim().is_empty() {
            // A space at the beginning of a line would look like an indent.
            let open = safe.contains(char::is_whitespace) && used > 0 && !ends_blank(&lines);
            if open && used < columns {
                push(&mut lines, " ", bright(start));
                used += 1;
            }
            continue;
        }
        if used > 0 && used + width(&safe) > columns {
            lines.push(Vec::new());
            used = 0;
        }
        let mut at = start;
        for cluster in word.graphemes(true) {
            let safe = printable(cluster);
            let needed = width(&safe);
            if used + needed > columns {
                lines.push(Vec::new());
                used = 0;
            }
            if !safe.is_empty() {
                push(&mut lines, &safe, bright(at));
                used += needed;
            }
            at += cluster.chars().count();
        }
    }
    for line in &mut lines {
        if let Some(last) = line.last_mut() {
            last.text.truncate(last.text.trim_end().len());
        }
    }
    lines.retain(|line| line.iter().any(|piece| !piece.text.is_empty()));
    lines
}

/// What lines are not broken inside: words, and between blanks whatever is ASCII and fits on a line, such as a flag.
fn units(text: &str, columns: usize) -> Vec<&str> {
    let mut units: Vec<&str> = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let joins = |character: char| character.is_ascii_graphic();
        let run = rest.find(|character| !joins(character)).unwrap_or(rest.len());
        let word = rest.split_word_bounds().next().map_or(rest.len(), str::len);
        let length = if run > word && run <= columns { run } else { word };
        let (unit, more) = rest.split_at(length);
        units.push(unit);
        rest = more;
    }
    units
}

fn ends_blank(lines: &[Vec<Piece>]) -> bool {
    lines.last().and_then(|line| line.last()).is_none_or(|piece| piece.text.ends_with(' '))
}

fn push(lines: &mut [Vec<Piece>], text: &str, bright: bool) {
    let Some(line) = lines.last_mut() else { return };
    match line.last_mut() {
        Some(piece) if piece.bright == bright => piece.text.push_str(text),
        _ => line.push(Piece { text: text.to_owned(), bright }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_fit_and_leave_clusters_whole() {
        assert_eq!(cut("plain", 5), "plain");
        assert_eq!(cut("plain text", 8), "plain t…");
        assert_eq!(cut("灯台と海", 5), "灯台…");
        assert_eq!(cut("ab 👩‍👩‍👧‍👦 cd", 5), "ab…");
        assert_eq!(cut("a\u{1b}[31m\n b", 9), "a[31m b");
        assert_eq!(cut_start("/home/dev/project", 9), "…/project");
        assert_eq!((cut("abc", 1), cut("abc", 0)), ("…".to_owned(), String::new()));
    }

    #[test]
    fn lines_break_between_words_and_inside_long_ones() {
        let text = |lines: Vec<Vec<Piece>>| -> Vec<String> {
            lines.iter().map(|line| line.iter().map(|piece| &*piece.text).collect()).collect()
        };
        assert_eq!(text(wrap("one two  three", 8, |_| false)), ["one two", "three"]);
        assert_eq!(text(wrap("abcdefghij", 4, |_| false)), ["abcd", "efgh", "ij"]);
        assert_eq!(text(wrap("灯台と海", 5, |_| false)), ["灯台", "と海"]);
        assert_eq!(text(wrap("use --a-b now", 8, |_| false)), ["use", "--a-b", "now"]);
        assert_eq!(text(wrap("at /a/b/c/d", 6, |_| false)), ["at /a", "/b/c/d"]);
        assert_eq!(text(wrap("\n\n", 5, |_| false)), Vec::<String>::new());
    }

    #[test]
    fn brightness_follows_the_characters_of_the_original() {
        let text = "a\u{1b}[1m 灯台 z";
        let at = |wanted: char| text.chars().position(|character| character == wanted).unwrap();
        let (first, second) = (at('灯'), at('台'));
        let lines = wrap(text, 40, |index| index == first || index == second);
        let bright: Vec<_> = lines[0].iter().filter(|piece| piece.bright).map(|piece| &*piece.text).collect();
        assert_eq!(bright, ["灯台"]);
    }
}
