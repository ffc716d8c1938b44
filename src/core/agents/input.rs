//! What the agents' operations take. Values are checked here, whatever face they came from.

use std::{fmt, time::Duration};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Cursor, error};
use crate::core::{
    claude::Profile,
    error::Result,
    ids::{AgentId, SessionId},
    store::AgentState,
};

/// How hard the model thinks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Effort {
    /// For mechanical work.
    Low,
    /// For normal work.
    Medium,
    /// For debugging and review.
    High,
    /// Rarely.
    Xhigh,
    /// Rarely.
    Max,
}

impl Effort {
    /// Every level, the lowest first.
    pub const ALL: &[Self] = &[Self::Low, Self::Medium, Self::High, Self::Xhigh, Self::Max];

    /// The CLI's word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Xhigh => "xhigh",
            Self::Max => "max",
        }
    }
}

/// A new agent with its first task.
#[derive(Clone, Debug, Default)]
pub struct SpawnAgent {
    /// What it is to do first.
    pub task: String,
    /// The directory to work in, absolute; none: the one that ccmcp was started in.
    pub cwd: Option<String>,
    /// What it may do.
    pub permission_profile: Profile,
    /// The model; none: the CLI's default.
    pub model: Option<String>,
    /// The effort; none: the CLI's default.
    pub effort: Option<Effort>,
    /// What the caller calls it.
    pub name: Option<String>,
    /// The longest that a turn may take, in seconds, from 1 to [`MOST_TURN_SECONDS`].
    pub max_turn_seconds: Option<u64>,
    /// What it may cost in its life, in US dollars, more than 0.
    pub max_budget_usd: Option<f64>,
    /// An existing session of that directory to go on with.
    pub resume_session_id: Option<SessionId>,
}

/// The longest limit on a turn, in seconds: a week.
pub const MOST_TURN_SECONDS: u64 = 7 * 24 * 60 * 60;

/// The longest name of an agent, in characters.
const LONGEST_NAME: usize = 100;

/// The most agents that one call waits for.
pub const MOST_WAITED: usize = 8;

/// The longest wait.
pub const LONGEST_WAIT: Duration = Duration::from_mins(10);

/// What a wait is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Until {
    /// Any event.
    #[default]
    Any,
    /// The end of a turn.
    TurnEnd,
    /// An agent with nothing to do.
    Idle,
}

/// A wait for events.
#[derive(Clone, Debug)]
pub struct WaitAgent {
    /// Whose events, from 1 to [`MOST_WAITED`] agents.
    pub agent_ids: Vec<AgentId>,
    /// Events after this.
    pub after_cursor: String,
    /// How long to wait, at most [`LONGEST_WAIT`].
    pub timeout: Duration,
    /// What for.
    pub until: Until,
}

/// Which agents to list.
#[derive(Clone, Copy, Debug)]
pub struct ListAgents {
    /// Only those in this state.
    pub state: Option<AgentState>,
    /// At most so many, from 1 to 1000.
    pub limit: u32,
    /// After so many.
    pub offset: u32,
}

impl Default for ListAgents {
    fn default() -> Self {
        Self { state: None, limit: 100, offset: 0 }
    }
}

/// What to read of an agent.
#[derive(Clone, Debug)]
pub struct ReadAgent {
    /// Which one.
    pub agent_id: AgentId,
    /// Events after this; none: all.
    pub after_cursor: Option<String>,
    /// At most so many events, and so many raw frames, from 1 to 1000.
    pub limit: u32,
    /// Whether to add raw frames.
    pub include_raw: bool,
    /// Raw frames after this; none: all.
    pub after_raw_cursor: Option<String>,
}

impl ReadAgent {
    /// Reads everything of an agent but its raw frames.
    pub fn new(agent_id: AgentId) -> Self {
        Self { agent_id, after_cursor: None, limit: 100, include_raw: false, after_raw_cursor: None }
    }
}

/// The text without white space around it; an empty one is an error.
pub(super) fn text(field: &str, text: &str) -> Result<String> {
    let text = text.trim();
    if text.is_empty() { Err(error::invalid_input(field, "a text that is not empty")) } else { Ok(text.to_owned()) }
}

/// The same for a text that may be left out.
pub(super) fn optional_text(field: &str, value: Option<&str>) -> Result<Option<String>> {
    value.map(|value| text(field, value)).transpose()
}

/// A name that a person can type: it stands in lists and commands.
pub(super) fn name(value: Option<&str>) -> Result<Option<String>> {
    let name = optional_text("name", value)?;
    let bad =
        |name: &String| name.chars().count() > LONGEST_NAME || name.chars().any(char::is_control) || name == "last";
    if name.as_ref().is_some_and(bad) {
        let expected = format!("at most {LONGEST_NAME} characters, no control characters, and not `last`");
        return Err(error::invalid_input("name", &expected));
    }
    Ok(name)
}

/// A cursor that is not newer than `newest`.
pub(super) fn cursor(field: &str, text: &str, newest: i64) -> Result<Cursor> {
    let cursor = Cursor::parse(text).filter(|cursor| cursor.0 <= newest);
    cursor.ok_or_else(|| error::cursor_expired(field))
}

/// A number within bounds.
pub(super) fn within<T: PartialOrd + fmt::Display + Copy>(field: &str, value: T, least: T, most: T) -> Result<T> {
    if value >= least && value <= most {
        return Ok(value);
    }
    Err(error::invalid_input(field, &format!("from {least} to {most}")))
}

impl SpawnAgent {
    /// The limits, checked.
    pub(super) fn check_limits(&self) -> Result<()> {
        if let Some(seconds) = self.max_turn_seconds {
            within("max_turn_seconds", seconds, 1, MOST_TURN_SECONDS)?;
        }
        if let Some(dollars) = self.max_budget_usd
            && !(dollars.is_finite() && dollars > 0.0)
        {
            return Err(error::invalid_input("max_budget_usd", "a number greater than 0"));
        }
        // It becomes an argument of the CLI: a dash in front would make it a flag.
        if self.model.as_deref().is_some_and(|model| model.trim().starts_with('-')) {
            return Err(error::invalid_input("model", "the name of a model"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_trimmed_and_not_empty() {
        assert_eq!(text("task", "  go \n").unwrap(), "go");
        let error = text("task", " \n").unwrap_err();
        assert_eq!(error.message, "Invalid tool arguments.");
        assert_eq!(error.details.field.as_deref(), Some("task"));
    }

    #[test]
    fn a_cursor_from_the_future_is_refused_like_a_malformed_one() {
        assert_eq!(cursor("after_cursor", "3", 3).unwrap(), Cursor(3));
        for text in ["4", "03", "x", ""] {
            let error = cursor("after_cursor", text, 3).unwrap_err();
            assert_eq!(error.code.as_str(), "cursor_expired", "{text:?}");
        }
    }

    #[test]
    fn limits_are_checked() {
        let spawn = |seconds, dollars| SpawnAgent {
            max_turn_seconds: seconds,
            max_budget_usd: dollars,
            ..SpawnAgent::default()
        };
        assert!(spawn(Some(1), Some(0.01)).check_limits().is_ok());
        for (seconds, dollars) in
            [(Some(0), None), (Some(MOST_TURN_SECONDS + 1), None), (None, Some(0.0)), (None, Some(f64::NAN))]
        {
            assert!(spawn(seconds, dollars).check_limits().is_err());
        }
        assert!(SpawnAgent { model: Some(" --help".into()), ..SpawnAgent::default() }.check_limits().is_err());
    }
}
