//! What the list of the tools costs every client that reads it, and what its schemas are still worth.

use serde_json::{Value, json};

use super::all;
use crate::support::{Sandbox, mcp::Mcp, schemas};

/// The most that the whole list may take, in bytes of compact JSON.
const WHOLE: usize = 25_000;

/// The most that one tool may take. Codex drops all descriptions of one whose schemas are longer.
const TOOL: usize = 5_000;

/// The most characters of the first line of the instructions. Codex shows that line only, cut at 247.
const FIRST_LINE: usize = 240;

fn list(mcp: &mut Mcp) -> Value {
    let call = mcp.begin("tools/list", json!({}));
    mcp.result(&call)
}

#[test]
fn the_list_is_short() {
    let sandbox = Sandbox::new();
    let list = list(&mut all(&sandbox));
    let size = |value: &Value| value.to_string().len();
    let mut table = format!("{:16} {:>6} {:>6} {:>6} {:>11}\n", "tool", "bytes", "input", "output", "description");
    for tool in list["tools"].as_array().expect("tools") {
        let name = tool["name"].as_str().expect("a name");
        let (input, output) = (size(&tool["inputSchema"]), size(&tool["outputSchema"]));
        let row = format!("{name:16} {:>6} {input:>6} {output:>6} {:>11}\n", size(tool), size(&tool["description"]));
        assert!(input + output < TOOL && size(tool) < TOOL, "too long: {row}");
        table.push_str(&row);
    }
    // A token is about four bytes of such text.
    println!("{table}{:16} {:>6} (about {} tokens)", "all", size(&list), size(&list) / 4);
    assert!(size(&list) <= WHOLE, "{} bytes:\n{table}", size(&list));
}

#[test]
fn the_first_line_of_the_instructions_is_short_whatever_is_offered() {
    let sandbox = Sandbox::new();
    for sets in ["sessions", "agents", "history", "sessions,agents", "agents,history", "sessions,agents,history"] {
        let mut mcp = Mcp::start(sandbox.command("ccmcp").args(["serve", "--tools", sets]));
        let opening = mcp.initialize("2025-11-25");
        let text = opening["instructions"].as_str().expect("instructions");
        let first = text.lines().next().expect("a line");
        assert!(first.chars().count() <= FIRST_LINE && first.contains("Claude Code"), "{sets}: {first}");
        println!("{sets}: {} bytes of instructions", text.len());
    }
}

/// A value of this type, and one that is of no such type.
fn values(schema: &Value) -> (Value, Value) {
    let kind = schema["type"].as_array().map_or(&schema["type"], |kinds| &kinds[0]);
    match kind.as_str() {
        Some("string") => (json!("text"), json!(1)),
        Some("integer") => (json!(1), json!(1.5)),
        Some("number") => (json!(1.5), json!("1.5")),
        Some("boolean") => (json!(true), json!("true")),
        Some("array") => (json!([values(&schema["items"]).0]), json!([values(&schema["items"]).1])),
        Some("object") => (json!({}), json!([])),
        _ => panic!("no type: {schema}"),
    }
}

#[test]
fn an_output_schema_admits_answers_and_errors_and_nothing_else() {
    let sandbox = Sandbox::new();
    let list = list(&mut all(&sandbox));
    for tool in list["tools"].as_array().expect("tools") {
        let (name, schema) = (tool["name"].as_str().expect("a name"), &tool["outputSchema"]);
        let validator = jsonschema::validator_for(schema).expect("a valid schema");
        let is_refused = |answer: &Value, why: &str| assert!(!validator.is_valid(answer), "{name}: {why}: {answer}");
        let mut properties = schema["properties"].as_object().expect("properties").clone();
        properties.remove("error");
        let ways = schema["anyOf"].as_array().expect("alternatives");
        let (error, answers) = ways.split_last().expect("an error and an answer");
        assert_eq!(error, &json!({ "required": ["error"] }), "{name}");
        for required in answers {
            let names: Vec<&str> = required["required"]
                .as_array()
                .expect("names")
                .iter()
                .map(|name| name.as_str().expect("a name"))
                .collect();
            assert!(!names.is_empty(), "{name}");
            // What may be anything is not among the properties.
            let value = |field: &str| properties.get(field).map_or(json!(null), |schema| values(schema).0);
            let good: Value = names.iter().map(|field| ((*field).to_owned(), value(field))).collect();
            assert!(validator.is_valid(&good), "{name}: {good}");
            for field in &names {
                let mut without = good.clone();
                without.as_object_mut().expect("an object").remove(*field);
                is_refused(&without, "a field is missing");
            }
            for (field, schema) in &properties {
                let mut wrong = good.clone();
                wrong[field] = values(schema).1;
                is_refused(&wrong, "a field is of another type");
            }
        }
        assert!(validator.is_valid(&json!({ "error": { "code": "X", "message": "y", "hint": "z" } })), "{name}");
        for bad in [json!({}), json!([]), json!("text"), json!({ "error": {} }), json!({ "error": "text" })] {
            is_refused(&bad, "neither an answer nor an error");
        }
    }
}

#[test]
fn an_output_schema_says_what_the_type_says() {
    let sandbox = Sandbox::new();
    let list = list(&mut all(&sandbox));
    for tool in list["tools"].as_array().expect("tools") {
        let (name, declared) = (tool["name"].as_str().expect("a name"), &tool["outputSchema"]);
        let whole = schemas::answer(name);
        let types = whole.get("anyOf").and_then(Value::as_array).cloned().unwrap_or_else(|| vec![whole.clone()]);
        for (index, whole) in types.iter().enumerate() {
            assert_eq!(declared["anyOf"][index]["required"], whole["required"], "{name}");
            for (field, schema) in whole["properties"].as_object().expect("properties") {
                let is_required = whole["required"].as_array().expect("names").contains(&json!(field));
                let Some(kinds) = schema.get("type") else { continue };
                // What is left out where it is null is never null.
                let kinds = kinds.as_array().filter(|_| !is_required).map_or(kinds, |kinds| &kinds[0]);
                assert_eq!(&declared["properties"][field]["type"], kinds, "{name}.{field}");
            }
        }
    }
}
