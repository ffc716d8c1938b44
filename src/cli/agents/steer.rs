//! `agents interrupt`, `agents close`, `agents prune`.

use super::{
    arguments::{CloseArgs, InterruptArgs, PruneArgs},
    table::table,
};
use crate::{
    cli::{Terminal, spinner::Spinner},
    core::{
        Core,
        agents::Agents,
        error::{ExitStatus, Result},
    },
};

/// Runs `ccmcp agents interrupt`.
pub(super) async fn interrupt(agents: &Agents, args: InterruptArgs, terminal: Terminal) -> Result<ExitStatus> {
    let agent = agents.find(&args.agent).await?;
    let mut spinner = Spinner::new(terminal.has_status_line());
    spinner.tell("interrupting".to_owned());
    spinner.show();
    let answer = agents.interrupt_agent(agent).await;
    spinner.hide();
    let answer = answer?;
    if args.json {
        terminal.write_json(&answer)?;
    } else if answer.interrupted {
        terminal.say(&format!("Interrupted; the agent is {}.", answer.state));
    } else {
        terminal.say(&format!("There was nothing to interrupt: the agent is {}.", answer.state));
    }
    Ok(ExitStatus::Ok)
}

/// Runs `ccmcp agents close`.
pub(super) async fn close(agents: &Agents, args: CloseArgs, terminal: Terminal) -> Result<ExitStatus> {
    let agent = agents.find(&args.agent).await?;
    let answer = agents.close_agent(agent, args.delete).await?;
    if args.json {
        terminal.write_json(&answer)?;
    } else {
        terminal.say(if args.delete { "Closed and removed." } else { "Closed." });
    }
    Ok(ExitStatus::Ok)
}

/// Runs `ccmcp agents prune`.
pub(super) async fn prune(core: &Core, args: PruneArgs, terminal: Terminal) -> Result<ExitStatus> {
    let pruned = core.agents().prune(args.older_than, !args.yes).await?;
    if args.json {
        terminal.write_json(&pruned)?;
        return Ok(ExitStatus::Ok);
    }
    let count = pruned.agents.len();
    if count > 0 {
        terminal
            .write(table(&pruned.agents, &core.settings().places.home, usize::from(terminal.width())).as_bytes())?;
    }
    let agents = if count == 1 { "1 agent".to_owned() } else { format!("{count} agents") };
    terminal.remark(&match (count, pruned.removed) {
        (0, _) => "There is nothing to remove.".to_owned(),
        (_, true) => format!("{agents} removed."),
        (_, false) => format!("{agents} would be removed: --yes removes them."),
    });
    Ok(ExitStatus::Ok)
}
