//! `agents list`.

use std::time::Duration;

use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::{arguments::ListArgs, table::table};
use crate::{
    cli::Terminal,
    core::{
        Core,
        agents::{ListAgents, ListedAgents},
        error::{ExitStatus, Result},
    },
};

/// How often a watched list is looked at.
const LOOK: Duration = Duration::from_secs(1);

/// To the top left, and clears what is below: what was there before is overwritten without a flicker.
const HOME: &str = "\u{1b}[H\u{1b}[J";

/// Runs `ccmcp agents list`.
pub(super) async fn list(
    core: &Core,
    args: ListArgs,
    terminal: Terminal,
    stop: &CancellationToken,
) -> Result<ExitStatus> {
    let input = ListAgents { state: args.state, limit: args.limit, offset: args.offset };
    if args.watch {
        watch(core, input, terminal, stop).await?;
        return Ok(ExitStatus::Ok);
    }
    let listed = core.agents().list_agents(input).await?;
    if args.json {
        terminal.write_json(&listed)?;
        return Ok(ExitStatus::Ok);
    }
    if listed.agents.is_empty() {
        let what = if args.state.is_some() { "No agents in this state." } else { "No agents." };
        terminal.remark(&format!("{what} MCP clients spawn them with the tool spawn_agent."));
        return Ok(ExitStatus::Ok);
    }
    terminal.write(render(core, &listed, terminal).as_bytes())?;
    if let Some(rest) = rest(&listed, args.offset) {
        terminal.remark(&format!("{rest}: --offset and --limit show them."));
    }
    Ok(ExitStatus::Ok)
}

/// Shows the list until it is stopped, which is how watching ends: no failure. On a terminal in place, every second,
/// since ages change; elsewhere when something has changed.
async fn watch(core: &Core, input: ListAgents, terminal: Terminal, stop: &CancellationToken) -> Result<()> {
    let mut shown = None;
    loop {
        let listed = core.agents().list_agents(input).await?;
        let state = serde_json::to_string(&listed).ok();
        if terminal.is_interactive() || shown != state {
            let text = render(core, &listed, terminal);
            let clear = if terminal.is_interactive() { HOME } else { "" };
            let rest = rest(&listed, input.offset).map(|rest| format!("{rest}.\n")).unwrap_or_default();
            terminal.write(format!("{clear}{text}{rest}").as_bytes())?;
            shown = state;
        }
        tokio::select! {
            () = sleep(LOOK) => {}
            () = stop.cancelled() => return Ok(()),
        }
    }
}

fn render(core: &Core, listed: &ListedAgents, terminal: Terminal) -> String {
    table(&listed.agents, &core.settings().places.home, terminal)
}

fn rest(listed: &ListedAgents, offset: u32) -> Option<String> {
    let rest = listed.total.saturating_sub(u64::from(offset)).saturating_sub(listed.agents.len() as u64);
    (rest > 0).then(|| format!("{rest} more"))
}
