//! TOML files: an entry is added or one value set, every other byte stays.
//!
//! The library's own editing would end all lines alike and may move tables; so only its ranges are used.

use std::ops::Range;

use serde::{Deserialize, Serialize, de::IntoDeserializer};
use serde_json::{Map, Value};
use toml_edit::{Document, Item, Key, TableLike, ser::ValueSerializer};

use super::{
    list,
    text::{Fault, end_of_line, indent_at, line_end, spliced},
};

/// The whole document.
pub(super) fn tree(text: &str) -> Result<Value, Fault> {
    parse(text)?;
    toml_edit::de::from_str(text).map_err(|error| fault(text, error.span(), error.message()))
}

/// Adds `[section.name]` with these lines: comments, key and value.
///
/// # Errors
/// The text is no TOML, or the section is no table.
pub(super) fn add(text: &str, section: &str, name: &str, fields: &[Line<'_>]) -> Result<String, Fault> {
    let document = parse(text)?;
    match document.get(section) {
        None | Some(Item::Table(_)) => {}
        // A table of its own would define it a second time.
        Some(Item::Value(value)) if value.is_inline_table() => {
            let entry: Map<String, Value> =
                fields.iter().map(|line| (line.key.to_owned(), line.value.clone())).collect();
            return put(text, &[section, name], &Value::Object(entry));
        }
        Some(other) => return Err(fault(text, other.span(), &format!("`{section}` is no table"))),
    }
    let end = line_end(text);
    let mut new = text.to_owned();
    if !new.is_empty() {
        if !new.ends_with('\n') {
            new.push_str(end);
        }
        if !new.trim_end_matches([' ', '\t']).ends_with(&format!("{end}{end}")) {
            new.push_str(end);
        }
    }
    new.push_str(&block(section, name, fields)?.replace('\n', end));
    Ok(new)
}

/// One key of a new table, with what is said about it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'a> {
    pub(super) note: Option<&'a str>,
    pub(super) key: &'a str,
    pub(super) value: &'a Value,
}

