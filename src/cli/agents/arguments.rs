//! The subcommands of `agents`.

use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum, builder::PossibleValue};
use jiff::{Span, SpanRelativeTo};

use crate::core::{agents::Until, store::AgentState};

/// Look at background agents and steer them
///
/// Agents are spawned by MCP clients, through `ccmcp serve`. These commands see the same agents, whichever server runs
/// them. AGENT is an id, the beginning of one, a name, or `last`: the agent that changed last.
#[derive(Args, Clone, Debug)]
#[command(subcommand_required = true, arg_required_else_help = true, disable_help_subcommand = true)]
#[command(after_help = "\
Examples:
  ccmcp agents list --watch
  ccmcp agents read last --follow
  ccmcp agents wait scout --until idle && ccmcp agents read scout
  ccmcp agents prune --older-than 30d --yes")]
pub struct AgentsArgs {
    /// What to do
    #[command(subcommand)]
    pub(super) command: AgentsCommand,
}

// The help of each is the doc comment of its arguments: one here would take its place.
#[derive(Clone, Debug, Subcommand)]
pub(super) enum AgentsCommand {
    List(ListArgs),
    Read(ReadArgs),
    Wait(WaitArgs),
    Interrupt(InterruptArgs),
    Close(CloseArgs),
    Prune(PruneArgs),
}

impl AgentsArgs {
    /// Whether the output, errors included, is JSON.
    pub fn wants_json(&self) -> bool {
        match &self.command {
            AgentsCommand::List(args) => args.json,
            AgentsCommand::Read(args) => args.json,
            AgentsCommand::Wait(args) => args.json,
            AgentsCommand::Interrupt(args) => args.json,
            AgentsCommand::Close(args) => args.json,
            AgentsCommand::Prune(args) => args.json,
        }
    }
}

/// List agents, the last changed first
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  ccmcp agents list --state running
  ccmcp agents list --watch
  ccmcp agents list --json | jq -r '.agents[] | select(.stalled) | .agent_id'")]
pub(super) struct ListArgs {
    /// Only agents in this state
    #[arg(long, value_name = "STATE")]
    pub(super) state: Option<AgentState>,

    /// List at most this many
    #[arg(long, short = 'n', value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(super) limit: u32,

    /// Leave out this many of the first
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) offset: u32,

    /// Show the list again whenever it changes, until Ctrl-C
    #[arg(long, short, conflicts_with = "json")]
    pub(super) watch: bool,

    /// Print one JSON object, as the tool `list_agents` answers
    #[arg(long)]
    pub(super) json: bool,
}

/// Show an agent: its turns and its latest result
///
/// With --follow it goes on until the turn ends; Ctrl-C ends the looking, and leaves the agent alone.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  ccmcp agents read last
  ccmcp agents read scout --follow
  ccmcp agents read 3d0b --raw | jq -r 'select(.type == \"assistant\")'
  ccmcp agents read 3d0b --json | jq -r .latest_result.payload.result")]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(super) struct ReadArgs {
    /// The agent: an id, the beginning of one, a name, or `last`
    #[arg(value_name = "AGENT")]
    pub(super) agent: String,

    /// Show its events too
    #[arg(long)]
    pub(super) events: bool,

    /// Print what Claude printed, one JSON object a line; long texts are cut
    #[arg(long, conflicts_with = "events")]
    pub(super) raw: bool,

    /// Show what happens until the turn ends, or Ctrl-C
    #[arg(long, short)]
    pub(super) follow: bool,

    /// Print one JSON object, as the tool `read_agent` answers; with --follow one event a line
    #[arg(long)]
    pub(super) json: bool,
}

/// Wait for agents
///
/// The first of them that matches ends the wait. An agent that is at rest has nothing to wait for: its last turn is
/// shown at once. Trouble (`needs_attention`, stalled, closed) ends every wait. Exit status 0 when a turn succeeded, 1
/// when it did not, 5 when the time ran out.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  ccmcp agents wait last
  ccmcp agents wait scout smith --until idle --timeout-ms 600000
  ccmcp agents wait 3d0b --json | jq -r '.results[].result'")]
