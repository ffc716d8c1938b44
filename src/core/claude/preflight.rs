//! Is the CLI usable: version, login, billing.

use std::{fmt, str::FromStr, time::Duration};

use serde::{Deserialize, Serialize};

use super::{
    environment::child_environment,
    executable::{Executable, ExecutableError, find},
};
use crate::core::{
    config::{Environment, Settings},
    error::{Error, ErrorCode},
    process::{Exit, Launch, Limits, Output, SpawnError, Spawner, Stdin},
};

/// The oldest version that agents can be run on: it tells which input a result belongs to.
pub const MINIMUM_FOR_AGENTS: Version = Version(2, 1, 238);

/// How long `claude --version` and `claude auth status` may take; together they take about 0.4 s.
const LIMIT: Duration = Duration::from_secs(20);

/// A version of the CLI.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version(pub u32, pub u32, pub u32);

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.0, self.1, self.2)
    }
}

impl FromStr for Version {
    type Err = ();

    /// Reads `2.1.332 (Claude Code)`, or the number alone.
    fn from_str(text: &str) -> Result<Self, ()> {
        let number = text.split_whitespace().next().ok_or(())?;
        // A pre-release counts as its release.
        let number = number.split(['-', '+']).next().unwrap_or(number);
        let mut parts = number.split('.').map(|part| part.parse::<u32>().map_err(drop));
        let mut next = || parts.next().ok_or(())?;
        Ok(Self(next()?, next()?, next()?))
    }
}

/// What `claude auth status --json` says.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Auth {
    /// Whether there is a login.
    pub logged_in: bool,
    /// `none`, `api_key`, `oauth_token`, …
    pub auth_method: Option<String>,
    /// `firstParty`, or a cloud's name.
    pub api_provider: Option<String>,
}

/// Who pays, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Billing {
    /// A flat-rate subscription.
    Subscription,
    /// Every token, through an API key.
    ApiKey,
    /// A cloud provider's account.
    Cloud,
    /// The CLI does not say.
    Unknown,
}

impl Billing {
    /// Judges from the login and the environment. The CLI prefers a subscription token to a key in some versions and
    /// not in others, so a key that is set counts.
    pub fn of(auth: &Auth, environment: &Environment) -> Self {
        let method = auth.auth_method.as_deref();
        if method == Some("api_key") || environment.is_set("ANTHROPIC_API_KEY") {
            Self::ApiKey
        } else if auth.api_provider.as_deref().is_some_and(|provider| provider != "firstParty") {
            Self::Cloud
        } else if method.is_some_and(|method| method != "none") {
            Self::Subscription
        } else {
            Self::Unknown
        }
    }

    /// What to warn about, if anything.
    pub fn warning(self) -> Option<&'static str> {
        (self == Self::ApiKey).then_some(
            "An API key is in use: every turn is billed by the token, not to a flat-rate subscription. \
             Unset ANTHROPIC_API_KEY and log in with `claude` to change that.",
        )
    }
}

impl fmt::Display for Billing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Subscription => "subscription",
            Self::ApiKey => "API key",
            Self::Cloud => "cloud provider",
            Self::Unknown => "unknown",
        })
    }
}

/// A usable CLI.
#[derive(Clone, Debug)]
pub struct Preflight {
    /// The program.
    pub executable: Executable,
    /// Its version; `None` when it prints something else.
    pub version: Option<Version>,
    /// Its login.
    pub auth: Auth,
    /// Who pays.
    pub billing: Billing,
}

