//! Arguments checked against the schema, then read.
//!
//! A client may or may not check arguments itself, and what serde says of bad ones quotes the caller's values. So the
//! tool's own schema is enforced here: what the schema says is what happens, and an error names the field and what is
//! expected, never the value.

use rmcp::model::JsonObject;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::core::error::{Error, ErrorCode};

/// A longer name of an unknown field is cut; it comes from the caller.
const LONGEST_NAME: usize = 60;

/// What is wrong with an argument.
#[derive(Debug, PartialEq)]
pub(super) struct BadArgument {
    field: String,
    expected: String,
    known: bool,
}

impl BadArgument {
    pub(super) fn new(field: &str, expected: impl Into<String>) -> Self {
        Self { field: printable(field), expected: expected.into(), known: true }
    }

    /// A field that the tool does not have.
    fn unknown(field: &str, properties: &JsonObject) -> Self {
        let names: Vec<&str> = properties.keys().map(String::as_str).collect();
        let expected = if names.is_empty() { "no arguments".to_owned() } else { format!("only {}", names.join(", ")) };
        Self { known: false, ..Self::new(field, expected) }
    }

    /// The error under the code of the toolset that the tool belongs to.
    pub(super) fn into_error(self, code: ErrorCode) -> Error {
        let message = match code {
            // The agents' contract: a fixed text per code; the details say which.
            ErrorCode::InvalidInput => "Invalid tool arguments.".to_owned(),
            _ if self.field.is_empty() => format!("The arguments are not valid: expected {}.", self.expected),
            _ if self.known => format!("`{}` is not valid: expected {}.", self.field, self.expected),
            _ => format!("`{}` is not a field of this tool: expected {}.", self.field, self.expected),
        };
        let hint = match (self.field.as_str(), self.known) {
            ("", _) => format!("Pass {}.", self.expected),
            (field, true) => format!("Pass `{field}` as {}.", self.expected),
            (field, false) => format!("Leave `{field}` out: the tool takes {}.", self.expected),
        };
        Error::new(code, message).hint(hint).details(|details| {
            details.field = Some(self.field).filter(|field| !field.is_empty());
            details.expected = Some(self.expected);
        })
    }
}

/// Reads `arguments` as `T`, after checking them against `schema` (as [`super::schema::input`] makes it).
pub(super) fn read<T: DeserializeOwned>(schema: &JsonObject, arguments: JsonObject) -> Result<T, BadArgument> {
    check_object(schema, &arguments, "")?;
    serde_path_to_error::deserialize(Value::Object(arguments)).map_err(|error| {
        let path = error.path().to_string();
        let (name, in_list) = path.split_once('[').map_or((&*path, false), |(name, _)| (name, true));
        let property = schema.get("properties").and_then(|properties| properties.get(name));
        let property = if in_list { property.and_then(|list| list.get("items")) } else { property };
        BadArgument::new(&path, property.map_or_else(|| "another value".to_owned(), describe))
    })
}

fn check_object(schema: &JsonObject, object: &JsonObject, prefix: &str) -> Result<(), BadArgument> {
    let none = JsonObject::new();
    let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&none);
    for (name, value) in object {
        let path = format!("{prefix}{name}");
        let Some(property) = properties.get(name) else { return Err(BadArgument::unknown(&path, properties)) };
        check(property, value, &path)?;
    }
    for name in schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str) {
        if !object.contains_key(name) {
            let expected = properties.get(name).map_or_else(|| "a value".to_owned(), describe);
            return Err(BadArgument::new(&format!("{prefix}{name}"), format!("{expected} (it is required)")));
        }
    }
    Ok(())
}

fn check(schema: &Value, value: &Value, path: &str) -> Result<(), BadArgument> {
    let number = |key: &str| schema.get(key).and_then(Value::as_f64);
    let size = |key: &str| schema.get(key).and_then(Value::as_u64);
    let is_within = |count: usize, least: &str, most: &str| {
        let count = count as u64;
        size(least).is_none_or(|least| count >= least) && size(most).is_none_or(|most| count <= most)
    };
    let good = match (schema.get("type").and_then(Value::as_str), value) {
        (Some("string"), Value::String(text)) => {
            let listed = schema.get("enum").and_then(Value::as_array).is_none_or(|list| list.contains(value));
            listed && is_within(text.chars().count(), "minLength", "maxLength")
        }
        (Some("integer" | "number"), Value::Number(given)) => {
            let given = given.as_f64().unwrap_or(f64::NAN);
            let whole = schema["type"] == "number" || given.fract() == 0.0;
            whole
                && number("minimum").is_none_or(|least| given >= least)
                && number("maximum").is_none_or(|most| given <= most)
                && number("exclusiveMinimum").is_none_or(|least| given > least)
        }
        (Some("boolean"), Value::Bool(_)) => true,
        (Some("array"), Value::Array(items)) => {
            for (index, item) in items.iter().enumerate() {
                check(schema.get("items").unwrap_or(&Value::Null), item, &format!("{path}[{index}]"))?;
            }
            is_within(items.len(), "minItems", "maxItems")
        }
        (Some("object"), Value::Object(object)) => {
            if let Some(schema) = schema.as_object() {
                check_object(schema, object, &format!("{path}."))?;
            }
            true
        }
        (Some(_), _) => false,
        // No type given: serde has the last word.
        (None, value) => !value.is_null(),
    };
    if good { Ok(()) } else { Err(BadArgument::new(path, describe(schema))) }
}

