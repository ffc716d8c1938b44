//! Answers and errors as tool results.
//!
//! Claude Code and Codex give their models the structured content only, so that is the whole answer; the text block is
//! for clients that show text.

use std::panic::AssertUnwindSafe;

use futures_util::FutureExt;
use rmcp::model::{CallToolResult, ContentBlock};
use serde::Serialize;
use serde_json::Value;

use crate::core::error::{Error, ErrorCode, ErrorObject, Result};

/// What a tool gives back.
pub(super) struct Reply {
    structured: Value,
    /// A rendering for people; the same JSON where there is none.
    text: Option<String>,
}

impl Reply {
    /// An answer whose text is the same JSON.
    pub(super) fn json(answer: &impl Serialize) -> Result<Self> {
        let structured = serde_json::to_value(answer).map_err(|error| Error::internal("writing the answer", error))?;
        Ok(Self { structured, text: None })
    }

    /// An answer with a rendering for people.
    pub(super) fn rendered(answer: &impl Serialize, text: String) -> Result<Self> {
        Ok(Self { text: Some(text), ..Self::json(answer)? })
    }
}

/// Waits for a tool's reply. A panic in it is caught and answered: otherwise the client would wait for its own time-out.
/// `fault` is what the tool's contract calls a fault of ours.
pub(super) async fn caught(tool: &str, fault: ErrorCode, work: impl Future<Output = Result<Reply>>) -> Result<Reply> {
    AssertUnwindSafe(work).catch_unwind().await.unwrap_or_else(|_| {
        tracing::error!(tool, "a tool panicked");
        let mut error = Error::internal("running the tool", "it panicked");
        error.code = fault;
        Err(error)
    })
}

/// A tool's answer or error as the protocol wants it.
pub(super) fn result(reply: Result<Reply>) -> CallToolResult {
    match reply {
        Ok(Reply { structured, text }) => {
            let text = text.unwrap_or_else(|| structured.to_string());
            let mut result = CallToolResult::structured(structured);
            result.content = vec![ContentBlock::text(text)];
            result
        }
        Err(error) => {
            let object = serde_json::to_value(ErrorObject { error: &error });
            // Only texts, numbers and lists of them: writing it cannot fail.
            CallToolResult::structured_error(object.unwrap_or_default())
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[tokio::test]
    async fn a_panic_is_answered_as_an_error() {
        for (fault, code) in
            [(ErrorCode::InternalError, "INTERNAL_ERROR"), (ErrorCode::AgentsInternal, "internal_error")]
        {
            let result = result(caught("a_tool", fault, async { panic!("a secret of the caller's") }).await);
            assert_eq!(result.is_error, Some(true));
            let error = &result.structured_content.unwrap()["error"];
            assert_eq!(error["code"], code);
            assert!(!error.to_string().contains("secret"), "{error}");
        }
    }

    #[tokio::test]
    async fn an_answer_passes_and_its_text_is_the_same_json() {
        let result =
            result(caught("a_tool", ErrorCode::InternalError, async { Reply::json(&json!({ "a": 1 })) }).await);
        assert_eq!(result.is_error, Some(false));
        assert_eq!(result.structured_content, Some(json!({ "a": 1 })));
        assert_eq!(serde_json::to_value(&result.content).unwrap()[0]["text"], "{\"a\":1}");
    }
}