pub(super) struct WaitArgs {
    /// The agents, 1 to 8: ids, beginnings of them, names, or `last`
    #[arg(value_name = "AGENT", required = true, num_args = 1..=8)]
    pub(super) agents: Vec<String>,

    /// Wait for this
    #[arg(long, value_name = "WHAT", default_value = "turn_end")]
    pub(super) until: Until,

    /// Wait at most this many milliseconds [default: for ever]
    #[arg(long, value_name = "MS")]
    pub(super) timeout_ms: Option<u64>,

    /// Print one JSON object, as the tool `wait_agent` answers
    #[arg(long)]
    pub(super) json: bool,
}

/// Stop an agent's turn, and drop the mail that waits
///
/// The agent and its session stay usable. Also the way out of `needs_attention`. Takes 9 seconds at most.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  ccmcp agents interrupt last
  ccmcp agents interrupt scout --json | jq .interrupted")]
pub(super) struct InterruptArgs {
    /// The agent: an id, the beginning of one, a name, or `last`
    #[arg(value_name = "AGENT")]
    pub(super) agent: String,

    /// Print one JSON object, as the tool `interrupt_agent` answers
    #[arg(long)]
    pub(super) json: bool,
}

/// Close an agent that is idle or needs attention
///
/// Mail that waits is dropped and the agent's process ends. Its Claude Code session stays on disk.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  ccmcp agents close scout
  ccmcp agents close 3d0b --delete")]
pub(super) struct CloseArgs {
    /// The agent: an id, the beginning of one, a name, or `last`
    #[arg(value_name = "AGENT")]
    pub(super) agent: String,

    /// Remove its record too
    #[arg(long)]
    pub(super) delete: bool,

    /// Print one JSON object, as the tool `close_agent` answers
    #[arg(long)]
    pub(super) json: bool,
}

/// Remove agents that have been idle or closed for long
///
/// Without --yes it only shows which. Their Claude Code sessions stay on disk.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  ccmcp agents prune --older-than 30d          only shows which
  ccmcp agents prune --older-than 12h --yes")]
pub(super) struct PruneArgs {
    /// Agents that nothing has happened to for this long, such as 12h, 30d or 2w
    #[arg(long, value_name = "AGE", value_parser = age)]
    pub(super) older_than: Duration,

    /// Remove them
    #[arg(long, short)]
    pub(super) yes: bool,

    /// Print one JSON object
    #[arg(long)]
    pub(super) json: bool,
}

/// A length of time in days, hours and the like. Months and years have no fixed length.
fn age(text: &str) -> Result<Duration, String> {
    let expected = || "expected a length of time such as 12h, 30d or 2w".to_owned();
    let span: Span = text.parse().map_err(|_| expected())?;
    let duration = span.to_duration(SpanRelativeTo::days_are_24_hours()).map_err(|_| expected())?;
    Duration::try_from(duration).map_err(|_| expected())
}

impl ValueEnum for AgentState {
    fn value_variants<'a>() -> &'a [Self] {
        Self::ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.as_str()))
    }
}

impl ValueEnum for Until {
    fn value_variants<'a>() -> &'a [Self] {
        &[Self::Any, Self::TurnEnd, Self::Idle]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(match self {
            Self::Any => PossibleValue::new("any").help("The next event"),
            Self::TurnEnd => PossibleValue::new("turn_end").help("The end of a turn"),
            Self::Idle => PossibleValue::new("idle").help("An agent with nothing left to do"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_read_as_people_write_them() {
        let hours = |text| age(text).map(|age| age.as_secs() / 3600);
        assert_eq!(hours("12h"), Ok(12));
        assert_eq!(hours("30d"), Ok(720));
        assert_eq!(hours("2w"), Ok(336));
        assert_eq!(hours("1d 12h"), Ok(36));
        assert_eq!(age("90s"), Ok(Duration::from_secs(90)));
        assert_eq!(age("0s"), Ok(Duration::ZERO));
        for text in ["", "30", "1mo", "2y", "-1d", "soon"] {
            assert!(age(text).is_err(), "{text:?}");
        }
    }
}
