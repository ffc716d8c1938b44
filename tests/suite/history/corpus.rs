//! Makes transcripts like real ones: always the same for the same seed, so that nothing has to be committed.

use std::{
    fmt::Write as _,
    fs::{self, File},
    io::{self, BufWriter, Write},
    path::Path,
};

/// A word that stands in very few sessions.
pub(crate) const RARE: &str = "xylocarpous";
/// A word that stands in nearly every record.
pub(crate) const FREQUENT: &str = "function";

/// Milliseconds since the epoch at which the first session of a corpus begins (2026-01-01).
const BEGIN: i64 = 1_767_225_600_000;

const WORDS: [&str; 48] = [
    "the",
    "a",
    "of",
    "to",
    "in",
    "is",
    "and",
    "this",
    "that",
    "it",
    "for",
    "with",
    "as",
    "on",
    "be",
    "not",
    "return",
    FREQUENT,
    "value",
    "error",
    "test",
    "file",
    "line",
    "module",
    "import",
    "const",
    "struct",
    "because",
    "we",
    "can",
    "should",
    "when",
    "from",
    "result",
    "option",
    "parser",
    "buffer",
    "index",
    "config",
    "server",
    "client",
    "request",
    "update",
    "Größe",
    "naïve",
    "日本語",
    "→",
    "✓",
];

/// A stream of numbers (`SplitMix64`).
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    /// The stream of a seed.
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end as u64).unwrap_or(0)
    }

    /// A random UUID.
    pub(crate) fn uuid(&mut self) -> String {
        let (high, low) = (self.next(), self.next());
        format!(
            "{:08x}-{:04x}-4{:03x}-8{:03x}-{:012x}",
            high >> 32,
            high >> 16 & 0xFFFF,
            high & 0xFFF,
            low >> 52,
            low & 0xFFFF_FFFF_FFFF
        )
    }

    /// Text of about so many bytes, escaped for JSON: prose and code with line ends, quotes and tabs.
    fn text(&mut self, bytes: usize, out: &mut String) {
        let end = out.len() + bytes;
        while out.len() < end {
            out.push_str(WORDS[self.below(WORDS.len())]);
            match self.below(720) {
                0 => out.push_str("\\u001b[0m "),
                choice => match choice % 24 {
                    0 => out.push_str(".\\n"),
                    1 => out.push_str("();\\n\\t"),
                    2 => out.push_str(" \\\"x\\\" "),
                    3 => write!(out, " {} ", self.below(100_000)).unwrap_or_default(),
                    _ => out.push(' '),
                },
            }
        }
    }
}

/// Writes one session.
#[derive(Debug)]
pub(crate) struct Writer<W> {
    out: W,
    random: Random,
    session: String,
    time: i64,
    parent: Option<String>,
    written: usize,
    line: String,
}

impl<W: Write> Writer<W> {
    /// A session that begins at `time`, in milliseconds since the epoch.
    pub(crate) fn new(out: W, session: &str, seed: u64, time: i64) -> Self {
        let random = Random::new(seed);
        Self { out, random, session: session.to_owned(), time, parent: None, written: 0, line: String::new() }
    }

    /// Turn after turn until the file has about so many bytes.
    ///
    /// # Errors
    /// The writer failed.
    pub(crate) fn turns(&mut self, bytes: usize) -> io::Result<()> {
        while self.written < bytes {
            self.turn()?;
        }
        self.out.flush()
    }

