//! [`ConfigError`]: why a client's configuration was not changed.

use std::{io, path::Path};

use super::{Client, text::Fault};
use crate::core::error::{Error, ErrorCode};

/// Why a client's configuration was not changed.
#[derive(Debug, thiserror::Error)]
pub(super) enum ConfigError {
    /// The file is not what the client reads.
    #[error("{0}")]
    Unreadable(Fault),
    /// An entry of this name is something else.
    #[error("the entry `{name}` that is there already starts something else, or ccmcp by way of something else")]
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

impl From<Fault> for ConfigError {
    fn from(fault: Fault) -> Self {
        if fault.is_style { Self::Unsure } else { Self::Unreadable(fault) }
    }
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
        let (code, field) = self.blamed();
        Error::new(code, format!("{} was left as it is: {self}.", file.display()))
            .hint(hint)
            .details(|details| details.field = field.map(str::to_owned))
    }

    /// The code, and the flag at fault if it is one.
    fn blamed(&self) -> (ErrorCode, Option<&'static str>) {
        use io::ErrorKind;
        const PATH: [ErrorKind; 5] = [
            ErrorKind::NotFound,
            ErrorKind::NotADirectory,
            ErrorKind::IsADirectory,
            ErrorKind::InvalidInput,
            ErrorKind::InvalidFilename,
        ];
        const REFUSED: [ErrorKind; 2] = [ErrorKind::PermissionDenied, ErrorKind::ReadOnlyFilesystem];
        match self {
            Self::Foreign { .. } => (ErrorCode::SettingInvalid, Some("--name")),
            Self::System { error, .. } if REFUSED.contains(&error.kind()) => (ErrorCode::PermissionDenied, None),
            Self::System { error, .. } if !PATH.contains(&error.kind()) => (ErrorCode::InternalError, None),
            _ => (ErrorCode::SettingInvalid, Some("--file")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_code_says_whose_fault_it_is() {
        let system = |kind| ConfigError::System { what: "it cannot be read", error: io::Error::from(kind) };
        for (error, code, field) in [
            (Fault::at("x", 0, "bad").into(), ErrorCode::SettingInvalid, Some("--file")),
            (Fault::style("x", 0, "odd").into(), ErrorCode::SettingInvalid, Some("--file")),
            (ConfigError::ReadOnly, ErrorCode::SettingInvalid, Some("--file")),
            (ConfigError::Foreign { name: "x".to_owned() }, ErrorCode::SettingInvalid, Some("--name")),
            (system(io::ErrorKind::NotADirectory), ErrorCode::SettingInvalid, Some("--file")),
            (system(io::ErrorKind::PermissionDenied), ErrorCode::PermissionDenied, None),
            (system(io::ErrorKind::StorageFull), ErrorCode::InternalError, None),
        ] {
            let shown = error.in_file(Client::Codex, Path::new("/f"));
            assert_eq!((shown.code, shown.details.field.as_deref()), (code, field), "{shown:?}");
        }
    }
}
