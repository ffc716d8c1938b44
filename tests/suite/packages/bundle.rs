//! The bundle's manifest says what the server offers, under the version that it has.
//!
//! `CCMCP_GENERATE=1 cargo test --test suite packages::bundle` writes it anew. `tests/clients/run` lets its validator
//! look at it, and starts the server by it.

use std::{env, fs, path::Path};

use serde_json::{Value, json};

use crate::support::{Sandbox, mcp::Mcp};

/// The offered tools, each with its title: what a person sees before the installation.
fn tools() -> Value {
    let sandbox = Sandbox::new();
    let mut mcp = Mcp::legacy(sandbox.command("ccmcp").arg("serve"));
    let call = mcp.begin("tools/list", json!({}));
    let listed = mcp.result(&call);
    let tools = listed["tools"].as_array().expect("tools").iter();
    tools.map(|tool| json!({ "name": tool["name"], "description": tool["title"] })).collect()
}

#[test]
fn the_manifest_tells_of_the_tools_that_are_offered() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(".github/mcpb/manifest.json");
    let committed = fs::read_to_string(&path).unwrap();
    let mut manifest: Value = serde_json::from_str(&committed).unwrap();
    manifest["version"] = json!(env!("CARGO_PKG_VERSION"));
    manifest["tools"] = tools();
    let made = format!("{manifest:#}\n");
    if env::var_os("CCMCP_GENERATE").is_some() {
        fs::write(&path, &made).unwrap();
    } else {
        assert_eq!(committed, made, "run this test with CCMCP_GENERATE=1");
    }
}

#[test]
fn the_release_puts_every_program_where_the_manifest_looks_for_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(".github");
    let manifest: Value = serde_json::from_slice(&fs::read(root.join("mcpb/manifest.json")).unwrap()).unwrap();
    let release = fs::read_to_string(root.join("workflows/release.yml")).unwrap();
    let config = &manifest["server"]["mcp_config"];
    let overrides = config["platform_overrides"].as_object().unwrap().values();
    for command in overrides.chain([config]).map(|config| config["command"].as_str().unwrap()) {
        let file = command.strip_prefix("${__dirname}/").unwrap();
        assert!(release.contains(&format!("bundle/{file}")), "{file}");
    }
}
