//! Completion while one types: sessions, agents, projects and models as they are at that moment.
//!
//! A shell asks by running `COMPLETE=<shell> ccmcp -- <words>`, and gets the script that does so from
//! `COMPLETE=<shell> ccmcp`. An answer is bounded and quick, starts no Claude, makes nothing on disk, and where
//! something is wrong it is simply shorter: nobody wants to read an error in the middle of a line.

use std::{
    ffi::{OsStr, OsString},
    path::Path,
};

use clap::{Arg, CommandFactory};
use clap_complete::{
    CompleteEnv,
    engine::{ArgValueCompleter, CompletionCandidate},
};

use super::{
    Cli, Terminal,
    columns::{cut, one_line},
    dates::ago,
};
use crate::core::{
    Core,
    agents::AgentSummary,
    clock::Timestamp,
    config::Environment,
    error::{Error, ErrorCode, ExitStatus},
    history::{Glance, ListProjects, ProjectSummary},
};

/// The variable that makes a run of ccmcp an answer to a shell.
const ASKED: &str = "COMPLETE";

/// How many sessions, agents or projects are offered.
const MOST: usize = 50;

/// How much of a title is shown beside an id.
const TITLE: usize = 60;

/// Answers a shell that completes a command line; `None` when this run is for something else. `core` is made only for an
/// answer.
pub fn complete(
    arguments: &[OsString],
    environment: &Environment,
    here: Option<&Path>,
    core: impl Fn() -> Option<Core>,
) -> Option<ExitStatus> {
    // A variable of this name that somebody forgot must not keep a command from running.
    let (flag, words) = (arguments.get(1), arguments.get(2..).unwrap_or_default());
    if !environment.is_set(ASKED) || flag.is_some_and(|flag| flag != "--") {
        return None;
    }
    let word = match environment.text("_CLAP_COMPLETE_INDEX").and_then(|index| index.parse::<usize>().ok()) {
        Some(index) => words.get(index),
        None => words.last(),
    };
    let for_option = word.is_some_and(|word| word.as_encoded_bytes().starts_with(b"-"));
    let command = || dynamic(Cli::command(), core().as_ref(), for_option);
    match CompleteEnv::with_factory(command).bin("ccmcp").try_complete(arguments, here) {
        Ok(true) => Some(ExitStatus::Ok),
        Ok(false) => None,
        Err(error) if flag.is_none() => Some(Terminal::plain().fail(&unknown_shell(&error))),
        Err(_) => Some(ExitStatus::Failed),
    }
}

fn unknown_shell(error: &clap::Error) -> Error {
    let text = error.render().to_string();
    let text = text.trim().trim_start_matches("error: ");
    Error::new(ErrorCode::SettingInvalid, format!("{ASKED} names no shell that can be completed: {text}"))
        .hint("For the script of a shell, run for example `COMPLETE=bash ccmcp`; otherwise unset COMPLETE.")
        .details(|details| details.field = Some(ASKED.to_owned()))
}

/// The command line with what can be offered for its arguments, told apart by their names. While no option is being
/// typed none is offered, unless there is nothing else.
fn dynamic(command: clap::Command, core: Option<&Core>, for_option: bool) -> clap::Command {
    let offer = |argument: Arg| {
        let argument = if for_option || argument.is_positional() { argument } else { argument.hide(true) };
        let Some(core) = core.cloned() else { return argument };
        let candidates: fn(&Core, &str) -> Vec<CompletionCandidate> = match argument.get_id().as_str() {
            "session" => sessions,
            "agent" | "agents" => agents,
            "project" => projects,
            "model" => models,
            _ => return argument,
        };
        argument.add(ArgValueCompleter::new(move |typed: &OsStr| {
            typed.to_str().map(|typed| candidates(&core, typed)).unwrap_or_default()
        }))
    };
    add(command.disable_help_flag(!for_option).disable_version_flag(!for_option), &offer)
}

