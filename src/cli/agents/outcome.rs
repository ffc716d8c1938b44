//! A turn's result: the text on standard output, everything about it on standard error.

use serde_json::Value;

use super::words::fit;
use crate::{
    cli::{Terminal, clean::printable},
    core::{
        agents::TurnResult,
        error::{ExitStatus, Result},
        store::{TurnReason, TurnStatus},
    },
};

/// Prints results; the status to exit with.
pub(super) fn print(results: &[TurnResult], terminal: Terminal) -> Result<ExitStatus> {
    let mut status = ExitStatus::Ok;
    for result in results {
        if let Some(text) = &result.result {
            write_text(text, terminal)?;
        }
        let id: String = result.agent_id.to_string().chars().take(8).collect();
        let reason = result.reason.map(TurnReason::as_str).filter(|reason| *reason != result.status.as_str());
        let reason = reason.map(|reason| format!(" ({reason})")).unwrap_or_default();
        let refused = result.permission_denials.as_ref().and_then(refused).map(|tools| format!(" · refused: {tools}"));
        terminal.remark(&format!("agent {id} · {}{reason}{}", result.status, refused.unwrap_or_default()));
        if result.status != TurnStatus::Succeeded {
            status = ExitStatus::Failed;
        }
    }
    Ok(status)
}

/// Prints a text that a model wrote, and a line end.
pub(super) fn write_text(text: &str, terminal: Terminal) -> Result<()> {
    let end = if text.ends_with('\n') { "" } else { "\n" };
    if terminal.is_interactive() {
        terminal.write(format!("{}{end}", printable(text)).as_bytes())
    } else {
        terminal.exactly().write(format!("{text}{end}").as_bytes())
    }
}

/// The tools whose use was refused, each once.
pub(super) fn refused(denials: &Value) -> Option<String> {
    let mut tools: Vec<&str> = Vec::new();
    for denial in denials.as_array()? {
        if let Some(tool) = denial.get("tool_name").and_then(Value::as_str).filter(|tool| !tools.contains(tool)) {
            tools.push(tool);
        }
    }
    (!tools.is_empty()).then(|| fit(&tools.join(", "), 80))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn refused_tools_are_named_once() {
        let denials = json!([{ "tool_name": "Bash" }, { "tool_name": "Write" }, { "tool_name": "Bash" }]);
        assert_eq!(refused(&denials).as_deref(), Some("Bash, Write"));
        assert_eq!(refused(&json!([])), None);
        assert_eq!(refused(&json!("cut")), None);
    }
}
