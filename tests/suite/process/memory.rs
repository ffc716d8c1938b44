//! However much a program writes, what is kept of it is bounded. Measured in a process of its own.
#![cfg(target_os = "linux")]

use ccmcp::core::process::Event;

use super::harness::{script, start, within};

/// Tells the process that it is to read a flood: the script that makes it.
const SCRIPT: &str = "CCMCP_TEST_FLOOD_SCRIPT";

/// Not a test: the main function of the process that is measured. Does nothing in an ordinary run.
#[tokio::test]
async fn flooded_process() {
    #[expect(clippy::disallowed_methods, reason = "this is the main function of a process of the tests")]
    let Ok(text) = std::env::var(SCRIPT) else { return };
    let mut child = start(script(&text)).await;
    let mut bytes = 0;
    loop {
        match child.event().await {
            Event::Line(line) => bytes += line.bytes.len() as u64 + line.cut,
            Event::Ended(end) => break assert!(end.exit.success()),
            Event::Deadline(_) => {}
        }
    }
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    println!("\nFLOOD {bytes} {}", peak.trim_end_matches("kB").trim());
}

/// The bytes that were read, and the most memory that took, in MiB.
async fn flood(text: &str) -> (u64, u64) {
    #[expect(clippy::disallowed_methods, reason = "the memory of a process of its own is what is measured")]
    let mut command = tokio::process::Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "process::memory::flooded_process", "--nocapture"]).env(SCRIPT, text).kill_on_drop(true);
    let output = within(command.output()).await.unwrap();
    let output = String::from_utf8(output.stdout).unwrap();
    let line = output.lines().find_map(|line| line.strip_prefix("FLOOD ")).expect("it was measured");
    let (bytes, kib) = line.split_once(' ').unwrap();
    (bytes.parse().unwrap(), kib.parse::<u64>().unwrap() / 1024)
}

#[tokio::test]
async fn of_many_lines() {
    let (bytes, peak) = flood("yes 0123456789012345678901234567890123456789012345678 | head -c 50000000").await;
    assert_eq!(bytes, 50_000_000 / 50 * 49);
    assert!(peak < 64, "{peak} MiB");
}

#[tokio::test]
async fn of_one_line() {
    let (bytes, peak) = flood("head -c 500000000 /dev/zero").await;
    assert_eq!(bytes, 500_000_000);
    // The line's first 64 MiB, twice while it is moved to a larger place.
    assert!(peak < 192, "{peak} MiB");
}
