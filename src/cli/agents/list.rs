//! `agents list`.

use tokio_util::sync::CancellationToken;

use super::{
    alone,
    arguments::ListArgs,
    table::{rest, table},
    watch,
};
use crate::{
    cli::Terminal,
    core::{
        Core,
        agents::ListAgents,
        error::{ExitStatus, Result},
    },
};

/// Runs `ccmcp agents list`.
pub(super) async fn list(
    core: &Core,
    args: ListArgs,
    terminal: Terminal,
    stop: &CancellationToken,
) -> Result<ExitStatus> {
    let input = ListAgents { state: args.state, limit: args.limit, offset: args.offset };
    if args.watch {
        watch::watch(core, input, terminal, stop).await?;
        return Ok(ExitStatus::Ok);
    }
    let listed = core.agents().list_agents(input).await?;
    if args.json {
        terminal.write_json(&listed)?;
        return Ok(ExitStatus::Ok);
    }
    if listed.agents.is_empty() {
        terminal.remark(match (listed.total, args.state) {
            (1.., _) => "No more agents.",
            (0, Some(_)) => "No agents in this state. MCP clients spawn them with the tool spawn_agent.",
            (0, None) => "No agents. MCP clients spawn them with the tool spawn_agent.",
        });
        return Ok(ExitStatus::Ok);
    }
    terminal.write(table(&listed.agents, &core.settings().places.home, usize::from(terminal.width())).as_bytes())?;
    if let Some(rest) = rest(&listed, args.offset) {
        terminal.remark(&format!("{rest}: --offset and --limit show them."));
    }
    if alone::is_alone(core.agents(), listed.agents.iter().map(|agent| agent.state)) {
        alone::remark(terminal);
    }
    Ok(ExitStatus::Ok)
}
