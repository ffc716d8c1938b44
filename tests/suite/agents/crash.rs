//! The crash test: servers, supervisors and Claudes are killed at random, under load; afterwards nothing may be lost,
//! nothing may run twice, and every agent can go on.
//!
//! `CCMCP_CRASH_RUNS` says how many runs (each with another seed), `CCMCP_CRASH_SEED` replays one. A failing run prints
//! its seed. What a seed decides is what is done and killed; how the machine interleaves it is its own affair.

use std::{
    collections::HashMap,
    env, fs,
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Stdio},
    sync::{Arc, Mutex},
    thread,
    time::{Duration, Instant},
};

use ccmcp::core::{
    agents::{Agents, Cursor, ListAgents, ReadAgent, Until},
    ids::AgentId,
    store::{self, AgentState, Soundness, TurnStatus},
};
use serde_json::{Value, json};

use super::ground::{self, read, story};
use crate::support::{
    Sandbox,
    fake::{Launch, Offspring, Script, Spawn, Step, Turn},
    processes::{self, Process},
};

/// How long the load and the killing go on.
const STORM: Duration = Duration::from_millis(2500);

/// How long everything may take to come to rest afterwards.
const CALM: Duration = Duration::from_mins(1);

/// A small generator of random numbers (`SplitMix64`): the same seed, the same run.
#[derive(Clone)]
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(limit.max(1)).unwrap()).unwrap()
    }

    fn one_of<T: Clone>(&mut self, items: &[T]) -> Option<T> {
        items.get(self.below(items.len())).cloned()
    }

    fn milliseconds(&mut self, from: u64, to: u64) -> Duration {
        Duration::from_millis(from + self.next() % (to - from))
    }
}

/// A server process.
struct Server {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Server {
    fn start(sandbox: &Sandbox) -> Self {
        let program = Path::new(env!("CARGO_BIN_EXE_ccmcp")).parent().unwrap().join("examples").join("agents-server");
        assert!(program.is_file(), "build it with `cargo build --example agents-server`");
        let mut command = sandbox.command(program.to_str().unwrap());
        command.env("CCMCP_BIN", env!("CARGO_BIN_EXE_ccmcp"));
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (stdin, stdout) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        Self { child, stdin, stdout }
    }

    /// Asks; `None` when the server is dead.
    fn ask(&mut self, request: &Value) -> Option<Value> {
        writeln!(self.stdin, "{request}").ok()?;
        let mut line = String::new();
        self.stdout.read_line(&mut line).ok().filter(|length| *length > 0)?;
        serde_json::from_str(&line).ok()
    }

