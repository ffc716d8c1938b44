//! One real turn.

use tokio_util::sync::CancellationToken;

use super::report::Check;
use crate::core::{
    config::Settings,
    ids::SessionId,
    sessions::{Sessions, Start, TurnLimits},
};

const LIVE: &str = "live turn";

/// Starts a session in the current directory with a prompt that costs as little as one can.
pub(super) async fn turn(settings: &Settings, sessions: &Sessions, model: &str, stop: &CancellationToken) -> Check {
    let request = Start {
        session_id: SessionId::new(),
        cwd: settings.working_dir.clone().unwrap_or_else(|| settings.places.home.clone()),
        prompt: "Answer with the single word: pong".to_owned(),
        model: model.to_owned(),
        limits: TurnLimits::default(),
        extra: Vec::new(),
    };
    match sessions.start(request, &mut |_| (), stop).await {
        Ok(answer) => {
            let cost =
                answer.turn_cost_usd.map_or_else(|| "cost unknown".to_owned(), |dollars| format!("${dollars:.4}"));
            Check::ok(LIVE, format!("Claude answered ({cost}), session {}", answer.session_id))
        }
        Err(error) => {
            let code = error.code;
            let mut check = Check::error(LIVE, error);
            check.detail = format!("{} [{code}]", check.detail);
            check
        }
    }
}
