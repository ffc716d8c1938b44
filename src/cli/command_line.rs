//! The command line parsed: a command, or what is shown instead.

use std::{
    borrow::Cow,
    ffi::{OsStr, OsString},
};

use clap::{
    CommandFactory, FromArgMatches,
    builder::Resettable,
    error::{ContextKind, ErrorKind},
};

use super::{
    Cli, Terminal,
    usage::{Variable, explain},
};
use crate::core::{
    config::Environment,
    error::{Error, ExitStatus},
};

/// A command line that is no command to run.
#[derive(Debug)]
pub enum Unparsed {
    /// Help or the version was asked for, or nothing at all was.
    Help(Box<clap::Error>),
    /// Something is wrong with it.
    Wrong {
        /// What, and what to do about it.
        error: Box<Error>,
        /// Whether the output was to be JSON.
        json: bool,
    },
}

impl Unparsed {
    /// Prints it where it belongs; the status to exit with.
    pub fn show(&self) -> ExitStatus {
        match self {
            Self::Help(help) => {
                // A closed pipe is no failure.
                help.print().ok();
                if help.use_stderr() { ExitStatus::Usage } else { ExitStatus::Ok }
            }
            Self::Wrong { error, json } => Terminal::new(*json).fail(error),
        }
    }
}

/// Parses the command line, with the variables of its flags.
///
/// # Errors
/// Help, or what is wrong: about a variable's value only that it is wrong, because it may be a secret in the wrong place.
pub fn parse(arguments: &[OsString], environment: &Environment) -> Result<Cli, Unparsed> {
    let mut command = without_empty_variables(Cli::command(), environment);
    let arguments = &*asked_for_help(&command, arguments);
    let parsed = command.clone().try_get_matches_from(arguments).and_then(|matches| Cli::from_arg_matches(&matches));
    let error = match parsed {
        Ok(cli) => return Ok(cli),
        Err(error) if is_help(&error) => return Err(Unparsed::Help(Box::new(error))),
        Err(error) => error,
    };
    command.build();
    let variable = blamed(&command, &error, arguments, environment);
    let asked = asked_for(&command, arguments);
    let error = Box::new(explain(&error, asked, variable));
    Err(Unparsed::Wrong { error, json: plain_arguments(arguments).any(|argument| argument == "--json") })
}

/// `help COMMAND` as the flag that it means. Below a command that takes a text, `help` is that text.
fn asked_for_help<'a>(command: &clap::Command, arguments: &'a [OsString]) -> Cow<'a, [OsString]> {
    let mut command = command;
    for (at, argument) in arguments.iter().enumerate().skip(1) {
        if argument == "help" && command.has_subcommands() {
            let (before, after) = (&arguments[..at], &arguments[at + 1..]);
            return Cow::Owned([before, after, &["--help".into()]].concat());
        }
        let Some(found) = command.find_subcommand(argument) else { break };
        command = found;
    }
    Cow::Borrowed(arguments)
}

fn is_help(error: &clap::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
    )
}

/// An empty variable counts as unset, here as everywhere; clap would take it for a value.
fn without_empty_variables(command: clap::Command, environment: &Environment) -> clap::Command {
    let is_empty = |name: &OsStr| environment.iter().any(|(known, value)| known == name && value.is_empty());
    without_variables(command, &is_empty)
}

fn without_variables(command: clap::Command, unwanted: &dyn Fn(&OsStr) -> bool) -> clap::Command {
    let strip = |argument: clap::Arg| {
        if argument.get_env().is_some_and(unwanted) { argument.env(Resettable::Reset) } else { argument }
    };
    command.mut_args(strip).mut_subcommands(|subcommand| without_variables(subcommand, unwanted))
}

/// The arguments as far as they are ccmcp's own.
fn plain_arguments(arguments: &[OsString]) -> impl Iterator<Item = &OsString> {
    arguments.iter().skip(1).take_while(|argument| *argument != "--")
}

/// The command that was asked for, as far as it can be told.
fn asked_for<'a>(command: &'a clap::Command, arguments: &[OsString]) -> &'a clap::Command {
    plain_arguments(arguments).fold(command, |command, argument| command.find_subcommand(argument).unwrap_or(command))
}

/// The variable whose value is wrong, if it is one: then the same command line without variables is not wrong in the
/// same way.
fn blamed(
    command: &clap::Command,
    error: &clap::Error,
    arguments: &[OsString],
    environment: &Environment,
) -> Option<Variable> {
    if !matches!(error.kind(), ErrorKind::InvalidValue | ErrorKind::ValueValidation) {
        return None;
    }
    let about = |error: &clap::Error| {
        [ContextKind::InvalidArg, ContextKind::InvalidValue].map(|kind| error.get(kind).map(ToString::to_string))
    };
    let [argument, value] = about(error);
    let argument = argument?;
    let flag = argument.split([' ', '=']).next()?.trim_start_matches('-').to_owned();
    let asked = asked_for(command, arguments);
    let found = asked.get_arguments().chain(command.get_arguments()).find(|one| one.get_long() == Some(&flag))?;
    let name = found.get_env()?.to_str().filter(|name| environment.is_set(name))?.to_owned();
    let again = without_variables(Cli::command(), &|_| true).try_get_matches_from(arguments);
    let still = again.is_err_and(|again| about(&again) == about(error));
    (!still).then(|| Variable { name, value: value.unwrap_or_default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
        let line: Vec<_> = "ccmcp send last --model opus -- --add-dir /x".split(' ').map(OsString::from).collect();
        assert!(parse(&line, &Environment::default()).is_ok());
    }
}