    fn is_dead(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What was promised to callers.
#[derive(Default)]
struct Promises {
    agents: Vec<AgentId>,
    /// Message id and text, where the call was answered.
    messages: Vec<(AgentId, String, String)>,
}

fn script(sandbox: &Sandbox) -> Script {
    let sleep = |ms| Step::Sleep { ms };
    let tool = |ms| {
        Turn::echo()
            .before(Step::ToolCall { name: "Bash".into(), input: json!({ "command": "make" }) })
            .before(sleep(ms))
            .before(Step::ToolResult { output: "done".into(), is_error: false })
    };
    let leaves = Turn::echo().before(Step::Spawn(Spawn {
        offspring: Offspring::Detached,
        pid_file: sandbox.root().join("left.pid"),
        holds_stdout: false,
        stubborn: true,
    }));
    let always = Launch::default();
    Script::new().always(always).on("slow", Turn::echo().before(sleep(300))).on("tool", tool(150)).on("leaves", leaves)
}

/// One caller: it asks one server after another, and notes what it was promised.
fn load(sandbox: &Sandbox, number: usize, mut dice: Dice, promises: &Mutex<Promises>, end: Instant) {
    let mut server = Server::start(sandbox);
    let mut count = 0;
    while Instant::now() < end {
        if server.is_dead() {
            server = Server::start(sandbox);
        }
        count += 1;
        let text = format!("{} m{number}x{count}y", ["quick", "slow", "tool", "leaves"][dice.below(4)]);
        let known = promises.lock().unwrap().agents.clone();
        let some = dice.one_of(&known);
        let (request, agent) = match (dice.below(10), some) {
            (0..3, _) | (_, None) => {
                let cwd = sandbox.workspace().join(["a", "b", "c"][dice.below(3)]);
                (json!({ "do": "spawn", "task": text, "cwd": cwd, "writes": dice.below(2) == 0 }), None)
            }
            (3..6, Some(agent)) => (json!({ "do": "followup", "agent": agent, "message": text }), Some(agent)),
            (6..8, Some(agent)) => (json!({ "do": "send", "agent": agent, "message": text }), Some(agent)),
            (8, Some(agent)) => (json!({ "do": "interrupt", "agent": agent }), None),
            (_, Some(_)) => (json!({ "do": "list" }), None),
        };
        if let Some(answer) = server.ask(&request) {
            let mut promises = promises.lock().unwrap();
            if request["do"] == "spawn"
                && let Some(agent) = answer["agent_id"].as_str()
            {
                promises.agents.push(agent.parse().unwrap());
            }
            if let (Some(agent), Some(message)) = (agent, answer["message_id"].as_str()) {
                promises.messages.push((agent, message.to_owned(), text));
            }
        }
        thread::sleep(dice.milliseconds(1, 60));
    }
}

/// Kills something, sometimes everything.
fn kill(sandbox: &Sandbox, dice: &mut Dice) {
    let all = processes::belonging_to(sandbox.root());
    let of = |part: &str| -> Vec<Process> {
        all.iter().filter(|(_, command)| command.contains(part)).map(|(process, _)| process.clone()).collect()
    };
    let (servers, supervisors) = (of("agents-server"), of("__supervise"));
    let claudes: Vec<Process> =
        of("fake-claude").into_iter().filter(|process| !supervisors.contains(process)).collect();
    let victims = match dice.below(8) {
        0..3 => dice.one_of(&servers).into_iter().collect(),
        3 => dice.one_of(&supervisors).into_iter().collect(),
        4 => dice.one_of(&claudes).into_iter().collect(),
        // A server and a supervisor at once.
        5 => dice.one_of(&servers).into_iter().chain(dice.one_of(&supervisors)).collect(),
        6 => [servers, supervisors].concat(),
        _ => [servers, supervisors, claudes].concat(),
    };
    for victim in victims {
        processes::kill(&victim);
    }
}

async fn run(seed: u64) {
    let mut sandbox = Sandbox::new();
    for place in ["a", "b", "c"] {
        fs::create_dir(sandbox.workspace().join(place)).unwrap();
    }
    let script = script(&sandbox);
    sandbox.script(&script);
    sandbox.set("SERVER_LIMIT", "3");
    sandbox.set("SERVER_IDLE_MS", "200");
    let mut dice = Dice(seed);
    let callers = 2 + dice.below(2);
    let promises = Arc::new(Mutex::new(Promises::default()));
    let end = Instant::now() + STORM;
    thread::scope(|scope| {
        for number in 0..callers {
            let (sandbox, promises, dice) = (&sandbox, &promises, Dice(dice.next()));
            scope.spawn(move || load(sandbox, number, dice, promises, end));
        }
        // Time for the first agents.
        thread::sleep(dice.milliseconds(200, 500));
        while Instant::now() < end {
            kill(&sandbox, &mut dice);
            thread::sleep(dice.milliseconds(20, 300));
        }
    });
    let promises = Arc::try_unwrap(promises).ok().unwrap().into_inner().unwrap();

    let server = ground::server(&sandbox);
    at_rest(&server).await;
    assert_eq!(store::check(&sandbox.state_dir()).unwrap(), Soundness::Sound);
    let mut turns = Vec::new();
    for agent in &promises.agents {
        turns.extend(looks_right(&sandbox, &server, *agent, &promises).await);
    }
    let of = |status| turns.iter().filter(|turn| **turn == status).count();
    say(&format!(
        "  {callers} callers, {} agents, {} messages, {} turns: {} succeeded, {} failed, {} interrupted",
        promises.agents.len(),
        promises.messages.len(),
        turns.len(),
        of(TurnStatus::Succeeded),
        of(TurnStatus::Failed),
        of(TurnStatus::Interrupted)
    ));
    server.shut_down().await;
    // The sandbox checks that no process is left.
}

/// Waits until nothing is queued, running or being cancelled, and takes every agent out of `needs_attention`.
async fn at_rest(server: &Agents) {
    let end = Instant::now() + CALM;
    loop {
        let all = server.list_agents(ListAgents { limit: 1000, ..ListAgents::default() }).await.unwrap();
        let restless: Vec<_> = all.agents.iter().filter(|agent| agent.state != AgentState::Idle).collect();
        if restless.is_empty() {
            return;
        }
        for agent in restless.iter().filter(|agent| agent.state == AgentState::NeedsAttention) {
            // Uncertain at first, perhaps; never for good.
            let _ = server.interrupt_agent(agent.agent_id).await;
        }
        assert!(Instant::now() < end, "these never came to rest: {restless:#?}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

async fn looks_right(sandbox: &Sandbox, server: &Agents, agent: AgentId, promises: &Promises) -> Vec<TurnStatus> {
    let answer = read(server, agent).await;
    // Every turn has ended, and the story of the agent is one line: no turn begins while another one runs.
    let input = ccmcp::core::agents::WaitAgent {
        agent_ids: vec![agent],
        after_cursor: Cursor(0).to_string(),
        timeout: Duration::ZERO,
        until: Until::Any,
    };
    let events = server.wait_agent(input, None).await.unwrap().events;
    let tale = story(&events);
    let mut running: Option<&Value> = None;
    for event in &events {
        let turn = &event.payload["turnId"];
        match event.kind.as_str() {
            "turn.started" => {
                assert_eq!(running, None, "two turns at once: {tale:#?}");
                running = Some(turn);
            }
            "turn.completed" | "turn.failed" | "turn.interrupted" => running = None,
            "agent.queued" if ["retry", "reconciled"].contains(&event.payload["reason"].as_str().unwrap()) => {
                assert_eq!(running, Some(turn), "what did not run was queued again: {tale:#?}");
                running = None;
            }
            _ => {}
        }
    }
    let ended = |status| !matches!(status, TurnStatus::Queued | TurnStatus::Running);
    assert!(answer.turns.iter().all(|turn| ended(turn.status)), "{:#?}", answer.turns);

    // No message that was answered for is lost: it reached the session, was discarded, or still waits.
    let transcript = sandbox.transcript(&answer.agent.session_id.to_string());
    let told: HashMap<&str, usize> = deliveries(&transcript);
    for (_, message, text) in promises.messages.iter().filter(|(of, ..)| *of == agent) {
        let key = text.split(' ').nth(1).unwrap();
        let unmarked = told.get(key).copied().unwrap_or(0);
        assert!(unmarked <= 1, "{text} was delivered twice without a mark: {tale:#?}");
        let known = events.iter().any(|event| event.payload["messageId"] == message.as_str());
        assert!(known, "{text} was acknowledged and is lost: {tale:#?}");
    }
    assert_no_fork(&transcript);

    // It goes on.
    let followed = server.followup_task(agent, "quick last").await.unwrap();
    let waited = ground::wait(server, agent, &followed.cursor.to_string(), Until::TurnEnd).await;
    assert_eq!(waited.results[0].status, TurnStatus::Succeeded, "{:#?}", read(server, agent).await);
    server.read_agent(ReadAgent { include_raw: true, ..ReadAgent::new(agent) }).await.unwrap();
    answer.turns.iter().map(|turn| turn.status).collect()
}

/// How often each message stands in a transcript without a word that it may be a repeat.
fn deliveries(transcript: &[Value]) -> HashMap<&str, usize> {
    let mut count = HashMap::new();
    let inputs = transcript.iter().filter(|record| record["type"] == "user");
    for input in inputs.filter_map(|record| record["message"]["content"].as_array()) {
        let texts: Vec<&str> = input.iter().filter_map(|block| block["text"].as_str()).collect();
        if texts.iter().any(|text| text.starts_with("[ccmcp]")) {
            continue;
        }
        for key in texts.iter().filter_map(|text| text.split(' ').nth(1)) {
            *count.entry(key).or_default() += 1;
        }
    }
    count
}

/// Two processes on one session would have made two children of one record.
fn assert_no_fork(transcript: &[Value]) {
    let mut parents = HashMap::new();
    for record in transcript.iter().filter(|record| record["uuid"].is_string()) {
        let children: &mut usize = parents.entry(record["parentUuid"].to_string()).or_default();
        *children += 1;
        assert_eq!(*children, 1, "the transcript forks at {}", record["parentUuid"]);
    }
}

/// Says something past the test runner, which keeps what passing tests print.
fn say(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

#[test]
fn whatever_is_killed_nothing_is_lost_and_nothing_runs_twice() {
    let number = |name| env::var(name).ok().map(|text| text.parse::<u64>().expect("a number"));
    let fresh = || std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap().subsec_nanos().into();
    let (first, runs) = match number("CCMCP_CRASH_SEED") {
        Some(seed) => (seed, number("CCMCP_CRASH_RUNS").unwrap_or(1)),
        None => (fresh(), number("CCMCP_CRASH_RUNS").unwrap_or(3)),
    };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    for seed in (first..).take(usize::try_from(runs).unwrap()) {
        say(&format!("crash run with CCMCP_CRASH_SEED={seed}"));
        runtime.block_on(run(seed));
    }
}
