//! Schemas from types, made fit for every client.
//!
//! What clients trip over (measured with the SDKs, Claude Code and Codex): a combiner at the root of an input schema
//! makes Claude Code drop the tool; integer formats make every TypeScript client warn; `null` in a type makes strict
//! checkers warn, and no argument of ours may be null anyway; the TypeScript SDK 1.x checks even an error against the
//! output schema, so that has to admit the error object.

use std::sync::Arc;

use rmcp::model::JsonObject;
use schemars::{JsonSchema, generate::SchemaSettings};
use serde_json::{Value, json};

/// The schema of a tool's arguments.
pub(super) fn input<T: JsonSchema>() -> JsonObject {
    let mut schema = derive::<T>(SchemaSettings::draft2020_12());
    schema.remove("$schema");
    schema.remove("title");
    // The type's own documentation is for people who read the code.
    schema.remove("description");
    schema.entry("properties").or_insert_with(|| json!({}));
    let mut schema = Value::Object(schema);
    tidy(&mut schema, true);
    into_object(schema)
}

/// The schema of a tool's answer, or of the error object in its place.
pub(super) fn output<T: JsonSchema>() -> Arc<JsonObject> {
    let mut schema = derive::<T>(SchemaSettings::draft2020_12().for_serialize());
    schema.remove("$schema");
    schema.remove("title");
    schema.remove("description");
    let required = schema.remove("required").unwrap_or_else(|| json!([]));
    let error = json!({
        "type": "object",
        "description": "Instead of everything else, when the call failed",
        "properties": {
            "code": { "type": "string" },
            "message": { "type": "string" },
            "hint": { "type": "string" },
            "details": { "type": "object" },
        },
        "required": ["code", "message"],
    });
    if let Some(properties) = schema.entry("properties").or_insert_with(|| json!({})).as_object_mut() {
        properties.insert("error".to_owned(), error);
    }
    schema.insert("anyOf".to_owned(), json!([{ "required": required }, { "required": ["error"] }]));
    let mut schema = Value::Object(schema);
    tidy(&mut schema, false);
    Arc::new(into_object(schema))
}

/// The schema of an answer that is an `A` or a `B`, or the error object in their place.
pub(super) fn either_output<A: JsonSchema, B: JsonSchema>() -> Arc<JsonObject> {
    let (mut either, mut other) = ((*output::<A>()).clone(), (*output::<B>()).clone());
    let mut merge = |key: &str, into: fn(&mut Value, Value)| {
        if let (Some(target), Some(more)) = (either.get_mut(key), other.remove(key)) {
            into(target, more);
        }
    };
    merge("properties", |target, more| {
        if let (Value::Object(target), Value::Object(more)) = (target, more) {
            for (name, schema) in more {
                target.entry(name).or_insert(schema);
            }
        }
    });
    merge("anyOf", |target, more| {
        if let (Value::Array(target), Value::Array(more)) = (target, more) {
            let error = target.pop();
            target.extend(more.into_iter().take(1).chain(error));
        }
    });
    Arc::new(either)
}

/// The schema without descriptions: the names of an answer's fields tell most of it.
pub(super) fn without_descriptions(schema: &JsonObject) -> Arc<JsonObject> {
    fn remove(schema: &mut Value) {
        match schema {
            Value::Object(map) => {
                // A property may have this name.
                if map.get("description").is_some_and(Value::is_string) {
                    map.remove("description");
                }
                map.values_mut().for_each(remove);
            }
            Value::Array(items) => items.iter_mut().for_each(remove),
            _ => {}
        }
    }
    let mut schema = Value::Object(schema.clone());
    remove(&mut schema);
    Arc::new(into_object(schema))
}

fn derive<T: JsonSchema>(mut settings: SchemaSettings) -> JsonObject {
    // References would have to be followed by clients that do not follow them.
    settings.inline_subschemas = true;
    into_object(settings.into_generator().into_root_schema_for::<T>().to_value())
}

fn into_object(schema: Value) -> JsonObject {
    match schema {
        Value::Object(schema) => schema,
        // A type whose schema is `true` or `false`: anything goes.
        _ => JsonObject::new(),
    }
}

