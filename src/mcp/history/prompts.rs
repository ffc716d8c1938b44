//! The one prompt: what a person asks for by name, where clients show prompts as commands.
//!
//! Tools are for the model to choose. A prompt is worth its place where a person wants the search to happen now, so
//! there is one for that and none for what a sentence says as well.

use rmcp::model::{
    ErrorData, GetPromptResult, JsonObject, ListPromptsResult, Prompt, PromptArgument, PromptMessage, Role,
};
use serde_json::Value;

const RECALL: &str = "recall";
const TOPIC: &str = "topic";
const WHAT: &str = "Find what past Claude Code conversations on this machine say about a topic";

/// The prompts.
pub(in crate::mcp) fn list() -> ListPromptsResult {
    let topic = PromptArgument::new(TOPIC).with_title("Topic").with_description("What to look for").with_required(true);
    let recall = Prompt::new(RECALL, Some(WHAT), Some(vec![topic])).with_title("Recall past conversations");
    ListPromptsResult::with_all_items(vec![recall])
}

/// The prompt named `name`.
pub(in crate::mcp) fn get(name: &str, arguments: Option<&JsonObject>) -> Result<GetPromptResult, ErrorData> {
    if name != RECALL {
        return Err(ErrorData::invalid_params(format!("prompt not found; the prompts are {RECALL}"), None));
    }
    let topic = arguments.and_then(|arguments| arguments.get(TOPIC)).and_then(Value::as_str).map(str::trim);
    let Some(topic) = topic.filter(|topic| !topic.is_empty()) else {
        return Err(ErrorData::invalid_params("`topic` is missing: pass what to look for", None));
    };
    // Claude Code 2.1.332 passes only the first word on, but shows its model the whole command beside this.
    let text = format!(
        "Find what my past Claude Code conversations on this machine say about this topic: {topic}\n\
         (Where you see the command that I typed, all words after its name are the topic.)\n\n\
         Use ccmcp's tools. Begin with search, mode \"words\"; where it finds little, try other words, and in: \"all\". \
         Read around the best hits with get_thread (leaf_uuid: the hit's uuid). Then tell me what was asked, what was \
         found or decided, and where: directory, date and session id. If nothing is there, say so instead of guessing."
    );
    Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)]).with_description(WHAT))
}
