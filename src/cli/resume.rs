//! The command that goes on with a session in the right directory.

use std::path::Path;

use super::columns::width;
use crate::core::ids::SessionId;

/// A command to copy, on as many lines as the terminal's width asks for; a UUID is never broken.
///
/// A directory whose name cannot be shown as it is cannot be copied either: then ccmcp finds it itself.
pub(super) fn resume(session: SessionId, cwd: Option<&str>, here: Option<&Path>, columns: usize) -> Vec<String> {
    let claude = format!("claude --resume {session}");
    let cwd = match cwd {
        Some(cwd) if here.is_some_and(|here| here == Path::new(cwd)) => return vec![claude],
        Some(cwd) if super::clean::printable(cwd) == cwd && !cwd.contains(['\n', '\t']) => cwd,
        _ => return vec![format!("ccmcp send {session} --model MODEL …")],
    };
    let (joint, quoted) = if cfg!(windows) {
        // PowerShell's; `cmd` has no way to say it that both understand.
        (";", format!("'{}'", cwd.replace('\'', "''")))
    } else {
        (" &&", quoted(cwd))
    };
    let change = format!("cd {quoted}{joint}");
    if width(&change) + 1 + width(&claude) <= columns {
        vec![format!("{change} {claude}")]
    } else {
        vec![change, claude]
    }
}

/// The command's lines with what they are for in front: beside it where they fit, else below it.
pub(super) fn labelled(label: &str, lines: &[String], columns: usize) -> Vec<String> {
    const BELOW: &str = "    ";
    let beside = lines.iter().all(|line| width(label) + width(line) <= columns);
    let before = if beside { " ".repeat(width(label)) } else { BELOW.to_owned() };
    let first = if beside { Vec::new() } else { vec![label.trim_end().to_owned()] };
    let rest = lines
        .iter()
        .enumerate()
        .map(|(number, line)| if beside && number == 0 { format!("{label}{line}") } else { format!("{before}{line}") });
    first.into_iter().chain(rest).collect()
}

/// The path as a shell takes it.
fn quoted(path: &str) -> String {
    let plain = |character: char| character.is_alphanumeric() || "/._-+,:@%=".contains(character);
    if !path.is_empty() && path.chars().all(plain) && !path.starts_with('-') {
        path.to_owned()
    } else {
        format!("'{}'", path.replace('\'', r"'\''"))
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    const ID: &str = "11111111-2222-4333-8444-555555555555";

    fn command(cwd: Option<&str>, here: &str, columns: usize) -> Vec<String> {
        ID.parse().map(|id| resume(id, cwd, Some(Path::new(here)), columns)).unwrap_or_default()
    }

    #[test]
    fn directories_are_changed_to_and_quoted() {
        let claude = format!("claude --resume {ID}");
        assert_eq!(command(Some("/a"), "/a", 200), [&*claude]);
        assert_eq!(command(Some("/a/b"), "/a", 200), [format!("cd /a/b && {claude}")]);
        assert_eq!(command(Some("/a/b"), "/a", 60), ["cd /a/b &&", &*claude]);
        assert_eq!(command(Some("/a b;rm -rf ~"), "/", 200), [format!("cd '/a b;rm -rf ~' && {claude}")]);
        assert_eq!(command(Some("/it's $(x)"), "/", 200), [format!(r"cd '/it'\''s $(x)' && {claude}")]);
    }

    #[test]
    fn a_label_stands_beside_or_above() {
        let lines = ["cd /a &&".to_owned(), "claude".to_owned()];
        assert_eq!(labelled("go on: ", &lines, 20), ["go on: cd /a &&", "       claude"]);
        assert_eq!(labelled("go on: ", &lines, 14), ["go on:", "    cd /a &&", "    claude"]);
    }

    #[test]
    fn a_directory_that_cannot_be_shown_is_left_to_ccmcp() {
        for cwd in [Some("/a\u{1b}[2J"), Some("/a\nb"), None] {
            assert_eq!(command(cwd, "/", 200), [format!("ccmcp send {ID} --model MODEL …")]);
        }
    }
}
