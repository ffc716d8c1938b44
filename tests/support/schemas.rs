//! What the tools' structured content has to be like: as the server declares it, and as the types say it.
//!
//! The declared output schemas are short: they say what fields an answer has, not what is inside them. So each answer is
//! also held against the whole type that it is written from, and nothing beside that type's fields may stand in it.

use std::collections::BTreeMap;

use ccmcp::core::{
    agents::{
        ClosedAgent, FollowedUp, InterruptedAgent, ListedAgents, ListedModels, ReadAgentAnswer, SentMessage,
        SpawnedAgent, Waited,
    },
    error::{Details, ErrorCode},
    history::{Forks, ProjectsPage, SearchPage, SessionTree, Sessions, Thread},
    sessions::TurnAnswer,
};
use jsonschema::Validator;
use schemars::{JsonSchema, generate::SchemaSettings};
use serde_json::{Value, json};

use super::mcp::Mcp;

/// The schemas of the tools on offer.
pub(crate) struct Schemas(BTreeMap<String, [Validator; 2]>);

impl Schemas {
    /// Of what this server offers.
    pub(crate) fn of(mcp: &mut Mcp) -> Self {
        let call = mcp.begin("tools/list", json!({}));
        let tools = mcp.result(&call)["tools"].take();
        let validators = |tool: &Value| {
            let name = tool["name"].as_str().expect("a name");
            let whole = json!({ "anyOf": [answer(name), failure()] });
            let validators = [&tool["outputSchema"], &whole];
            let validators = validators
                .map(|schema| jsonschema::validator_for(schema).unwrap_or_else(|fault| panic!("{name}: {fault}")));
            (name.to_owned(), validators)
        };
        Self(tools.as_array().expect("tools").iter().map(validators).collect())
    }

    /// Calls a tool that says the same in its text, and checks what it answers; the structured content.
    #[track_caller]
    pub(crate) fn call(&self, mcp: &mut Mcp, tool: &str, arguments: Value) -> Value {
        let mut result = mcp.tool(tool, arguments);
        self.check_result(tool, &result);
        result["structuredContent"].take()
    }

    /// Checks the result of a tool that says the same in its text.
    #[track_caller]
    pub(crate) fn check_result(&self, tool: &str, result: &Value) {
        let structured = &result["structuredContent"];
        self.check(tool, structured);
        let text = result["content"][0]["text"].as_str().expect("a text block");
        assert_eq!(
            &serde_json::from_str::<Value>(text).expect("JSON"),
            structured,
            "{tool}: the same in the text block"
        );
        assert_eq!(result["isError"] == true, structured.get("error").is_some(), "{tool}: {structured}");
    }

    /// Fails when this is no answer of the tool, and no error.
    #[track_caller]
    pub(crate) fn check(&self, tool: &str, structured: &Value) {
        for validator in &self.0[tool] {
            let faults: Vec<String> = validator.iter_errors(structured).map(|fault| fault.to_string()).collect();
            assert!(faults.is_empty(), "{tool}: {faults:?}: {structured}");
        }
    }
}

/// The whole schema of a tool's answer.
pub(crate) fn answer(tool: &str) -> Value {
    match tool {
        "start_session" => of::<TurnAnswer>(),
        // With agents alone it is the second; together it is either.
        "send_message" => json!({ "anyOf": [of::<TurnAnswer>(), of::<SentMessage>()] }),
        "spawn_agent" => of::<SpawnedAgent>(),
        "followup_task" => of::<FollowedUp>(),
        "wait_agent" => of::<Waited>(),
        "interrupt_agent" => of::<InterruptedAgent>(),
        "list_agents" => of::<ListedAgents>(),
        "list_models" => of::<ListedModels>(),
        "read_agent" => of::<ReadAgentAnswer>(),
        "close_agent" => of::<ClosedAgent>(),
        "list_projects" => of::<ProjectsPage>(),
        "list_sessions" => of::<Sessions>(),
        "search" => of::<SearchPage>(),
        "get_tree" => of::<SessionTree>(),
        "get_thread" => of::<Thread>(),
        "get_forks" => of::<Forks>(),
        other => panic!("no tool {other} is known: add it here"),
    }
}

/// The whole schema of an error.
fn failure() -> Value {
    let codes: Vec<&str> = ErrorCode::ALL.iter().map(|code| code.as_str()).collect();
    let text = json!({ "type": "string", "minLength": 1 });
    let properties = json!({ "code": { "enum": codes }, "message": text, "hint": text, "details": of::<Details>() });
    let error = json!({ "type": "object", "properties": properties, "required": ["code", "message"],
                        "additionalProperties": false });
    json!({ "type": "object", "properties": { "error": error }, "required": ["error"], "additionalProperties": false })
}

fn of<T: JsonSchema>() -> Value {
    let mut settings = SchemaSettings::draft2020_12().for_serialize();
    settings.inline_subschemas = true;
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    close(&mut schema);
    schema
}

/// Nothing may stand in an object but what its type has.
fn close(schema: &mut Value) {
    match schema {
        Value::Object(map) => {
            if map.get("properties").is_some_and(Value::is_object) && map.get("type").is_some() {
                map.entry("additionalProperties").or_insert(json!(false));
            }
            map.values_mut().for_each(close);
        }
        Value::Array(items) => items.iter_mut().for_each(close),
        _ => {}
    }
}
