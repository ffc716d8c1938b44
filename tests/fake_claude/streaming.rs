//! Streaming mode: one JSON object a line in, queued inputs, control requests.

use std::{
    collections::VecDeque,
    io::{self, BufRead},
    mem,
    sync::Arc,
    thread,
};

use serde_json::{Value, json};
use uuid::Uuid;

use super::{
    cli::{Cli, Frame, Input},
    turn::Player,
};

/// Runs turns until the input ends; the exit status is 1 when the last of them failed.
pub(crate) fn run(cli: &Arc<Cli>) -> i32 {
    if cli.launch.never_read {
        cli.wait(None, |_| false);
    }
    let reader = Arc::clone(cli);
    thread::spawn(move || read(&reader));
    let mut turns: VecDeque<_> = cli.launch.turns.clone().into();
    loop {
        while let Some(turn) = turns.pop_front_if(|turn| turn.unprompted) {
            Player::new(cli, &[]).play(&turn);
        }
        cli.wait(None, |state| !state.inputs.is_empty() || state.input_ended);
        let inputs: Vec<Input> = cli.look(|state| {
            let merges = cli.launch.merge && state.inputs.iter().all(|input| input.query);
            if merges { mem::take(&mut state.inputs).into() } else { state.inputs.pop_front().into_iter().collect() }
        });
        let [first, ..] = inputs.as_slice() else { break };
        let mut known = false;
        cli.record(|transcript| known = transcript.has(&first.uuid));
        let player = Player::new(cli, &inputs);
        let prompt = inputs.iter().map(Input::text).collect::<Vec<_>>().join("\n");
        if known {
            player.known();
        } else if !first.query {
            player.context();
        } else {
            player.play(&cli.turn_for(&prompt, &mut turns));
        }
    }
    i32::from(cli.look(|state| state.last_failed))
}

/// Reads the input to its end.
fn read(cli: &Cli) {
    let mut lines = io::stdin().lock();
    let mut line = Vec::new();
    loop {
        line.clear();
        match lines.read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => break,
            Ok(_) => cli.log("stdin", &line),
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        let Ok(frame) = serde_json::from_slice::<Value>(&line) else {
            let text = String::from_utf8_lossy(&line);
            eprintln!("Error parsing streaming input line: {}: SyntaxError: JSON Parse error", text.trim());
            cli.exit(1)
        };
        match frame["type"].as_str() {
            Some("user") => take_input(cli, &frame),
            Some("control_request") => answer(cli, &frame),
            // Answers to requests, keep-alives, and whatever else comes: ignored, as the CLI ignores them.
            _ => {}
        }
    }
    cli.change(|state| state.input_ended = true);
}

fn take_input(cli: &Cli, frame: &Value) {
    let named = frame["uuid"].as_str();
    let input = Input {
        uuid: named.map_or_else(|| Uuid::new_v4().to_string(), str::to_owned),
        named: named.is_some(),
        content: frame["message"]["content"].clone(),
        query: frame["shouldQuery"] != json!(false),
    };
    cli.lifecycle(&input, "queued");
    cli.change(|state| state.inputs.push_back(input));
}

fn answer(cli: &Cli, frame: &Value) {
    let id = frame["request_id"].clone();
    let response = match frame["request"]["subtype"].as_str() {
        Some("interrupt") => {
            if cli.look(|state| state.deaf) {
                return;
            }
            let waiting: Vec<String> = cli.look(|state| state.inputs.iter().map(|input| input.uuid.clone()).collect());
            json!({ "subtype": "success", "request_id": id, "response": { "still_queued": waiting } })
        }
        Some("initialize") => json!({ "subtype": "success", "request_id": id, "response": {
            "commands": [], "agents": [], "output_style": "default",
            "models": [
                { "value": "default", "resolvedModel": "claude-opus-5-5", "displayName": "Default (recommended)", "supportsEffort": true,
                  "supportedEffortLevels": ["low", "medium", "high", "xhigh", "max"] },
                { "value": "opus", "resolvedModel": "claude-opus-5-5", "displayName": "Opus", "supportsEffort": true,
                  "supportedEffortLevels": ["low", "medium", "high", "xhigh", "max"] },
                { "value": "haiku", "resolvedModel": "claude-haiku-4-5-20251001", "displayName": "Haiku" },
            ],
            "account": { "tokenSource": "CLAUDE_CODE_OAUTH_TOKEN", "apiKeySource": "none", "apiProvider": "firstParty" },
            "pid": std::process::id(), "claude_code_version": cli.version,
        } }),
        other => json!({ "subtype": "error", "request_id": id,
            "error": format!("Unsupported control request subtype: {}", other.unwrap_or("undefined")) }),
    };
    cli.print_bare(&Frame::new("control_response").with("response", response));
    if frame["request"]["subtype"] == "interrupt" {
        cli.change(|state| state.interrupted = state.in_turn);
    }
}
