//! What has to change in an entry that is there already. Pure: from what stands there to the values to set.

use serde_json::{Map, Value, json};

use super::{
    ServerEntry,
    entry::{Entry, Field, Rule, listed},
    error::ConfigError,
};
use crate::core::config::ToolSet;

/// A value to set.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Put {
    /// A key of the entry, or a key and one inside its value.
    pub(super) path: Vec<String>,
    pub(super) value: Value,
}

/// What to set in the entry that stands there so that it does what `entry` says, and keeps all that the user added;
/// nothing where it does so already. `sets` are the tools to ask for, where somebody said which.
///
/// # Errors
/// What stands there is something else, or holds what would be lost.
pub(super) fn merged(existing: &ServerEntry, entry: &Entry, sets: &[ToolSet]) -> Result<Vec<Put>, ConfigError> {
    let own = entry.get("command").and_then(Value::as_str).unwrap_or_default();
    let foreign = || ConfigError::Foreign { name: existing.name.clone() };
    let program = existing.program(Some(own)).ok_or_else(foreign)?;
    if !existing.has_plain_arguments() {
        return Err(ConfigError::Unsure);
    }
    let mut puts = Vec::new();
    let mut args = existing.args.clone();
    match program.checked_sub(1) {
        None if existing.command != own => puts.push(put(&["command"], json!(own))),
        None => {}
        Some(position) => own.clone_into(&mut args[position]),
    }
    let asked = || sets.iter().map(|set| set.name().to_owned()).collect::<Vec<_>>();
    if !sets.is_empty() && existing.sets().is_none_or(|there| !same(&there, &asked())) {
        ask_for(&mut args, program, &listed(sets));
    }
    if args != existing.args {
        puts.push(put(&["args"], json!(args)));
    }
    for field in entry.fields.iter().filter(|field| !["command", "args"].contains(&field.key)) {
        puts.extend(field_puts(existing.table.get(field.key), field));
    }
    Ok(puts)
}

/// The entry with these values set.
pub(super) fn applied(table: &Map<String, Value>, puts: &[Put]) -> Value {
    let mut result = Value::Object(table.clone());
    for Put { path, value } in puts {
        let mut here = &mut result;
        for key in path {
            if !here.is_object() {
                *here = json!({});
            }
            here = &mut here[key.as_str()];
        }
        *here = value.clone();
    }
    result
}

fn field_puts(existing: Option<&Value>, field: &Field) -> Vec<Put> {
    let (key, wanted) = (field.key, &field.value);
    let whole = || vec![put(&[key], wanted.clone())];
    let Some(existing) = existing else { return whole() };
    match (field.rule, existing, wanted) {
        (Rule::Default, ..) => Vec::new(),
        (Rule::AtLeast, ..) if existing.as_f64() >= wanted.as_f64() => Vec::new(),
        (Rule::Union, Value::Array(there), Value::Array(wanted)) => {
            // Codex also takes a table with a name.
            let name = |element: &Value| element.get("name").unwrap_or(element).clone();
            let names: Vec<_> = there.iter().map(name).collect();
            let missing: Vec<_> = wanted.iter().filter(|wanted| !names.contains(wanted)).cloned().collect();
            if missing.is_empty() { Vec::new() } else { vec![put(&[key], json!([there.clone(), missing].concat()))] }
        }
        (Rule::Members, Value::Object(there), Value::Object(wanted)) => {
            let other = wanted.iter().filter(|(name, value)| there.get(*name) != Some(*value));
            other.map(|(name, value)| put(&[key, name], value.clone())).collect()
        }
        _ if existing == wanted => Vec::new(),
        _ => whole(),
    }
}

fn put(path: &[&str], value: Value) -> Put {
    Put { path: path.iter().map(|&key| key.to_owned()).collect(), value }
}

fn same(one: &[String], other: &[String]) -> bool {
    one.iter().all(|set| other.contains(set)) && other.iter().all(|set| one.contains(set))
}

