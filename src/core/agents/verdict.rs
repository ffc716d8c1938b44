//! What a turn's end means. Pure.

use super::{conversation::Stop, ending::Outcome};
use crate::core::{
    claude::{Failure, FailureKind, ResultFrame},
    process::{End, Exit},
    store::{TurnEnd, TurnReason, TurnStatus},
};

/// The most of standard error that is kept, in bytes.
const STDERR_TAIL: usize = 2 * 1024;

/// A turn that ended by its result.
pub(super) fn by_result(concluded: &Result<ResultFrame, Failure>, stop: Option<Stop>) -> TurnEnd {
    match concluded {
        // It was faster than whoever wanted to stop it.
        Ok(result) => TurnEnd {
            num_turns: result.num_turns.and_then(|turns| turns.try_into().ok()),
            ..TurnEnd::new(TurnStatus::Succeeded, None)
        },
        Err(failure) => match stop {
            Some(stop) => stopped(stop),
            None if failure.kind == FailureKind::Interrupted => stopped(Stop::Interrupt),
            None => failed(failure),
        },
    }
}

/// A turn whose process ended under it. `confirmed` when the CLI had taken the input.
pub(super) fn by_exit(failure: &Failure, stop: Option<Stop>, confirmed: bool, end: &End) -> Outcome {
    if let Some(stop) = stop {
        return Outcome::Ended(with_exit(stopped(stop), end));
    }
    let known = with_exit(failed(failure), end);
    match failure.kind {
        // Trying again would change nothing.
        FailureKind::Auth
        | FailureKind::Credit
        | FailureKind::RateLimit
        | FailureKind::Model
        | FailureKind::PromptTooLong
        | FailureKind::SessionNotFound
        | FailureKind::Budget
        | FailureKind::Turns => Outcome::Ended(known),
        _ if confirmed => Outcome::Died(known),
        _ => Outcome::LaunchFailed(known),
    }
}

/// A turn that was stopped.
pub(super) fn stopped(stop: Stop) -> TurnEnd {
    let (status, reason) = match stop {
        Stop::Interrupt | Stop::Shutdown => (TurnStatus::Interrupted, TurnReason::Interrupted),
        Stop::TimeLimit => (TurnStatus::TimedOut, TurnReason::TimedOut),
        Stop::LoginRefused => (TurnStatus::Failed, TurnReason::AuthFailed),
    };
    TurnEnd::new(status, Some(reason))
}

/// A turn that failed.
fn failed(failure: &Failure) -> TurnEnd {
    TurnEnd {
        api_error_status: failure.api_error_status,
        resets_at: failure.resets_at,
        ..TurnEnd::new(TurnStatus::Failed, TurnReason::from_word(failure.reason()))
    }
}

fn with_exit(mut end: TurnEnd, process: &End) -> TurnEnd {
    match process.exit {
        Exit::Code(code) => end.exit_code = Some(code),
        Exit::Signal(signal) => end.signal = Some(signal),
        Exit::Lost => {}
    }
    end.stderr_tail = tail(&process.stderr_tail);
    end
}

/// The last part of `text`, whole characters only; `None` when there is nothing in it.
pub(super) fn tail(text: &str) -> Option<String> {
    let text = text.trim();
    let start = text.len().saturating_sub(STDERR_TAIL);
    let start = (start..=text.len()).find(|at| text.is_char_boundary(*at))?;
    text.get(start..).filter(|tail| !tail.is_empty()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end(exit: Exit) -> End {
        End { exit, step: None, stderr_tail: " oops\n".to_owned(), leftovers: 0, output_abandoned: false }
    }

    #[test]
    fn a_success_beats_the_wish_to_stop_it_and_a_stop_beats_the_failure_that_it_causes() {
        let success = Ok(ResultFrame { num_turns: Some(3), ..ResultFrame::default() });
        let verdict = by_result(&success, Some(Stop::Interrupt));
        assert_eq!((verdict.status, verdict.reason, verdict.num_turns), (TurnStatus::Succeeded, None, Some(3)));
        let failure = Err(Failure::new(FailureKind::Api));
        assert_eq!(by_result(&failure, None).reason, Some(TurnReason::ApiError));
        assert_eq!(by_result(&failure, Some(Stop::TimeLimit)).status, TurnStatus::TimedOut);
        assert_eq!(by_result(&failure, Some(Stop::LoginRefused)).reason, Some(TurnReason::AuthFailed));
    }

    #[test]
    fn an_exit_is_a_death_only_after_the_input_was_taken() {
        let failure = Failure::new(FailureKind::Exited);
        let exit = end(Exit::Signal(9));
        let Outcome::Died(known) = by_exit(&failure, None, true, &exit) else { panic!("not a death") };
        assert_eq!((known.signal, known.stderr_tail.as_deref()), (Some(9), Some("oops")));
        assert!(matches!(by_exit(&failure, None, false, &exit), Outcome::LaunchFailed(_)));
        let login = Failure::new(FailureKind::Auth);
        let Outcome::Ended(known) = by_exit(&login, None, false, &exit) else { panic!("retried in vain") };
        assert_eq!(known.reason, Some(TurnReason::AuthFailed));
    }

    #[test]
    fn every_reason_of_a_failure_is_a_word_of_the_contract() {
        use FailureKind as Kind;
        for kind in [
            Kind::Auth,
            Kind::Credit,
            Kind::RateLimit,
            Kind::Model,
            Kind::PromptTooLong,
            Kind::SessionInUse,
            Kind::HeldByBackground,
            Kind::SessionNotFound,
            Kind::Cwd,
            Kind::Budget,
            Kind::Turns,
            Kind::Interrupted,
            Kind::Api,
            Kind::NoResult,
            Kind::Exited,
        ] {
            assert!(failed(&Failure::new(kind)).reason.is_some(), "{kind:?}");
        }
    }

    #[test]
    fn the_tail_is_bounded_and_whole() {
        let text = "é".repeat(STDERR_TAIL);
        let tail = tail(&text).unwrap();
        assert!(tail.len() <= STDERR_TAIL && tail.chars().all(|c| c == 'é'));
    }
}
