//! What agents cost beside the program that they run: `cargo build --release --example fake-claude`, then
//! `cargo bench --bench agents`.
//!
//! The scripted Claude answers at once, so that what is measured is ccmcp's own part. Medians; each is printed beside a
//! yardstick of the same run.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a program that is run by hand to see what it prints")]

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::Arc,
    time::{Duration, Instant},
};

use ccmcp::core::{
    agents::{Agents, Role, SpawnAgent, SpawnedAgent, Until, WaitAgent, Waited},
    config::{Diagnostics, Environment, Limits, Places, Settings},
    process::Spawner,
};
use serde_json::json;

const RUNS: usize = 40;
const QUEUED: usize = 1000;

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        turns().await;
        wakes().await;
        queue().await;
        memory().await;
    });
}

/// A private place for one measurement.
struct Stage(tempfile::TempDir);

impl Stage {
    fn new() -> Self {
        let stage = Self(tempfile::tempdir().unwrap());
        for part in ["home", "config", "work", "state"] {
            fs::create_dir(stage.path(part)).unwrap();
        }
        stage
    }

    fn path(&self, part: &str) -> PathBuf {
        self.0.path().join(part)
    }

    fn environment(&self) -> Vec<(&'static str, PathBuf)> {
        vec![("HOME", self.path("home")), ("CLAUDE_CONFIG_DIR", self.path("config")), ("PATH", "/usr/bin:/bin".into())]
    }

    fn agents(&self) -> Agents {
        let variables = self.environment().into_iter().map(|(name, value)| (name.into(), value.into()));
        let environment: Environment = variables.collect();
        let settings = Settings {
            places: Places::find(&environment, None, Some(&self.path("state")), None).unwrap(),
            environment,
            executable: env!("CARGO_BIN_EXE_ccmcp").into(),
            working_dir: Some(self.path("work")),
            claude_bin: Some(claude()),
            accept_models: Vec::new(),
            require_subscription: false,
            limits: Limits { processes: 4, idle: Duration::from_mins(10), stall: Duration::from_mins(10) },
            diagnostics: Diagnostics::default(),
        };
        let spawner = Spawner::new(settings.executable.clone()).unwrap();
        Agents::new(Arc::new(settings), spawner, Role::Server)
    }
}

/// The scripted Claude of this build.
fn claude() -> PathBuf {
    let claude = Path::new(env!("CARGO_BIN_EXE_ccmcp")).with_file_name("examples").join("fake-claude");
    assert!(claude.is_file(), "build it first: cargo build --release --example fake-claude");
    claude
}

async fn spawn(agents: &Agents) -> SpawnedAgent {
    agents.spawn_agent(SpawnAgent { task: "hello".to_owned(), ..SpawnAgent::default() }).await.unwrap()
}

async fn wait(agents: &Agents, agent: &SpawnedAgent, after: String, until: Until) -> Waited {
    let timeout = Duration::from_mins(10);
    let input = WaitAgent { agent_ids: vec![agent.agent_id], after_cursor: after, timeout, until };
    let waited = agents.wait_agent(input, None).await.unwrap();
    assert!(!waited.timed_out);
    waited
}

/// A followup's turn in a living process, beside the same turn of the bare program.
async fn turns() {
    let stage = Stage::new();
    let agents = stage.agents();
    let agent = spawn(&agents).await;
    wait(&agents, &agent, agent.cursor.to_string(), Until::Idle).await;
    let mut through = Vec::new();
    for _ in 0..RUNS {
        let begun = Instant::now();
        let turn = agents.followup_task(agent.agent_id, "hello").await.unwrap();
        wait(&agents, &agent, turn.cursor.to_string(), Until::TurnEnd).await;
        through.push(begun.elapsed());
    }
    agents.shut_down().await;
    let (through, bare) = (median(through), bare(&stage));
    println!(
        "turn in a living process   {through:>10.1?}   {:.1} × the bare program's {bare:.1?}",
        ratio(through, bare)
    );
}

