//! What a mistyped name may have been meant to be.

use std::fmt::Display;

/// How many are suggested.
const MOST: usize = 3;

/// With fewer characters than these, everything is near.
const SHORTEST: usize = 3;

/// A longer text is no mistyped name, and comparing costs the product of the lengths.
const LONGEST: usize = 100;

/// The names nearest to `asked`: three at most, and none that is far off. A name that holds all of `asked` is near.
pub fn nearest<T: AsRef<str>>(asked: &str, names: impl IntoIterator<Item = T>) -> Vec<T> {
    if asked.len() > LONGEST {
        return Vec::new();
    }
    let asked = asked.trim().to_lowercase();
    let length = asked.chars().count();
    choose(names, |name| {
        let name = name.as_ref().to_lowercase();
        if length >= SHORTEST && name != asked && name.contains(&asked) {
            return Some(1);
        }
        Some(strsim::osa_distance(&asked, &name)).filter(|distance| *distance <= (length / 3).max(1))
    })
}

/// The ids that begin most nearly like `asked`: three at most.
pub fn nearest_ids<T: Display>(asked: &str, ids: impl IntoIterator<Item = T>) -> Vec<T> {
    if !(SHORTEST + 1..=LONGEST).contains(&asked.len()) || !asked.is_ascii() {
        return Vec::new();
    }
    let asked = asked.to_lowercase();
    let length = asked.len();
    choose(ids, |id| {
        let id = id.to_string();
        // A character too many or too few shifts the rest.
        let beginnings = (length - 1..=length + 1).filter_map(|end| id.get(..end));
        let distance = beginnings.map(|beginning| strsim::osa_distance(&asked, beginning)).min()?;
        Some(distance).filter(|distance| *distance <= (length / 4).clamp(1, 3))
    })
}

fn choose<T>(all: impl IntoIterator<Item = T>, distance: impl Fn(&T) -> Option<usize>) -> Vec<T> {
    let near: Vec<(usize, T)> = all.into_iter().filter_map(|one| Some((distance(&one)?, one))).collect();
    let least = near.iter().map(|(distance, _)| *distance).min();
    near.into_iter().filter(|(distance, _)| Some(*distance) == least).take(MOST).map(|(_, one)| one).collect()
}

/// ``Did you mean `a`, `b` or `c`?`` Nothing when there is nothing to suggest.
pub fn did_you_mean(names: &[impl Display]) -> Option<String> {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    let (last, others) = quoted.split_last()?;
    Some(if others.is_empty() {
        format!("Did you mean {last}?")
    } else {
        format!("Did you mean {} or {last}?", others.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typing_mistakes_are_near_and_other_words_are_not() {
        let models = ["opus", "sonnet", "haiku", "claude-sonnet-5", "claude-opus-4-8"];
        assert_eq!(nearest("sonet", models), ["sonnet"]);
        assert_eq!(nearest("Oups ", models), ["opus"]);
        assert_eq!(nearest("opus-4-8", models), ["claude-opus-4-8"]);
        assert_eq!(nearest("sonnet5", models), ["sonnet"]);
        assert_eq!(nearest("Sonnet", models), ["sonnet"]);
        assert_eq!(nearest("claude", models).len(), 2);
        assert!(nearest(&"x".repeat(10_000_000), ["x".repeat(10_000_000)]).is_empty());
        assert!(nearest("gpt-5", models).is_empty() && nearest("", models).is_empty());
        assert_eq!(nearest("灯大守", ["灯台守", "灯"]), ["灯台守"]);
    }

    #[test]
    fn ids_are_compared_by_how_they_begin() {
        let ids = ["3d0b2f0d-a34f-4284-b0d7-4b8cead3e768", "7cd4e733-c77f-48bd-9d45-91c7eefc9085"];
        for asked in
            ["3d0c2f0d", "3db02f0d", "3d0b2f0", "3d0bb2f0d", "3D0B2F0E", "3d0b2f0d-a34f-4284-b0d7-4b8cead3e769"]
        {
            assert_eq!(nearest_ids(asked, ids), [ids[0]], "{asked}");
        }
        for asked in ["", "7", "3d1", "ffffffff", "灯台灯台灯台"] {
            assert!(nearest_ids(asked, ids).is_empty(), "{asked}");
        }
    }

    #[test]
    fn suggestions_are_a_question() {
        assert_eq!(did_you_mean(&["a"]).unwrap(), "Did you mean `a`?");
        assert_eq!(did_you_mean(&["a", "b", "c"]).unwrap(), "Did you mean `a`, `b` or `c`?");
        assert_eq!(did_you_mean(&[""; 0]), None);
    }
}
