//! One line into its records: usually one, sometimes several, and sometimes what a crash left of one.

use memchr::memmem;
use serde::de::IgnoredAny;
use serde_json::Deserializer;

use super::{
    integrity::Integrity,
    mend::{mend, replace_controls},
    record::Record,
};

/// How many times a damaged line's length may be read again in search of a whole record.
const BUDGET: usize = 8;
/// The longest damaged line of which a copy is made.
const LARGEST_COPY: usize = 16 << 20;

/// Calls `found` for every record in `line`, with its position in the line. Damage is counted in `integrity`.
///
/// `ended` says whether the line's end is there: a last line without one is still being written, not torn.
/// Bytes are changed only where a record has to be mended.
pub fn each_record(line: &mut [u8], ended: bool, integrity: &mut Integrity, found: &mut dyn FnMut(usize, &Record<'_>)) {
    let start = line.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(line.len());
    let Some(rest) = line.get(start..).filter(|rest| !rest.is_empty()) else { return };
    // Nearly every line is exactly one sound record.
    if rest.first() == Some(&b'{')
        && let Ok(record) = Record::strict(rest)
    {
        return found(start, &record);
    }
    let mut reading = Reading { integrity, found, records: 0 };
    // A file system that crashed leaves runs of NUL; JSON never holds one.
    let length = line.len();
    let mut position = 0;
    for part in line.split_mut(|byte| *byte == 0) {
        let last = position + part.len();
        reading.part(part, position, ended);
        reading.integrity.skipped_bytes += u64::from(last < length);
        position = last + 1;
    }
    if reading.records > 1 {
        reading.integrity.shared_lines += 1;
    }
}

/// The slow way through a line that is not exactly one sound record.
struct Reading<'a> {
    integrity: &'a mut Integrity,
    found: &'a mut dyn FnMut(usize, &Record<'_>),
    records: u64,
}

impl Reading<'_> {
    /// Reads a stretch without NULs that begins at `position` of the line.
    fn part(&mut self, part: &mut [u8], position: usize, ended: bool) {
        const BOM: &[u8] = b"\xEF\xBB\xBF";
        let text = part.trim_ascii_end().len();
        let part = part.get_mut(..text).unwrap_or_default();
        let mut at = if part.starts_with(BOM) { BOM.len() } else { 0 };
        self.integrity.skipped_bytes += at as u64;
        let mut torn = false;
        while let Some(rest) = part.get_mut(at..) {
            let blank = rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            at += blank;
            let Some(rest) = rest.get_mut(blank..).filter(|rest| !rest.is_empty()) else { break };
            if let Some(length) = value(rest) {
                self.value(rest.get_mut(..length).unwrap_or_default(), position + at);
                at += length;
                continue;
            }
            // Control characters inside a string are no JSON, but what they stand in is readable.
            if replace_controls(rest) {
                self.integrity.mended_records += 1;
                continue;
            }
            let skipped = next_record(rest).unwrap_or(rest.len());
            let open = skipped == rest.len() && !ended;
            if open {
                self.integrity.unfinished_bytes += skipped as u64;
            } else {
                torn |= rest.first() == Some(&b'{');
                self.integrity.skipped_bytes += skipped as u64;
            }
            at += skipped;
        }
        self.integrity.torn_lines += u64::from(torn);
    }

    /// Reads one whole JSON value.
    fn value(&mut self, bytes: &mut [u8], position: usize) {
        if bytes.first() != Some(&b'{') {
            self.integrity.foreign_lines += 1;
            self.integrity.skipped_bytes += bytes.len() as u64;
            return;
        }
        self.records += 1;
        if let Ok(record) = Record::strict(bytes) {
            return (self.found)(position, &record);
        }
        self.integrity.mended_records += 1;
        match Record::lenient(mend(bytes)) {
            Some(record) => (self.found)(position, &record),
            None => self.integrity.skipped_bytes += bytes.len() as u64,
        }
    }
}

/// The length of the JSON value at the start of `bytes`, whatever its strings hold.
fn value(bytes: &[u8]) -> Option<usize> {
    let mut values = Deserializer::from_slice(bytes).into_iter::<IgnoredAny>();
    values.next()?.ok()?;
    Some(values.byte_offset())
}

/// Where, after the beginning, a whole record starts.
fn next_record(bytes: &mut [u8]) -> Option<usize> {
    let starts: Vec<_> = memmem::find_iter(bytes, b"{\"").filter(|start| *start > 0).collect();
    let mut budget = bytes.len().saturating_mul(BUDGET).max(1 << 16);
    for start in starts {
        let rest = bytes.get_mut(start..)?;
        let Some(length) = value(rest).or_else(|| mended_value(rest)) else {
            // How far the attempt came is not known; where it failed early, this counts too much.
            budget = budget.checked_sub(rest.len().min(1 << 12))?;
            continue;
        };
        budget = budget.checked_sub(length)?;
        let behind = rest.get(length..)?.trim_ascii_start();
        // What is a part of something else has the rest of that behind it.
        let is_part = matches!(behind.first(), Some(b',' | b']' | b'}'));
        if !is_part && is_record(rest.get(..length)?) {
            return Some(start);
        }
    }
    None
}

