//! The tools by name, and how each describes itself.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use rmcp::{
    RoleServer,
    model::{JsonObject, Tool, ToolAnnotations},
    service::RequestContext,
};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::{arguments, reply::Reply, schema};
use crate::core::{
    Core,
    error::{ErrorCode, Result},
};

/// One tool: what clients see of it, and what it does.
#[derive(Clone)]
pub(super) struct Entry {
    pub(super) tool: Tool,
    /// The code for bad arguments, which each toolset's contract names for itself.
    pub(super) bad_arguments: ErrorCode,
    pub(super) run: fn(Call) -> BoxFuture<'static, Result<Reply>>,
}

/// One call of a tool.
pub(super) struct Call {
    pub(super) core: Core,
    pub(super) arguments: JsonObject,
    pub(super) context: RequestContext<RoleServer>,
    /// Ends with the request (the client cancels) and with the server.
    pub(super) cancel: CancellationToken,
    schema: Arc<JsonObject>,
    bad_arguments: ErrorCode,
}

/// What a tool does to the world: clients decide by these whether to ask a person, and whether to call in parallel.
#[derive(Clone, Copy)]
pub(super) enum Effect {
    /// Looks, and changes nothing.
    Reads,
    /// Goes on with something that is there.
    Continues,
    /// Starts a model with tools: anything may happen.
    Starts,
    /// Ends something for good.
    Destroys,
}

impl Entry {
    /// Describes a tool with arguments `A` and answers `O`.
    pub(super) fn new<A: JsonSchema, O: JsonSchema>(
        name: &'static str,
        title: &str,
        description: String,
        effect: Effect,
        bad_arguments: ErrorCode,
        run: fn(Call) -> BoxFuture<'static, Result<Reply>>,
    ) -> Self {
        let annotations = ToolAnnotations::new();
        let annotations = match effect {
            Effect::Reads => annotations.read_only(true).destructive(false).idempotent(true).open_world(false),
            Effect::Continues => annotations.read_only(false).destructive(false).idempotent(false).open_world(false),
            Effect::Starts => annotations.read_only(false).destructive(false).idempotent(false).open_world(true),
            Effect::Destroys => annotations.read_only(false).destructive(true).idempotent(true).open_world(false),
        };
        let tool = Tool::new(name, description, schema::input::<A>())
            .with_title(title)
            .with_annotations(annotations)
            .with_raw_output_schema(schema::output::<O>());
        Self { tool, bad_arguments, run }
    }

    /// The same tool, with words for an argument that are known only when the server runs.
    pub(super) fn describing(mut self, argument: &str, description: &str) -> Self {
        let schema = Arc::make_mut(&mut self.tool.input_schema);
        let property = schema.get_mut("properties").and_then(|properties| properties.get_mut(argument));
        if let Some(Value::Object(property)) = property {
            property.insert("description".to_owned(), description.into());
        }
        self
    }

    /// What the tool's contract calls a fault of ours.
    pub(super) fn fault(&self) -> ErrorCode {
        match self.bad_arguments {
            ErrorCode::InvalidInput => ErrorCode::AgentsInternal,
            _ => ErrorCode::InternalError,
        }
    }

    /// A call of this tool.
    pub(super) fn call(
        &self,
        core: Core,
        arguments: JsonObject,
        context: RequestContext<RoleServer>,
        cancel: CancellationToken,
    ) -> Call {
        let schema = Arc::clone(&self.tool.input_schema);
        Call { core, arguments, context, cancel, schema, bad_arguments: self.bad_arguments }
    }
}

impl Call {
    /// Takes the arguments, checked and read.
    pub(super) fn read<T: DeserializeOwned>(&mut self) -> Result<T> {
        let arguments = std::mem::take(&mut self.arguments);
        arguments::read(&self.schema, arguments).map_err(|bad| bad.into_error(self.bad_arguments))
    }

    /// The same, with white space around every text removed first.
    pub(super) fn read_trimmed<T: DeserializeOwned>(&mut self) -> Result<T> {
        self.arguments.values_mut().for_each(trim);
        self.read()
    }

    /// The same call with arguments `A`, and `bad_arguments` as the code where they are not.
    pub(super) fn under<A: JsonSchema>(self, bad_arguments: ErrorCode) -> Self {
        Self { schema: Arc::new(schema::input::<A>()), bad_arguments, ..self }
    }
}

fn trim(value: &mut Value) {
    match value {
        Value::String(text) if text.trim().len() < text.len() => *text = text.trim().to_owned(),
        Value::Array(items) => items.iter_mut().for_each(trim),
        Value::Object(fields) => fields.values_mut().for_each(trim),
        _ => {}
    }
}
