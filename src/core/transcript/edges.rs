//! What the first and the last records of a session tell, without reading the whole file.

use std::{
    fs::File,
    io::{self, Read as _, Seek as _, SeekFrom},
    ops::Range,
};

use memchr::{memchr, memmem, memrchr};

use super::{chunks::Chunks, integrity::Integrity, line::each_record, locate::SessionFile, record::Record};

/// How much is read at first, going backwards: mostly it is enough.
const FIRST_BLOCK: u64 = 16 * 1024;
/// How much is read at once at most.
const BLOCK: u64 = 256 * 1024;

impl SessionFile {
    /// The first working directory that a record names: where the session was started.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn first_cwd(&self) -> io::Result<Option<String>> {
        let mut chunks = Chunks::small(File::open(&self.path)?);
        chunks.find_record(|record| record.cwd.as_deref().map(str::to_owned))
    }

    /// The total in the last `cost-state` record, in US dollars: where the next process goes on counting.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn last_cost_usd(&self) -> io::Result<Option<f64>> {
        last_record(&mut File::open(&self.path)?, b"\"cost-state\"", |record| {
            record.is("cost-state").then_some(record.total_cost_usd)?
        })
    }
}

/// What `found` makes of the last record for which it makes something, among the lines that hold `mark`.
///
/// Reads the file backwards in blocks; a line is held as a whole only when it holds the mark.
///
/// # Errors
/// The file cannot be read.
pub fn last_record<T>(
    file: &mut File,
    mark: &[u8],
    mut found: impl FnMut(&Record<'_>) -> Option<T>,
) -> io::Result<Option<T>> {
    let finder = memmem::FinderRev::new(mark);
    let mut end = file.seek(SeekFrom::End(0))?;
    let mut size = FIRST_BLOCK;
    let mut block = Vec::new();
    while end > 0 {
        let start = end.saturating_sub(size);
        // A mark that begins in this block may end in the next one.
        read_at(file, start, end - start + mark.len() as u64 - 1, &mut block)?;
        let mut searched = block.len();
        let mut before = start;
        while let Some(at) = block.get(..searched).and_then(|bytes| finder.rfind(bytes)) {
            let (line_start, mut line) = match line_in(&block, at, start == 0) {
                Some(line) => (start + line.start as u64, block.get(line).unwrap_or_default().to_vec()),
                None => line_around(file, start + at as u64)?,
            };
            let mut result = None;
            each_record(&mut line, true, &mut Integrity::default(), &mut |_, record| {
                result = found(record).or_else(|| result.take());
            });
            if result.is_some() {
                return Ok(result);
            }
            before = before.min(line_start);
            searched = usize::try_from(line_start.saturating_sub(start)).unwrap_or(0);
        }
        end = before;
        size = (size * 2).min(BLOCK);
    }
    Ok(None)
}

/// The bounds of the line around `at`, where the whole line is in the block.
fn line_in(block: &[u8], at: usize, from_start: bool) -> Option<Range<usize>> {
    let start = match memrchr(b'\n', block.get(..at)?) {
        Some(newline) => newline + 1,
        None if from_start => 0,
        None => return None,
    };
    Some(start..at + memchr(b'\n', block.get(at..)?)?)
}

/// The line that holds the byte at `position`, and where it begins.
fn line_around(file: &mut File, position: u64) -> io::Result<(u64, Vec<u8>)> {
    let mut block = Vec::new();
    let mut start = position;
    while start > 0 {
        let from = start.saturating_sub(BLOCK);
        read_at(file, from, start - from, &mut block)?;
        if let Some(newline) = memrchr(b'\n', &block) {
            start = from + newline as u64 + 1;
            break;
        }
        start = from;
    }
    file.seek(SeekFrom::Start(start))?;
    let line = Chunks::small(file).next_chunk()?.and_then(|chunk| chunk.lines().next()).map(|line| line.bytes.to_vec());
    Ok((start, line.unwrap_or_default()))
}

/// Fills `buffer` with up to `length` bytes from `position` on.
fn read_at(file: &mut File, position: u64, length: u64, buffer: &mut Vec<u8>) -> io::Result<()> {
    file.seek(SeekFrom::Start(position))?;
    buffer.resize(usize::try_from(length).unwrap_or(usize::MAX), 0);
    let mut filled = 0;
    while let Some(room) = buffer.get_mut(filled..).filter(|room| !room.is_empty()) {
        match file.read(room) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    buffer.truncate(filled);
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::core::transcript::Projects;

    const ID: &str = "561fc984-3b0a-45ca-9fd5-20868fc0b5ac";

    /// A projects directory with one session of this content.
    fn session(content: &[u8]) -> (tempfile::TempDir, SessionFile) {
        let folder = tempfile::tempdir().unwrap();
        let project = folder.path().join("-home-dev");
        fs::create_dir(&project).unwrap();
        fs::write(project.join(format!("{ID}.jsonl")), content).unwrap();
        let mut found = Projects::new(folder.path().to_owned()).sessions_named(ID.parse().unwrap()).unwrap();
        assert_eq!(found.len(), 1);
        (folder, found.remove(0))
    }

    #[test]
    fn the_last_cost_is_found_behind_and_before_huge_lines() {
        let long = "x".repeat(3 * 256 * 1024 + 17);
        let content = format!(
            "{{\"type\":\"cost-state\",\"totalCostUSD\":1.5}}\n{{\"type\":\"user\",\"text\":\"{long}\"}}\n\
             {{\"type\":\"cost-state\",\"totalCostUSD\":2.5,\"pad\":\"{long}\"}}\n\
             {{\"type\":\"user\",\"text\":\"a \\\"cost-state\\\" in a text, and as a value\",\"of\":\"cost-state\"}}\n{long}"
        );
        let (_folder, session) = session(content.as_bytes());
        assert_eq!(session.last_cost_usd().unwrap(), Some(2.5));
    }

    #[test]
    fn the_mark_is_found_wherever_a_block_ends() {
        for shift in 0..40 {
            let content = format!(
                "{{\"type\":\"cost-state\",\"totalCostUSD\":7}}\n{}\n",
                "y".repeat(usize::try_from(FIRST_BLOCK).unwrap() - 60 + shift)
            );
            let (_folder, session) = session(content.as_bytes());
            assert_eq!(session.last_cost_usd().unwrap(), Some(7.0), "{shift}");
        }
    }

    #[test]
    fn a_session_without_records_tells_nothing() {
        for content in [&b""[..], b"\n\n", b"{\"type\":\"mode\"}\n", b"not json"] {
            let (_folder, session) = session(content);
            assert_eq!(session.first_cwd().unwrap(), None);
            assert_eq!(session.last_cost_usd().unwrap(), None);
        }
    }

    #[test]
    fn the_first_cwd_is_where_the_session_was_started() {
        let long = "x".repeat(100_000);
        let content =
            format!("{{\"type\":\"mode\",\"pad\":\"{long}\"}}\n{{\"cwd\":\"/a \\\"b\"}}\n{{\"cwd\":\"/c\"}}\n");
        let (folder, session) = session(content.as_bytes());
        assert_eq!(session.first_cwd().unwrap().as_deref(), Some("/a \"b"));
        assert_eq!(session.project, "-home-dev");
        let projects = Projects::new(folder.path().to_owned());
        assert_eq!(projects.newest_session_of("/home/dev").unwrap(), None, "the records decide, not the slug");
    }
}
