//! Who a process is: a pid and its exact start, so that a later process with the same pid is somebody else.

use std::{fmt, io, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

use super::platform::{self, Signal};

/// A process that cannot be mistaken for another one.
///
/// Written `PID:START`, where START is the system's own start time: on Linux `TICKS@BOOT/NAMESPACE` (field 22 of
/// `/proc/PID/stat`, the kernel's boot id, the pid namespace's inode), on macOS microseconds since the epoch, on Windows
/// the 100-nanosecond units of a `FILETIME`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Identity {
    /// The process id.
    pub pid: u32,
    /// The exact start, as text.
    pub start: String,
}

/// Whether a process lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Liveness {
    /// It runs.
    Alive,
    /// It is gone for certain: no such pid, or the pid is another process's by now, or only its parent's `wait` is left.
    Dead,
    /// It cannot be told from here: another pid namespace, or the system does not say.
    Unknown,
}

/// A text that is no [`Identity`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not the identity of a process (expected PID:START)")]
pub struct NotAnIdentity;

impl Identity {
    /// This very process.
    pub fn own() -> io::Result<Self> {
        Self::of(std::process::id())?
            .ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "no entry for this process"))
    }

    /// The process that has this pid now; `None` when there is none, or only a zombie.
    pub fn of(pid: u32) -> io::Result<Option<Self>> {
        let entry = platform::entry(pid)?;
        Ok(entry.filter(|entry| !entry.dead).map(|entry| Self::from_start(pid, entry.start)))
    }

    /// A child of ours whose status nobody has taken, so that it still has its pid, though it may be dead already.
    pub(super) fn of_child(pid: u32) -> io::Result<Option<Self>> {
        Ok(platform::entry(pid)?.map(|entry| Self::from_start(pid, entry.start)))
    }

    /// A process of this machine, boot and namespace whose start the system has told.
    pub(super) fn from_start(pid: u32, start: u64) -> Self {
        let world = platform::world();
        let start = if world.is_empty() { start.to_string() } else { format!("{start}@{world}") };
        Self { pid, start }
    }

    /// The start in the system's own unit, without boot and namespace: on Linux field 22 of `/proc/PID/stat`, which
    /// Claude Code writes as `procStart`.
    pub fn system_start(&self) -> &str {
        self.start.split('@').next().unwrap_or_default()
    }

    /// Whether this process lives.
    pub fn liveness(&self) -> Liveness {
        if let Some((_, world)) = self.start.split_once('@') {
            let (boot, namespace) = world.split_once('/').unwrap_or((world, ""));
            let (own_boot, own_namespace) = platform::world().split_once('/').unwrap_or_default();
            if boot != own_boot {
                // An unreadable boot id is "-": nothing follows from that.
                return if boot == "-" || own_boot == "-" { Liveness::Unknown } else { Liveness::Dead };
            }
            if namespace != own_namespace {
                return Liveness::Unknown;
            }
        }
        let Ok(start) = self.system_start().parse::<u64>() else { return Liveness::Unknown };
        match platform::entry(self.pid) {
            Ok(Some(entry)) if entry.start == start && !entry.dead => Liveness::Alive,
            Ok(_) => Liveness::Dead,
            Err(_) => Liveness::Unknown,
        }
    }

    /// Sends a signal, if the process is still this one.
    pub(super) fn signal(&self, signal: Signal) -> io::Result<bool> {
        let Ok(start) = self.system_start().parse() else { return Ok(false) };
        platform::signal(self.pid, start, signal)
    }
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.pid, self.start)
    }
}

impl FromStr for Identity {
    type Err = NotAnIdentity;

    fn from_str(text: &str) -> Result<Self, NotAnIdentity> {
        let (pid, start) = text.split_once(':').ok_or(NotAnIdentity)?;
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '@' | '/' | '-' | '.');
        if !start.starts_with(|c: char| c.is_ascii_digit()) || !start.chars().all(plain) {
            return Err(NotAnIdentity);
        }
        Ok(Self { pid: pid.parse().map_err(|_| NotAnIdentity)?, start: start.to_owned() })
    }
}

impl Serialize for Identity {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Identity {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_identity_lives_and_survives_text() {
        let own = Identity::own().unwrap();
        assert_eq!(own.pid, std::process::id());
        assert_eq!(own.liveness(), Liveness::Alive);
        assert_eq!(own.to_string().parse(), Ok(own.clone()));
        assert_eq!(serde_json::from_str::<Identity>(&serde_json::to_string(&own).unwrap()).unwrap(), own);
        assert!(own.system_start().parse::<u64>().is_ok());
    }

    #[cfg(unix)]
    #[test]
    fn a_child_that_nobody_has_waited_for_is_still_known() {
        #[expect(clippy::disallowed_methods, reason = "a process of no interest")]
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let end = std::time::Instant::now() + std::time::Duration::from_secs(20);
        while Identity::of(child.id()).unwrap().is_some() {
            assert!(std::time::Instant::now() < end, "it does not end");
            std::thread::yield_now();
        }
        let known = Identity::of_child(child.id()).unwrap().unwrap();
        assert_eq!(known.liveness(), Liveness::Dead);
        child.wait().unwrap();
        assert_eq!(Identity::of_child(known.pid).unwrap(), None);
    }

    #[test]
    fn another_start_is_another_process() {
        let mut other = Identity::own().unwrap();
        other.start.insert(0, '9');
        assert_eq!(other.liveness(), Liveness::Dead);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn another_boot_is_dead_and_another_namespace_is_unknown() {
        let own = Identity::own().unwrap();
        let (start, world) = own.start.split_once('@').unwrap();
        let (boot, namespace) = world.split_once('/').unwrap();
        let with = |start: String| Identity { pid: own.pid, start }.liveness();
        assert_eq!(with(format!("{start}@another-boot/{namespace}")), Liveness::Dead);
        assert_eq!(with(format!("{start}@-/{namespace}")), Liveness::Unknown);
        assert_eq!(with(format!("{start}@{boot}/1")), Liveness::Unknown);
    }

    #[test]
    fn other_texts_are_refused() {
        for text in ["", "1", "1:", ":1", "x:1", "1:x", "1:1,2", "1:1:2", "-1:1"] {
            assert_eq!(text.parse::<Identity>(), Err(NotAnIdentity), "{text}");
        }
    }
}
