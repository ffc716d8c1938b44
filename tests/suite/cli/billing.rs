//! Who pays for a turn in a terminal.

use serde_json::json;

use crate::support::{
    Sandbox,
    fake::{Probe, Script},
};

const TURNS: [&[&str]; 2] =
    [&["start", "--model", "opus", "--json", "hi"], &["send", "last", "--model", "opus", "--json", "hi"]];

#[test]
fn a_key_in_the_environment_is_warned_about_and_never_shown() {
    let mut sandbox = Sandbox::new();
    sandbox.session();
    for turn in TURNS {
        assert!(!sandbox.ccmcp(turn).stderr.contains("API key"));
    }
    sandbox.set("ANTHROPIC_API_KEY", "sk-ant-secret-key");
    for turn in TURNS {
        let run = sandbox.ccmcp(turn);
        assert_eq!(run.status, Some(0), "{run:#?}");
        assert!(run.stderr.contains("An API key is in use"), "{run:#?}");
        assert!(!format!("{run:?}").contains("sk-ant"), "{run:#?}");
    }
}

#[test]
fn only_a_subscription_will_do_where_that_is_asked() {
    let mut sandbox = Sandbox::new();
    let session = sandbox.session();
    let strict = |sandbox: &Sandbox, turn: &[&str]| sandbox.ccmcp(&[&["--require-subscription"], turn].concat());
    for turn in TURNS {
        assert_eq!(strict(&sandbox, turn).status, Some(0));
    }
    // By the environment, and by what the CLI says.
    let keyed = Probe::answer(&json!({ "loggedIn": true, "authMethod": "api_key" }).to_string(), 0);
    for by_environment in [true, false] {
        let script = if by_environment {
            sandbox.set("ANTHROPIC_API_KEY", "sk-ant-secret-key");
            Script::new()
        } else {
            sandbox.unset("ANTHROPIC_API_KEY");
            Script::new().auth(keyed.clone())
        };
        let fake = sandbox.script(&script);
        let before = sandbox.transcript(&session).len();
        let doctor: &[&str] = &["doctor", "--live", "--yes"];
        for turn in TURNS {
            let run = strict(&sandbox, turn);
            assert_eq!(run.status, Some(4), "{run:#?}");
            assert!(run.error("CLAUDE_UNAVAILABLE")["message"].as_str().unwrap().contains("API key"), "{run:#?}");
        }
        assert_eq!(strict(&sandbox, doctor).status, Some(1));
        assert_eq!((fake.launches(), sandbox.transcript(&session).len()), (0, before), "nothing was run");
    }
}
