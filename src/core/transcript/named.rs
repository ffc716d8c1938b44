//! Sessions by how their ids begin.

use super::SessionFile;
use crate::core::{ids::SessionId, nearest::nearest_ids};

/// The sessions that `asked` means: those whose id begins with it, in whatever case. Nothing means none.
pub fn beginning_with<'a>(
    sessions: impl IntoIterator<Item = &'a SessionFile>,
    asked: &str,
) -> impl Iterator<Item = &'a SessionFile> {
    let asked = asked.to_ascii_lowercase();
    sessions.into_iter().filter(move |session| !asked.is_empty() && session.id.to_string().starts_with(&asked))
}

/// The sessions whose ids begin nearly like `asked`, each once.
pub fn nearly_named<'a>(sessions: impl IntoIterator<Item = &'a SessionFile>, asked: &str) -> Vec<SessionId> {
    let mut ids: Vec<SessionId> = sessions.into_iter().map(|session| session.id).collect();
    // One id may have been used in several directories.
    ids.sort_unstable();
    ids.dedup();
    nearest_ids(asked, ids)
}
