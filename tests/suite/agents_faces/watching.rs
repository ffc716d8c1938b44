//! `agents list --watch` on a terminal: it changes in place, and gives the terminal back as it was.

#![cfg(target_os = "linux")]

use super::ground::{gated, id, server, spawn};
use crate::support::{Sandbox, screen::Screen};

/// Watches in a shell that tells afterwards how the terminal is set.
fn watch(sandbox: &Sandbox) -> Screen {
    let line = format!(
        "trap : INT; '{}' agents list --watch; echo \"status $?\"; stty -a | tr ';' '\\n' | grep -o -- '-*icanon\\|-*echo '",
        sandbox.command("ccmcp").get_program().display()
    );
    let mut command = sandbox.command("sh");
    command.args(["-c", &line]);
    Screen::sized(command, 80, 10)
}

#[test]
fn the_list_changes_in_place_and_the_terminal_is_given_back() {
    for (key, no_color) in [("q", false), ("\u{3}", true)] {
        let mut sandbox = Sandbox::new();
        let (flag, gate) = gated(&mut sandbox);
        let mut mcp = server(&sandbox);
        let agent = spawn(&mut mcp, "work");
        flag.wait();
        if no_color {
            sandbox.set("NO_COLOR", "1");
        }
        let mut screen = watch(&sandbox);
        let short = id(&agent)[..8].to_owned();
        let shows = |drawn: &str, state: &str| {
            let rows: Vec<&str> = drawn.lines().collect();
            rows.len() == 4 && rows[1].starts_with(&short) && rows[1].contains(state) && rows[3] == "q or Ctrl-C ends"
        };
        screen.wait_until("it runs", |drawn| shows(drawn, " running "));
        assert!(screen.is_left_in_disorder(), "the second screen, without a cursor");
        gate.open();
        screen.wait_until("it is idle", |drawn| shows(drawn, " idle "));
        screen.press(key);
        screen.end();
        let drawn = screen.drawn();
        assert!(!screen.is_left_in_disorder(), "{drawn}");
        let lines: Vec<&str> = drawn.lines().collect();
        // The last state stays, and what is typed is shown again.
        let [titles, row, status, modes @ ..] = lines.as_slice() else { panic!("{drawn}") };
        assert!(titles.starts_with("AGENT") && row.starts_with(&short) && row.contains(" idle "), "{drawn}");
        assert_eq!((*status, modes), ("status 0", &["icanon", "echo "][..]), "{drawn}");
        let styled = screen.shown().contains("\u{1b}[2m") || screen.shown().contains("\u{1b}[1m");
        assert_eq!(styled, !no_color, "{:?}", screen.shown());
    }
}