/// The same turns, written to the program and read from it directly.
fn bare(stage: &Stage) -> Duration {
    #[expect(clippy::disallowed_methods, reason = "the yardstick runs the program without ccmcp")]
    let mut command = Command::new(claude());
    command.args(["-p", "--verbose", "--input-format", "stream-json", "--output-format", "stream-json"]);
    command.args(["--replay-user-messages", "--session-id", "44444444-2222-4333-8444-555555555555"]);
    command.env_clear().envs(stage.environment()).current_dir(stage.path("work"));
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut turn = |number: usize| {
        let begun = Instant::now();
        let uuid = format!("55555555-2222-4333-8444-{number:012}");
        let message = json!({ "role": "user", "content": [{ "type": "text", "text": "hello" }] });
        writeln!(input, "{}", json!({ "type": "user", "message": message, "uuid": uuid, "parent_tool_use_id": null }))
            .unwrap();
        let is_result = |line: &String| line.contains(r#""type":"result""#);
        assert!(output.by_ref().map(Result::unwrap).any(|line| is_result(&line)));
        begun.elapsed()
    };
    // The first one starts the program.
    turn(0);
    let taken = median((1..=RUNS).map(&mut turn).collect());
    drop(input);
    child.wait().unwrap();
    taken
}

/// How long after an event a wait answers: in the server of the event, and in another one.
async fn wakes() {
    let stage = Stage::new();
    let (here, there) = (stage.agents(), stage.agents());
    let agent = spawn(&here).await;
    let mut newest = wait(&here, &agent, agent.cursor.to_string(), Until::Idle).await.cursor;
    for (name, server) in [("in the same server", &here), ("in another server", &there)] {
        let mut delays = Vec::new();
        for _ in 0..RUNS {
            let waiting = tokio::spawn({
                let (server, agent) = (server.clone(), agent.clone());
                async move {
                    wait(&server, &agent, newest.to_string(), Until::Any).await;
                    Instant::now()
                }
            });
            // The wait has to be under way; how long that takes is not measured.
            tokio::time::sleep(Duration::from_millis(30)).await;
            // The call answers later than the wait: its event is written first, then its text is delivered.
            let begun = Instant::now();
            newest = here.send_message(agent.agent_id, "context").await.unwrap().cursor;
            delays.push(waiting.await.unwrap().duration_since(begun));
        }
        println!(
            "a wait wakes               {:>10.1?}   {name}, from the call that writes the event, writing included",
            median(delays)
        );
    }
    here.shut_down().await;
    there.shut_down().await;
}

/// Many agents and four processes.
async fn queue() {
    let stage = Stage::new();
    let agents = stage.agents();
    let begun = Instant::now();
    let mut all = Vec::new();
    for _ in 0..QUEUED {
        all.push(spawn(&agents).await);
    }
    let queued = begun.elapsed();
    for agent in &all {
        wait(&agents, agent, agent.cursor.to_string(), Until::TurnEnd).await;
    }
    let done = begun.elapsed();
    let each = done / u32::try_from(QUEUED).unwrap();
    println!(
        "{QUEUED} agents at limit 4      {done:>10.1?}   queued after {queued:.1?}; {each:.1?} each, launch included"
    );
    agents.shut_down().await;
}

/// What a server holds: at rest, and with a hundred agents.
async fn memory() {
    let before = resident();
    let stage = Stage::new();
    let agents = stage.agents();
    let first = spawn(&agents).await;
    wait(&agents, &first, first.cursor.to_string(), Until::Idle).await;
    let one = resident();
    for _ in 1..100 {
        let agent = spawn(&agents).await;
        wait(&agents, &agent, agent.cursor.to_string(), Until::TurnEnd).await;
    }
    let hundred = resident();
    println!("memory                     {before:>7} kB at rest, {one} kB with one agent, {hundred} kB with a hundred");
    agents.shut_down().await;
}

/// This process's resident memory in kB; 0 where the system does not tell.
fn resident() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or_default()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn ratio(one: Duration, other: Duration) -> f64 {
    one.as_secs_f64() / other.as_secs_f64()
}
