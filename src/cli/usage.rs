//! What is said about a command line that is wrong: what and why in clap's words, and what to do next.

use std::error::Error as _;

use clap::{
    Command,
    error::{ContextKind, ContextValue, ErrorKind},
};

use crate::core::{
    error::{Error, ErrorCode},
    nearest::did_you_mean,
};

/// A variable whose value is wrong.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    /// Its name.
    pub(super) name: String,
    /// The wrong part of its value. Never shown.
    pub(super) value: String,
}

/// The error for what clap found wrong. `asked` is the command as far as it was told.
pub(super) fn explain(error: &clap::Error, asked: &Command, variable: Option<Variable>) -> Error {
    match variable {
        Some(variable) => bad_variable(error, asked, &variable),
        None => bad_usage(error, asked),
    }
}

fn bad_usage(error: &clap::Error, asked: &Command) -> Error {
    let mut hint: Vec<String> = did_you_mean(&suggested(error)).into_iter().collect();
    match error.kind() {
        ErrorKind::MissingRequiredArgument => {
            hint.extend(variables_of(asked, &texts(error, ContextKind::InvalidArg)));
            hint.extend(usage(error));
        }
        ErrorKind::ArgumentConflict
        | ErrorKind::TooFewValues
        | ErrorKind::TooManyValues
        | ErrorKind::WrongNumberOfValues => hint.extend(usage(error)),
        ErrorKind::UnknownArgument => hint.extend(beginning_with_hyphen(error, asked)),
        _ => {}
    }
    let name = asked.get_bin_name().unwrap_or("ccmcp");
    let what = if asked.has_subcommands() { "lists the commands" } else { "lists the options, with examples" };
    hint.push(format!("`{name} --help` {what}."));
    let field = texts(error, ContextKind::InvalidArg).into_iter().next();
    Error::new(ErrorCode::SchemaValidation, first_paragraph(error)).hint(hint.join(" ")).details(|details| {
        details.field = field;
        details.expected = expected(error);
    })
}

/// The value may be a secret in the wrong place: only the name is told.
fn bad_variable(error: &clap::Error, asked: &Command, variable: &Variable) -> Error {
    let Variable { name, value } = variable;
    let argument = texts(error, ContextKind::InvalidArg).join(" ");
    let expected = expected(error);
    // Where the parser's own words quote the value, only what they say of it is told.
    let source = error.source().map(ToString::to_string).filter(|source| !source.is_empty());
    let why = source.and_then(|source| match source.strip_prefix(&**value) {
        Some(range) => range.starts_with(" is not in ").then(|| range.replacen(" is ", "", 1)),
        None => (value.is_empty() || !source.contains(&**value)).then_some(source),
    });
    let why = expected.clone().or(why).map_or_else(String::new, |why| format!(": {why}"));
    let command = asked.get_bin_name().unwrap_or("ccmcp");
    Error::new(
        ErrorCode::SettingInvalid,
        format!("the environment variable {name} has an invalid value for '{argument}'{why}"),
    )
    .hint(format!("Set {name} to something else or unset it; `{command} --help` says what it is for."))
    .details(|details| {
        details.field = Some(name.clone());
        details.expected = expected;
    })
}

/// What clap says is wrong, in one line.
fn first_paragraph(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let lines = text.lines().take_while(|line| !line.trim().is_empty()).map(str::trim);
    let text = lines.collect::<Vec<_>>().join(" ");
    text.strip_prefix("error: ").unwrap_or(&text).to_owned()
}

/// What the line looks like when it is right.
fn usage(error: &clap::Error) -> Option<String> {
    let usage = error.get(ContextKind::Usage)?.to_string();
    let usage = usage.split_whitespace().collect::<Vec<_>>().join(" ");
    Some(format!("Usage: `{}`.", usage.strip_prefix("Usage: ").unwrap_or(&usage)))
}

/// How a text that begins with a hyphen is given, where that may be what was meant.
fn beginning_with_hyphen(error: &clap::Error, asked: &Command) -> Option<String> {
    texts(error, ContextKind::InvalidArg).first().filter(|argument| argument.starts_with('-'))?;
    let print = if cfg!(windows) { "echo" } else { "printf %s" };
    let pipe = |name: &str, command: &str| {
        Some(format!("A {name} that begins with `-` is piped: `{print} '-…' | ccmcp {command} --model MODEL -`."))
    };
    match asked.get_name() {
        "start" => pipe("PROMPT", "start"),
        "send" => pipe("MESSAGE", "send SESSION"),
        "search" => Some("A QUERY that begins with `-` comes after `--`: `ccmcp search -- '-…'`.".to_owned()),
        _ => None,
    }
}

/// The variables that could stand for what is missing.
fn variables_of(asked: &Command, missing: &[String]) -> Option<String> {
    let set = |name: &String| {
        let flag = name.split(' ').next()?.strip_prefix("--")?.to_owned();
        let argument = asked.get_arguments().find(|argument| argument.get_long() == Some(&flag))?;
        Some(format!("{} sets `--{flag}` for all calls.", argument.get_env()?.to_str()?))
    };
    let set: Vec<String> = missing.iter().filter_map(set).collect();
    (!set.is_empty()).then(|| set.join(" "))
}

/// What was meant, perhaps.
fn suggested(error: &clap::Error) -> Vec<String> {
    [ContextKind::SuggestedSubcommand, ContextKind::SuggestedArg, ContextKind::SuggestedValue]
        .into_iter()
        .flat_map(|kind| texts(error, kind))
        .collect()
}

/// The values that are possible, where there are only some.
fn expected(error: &clap::Error) -> Option<String> {
    let possible = texts(error, ContextKind::ValidValue);
    (!possible.is_empty()).then(|| format!("one of {}", possible.join(", ")))
}

fn texts(error: &clap::Error, kind: ContextKind) -> Vec<String> {
    match error.get(kind) {
        Some(ContextValue::String(text)) => vec![text.clone()],
        Some(ContextValue::Strings(texts)) => texts.clone(),
        _ => Vec::new(),
    }
}
