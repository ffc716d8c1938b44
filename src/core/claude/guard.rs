//! The recursion guard: Claude starting ccmcp starting Claude …
//!
//! Every Claude that ccmcp starts carries its depth in [`DEPTH_VARIABLE`]. A ccmcp that finds itself at the cap may
//! read history, and drives nothing.

use crate::core::config::Environment;

/// The environment variable that carries the depth. Claude hands it on to its tools and MCP servers.
pub const DEPTH_VARIABLE: &str = "CLAUDE_CODE_WRAPPER_DEPTH";

/// Claude sets this to `1` for everything it starts.
const INSIDE_VARIABLE: &str = "CLAUDECODE";

/// How many ccmcp-driven Claudes are above this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Depth(u32);

impl Depth {
    /// Driving is refused from here on.
    const CAP: u32 = 1;

    /// The depth that the environment tells of. A value that is no number counts as the cap: somebody set it, and
    /// guessing low could start an endless chain of paid sessions.
    pub fn of(environment: &Environment) -> Self {
        match environment.get(DEPTH_VARIABLE) {
            None => Self(0),
            Some(value) => Self(value.to_str().and_then(|text| text.trim().parse().ok()).unwrap_or(Self::CAP)),
        }
    }

    /// The depth for a child.
    #[must_use]
    pub fn deeper(self) -> Self {
        Self(self.0.saturating_add(1))
    }

    /// The number itself.
    pub fn get(self) -> u32 {
        self.0
    }
}

/// Where this process stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nesting {
    /// Nothing of Claude above.
    Outside,
    /// Started by a Claude that ccmcp did not start.
    InsideClaude,
    /// Started, through whatever chain, by a Claude that ccmcp drives.
    Driven,
}

impl Nesting {
    /// Reads the environment.
    pub fn of(environment: &Environment) -> Self {
        if Depth::of(environment).get() >= Depth::CAP {
            Self::Driven
        } else if environment.text(INSIDE_VARIABLE) == Some("1") {
            Self::InsideClaude
        } else {
            Self::Outside
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nesting(variables: &[(&str, &str)]) -> Nesting {
        Nesting::of(&variables.iter().map(|(name, value)| (name.into(), value.into())).collect())
    }

    #[test]
    fn depth_beats_the_marker_and_nonsense_counts_as_deep() {
        assert_eq!(nesting(&[]), Nesting::Outside);
        assert_eq!(nesting(&[("CLAUDECODE", "1")]), Nesting::InsideClaude);
        assert_eq!(nesting(&[("CLAUDE_CODE_WRAPPER_DEPTH", "0"), ("CLAUDECODE", "1")]), Nesting::InsideClaude);
        for value in ["1", "2", "99999999999", "-1", "x", " "] {
            assert_eq!(nesting(&[("CLAUDE_CODE_WRAPPER_DEPTH", value)]), Nesting::Driven, "{value:?}");
        }
    }
}
