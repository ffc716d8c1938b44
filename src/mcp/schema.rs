//! Schemas from types, made fit for every client.
//!
//! What clients trip over (measured with the SDKs, Claude Code and Codex): a combiner at the root of an input schema
//! makes Claude Code drop the tool; integer formats make every TypeScript client warn; `null` in a type makes strict
//! checkers warn, and no argument of ours may be null anyway; the TypeScript SDK 1.x checks even an error against the
//! output schema, so that has to admit the error object.
//!
//! Every client pays for every byte of the list, and no model is shown an output schema (Codex makes types of one in its
//! code mode, but of none with alternatives at its root). So it says what programs check of an answer: which fields are
//! always there, and of what type each is. What a field means, the tool's description tells where its name does not.

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
    tidy(&mut schema);
    into_object(schema)
}

/// The schema of a tool's answer, or of the error object in its place.
pub(super) fn output<T: JsonSchema>() -> Arc<JsonObject> {
    let mut schema = derive::<T>(SchemaSettings::draft2020_12().for_serialize());
    let required = schema.remove("required").unwrap_or_else(|| json!([]));
    let mut properties = JsonObject::new();
    if let Some(Value::Object(fields)) = schema.remove("properties") {
        for (name, field) in fields {
            let is_always_there = required.as_array().is_some_and(|names| names.iter().any(|known| *known == name));
            let shape = shape(field, is_always_there);
            // Where anything may stand there is nothing to say.
            if shape != json!({}) {
                properties.insert(name, shape);
            }
        }
    }
    properties.insert("error".to_owned(), json!({ "type": "object", "required": ["code", "message"] }));
    Arc::new(into_object(json!({
        "type": "object",
        "properties": properties,
        "anyOf": [{ "required": required }, { "required": ["error"] }],
    })))
}

/// What an output schema says of a field: its type, and the type of a list's items. Choices are texts: an answer may
/// have a new one without breaking clients that check.
fn shape(schema: Value, is_always_there: bool) -> Value {
    let Value::Object(mut schema) = schema else { return json!({}) };
    if !is_always_there {
        // It is left out where it would be null.
        remove_null(&mut schema);
    }
    list_choices(&mut schema);
    let mut shaped = JsonObject::new();
    for (key, value) in schema {
        let said = match (key.as_str(), value) {
            ("type", kind) => kind,
            ("items" | "additionalProperties", of @ Value::Object(_)) => shape(of, true),
            ("anyOf", Value::Array(choices)) => {
                let kinds = choices.into_iter().map(|choice| shape(choice, true)["type"].take()).collect();
                shaped.insert("type".to_owned(), kinds);
                continue;
            }
            _ => continue,
        };
        shaped.insert(key, said);
    }
    Value::Object(shaped)
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

/// Removes line breaks, integer formats, and the `null` and the `null` default that an `Option` brings.
fn tidy(schema: &mut Value) {
    match schema {
        Value::Object(map) => {
            remove_null(map);
            if matches!(map.get("type"), Some(Value::String(kind)) if kind == "integer" || kind == "number") {
                map.remove("format");
            }
            if let Some(Value::String(text)) = map.get_mut("description") {
                // Where the source breaks a line is nobody's business.
                *text = text.replace('\n', " ");
            }
            if map.get("default").is_some_and(Value::is_null) {
                map.remove("default");
            }
            list_choices(map);
            map.values_mut().for_each(tidy);
        }
        Value::Array(items) => items.iter_mut().for_each(tidy),
        _ => {}
    }
}

/// Takes the `null` out of what an `Option` becomes.
fn remove_null(map: &mut JsonObject) {
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
        assert_eq!(
            schema["properties"],
            json!({
                "count": { "type": ["integer", "null"] },
                "choice": { "type": ["string", "null"] },
                "name": { "type": "string" },
                "described": { "type": ["string", "null"] },
                "error": { "type": "object", "required": ["code", "message"] },
            })
        );
    }

    #[test]
    fn what_may_be_left_out_is_never_null_and_what_may_be_anything_is_not_told() {
        #[derive(Serialize, JsonSchema)]
        struct Answer {
            #[serde(skip_serializing_if = "Option::is_none")]
            next: Option<u64>,
            #[serde(skip_serializing_if = "Option::is_none")]
            described: Option<Described>,
            items: Vec<Choice>,
            inner: Inner,
            anything: Value,
        }
        #[derive(Serialize, JsonSchema)]
        struct Inner {
            name: String,
        }
        let schema = output::<Answer>();
        assert_eq!(
            schema["properties"],
            json!({
                "next": { "type": "integer" },
                "described": { "type": "string" },
                "items": { "type": "array", "items": { "type": "string" } },
                "inner": { "type": "object" },
                "error": { "type": "object", "required": ["code", "message"] },
            })
        );
        assert_eq!(schema["anyOf"][0]["required"], json!(["items", "inner", "anything"]));
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
