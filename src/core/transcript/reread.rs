//! Goes back to single records of a file, to show their texts.

use std::{
    fs::File,
    io::{self, Seek as _, SeekFrom},
    path::Path,
};

use super::{chunks::Chunks, integrity::Integrity, line::each_record, record::Record, tree::Place};

/// Reads single records of a file by their [`Place`].
#[derive(Debug)]
pub struct Reread {
    file: File,
}

impl Reread {
    /// Opens the file.
    ///
    /// # Errors
    /// The file cannot be opened.
    pub fn open(path: &Path) -> io::Result<Self> {
        Ok(Self { file: File::open(path)? })
    }

    /// What `read` makes of the line that begins at `offset`; `None` where the file has become shorter.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn line<T>(&mut self, offset: u64, read: impl FnOnce(&mut [u8]) -> T) -> io::Result<Option<T>> {
        self.file.seek(SeekFrom::Start(offset))?;
        let mut chunks = Chunks::small(&mut self.file);
        let line = chunks.next_chunk()?.and_then(|chunk| chunk.lines().next());
        Ok(line.map(|line| read(line.bytes)))
    }

    /// What `read` makes of the record at `place`; `None` where there is none any more.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn record<T>(&mut self, place: Place, read: impl FnOnce(&Record<'_>) -> T) -> io::Result<Option<T>> {
        let mut read = Some(read);
        let result = self.line(place.line, |line| {
            let mut result = None;
            each_record(line, true, &mut Integrity::default(), &mut |position, record| {
                if u32::try_from(position) == Ok(place.position)
                    && let Some(read) = read.take()
                {
                    result = Some(read(record));
                }
            });
            result
        })?;
        Ok(result.flatten())
    }
}
