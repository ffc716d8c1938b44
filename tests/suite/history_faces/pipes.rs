//! What arrives in a pipe: plain text, whole, and no complaint when nobody reads it.

use std::process::Stdio;

use super::{Written, known, names};
use crate::support::{Sandbox, finish};

#[test]
fn a_pipe_gets_plain_lines_and_standard_error_the_rest() {
    let sandbox = known();
    let run = sandbox.ccmcp(&["sessions", "--utc"]);
    insta::assert_snapshot!("pipe_sessions", format!("{}\n--- standard error\n{}", run.stdout, run.stderr));
    let run = sandbox.ccmcp(&["search", "coast", "--utc", "--role", "user"]);
    insta::assert_snapshot!("pipe_search", format!("{}\n--- standard error\n{}", run.stdout, run.stderr));
    let run = sandbox.ccmcp(&["tree", &names()["rewind"], "--utc"]);
    insta::assert_snapshot!("pipe_tree", format!("{}\n--- standard error\n{}", run.stdout, run.stderr));
}

#[test]
fn every_session_is_one_line_of_a_table() {
    let sandbox = known();
    let run = sandbox.ccmcp(&["sessions"]);
    let lines: Vec<_> = run.stdout.lines().skip(1).collect();
    assert_eq!(lines.len(), 11, "{run:#?}");
    for (name, id) in names() {
        assert_eq!(lines.iter().filter(|line| line.starts_with(&id)).count(), 1, "{name}: {run:#?}");
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let sandbox = Sandbox::new();
    let mut long = Written::new(&sandbox, "-long", "99999999-0000-4000-8000-000000000009");
    for number in 0..2000 {
        long.prompt(&format!("{number} needle {}", "x".repeat(500)));
    }
    long.write();
    for arguments in [
        &["tree", "9999", "--export", "md"][..],
        &["tree", "9999", "--export", "json"],
        &["search", "needle", "-n", "50"],
        &["tree", "9999", "--all"],
    ] {
        let mut command = sandbox.command("ccmcp");
        command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        drop(child.stdout.take());
        let output = finish(child);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {output:?}");
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(!stderr.contains("error") && !stderr.contains("panicked"), "{arguments:?}: {stderr}");
    }
}
