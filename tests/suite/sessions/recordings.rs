//! Recorded output of the real CLI, two versions of it, through a whole turn.

use std::fs;

use serde_json::Value;

use crate::{
    claude::TABLE,
    support::{
        Sandbox,
        fake::{Launch, Script, Step, Turn},
        fixture,
    },
};

#[test]
fn every_recording_maps_to_its_code() {
    let index: Vec<Value> =
        serde_json::from_slice(&fs::read(fixture("frames/index.json")).expect("the index")).expect("JSON");
    for entry in &index {
        let text = |key: &str| entry[key].as_str().expect("a text").to_owned();
        let (version, scenario) = (text("version"), text("scenario"));
        let name = format!("{version}/{scenario}");
        let expected = TABLE.iter().find(|(known, _)| *known == scenario).expect("a row in the table").1;
        // A recording of an end by a signal: for one who did not send it, an exit.
        let status = entry["exit"].as_i64().unwrap_or(143);
        let steps = vec![
            // Writes the transcript that a success has to leave.
            Step::Init,
            Step::Replay { path: fixture(&format!("frames/{name}.jsonl")) },
            Step::Stderr { text: text("stderr") },
            Step::Exit { code: i32::try_from(status).expect("a status") },
        ];
        let mut sandbox = Sandbox::new();
        sandbox.script(&Script::new().cli_version(&version).launch(Launch::turn(Turn::of(steps))));
        let run = sandbox.start("hi");
        match expected {
            None => assert_eq!(run.answer()["response"], "Hello from mock", "{name}"),
            Some(code) => {
                run.error(code.as_str());
            }
        }
    }
}
