//! The words that a server and a supervisor exchange; see the map of this folder.

use std::{fmt, io, str::FromStr};

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// It exited with this status. On Windows also when it was killed.
    Code(i32),
    /// This signal ended it.
    Signal(i32),
    /// Its supervisor vanished before it could tell; the program is dead all the same.
    Lost,
}

impl Exit {
    /// Whether the program exited with status 0.
    pub fn success(self) -> bool {
        self == Self::Code(0)
    }
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(code) => write!(f, "exit code {code}"),
            Self::Signal(signal) => write!(f, "signal {signal}"),
            Self::Lost => f.write_str("its supervisor vanished"),
        }
    }
}

/// What a server asks of a supervisor: one byte each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Command {
    /// Start the program.
    Go,
    /// Send SIGINT.
    Interrupt,
    /// Send SIGTERM.
    Terminate,
    /// End the whole tree.
    Kill,
}

impl Command {
    /// The byte on the wire.
    pub(super) const fn byte(self) -> u8 {
        match self {
            Self::Go => b'g',
            Self::Interrupt => b'i',
            Self::Terminate => b't',
            Self::Kill => b'k',
        }
    }

    /// Reads the byte on the wire; `None` for one that has no meaning.
    pub(super) const fn from_byte(byte: u8) -> Option<Self> {
        match byte {
            b'g' => Some(Self::Go),
            b'i' => Some(Self::Interrupt),
            b't' => Some(Self::Terminate),
            b'k' => Some(Self::Kill),
            _ => None,
        }
    }
}

/// What a supervisor was doing when it failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// Setting itself up.
    Setup,
    /// Taking the lock.
    Lock,
    /// Entering the working directory.
    Cwd,
    /// Starting the program.
    Start,
}

/// What a supervisor tells the server: one line each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Report {
    /// It has the lock.
    Locked,
    /// The program runs; the system's own start time tells its pid from a later one.
    Started { pid: u32, start: u64 },
    /// The program has ended.
    Exited(Exit),
    /// The tree is dead: `killed` processes outlived the program, `left` could not be ended.
    Gone { killed: u32, left: u32 },
    /// It failed with an error of the system (0: none known).
    Failed { stage: Stage, errno: i32 },
}

impl Report {
    /// A failure at `stage`.
    pub(super) fn failed(stage: Stage, error: &io::Error) -> Self {
        let errno = error.raw_os_error().unwrap_or(0);
        Self::Failed { stage, errno }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Locked => f.write_str("locked"),
            Self::Started { pid, start } => write!(f, "started {pid} {start}"),
            Self::Exited(Exit::Code(code)) => write!(f, "exited code {code}"),
            Self::Exited(Exit::Signal(signal)) => write!(f, "exited signal {signal}"),
            Self::Exited(Exit::Lost) => f.write_str("exited lost 0"),
            Self::Gone { killed, left } => write!(f, "gone {killed} {left}"),
            Self::Failed { stage, errno } => {
                let stage = match stage {
                    Stage::Setup => "setup",
                    Stage::Lock => "lock",
                    Stage::Cwd => "cwd",
                    Stage::Start => "start",
                };
                write!(f, "failed {stage} {errno}")
            }
        }
    }
}

/// A line that no supervisor of this version writes.
#[derive(Debug)]
pub(super) struct NotAReport;

impl FromStr for Report {
    type Err = NotAReport;

    fn from_str(line: &str) -> Result<Self, NotAReport> {
        let words: Vec<&str> = line.split(' ').collect();
        let report = match *words.as_slice() {
            ["locked"] => Self::Locked,
            ["started", pid, start] => Self::Started { pid: number(pid)?, start: number(start)? },
            ["exited", "code", code] => Self::Exited(Exit::Code(number(code)?)),
            ["exited", "signal", signal] => Self::Exited(Exit::Signal(number(signal)?)),
            ["exited", "lost", _] => Self::Exited(Exit::Lost),
            ["gone", killed, left] => Self::Gone { killed: number(killed)?, left: number(left)? },
            ["failed", stage, errno] => {
                let stage = match stage {
                    "setup" => Stage::Setup,
                    "lock" => Stage::Lock,
                    "cwd" => Stage::Cwd,
                    "start" => Stage::Start,
                    _ => return Err(NotAReport),
                };
                Self::Failed { stage, errno: number(errno)? }
            }
            _ => return Err(NotAReport),
        };
        Ok(report)
    }
}

/// Reads one number of a report.
fn number<T: FromStr>(word: &str) -> Result<T, NotAReport> {
    word.parse().map_err(|_| NotAReport)
}

/// Puts reports together from whatever pieces the channel delivers.
#[derive(Debug, Default)]
pub(super) struct Reports {
    bytes: Vec<u8>,
}

impl Reports {
    /// Adds what was read.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// The next whole report.
    pub(super) fn next(&mut self) -> Option<io::Result<Report>> {
        let end = memchr::memchr(b'\n', &self.bytes)?;
        let line: Vec<u8> = self.bytes.drain(..=end).collect();
        let report = std::str::from_utf8(line.trim_ascii_end()).ok().and_then(|line| line.parse().ok());
        Some(report.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "the supervisor wrote something unknown")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_survive_the_wire_in_any_pieces() {
        let reports = [
            Report::Locked,
            Report::Started { pid: 7, start: u64::MAX },
            Report::Exited(Exit::Code(-1)),
            Report::Exited(Exit::Signal(9)),
            Report::Exited(Exit::Lost),
            Report::Gone { killed: 3, left: 1 },
            Report::Failed { stage: Stage::Setup, errno: 1 },
            Report::Failed { stage: Stage::Lock, errno: 13 },
            Report::Failed { stage: Stage::Cwd, errno: 2 },
            Report::Failed { stage: Stage::Start, errno: 0 },
        ];
        let wire = reports.map(|report| report.to_string()).join("\n") + "\n";
        for size in [1, 3, wire.len()] {
            let mut reader = Reports::default();
            let mut seen = Vec::new();
            for piece in wire.as_bytes().chunks(size) {
                reader.push(piece);
                while let Some(report) = reader.next() {
                    seen.push(report.unwrap());
                }
            }
            assert_eq!(seen, reports);
        }
    }

    #[test]
    fn an_unknown_report_is_an_error() {
        for line in ["", "started", "started x 1", "exited", "failed nothing 1", "locked now"] {
            let mut reader = Reports::default();
            reader.push(format!("{line}\n").as_bytes());
            assert!(reader.next().unwrap().is_err(), "{line}");
        }
    }

    #[test]
    fn commands_survive_the_wire() {
        for command in [Command::Go, Command::Interrupt, Command::Terminate, Command::Kill] {
            assert_eq!(Command::from_byte(command.byte()), Some(command));
        }
        assert_eq!(Command::from_byte(b'x'), None);
    }
}
