//! What a turn's frames amount to.

use super::{
    failure::{Failure, FailureKind},
    frame::{Frame, ResultFrame},
};
use crate::core::{clock::Timestamp, process::Exit};

/// Collects what matters for the outcome while the frames pass by.
#[derive(Clone, Debug, Default)]
pub struct Observation {
    result: Option<Box<ResultFrame>>,
    api_error: Option<String>,
    refused_logins: u32,
    resets_at: Option<Timestamp>,
    invalid_lines: u64,
}

impl Observation {
    /// Takes one frame in.
    pub fn see(&mut self, frame: &Frame) {
        match frame {
            // The first real result counts: a resumed session may print one without a turn (or without anything in
            // it) of its own first, and a second one never overwrites the first.
            Frame::Result(result) if !self.result.as_deref().is_some_and(ResultFrame::is_real) => {
                self.result = Some(result.clone());
            }
            // A sub-agent's failure is its caller's business.
            Frame::Assistant(assistant) if assistant.parent_tool_use_id.is_none() => {
                self.api_error.clone_from(&assistant.error);
            }
            Frame::ApiRetry(retry) if retry.error_status == Some(401) => self.refused_logins += 1,
            Frame::RateLimit(limit) if limit.status.as_deref() == Some("rejected") => {
                #[expect(clippy::cast_possible_truncation, reason = "seconds since the epoch; a cast saturates")]
                let seconds = limit.resets_at.map(|seconds| seconds as i64);
                self.resets_at = seconds.and_then(Timestamp::from_seconds).or(self.resets_at);
            }
            Frame::Invalid => self.invalid_lines += 1,
            _ => {}
        }
    }

    /// Whether the turn's own result is here.
    pub fn has_result(&self) -> bool {
        self.result.as_deref().is_some_and(ResultFrame::is_real)
    }

    /// Whether waiting on is pointless: the API refused the login twice, and the CLI would try ten times.
    pub fn login_is_refused(&self) -> bool {
        self.refused_logins >= 2 && !self.has_result()
    }

    /// The failure to report when [`Self::login_is_refused`].
    pub fn refused_login(&self) -> Failure {
        Failure { api_error_status: Some(401), ..Failure::new(FailureKind::Auth) }
    }

    /// The outcome, once the process is gone: the result of a success, or why there is none.
    pub fn conclude(self, exit: Exit, stderr: &str) -> Result<ResultFrame, Failure> {
        match self.result {
            Some(result) if result.is_success() => Ok(*result),
            Some(result) if result.is_real() => {
                let mut failure = Failure::of_result(&result, self.api_error.as_deref(), self.resets_at);
                failure.exit = Some(exit);
                Err(failure)
            }
            // A result that says nothing is none.
            _ => Err(Failure::without_result(exit, stderr, self.api_error.as_deref(), self.resets_at)),
        }
    }
}
