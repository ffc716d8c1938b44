//! Programs that only start another one, with the surroundings that they are told: `env`, `nice` and the like.

/// A program that starts another one on this machine, as this user.
struct Wrapper {
    name: &'static str,
    /// Options that stand alone.
    flags: &'static [&'static str],
    /// Options whose value is the next word.
    valued: &'static [&'static str],
}

/// Only these are seen through. What other programs do with their words is theirs to know: `docker run ccmcp` names an
/// image, `uv --directory ccmcp` a directory.
const WRAPPERS: [Wrapper; 6] = [
    Wrapper {
        name: "env",
        flags: &["-", "-i", "--ignore-environment", "-v", "--debug"],
        valued: &["-u", "--unset", "-C", "--chdir"],
    },
    Wrapper { name: "nice", flags: &[], valued: &["-n", "--adjustment"] },
    Wrapper { name: "ionice", flags: &["-t", "--ignore"], valued: &["-c", "--class", "-n", "--classdata"] },
    Wrapper { name: "nohup", flags: &[], valued: &[] },
    Wrapper { name: "setsid", flags: &["-w", "--wait"], valued: &[] },
    Wrapper { name: "caffeinate", flags: &["-d", "-i", "-m", "-s", "-u"], valued: &["-t"] },
];

/// Which of these words is the program that runs in the end; `None` where that cannot be told.
pub(super) fn program(words: &[&str]) -> Option<usize> {
    let mut at = 0;
    while let Some(wrapper) = WRAPPERS.iter().find(|wrapper| wrapper.name == name(words.get(at).unwrap_or(&""))) {
        at += 1 + wrapper.options(&words[at + 1..])?;
    }
    (at < words.len()).then_some(at)
}

/// The last part of a path of either kind.
pub(super) fn name(word: &str) -> &str {
    word.rsplit(['/', '\\']).next().unwrap_or(word)
}

impl Wrapper {
    /// How many words come before the program; `None` with an option that may take the next word, or may not.
    fn options(&self, words: &[&str]) -> Option<usize> {
        let mut at = 0;
        while let Some(word) = words.get(at) {
            let (option, has_value) = word.split_once('=').map_or((*word, false), |(option, _)| (option, true));
            at += match option {
                "--" if !has_value => return Some(at + 1),
                _ if has_value && !option.starts_with('-') && self.name == "env" => 1,
                _ if !option.starts_with('-') => return Some(at),
                _ if has_value && self.valued.contains(&option) => 1,
                _ if has_value => return None,
                _ if self.flags.contains(&option) => 1,
                _ if self.valued.contains(&option) => 2,
                _ => return None,
            };
        }
        Some(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_known_is_seen_through() {
        let rows = [
            ("ccmcp serve", Some(0)),
            ("/usr/bin/env A=1 B=/x/ccmcp ccmcp serve", Some(3)),
            ("env -u A --chdir=/src/ccmcp -- ccmcp serve", Some(5)),
            ("env -C /src/ccmcp other serve", Some(3)),
            ("env nice -n 10 ccmcp serve", Some(4)),
            ("env -S ccmcp serve", None),
            ("env --split-string=ccmcp serve", None),
            ("nice -10 ccmcp serve", None),
            ("nice A=1 ccmcp", Some(1)),
            ("env A=1", None),
            ("env -u", None),
            ("docker run ccmcp serve", Some(0)),
        ];
        for (line, program) in rows {
            let words: Vec<_> = line.split(' ').collect();
            assert_eq!(self::program(&words), program, "{line}");
        }
    }
}