/// Why the CLI is not usable.
#[derive(Debug, thiserror::Error)]
pub enum Unusable {
    /// It is not there.
    #[error(transparent)]
    Missing(#[from] ExecutableError),
    /// It cannot be started.
    #[error("the Claude executable cannot be started: {0}")]
    Spawn(#[from] SpawnError),
    /// `claude --version` fails.
    #[error("`claude --version` fails: this is not a working Claude CLI")]
    Broken,
    /// There is no login.
    #[error("Claude is not logged in")]
    LoggedOut,
    /// `--require-subscription`, and an API key is in use.
    #[error("an API key is in use, and --require-subscription forbids that")]
    ApiKey,
}

impl From<Unusable> for Error {
    fn from(unusable: Unusable) -> Self {
        let message = format!("{unusable}.");
        let hint = match unusable {
            Unusable::Missing(error) => return error.into(),
            Unusable::Spawn(error) => return error.into(),
            Unusable::Broken => "Run `claude --version` by hand, and `ccmcp doctor` for the whole picture.",
            Unusable::LoggedOut => "Run `claude` and log in with /login, then try again.",
            Unusable::ApiKey => {
                "Unset ANTHROPIC_API_KEY and log in with a subscription, or drop --require-subscription."
            }
        };
        Self::new(ErrorCode::ClaudeUnavailable, message).hint(hint)
    }
}

/// Looks whether the CLI can be used as `settings` ask: finds it, asks its version and its login.
pub async fn check(settings: &Settings, spawner: &Spawner) -> Result<Preflight, Unusable> {
    let executable = find(settings)?;
    let (version, auth) = tokio::join!(
        ask(settings, spawner, &executable, &["--version"]),
        ask(settings, spawner, &executable, &["auth", "status", "--json"]),
    );
    let (version, auth) = (version?, auth?);
    if version.exit != Exit::Code(0) {
        return Err(Unusable::Broken);
    }
    let version = version.stdout.parse().ok();
    let auth = read_auth(&auth);
    let billing = Billing::of(&auth, &settings.environment);
    if !auth.logged_in {
        return Err(Unusable::LoggedOut);
    }
    if settings.require_subscription && billing == Billing::ApiKey {
        return Err(Unusable::ApiKey);
    }
    Ok(Preflight { executable, version, auth, billing })
}

/// Reads the answer; a version that prints no JSON says it with its exit status alone.
fn read_auth(output: &Output) -> Auth {
    let logged_in = output.exit == Exit::Code(0);
    serde_json::from_str(&output.stdout).unwrap_or(Auth { logged_in, ..Auth::default() })
}

async fn ask(
    settings: &Settings,
    spawner: &Spawner,
    executable: &Executable,
    arguments: &[&str],
) -> Result<Output, SpawnError> {
    let launch = Launch {
        program: executable.path.clone(),
        args: arguments.iter().map(Into::into).collect(),
        cwd: settings.places.home.clone(),
        env: child_environment(&settings.environment, &[]),
        stdin: Stdin::Null,
        lock: None,
        limits: Limits::default(),
    };
    spawner.output(launch, LIMIT).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_and_compared() {
        assert_eq!("2.1.332 (Claude Code)".parse(), Ok(Version(2, 1, 332)));
        assert_eq!("2.1.238-beta.1\n".parse(), Ok(Version(2, 1, 238)));
        assert!(Version(2, 1, 197) < MINIMUM_FOR_AGENTS && MINIMUM_FOR_AGENTS < Version(2, 2, 0));
        for text in ["", "2.1", "claude 2.1.3", "a.b.c"] {
            assert_eq!(text.parse::<Version>(), Err(()), "{text}");
        }
    }

    #[test]
    fn a_key_in_the_environment_means_that_tokens_are_billed() {
        let auth =
            Auth { logged_in: true, auth_method: Some("oauth_token".into()), api_provider: Some("firstParty".into()) };
        assert_eq!(Billing::of(&auth, &Environment::default()), Billing::Subscription);
        let keyed = [("ANTHROPIC_API_KEY".into(), "k".into())].into_iter().collect();
        assert_eq!(Billing::of(&auth, &keyed), Billing::ApiKey);
        assert!(Billing::ApiKey.warning().is_some());
        let cloud = Auth { api_provider: Some("bedrock".into()), ..auth };
        assert_eq!(Billing::of(&cloud, &Environment::default()), Billing::Cloud);
    }
}