/// Removes line breaks, integer formats and, in arguments, the `null` and the `null` default that an `Option` brings.
fn tidy(schema: &mut Value, arguments: bool) {
    match schema {
        Value::Object(map) => {
            let is_number =
                matches!(map.get("type"), Some(Value::String(kind)) if kind == "integer" || kind == "number");
            let may_be_number = map
                .get("type")
                .and_then(Value::as_array)
                .is_some_and(|kinds| kinds.iter().any(|kind| kind == "integer" || kind == "number"));
            if is_number || may_be_number {
                map.remove("format");
            }
            if let Some(Value::String(text)) = map.get_mut("description") {
                // Where the source breaks a line is nobody's business.
                *text = text.replace('\n', " ");
            }
            if arguments {
                if map.get("default").is_some_and(Value::is_null) {
                    map.remove("default");
                }
                if let Some(Value::Array(kinds)) = map.get("type") {
                    let kinds: Vec<&Value> = kinds.iter().filter(|kind| *kind != "null").collect();
                    if let [kind] = kinds.as_slice() {
                        let kind = (*kind).clone();
                        map.insert("type".to_owned(), kind);
                    }
                }
                if let Some(Value::Array(choices)) = map.get_mut("enum") {
                    choices.retain(|choice| !choice.is_null());
                }
                unwrap_option(map);
            }
            list_choices(map);
            map.values_mut().for_each(|value| tidy(value, arguments));
        }
        Value::Array(items) => items.iter_mut().for_each(|value| tidy(value, arguments)),
        _ => {}
    }
}

/// `anyOf: [T, null]` → `T`, keeping what stands beside it (the description).
fn unwrap_option(map: &mut JsonObject) {
    let Some(Value::Array(choices)) = map.get("anyOf") else { return };
    let real: Vec<&Value> = choices.iter().filter(|choice| choice["type"] != "null").collect();
    if let [Value::Object(inner)] = real.as_slice()
        && choices.len() == 2
    {
        let inner = inner.clone();
        map.remove("anyOf");
        for (key, value) in inner {
            map.entry(key).or_insert(value);
        }
    }
}

/// Named choices, each with a description, → a plain list of them: shorter, and what more clients understand.
fn list_choices(map: &mut JsonObject) {
    let Some(Value::Array(choices)) = map.get("oneOf") else { return };
    let names: Option<Vec<Value>> = choices.iter().map(|choice| choice.get("const").cloned()).collect();
    if let Some(names) = names.filter(|names| names.iter().all(Value::is_string)) {
        map.remove("oneOf");
        map.insert("type".to_owned(), json!("string"));
        map.insert("enum".to_owned(), Value::Array(names));
    }
}

#[cfg(test)]
mod tests {
    use serde::{Deserialize, Serialize};

    use super::*;

    #[derive(Serialize, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    struct Arguments {
        /// How many.
        #[schemars(range(min = 1, max = 5))]
        count: Option<u32>,
        /// Which.
        choice: Option<Choice>,
        name: String,
        described: Option<Described>,
    }

    #[derive(Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    enum Described {
        /// The first.
        First,
        /// The second.
        Second,
    }

    #[derive(Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    enum Choice {
        One,
        Two,
    }

    #[test]
    fn arguments_are_a_plain_object_without_null() {
        assert_eq!(
            Value::Object(input::<Arguments>()),
            json!({
                "type": "object",
                "additionalProperties": false,
                "properties": {
                    "count": { "type": "integer", "description": "How many.", "minimum": 1, "maximum": 5 },
                    "choice": { "type": "string", "description": "Which.", "enum": ["one", "two"] },
                    "name": { "type": "string" },
                    "described": { "type": "string", "enum": ["first", "second"] },
                },
                "required": ["name"],
            })
        );
    }

    #[test]
    fn an_answer_admits_the_error_object() {
        let schema = output::<Arguments>();
        assert_eq!(
            schema["anyOf"],
            json!([{ "required": ["count", "choice", "name", "described"] }, { "required": ["error"] }])
        );
        assert_eq!(schema["type"], "object");
        assert!(schema["properties"]["error"].is_object());
    }

    #[test]
    fn one_of_two_answers_admits_both_and_the_error_object() {
        #[derive(Serialize, JsonSchema)]
        struct Other {
            name: String,
            done: bool,
        }
        let schema = either_output::<Arguments, Other>();
        let all = ["count", "choice", "name", "described"];
        assert_eq!(
            schema["anyOf"],
            json!([{ "required": all }, { "required": ["name", "done"] }, { "required": ["error"] }])
        );
        let properties: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
        assert_eq!(properties, ["count", "choice", "name", "described", "error", "done"]);
    }
}
