//! What brings an entry in a client's configuration up to date.

use std::path::Path;

use crate::core::{
    clients::{Scope, ServerEntry, is_usable_name, lasting_executable, user_file},
    config::Settings,
};

/// What to do about an entry: a command to copy, if there is one that does it and holds nothing that a shell would
/// take for more than a word. Names and paths may come from a repository of somebody else's.
pub(super) fn mend(settings: &Settings, entry: &ServerEntry) -> String {
    let id = entry.client.id();
    let name = Some(entry.name.as_str()).filter(|name| is_usable_name(name) && !name.starts_with('-'));
    if let Scope::Local(directory) = &entry.scope {
        let place = quoted(directory).map_or_else(|| "that project".to_owned(), |directory| format!("cd {directory}"));
        return match name {
            Some(name) if place.starts_with("cd ") => format!(
                "Mend it by hand under `projects`, or take it out: `{place}` and `claude mcp remove {name} --scope local`."
            ),
            _ => "Mend it by hand under `projects`.".to_owned(),
        };
    }
    let by_hand = || format!("Mend it by hand: `ccmcp config {id}` prints what it should be.");
    let own = lasting_executable(settings);
    if entry.program(own.to_str()).is_none() || !entry.has_plain_arguments() {
        return by_hand();
    }
    let name = match name {
        Some("ccmcp") => String::new(),
        Some(name) => format!(" --name {name}"),
        None => return by_hand(),
    };
    let file = match quoted(&entry.file) {
        _ if entry.file == user_file(entry.client, settings) => String::new(),
        Some(file) => format!(" --file {file}"),
        None => return by_hand(),
    };
    format!("Run `ccmcp config {id} --write{name}{file}`.")
}

/// A path as any shell of this system takes it; `None` where it has something that not all of them leave alone.
fn quoted(path: &Path) -> Option<String> {
    let is_plain = |character: char| character.is_alphanumeric() || r" /\._-+,:@()=~".contains(character);
    let quote = if cfg!(windows) { '"' } else { '\'' };
    let path = path.to_str().filter(|path| path.chars().all(is_plain))?;
    Some(format!("{quote}{path}{quote}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_no_shell_reads_otherwise_is_quoted() {
        let quote = if cfg!(windows) { '"' } else { '\'' };
        for path in ["/a b/é.json", r"C:\Users\me (x)\mcp.json"] {
            assert_eq!(quoted(Path::new(path)), Some(format!("{quote}{path}{quote}")));
        }
        for path in ["/a'b", "/a\"b", "/$(x)", "/`x`", "/%PATH%", "/a\nb", "/a;b", "/a’b", "/a\u{202e}b", "/!x"] {
            assert_eq!(quoted(Path::new(path)), None, "{path}");
        }
    }
}