/// Says in words what a schema admits.
fn describe(schema: &Value) -> String {
    let number = |key: &str| schema.get(key).and_then(Value::as_f64);
    let size = |key: &str| schema.get(key).and_then(Value::as_u64);
    if let Some(choices) = schema.get("enum").and_then(Value::as_array) {
        let choices: Vec<String> =
            choices.iter().filter_map(Value::as_str).map(|choice| format!("\"{choice}\"")).collect();
        return format!("one of {}", choices.join(", "));
    }
    let range = match (number("minimum"), number("maximum")) {
        (Some(least), Some(most)) => format!(" from {least} to {most}"),
        (Some(least), None) => format!(" of at least {least}"),
        (None, Some(most)) => format!(" of at most {most}"),
        (None, None) => number("exclusiveMinimum").map_or_else(String::new, |least| format!(" above {least}")),
    };
    match schema.get("type").and_then(Value::as_str) {
        Some("string") if schema.get("format").is_some_and(|format| format == "uuid") => {
            "a UUID as a string".to_owned()
        }
        Some("string") => match (size("minLength"), size("maxLength")) {
            (Some(_), Some(most)) => format!("a string of 1 to {most} characters"),
            (None, Some(most)) => format!("a string of at most {most} characters"),
            (Some(_), None) => "a string that is not empty".to_owned(),
            (None, None) => "a string".to_owned(),
        },
        Some("integer") => format!("a whole number{range}"),
        Some("number") => format!("a number{range}"),
        Some("boolean") => "true or false".to_owned(),
        Some("array") => match (size("minItems"), size("maxItems")) {
            (Some(least), Some(most)) => format!("a list of {least} to {most} items"),
            _ => "a list".to_owned(),
        },
        Some("object") => "an object".to_owned(),
        _ => "another value".to_owned(),
    }
}

/// A caller's own name for a field, short and without control characters.
fn printable(name: &str) -> String {
    let mut text: String = name.chars().filter(|character| !character.is_control()).take(LONGEST_NAME).collect();
    if text.len() < name.len() && text.chars().count() == LONGEST_NAME {
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::json;

    use super::*;
    use crate::core::ids::SessionId;

    #[derive(Debug, Deserialize, schemars::JsonSchema)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only read into")]
    struct Params {
        id: SessionId,
        #[schemars(range(min = 1, max = 9))]
        count: Option<u32>,
        #[schemars(length(min = 1, max = 3))]
        names: Option<Vec<String>>,
        #[schemars(length(max = 4))]
        short: Option<String>,
        flag: Option<bool>,
    }

    fn fault(arguments: Value) -> Option<(String, String)> {
        let Value::Object(arguments) = arguments else { panic!("not an object") };
        let schema = super::super::schema::input::<Params>();
        read::<Params>(&schema, arguments).err().map(|bad| (bad.field, bad.expected))
    }

    #[test]
    fn good_arguments_pass_and_bad_ones_are_named() {
        let id = "11111111-2222-4333-8444-555555555555";
        assert_eq!(fault(json!({ "id": id, "count": 9, "names": ["a"], "short": "äöüß", "flag": true })), None);
        let cases = [
            (json!({}), "id", "a UUID as a string (it is required)"),
            (json!({ "id": "x" }), "id", "a UUID as a string"),
            (json!({ "id": 5 }), "id", "a UUID as a string"),
            (json!({ "id": id, "count": 0 }), "count", "a whole number from 1 to 9"),
            (json!({ "id": id, "count": 1.5 }), "count", "a whole number from 1 to 9"),
            (json!({ "id": id, "count": null }), "count", "a whole number from 1 to 9"),
            (json!({ "id": id, "count": "3" }), "count", "a whole number from 1 to 9"),
            (json!({ "id": id, "count": 1e300 }), "count", "a whole number from 1 to 9"),
            (json!({ "id": id, "names": [] }), "names", "a list of 1 to 3 items"),
            (json!({ "id": id, "names": ["a", 1] }), "names[1]", "a string"),
            (json!({ "id": id, "short": "abcde" }), "short", "a string of at most 4 characters"),
            (json!({ "id": id, "flag": "yes" }), "flag", "true or false"),
        ];
        for (arguments, field, expected) in cases {
            assert_eq!(fault(arguments.clone()), Some((field.to_owned(), expected.to_owned())), "{arguments}");
        }
    }

    #[test]
    fn an_unknown_field_is_named_in_a_printable_form() {
        let (field, expected) = fault(json!({ ("\u{1b}[31m".repeat(40)): 1 })).unwrap();
        assert!(field.chars().count() <= 61 && !field.contains('\u{1b}'), "{field:?}");
        assert_eq!(expected, "only id, count, names, short, flag");
    }
}
