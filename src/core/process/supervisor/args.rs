//! A supervisor's command line. Both sides are of one build, so there is nothing to be tolerant about.

use std::{ffi::OsString, path::PathBuf};

use crate::core::{ids::ChildId, process::identity::Identity};

/// The hidden first argument.
pub(super) const SUPERVISE: &str = "__supervise";

/// What a supervisor has to know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct Args {
    /// The tree it looks after.
    pub(in super::super) child: ChildId,
    /// The server.
    pub(in super::super) owner: Identity,
    /// Where the program starts.
    pub(in super::super) cwd: PathBuf,
    /// The file to hold locked.
    pub(in super::super) lock: Option<PathBuf>,
    /// Where the control channel is, if the platform needs to be told.
    pub(in super::super) control: Option<String>,
    /// The program.
    pub(in super::super) program: OsString,
    /// Its arguments.
    pub(in super::super) arguments: Vec<OsString>,
}

impl Args {
    /// The arguments to start the supervisor with; the channel's are added where it is made.
    pub(in super::super) fn to_arguments(&self) -> Vec<OsString> {
        let mut line: Vec<OsString> = vec![SUPERVISE.into()];
        let mut option = |name: &str, value: OsString| line.extend([name.into(), value]);
        option("--child", self.child.to_string().into());
        option("--owner", self.owner.to_string().into());
        option("--cwd", self.cwd.clone().into());
        if let Some(lock) = &self.lock {
            option("--lock", lock.clone().into());
        }
        if let Some(control) = &self.control {
            option("--control", control.into());
        }
        line.push("--".into());
        line.push(self.program.clone());
        line.extend(self.arguments.iter().cloned());
        line
    }

    /// Reads what follows the hidden argument; `None` when it is not what [`Self::to_arguments`] writes.
    pub(super) fn parse(line: impl Iterator<Item = OsString>) -> Option<Self> {
        let (mut child, mut owner, mut cwd, mut lock, mut control) = (None, None, None, None, None);
        let mut line = line;
        loop {
            let name = line.next()?;
            if name == "--" {
                break;
            }
            let value = line.next()?;
            match name.to_str()? {
                "--child" => child = value.to_str()?.parse().ok(),
                "--owner" => owner = value.to_str()?.parse().ok(),
                "--cwd" => cwd = Some(value.into()),
                "--lock" => lock = Some(value.into()),
                "--control" => control = Some(value.into_string().ok()?),
                _ => return None,
            }
        }
        Some(Self {
            child: child?,
            owner: owner?,
            cwd: cwd?,
            lock,
            control,
            program: line.next()?,
            arguments: line.collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let whole = Args {
            child: ChildId::new(),
            owner: Identity::own().unwrap(),
            cwd: "/some where".into(),
            lock: Some("/locks/x".into()),
            control: Some("1:2".into()),
            program: "claude".into(),
            arguments: ["--", "--lock", "", "x y"].map(OsString::from).to_vec(),
        };
        let bare = Args { lock: None, control: None, arguments: Vec::new(), ..whole.clone() };
        for args in [whole, bare] {
            assert_eq!(Args::parse(args.to_arguments().into_iter().skip(1)), Some(args));
        }
    }

    #[test]
    fn a_line_by_hand_is_refused() {
        for line in ["", "--", "-- sleep 1", "--lock", "--else x -- y", "--child x --owner y --cwd z -- p"] {
            assert_eq!(Args::parse(line.split(' ').map(OsString::from)), None, "{line}");
        }
    }
}
