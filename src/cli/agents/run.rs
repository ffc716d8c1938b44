//! Which subcommand it is, and its errors in a terminal's words.

use tokio_util::sync::CancellationToken;

use super::{
    arguments::{AgentsArgs, AgentsCommand},
    list, read, steer, wait,
};
use crate::{
    cli::Terminal,
    core::{
        Core,
        error::{Error, ErrorCode, ExitStatus, Result},
    },
};

/// The core's hints name tools; here they are commands.
const TOOLS: &[(&str, &str)] = &[
    ("`list_agents`", "`ccmcp agents list`"),
    ("`interrupt_agent`", "`ccmcp agents interrupt AGENT`"),
    ("`read_agent`", "`ccmcp agents read AGENT`"),
];

/// Runs `ccmcp agents`.
pub async fn agents(
    core: &Core,
    args: AgentsArgs,
    terminal: &Terminal,
    stop: &CancellationToken,
) -> Result<ExitStatus> {
    let (agents, terminal) = (core.agents(), *terminal);
    let done = async {
        match args.command {
            AgentsCommand::List(args) => list::list(core, args, terminal, stop).await,
            AgentsCommand::Read(args) => read::read(core, args, terminal).await,
            AgentsCommand::Wait(args) => wait::wait(agents, args, terminal).await,
            AgentsCommand::Interrupt(args) => steer::interrupt(agents, args, terminal).await,
            AgentsCommand::Close(args) => steer::close(agents, args, terminal).await,
            AgentsCommand::Prune(args) => steer::prune(core, args, terminal).await,
        }
    };
    tokio::select! {
        // A command that ends by itself when it is stopped has the word.
        biased;
        done = done => done.map_err(in_commands),
        () = stop.cancelled() => Err(Error::new(ErrorCode::Cancelled, "Interrupted.").hint("The agents go on.")),
    }
}

fn in_commands(mut error: Error) -> Error {
    if let Some(hint) = &mut error.hint {
        for (tool, command) in TOOLS {
            *hint = hint.replace(tool, command);
        }
    }
    error
}
