//! The protocol's requests.

use std::sync::Arc;

use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ConstString, CustomRequest, CustomResult,
        ErrorCode as ProtocolCode, GetPromptRequestMethod, GetPromptRequestParams, GetPromptResponse, Implementation,
        JsonObject, ListPromptsRequestMethod, ListPromptsResult, ListResourceTemplatesRequestMethod,
        ListResourceTemplatesResult, ListResourcesRequestMethod, ListResourcesResult, ListToolsResult,
        PaginatedRequestParams, PromptsCapability, ProtocolVersion, ReadResourceRequestMethod,
        ReadResourceRequestParams, ReadResourceResponse, ResourcesCapability, ServerCapabilities, ServerConfig, Tool,
    },
    service::RequestContext,
};
use serde_json::Value;
use tokio::task::spawn_blocking;
use tokio_util::sync::CancellationToken;

use super::{
    arguments::BadArgument,
    history::{prompts, resources},
    instructions,
    offer::Offer,
    reply,
    tool::Entry,
};
use crate::core::{Core, config::ToolSet, history::History};

/// The methods that come with the history set.
const OF_HISTORY: [&str; 5] = [
    ListResourcesRequestMethod::VALUE,
    ListResourceTemplatesRequestMethod::VALUE,
    ReadResourceRequestMethod::VALUE,
    ListPromptsRequestMethod::VALUE,
    GetPromptRequestMethod::VALUE,
];

/// One connection's server. rmcp runs each request as a task of its own.
#[derive(Clone)]
pub(super) struct Server {
    core: Core,
    offer: Arc<Offer>,
    instructions: Arc<str>,
    /// Ends the work in progress when the server ends.
    stop: CancellationToken,
}

impl Server {
    pub(super) fn new(core: Core, offer: Arc<Offer>, notes: &[String], stop: CancellationToken) -> Self {
        let instructions = instructions::compose(offer.sets(), notes).into();
        Self { core, offer, instructions, stop }
    }

    /// Calls a tool.
    async fn run(&self, entry: &Entry, arguments: JsonObject, context: RequestContext<RoleServer>) -> CallToolResult {
        let cancel = context.ct.child_token();
        let call = entry.call(self.core.clone(), arguments, context, cancel.clone());
        let mut work = std::pin::pin!(reply::caught(&entry.tool.name, entry.fault(), (entry.run)(call)));
        reply::result(tokio::select! {
            reply = &mut work => reply,
            () = self.stop.cancelled() => {
                cancel.cancel();
                work.await
            }
        })
    }

    /// The entry named `name`.
    async fn entry(&self, name: &str) -> Result<Entry, ErrorData> {
        let entries = self.offer.entries().await;
        if let Some(entry) = entries.iter().find(|entry| entry.tool.name == name) {
            return Ok(entry.clone());
        }
        let message = if let Some(why) = self.offer.why_not(name) {
            format!("tool {name} is not offered: {why}")
        } else {
            let names: Vec<&str> = entries.iter().map(|entry| &*entry.tool.name).collect();
            format!("tool not found; the tools are {}", names.join(", "))
        };
        Err(ErrorData::invalid_params(message, None))
    }

    /// Whether past sessions are offered: as tools, and then as resources and by the prompt too.
    fn offers_history(&self) -> bool {
        self.offer.sets().contains(&ToolSet::History)
    }

    /// Reads files on a thread that may block, and answers at once when nobody wants it any more; what is being read is
    /// bounded. A panic there is answered like any other fault of ours.
    async fn reading<T: Send + 'static>(
        &self,
        context: &RequestContext<RoleServer>,
        read: impl FnOnce() -> Result<T, ErrorData> + Send + 'static,
    ) -> Result<T, ErrorData> {
        let fault = |error| ErrorData::internal_error(format!("reading the transcripts: {error}"), None);
        tokio::select! {
            read = spawn_blocking(read) => read.map_err(fault)?,
            () = async { tokio::select! { () = context.ct.cancelled() => {}, () = self.stop.cancelled() => {} } } => {
                Err(ErrorData::internal_error("cancelled", None))
            }
        }
    }

    /// History for a method of its set; without the set there is no such method.
    fn history<M: ConstString>(&self) -> Result<History, ErrorData> {
        if self.offers_history() { Ok(self.core.history().clone()) } else { Err(ErrorData::method_not_found::<M>()) }
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let mut capabilities = ServerCapabilities::builder().enable_tools().enable_tool_list_changed().build();
        if self.offers_history() {
            capabilities.resources = Some(ResourcesCapability::default());
            capabilities.prompts = Some(PromptsCapability::default());
        }
        let implementation = Implementation::new("ccmcp", env!("CARGO_PKG_VERSION")).with_title("ccmcp");
        ServerConfig::new(capabilities).with_server_info(implementation).with_instructions(&*self.instructions)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let entries = self.offer.entries().await;
        Ok(ListToolsResult::with_all_items(entries.iter().map(|entry| entry.tool.clone()).collect()))
    }

    fn get_tool(&self, _: &str) -> Option<Tool> {
        // rmcp would check arguments itself, and answer with a protocol error that no model sees.
        None
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let entry = self.entry(&request.name).await?;
        Ok(self.run(&entry, request.arguments.unwrap_or_default(), context).await.into())
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let history = self.history::<ListResourcesRequestMethod>()?;
        let cursor = request.and_then(|request| request.cursor);
        self.reading(&context, move || resources::list(&history, cursor.as_deref())).await
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        self.history::<ListResourceTemplatesRequestMethod>()?;
        Ok(resources::templates())
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let history = self.history::<ReadResourceRequestMethod>()?;
        Ok(self.reading(&context, move || resources::read(&history, &request.uri)).await?.into())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        self.history::<ListPromptsRequestMethod>()?;
        Ok(prompts::list())
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        self.history::<GetPromptRequestMethod>()?;
        Ok(prompts::get(&request.name, request.arguments.as_ref())?.into())
    }

    /// A request whose parameters are not of its method's shape ends up here: rmcp would say that the method is
    /// unknown. A call whose arguments are no object is a call with bad arguments.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let name = request.params.as_ref().and_then(|params| params.get("name")).and_then(Value::as_str);
        match (request.method.as_str(), name) {
            ("tools/call", Some(name)) => {
                let entry = self.entry(name).await?;
                let bad = BadArgument::new("", "an object with the tool's arguments");
                let mut result = reply::result(Err(bad.into_error(entry.bad_arguments)));
                if context.protocol_version().is_none_or(|version| version < ProtocolVersion::V_2026_07_28) {
                    result.result_type = None;
                }
                let result = serde_json::to_value(result);
                Ok(CustomResult::new(result.map_err(|error| ErrorData::internal_error(error.to_string(), None))?))
            }
            ("tools/call", None) => Err(ErrorData::invalid_params("tools/call needs the name of a tool", None)),
            ("initialize" | "tools/list" | "ping" | "server/discover", _) => {
                Err(ErrorData::invalid_params(format!("the parameters of {} are malformed", request.method), None))
            }
            (method, _) if self.offers_history() && OF_HISTORY.contains(&method) => {
                Err(ErrorData::invalid_params(format!("the parameters of {method} are malformed"), None))
            }
            (method, _) => Err(ErrorData::new(ProtocolCode::METHOD_NOT_FOUND, method.to_owned(), None)),
        }
    }
}
