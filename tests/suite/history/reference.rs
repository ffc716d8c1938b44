//! Search against a slow one that parses everything, on files written in every way that JSON allows.

use std::{collections::BTreeMap, fmt::Write as _, fs, time::Duration};

use ccmcp::core::history::{History, Mode, Role, Search, SearchHit, Watch, Within};
use proptest::prelude::*;
use regex::{Regex, RegexBuilder};
use serde_json::Value;

use super::{
    corpus::Random,
    draft::{BEGIN, Folder, session_id},
    generated::{Generated, generate},
};

/// Writes a value the way some writer could: characters escaped or not, spaces or none.
fn write(value: &Value, random: &mut Random, out: &mut String) {
    let space = ["", "", " "][random.below(3)];
    match value {
        Value::String(text) => string(text, random, out),
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index == 0 { space } else { "," });
                write(item, random, out);
            }
            out.push(']');
        }
        Value::Object(fields) => {
            out.push('{');
            for (index, (key, value)) in fields.iter().enumerate() {
                out.push_str(if index == 0 { "" } else { "," });
                write!(out, "\"{key}\":{space}").unwrap();
                write(value, random, out);
            }
            out.push('}');
        }
        other => write!(out, "{other}").unwrap(),
    }
}

fn string(text: &str, random: &mut Random, out: &mut String) {
    let style = random.below(4);
    out.push('"');
    for character in text.chars() {
        let plain = match character {
            '"' | '\\' => format!("\\{character}"),
            '/' if random.below(3) == 0 => "\\/".to_owned(),
            '\n' => "\\n".to_owned(),
            '\t' => "\\t".to_owned(),
            control if control < ' ' => format!("\\u{:04x}", u32::from(control)),
            other => other.to_string(),
        };
        let escape = match style {
            0 | 1 => false,
            2 => !character.is_ascii(),
            _ => random.below(3) == 0,
        };
        if escape {
            let upper = random.below(2) == 0;
            for unit in character.encode_utf16(&mut [0; 2]) {
                if upper { write!(out, "\\u{unit:04X}") } else { write!(out, "\\u{unit:04x}") }.unwrap();
            }
        } else {
            out.push_str(&plain);
        }
    }
    out.push('"');
}

/// Every text that counts, by what is searched and who wrote it.
fn texts(record: &Value) -> Vec<(Within, Role, String)> {
    fn strings(value: &Value, found: &mut Vec<String>) {
        match value {
            Value::String(text) => found.push(text.clone()),
            Value::Array(items) => items.iter().for_each(|item| strings(item, found)),
            Value::Object(fields) => fields.values().for_each(|value| strings(value, found)),
            _ => {}
        }
    }
    let mut found = Vec::new();
    let mut add = |within, role, value: &Value| {
        let mut all = Vec::new();
        strings(value, &mut all);
        found.extend(all.into_iter().map(|text| (within, role, text)));
    };
    let user = record["type"] == "user";
    let wrapped = |text: &str| text.starts_with("<local-command") || text.starts_with("<ide_");
    let hidden = record["isMeta"] == true || record["isCompactSummary"] == true;
    let role = if user { Role::User } else { Role::Assistant };
    let role = if record["isApiErrorMessage"] == true { Role::System } else { role };
    match &record["message"]["content"] {
        Value::String(text) if !hidden && !wrapped(text) => add(Within::Messages, role, &record["message"]["content"]),
        Value::Array(blocks) => {
            for block in blocks {
                match block["type"].as_str().unwrap() {
                    "text" if !hidden && !wrapped(block["text"].as_str().unwrap()) => {
                        add(Within::Messages, role, &block["text"]);
                    }
                    "thinking" => add(Within::Thinking, Role::Assistant, &block["thinking"]),
                    "tool_use" => {
                        add(Within::Tools, Role::Assistant, &block["name"]);
                        add(Within::Tools, Role::Assistant, &block["input"]);
                    }
                    "tool_result" => add(Within::Tools, Role::Tool, &block["content"]),
                    _ => {}
                }
            }
        }
        _ => {}
    }
    if record["type"] == "system" {
        add(Within::Messages, Role::System, &record["content"]);
    }
    if let Some(result) = record.get("toolUseResult") {
        add(Within::Tools, Role::Tool, result);
    }
    found
}

fn pattern(asked: &Search) -> Vec<Regex> {
    let parts: Vec<String> = match asked.mode {
        Mode::Text => vec![regex::escape(&asked.query)],
        Mode::Words => asked.query.split_whitespace().map(regex::escape).collect(),
        Mode::Regex => vec![asked.query.clone()],
    };
    parts.iter().map(|part| RegexBuilder::new(part).case_insensitive(!asked.case_sensitive).build().unwrap()).collect()
}

/// The hits of the slow search: uuid and time, newest first.
fn slow(made: &[Generated], asked: &Search) -> Vec<(String, String)> {
    let wanted = pattern(asked);
    let mut found = BTreeMap::new();
    for record in made.iter().flat_map(|made| &made.draft.records) {
        let Some(uuid) = record["uuid"].as_str() else { continue };
        if found.contains_key(uuid) || record["isSidechain"] == true {
            continue;
        }
        let texts = texts(record)
            .into_iter()
            .filter(|(within, role, _)| (*within == asked.within) && asked.role.is_none_or(|wanted| wanted == *role));
        let texts: Vec<_> = texts.map(|(_, _, text)| text).collect();
        let holds = |wanted: &Regex| texts.iter().any(|text| wanted.find_iter(text).any(|found| !found.is_empty()));
        if !texts.is_empty() && wanted.iter().all(holds) {
            found.insert(uuid.to_owned(), record["timestamp"].as_str().unwrap().to_owned());
        }
    }
    let mut found: Vec<_> = found.into_iter().collect();
    found.sort_by(|a, b| (&b.1, &a.0).cmp(&(&a.1, &b.0)));
    found
}

