//! Which living process owns a session.
//!
//! Claude 2.1.238 and newer keep `<config>/sessions/<pid>.json` while they live, and remove it at a clean exit; a
//! killed one leaves it behind. So a file alone proves nothing: the process has to be alive with the start that the
//! file names. Two processes on one session would fork its transcript.

use std::{fs, io, path::Path};

use serde::Deserialize;

use crate::core::{ids::SessionId, process::Identity};

/// A living process that owns a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiveOwner {
    /// Its process.
    pub process: Identity,
    /// The session.
    pub session_id: SessionId,
}

/// The part of the file that matters.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Record {
    pid: u32,
    session_id: String,
    /// Linux: field 22 of `/proc/<pid>/stat`.
    proc_start: Option<String>,
    /// Linux: names the pid namespace, as `…:pid:[4026531836]`.
    pid_domain: Option<String>,
}

/// Finds a living owner of `session` among the files in `directory`. Unreadable and foreign files are passed over.
pub fn live_owner(directory: &Path, session: SessionId) -> io::Result<Option<LiveOwner>> {
    let entries = match fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    for entry in entries {
        let path = entry?.path();
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let Ok(bytes) = fs::read(&path) else { continue };
        let Ok(record) = serde_json::from_slice::<Record>(&bytes) else { continue };
        if record.session_id.parse() != Ok(session) || !same_namespace(record.pid_domain.as_deref()) {
            continue;
        }
        let Ok(Some(process)) = Identity::of(record.pid) else { continue };
        if started_as_told(&process, record.proc_start.as_deref()) {
            return Ok(Some(LiveOwner { process, session_id: session }));
        }
    }
    Ok(None)
}

/// Whether the living process is the one that wrote the file. Where the file's start is not of a form that can be
/// compared (other systems), a living pid has to do.
fn started_as_told(process: &Identity, told: Option<&str>) -> bool {
    match told {
        Some(told) if cfg!(target_os = "linux") && told.bytes().all(|byte| byte.is_ascii_digit()) => {
            process.system_start() == told
        }
        _ => true,
    }
}

/// Pids of another container mean nothing here.
fn same_namespace(domain: Option<&str>) -> bool {
    let told = domain.and_then(|domain| domain.rsplit_once(":pid:")).map(|(_, namespace)| namespace);
    let own = fs::read_link("/proc/self/ns/pid").ok();
    match (told, own.as_deref().and_then(Path::to_str).and_then(|link| link.strip_prefix("pid:"))) {
        (Some(told), Some(own)) => told == own,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(dir: &Path, name: &str, text: &str) {
        fs::write(dir.join(name), text).unwrap();
    }

    #[test]
    fn only_a_living_process_with_the_right_start_owns_a_session() {
        let dir = tempfile::tempdir().unwrap();
        let session = SessionId::new();
        assert_eq!(live_owner(&dir.path().join("missing"), session).unwrap(), None);
        let own = Identity::own().unwrap();
        let start = own.system_start().to_owned();
        write(dir.path(), "1.json", "not json");
        write(dir.path(), "2.json", r#"{"pid":"x"}"#);
        write(dir.path(), "3.key", "");
        let record = |start: &str, session: SessionId| {
            format!(r#"{{"pid":{},"sessionId":"{session}","procStart":"{start}","more":[]}}"#, own.pid)
        };
        write(dir.path(), "4.json", &record(&start, SessionId::new()));
        if cfg!(target_os = "linux") {
            write(dir.path(), "5.json", &record("1", session));
        }
        assert_eq!(live_owner(dir.path(), session).unwrap(), None);
        write(dir.path(), "6.json", &record(&start, session));
        assert_eq!(live_owner(dir.path(), session).unwrap().unwrap().process, own);
    }
}
