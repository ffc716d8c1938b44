//! The variables that an entry sets or hands on: ccmcp's own settings, and how Claude is found. No secrets.

use super::Client;
use crate::core::{
    claude::{self, FoundBy},
    config::{Diagnostics, Limits, Settings},
};

/// Where Claude's configuration is. The history tools need it too.
const CONFIG: &str = "CLAUDE_CONFIG_DIR";
/// Which program Claude is.
const PROGRAM: &str = "CLAUDE_BIN";
/// Handed on whether they are set now or not: they are what people set later.
const USUAL: [&str; 5] = [CONFIG, PROGRAM, "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY"];
/// Where diagnostics go. The history tools have some too.
const DIAGNOSTICS: [&str; 2] = ["CCMCP_LOG_FILE", "CCMCP_LOG_LEVEL"];
/// Handed on by name where they are set now.
const SET: [&str; 13] = [
    "CLAUDE_MCP_CLAUDE_EXECUTABLE",
    "CLAUDE_MCP_STATE_DIR",
    "CCMCP_ACCEPT_MODELS",
    "CCMCP_REQUIRE_SUBSCRIPTION",
    "CLAUDE_MCP_PROCESS_LIMIT",
    "CCMCP_IDLE_TIMEOUT",
    "CLAUDE_MCP_STALL_TIMEOUT_MS",
    "CLAUDE_CODE_OAUTH_TOKEN",
    "NODE_EXTRA_CA_CERTS",
    "ALL_PROXY",
    "https_proxy",
    "http_proxy",
    "no_proxy",
];
/// How to get out of here. Written down only without a password.
const NETWORK: [&str; 8] = [
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "NO_PROXY",
    "ALL_PROXY",
    "https_proxy",
    "http_proxy",
    "no_proxy",
    "NODE_EXTRA_CA_CERTS",
];

/// The names of variables that Codex is to hand on.
pub(super) fn names(settings: &Settings, drives: bool) -> Vec<&'static str> {
    // `ANTHROPIC_API_KEY` is left out on purpose: handing it on would turn a subscription into bills by the token.
    let (usual, set): (&[_], &[_]) = if drives { (&USUAL, &SET) } else { (&[CONFIG], &[]) };
    let set = set.iter().chain(&DIAGNOSTICS).filter(|name| settings.environment.is_set(name));
    distinct(usual.iter().chain(set).copied().collect(), cfg!(windows))
}

/// Without names that are one to the system, which knows no case on Windows.
fn distinct(names: Vec<&'static str>, without_case: bool) -> Vec<&'static str> {
    let mut kept: Vec<&str> = Vec::with_capacity(names.len());
    for name in names {
        if !kept.iter().any(|known| *known == name || without_case && known.eq_ignore_ascii_case(name)) {
            kept.push(name);
        }
    }
    kept
}

/// The variables that the entry itself sets: for a client on the desktop all that differs from the defaults here and
/// now, for one in a terminal only what was asked for by flag, as it has the variables themselves.
pub(super) fn values(client: Client, settings: &Settings, drives: bool) -> Vec<(&'static str, String)> {
    let mut values = Vec::new();
    let environment = &settings.environment;
    if environment.is_set(CONFIG) {
        values.push((CONFIG, settings.places.claude_config.to_string_lossy().into_owned()));
    }
    if drives {
        values.extend(program(client, settings).map(|path| (PROGRAM, path)));
        values.extend(own(settings));
        if client.is_desktop() {
            let network = distinct(NETWORK.to_vec(), cfg!(windows));
            let set = network.into_iter().filter_map(|name| Some((name, environment.text(name)?.to_owned())));
            values.extend(set.filter(|(_, value)| !value.contains('@')));
        }
    }
    values.extend(diagnostics(settings));
    if !client.is_desktop() {
        values.retain(|(name, value)| environment.text(name) != Some(value));
    }
    values
}

/// The Claude that is found here, where the client would not find the same one by itself.
fn program(client: Client, settings: &Settings) -> Option<String> {
    let found = claude::find(settings).ok()?;
    let usual = settings.places.home.join(".local").join("bin").join("claude");
    let is_needed = match found.found_by {
        FoundBy::Flag => true,
        FoundBy::Variable(_) => client.is_desktop(),
        FoundBy::Path => client.is_desktop() && found.path != usual,
        FoundBy::Usual => false,
    };
    is_needed.then(|| found.path.to_string_lossy().into_owned())
}

/// ccmcp's own settings, as far as they are not the defaults.
fn own(settings: &Settings) -> Vec<(&'static str, String)> {
    let (limits, usual) = (&settings.limits, Limits::default());
    let mut values = Vec::new();
    let mut set = |name, is_other: bool, value: String| {
        if is_other {
            values.push((name, value));
        }
    };
    let state = &settings.places.state;
    // The locks lie in the default state directory.
    set("CLAUDE_MCP_STATE_DIR", Some(state.as_path()) != settings.places.locks.parent(), state.display().to_string());
    set("CCMCP_ACCEPT_MODELS", !settings.accept_models.is_empty(), settings.accept_models.join(","));
    set("CCMCP_REQUIRE_SUBSCRIPTION", settings.require_subscription, "1".to_owned());
    set("CLAUDE_MCP_PROCESS_LIMIT", limits.processes != usual.processes, limits.processes.to_string());
    set("CCMCP_IDLE_TIMEOUT", limits.idle != usual.idle, limits.idle.as_secs().to_string());
    set("CLAUDE_MCP_STALL_TIMEOUT_MS", limits.stall != usual.stall, limits.stall.as_millis().to_string());
    values
}

fn diagnostics(settings: &Settings) -> impl Iterator<Item = (&'static str, String)> {
    let Diagnostics { file, level } = &settings.diagnostics;
    let file = file.as_ref().map(|file| file.to_string_lossy().into_owned());
    let level = (*level != Diagnostics::default().level).then(|| level.to_string().to_lowercase());
    DIAGNOSTICS.into_iter().zip([file, level]).filter_map(|(name, value)| Some((name, value?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_there_once() {
        let names = vec!["HTTPS_PROXY", "https_proxy", "A", "A"];
        assert_eq!(distinct(names.clone(), true), ["HTTPS_PROXY", "A"]);
        assert_eq!(distinct(names, false), ["HTTPS_PROXY", "https_proxy", "A"]);
    }
}
