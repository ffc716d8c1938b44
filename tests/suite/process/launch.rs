//! What a program finds when it starts, and what is said when it does not.

use std::os::unix::fs::PermissionsExt as _;

use ccmcp::core::{
    error::{Error, ErrorCode},
    process::{Exit, Identity, Launch, SpawnError, Stdin},
};

use super::harness::{ended, line, mode, script, spawner, start, until, within};

async fn refused(launch: Launch) -> SpawnError {
    within(async { spawner().spawn(launch).await?.go().await }).await.expect_err("started")
}

#[tokio::test]
async fn hands_over_arguments_directory_and_environment() {
    let dir = tempfile::tempdir().unwrap();
    let real = dir.path().canonicalize().unwrap();
    let mut launch = script("echo \"$0|$1|$2\"; pwd; env | grep -v ^PWD= | grep -v ^_= | sort; echo oops >&2; exit 7");
    launch.args.extend(["name", "two words", ""].map(Into::into));
    launch.cwd.clone_from(&real);
    launch.env.push(("SECRET".into(), "x=y".into()));
    let mut child = start(launch).await;
    let owner = Identity::own().unwrap();
    let (lines, end) = ended(&mut child).await;
    let marker = format!("CCMCP_CHILD={}:{owner}:{}", child.id(), child.supervisor());
    let expected = ["name|two words|", real.to_str().unwrap(), &marker, "PATH=/usr/bin:/bin", "SECRET=x=y"];
    let lines: Vec<&str> = lines.iter().map(String::as_str).filter(|line| !line.starts_with("SHLVL=")).collect();
    assert_eq!(lines, expected);
    assert_eq!((end.exit, end.step, end.leftovers, end.output_abandoned), (Exit::Code(7), None, 0, false));
    assert_eq!(end.stderr_tail, "oops\n");
}

#[tokio::test]
async fn a_marker_from_outside_is_kept() {
    let mut launch = script("echo $CCMCP_CHILD");
    launch.env.push(("CCMCP_CHILD".into(), "outer".into()));
    let mut child = start(launch).await;
    assert!(line(&mut child).await.starts_with(&format!("outer,{}:", child.id())));
}

#[tokio::test]
async fn asked_again_after_the_end_it_says_the_same() {
    let mut child = start(script("exit 3")).await;
    let (_, first) = ended(&mut child).await;
    let (_, second) = ended(&mut child).await;
    assert_eq!(first, second);
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn neither_the_program_nor_the_supervisor_has_a_foreign_file() {
    // A file that is left open across exec, as some launchers of servers do.
    let file = tempfile::tempfile().unwrap();
    let _leaked = rustix::io::dup(&file).unwrap();
    let mut launch = script("echo up; exec cat");
    launch.stdin = Stdin::Open;
    let mut child = start(launch).await;
    assert_eq!(line(&mut child).await, "up");

    let files = |pid: u32| -> Vec<(i32, String)> {
        let list = std::fs::read_dir(format!("/proc/{pid}/fd")).unwrap();
        let mut files: Vec<_> = list
            .map(|file| {
                let file = file.unwrap();
                let target = std::fs::read_link(file.path()).unwrap();
                (file.file_name().to_str().unwrap().parse().unwrap(), target.to_string_lossy().into_owned())
            })
            .collect();
        files.sort();
        files
    };
    let program = files(child.identity().pid);
    assert_eq!(program.iter().map(|(fd, _)| *fd).collect::<Vec<_>>(), [0, 1, 2]);
    assert!(program.iter().all(|(_, target)| target.starts_with("pipe:")), "{program:?}");

    // It closes its own copies a moment after the program has started.
    let supervisor = child.supervisor().pid;
    until(|| files(supervisor).iter().filter(|(_, target)| target == "/dev/null").count() == 3).await;
    let others: Vec<_> = files(supervisor).into_iter().filter(|(_, target)| target != "/dev/null").collect();
    assert!(others.iter().all(|(_, target)| target.starts_with("socket:")), "{others:?}");

    child.close_stdin();
    let (_, end) = ended(&mut child).await;
    assert_eq!(end.exit, Exit::Code(0));
}

#[tokio::test]
async fn the_program_has_default_signals_in_its_own_group() {
    let mut launch = script("trap - INT; ps -o pid=,pgid= -p $$; kill -INT $$; echo survived");
    launch.limits.wall = None;
    let mut child = start(launch).await;
    let (lines, end) = ended(&mut child).await;
    assert_eq!(end.exit, Exit::Signal(2), "{lines:?}");
    let ids: Vec<&str> = lines.first().unwrap().split_whitespace().collect();
    assert_eq!(ids.first(), ids.last());
}

#[tokio::test]
async fn says_what_is_wrong_with_the_program() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("program");
    let named = || Launch { program: path.clone(), ..script("") };

    let error = refused(named()).await;
    assert!(matches!(&error, SpawnError::NotFound { program } if *program == path), "{error}");
    assert_eq!(Error::from(error).code, ErrorCode::SpawnFailed);

    std::fs::write(&path, "").unwrap();
    assert!(matches!(refused(named()).await, SpawnError::NotExecutable { .. }), "no permission");
    std::fs::write(&path, "#!/nonexistent/interpreter\n").unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    assert!(matches!(refused(named()).await, SpawnError::NotFound { .. }), "no interpreter");
    let directory = Launch { program: dir.path().to_owned(), ..script("") };
    assert!(matches!(refused(directory).await, SpawnError::NotExecutable { .. }), "a directory");

    let mut nul = script("");
    nul.args.push("a\0b".into());
    assert!(matches!(refused(nul).await, SpawnError::Refused { .. }), "a NUL byte");
    let mut long = script("");
    long.args.push("x".repeat(4 * 1024 * 1024).into());
    assert!(matches!(refused(long).await, SpawnError::Refused { .. }), "too long");
}

