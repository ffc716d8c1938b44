//! What a turn looks like on a terminal: while it runs, when it is over, and when it is interrupted.

#![cfg(target_os = "linux")]

use serde_json::json;

use crate::support::{
    Sandbox,
    fake::{Launch, ResultStep, Script, Step, Turn},
    screen::Screen,
};

const WIDTHS: [u16; 3] = [60, 80, 200];

fn begin(sandbox: &Sandbox, columns: u16, arguments: &[&str]) -> Screen {
    let mut command = sandbox.command("ccmcp");
    command.args(arguments);
    Screen::sized(command, columns, 24)
}

/// The screen with ids and durations replaced by others of the same length.
fn drawn(screen: &Screen) -> String {
    let id = regex::Regex::new("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}").unwrap();
    let text = id.replace_all(&screen.drawn(), "11111111-2222-4333-8444-555555555555").into_owned();
    let short = regex::Regex::new("ccmcp send [0-9a-f]{8} ").unwrap();
    let text = short.replace_all(&text, "ccmcp send 11111111 ").into_owned();
    regex::Regex::new(r"\d\.\d s").unwrap().replace_all(&text, "0.1 s").into_owned()
}

#[test]
fn a_reply_is_drawn_as_it_comes_and_nothing_else_stays() {
    for columns in WIDTHS {
        let mut sandbox = Sandbox::new();
        let gates = ["think", "work", "end"].map(|name| sandbox.gate(name));
        let say = |text: &str| Step::Say { text: Some(text.to_owned()) };
        let tool = Step::ToolCall { name: "Bash".to_owned(), input: json!({ "command": "ls" }) };
        let turn = Turn::of(vec![
            Step::Init,
            gates[0].step(),
            say("Let me look."),
            tool,
            gates[1].step(),
            Step::ToolResult { output: "some".to_owned(), is_error: false },
            say("The light is 灯台 🚢, and it is as high as a house.\n\n- one\n- two"),
            gates[2].step(),
            Step::Result(ResultStep::default()),
        ]);
        sandbox.script(&Script::new().launch(Launch::turn(turn)));
        let mut screen = begin(&sandbox, columns, &["start", "--model", "opus", "How high is it?"]);
        screen.wait_until("it thinks", |drawn| drawn.lines().count() == 1 && drawn.contains("0s thinking"));
        gates[0].open();
        screen.wait_until("it works", |drawn| {
            let lines: Vec<&str> = drawn.lines().collect();
            matches!(lines[..], ["Let me look.", status] if status.contains("s Bash"))
        });
        gates[1].open();
        screen.wait_until("it has written", |drawn| drawn.contains("- two"));
        assert!(!screen.drawn().contains("Bash"), "the status is gone where text is: {}", screen.drawn());
        gates[2].open();
        assert_eq!(screen.end(), Some(0));
        assert!(!screen.is_left_in_disorder());
        insta::assert_snapshot!(format!("reply_{columns}"), drawn(&screen));
    }
}

#[test]
fn colours_follow_the_variables_that_people_set() {
    const ERROR: &str = "\u{1b}[1;31merror";
    let on_terminal: [(&[(&str, &str)], bool); 7] = [
        (&[], true),
        (&[("NO_COLOR", "1")], false),
        (&[("NO_COLOR", "")], true),
        (&[("CLICOLOR", "0")], false),
        (&[("CLICOLOR", "1")], true),
        (&[("CLICOLOR_FORCE", "1")], true),
        (&[("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")], false),
    ];
    for (variables, coloured) in on_terminal {
        let mut sandbox = Sandbox::new();
        for (name, value) in variables {
            sandbox.set(name, *value);
        }
        let screen = begin(&sandbox, 80, &["send", "zz", "--model", "opus", "hi"]);
        let (text, status) = screen.finish();
        assert_eq!(status, Some(3));
        assert_eq!((text.contains(ERROR), text.contains('\u{1b}')), (coloured, coloured), "{variables:?}: {text:?}");
    }
    let in_a_pipe: [(&[(&str, &str)], bool); 3] =
        [(&[], false), (&[("CLICOLOR", "1")], false), (&[("CLICOLOR_FORCE", "1")], true)];
    for (variables, coloured) in in_a_pipe {
        let mut sandbox = Sandbox::new();
        for (name, value) in variables {
            sandbox.set(name, *value);
        }
        let run = sandbox.ccmcp(&["send", "zz", "--model", "opus", "hi"]);
        assert_eq!(run.stderr.contains(ERROR), coloured, "{variables:?}: {run:#?}");
        // JSON is for programs, whatever people like.
        let run = sandbox.ccmcp(&["sessions", "--json"]);
        assert!(!run.stdout.contains('\u{1b}'), "{run:#?}");
    }
}

#[test]
fn a_spinner_without_colours_has_none() {
    let mut sandbox = Sandbox::new();
    let gate = sandbox.gate("end");
    sandbox.script(&Script::new().launch(Launch::turn(Turn::echo().before(gate.step()))));
    sandbox.set("NO_COLOR", "1");
    let mut screen = begin(&sandbox, 80, &["start", "--model", "opus", "hi"]);
    screen.wait_until("it works", |drawn| drawn.contains("thinking"));
    gate.open();
    let (text, status) = screen.finish();
    assert_eq!(status, Some(0));
    assert!(!regex::Regex::new("\u{1b}\\[[0-9;]*m").unwrap().is_match(&text), "{text:?}");
}

#[test]
fn what_is_said_about_an_error_is_broken_between_words() {
    for columns in WIDTHS {
        let sandbox = Sandbox::new();
        let mut screen = begin(&sandbox, columns, &["start", "--model", "sonet", "hi"]);
        assert_eq!(screen.end(), Some(2));
        // A line that the terminal itself had to break would be longer here.
        let text = screen.drawn();
        assert!(text.lines().all(|line| line.len() <= usize::from(columns)), "{text}");
        let words: Vec<&str> = text.split_whitespace().collect();
        let whole = sandbox.ccmcp(&["start", "--model", "sonet", "hi"]).stderr;
        assert_eq!(words, whole.split_whitespace().collect::<Vec<_>>(), "{text}");
        assert!(text.starts_with("error: ") && text.contains("\nhint: Did you mean `sonnet`?"), "{text}");
    }
}

#[test]
fn an_interrupt_takes_the_status_off_the_screen() {
    for columns in WIDTHS {
        let mut sandbox = Sandbox::new();
        let at_work = sandbox.flag("at-work");
        let fake = sandbox.script(&Script::new().launch(Launch::turn(Turn::work().before(at_work.step()))));
        let mut screen = begin(&sandbox, columns, &["start", "--model", "opus", "work"]);
        screen.wait_until("it works", |drawn| drawn.contains("thinking"));
        at_work.wait();
        // The terminal itself shows what was pressed.
        screen.press("\u{3}");
        assert_eq!(screen.end(), Some(130));
        let drawn = screen.drawn();
        assert!(!drawn.contains("thinking") && !drawn.contains("starting"), "{drawn}");
        assert!(drawn.starts_with("error: ") && !screen.is_left_in_disorder(), "{drawn}");
        // The command to go on can be copied: it is never broken, the id is shorter where there is no room.
        let id = fake.launch(0).value_of("--session-id").expect("an id").to_owned();
        let id = if columns < 80 { &id[..8] } else { &id };
        let go_on = format!("go on: ccmcp send {id} --model opus …");
        assert_eq!(drawn.trim_end().lines().last().map(str::trim_end), Some(&*go_on), "{drawn}");
    }
}