/// All pages of a search.
fn pages(history: &History, asked: &Search, most: usize) -> Vec<SearchHit> {
    let mut hits = Vec::new();
    let mut asked = Search { max_results: Some(most), ..asked.clone() };
    loop {
        let page = history.search(&asked, &Watch::default()).unwrap();
        hits.extend(page.hits);
        let Some(next) = page.next_offset else {
            assert_eq!((page.total, page.complete), (hits.len(), true));
            return hits;
        };
        assert!(next > asked.offset);
        asked.offset = next;
    }
}

/// A query that is likely to find something.
fn query(made: &[Generated], random: &mut Random) -> Search {
    let from = &made[random.below(made.len())].texts;
    let text = if from.is_empty() { "x".to_owned() } else { from[random.below(from.len())].clone() };
    let characters: Vec<char> = text.chars().collect();
    let start = random.below(characters.len());
    let length = 1 + random.below(8);
    let mut query: String = characters.iter().skip(start).take(length).collect();
    match random.below(4) {
        0 => query = query.to_uppercase(),
        1 => query = query.to_lowercase(),
        _ => {}
    }
    if query.trim().is_empty() {
        query = "t".into();
    }
    let read_as = [Mode::Text, Mode::Text, Mode::Words, Mode::Regex][random.below(4)];
    if read_as == Mode::Regex {
        let part = regex::escape(&query);
        let patterns =
            [part.clone(), format!(r"\w*{part}"), format!("({part}|zzz)+"), format!("{part}.?"), r"t\d+".into()];
        query.clone_from(&patterns[random.below(5)]);
    }
    Search {
        query,
        mode: read_as,
        case_sensitive: random.below(3) == 0,
        within: [Within::Messages, Within::Messages, Within::Tools, Within::Thinking][random.below(4)],
        role: [None, None, None, Some(Role::User), Some(Role::Assistant), Some(Role::Tool)][random.below(6)],
        ..Search::default()
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_search_never_misses(seed: u64, steps in 1_usize..40, files in 1_u32..5) {
        let mut random = Random::new(seed ^ 3);
        let made: Vec<_> = (0..files).map(|file| {
            let mut made = generate(seed.wrapping_add(u64::from(file)), file, steps);
            // Sessions that lie apart in time, so that a page can be safe before every file is searched.
            let shift = i64::from(file) * 7_200_000;
            for record in &mut made.draft.records {
                if let Some(time) = record["timestamp"].as_str().and_then(ccmcp::core::clock::Timestamp::parse) {
                    record["timestamp"] = super::corpus::timestamp(time.as_millis() + shift).into();
                }
            }
            made
        }).collect();
        let folder = Folder::new();
        for (made, file) in made.iter().zip(0..) {
            let mut text = String::new();
            for record in &made.draft.records {
                write(record, &mut random, &mut text);
                text.push('\n');
            }
            let path = folder.write(&format!("-p{}/{}.jsonl", file % 2, session_id(file)), text);
            // As old as its records, or older: a copy can be.
            let age = BEGIN + i64::from(file) * 7_200_000 + if random.below(4) == 0 { -1 } else { 3_600_000 };
            let age = std::time::UNIX_EPOCH + Duration::from_millis(u64::try_from(age).unwrap());
            fs::File::options().append(true).open(path).unwrap().set_modified(age).unwrap();
        }
        let history = folder.history();
        for _ in 0..6 {
            let asked = query(&made, &mut random);
            let expected = slow(&made, &asked);
            let found = pages(&history, &asked, 1 + random.below(10));
            let mut ids: Vec<_> = found.iter().map(|hit| (hit.uuid.clone(), hit.timestamp.unwrap().to_string())).collect();
            let times: Vec<_> = ids.iter().map(|(_, time)| time.clone()).collect();
            prop_assert!(times.is_sorted_by(|a, b| a >= b), "newest first: {:?}", times);
            ids.sort_by(|a, b| (&b.1, &a.0).cmp(&(&a.1, &b.0)));
            let missing = expected.iter().find(|hit| !ids.contains(hit));
            let missing = missing.and_then(|(uuid, _)| ["-p0", "-p1"].iter().flat_map(|project| fs::read_dir(folder.path().join(project)).into_iter().flatten()).find_map(|file| {
                let text = fs::read_to_string(file.unwrap().path()).unwrap();
                text.lines().find(|line| line.contains(uuid)).map(str::to_owned)
            }));
            prop_assert_eq!(&ids, &expected, "{:?}\n{:?}", &asked, missing);
            let all: Vec<_> = made.iter().flat_map(|made| &made.draft.records).collect();
            for hit in found {
                let record = all.iter().find(|record| record["uuid"] == *hit.uuid).unwrap();
                let origin = texts(record).into_iter().any(|(_, _, text)| text.contains(&hit.snippet));
                prop_assert!(origin, "{:?} is not a part of {}", hit.snippet, record);
                prop_assert!(!hit.matches.is_empty());
                for span in &hit.matches {
                    let cut: String = hit.snippet.chars().skip(span.start).take(span.end - span.start).collect();
                    let whole = |wanted: &Regex| wanted.find(&cut).is_some_and(|found| found.as_str() == cut);
                    prop_assert!(pattern(&asked).iter().any(whole), "{:?} cut {:?}", &asked.query, cut);
                }
            }
        }
    }
}
