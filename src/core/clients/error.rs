//! [`ConfigError`]: why a client's configuration was not changed.

use std::{io, path::Path};

use super::{Client, text::Fault};
use crate::core::error::{Error, ErrorCode};

/// Why a client's configuration was not changed.
#[derive(Debug, thiserror::Error)]
pub(super) enum ConfigError {
    /// The file is not what the client reads.
    #[error("{0}")]
    Unreadable(#[from] Fault),
    /// An entry of this name is something else.
    #[error("the entry `{name}` that is there already does not start ccmcp")]
    Foreign { name: String },
    /// The change would not come out as it should.
    #[error("it is written in a way that cannot be changed safely")]
    Unsure,
    /// The file keeps changing.
    #[error("something else keeps writing it")]
    Busy,
    /// The system refused.
    #[error("{what}: {error}")]
    System { what: &'static str, error: io::Error },
    /// The owner wants it to stay as it is.
    #[error("it is read-only")]
    ReadOnly,
}

impl ConfigError {
    /// For `map_err`: what was being done.
    pub(super) fn while_(what: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |error| Self::System { what, error }
    }

    /// The error that faces show.
    pub(super) fn in_file(self, client: Client, file: &Path) -> Error {
        let id = client.id();
        let hint = match &self {
            Self::Unreadable(_) if client.takes_json_alone() => format!(
                "Mend it there first; {} takes no comments and no comma before a closing bracket.",
                client.label()
            ),
            Self::Unreadable(_) => format!("Mend it there first: {} cannot read it either.", client.label()),
            Self::Foreign { .. } => "Give ccmcp's entry another name with --name.".to_owned(),
            Self::Unsure => format!("Paste what `ccmcp config {id}` prints."),
            Self::Busy => format!("Quit {} and try again.", client.label()),
            Self::System { .. } => format!(
                "Give yourself the right to write there, or name another file with --file; `ccmcp config {id}` prints \
                 the entry."
            ),
            Self::ReadOnly => {
                format!("Make it writable, or paste what `ccmcp config {id}` prints where it comes from.")
            }
        };
        Error::new(ErrorCode::SettingInvalid, format!("{} was left as it is: {self}.", file.display())).hint(hint)
    }
}
