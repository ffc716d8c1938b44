//! A scripted stand-in for the Claude CLI, for tests only: it is an example, so it is never installed.
//!
//! Without a script it is a healthy, logged-in CLI that answers every prompt with its echo, writes transcripts and
//! keeps costs as the real one does. The script named by `FAKE_CLAUDE_SCRIPT` changes that; `tests/support/fake.rs`
//! writes scripts and reads back what each launch was given.
//!
//! | file | what it holds |
//! |---|---|
//! | `script.rs` | the script's types, shared with the tests |
//! | `arguments.rs` | the command line |
//! | `cli.rs` | the running CLI: shared state, printing, the log, the end |
//! | `turn.rs` | the steps of one turn |
//! | `streaming.rs` | streaming mode: inputs and control requests |
//! | `transcript.rs` | the transcript and the note of ownership |
//! | `machine.rs` | signals and processes left behind |

#![expect(
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "this stands in for another program: it has an environment, outputs and exit codes of its own"
)]

mod arguments;
mod cli;
mod machine;
mod script;
mod streaming;
mod transcript;
mod turn;

use std::{
    collections::VecDeque,
    env, fs,
    io::{self, Read},
    path::PathBuf,
    process::ExitCode,
    sync::Arc,
};

use arguments::Arguments;
use cli::{Cli, Frame, Input, claim, log_launch};
use script::{Launch, NEWEST, Probe, Script, Turn};
use serde_json::{Value, json};
use transcript::Transcript;
use turn::Player;
use uuid::Uuid;

/// The environment variable that names the script.
const SCRIPT: &str = "FAKE_CLAUDE_SCRIPT";
/// The CLI's own limit for a piped prompt, in bytes (measured: 10 MiB is taken, one byte more is not).
const STDIN_LIMIT: usize = 10 * 1024 * 1024;

/// Runs the scripted CLI; the demo calls this too.
pub(crate) fn main() -> ExitCode {
    let arguments: Vec<String> =
        env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned()).collect();
    if arguments.first().is_some_and(|first| first == machine::ORPHAN) {
        return machine::left_behind(&arguments[1..]);
    }
    let path = env::var_os(SCRIPT).map(PathBuf::from);
    let script = match &path {
        None => Script::default(),
        Some(path) => match fs::read(path)
            .map_err(|error| error.to_string())
            .and_then(|bytes| serde_json::from_slice(&bytes).map_err(|error| error.to_string()))
        {
            Ok(script) => script,
            Err(error) => {
                eprintln!("scripted CLI: cannot read the script {}: {error}", path.display());
                return ExitCode::from(98);
            }
        },
    };
    let log = path.map(|path| path.with_extension("d"));
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["--version" | "-v"] => {
            let version = script.cli_version.as_deref().unwrap_or(NEWEST);
            let healthy = format!("{version} (Claude Code)\n");
            probe(&script, &script.version, "version", &arguments, log, &healthy)
        }
        ["auth", "status", ..] => {
            let healthy = json!({ "loggedIn": true, "authMethod": "oauth_token", "apiProvider": "firstParty",
                "projectsDirectory": transcript::config_dir().join("projects"),
                "configDirectory": transcript::config_dir() });
            probe(&script, &script.auth, "auth", &arguments, log, &format!("{healthy:#}\n"))
        }
        _ => drive(&script, &arguments, log),
    }
}

/// Answers `--version` or `auth status`.
fn probe(
    script: &Script,
    probes: &[Probe],
    name: &str,
    arguments: &[String],
    log: Option<PathBuf>,
    healthy: &str,
) -> ExitCode {
    let claimed = log.and_then(|log| claim(&log, name));
    let number = claimed.as_ref().map_or(0, |(number, _)| *number);
    if let Some((_, folder)) = &claimed {
        log_launch(folder, arguments);
    }
    let probe = probes.get(number).or_else(|| probes.last()).cloned().unwrap_or_default();
    let cli = Cli::new(script, Launch::default(), Arguments::default(), claimed.map(|(_, folder)| folder));
    Player::new(&cli, &[]).play(&Turn { unprompted: false, steps: probe.steps });
    cli.print_bytes(probe.stdout.as_deref().unwrap_or(healthy).as_bytes());
    cli.exit(probe.exit)
}