    /// A prompt, attachments, tool calls with their results, an answer.
    ///
    /// # Errors
    /// The writer failed.
    pub(crate) fn turn(&mut self) -> io::Result<()> {
        let mut text = String::new();
        let size = 40 + self.random.below(300);
        self.random.text(size, &mut text);
        self.record("user", &format!(r#""message":{{"role":"user","content":"{text}"}}"#))?;
        for kind in ["environment", "date", "prompt_snapshot"] {
            self.record("attachment", &format!(r#""attachment":{{"type":"{kind}"}}"#))?;
        }
        for _ in 0..=self.random.below(5) {
            self.tool()?;
        }
        self.answer()
    }

    /// An answer of text.
    ///
    /// # Errors
    /// The writer failed.
    pub(crate) fn answer(&mut self) -> io::Result<()> {
        let mut text = String::new();
        let size = 200 + self.random.below(2000);
        self.random.text(size, &mut text);
        self.assistant(&format!(r#"{{"type":"text","text":"{text}"}}"#))
    }

    /// The same, with this text (escaped for JSON) in it.
    ///
    /// # Errors
    /// The writer failed.
    pub(crate) fn answer_with(&mut self, text: &str) -> io::Result<()> {
        self.assistant(&format!(r#"{{"type":"text","text":"{text}"}}"#))
    }

    fn tool(&mut self) -> io::Result<()> {
        let call = format!("toolu_{:016x}", self.random.next());
        let path = format!("/home/dev/project/src/{:x}.rs", self.random.below(4000));
        self.assistant(&format!(
            r#"{{"type":"tool_use","id":"{call}","name":"Read","input":{{"file_path":"{path}","limit":200}}}}"#
        ))?;
        let mut text = String::new();
        let size = 500 + self.random.below(4) * self.random.below(6000);
        self.random.text(size, &mut text);
        self.record(
            "user",
            &format!(
                r#""message":{{"role":"user","content":[{{"tool_use_id":"{call}","type":"tool_result","content":"{text}"}}]}},"toolUseResult":{{"type":"text","file":{{"filePath":"{path}","content":"{text}","numLines":200,"startLine":1}}}}"#
            ),
        )
    }

    fn assistant(&mut self, block: &str) -> io::Result<()> {
        let id = self.random.next();
        self.record(
            "assistant",
            &format!(
                r#""message":{{"id":"msg_{id:016x}","type":"message","role":"assistant","model":"claude-sonnet-5-5","content":[{block}],"stop_reason":"end_turn","stop_sequence":null,"usage":{{"input_tokens":12,"cache_creation_input_tokens":0,"cache_read_input_tokens":1200,"output_tokens":25,"service_tier":"standard"}}}},"requestId":"req_{id:016x}""#
            ),
        )
    }

    fn record(&mut self, kind: &str, fields: &str) -> io::Result<()> {
        let uuid = self.random.uuid();
        let parent = self.parent.replace(uuid.clone()).map_or("null".to_owned(), |parent| format!("\"{parent}\""));
        self.time += 20 + i64::try_from(self.random.below(4000)).unwrap_or(0);
        self.line.clear();
        writeln!(
            self.line,
            r#"{{"parentUuid":{parent},"isSidechain":false,"userType":"external","cwd":"/home/dev/project","sessionId":"{}","version":"2.1.332","gitBranch":"main","type":"{kind}",{fields},"uuid":"{uuid}","timestamp":"{}"}}"#,
            self.session,
            timestamp(self.time)
        )
        .unwrap_or_default();
        self.written += self.line.len();
        self.out.write_all(self.line.as_bytes())
    }
}

/// A time as transcripts write it.
pub(crate) fn timestamp(milliseconds: i64) -> String {
    ccmcp::core::clock::Timestamp::from_millis(milliseconds).map(|at| at.to_string()).unwrap_or_default()
}

/// Fills a projects directory with so many sessions of so many bytes each, over forty projects.
///
/// Files are as old as their last record, as the real ones are.
///
/// # Errors
/// A file cannot be written.
pub(crate) fn fill(projects: &Path, sessions: usize, bytes: usize) -> io::Result<()> {
    for index in 0..sessions {
        let project = projects.join(format!("-home-dev-project-{:02}", index % 40));
        fs::create_dir_all(&project)?;
        let id = Random::new(index as u64).uuid();
        let file = File::create(project.join(format!("{id}.jsonl")))?;
        let begin = BEGIN + i64::try_from(index).unwrap_or(0) * 3_600_000;
        let mut writer = Writer::new(BufWriter::new(&file), &id, index as u64, begin);
        writer.turns(bytes)?;
        if index % 500 == 250 {
            writer.answer_with(&format!("Look at the {RARE} one."))?;
        }
        let end = u64::try_from(writer.time).unwrap_or(0);
        drop(writer);
        file.set_modified(std::time::UNIX_EPOCH + std::time::Duration::from_millis(end))?;
    }
    Ok(())
}
