//! Transcripts that try to steer the terminal of whoever looks at them.

use serde_json::json;

use super::Written;
use crate::support::Sandbox;

/// What steers terminals: CSI, OSC (title, clipboard, link), DCS, C1, bell, backspace, and changes of direction.
const ATTACK: &str = "\u{1b}[2J\u{1b}]0;pwned\u{7}\u{1b}]52;c;ZXZpbA==\u{1b}\\\u{1b}]8;;http://x\u{1b}\\\u{1b}P$q\u{1b}\\\u{9b}31m\u{9d}0;x\u{9c}\u{8}\r\u{202e}evil\u{2066}needle\u{7f}";

pub(super) fn hostile() -> Sandbox {
    let sandbox = Sandbox::new();
    let mut evil = Written::new(&sandbox, "-evil", "88888888-0000-4000-8000-000000000008")
        .in_directory(&format!("/home/{ATTACK}"));
    let first = evil.prompt(ATTACK);
    evil.lines.push(json!({ "type": "custom-title", "customTitle": ATTACK, "sessionId": evil.id }).to_string());
    let call = json!({ "type": "tool_use", "id": "toolu_1", "name": ATTACK, "input": { ATTACK: ATTACK } });
    evil.blocks(&json!([{ "type": "text", "text": ATTACK }, call]));
    let result = json!([{ "type": "tool_result", "tool_use_id": "toolu_1", "content": ATTACK, "is_error": true }]);
    evil.record(json!({ "type": "user", "gitBranch": ATTACK, "message": { "role": "user", "content": result } }));
    evil.answer(ATTACK);
    evil.back_to(&first);
    evil.answer(&format!("again {ATTACK}"));
    evil.prompt(ATTACK);
    evil.write();
    sandbox
}

/// Every way to look at it.
pub(super) const COMMANDS: [&[&str]; 10] = [
    &["sessions"],
    &["sessions", "--projects"],
    &["search", "needle", "--in", "all"],
    &["search", "needle", "--in", "all", "--json"],
    &["tree", "8888"],
    &["tree", "8888", "--thread", "--tools"],
    &["tree", "8888", "--forks"],
    &["tree", "8888", "--thread", "--json"],
    &["tree", "8888", "--export", "json"],
    &["tree", "\u{1b}[2J"],
];

/// Whether a character may steer a terminal.
pub(super) fn steers(character: char) -> bool {
    (character.is_control() && !"\n\t".contains(character))
        || ('\u{202a}'..='\u{202e}').contains(&character)
        || ('\u{2066}'..='\u{2069}').contains(&character)
}

#[test]
fn nothing_steers_a_terminal_behind_a_pipe() {
    let sandbox = hostile();
    for command in COMMANDS {
        let run = sandbox.ccmcp(command);
        for text in [&run.stdout, &run.stderr] {
            let found: Vec<_> = text.chars().filter(|character| steers(*character)).collect();
            assert!(found.is_empty(), "{command:?}: {found:?} in {text:?}");
        }
        assert!(!run.stdout.is_empty() || run.status == Some(3), "{command:?}: {run:#?}");
    }
    // What cannot be shown as it is cannot be copied: ccmcp finds the directory itself.
    let run = sandbox.ccmcp(&["tree", "8888"]);
    assert!(run.stderr.contains("go on: ccmcp send 88888888-0000-4000-8000-000000000008 "), "{run:#?}");
}

#[test]
fn json_and_documents_keep_every_character() {
    let sandbox = hostile();
    let thread = sandbox.ccmcp(&["tree", "8888", "--export", "json", "--tools"]).json();
    let texts: Vec<_> =
        thread["messages"].as_array().unwrap().iter().map(|message| message["text"].as_str().unwrap()).collect();
    assert!(texts.contains(&ATTACK), "{texts:?}");
    let document = sandbox.ccmcp(&["tree", "8888", "--export", "md"]).stdout;
    assert!(document.contains(ATTACK), "a file gets what was said: {document:?}");
}
