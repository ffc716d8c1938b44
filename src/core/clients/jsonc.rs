//! JSON files, with and without comments: one value is set, every other byte stays.
//!
//! The library's own tree editor would lay out anew what stands around an insertion; so only its ranges are used.

use std::ops::Range;

use jsonc_parser::{
    CollectOptions, CommentCollectionStrategy, ParseOptions, ParseResult,
    ast::{self, ObjectProp},
    common::Ranged,
    parse_to_ast,
    tokens::{Token, TokenAndRange},
};
use serde_json::{Map, Value};

use super::{
    list,
    text::{Fault, indent_at, line_end, spliced},
};

/// What a client's parser takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    /// JSON alone.
    Strict,
    /// Comments and trailing commas too.
    Commented,
}

/// The whole document. An empty one, or one of comments only, is an empty object.
pub(super) fn tree(text: &str, dialect: Dialect) -> Result<Value, Fault> {
    Ok(parse(text, dialect)?.value.map_or_else(|| Value::Object(Map::new()), Value::from))
}

/// Sets the value at a path, with the objects that are missing on the way.
///
/// # Errors
/// The text is no JSON, or something on the way is no object.
pub(super) fn put(text: &str, dialect: Dialect, path: &[&str], value: &Value) -> Result<String, Fault> {
    let document = parse(text, dialect)?;
    let tokens = document.tokens.as_deref().unwrap_or_default();
    let layout = Layout::of(text, document.value.as_ref());
    let Some(root) = &document.value else {
        let gap = if text.is_empty() || text.ends_with('\n') { "" } else { layout.line_end };
        return Ok(format!("{text}{gap}{}{}", layout.render(&nested(path, value), ""), layout.line_end));
    };
    let mut here = root;
    for (depth, key) in path.iter().enumerate() {
        let ast::Value::Object(object) = here else {
            return Err(Fault::at(text, here.start(), format!("{} is no object", name(&path[..depth]))));
        };
        // Where a key stands twice, the last one is what parsers take.
        match object.properties.iter().rfind(|property| property.name.as_str() == *key) {
            Some(property) => here = &property.value,
            None => {
                let value = nested(&path[depth + 1..], value);
                return Ok(spliced(text, &inserted(text, tokens, object, &layout, (key, &value))));
            }
        }
    }
    let range = here.start()..here.end();
    let render = |value: &Value| layout.render(value, indent_at(text, range.start));
    if let (ast::Value::Array(old), Value::Array(new)) = (here, value) {
        let element = |element: &ast::Value<'_>| (element.start()..element.end(), Value::from(element.clone()));
        let old: Vec<_> = old.elements.iter().map(element).collect();
        return Ok(spliced(text, &list::changes(text, &range, &old, new, |value| Ok(render(value)))?));
    }
    if tokens.iter().any(|token| is_comment(token) && within(token, &range)) {
        return Err(Fault::style(text, range.start, "there is a comment in what would be replaced"));
    }
    let new = render(value);
    Ok(spliced(text, &[(range, new)]))
}

/// A value as a document of its own.
pub(super) fn rendered(value: &Value) -> String {
    let layout = Layout { line_end: "\n", unit: "  ".to_owned(), compact: false };
    format!("{}\n", layout.render(value, ""))
}

fn parse(text: &str, dialect: Dialect) -> Result<ParseResult<'_>, Fault> {
    let commented = dialect == Dialect::Commented;
    let options = ParseOptions {
        allow_comments: commented,
        allow_trailing_commas: commented,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    let collect = CollectOptions { comments: CommentCollectionStrategy::AsTokens, tokens: true };
    let document = parse_to_ast(text, &collect, &options)
        .map_err(|error| Fault::at(text, error.range().start, lower(&error.kind().to_string())))?;
    // The library hands comments on as tokens without asking whether they are allowed.
    let comment = document.tokens.iter().flatten().find(|token| is_comment(token));
    match comment {
        Some(comment) if !commented => Err(Fault::at(text, comment.start(), "comments are not allowed")),
        _ => Ok(document),
    }
}

/// The library's messages begin with a capital.
fn lower(message: &str) -> String {
    let mut characters = message.chars();
    characters.next().map_or_else(String::new, |first| first.to_lowercase().chain(characters).collect())
}

fn name(path: &[&str]) -> String {
    if path.is_empty() { "the document".to_owned() } else { format!("`{}`", path.join(".")) }
}

/// The value inside objects with these keys.
fn nested(path: &[&str], value: &Value) -> Value {
    path.iter().rfold(value.clone(), |inner, key| Value::Object(Map::from_iter([((*key).to_owned(), inner)])))
}