/// Makes arguments, of which those from `program` on are ccmcp's, ask for these sets and no others.
fn ask_for(args: &mut Vec<String>, program: usize, list: &str) {
    let mut kept = args[..program].to_vec();
    let mut words = args[program..].iter();
    while let Some(word) = words.next() {
        if word == "--tools" {
            words.next();
        } else if !word.starts_with("--tools=") {
            kept.push(word.clone());
        }
    }
    let serve = kept.iter().skip(program).position(|word| word == "serve").map_or(kept.len(), |at| program + at + 1);
    kept.splice(serve..serve, ["--tools".to_owned(), list.to_owned()]);
    *args = kept;
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::core::clients::Client;

    const OWN: &str = "/usr/local/bin/ccmcp";

    fn wanted() -> Entry {
        let field = |key, value, rule| Field { key, value, rule, note: None };
        Entry {
            fields: vec![
                field("command", json!(OWN), Rule::Ours),
                field("args", json!(["serve"]), Rule::Ours),
                field("env", json!({ "CLAUDE_BIN": "/c" }), Rule::Members),
                field("env_vars", json!(["A", "B"]), Rule::Union),
                field("tool_timeout_sec", json!(1860), Rule::AtLeast),
                field("required", json!(true), Rule::Default),
            ],
        }
    }

    /// The entry that comes of it.
    fn merge(table: &Value, sets: &[ToolSet]) -> Result<Value, String> {
        let table = table.as_object().unwrap();
        let entry = ServerEntry::read(Client::Codex, PathBuf::new(), "x", table).unwrap();
        let puts = merged(&entry, &wanted(), sets).map_err(|error| format!("{error:?}"))?;
        let result = applied(table, &puts);
        let again = ServerEntry::read(Client::Codex, PathBuf::new(), "x", result.as_object().unwrap()).unwrap();
        assert_eq!(merged(&again, &wanted(), sets).unwrap(), [], "once is enough");
        Ok(result)
    }

    #[test]
    fn what_the_user_added_stays() {
        let there = json!({
            "command": "/old/ccmcp", "args": ["serve", "--log-file", "/l"], "enabled": false, "required": false,
            "env": { "MINE": "1", "CLAUDE_BIN": "/before" }, "env_vars": ["MINE", { "name": "A", "source": "local" }],
            "tool_timeout_sec": 7200.5, "disabled_tools": ["x"],
        });
        let now = json!({
            "command": OWN, "args": ["serve", "--log-file", "/l"], "enabled": false, "required": false,
            "env": { "MINE": "1", "CLAUDE_BIN": "/c" }, "env_vars": ["MINE", { "name": "A", "source": "local" }, "B"],
            "tool_timeout_sec": 7200.5, "disabled_tools": ["x"],
        });
        assert_eq!(merge(&there, &[]), Ok(now));
    }

    #[test]
    fn what_is_missing_or_too_small_is_mended() {
        let there = json!({ "command": "ccmcp", "args": ["serve"], "tool_timeout_sec": 300 });
        assert_eq!(merge(&there, &[]), Ok(wanted().value()));
    }

    #[test]
    fn only_the_word_that_is_ccmcp_is_replaced() {
        let there = json!({ "command": "/usr/bin/env", "args": ["TZ=UTC", "ccmcp", "serve", "--tools=agents"] });
        let args = |args: &[&str], sets: &[ToolSet]| {
            let merged = merge(&there, sets).unwrap();
            assert_eq!((&merged["command"], &merged["args"]), (&json!("/usr/bin/env"), &json!(args)));
        };
        args(&["TZ=UTC", OWN, "serve", "--tools=agents"], &[]);
        args(&["TZ=UTC", OWN, "serve", "--tools=agents"], &[ToolSet::Agents]);
        args(&["TZ=UTC", OWN, "serve", "--tools", "sessions,history"], &[ToolSet::Sessions, ToolSet::History]);
    }

    #[test]
    fn tools_are_asked_for_once() {
        let there = json!({ "command": OWN, "args": ["--log-level", "info", "serve", "--tools", "agents", "--tools=sessions", "-x"] });
        let merged = merge(&there, &[ToolSet::History]).unwrap();
        assert_eq!(merged["args"], json!(["--log-level", "info", "serve", "--tools", "history", "-x"]));
    }

    #[test]
    fn something_else_is_left_alone() {
        for line in [
            "npx something",
            "sh -c ccmcp serve",
            "docker run -i ccmcp serve",
            "uv run --directory /src/ccmcp serve",
            "ssh host ccmcp serve",
            "wsl.exe ccmcp serve",
            "env -S ccmcp serve",
            "env --chdir /src/ccmcp other serve",
        ] {
            let (command, args) = line.split_once(' ').unwrap();
            let there = json!({ "command": command, "args": args.split(' ').collect::<Vec<_>>() });
            assert_eq!(merge(&there, &[ToolSet::History]), Err("Foreign { name: \"x\" }".to_owned()), "{line}");
        }
        assert!(merge(&json!({ "command": "sh", "args": ["-c", "ccmcp serve"] }), &[]).is_err());
    }

    #[test]
    fn arguments_that_are_no_texts_are_not_lost() {
        for args in [json!(["serve", 1]), json!(["serve", "--tools", ["agents"]])] {
            let there = json!({ "command": "/old/ccmcp", "args": args });
            assert_eq!(merge(&there, &[ToolSet::History]), Err("Unsure".to_owned()));
        }
    }
}
