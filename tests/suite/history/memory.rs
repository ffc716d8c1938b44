//! A huge transcript with a huge line is read in little more memory than that line.

#![cfg(target_os = "linux")]

use std::{
    fs::{self, File},
    io::{BufWriter, Write},
    path::Path,
    process::{Command, Stdio},
};

use ccmcp::core::history::{History, ListSessions, Search, Watch, Within};

use super::{
    corpus::Writer,
    draft::{Folder, session_id},
};

/// Set in the child that is measured: where the transcripts are.
const CHILD: &str = "CCMCP_MEMORY_TEST_PROJECTS";
/// The size of the transcript in MB. 1000 is what is promised (then with 150 MB beside the longest line); a debug
/// build takes minutes for that, so that it is smaller where nothing is said, with less allowed.
const SIZE: &str = "CCMCP_MEMORY_TEST_MB";
/// What may be used beside the longest line at full size.
const BESIDE: usize = 150 << 20;

#[expect(clippy::disallowed_methods, reason = "the test's own knobs, and the measured child is this test again")]
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

#[test]
fn a_huge_line_costs_hardly_more_than_itself() {
    if let Some(projects) = variable(CHILD) {
        return measured(Path::new(&projects));
    }
    let size = variable(SIZE).and_then(|size| size.parse().ok()).unwrap_or(64) << 20;
    let longest = size / 5;
    let beside = BESIDE.min(size / 2);
    let folder = Folder::new();
    write(&folder.path().join("-p"), size, longest);
    #[expect(clippy::disallowed_methods, reason = "memory is a property of a process, so it takes one of its own")]
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "history::memory::a_huge_line_costs_hardly_more_than_itself", "--nocapture"])
        .env(CHILD, folder.path())
        .stderr(Stdio::inherit())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}");
    let peak: usize = text.lines().find_map(|line| line.split_once("peak ")?.1.parse().ok()).expect("a peak");
    assert!(peak <= longest + beside, "{} MB more for a line of {} MB", peak >> 20, longest >> 20);
}

/// A session of about so many bytes with one line of so many, a tool's result full of escapes.
fn write(project: &Path, size: usize, longest: usize) {
    fs::create_dir_all(project).unwrap();
    let file = File::create(project.join(format!("{}.jsonl", session_id(1)))).unwrap();
    let mut out = BufWriter::new(file);
    let half = (size - longest) / 2;
    Writer::new(&mut out, &session_id(1), 1, 1_767_225_600_000).turns(half).unwrap();
    let filler = r#"a line of \"output\"\n\tand \u00e9 \ud83d\udea2 more, "#.repeat(1000);
    write!(
        out,
        r#"{{"type":"user","uuid":"huge","parentUuid":null,"timestamp":"2026-03-01T00:00:00.000Z","message":{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"t","content":""#
    )
    .unwrap();
    for _ in 0..longest / filler.len() {
        out.write_all(filler.as_bytes()).unwrap();
    }
    out.write_all(b"the needle\"}]}}\n").unwrap();
    Writer::new(&mut out, &session_id(1), 2, 1_767_225_600_000).turns(half).unwrap();
    out.flush().unwrap();
}

#[expect(clippy::print_stdout, reason = "the parent reads it")]
fn measured(projects: &Path) {
    // The pages of this large executable are not what is measured.
    let before = peak();
    let history = History::new(projects.to_owned());
    let listed = history.list_sessions(&ListSessions::default()).unwrap();
    assert_eq!((listed.total, listed.sessions.len()), (1, 1));
    let asked = Search { query: "the needle".into(), within: Within::Tools, ..Search::default() };
    let found = history.search(&asked, &Watch::default()).unwrap();
    assert_eq!((found.total, &*found.hits[0].uuid), (1, "huge"));
    println!("\npeak {}", peak() - before);
}

/// The most memory that this process has had so far, in bytes.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    peak.trim().trim_end_matches(" kB").parse::<u64>().unwrap() << 10
}