/// A table as a document of its own.
pub(super) fn block(section: &str, name: &str, fields: &[Line<'_>]) -> Result<String, Fault> {
    let mut block = format!("[{}.{}]\n", key(section), key(name));
    for Line { note, key: name, value } in fields {
        for line in note.iter().flat_map(|note| note.lines()) {
            block.extend(["# ", line, "\n"]);
        }
        block.extend([&key(name), " = ", &rendered(value)?, "\n"]);
    }
    Ok(block)
}

/// Sets the value at a path whose tables are there, but for the last.
///
/// # Errors
/// The text is no TOML, or something on the way is no table, or one that cannot be added to.
pub(super) fn put(text: &str, path: &[&str], value: &Value) -> Result<String, Fault> {
    let document = parse(text)?;
    let mut here = document.as_item();
    for (depth, name) in path.iter().enumerate() {
        let table = here
            .as_table_like()
            .ok_or_else(|| fault(text, here.span(), &format!("`{}` is no table", path[..depth].join("."))))?;
        match table.get(name) {
            Some(item) => here = item,
            None => {
                let nested = path[depth + 1..]
                    .iter()
                    .rfold(value.clone(), |inner, key| Value::Object(Map::from_iter([((*key).to_owned(), inner)])));
                let new = format!("{} = {}", key(name), rendered(&nested)?);
                let splice = inserted(text, here, table, &new).ok_or_else(|| {
                    let reason = format!("`{}` is written in a way that is not edited", path[..depth].join("."));
                    Fault::style(text, here.span().map_or(0, |span| span.start), reason)
                })?;
                return Ok(spliced(text, &[splice]));
            }
        }
    }
    match here {
        Item::Value(old) if !old.as_inline_table().is_some_and(toml_edit::InlineTable::is_dotted) => {
            Ok(spliced(text, &replaced(text, old, value)?))
        }
        other => Err(fault(text, other.span(), &format!("`{}` is a table", path.join(".")))),
    }
}

/// The changes that put another value in the place of one.
fn replaced(text: &str, old: &toml_edit::Value, new: &Value) -> Result<Vec<(Range<usize>, String)>, Fault> {
    let range = old.span().unwrap_or_default();
    let element = |element: &toml_edit::Value| {
        let value = Value::deserialize(element.clone().into_deserializer()).ok()?;
        Some((element.span()?, value))
    };
    if let (Some(old), Value::Array(new)) = (old.as_array(), new)
        && let Some(old) = old.iter().map(element).collect::<Option<Vec<_>>>()
    {
        return list::changes(text, &range, &old, new, rendered);
    }
    if (old.is_array() || old.is_inline_table()) && text[range.clone()].contains('#') {
        return Err(Fault::style(text, range.start, "there may be a comment in what would be replaced"));
    }
    Ok(vec![(range, rendered(new)?)])
}

/// The change that puts one more line into a table; `None` where that is not possible.
fn inserted(text: &str, item: &Item, table: &dyn TableLike, new: &str) -> Option<(Range<usize>, String)> {
    let end = own(table).iter().map(|(_, range)| range.end).max();
    if item.is_inline_table() {
        let range = item.span()?;
        let is_braced = text[range.clone()].starts_with('{');
        return match end {
            _ if !is_braced => None,
            Some(end) => Some((end..end, format!(", {new}"))),
            None => Some((range.start + 1..range.end - 1, format!(" {new} "))),
        };
    }
    let Some(end) = end else {
        // Behind its header, if it has one.
        let header = item.span().filter(|header| text[header.clone()].starts_with('['))?;
        let at = end_of_line(text, header.end);
        return Some((at..at, format!("{}{new}", line_end(text))));
    };
    // The line begins as those of its neighbours do: indented, or with the front of a dotted key.
    let neighbour = own(table).into_iter().filter_map(|(key, range)| Some((key?.span()?, range))).next_back();
    let prefix = match neighbour {
        Some((key, _)) => {
            let start = text[..key.start].rfind('\n').map_or(0, |newline| newline + 1);
            &text[start..key.start]
        }
        None if item.as_table()?.is_dotted() => return None,
        None => indent_at(text, end),
    };
    let at = end_of_line(text, end);
    Some((at..at, format!("{}{prefix}{new}", line_end(text))))
}

/// The values that stand under the table's own header or name: with their keys, or without where these are dotted.
fn own(table: &dyn TableLike) -> Vec<(Option<&Key>, Range<usize>)> {
    let mut found = Vec::new();
    for (name, item) in table.iter() {
        let is_dotted = match item {
            Item::Table(inner) => inner.is_dotted(),
            Item::Value(toml_edit::Value::InlineTable(inner)) => inner.is_dotted(),
            _ => false,
        };
        match item {
            _ if is_dotted => {
                let inner = item.as_table_like().map(own).unwrap_or_default();
                found.extend(inner.into_iter().map(|(_, range)| (None, range)));
            }
            Item::Value(value) => found.extend(value.span().map(|range| (table.key(name), range))),
            _ => {}
        }
    }
    found
}

fn parse(text: &str) -> Result<Document<&str>, Fault> {
    Document::parse(text).map_err(|error| fault(text, error.span(), error.message()))
}

fn fault(text: &str, span: Option<Range<usize>>, reason: &str) -> Fault {
    Fault::at(text, span.map_or(0, |span| span.start), reason)
}

fn key(name: &str) -> String {
    Key::new(name).display_repr().into_owned()
}

fn rendered(value: &Value) -> Result<String, Fault> {
    let value = value.serialize(ValueSerializer::new()).map_err(|error| Fault::at("", 0, error.to_string()))?;
    Ok(value.to_string())
}

#[cfg(test)]
mod tests;
