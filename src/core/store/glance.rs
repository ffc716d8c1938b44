//! One look at a database that is there: nothing is made, upgraded or waited for.

use std::{path::Path, time::Duration};

use super::{
    DATABASE, StoreError, View,
    migrations::{self, LADDER},
    open::{self, Whose},
};

/// How long a look waits for another process's transaction: somebody may be waiting for it at a shell.
const PATIENCE: Duration = Duration::from_millis(200);

/// What `look` makes of the database in `dir`; `None` where there is none of ours with this version's tables. Blocks.
pub fn glance<T>(dir: &Path, look: impl FnOnce(&View<'_>) -> Result<T, StoreError>) -> Result<Option<T>, StoreError> {
    if open::whose(&dir.join(DATABASE))? != Whose::Ours(migrations::version_of(LADDER)) {
        return Ok(None);
    }
    let mut connection = open::look(dir)?;
    connection.busy_timeout(PATIENCE)?;
    let transaction = connection.transaction()?;
    look(&View { connection: &transaction }).map(Some)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::core::store::AgentFilter;

    fn count(dir: &Path) -> Option<u64> {
        glance(dir, |view| view.agents(AgentFilter { state: None, limit: 1, offset: 0 }))
            .unwrap()
            .map(|(_, total)| total)
    }

    #[test]
    fn a_look_sees_what_is_there_and_makes_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let missing = dir.path().join("missing");
        assert_eq!((count(&missing), missing.exists()), (None, false));
        assert_eq!((count(dir.path()), fs::read_dir(dir.path()).unwrap().count()), (None, 0));
        let connection = open::open(dir.path()).unwrap();
        assert_eq!(count(dir.path()), Some(0));
        connection.pragma_update(None, "user_version", 999).unwrap();
        assert_eq!(count(dir.path()), None, "another version's tables");
    }
}
