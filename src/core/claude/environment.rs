//! What a child inherits.

use std::ffi::OsString;

use super::guard::{DEPTH_VARIABLE, Depth};
use crate::core::config::Environment;

/// Variables that mark a process as a child of some other Claude session. A session that ccmcp starts is nobody's
/// child: with these it would report to, or be taken for, the outer one. Everything else of `CLAUDE_CODE_*` stays,
/// since provider and login live there.
const NESTING_MARKS: &[&str] = &[
    "CLAUDECODE",
    "CLAUDE_CODE_ENTRYPOINT",
    "CLAUDE_CODE_SESSION_ID",
    "CLAUDE_CODE_CHILD_SESSION",
    "CLAUDE_PID",
    "CLAUDE_CODE_MESSAGING_SOCKET",
    "CLAUDE_CODE_MESSAGING_TOKEN",
    "CLAUDE_CODE_LAUNCHED_BY_SESSION_IDS",
    "CLAUDE_CODE_CHILD_NOTES_DIR",
    "CLAUDE_CODE_SSE_PORT",
    "CLAUDE_PROJECT_DIR",
    "CLAUDE_EFFORT",
    "AI_AGENT",
];

/// What replaces a secret.
const REDACTED: &str = "[redacted]";

/// Shorter texts are too common to be replaced without damage, and too short to be secrets.
const SHORTEST_SECRET: usize = 8;

/// The complete environment of a Claude that ccmcp starts: ours, without the marks of nesting, one level deeper,
/// with `extra` on top.
pub fn child_environment(own: &Environment, extra: &[(&str, &str)]) -> Vec<(OsString, OsString)> {
    let depth = Depth::of(own).deeper().get().to_string();
    let set: Vec<(&str, &str)> = extra.iter().copied().chain([(DEPTH_VARIABLE, depth.as_str())]).collect();
    let kept = own.iter().filter(|(name, _)| {
        let dropped = NESTING_MARKS.iter().copied().chain(set.iter().map(|(name, _)| *name));
        !dropped.into_iter().any(|mark| *name == mark)
    });
    let kept = kept.map(|(name, value)| (name.to_owned(), value.to_owned()));
    kept.chain(set.iter().map(|(name, value)| (OsString::from(name), OsString::from(value)))).collect()
}

/// Replaces in `text` whatever must not leave in an error or a log: the values of variables that are named like
/// secrets, and `private` texts (the prompt).
pub fn redact(text: &str, environment: &Environment, private: &[&str]) -> String {
    let is_secret = |name: &str| ["TOKEN", "KEY", "SECRET", "PASSWORD"].iter().any(|part| name.contains(part));
    let secrets = environment.iter().filter_map(|(name, value)| {
        let name = name.to_str()?.to_uppercase();
        is_secret(&name).then(|| value.to_str()).flatten()
    });
    let private = private.iter().flat_map(|text| text.lines()).map(str::trim);
    let mut secrets: Vec<&str> = secrets.chain(private).filter(|secret| secret.len() >= SHORTEST_SECRET).collect();
    // The longest first: a shorter one may be part of it.
    secrets.sort_unstable_by_key(|secret| std::cmp::Reverse(secret.len()));
    secrets.iter().fold(text.to_owned(), |text, secret| text.replace(secret, REDACTED))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(variables: &[(&str, &str)]) -> Environment {
        variables.iter().map(|(name, value)| (name.into(), value.into())).collect()
    }

    #[test]
    fn nesting_marks_go_and_login_stays() {
        let own = environment(&[
            ("CLAUDECODE", "1"),
            ("CLAUDE_CODE_SESSION_ID", "s"),
            ("CLAUDE_CODE_OAUTH_TOKEN", "t"),
            ("CLAUDE_CODE_USE_BEDROCK", "1"),
            ("MCP_TIMEOUT", "5"),
            ("PATH", "/bin"),
        ]);
        let child: Environment = child_environment(&own, &[("MCP_TIMEOUT", "9")]).into_iter().collect();
        assert!(!child.is_set("CLAUDECODE") && !child.is_set("CLAUDE_CODE_SESSION_ID"));
        assert_eq!(child.text("CLAUDE_CODE_OAUTH_TOKEN"), Some("t"));
        assert_eq!(child.text("CLAUDE_CODE_USE_BEDROCK"), Some("1"));
        assert_eq!(child.text("MCP_TIMEOUT"), Some("9"));
        assert_eq!(child.text("CLAUDE_CODE_WRAPPER_DEPTH"), Some("1"));
        let grandchild: Environment = child_environment(&child, &[]).into_iter().collect();
        assert_eq!(grandchild.text("CLAUDE_CODE_WRAPPER_DEPTH"), Some("2"));
    }

    #[test]
    fn secrets_and_prompts_are_replaced() {
        let own = environment(&[("ANTHROPIC_API_KEY", "sk-ant-123456"), ("HOME", "/home/somebody")]);
        let text = redact("key sk-ant-123456 in /home/somebody: tell nobody", &own, &["tell nobody\nshort"]);
        assert_eq!(text, "key [redacted] in /home/somebody: [redacted]");
    }
}
