//! The Claude CLI: executable, version, login, billing.

use super::report::Check;
use crate::core::{
    claude::{self, Billing, MINIMUM_FOR_AGENTS, Preflight, Unusable},
    config::Settings,
    error::Error,
    process::Spawner,
};

const EXECUTABLE: &str = "claude executable";
const VERSION: &str = "claude version";
const LOGIN: &str = "claude login";
const BILLING: &str = "billing";

/// Looks at the program itself.
pub(super) async fn checks(settings: &Settings, spawner: &Spawner) -> Vec<Check> {
    let executable = match claude::find(settings) {
        Ok(executable) => executable,
        Err(error) => return vec![Check::error(EXECUTABLE, error.into())],
    };
    let found = format!("{} (by {})", executable.path.display(), executable.found_by);
    let mut checks = vec![Check::ok(EXECUTABLE, found)];
    // The login is wanted even where it will not do.
    let lenient = Settings { require_subscription: false, ..settings.clone() };
    match claude::check(&lenient, spawner).await {
        Ok(preflight) => {
            checks.push(version(&preflight));
            let method = preflight.auth.auth_method.as_deref().unwrap_or("unknown");
            checks.push(Check::ok(LOGIN, format!("logged in ({method})")));
            checks.push(billing(settings, preflight.billing));
        }
        Err(error @ Unusable::LoggedOut) => checks.push(Check::error(LOGIN, Error::from(error))),
        Err(error) => {
            checks[0] = Check::error(EXECUTABLE, Error::from(error));
        }
    }
    checks
}

fn version(preflight: &Preflight) -> Check {
    let update = format!("Run `claude update`: agents need {MINIMUM_FOR_AGENTS} or newer.");
    match preflight.version {
        Some(version) if version >= MINIMUM_FOR_AGENTS => Check::ok(VERSION, version.to_string()),
        Some(version) => Check::warn(VERSION, format!("{version} is too old for agents"), update),
        None => Check::warn(VERSION, "`claude --version` prints no version", update),
    }
}

fn billing(settings: &Settings, billing: Billing) -> Check {
    match billing.warning() {
        None => Check::ok(BILLING, billing.to_string()),
        Some(warning) if settings.require_subscription => {
            Check::fail(BILLING, warning, "--require-subscription forbids that: log in with a subscription.")
        }
        Some(warning) => Check::warn(
            BILLING,
            warning,
            "If that is what you want, ignore this; `--require-subscription` makes it an error.",
        ),
    }
}
