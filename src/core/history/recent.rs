//! The newest sessions at a glance: for a shell that completes an id while somebody waits.

use std::{
    cmp::Reverse,
    fs::File,
    io::{self, Read as _, Seek as _, SeekFrom},
};

use rayon::prelude::*;

use super::{History, facts::Facts};
use crate::core::{
    clock::Timestamp,
    error::Result,
    ids::SessionId,
    transcript::{Chunks, SessionFile, beginning_with},
};

/// How much of a file's beginning is read, and how much of its end: the first prompt stands here, and titles there.
const EDGE: u64 = 128 * 1024;

/// A session at a glance.
#[derive(Clone, Debug)]
pub struct Glance {
    /// The session.
    pub session_id: SessionId,
    /// Its title, else its first prompt; `None` where neither stands at one of its ends.
    pub title: Option<String>,
    /// When its transcript was last written.
    pub written: Timestamp,
}

impl History {
    /// The sessions whose ids begin with `beginning`, the last written first, at most so many. Reads a bounded part of
    /// each, whatever its size.
    ///
    /// # Errors
    /// The projects directory cannot be read.
    pub fn recent_sessions(&self, beginning: &str, most: usize) -> Result<Vec<Glance>> {
        let listed = self.listed(None)?;
        let all = listed.iter().flat_map(|listed| &listed.contents.sessions);
        let mut files: Vec<_> = match beginning {
            "" => all.collect(),
            beginning => beginning_with(all, beginning).collect(),
        };
        files.sort_by_key(|file| Reverse(file.modified));
        files.truncate(most);
        Ok(files.into_par_iter().filter_map(|file| glance(file).ok().flatten()).collect())
    }
}

/// Nothing where nobody has said anything.
fn glance(file: &SessionFile) -> io::Result<Option<Glance>> {
    let mut facts = Facts::default();
    let mut opened = File::open(&file.path)?;
    add(&mut facts, file, &mut (&mut opened).take(EDGE))?;
    if file.size > EDGE {
        opened.seek(SeekFrom::Start(file.size.saturating_sub(EDGE).max(EDGE)))?;
        add(&mut facts, file, &mut opened.take(EDGE))?;
    } else if facts.first_prompt.is_none() {
        return Ok(None);
    }
    let title = facts.custom_title.or(facts.ai_title).or(facts.first_prompt);
    Ok(Some(Glance { session_id: file.id, title, written: file.modified }))
}

fn add(facts: &mut Facts, file: &SessionFile, part: &mut impl io::Read) -> io::Result<()> {
    Chunks::small(part).find_record(|record| {
        facts.add(record, file.id);
        None::<()>
    })?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn line(kind: &str, more: &str) -> String {
        format!("{{\"type\":\"{kind}\",\"uuid\":\"u\",\"message\":{{\"role\":\"user\",\"content\":\"hi\"}}{more}}}\n")
    }

    #[test]
    fn a_huge_session_is_known_by_its_ends() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("-home-dev");
        fs::create_dir(&folder).unwrap();
        let write =
            |id: &str, text: &str| fs::write(folder.join(format!("{id}-0000-4000-8000-000000000000.jsonl")), text);
        let filler = line("user", &format!(",\"x\":\"{}\"", "y".repeat(100_000))).repeat(10);
        let title = "{\"type\":\"ai-title\",\"aiTitle\":\"The title\"}\n";
        write("11111111", &format!("{}{filler}{title}", line("user", ""))).unwrap();
        write("22222222", &line("user", "")).unwrap();
        write("33333333", "{\"type\":\"mode\"}\n").unwrap();
        let history = History::new(root.path().to_path_buf());
        let titles = |beginning: &str, most| -> Vec<Option<String>> {
            let mut found = history.recent_sessions(beginning, most).unwrap();
            found.sort_by_key(|glance| glance.session_id);
            found.into_iter().map(|glance| glance.title).collect()
        };
        assert_eq!(titles("", 10), [Some("The title".to_owned()), Some("hi".to_owned())]);
        assert_eq!(titles("2222", 10), [Some("hi".to_owned())]);
        assert_eq!((titles("", 1).len(), titles("4", 10).len()), (1, 0));
    }
}
