//! How soon the history server has answered `tools/list`, and how much memory it then takes, beside a minimal server
//! on the TypeScript SDK (`minimal_server.mjs`) in the same run.
//!
//! `cargo bench --bench startup` prints medians of interleaved runs. Needs `node`, and the SDK where `tests/clients/run`
//! installs it.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a program that is run by hand to see what it prints")]
#![expect(clippy::disallowed_methods, reason = "it starts servers as a client would, with the caller's directories")]

use std::{
    env, fs,
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use serde_json::{Value, json};

const RUNS: usize = 21;
/// What installs the SDK, and says in which version.
const CLIENTS: &str = include_str!("../clients/run");

fn main() {
    let version = CLIENTS.lines().find_map(|line| line.strip_prefix("typescript_1=")).unwrap();
    let sdk = cache().join(format!("mcp-typescript-{version}"));
    if !sdk.join("complete").exists() {
        println!("not measured: the TypeScript SDK {version} is not installed; run tests/clients/run first");
        return;
    }
    // A module is looked for beside the file that imports it.
    let script = sdk.join("minimal_server.mjs");
    fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/benches/minimal_server.mjs"), &script).unwrap();
    let home = tempfile::tempdir().unwrap();
    let server = |program: &str, arguments: &[&str]| {
        let mut command = Command::new(program);
        command.args(arguments).env_clear().env("HOME", home.path()).env("PATH", env::var_os("PATH").unwrap());
        measure(&mut command)
    };
    let ours = || server(env!("CARGO_BIN_EXE_ccmcp"), &["serve", "--tools", "history"]);
    let theirs = || server("node", &[script.to_str().unwrap()]);
    ours();
    theirs();
    let (ours, theirs): (Vec<_>, Vec<_>) = (0..RUNS).map(|_| (ours(), theirs())).unzip();
    let (ours, theirs) = (Medians::of(&ours), Medians::of(&theirs));
    let time = ours.time.as_secs_f64() / theirs.time.as_secs_f64();
    println!(
        "start to the answer of tools/list: 1/{:.0} (at most 1/20): {:.1} ms / {:.1} ms",
        1.0 / time,
        ours.time.as_secs_f64() * 1e3,
        theirs.time.as_secs_f64() * 1e3
    );
    if let (Some(ours), Some(theirs)) = (ours.memory, theirs.memory) {
        #[expect(clippy::cast_precision_loss, reason = "kilobytes")]
        let times = theirs as f64 / ours as f64;
        println!("memory at rest: 1/{times:.1} (at most 1/5): {ours} kB / {theirs} kB");
    }
}

/// Where the clients' packages are.
fn cache() -> PathBuf {
    env::var_os("CCMCP_TEST_CACHE").map_or_else(
        || {
            let home = || PathBuf::from(env::var_os("HOME").unwrap()).join(".cache");
            env::var_os("XDG_CACHE_HOME").map_or_else(home, PathBuf::from).join("ccmcp-tests")
        },
        PathBuf::from,
    )
}

struct Medians {
    time: Duration,
    memory: Option<u64>,
}

impl Medians {
    fn of(runs: &[(Duration, Option<u64>)]) -> Self {
        let (mut times, mut memory): (Vec<_>, Vec<_>) = runs.iter().copied().unzip();
        times.sort_unstable();
        memory.sort_unstable();
        Self { time: times[times.len() / 2], memory: memory[memory.len() / 2] }
    }
}

/// From before the start to the answer of `tools/list`; and what is resident then, in kB, where the system tells.
fn measure(command: &mut Command) -> (Duration, Option<u64>) {
    let start = Instant::now();
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let info = json!({ "name": "bench", "version": "0" });
    let opening = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": info });
    let mut answer_to = |id: u64, requests: &[Value]| {
        for request in requests {
            writeln!(stdin, "{request}").unwrap();
        }
        loop {
            let line: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
            if line["id"] == id {
                return line;
            }
        }
    };
    answer_to(1, &[json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": opening })]);
    let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    let listed = answer_to(2, &[ready, json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" })]);
    let took = start.elapsed();
    assert!(!listed["result"]["tools"].as_array().unwrap().is_empty(), "{listed}");
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).ok();
    let memory = status.and_then(|status| {
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
        line.trim().strip_suffix(" kB")?.parse().ok()
    });
    drop(stdin);
    child.wait().unwrap();
    (took, memory)
}
