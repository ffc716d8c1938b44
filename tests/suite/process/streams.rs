//! Standard input, output and error under load.

use std::time::Duration;

use ccmcp::core::process::{Event, Exit, Ladder, Line, Stdin, Step, WriteError};

use super::harness::{announced, ended, is_dead, line, script, start, within};

/// Ten megabytes, the most that the CLI takes.
fn ten_megabytes() -> Vec<u8> {
    (0..10_000_000u32).map(|at| if at % 1000 == 999 { b'\n' } else { b'x' }).collect()
}

#[tokio::test]
async fn ten_megabytes_go_in_while_as_much_comes_out() {
    let mut launch = script("exec cat");
    launch.stdin = Stdin::Bytes(ten_megabytes());
    let mut child = start(launch).await;
    let (lines, end) = ended(&mut child).await;
    assert_eq!((lines.len(), lines.iter().map(String::len).sum::<usize>()), (10_000, 10_000 * 999));
    assert_eq!(end.exit, Exit::Code(0));
}

#[tokio::test]
async fn a_program_that_floods_both_outputs_before_it_reads_is_not_stuck() {
    let mut launch = script("yes out | head -n 500000; yes err | head -n 500000 >&2; wc -c");
    launch.stdin = Stdin::Bytes(ten_megabytes());
    let mut child = start(launch).await;
    let (lines, end) = ended(&mut child).await;
    assert_eq!(lines.len(), 500_001);
    assert_eq!(lines.last().unwrap().trim(), "10000000");
    assert!(end.stderr_tail.len() <= 16 * 1024 && end.stderr_tail.ends_with("err\nerr\n"));
}

#[tokio::test]
async fn standard_error_is_drained_while_nobody_asks_for_events() {
    let mut launch = script("yes err | head -n 500000 >&2; read go; echo done");
    launch.stdin = Stdin::Open;
    let mut child = start(launch).await;
    super::harness::until(|| child.stderr_tail().len() > 16_000).await;
    child.write(b"go\n".to_vec()).unwrap();
    assert_eq!(ended(&mut child).await.0, ["done"]);
}

#[tokio::test]
async fn a_program_that_never_reads_can_be_ended() {
    let mut launch = script("echo up; exec sleep 1000");
    launch.stdin = Stdin::Bytes(ten_megabytes());
    let mut child = start(launch).await;
    assert_eq!(line(&mut child).await, "up");
    child.end(Ladder { terminate: None, ..Ladder::at_work() });
    let (_, end) = ended(&mut child).await;
    assert_eq!((end.exit, end.step), (Exit::Signal(2), Some(Step::Interrupt)));
}

#[tokio::test]
async fn writes_arrive_in_order_and_are_refused_when_they_pile_up() {
    let mut launch = script("read a; read b; echo $a-$b; exec sleep 1000");
    launch.stdin = Stdin::Open;
    let mut child = start(launch).await;
    child.write(b"1\n".to_vec()).unwrap();
    child.write(b"2\n".to_vec()).unwrap();
    assert_eq!(line(&mut child).await, "1-2");
    // More than any pipe takes, so the writer is stuck with it.
    let refused = (0..100).find_map(|_| child.write(vec![b'x'; 2 * 1024 * 1024]).err());
    assert_eq!(refused, Some(WriteError::Full));
    child.close_stdin();
    assert_eq!(child.write(Vec::new()), Err(WriteError::Closed));
    child.end(Ladder::KILL);
    assert_eq!(ended(&mut child).await.1.step, Some(Step::Kill));
}

#[tokio::test]
async fn a_line_over_the_limit_is_cut_and_counted() {
    let mut child = start(script("head -c 70000000 /dev/zero; echo; printf 'a\\r\\nb\\0c\\nlast'")).await;
    let mut lines = Vec::new();
    while let Event::Line(line) = within(child.event()).await {
        lines.push(line);
    }
    let first = lines.remove(0);
    assert_eq!((first.bytes.len(), first.cut), (64 * 1024 * 1024, 70_000_000 - 64 * 1024 * 1024));
    assert!(first.bytes.iter().all(|byte| *byte == 0));
    let rest = [&b"a"[..], b"b\0c", b"last"].map(|bytes| Line { bytes: bytes.to_vec(), cut: 0 });
    assert_eq!(lines, rest);
}

#[tokio::test]
async fn an_event_that_is_cancelled_loses_nothing() {
    let mut child = start(script("for i in $(seq 2000); do echo line $i; done; printf tail")).await;
    let mut seen = 0;
    loop {
        // Far shorter than most waits, so that most of them are cancelled in the middle.
        match tokio::time::timeout(Duration::from_micros(50), child.event()).await {
            Err(_) => {}
            Ok(Event::Line(line)) => {
                seen += 1;
                let expected = if seen == 2001 { "tail".to_owned() } else { format!("line {seen}") };
                assert_eq!(String::from_utf8(line.bytes).unwrap(), expected);
            }
            Ok(Event::Ended(end)) => break assert_eq!((end.exit, seen), (Exit::Code(0), 2001)),
            Ok(other) => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn a_grandchild_that_holds_the_outputs_is_found_not_waited_for() {
    let mut launch = script("sleep 1000 & echo $!; read go; exit 0");
    launch.stdin = Stdin::Open;
    let mut child = start(launch).await;
    let holder = announced(&mut child).await;
    child.close_stdin();
    let (_, end) = ended(&mut child).await;
    assert_eq!((end.exit, end.leftovers, end.output_abandoned), (Exit::Code(0), 1, false));
    assert!(is_dead(&holder));
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn an_output_that_somebody_outside_of_the_tree_holds_is_given_up() {
    let mut launch = script("echo up; read go; printf unfinished");
    launch.stdin = Stdin::Open;
    let mut child = start(launch).await;
    assert_eq!(line(&mut child).await, "up");
    let path = format!("/proc/{}/fd/1", child.identity().pid);
    let _held = std::fs::OpenOptions::new().write(true).open(path).unwrap();
    child.write(b"go\n".to_vec()).unwrap();
    let (lines, end) = ended(&mut child).await;
    assert_eq!(lines, ["unfinished"]);
    assert_eq!((end.exit, end.output_abandoned), (Exit::Code(0), true));
}
