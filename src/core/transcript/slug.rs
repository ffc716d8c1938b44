//! The folder name under which Claude Code keeps a directory's transcripts.

/// Longest slug, in UTF-16 units, that Claude Code uses as it is; longer ones are cut and get a hash.
pub(super) const LONGEST: usize = 200;

/// The slug of a working directory: every character other than an ASCII letter or digit becomes `-`, one per
/// UTF-16 unit.
///
/// `cwd` is the *real* path (symlinks resolved), as Claude Code uses it. The mapping is lossy, so it only
/// ever goes this way. A result over 200 characters is only a prefix of the folder's name, because Claude
/// Code cuts it there and adds a hash: [`Projects`](super::Projects) then reads the records.
pub fn slug(cwd: &str) -> String {
    let mut slug = String::with_capacity(cwd.len());
    for character in cwd.chars() {
        if character.is_ascii_alphanumeric() {
            slug.push(character);
        } else {
            slug.extend(std::iter::repeat_n('-', character.len_utf16()));
        }
    }
    slug
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaces_one_character_per_utf16_unit() {
        assert_eq!(slug("/home/dev/project"), "-home-dev-project");
        assert_eq!(slug("/a.b_c"), "-a-b-c");
        assert_eq!(slug("/ü/🚢"), "-----");
        assert_eq!(slug(r"C:\Users\me"), "C--Users-me");
    }
}
