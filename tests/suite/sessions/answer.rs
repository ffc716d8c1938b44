//! What a successful turn gives back.

use std::fs;

use serde_json::{Value, json};

use crate::support::{
    Sandbox,
    fake::{Launch, ResultStep, Script, Step, Turn},
};

/// Every key of an answer, in its order.
const KEYS: [&str; 11] = [
    "session_id",
    "response",
    "is_error",
    "usage",
    "model_usage",
    "total_cost_usd",
    "turn_cost_usd",
    "duration_ms",
    "num_turns",
    "terminal_reason",
    "permission_denials",
];

fn keys(answer: &Value) -> Vec<&str> {
    answer.as_object().expect("an object").keys().map(String::as_str).collect()
}

/// A script with this turn for every launch, of this version.
fn always(version: &str, turn: Turn) -> Script {
    Script::new().cli_version(version).always(Launch::turn(turn))
}

#[test]
fn the_figures_are_those_of_the_cli() {
    let mut sandbox = Sandbox::new();
    let denied = Step::PermissionDenied { tool: "Bash".to_owned(), message: "no".to_owned() };
    sandbox.script(&always("2.1.332", Turn::echo().before(denied)));
    let answer = sandbox.start("hi").answer();
    assert_eq!(keys(&answer), KEYS);
    assert_eq!(answer["usage"]["output_tokens"], 8);
    assert_eq!(answer["model_usage"]["claude-opus-5-5"]["inputTokens"], 12);
    assert_eq!(answer["permission_denials"][0]["tool_name"], "Bash");
    let rest = ["total_cost_usd", "turn_cost_usd", "duration_ms", "num_turns", "terminal_reason", "is_error"];
    assert_eq!(
        rest.map(|key| answer[key].clone()),
        [json!(0.01), json!(0.01), json!(125), json!(1), json!("completed"), json!(false)]
    );
}

#[test]
fn a_figure_that_is_not_reported_is_null() {
    let figures = [
        ("usage", "usage"),
        ("modelUsage", "model_usage"),
        ("total_cost_usd", "total_cost_usd"),
        ("duration_ms", "duration_ms"),
        ("num_turns", "num_turns"),
        ("terminal_reason", "terminal_reason"),
        ("permission_denials", "permission_denials"),
    ];
    let mut sandbox = Sandbox::new();
    // Left out, and of a shape that nobody expects.
    let omitted = |result: &mut ResultStep| result.omit = figures.map(|(key, _)| key.to_owned()).to_vec();
    let odd = |result: &mut ResultStep| {
        for key in ["total_cost_usd", "duration_ms", "num_turns", "terminal_reason"] {
            result.set.insert(key.into(), json!({ "not": "this" }));
        }
    };
    sandbox.script(&always("2.1.332", Turn::echo().result(omitted)));
    let answer = sandbox.start("hi").answer();
    assert_eq!(keys(&answer), KEYS, "every key is always there");
    for (_, key) in figures {
        assert_eq!(answer[key], Value::Null, "{key}");
    }
    assert_eq!((&answer["turn_cost_usd"], &answer["response"]), (&Value::Null, &json!("ECHO: hi")));
    sandbox.script(&always("2.1.332", Turn::echo().result(odd)));
    let answer = sandbox.start("hi").answer();
    for key in ["total_cost_usd", "turn_cost_usd", "duration_ms", "num_turns", "terminal_reason"] {
        assert_eq!(answer[key], Value::Null, "{key}");
    }
}

#[test]
fn a_session_id_that_is_missing_is_the_one_asked_for() {
    let mut sandbox = Sandbox::new();
    let line = r#"{"type":"result","subtype":"success","is_error":false,"result":"x","num_turns":1}"#;
    let bare = Step::Line { text: line.to_owned(), ending: "\n".to_owned() };
    let turn = Turn::of(vec![Step::Init, Step::Say { text: None }, bare]);
    let fake = sandbox.script(&always("2.1.332", turn));
    let answer = sandbox.start("hi").answer();
    assert_eq!(answer["session_id"], fake.launch(0).value_of("--session-id").expect("an id"));
}

#[test]
fn each_turn_costs_what_it_added_on_every_version() {
    let costs = [0.25, 0.5, 0.125];
    for (version, totals) in [("2.1.332", [0.25, 0.75, 0.875]), ("2.1.197", costs)] {
        let mut sandbox = Sandbox::new();
        let script = costs.iter().fold(Script::new().cli_version(version), |script, usd| {
            script.launch(Launch::turn(Turn::echo().before(Step::Cost { usd: *usd })))
        });
        sandbox.script(&script);
        let first = sandbox.start("hi").answer();
        let id = first["session_id"].as_str().expect("an id");
        let answers = [first.clone(), sandbox.send(id, "b").answer(), sandbox.send(id, "c").answer()];
        let figures = |key: &str| json!(answers.clone().map(|answer| answer[key].clone()));
        assert_eq!(figures("total_cost_usd"), json!(totals), "{version}");
        assert_eq!(figures("turn_cost_usd"), json!(costs), "{version}");
    }
}

#[test]
fn a_total_that_went_down_says_nothing_about_the_turn() {
    let mut sandbox = Sandbox::new();
    sandbox.script(&Script::new());
    let id = sandbox.session();
    let lower = |result: &mut ResultStep| drop(result.set.insert("total_cost_usd".into(), json!(0.001)));
    sandbox.script(&always("2.1.332", Turn::echo().result(lower)));
    let answer = sandbox.send(&id, "hi").answer();
    assert_eq!((&answer["total_cost_usd"], &answer["turn_cost_usd"]), (&json!(0.001), &Value::Null));
}

#[test]
fn a_prompt_that_moves_to_another_session_gives_that_one() {
    let mut sandbox = Sandbox::new();
    let turn =
        Turn::of(vec![Step::Init, Step::NewSession, Step::Say { text: None }, Step::Result(ResultStep::default())]);
    let fake = sandbox.script(&Script::new().on("/clear", turn));
    let started = sandbox.start("/clear").answer()["session_id"].clone();
    assert_ne!(started, fake.launch(0).value_of("--session-id").expect("an id"));
    let started = started.as_str().expect("an id");
    let answer = sandbox.send(started, "go on").answer();
    assert_eq!(answer["session_id"], started);
    let cleared = sandbox.send(started, "/clear").answer();
    let cleared = cleared["session_id"].as_str().expect("an id");
    assert_ne!(cleared, started);
    sandbox.send(cleared, "and on").answer();
    assert_eq!(fake.launch(3).value_of("--resume"), Some(cleared));
}

#[test]
fn a_success_without_a_transcript_is_none() {
    let mut sandbox = Sandbox::new();
    // A result of a session that is nowhere on disk.
    let elsewhere = |result: &mut ResultStep| {
        result.set.insert("session_id".into(), json!("11111111-2222-4333-8444-555555555555"));
    };
    let fake = sandbox.script(&always("2.1.332", Turn::echo().result(elsewhere)));
    let run = sandbox.start("hi");
    run.error("CLI_OUTPUT_INVALID");
    let asked = fake.launch(0).value_of("--session-id").expect("an id").to_owned();
    assert!(!run.stdout.contains(&asked) && !run.stdout.contains("11111111-2222"), "{run:#?}");
    let projects = sandbox.config_dir().join("projects");
    fs::remove_dir_all(projects).expect("transcripts were written");
}
