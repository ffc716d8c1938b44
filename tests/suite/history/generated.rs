//! Random transcripts with everything that real ones have been seen to hold, and more.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{corpus::Random, draft::Draft};

/// A random transcript and what is known about it.
#[derive(Clone, Debug)]
pub(super) struct Generated {
    pub(super) draft: Draft,
    /// The messages of the main conversation: the records of each, in the order of the file.
    pub(super) messages: BTreeMap<usize, Vec<String>>,
    /// The texts that were said.
    pub(super) texts: Vec<String>,
    /// How many links lead back to where they came from.
    pub(super) cycles: u64,
    /// How many records are there twice.
    pub(super) duplicates: u64,
}

const PARTS: [&str; 22] = [
    "lighthouse",
    "Möwe",
    "GRÖSSE",
    "灯台",
    "नाव",
    "🚢",
    "\"quoted\"",
    "back\\slash",
    "line\nbreak",
    "tab\there",
    "a/b",
    "<b>",
    "K",
    "\u{212A}elvin",
    "ſtraße",
    "\u{1b}[1m",
    "İstanbul",
    "\u{2028}",
    "null",
    "C:\\u0041",
    "e\u{301}",
    "''",
];

/// Text of some random parts.
pub(super) fn text(random: &mut Random) -> String {
    let parts = 1 + random.below(6);
    let mut text = format!("t{} ", random.below(1000));
    for _ in 0..parts {
        text.push_str(PARTS[random.below(PARTS.len())]);
        text.push_str([" ", "", ", "][random.below(3)]);
    }
    text
}

/// A transcript of so many steps, always the same for the same seed.
pub(super) fn generate(seed: u64, number: u32, steps: usize) -> Generated {
    let mut random = Random::new(seed);
    let mut made =
        Generated { draft: Draft::new(number), messages: BTreeMap::new(), texts: Vec::new(), cycles: 0, duplicates: 0 };
    let mut step = Step { random: &mut random, made: &mut made, known: Vec::new(), next: 0 };
    for _ in 0..steps {
        step.any();
    }
    made
}

struct Step<'a> {
    random: &'a mut Random,
    made: &'a mut Generated,
    /// Records that others can hang under.
    known: Vec<String>,
    next: usize,
}