fn add(command: clap::Command, offer: &dyn Fn(Arg) -> Arg) -> clap::Command {
    command.mut_args(offer).mut_subcommands(|command| add(command, offer))
}

/// One candidate, if it goes on with what was typed and every shell takes it as it stands.
fn candidate(typed: &str, value: &str, help: &str) -> Option<CompletionCandidate> {
    let is_plain = |character: char| {
        character.is_alphanumeric() || "/._-+,:@%=".contains(character) || (cfg!(windows) && character == '\\')
    };
    let fits = value.starts_with(typed) && value.chars().all(is_plain);
    fits.then(|| CompletionCandidate::new(value).help(Some(one_line(help).into())))
}

fn sessions(core: &Core, typed: &str) -> Vec<CompletionCandidate> {
    let now = Timestamp::now();
    let glances = core.history().recent_sessions(typed, MOST).unwrap_or_default();
    let about = |glance: &Glance| {
        let title = cut(glance.title.as_deref().unwrap_or("(no prompt)"), TITLE);
        format!("{} · {title}", ago(now.since(glance.written)))
    };
    let last = candidate(typed, "last", "the newest session of this directory");
    let ids = glances.iter().filter_map(|one| candidate(typed, &one.session_id.to_string(), &about(one)));
    last.into_iter().chain(ids).collect()
}

/// An agent is offered by its name, where that is its own, else by its id.
fn agents(core: &Core, typed: &str) -> Vec<CompletionCandidate> {
    let agents = core.agents().glance(u32::try_from(MOST).unwrap_or(u32::MAX)).unwrap_or_default();
    let now = Timestamp::now();
    let about = |agent: &AgentSummary, other: &str| {
        format!("{} · {} · {}", agent.state, ago(now.since(agent.last_activity_at)), cut(other, TITLE))
    };
    let offered = |agent: &AgentSummary| {
        let id = agent.agent_id.to_string();
        let own = |name: &&str| agents.iter().filter(|other| other.name.as_deref() == Some(*name)).count() == 1;
        let name = agent.name.as_deref().filter(own);
        let by_name = name.and_then(|name| candidate(typed, name, &about(agent, &id)));
        by_name.or_else(|| candidate(typed, &id, &about(agent, agent.name.as_deref().unwrap_or(&agent.cwd))))
    };
    let last = candidate(typed, "last", "the agent that changed last").filter(|_| !agents.is_empty());
    last.into_iter().chain(agents.iter().filter_map(offered)).collect()
}

/// A project is offered by the last part of its path, where that fits no other one, else by the whole.
fn projects(core: &Core, typed: &str) -> Vec<CompletionCandidate> {
    let page = core.history().list_projects(&ListProjects { limit: Some(1000), offset: 0 });
    let projects = page.map(|page| page.projects).unwrap_or_default();
    let now = Timestamp::now();
    let fits = |project: &ProjectSummary, part: &str| {
        let part = part.to_lowercase();
        let texts = [Some(&project.slug), project.cwd.as_ref()];
        texts.into_iter().flatten().any(|text| text.to_lowercase().contains(&part))
    };
    let offered = |project: &ProjectSummary| {
        let cwd = project.cwd.as_deref()?;
        let name = cwd.rsplit(['/', '\\']).next().filter(|name| !name.is_empty())?;
        let since = project.last_activity.map(|at| ago(now.since(at))).unwrap_or_default();
        let is_own = projects.iter().filter(|other| fits(other, name)).count() == 1;
        let by_name = candidate(typed, name, &format!("{since} · {cwd}")).filter(|_| is_own);
        by_name.or_else(|| candidate(typed, cwd, &since))
    };
    let here = candidate(typed, ".", "this directory");
    here.into_iter().chain(projects.iter().filter_map(offered).take(MOST)).collect()
}

fn models(core: &Core, typed: &str) -> Vec<CompletionCandidate> {
    let models = core.sessions().models().names().iter();
    models.filter(|name| name.starts_with(typed)).map(CompletionCandidate::new).collect()
}
