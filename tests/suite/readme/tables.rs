//! The tables of tools, settings and errors.

use std::collections::BTreeSet;

use ccmcp::{cli::Cli, core::error::ErrorCode};
use clap::{Command, CommandFactory};

use super::readme;
use crate::support::{Sandbox, mcp::Mcp};

/// The rows of the table below `heading`, each as its cells.
fn table(heading: &str) -> Vec<Vec<String>> {
    let text = readme();
    let mut lines = text.lines().skip_while(|line| *line != heading).skip(1);
    let rows: Vec<_> = lines
        .by_ref()
        .skip_while(|line| !line.starts_with('|'))
        .take_while(|line| line.starts_with('|'))
        .skip(2)
        .map(|line| line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect())
        .collect();
    assert!(!rows.is_empty(), "no table below {heading}");
    rows
}

/// What stands between backticks in a text.
fn quoted(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

/// A flag and, where it has them, its variable and default.
type Flag = (String, Option<String>, Option<String>);

fn flags(command: &Command, found: &mut BTreeSet<Flag>) {
    for argument in command.get_arguments().filter(|argument| !argument.is_hide_set()) {
        let Some(long) = argument.get_long().filter(|long| !["help", "version"].contains(long)) else { continue };
        let variable = argument.get_env().map(|name| name.to_string_lossy().into_owned());
        let default = argument.get_default_values().first().map(|value| value.to_string_lossy().into_owned());
        let takes_value = argument.get_action().takes_values();
        found.insert((format!("--{long}"), variable, default.filter(|_| takes_value)));
    }
    command.get_subcommands().for_each(|command| flags(command, found));
}

#[test]
fn every_flag_stands_in_the_table_of_settings_with_its_variable() {
    let rows = table("## Settings");
    let mut found = BTreeSet::new();
    flags(&Cli::command(), &mut found);
    assert!(found.len() > 30, "{found:?}");
    let mut missing = Vec::new();
    for (flag, variable, default) in &found {
        let has = |text: &&str| text.split([' ', ',', '/']).any(|word| word == flag);
        let told: Vec<_> = rows.iter().filter(|row| quoted(&row[0]).iter().any(has)).collect();
        if told.is_empty() {
            missing.push(flag.clone());
        }
        if let Some(variable) = variable
            && !told.iter().any(|row| quoted(&row[1]).contains(&variable.as_str()))
        {
            missing.push(format!("{flag}: {variable}"));
        }
        if let Some(default) = default
            && !told.iter().any(|row| row[2].contains(default.as_str()))
        {
            missing.push(format!("{flag}: the default {default}"));
        }
    }
    assert!(missing.is_empty(), "not in the README: {missing:#?}");
    let known: BTreeSet<_> = found.iter().map(|(flag, ..)| flag.as_str()).collect();
    for flag in rows.iter().flat_map(|row| quoted(&row[0])).flat_map(|text| text.split([' ', '/'])) {
        assert!(!flag.starts_with("--") || known.contains(flag), "there is no {flag}");
    }
}

#[test]
fn every_code_stands_in_the_table_of_errors() {
    let rows = table("## Troubleshooting");
    let told: BTreeSet<_> = rows.iter().flat_map(|row| quoted(&row[0])).collect();
    let codes: BTreeSet<_> = ErrorCode::ALL.iter().map(|code| code.as_str()).collect();
    assert_eq!(told, codes);
}

#[test]
fn every_tool_stands_in_a_table() {
    let sandbox = Sandbox::new();
    let mut mcp = Mcp::legacy(sandbox.command("ccmcp").arg("serve"));
    let offered = mcp.tool_names();
    let offered: BTreeSet<_> = offered.iter().map(String::as_str).collect();
    let rows: Vec<_> = ["## Sessions", "## Agents", "## History"].into_iter().flat_map(table).collect();
    let told: BTreeSet<_> = rows.iter().flat_map(|row| quoted(&row[0])).collect();
    assert_eq!(told, offered);
}