#[tokio::test]
async fn a_directory_that_goes_before_the_launch_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let launch = Launch { cwd: dir.path().to_owned(), ..script("echo started") };
    let held = within(spawner().spawn(launch)).await.unwrap();
    let gone = dir.path().to_owned();
    dir.close().unwrap();
    let error = within(held.go()).await.expect_err("started");
    assert!(matches!(&error, SpawnError::Cwd { cwd, .. } if *cwd == gone), "{error}");
    let error = Error::from(error);
    assert_eq!((error.code, error.details.field.as_deref()), (ErrorCode::CwdInvalid, Some("cwd")));
}

#[tokio::test]
async fn a_lock_that_cannot_be_made_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("file");
    std::fs::write(&file, "").unwrap();
    let lock = file.join("lock");
    let error = refused(Launch { lock: Some(lock.clone()), ..script("") }).await;
    assert!(matches!(&error, SpawnError::Lock { lock: named, .. } if *named == lock), "{error}");
}

#[tokio::test]
async fn a_supervisor_that_is_none_is_told_apart() {
    for executable in ["/bin/true", "/nonexistent/ccmcp"] {
        let spawner = ccmcp::core::process::Spawner::new(executable.into()).unwrap();
        let error = within(async { spawner.spawn(script("")).await?.go().await }).await.expect_err("started");
        assert!(matches!(error, SpawnError::Supervisor { .. }), "{error}");
    }
}

#[tokio::test]
async fn the_lock_is_private() {
    let dir = tempfile::tempdir().unwrap();
    let lock = dir.path().join("a/locks/x.lock");
    let mut child = start(Launch { lock: Some(lock.clone()), ..script("echo up") }).await;
    assert_eq!(line(&mut child).await, "up");
    assert_eq!((mode(lock.parent().unwrap()), mode(&lock)), (0o700, 0o600));
}

#[tokio::test]
async fn short_commands_give_their_output() {
    let limit = super::harness::LIMIT;
    let output = within(spawner().output(script("echo one; printf two; echo err >&2; exit 1"), limit)).await.unwrap();
    assert_eq!((output.exit, output.timed_out), (Exit::Code(1), false));
    assert_eq!((output.stdout.as_str(), output.stderr.as_str()), ("one\ntwo\n", "err\n"));

    let output = within(spawner().output(script("yes | head -c 3000000"), limit)).await.unwrap();
    assert_eq!((output.exit, output.stdout.len()), (Exit::Code(0), 1024 * 1024));

    let slow = script("echo up; exec sleep 1000");
    let output = within(spawner().output(slow, std::time::Duration::from_secs(1))).await.unwrap();
    assert_eq!((output.exit, output.timed_out, output.stdout.as_str()), (Exit::Signal(9), true, "up\n"));
}
