//! How fast history is, as ratios to other programs on the same files in the same run.
//!
//! `cargo bench --bench history` makes a corpus of 1 GB in 2,000 files, one of 10,000 small sessions and a session
//! of 100 MB (under `target/tmp`, or where `CCMCP_BENCH_DIR` says; kept for the next run), and prints medians of
//! interleaved runs. Each run is a process of its own, so that starting is included. Needs `rg` on the path.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a program that is run by hand to see what it prints")]

#[path = "../suite/history/corpus.rs"]
mod corpus;

use std::{
    borrow::Cow,
    fs,
    io::BufWriter,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use ccmcp::core::history::{GetTree, History, ListSessions, Search, Watch};
use corpus::{FREQUENT, RARE, Random, Writer, fill};
use serde::Deserialize;

const RUNS: usize = 9;
const BIG: &str = "00000000-0000-4000-8000-000000000100";

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["run", "search", projects, query] => {
            let asked = Search { query: query.into(), ..Search::default() };
            let found = history(projects).search(&asked, &Watch::default()).unwrap();
            println!("{} hits, {} files", found.total, found.files_searched);
        }
        ["run", "sessions", projects] => {
            let found = history(projects).list_sessions(&ListSessions::default()).unwrap();
            println!("{} of {}", found.sessions.len(), found.total);
        }
        ["run", "tree", projects] => {
            let asked = GetTree { session_id: BIG.into(), ..GetTree::default() };
            println!("{} messages", history(projects).get_tree(&asked).unwrap().message_count);
        }
        ["run", "serde", file] => println!("{} records", typed_pass(Path::new(file))),
        _ => measure(),
    }
}

fn history(projects: &str) -> History {
    History::new(PathBuf::from(projects))
}

#[expect(clippy::disallowed_methods, reason = "it runs itself again, and keeps its files where it is told")]
fn measure() {
    let root = std::env::var_os("CCMCP_BENCH_DIR")
        .map_or_else(|| Path::new(env!("CARGO_TARGET_TMPDIR")).join("history-bench"), PathBuf::from);
    let corpus = made(&root.join("corpus"), |projects| fill(projects, 2000, 512 * 1024).unwrap());
    let many = made(&root.join("many"), |projects| fill(projects, 10_000, 12 * 1024).unwrap());
    let big = made(&root.join("big"), |projects| {
        let project = projects.join("-home-dev-project");
        fs::create_dir_all(&project).unwrap();
        let file = fs::File::create(project.join(format!("{BIG}.jsonl"))).unwrap();
        Writer::new(BufWriter::new(file), BIG, Random::new(7).next(), 1_767_225_600_000).turns(100_000_000).unwrap();
    });
    let big_file = format!("{big}/-home-dev-project/{BIG}.jsonl");
    let own = std::env::current_exe().unwrap();
    let own = own.to_str().unwrap();
    let rg = |query| vec!["rg", "-c", "-i", "-F", query, &corpus];
    compare("search, rare word: ccmcp / rg (at most 2)", &[own, "run", "search", &corpus, RARE], &rg(RARE));
    compare("search, frequent word: ccmcp / rg (at most 1)", &[own, "run", "search", &corpus, FREQUENT], &rg(FREQUENT));
    compare("search, no match: ccmcp / rg (at most 2)", &[own, "run", "search", &corpus, "qqzzyx"], &rg("qqzzyx"));
    compare(
        "tree of 100 MB: ccmcp / typed serde_json pass (at most 1.5)",
        &[own, "run", "tree", &big],
        &[own, "run", "serde", &big_file],
    );
    let listed = median((0..RUNS).map(|_| time(&[own, "run", "sessions", &many])).collect());
    println!("sessions --limit 20 over 10,000 (at most 300 ms): {} ms", listed.as_millis());
}

/// The directory, made on the first run only.
fn made(projects: &Path, make: impl FnOnce(&Path)) -> String {
    if !projects.join("complete").exists() {
        fs::create_dir_all(projects).unwrap();
        make(projects);
        fs::write(projects.join("complete"), "").unwrap();
    }
    projects.to_str().unwrap().to_owned()
}

fn compare(what: &str, ours: &[&str], theirs: &[&str]) {
    time(ours);
    time(theirs);
    let (ours, theirs) = (0..RUNS).map(|_| (time(ours), time(theirs))).unzip();
    let (ours, theirs): (Duration, Duration) = (median(ours), median(theirs));
    let ratio = ours.as_secs_f64() / theirs.as_secs_f64();
    println!("{what}: {ratio:.2} ({:.1} ms / {:.1} ms)", ours.as_secs_f64() * 1e3, theirs.as_secs_f64() * 1e3);
}

fn time(command: &[&str]) -> Duration {
    let start = Instant::now();
    #[expect(clippy::disallowed_methods, reason = "a bench compares programs; it is no part of ccmcp")]
    let status = Command::new(command[0]).args(&command[1..]).stdout(Stdio::null()).status().unwrap();
    let took = start.elapsed();
    // rg ends with 1 where nothing matches.
    assert!(status.code().is_some_and(|code| code <= 1), "{command:?}: {status}");
    took
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

/// One typed pass: borrowed fields, unknown ones skipped.
fn typed_pass(file: &Path) -> usize {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Line<'a> {
        #[serde(borrow)]
        r#type: Cow<'a, str>,
        #[serde(borrow)]
        uuid: Cow<'a, str>,
        parent_uuid: Option<&'a str>,
        #[serde(borrow)]
        timestamp: Cow<'a, str>,
        #[serde(borrow)]
        message: Option<Message<'a>>,
    }
    #[derive(Deserialize)]
    struct Message<'a> {
        id: Option<&'a str>,
        #[serde(borrow)]
        content: &'a serde_json::value::RawValue,
    }
    let bytes = fs::read(file).unwrap();
    let mut records = 0;
    for line in bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        let line: Line<'_> = serde_json::from_slice(line).unwrap();
        let message = line.message.map_or(0, |message| message.id.map_or(0, str::len) + message.content.get().len());
        let size = line.r#type.len() + line.uuid.len() + line.parent_uuid.map_or(0, str::len) + line.timestamp.len();
        records += usize::from(size + message > 0);
    }
    records
}