/// Runs turns, in either mode.
fn drive(script: &Script, arguments: &[String], log: Option<PathBuf>) -> ExitCode {
    let launch = choose(script, arguments, log.as_ref());
    let folder = log.and_then(|log| claim(&log, "launch")).map(|(_, folder)| folder);
    if let Some(folder) = &folder {
        log_launch(folder, arguments);
    }
    let parsed = Arguments::read(arguments);
    let cli = Arc::new(Cli::new(script, launch, parsed.clone().unwrap_or_default(), folder));
    let heard = Arc::clone(&cli);
    if let Err(error) = machine::on_signals(move |signal| heard.on_signal(signal)) {
        eprintln!("scripted CLI: cannot listen for signals: {error}");
    }
    Player::new(&cli, &[]).play(&Turn { unprompted: false, steps: cli.launch.start.clone() });
    if let Err(error) = parsed {
        eprintln!("{error}");
        cli.exit(1);
    }
    // One-shot mode reads its prompt before it looks at the session.
    let prompt = if cli.arguments.streaming { Ok(String::new()) } else { prompt(&cli) };
    let prompt = match prompt {
        Ok(prompt) => prompt,
        Err(error) => {
            eprintln!("{error}");
            cli.exit(1)
        }
    };
    open_session(&cli);
    let status = if cli.arguments.streaming {
        streaming::run(&cli)
    } else {
        one_shot(&cli, prompt);
        i32::from(cli.look(|state| state.last_failed))
    };
    Player::new(&cli, &[]).play(&Turn { unprompted: false, steps: cli.launch.end.clone() });
    cli.exit(cli.launch.exit.unwrap_or(status))
}

/// The launch that the script has for this command line and this time.
fn choose(script: &Script, arguments: &[String], log: Option<&PathBuf>) -> Launch {
    let count = |name: &str| log.and_then(|log| claim(&log.join("claims"), name)).map_or(0, |(number, _)| number);
    for (index, case) in script.cases.iter().enumerate() {
        if arguments.contains(&case.argument) {
            let number = count(&format!("case-{index}"));
            return case.launches.get(number).or_else(|| case.launches.last()).cloned().unwrap_or_default();
        }
    }
    script.launches.get(count("plain")).unwrap_or(&script.always).clone()
}

/// The prompt of one-shot mode, or what the CLI says when there is none.
fn prompt(cli: &Cli) -> Result<String, String> {
    if cli.launch.never_read {
        return Ok("(never read)".to_owned());
    }
    let mut bytes = Vec::new();
    let _ = io::stdin().lock().read_to_end(&mut bytes);
    cli.log("stdin", &bytes);
    if bytes.len() > STDIN_LIMIT {
        return Err("Error: piped stdin input exceeds 10MB. Pass large content as a file path in your prompt instead."
            .to_owned());
    }
    let piped = String::from_utf8_lossy(&bytes).into_owned();
    match (&cli.arguments.prompt, piped.is_empty()) {
        (None, true) => {
            Err("Error: Input must be provided either through stdin or as a prompt argument when using --print"
                .to_owned())
        }
        (None, false) => Ok(piped),
        (Some(prompt), true) => Ok(prompt.clone()),
        (Some(prompt), false) => Ok(format!("{prompt}\n{piped}")),
    }
}

/// Finds or makes the session, or fails as the CLI fails.
fn open_session(cli: &Cli) {
    let mode = cli.arguments.permission_mode.as_deref().unwrap_or("default");
    if let Some(id) = &cli.arguments.resume {
        let Some(mut transcript) = Transcript::open(id, &cli.version, mode, cli.has_lifecycle()) else {
            let text = format!("No conversation found with session ID: {id}");
            let frame = Frame::new("result")
                .with("subtype", "error_during_execution")
                .with("duration_ms", 0)
                .with("duration_api_ms", 0)
                .with("is_error", true)
                .with("num_turns", 0)
                .with("stop_reason", Value::Null)
                .with("session_id", id.as_str())
                .with("total_cost_usd", 0)
                .with("usage", json!({}))
                .with("modelUsage", json!({}))
                .with("permission_denials", json!([]))
                .with("errors", json!([text]));
            cli.print(frame);
            eprintln!("{text}");
            cli.exit(1)
        };
        if let Some(uuid) = &cli.arguments.back_to
            && !transcript.go_back(uuid)
        {
            eprintln!("No message found with message.uuid of: {uuid}");
            cli.exit(1)
        }
        return cli.take(id.clone(), transcript);
    }
    let id = cli.arguments.session_id.clone().unwrap_or_else(|| Uuid::new_v4().to_string());
    let Some(transcript) = Transcript::create(&id, &cli.version, mode) else {
        eprintln!("Error: Session ID {id} is already in use.");
        cli.exit(1)
    };
    cli.take(id, transcript);
}

/// The one turn of one-shot mode, and those that start by themselves around it.
fn one_shot(cli: &Cli, prompt: String) {
    let mut turns: VecDeque<Turn> = cli.launch.turns.clone().into();
    while let Some(turn) = turns.pop_front_if(|turn| turn.unprompted) {
        Player::new(cli, &[]).play(&turn);
    }
    let input = Input { uuid: Uuid::new_v4().to_string(), named: false, content: Value::String(prompt), query: true };
    let turn = cli.turn_for(&input.text(), &mut turns);
    Player::new(cli, &[input]).play(&turn);
    while let Some(turn) = turns.pop_front_if(|turn| turn.unprompted) {
        Player::new(cli, &[]).play(&turn);
    }
}
