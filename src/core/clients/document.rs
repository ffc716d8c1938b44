//! A client's configuration as text: its servers, and one entry added or brought up to date.

use serde_json::{Map, Value, json};

use super::{
    Client, ServerEntry,
    client::Format,
    entry::{Entry, Field, Wanted},
    error::ConfigError,
    jsonc,
    merge::{Put, applied, merged},
    text::Fault,
    toml,
};

/// A byte order mark, which some editors on Windows put in front.
const MARK: char = '\u{feff}';

/// What became of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Edited {
    /// It was as it should be.
    Same,
    /// The entry is new.
    Added(String),
    /// The entry was there, and these keys of it were not as they should be.
    Updated(String, Vec<String>),
}

/// The whole document.
pub(super) fn tree(client: Client, text: &str) -> Result<Value, Fault> {
    let text = text.strip_prefix(MARK).unwrap_or(text);
    match client.format() {
        Format::Json(dialect) => jsonc::tree(text, dialect),
        Format::Toml => toml::tree(text),
    }
}

/// The servers in a document, by name.
pub(super) fn servers(client: Client, tree: &Value) -> impl Iterator<Item = (&String, &Map<String, Value>)> {
    let servers = tree.get(client.section()).and_then(Value::as_object);
    servers.into_iter().flatten().filter_map(|(name, server)| Some((name, server.as_object()?)))
}

/// An entry in the client's format, ready to be pasted.
pub(super) fn pasted(client: Client, name: &str, entry: &Entry) -> Result<String, Fault> {
    match client.format() {
        Format::Json(_) => Ok(jsonc::rendered(&json!({ client.section(): { name: entry.value() } }))),
        Format::Toml => toml::block(client.section(), name, &lines(entry)),
    }
}

/// Puts the entry into a text, or brings the one that is there up to date.
///
/// Nothing but the entry changes: the result is read again, and compared.
pub(super) fn edited(client: Client, text: &str, name: &str, wanted: &Wanted) -> Result<Edited, ConfigError> {
    let (mark, bare) = match text.strip_prefix(MARK) {
        Some(bare) => (&text[..MARK.len_utf8()], bare),
        None => ("", text),
    };
    let before = tree(client, bare)?;
    let section = client.section();
    let there = before.get(section).and_then(|servers| servers.get(name));
    let (new, value, edited) = match there {
        None => (added(client, bare, name, &wanted.asked)?, wanted.asked.value(), None),
        Some(there) => {
            let foreign = || ConfigError::Foreign { name: name.to_owned() };
            let table = there.as_object().ok_or_else(foreign)?;
            let existing = ServerEntry::read(client, std::path::PathBuf::new(), name, table).ok_or_else(foreign)?;
            let puts = merged(&existing, wanted.instead_of(&existing), &wanted.sets)?;
            if puts.is_empty() {
                return Ok(Edited::Same);
            }
            let mut new = bare.to_owned();
            for put in &puts {
                new = set(client, &new, name, put)?;
            }
            (new, applied(table, &puts), Some(keys(&puts)))
        }
    };
    let mut expected = before.clone();
    if expected[section].is_null() {
        expected[section] = json!({});
    }
    expected[section][name] = value;
    if tree(client, &new).ok().as_ref() != Some(&expected) {
        return Err(ConfigError::Unsure);
    }
    let new = format!("{mark}{new}");
    Ok(edited.map_or_else(|| Edited::Added(new.clone()), |keys| Edited::Updated(new.clone(), keys)))
}

fn added(client: Client, text: &str, name: &str, entry: &Entry) -> Result<String, Fault> {
    match client.format() {
        Format::Json(dialect) => jsonc::put(text, dialect, &[client.section(), name], &entry.value()),
        Format::Toml => toml::add(text, client.section(), name, &lines(entry)),
    }
}

fn set(client: Client, text: &str, name: &str, put: &Put) -> Result<String, Fault> {
    let inner = put.path.iter().map(String::as_str);
    let path: Vec<&str> = [client.section(), name].into_iter().chain(inner).collect();
    match client.format() {
        Format::Json(dialect) => jsonc::put(text, dialect, &path, &put.value),
        Format::Toml => toml::put(text, &path, &put.value),
    }
}

fn keys(puts: &[Put]) -> Vec<String> {
    puts.iter().map(|put| put.path.join(".")).collect()
}

fn lines(entry: &Entry) -> Vec<toml::Line<'_>> {
    let mut lines = Vec::with_capacity(entry.fields.len());
    for Field { key, value, note, .. } in &entry.fields {
        lines.push(toml::Line { note: *note, key, value });
    }
    lines
}

#[cfg(test)]
mod tests;
