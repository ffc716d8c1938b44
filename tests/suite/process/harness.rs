//! Launching scripts, and asking the system what became of them. Every wait has a limit.

use std::{future::Future, path::Path, time::Duration};

use ccmcp::core::process::{Child, End, Event, Identity, Launch, Limits, Liveness, Spawner, Stdin};

/// Far beyond what anything here takes, so that a hang is a failure.
pub(super) const LIMIT: Duration = Duration::from_secs(20);

/// Waits for something that has to happen.
pub(super) async fn within<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(LIMIT, future).await.expect("did not happen in time")
}

/// Waits until `condition` holds.
pub(super) async fn until(mut condition: impl FnMut() -> bool) {
    within(async {
        while !condition() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    })
    .await;
}

/// A spawner whose supervisor is the real executable.
pub(super) fn spawner() -> Spawner {
    Spawner::new(env!("CARGO_BIN_EXE_ccmcp").into()).unwrap()
}

/// A shell script to launch, with next to no environment.
pub(super) fn script(text: &str) -> Launch {
    Launch {
        program: "/bin/sh".into(),
        args: ["-c", text].map(Into::into).to_vec(),
        cwd: "/".into(),
        env: vec![("PATH".into(), "/usr/bin:/bin".into())],
        stdin: Stdin::Null,
        lock: None,
        limits: Limits::default(),
    }
}

/// Launches to the end of the start.
pub(super) async fn start(launch: Launch) -> Child {
    within(async { spawner().spawn(launch).await.unwrap().go().await.unwrap() }).await
}

/// Puts a process out of the program's reach: own session, its parent gone, no stream of the program's. Says its pid.
pub(super) const DETACH: &str = "echo $(setsid sh -c 'sleep 1000 <&- >&- 2>&- & echo $!')";

/// Starts a script that [`DETACH`]es one and goes on with `text` at a line of input; returns the detached process.
pub(super) async fn start_detaching(text: &str) -> (Child, Identity) {
    let mut child = start(Launch { stdin: Stdin::Open, ..script(&format!("{DETACH}; {text}")) }).await;
    let detached = announced(&mut child).await;
    (child, detached)
}

/// The next event, which has to be a line.
pub(super) async fn line(child: &mut Child) -> String {
    match within(child.event()).await {
        Event::Line(line) => String::from_utf8(line.bytes).unwrap(),
        other => panic!("no line: {other:?}"),
    }
}

/// The process whose pid is in the next line.
pub(super) async fn announced(child: &mut Child) -> Identity {
    process(&line(child).await)
}

/// The living process with this pid.
pub(super) fn process(pid: &str) -> Identity {
    Identity::of(pid.parse().unwrap()).unwrap().expect("is alive")
}

/// All lines to the end, and the end.
pub(super) async fn ended(child: &mut Child) -> (Vec<String>, End) {
    let mut lines = Vec::new();
    loop {
        match within(child.event()).await {
            Event::Line(line) => lines.push(String::from_utf8(line.bytes).unwrap()),
            Event::Ended(end) => return (lines, end),
            Event::Deadline(deadline) => panic!("no deadline was set: {deadline:?}"),
        }
    }
}

/// Whether a process is dead for certain.
pub(super) fn is_dead(process: &Identity) -> bool {
    process.liveness() == Liveness::Dead
}

/// Kills one process, which this test has started.
pub(super) fn kill(process: &Identity) {
    signal(process, rustix::process::Signal::KILL);
}

/// Sends a signal to one process, which this test has started.
pub(super) fn signal(process: &Identity, signal: rustix::process::Signal) {
    assert_eq!(process.liveness(), Liveness::Alive, "about to signal a pid that may be somebody else's");
    let pid = rustix::process::Pid::from_raw(process.pid.try_into().unwrap()).unwrap();
    rustix::process::kill_process(pid, signal).unwrap();
}

/// The living processes that carry a child's marker.
#[cfg(target_os = "linux")]
pub(super) fn marked(child: &Child) -> Vec<u32> {
    let id = child.id().to_string();
    let carries = |pid: &u32| {
        let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|entry| {
            let entry = String::from_utf8_lossy(entry);
            entry.strip_prefix("CCMCP_CHILD=").is_some_and(|value| value.contains(&id))
        })
    };
    let pids = std::fs::read_dir("/proc").unwrap().filter_map(|file| file.unwrap().file_name().to_str()?.parse().ok());
    pids.filter(carries).filter(|pid| Identity::of(*pid).unwrap().is_some()).collect()
}

/// The permission bits of a file.
pub(super) fn mode(path: &Path) -> u32 {
    std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(path).unwrap().permissions()) & 0o777
}
