//! What the scripted CLI needs of the machine: signals, its own start time, processes that it leaves behind.

use std::{
    env, fs,
    io::{self, Read, Write},
    path::Path,
    process::{Command, ExitCode, Stdio},
    sync::atomic::{AtomicI32, Ordering},
    thread,
    time::{Duration, Instant},
};

use serde_json::json;

use super::script::{Offspring, Signal, Spawn};

/// The first argument of a process that was left behind.
pub(crate) const ORPHAN: &str = "--left-behind";
/// How long such a process lives when nobody removes its file.
const LIFE: Duration = Duration::from_mins(10);
/// How often a file is looked for.
pub(crate) const TICK: Duration = Duration::from_millis(2);

/// The start time of this process as the CLI writes it (`procStart`): field 22 of `/proc/self/stat`; empty elsewhere.
pub(crate) fn start_time() -> String {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    after_name.split_whitespace().nth(19).unwrap_or_default().to_owned()
}

/// Writes a whole file at once, so that a reader never sees half of it.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut part = path.as_os_str().to_owned();
    part.push(".part");
    fs::write(&part, bytes)?;
    fs::rename(&part, path)
}

/// Starts the process that `spawn` describes and waits until it has told its pid.
pub(crate) fn leave_behind(spawn: &Spawn) -> io::Result<()> {
    let mut command = Command::new(env::current_exe()?);
    command.arg(ORPHAN).arg(match spawn.offspring {
        Offspring::Child => "child",
        Offspring::OwnSession => "own-session",
        Offspring::Detached => "detached",
    });
    command.arg(if spawn.stubborn { "stubborn" } else { "meek" }).arg(&spawn.pid_file);
    command.stdin(Stdio::null()).stderr(Stdio::null());
    command.stdout(if spawn.holds_stdout { Stdio::inherit() } else { Stdio::null() });
    let mut child = command.spawn()?;
    let until = Instant::now() + Duration::from_secs(30);
    while !spawn.pid_file.exists() {
        if Instant::now() > until {
            return Err(io::Error::other("the process to leave behind did not start"));
        }
        thread::sleep(TICK);
    }
    if spawn.offspring == Offspring::Detached {
        child.wait()?;
    }
    Ok(())
}

/// The life of a process that was left behind: `offspring`, `stubborn` or `meek`, file.
pub(crate) fn left_behind(arguments: &[String]) -> ExitCode {
    let [offspring, temper, file] = arguments else { return ExitCode::from(2) };
    match offspring.as_str() {
        "own-session" => new_session(),
        "detached" => {
            new_session();
            let Ok(exe) = env::current_exe() else { return ExitCode::FAILURE };
            let started = Command::new(exe).args([ORPHAN, "child", temper, file]).stdin(Stdio::null()).spawn();
            // Ending here is the second fork's point: the new process has no parent of ours.
            return if started.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE };
        }
        _ => {}
    }
    if temper == "stubborn" {
        catch(Signal::Int, no_op);
        catch(Signal::Term, no_op);
    }
    let file = Path::new(file);
    let me = json!({ "pid": std::process::id(), "start": start_time() });
    if write_whole(file, me.to_string().as_bytes()).is_err() {
        return ExitCode::FAILURE;
    }
    let until = Instant::now() + LIFE;
    while file.exists() && Instant::now() < until {
        thread::sleep(Duration::from_millis(100));
    }
    ExitCode::SUCCESS
}

/// Calls `on` in a thread of its own for every SIGINT and SIGTERM from now on, in place of their usual effect.
pub(crate) fn on_signals(on: impl Fn(Signal) + Send + 'static) -> io::Result<()> {
    let (mut heard, wake) = io::pipe()?;
    WAKE.store(raw(wake), Ordering::SeqCst);
    catch(Signal::Int, pass_on);
    catch(Signal::Term, pass_on);
    thread::spawn(move || {
        let mut byte = [0];
        while heard.read_exact(&mut byte).is_ok() {
            on(if i32::from(byte[0]) == number(Signal::Int) { Signal::Int } else { Signal::Term });
        }
    });
    Ok(())
}

/// The write end of the pipe that signals are passed on by.
static WAKE: AtomicI32 = AtomicI32::new(-1);

extern "C" fn no_op(_: i32) {}

extern "C" fn pass_on(signal: i32) {
    let byte = u8::try_from(signal).unwrap_or(0);
    system::write_byte(WAKE.load(Ordering::SeqCst), byte);
}

fn number(signal: Signal) -> i32 {
    match signal {
        Signal::Int => 2,
        Signal::Kill => 9,
        Signal::Segv => 11,
        Signal::Term => 15,
    }
}

/// Dies by `signal`.
pub(crate) fn die_by(signal: Signal) -> ! {
    let _ = io::stdout().flush();
    system::end_self(number(signal));
    std::process::abort()
}

/// Closes standard output while the process lives on.
pub(crate) fn close_stdout() {
    system::close_stdout();
}

fn catch(signal: Signal, handler: extern "C" fn(i32)) {
    system::handle(number(signal), handler);
}

fn new_session() {
    system::new_session();
}

#[cfg(unix)]
fn raw(end: io::PipeWriter) -> i32 {
    use std::os::fd::IntoRawFd;
    end.into_raw_fd()
}

#[cfg(not(unix))]
fn raw(_: io::PipeWriter) -> i32 {
    -1
}

/// The four calls of the C library that std lacks.
#[cfg(unix)]
#[expect(unsafe_code, reason = "std has no signal handlers, no setsid, and cannot die by a signal")]
mod system {
    unsafe extern "C" {
        fn signal(number: i32, handler: usize) -> usize;
        fn setsid() -> i32;
        fn write(fd: i32, bytes: *const u8, count: usize) -> isize;
        fn kill(pid: i32, signal: i32) -> i32;
        fn close(fd: i32) -> i32;
    }

    pub(super) fn handle(number: i32, handler: extern "C" fn(i32)) {
        // SAFETY: the handlers above do nothing but `write`, which is async-signal-safe.
        unsafe { signal(number, handler as *const () as usize) };
    }

    pub(super) fn new_session() {
        // SAFETY: no arguments; it fails harmlessly for a group leader.
        unsafe { setsid() };
    }

    pub(super) fn close_stdout() {
        // SAFETY: nothing is printed afterwards but by scripts that ask for it; that is an error, not undefined.
        unsafe { close(1) };
    }

    pub(super) fn write_byte(fd: i32, byte: u8) {
        // SAFETY: one byte from a live variable; a bad descriptor is an error, not undefined.
        unsafe { write(fd, &raw const byte, 1) };
    }

    pub(super) fn end_self(number: i32) {
        let pid = i32::try_from(std::process::id()).unwrap_or(0);
        // SAFETY: plain system calls; the default action is restored so that the signal works.
        unsafe {
            signal(number, 0);
            kill(pid, number);
        }
    }
}

/// Windows has no signals: a child there is ended, not asked.
#[cfg(not(unix))]
mod system {
    pub(super) fn handle(_: i32, _: extern "C" fn(i32)) {}
    pub(super) fn new_session() {}
    pub(super) fn close_stdout() {}
    pub(super) fn write_byte(_: i32, _: u8) {}
    pub(super) fn end_self(_: i32) {}
}
