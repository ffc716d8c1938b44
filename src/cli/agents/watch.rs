//! `agents list --watch`: the list on the whole screen, drawn again while it changes.

use std::time::Duration;

use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::table::{rest, table};
use crate::{
    cli::{Terminal, screen::WholeScreen, style::DIM, style::paint},
    core::{Core, agents::ListAgents, error::Result},
};

/// How often the list is looked at.
const LOOK: Duration = Duration::from_secs(1);

/// Shows the list until it is stopped, which is how watching ends: no failure. On a terminal in place, every second,
/// since ages change, and the last state stays when it ends; elsewhere when something has changed.
pub(super) async fn watch(core: &Core, input: ListAgents, terminal: Terminal, stop: &CancellationToken) -> Result<()> {
    if !terminal.is_interactive() {
        return print(core, input, terminal, stop).await;
    }
    let home = &core.settings().places.home;
    let mut screen = WholeScreen::enter(terminal)?;
    let last = loop {
        let listed = core.agents().list_agents(input).await?;
        let size = terminal.measured();
        let list = match listed.agents.as_slice() {
            [] if listed.total > 0 => "No more agents.\n".to_owned(),
            [] => "No agents.\n".to_owned(),
            agents => table(agents, home, usize::from(size.width())),
        };
        let more = rest(&listed, input.offset).map(|rest| format!("{rest} · ")).unwrap_or_default();
        screen.draw(&list, &paint(DIM, &format!("{more}q or Ctrl-C ends")), size)?;
        tokio::select! {
            () = sleep(LOOK) => {}
            () = screen.key('q') => break list,
            () = stop.cancelled() => break list,
        }
    };
    drop(screen);
    terminal.write(last.as_bytes())
}

async fn print(core: &Core, input: ListAgents, terminal: Terminal, stop: &CancellationToken) -> Result<()> {
    let mut shown = None;
    loop {
        let listed = core.agents().list_agents(input).await?;
        let state = serde_json::to_string(&listed).ok();
        if shown != state {
            let rest = rest(&listed, input.offset).map(|rest| format!("{rest}.\n")).unwrap_or_default();
            let list = table(&listed.agents, &core.settings().places.home, usize::from(terminal.width()));
            terminal.write(format!("{list}{rest}").as_bytes())?;
            shown = state;
        }
        tokio::select! {
            () = sleep(LOOK) => {}
            () = stop.cancelled() => return Ok(()),
        }
    }
}