impl Step<'_> {
    fn uuid(&mut self) -> String {
        self.next += 1;
        // Mostly real UUIDs, sometimes what a test or an old tool wrote.
        if self.next.is_multiple_of(7) {
            format!("record-{}-{}", &self.made.draft.session[..8], self.next)
        } else {
            self.random.uuid()
        }
    }

    fn said(&mut self) -> String {
        let text = text(self.random);
        self.made.texts.push(text.clone());
        text
    }

    /// Goes on at the last record, or sometimes at an earlier one.
    fn somewhere(&mut self) {
        if self.random.below(5) == 0 && !self.known.is_empty() {
            let at = self.known[self.random.below(self.known.len())].clone();
            self.made.draft.under(&at);
        }
    }

    fn message(&mut self, uuid: &str) {
        let index = self.made.messages.len();
        self.made.messages.insert(index, vec![uuid.to_owned()]);
    }

    fn known(&mut self, uuid: String) {
        self.known.push(uuid);
    }

    fn any(&mut self) {
        match self.random.below(16) {
            0..=3 => self.prompt(),
            4..=6 => self.answer(),
            7 | 8 => self.tools(),
            9 => self.aside(),
            10 => self.compaction(),
            11 => self.dangling(),
            12 => self.forward(),
            13 => self.cycle(),
            14 => self.duplicate(),
            _ => self.outside(),
        }
    }

    fn prompt(&mut self) {
        self.somewhere();
        let (uuid, text) = (self.uuid(), self.said());
        if self.random.below(3) == 0 {
            let blocks = json!([
                { "type": "text", "text": "<ide_opened_file>x</ide_opened_file>" },
                { "type": "text", "text": text },
            ]);
            self.made.draft.record(&uuid, "user", &json!({ "message": { "role": "user", "content": blocks } }));
        } else {
            self.made.draft.prompt(&uuid, &text);
        }
        self.message(&uuid);
        self.known(uuid);
    }

    fn answer(&mut self) {
        self.somewhere();
        let id = format!("msg_{}", self.next);
        let mut records = Vec::new();
        for kind in 0..=self.random.below(3) {
            let (uuid, text) = (self.uuid(), self.said());
            let block = if kind == 0 && self.random.below(2) == 0 {
                json!([{ "type": "thinking", "thinking": text, "signature": "c2ln" }])
            } else {
                json!([{ "type": "text", "text": text }])
            };
            self.made.draft.blocks(&uuid, &id, &block);
            records.push(uuid);
        }
        self.known.extend(records.iter().cloned());
        let index = self.made.messages.len();
        self.made.messages.insert(index, records);
    }

    /// Parallel calls in one chain; each result hangs under its own call.
    fn tools(&mut self) {
        self.somewhere();
        let id = format!("msg_{}", self.next);
        let mut calls = Vec::new();
        for _ in 0..=self.random.below(4) {
            let (uuid, text) = (self.uuid(), self.said());
            let call = format!("toolu_{}", self.next);
            self.made.draft.call(&uuid, &id, &call, "Bash", &json!({ "command": text, "n": [1, { "deep": "é" }] }));
            calls.push((uuid, call));
        }
        let index = self.made.messages.len();
        self.made.messages.insert(index, calls.iter().map(|(uuid, _)| uuid.clone()).collect());
        for (uuid, call) in calls {
            let (result, text) = (self.uuid(), self.said());
            self.made.draft.under(&uuid).result(&result, &call, &text);
            if self.random.below(2) == 0 {
                self.made.draft.set("toolUseResult", json!({ "stdout": text, "interrupted": false }));
            }
            self.known(uuid);
            self.known(result);
        }
    }

    /// Records of the trunk that nobody said.
    fn aside(&mut self) {
        let (uuid, text) = (self.uuid(), self.said());
        let draft = &mut self.made.draft;
        match self.random.below(6) {
            0 => draft.attachment(&uuid),
            1 => draft.record(&uuid, "progress", &json!({ "data": { "type": "hook" } })),
            2 => draft.record(&uuid, "system", &json!({ "subtype": "informational", "content": text })),
            3 => draft.prompt(&uuid, &format!("<local-command-stdout>{text}</local-command-stdout>")),
            4 => draft.prompt(&uuid, &text).set("isMeta", true),
            _ => draft.answer(&uuid, &text).set("isApiErrorMessage", true),
        };
        self.known(uuid);
    }

    fn compaction(&mut self) {
        let (boundary, summary, text) = (self.uuid(), self.uuid(), self.said());
        let mut logical = self.made.draft.at.clone();
        if self.random.below(4) == 0 {
            logical = Some("00000000-dead-4000-8000-000000000000".into());
        }
        let fields =
            json!({ "subtype": "compact_boundary", "content": "Conversation compacted", "logicalParentUuid": logical });
        self.made.draft.afresh().record(&boundary, "system", &fields);
        self.made.draft.prompt(&summary, &text).set("isCompactSummary", true);
        self.known(summary);
    }

    fn dangling(&mut self) {
        self.made.draft.under("00000000-beef-4000-8000-000000000000");
        let (uuid, text) = (self.uuid(), self.said());
        self.made.draft.prompt(&uuid, &text);
        self.message(&uuid);
        self.known(uuid);
    }

    /// The child comes before its parent.
    fn forward(&mut self) {
        let at = self.made.draft.at.clone();
        let (child, parent) = (self.uuid(), self.uuid());
        let (first, second) = (self.said(), self.said());
        self.made.draft.under(&parent).answer(&child, &first);
        self.message(&child);
        self.made.draft.at = at;
        self.made.draft.prompt(&parent, &second);
        self.message(&parent);
        self.known(child);
        self.known(parent);
    }

    /// One to three records that hang under each other in a circle.
    fn cycle(&mut self) {
        let uuids: Vec<_> = (0..=self.random.below(3)).map(|_| self.uuid()).collect();
        for (index, uuid) in uuids.iter().enumerate() {
            let text = self.said();
            self.made.draft.under(&uuids[(index + 1) % uuids.len()]).prompt(uuid, &text);
            self.message(uuid);
        }
        self.made.cycles += 1;
        self.known.extend(uuids);
    }

    /// A record again, under another parent.
    fn duplicate(&mut self) {
        if self.made.draft.records.is_empty() || self.known.is_empty() {
            return;
        }
        let mut record = self.made.draft.records[self.random.below(self.made.draft.records.len())].clone();
        let dangles = record["parentUuid"].as_str().is_some_and(|parent| parent.contains("-beef-"));
        if record.get("uuid").is_none() || dangles || record["subtype"] == "compact_boundary" {
            return;
        }
        record["parentUuid"] = Value::from(self.known[self.random.below(self.known.len())].clone());
        self.made.draft.records.push(record);
        self.made.duplicates += 1;
    }

    fn outside(&mut self) {
        let text = self.said();
        let session = self.made.draft.session.clone();
        let record = match self.random.below(3) {
            0 => json!({ "type": "queue-operation", "operation": "enqueue", "content": text }),
            1 => json!({ "type": "last-prompt", "lastPrompt": text, "leafUuid": self.made.draft.at }),
            _ => json!({ "type": "of-the-future", "payload": { "message": [text] } }),
        };
        self.made.draft.outside(record).set("sessionId", session);
    }
}

/// The transcript as bytes, with damage between and around the records that costs none of them.
pub(super) fn damaged(draft: &Draft, random: &mut Random) -> Vec<u8> {
    let mut bytes = Vec::new();
    if random.below(3) == 0 {
        bytes.extend(b"\xEF\xBB\xBF");
    }
    let end: &[u8] = if random.below(3) == 0 { b"\r\n" } else { b"\n" };
    for record in &draft.records {
        let line = record.to_string();
        match random.below(12) {
            0 => {
                let torn = 1 + random.below(line.len() - 1);
                bytes.extend(&line.as_bytes()[..torn]);
                bytes.extend(if random.below(2) == 0 { end } else { b"" });
            }
            1 => bytes.extend(vec![0; 1 + random.below(5000)]),
            2 => bytes.extend([b"// comment", end].concat()),
            3 => bytes.extend([b"[1, \"x\"]", end].concat()),
            4 => bytes.extend([b"\xFF\xFE nonsense \x80", end].concat()),
            5 => bytes.extend([b"  ", end, end].concat()),
            _ => {}
        }
        let bare = line.strip_suffix('}').unwrap();
        match random.below(12) {
            0 => bytes.extend(format!("{bare},\"lone\":\"\\ud83d\"}}").bytes()),
            1 => bytes.extend([bare.as_bytes(), b",\"invalid\":\"a\xFF\xC3b\"}"].concat()),
            2 => bytes.extend([bare.as_bytes(), b",\"raw\":\"a\x01b\tc\"}"].concat()),
            3 => bytes.extend(format!("{bare},\"gitBranch\":7,\"version\":[]}}").bytes()),
            _ => bytes.extend(line.bytes()),
        }
        if random.below(8) > 0 {
            bytes.extend(end);
        }
    }
    bytes.extend(end);
    if random.below(2) == 0 {
        bytes.extend(b"{\"type\":\"user\",\"uuid\":\"unfinished\",\"mess");
    }
    bytes
}
