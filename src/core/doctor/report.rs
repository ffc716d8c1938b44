//! [`Check`] and [`Report`].

use schemars::JsonSchema;
use serde::Serialize;

use crate::core::error::Error;

/// How a check came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// All is well.
    Ok,
    /// It works, and one should know this.
    Warn,
    /// Something does not work.
    Fail,
}

/// One thing that was looked at.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Check {
    /// What was looked at.
    pub name: &'static str,
    /// How it came out.
    pub status: Status,
    /// What was found.
    pub detail: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl Check {
    pub(super) fn ok(name: &'static str, detail: impl Into<String>) -> Self {
        Self { name, status: Status::Ok, detail: detail.into(), hint: None }
    }

    pub(super) fn warn(name: &'static str, detail: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { name, status: Status::Warn, detail: detail.into(), hint: Some(hint.into()) }
    }

    pub(super) fn fail(name: &'static str, detail: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { name, status: Status::Fail, detail: detail.into(), hint: Some(hint.into()) }
    }

    pub(super) fn error(name: &'static str, error: Error) -> Self {
        Self { name, status: Status::Fail, detail: error.message, hint: error.hint }
    }
}

/// Everything that was looked at.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Report {
    /// Whether nothing failed.
    pub ok: bool,
    /// The version of ccmcp.
    pub version: &'static str,
    /// The checks, in the order in which they were made.
    pub checks: Vec<Check>,
}

impl Report {
    pub(super) fn of(checks: Vec<Check>) -> Self {
        let ok = checks.iter().all(|check| check.status != Status::Fail);
        Self { ok, version: env!("CARGO_PKG_VERSION"), checks }
    }

    /// Adds one more check.
    pub fn add(&mut self, check: Check) {
        self.ok &= check.status != Status::Fail;
        self.checks.push(check);
    }
}