/// The changes that put one more property at the end of an object.
fn inserted(
    text: &str,
    tokens: &[TokenAndRange<'_>],
    object: &ast::Object<'_>,
    layout: &Layout,
    (key, value): (&str, &Value),
) -> Vec<(Range<usize>, String)> {
    let inside = object.range.start + 1..object.range.end - 1;
    let outer = indent_at(text, object.range.start);
    let key = Value::from(key);
    let (Some(first), Some(last)) = (object.properties.first(), object.properties.last()) else {
        // What comments there are stay in front.
        let mut comments = tokens.iter().filter(|token| is_comment(token) && within(token, &inside));
        let at = comments.next_back().map_or(inside.start, Ranged::end);
        let new = if layout.compact {
            format!("{key}: {}", layout.render(value, outer))
        } else {
            let (end, indent) = (layout.line_end, format!("{outer}{}", layout.unit));
            format!("{end}{indent}{key}: {}{end}{outer}", layout.render(value, &indent))
        };
        return vec![(at..inside.end, new)];
    };
    let mut splices = Vec::new();
    let rest = last.range.end..inside.end;
    let comma = tokens.iter().find(|token| token.token == Token::Comma && within(token, &rest));
    let mut at = rest.start;
    match comma {
        Some(comma) => at = comma.end(),
        None => splices.push((at..at, ",".to_owned())),
    }
    // What is said about the last property, on its line, stays with it.
    let mut needs_line = is_on_own_line(text, object, first);
    let behind = at..inside.end;
    for comment in tokens.iter().filter(|token| is_comment(token) && within(token, &behind)) {
        if text[at..comment.start()].contains('\n') {
            break;
        }
        at = comment.end();
        needs_line |= matches!(comment.token, Token::CommentLine(_));
    }
    let mut new = if needs_line {
        let indent = if is_on_own_line(text, object, first) {
            indent_at(text, first.range.start).to_owned()
        } else {
            format!("{outer}{}", layout.unit)
        };
        format!("{}{indent}{key}: {}", layout.line_end, layout.render(value, &indent))
    } else {
        let compact = Layout { compact: true, ..layout.clone() };
        format!(" {key}: {}", compact.render(value, ""))
    };
    if comma.is_some() {
        new.push(',');
    }
    splices.push((at..at, new));
    splices
}

fn is_on_own_line(text: &str, object: &ast::Object<'_>, first: &ObjectProp<'_>) -> bool {
    text[object.range.start..first.range.start].contains('\n')
}

fn is_comment(token: &TokenAndRange<'_>) -> bool {
    matches!(token.token, Token::CommentLine(_) | Token::CommentBlock(_))
}

fn within(token: &TokenAndRange<'_>, range: &Range<usize>) -> bool {
    range.start <= token.start() && token.end() <= range.end
}

/// How a document is laid out, and what is added to it.
#[derive(Clone, Debug)]
struct Layout {
    line_end: &'static str,
    /// One step of indentation.
    unit: String,
    /// All on one line.
    compact: bool,
}

impl Layout {
    fn of(text: &str, root: Option<&ast::Value<'_>>) -> Self {
        let first = match root {
            Some(ast::Value::Object(object)) => object.properties.first().map(|first| (object, first)),
            _ => None,
        };
        let unit = match first {
            Some((object, first)) if is_on_own_line(text, object, first) => {
                let (outer, inner) = (indent_at(text, object.range.start), indent_at(text, first.range.start));
                inner.strip_prefix(outer).filter(|unit| !unit.is_empty())
            }
            _ => None,
        };
        Self {
            line_end: line_end(text),
            unit: unit.unwrap_or("  ").to_owned(),
            compact: first.is_some() && !text.trim_end().contains('\n'),
        }
    }

    /// The value, whose first line stands behind something that is indented by `indent`.
    fn render(&self, value: &Value, indent: &str) -> String {
        match value {
            Value::Object(map) if !map.is_empty() => {
                let inner = if self.compact { String::new() } else { format!("{indent}{}", self.unit) };
                let (start, gap, end) = if self.compact {
                    (" ".to_owned(), ", ".to_owned(), " ".to_owned())
                } else {
                    let line = self.line_end;
                    (format!("{line}{inner}"), format!(",{line}{inner}"), format!("{line}{indent}"))
                };
                let members = map
                    .iter()
                    .map(|(key, value)| format!("{}: {}", Value::from(key.as_str()), self.render(value, &inner)));
                format!("{{{start}{}{end}}}", members.collect::<Vec<_>>().join(&gap))
            }
            Value::Array(elements) => {
                let elements: Vec<_> = elements.iter().map(|element| self.render(element, indent)).collect();
                format!("[{}]", elements.join(", "))
            }
            scalar => scalar.to_string(),
        }
    }
}

#[cfg(test)]
mod tests;