/// Like [`value`], where control characters in strings stand in the way: only what begins at a record tells
/// what is inside a string, so it is tried on a copy.
fn mended_value(bytes: &mut [u8]) -> Option<usize> {
    if bytes.len() > LARGEST_COPY {
        return None;
    }
    let mut copy = bytes.to_vec();
    let length = replace_controls(&mut copy).then(|| value(&copy))??;
    bytes.copy_from_slice(&copy);
    Some(length)
}

/// Whether this object is a record rather than a part of one.
fn is_record(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    Record::lenient(&text).is_some_and(|record| {
        record.kind.is_some() && (record.uuid.is_some() || record.session_id.is_some() || record.leaf.is_some())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The uuids of the records in a line, and the damage.
    fn read(line: &[u8], ended: bool) -> (Vec<String>, Integrity) {
        let mut integrity = Integrity::default();
        let mut uuids = Vec::new();
        each_record(&mut line.to_vec(), ended, &mut integrity, &mut |_, record| {
            uuids.push(record.uuid.as_deref().unwrap_or("-").to_owned());
        });
        (uuids, integrity)
    }

    const A: &str = r#"{"type":"user","uuid":"a","message":{"role":"user","content":[{"type":"text","text":"x"}]}}"#;
    const B: &str = r#"{"type":"user","uuid":"b","isMeta":true}"#;

    #[test]
    fn sound_lines_are_clean() {
        for line in [A, " {\"uuid\":\"a\"} \r", "{\"uuid\":\"a\",\"type\":null}"] {
            let (uuids, integrity) = read(line.as_bytes(), true);
            assert_eq!((uuids, integrity.is_clean()), (vec!["a".to_owned()], true), "{line}");
        }
        assert!(read(b"  \r", true).1.is_clean());
    }

    #[test]
    fn several_records_on_a_line_are_all_read() {
        let (uuids, integrity) = read(format!("{A}{B} {A}").as_bytes(), true);
        assert_eq!((uuids.join(""), integrity.shared_lines, integrity.torn_lines), ("aba".into(), 1, 0));
    }

    #[test]
    fn the_record_behind_a_torn_one_is_found_wherever_it_broke() {
        for cut in 1..A.len() {
            let (torn, _) = A.split_at(cut);
            let (uuids, integrity) = read(format!("{torn}{B}").as_bytes(), true);
            assert_eq!(uuids, ["b"], "cut at {cut}");
            assert_eq!((integrity.torn_lines, integrity.skipped_bytes), (1, cut as u64), "cut at {cut}");
            let (uuids, integrity) = read(torn.as_bytes(), true);
            assert_eq!((uuids.len(), integrity.torn_lines, integrity.skipped_bytes), (0, 1, cut as u64));
            let (uuids, integrity) = read(torn.as_bytes(), false);
            assert_eq!((uuids.len(), integrity.torn_lines, integrity.unfinished_bytes), (0, 0, cut as u64));
        }
    }

    #[test]
    fn nul_runs_and_a_byte_order_mark_are_skipped() {
        let (uuids, integrity) = read(format!("\0\0\0{A}\0\0{B}").as_bytes(), true);
        assert_eq!((uuids.join(""), integrity.skipped_bytes), ("ab".into(), 5));
        assert_eq!(read(format!("\u{FEFF}{A}").as_bytes(), true).0, ["a"]);
    }

    #[test]
    fn broken_strings_and_fields_of_the_wrong_type_do_not_cost_the_record() {
        for line in [
            &b"{\"uuid\":\"a\",\"type\":\"user\",\"cwd\":\"\\ud800\"}"[..],
            b"{\"uuid\":\"a\",\"type\":\"user\",\"cwd\":\"\xFF\"}",
            b"{\"uuid\":\"a\",\"type\":\"user\",\"cwd\":\"tab\there\"}",
            b"{\"uuid\":\"a\",\"type\":\"user\",\"cwd\":[1],\"message\":\"text\",\"isMeta\":\"no\"}",
            b"{\"uuid\":\"a\",\"type\":\"user\",\"uuid\":\"a\"}",
        ] {
            let (uuids, integrity) = read(line, true);
            assert_eq!((uuids, integrity.mended_records), (vec!["a".to_owned()], 1));
        }
    }

    #[test]
    fn what_is_no_object_is_counted() {
        for line in ["// a comment", "[1,2]", "\"text\"", "12", "null", "nonsense"] {
            let (uuids, integrity) = read(line.as_bytes(), true);
            assert_eq!((uuids.len(), integrity.skipped_bytes), (0, line.len() as u64), "{line}");
            assert_eq!(integrity.torn_lines, 0, "{line}");
        }
    }
}
