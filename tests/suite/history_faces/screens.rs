//! What the commands draw on terminals of several widths.

use unicode_width::UnicodeWidthStr;

use super::{
    Written,
    hostile::{self, COMMANDS, steers},
    known, names,
};
use crate::support::{
    Sandbox,
    screen::{Screen, plain},
};

const WIDTHS: [u16; 3] = [60, 80, 200];

/// Runs a command on a terminal: what is shown, with styles.
#[track_caller]
fn screen(sandbox: &Sandbox, columns: u16, arguments: &[&str]) -> String {
    let mut command = sandbox.command("ccmcp");
    command.args(arguments);
    Screen::start(command, columns).finish().0
}

/// The same without styles, checked to fit.
#[track_caller]
fn drawn(sandbox: &Sandbox, columns: u16, arguments: &[&str]) -> String {
    let text = plain(&screen(sandbox, columns, arguments));
    for line in text.lines() {
        assert!(line.width() <= usize::from(columns), "{} > {columns}: {line:?}", line.width());
        assert_eq!(line, line.trim_end(), "nothing invisible at the end");
    }
    text
}

#[test]
fn tables_fit_at_every_width() {
    let sandbox = known();
    for columns in WIDTHS {
        insta::assert_snapshot!(format!("sessions_{columns}"), drawn(&sandbox, columns, &["sessions", "--utc"]));
        insta::assert_snapshot!(
            format!("projects_{columns}"),
            drawn(&sandbox, columns, &["sessions", "--projects", "--utc"])
        );
    }
}

#[test]
fn hits_fit_at_every_width() {
    let sandbox = known();
    for columns in WIDTHS {
        let shown = drawn(&sandbox, columns, &["search", "灯台", "--utc", "-n", "2"]);
        insta::assert_snapshot!(format!("search_{columns}"), shown);
    }
    let shown = drawn(&sandbox, 80, &["search", "train", "--utc", "--role", "user"]);
    insta::assert_snapshot!("search_abandoned", shown);
}

#[test]
fn pictures_show_branches_compactions_and_agents() {
    let sandbox = known();
    for name in ["rewind", "double_rewind", "two_writers", "compacted", "subagent"] {
        let id = names()[name].clone();
        insta::assert_snapshot!(format!("tree_{name}"), drawn(&sandbox, 80, &["tree", &id, "--utc"]));
    }
    let id = names()["double_rewind"].clone();
    for columns in WIDTHS {
        insta::assert_snapshot!(format!("tree_{columns}"), drawn(&sandbox, columns, &["tree", &id, "--utc"]));
    }
    for columns in WIDTHS {
        let forks = drawn(&sandbox, columns, &["tree", &names()["two_writers"], "--forks", "--utc"]);
        insta::assert_snapshot!(format!("forks_{columns}"), forks);
        // Texts are not wrapped: they may be code, and are copied from here.
        let thread = ["tree", &names()["parallel_tools"], "--thread", "--tools", "--utc"];
        let thread = plain(&screen(&sandbox, columns, &thread));
        insta::assert_snapshot!(format!("thread_{columns}"), thread);
    }
}

/// Branches off branches, a second beginning, a run of prompts, and wide characters everywhere.
fn bushy() -> Sandbox {
    let sandbox = Sandbox::new();
    let mut bush = Written::new(&sandbox, "-bush", "aaaaaaaa-0000-4000-8000-00000000000a");
    bush.prompt("Another beginning, left at once");
    bush.answer("Fine.");
    bush.last = None;
    bush.prompt("灯台の高さはどれくらいですか？灯台の高さはどれくらいですか？灯台の高さはどれくらいですか？");
    let first = bush.answer("とても高い。");
    bush.prompt("👩‍👩‍👧‍👦 a family 🚢 and a ship 🇩🇪");
    let second = bush.answer("Yes.");
    bush.prompt("deeper");
    bush.answer("Yes.");
    bush.back_to(&second);
    bush.prompt("deeper, again");
    bush.back_to(&first);
    for number in 1..=30 {
        bush.prompt(&format!("step {number}"));
        bush.answer("Done.");
    }
    bush.write();
    sandbox
}

#[test]
fn a_bush_is_drawn_whole_and_long_runs_short() {
    let sandbox = bushy();
    for columns in WIDTHS {
        insta::assert_snapshot!(format!("bush_{columns}"), drawn(&sandbox, columns, &["tree", "aaaa", "--utc"]));
    }
    let all = drawn(&sandbox, 80, &["tree", "aaaa", "--all"]);
    assert!((1..=30).all(|number| all.contains(&format!("● step {number} "))), "{all}");
    assert!(!all.contains('⋮'), "{all}");
    drawn(&sandbox, 60, &["sessions"]);
    drawn(&sandbox, 60, &["search", "灯台"]);
    drawn(&sandbox, 60, &["tree", "aaaa", "--forks"]);
}

#[test]
fn styles_mark_matches_and_branches() {
    let sandbox = known();
    let found = screen(&sandbox, 80, &["search", "BICYCLE", "--role", "user"]);
    assert!(found.contains("By \u{1b}[1;33mbicycle\u{1b}[0m, please."), "{found:?}");
    let tree = screen(&sandbox, 80, &["tree", &names()["rewind"]]);
    assert!(tree.contains("\u{1b}[1;36m●\u{1b}[0m \u{1b}[1mBy bicycle, please.\u{1b}[0m"), "bright: {tree:?}");
    assert!(
        tree.contains("\u{1b}[2m○ By train, please.\u{1b}[0m") || tree.contains("○ By train, please.\u{1b}[0m"),
        "dim: {tree:?}"
    );
}

#[test]
fn no_color_means_no_escape_sequences() {
    let mut sandbox = known();
    sandbox.set("NO_COLOR", "1");
    for command in
        [&["sessions"][..], &["search", "bicycle"], &["tree", "648c"], &["tree", "648c", "--forks"], &["tree", "nope"]]
    {
        let text = screen(&sandbox, 80, command);
        assert!(!text.contains('\u{1b}'), "{command:?}: {text:?}");
        assert!(!text.is_empty());
    }
}

#[test]
fn hostile_transcripts_cannot_steer_the_terminal() {
    let sandbox = hostile::hostile();
    let exports = [&["tree", "8888", "--export", "md", "--tools"][..]];
    for command in COMMANDS.into_iter().chain(exports) {
        let text = screen(&sandbox, 80, command);
        let plain = plain(&text);
        let found: Vec<_> = plain.chars().filter(|character| steers(*character)).collect();
        assert!(found.is_empty(), "{command:?}: {found:?} in {text:?}");
        // The styles are ours: colours and weights only.
        for sequence in text.split('\u{1b}').skip(1) {
            let end =
                sequence.find(|character: char| !character.is_ascii_digit() && character != ';' && character != '[');
            assert_eq!(end.and_then(|end| sequence.get(end..=end)), Some("m"), "{command:?}: {sequence:?}");
        }
    }
}
