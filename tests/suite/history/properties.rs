//! What holds for every transcript.

use std::{collections::BTreeSet, fs};

use ccmcp::core::{
    history::{GetForks, GetThread, GetTree, History, ListSessions, Search, Thread, Watch},
    transcript::{Integrity, Tree, TreeBuilder, read_grown},
};
use proptest::prelude::*;

use super::{
    corpus::Random,
    draft::{Folder, session_id},
    generated::{Generated, damaged, generate},
};

fn cases() -> ProptestConfig {
    ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() }
}

fn thread(history: &History, leaf: Option<&str>) -> Thread {
    let asked = GetThread {
        session_id: session_id(1),
        leaf_uuid: leaf.map(str::to_owned),
        limit: Some(200),
        ..GetThread::default()
    };
    history.get_thread(&asked).unwrap()
}

fn uuids(thread: &Thread) -> Vec<&str> {
    thread.messages.iter().map(|message| &*message.uuid).collect()
}

/// Everything that the views of a session say, but for the counts of damage.
fn views(history: &History) -> String {
    let mut tree = history.get_tree(&GetTree { session_id: session_id(1), ..GetTree::default() }).unwrap();
    let integrity = std::mem::take(&mut tree.integrity);
    let forks = history.get_forks(&GetForks { session_id: session_id(1), ..GetForks::default() }).unwrap();
    let threads: Vec<_> = tree.leaves.iter().map(|leaf| thread(history, Some(&leaf.uuid))).collect();
    let mended = (integrity.bridged_links, integrity.cut_cycles, integrity.duplicate_records);
    format!("{tree:#?}\n{forks:#?}\n{threads:#?}\n{mended:?}")
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn every_message_is_in_exactly_one_place(seed: u64, steps in 0_usize..60) {
        let Generated { draft, messages, cycles, duplicates, .. } = generate(seed, 1, steps);
        let folder = Folder::new();
        folder.session("-p", &draft);
        let history = folder.history();
        let tree = history.get_tree(&GetTree { session_id: session_id(1), ..GetTree::default() }).unwrap();
        prop_assert_eq!(tree.message_count, messages.len());
        prop_assert_eq!(tree.integrity.cut_cycles, cycles);
        prop_assert_eq!(tree.integrity.duplicate_records, duplicates);
        prop_assert_eq!((tree.integrity.torn_lines, tree.integrity.skipped_bytes), (0, 0));
        let mut seen = BTreeSet::new();
        for records in messages.values() {
            // Every record of a message leads to the one place of the message.
            let threads: Vec<_> = records.iter().map(|record| thread(&history, Some(record))).collect();
            let own = uuids(&threads[0]);
            for other in &threads {
                prop_assert_eq!(&uuids(other), &own);
            }
            let last = *own.last().unwrap();
            prop_assert!(records.iter().any(|record| record == last), "{} is none of {:?}", last, records);
            prop_assert!(seen.insert(last.to_owned()), "{} stands for two messages", last);
            prop_assert_eq!(own.iter().collect::<BTreeSet<_>>().len(), own.len(), "a message twice in one thread");
            // A thread is the thread of its last but one message and one more: there is one way to every message.
            if let [.., before, _] = &own[..] {
                let above = thread(&history, Some(before));
                prop_assert_eq!(uuids(&above), &own[..own.len() - 1]);
            }
        }
    }

    #[test]
    fn damage_around_the_records_changes_nothing(seed: u64, steps in 1_usize..40) {
        let made = generate(seed, 1, steps);
        let (clean, broken) = (Folder::new(), Folder::new());
        clean.session("-p", &made.draft);
        let bytes = damaged(&made.draft, &mut Random::new(seed ^ 1));
        broken.write(&format!("-p/{}.jsonl", session_id(1)), &bytes);
        let (expected, found) = (views(&clean.history()), views(&broken.history()));
        let differs = expected.lines().zip(found.lines()).enumerate().find(|(_, (expected, found))| expected != found);
        prop_assert!(expected == found, "{:?}\n{}", differs, String::from_utf8_lossy(&bytes));
        prop_assert_eq!(views(&broken.history()), views(&broken.history()), "not the same twice");
    }

    #[test]
    fn a_file_read_as_it_grows_is_the_whole_file(seed: u64, steps in 1_usize..40, cuts in prop::collection::vec(0.0..1.0, 0..4)) {
        let made = generate(seed, 1, steps);
        let bytes = damaged(&made.draft, &mut Random::new(seed ^ 1));
        let folder = Folder::new();
        let path = folder.write("-p/whole.jsonl", &bytes);
        let whole = Tree::read(&path).unwrap();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss, reason = "a place in a small file")]
        let mut cuts: Vec<_> = cuts.into_iter().map(|cut| (cut * bytes.len() as f64) as usize).collect();
        cuts.sort_unstable();
        cuts.push(bytes.len());
        let mut builder = TreeBuilder::default();
        let mut offset = 0;
        let mut integrity = Integrity::default();
        let path = folder.path().join("-p/growing.jsonl");
        for cut in cuts {
            fs::write(&path, &bytes[..cut]).unwrap();
            let (found, read) = read_grown(&path, offset, &mut |place, record| builder.add(place, record)).unwrap();
            // What was still being written is told by the next reading.
            integrity = found;
            offset = read;
            let so_far = Tree::read(&path).unwrap();
            let grown = builder.tree(&integrity);
            prop_assert_eq!(format!("{:?}", grown.nodes().collect::<Vec<_>>()), format!("{:?}", so_far.nodes().collect::<Vec<_>>()));
        }
        let grown = builder.into_tree(&integrity);
        prop_assert_eq!(format!("{:?}", grown.nodes().collect::<Vec<_>>()), format!("{:?}", whole.nodes().collect::<Vec<_>>()));
        prop_assert_eq!(grown.integrity.duplicate_records, whole.integrity.duplicate_records);
        prop_assert_eq!(grown.integrity.bridged_links, whole.integrity.bridged_links);
    }

    #[test]
    fn no_bytes_are_too_broken(seed: u64, steps in 1_usize..30, changes in 1_usize..40) {
        let made = generate(seed, 1, steps);
        let mut random = Random::new(seed ^ 2);
        let mut bytes = damaged(&made.draft, &mut random);
        for _ in 0..changes {
            let at = random.below(bytes.len());
            match random.below(4) {
                0 => bytes[at] = random.next().to_le_bytes()[0],
                1 => { bytes.remove(at); }
                2 => bytes.insert(at, b"\"\\{}[]\n\0,:"[random.below(10)]),
                _ => { let end = (at + random.below(200)).min(bytes.len()); bytes.drain(at..end); }
            }
            if bytes.is_empty() {
                bytes.push(b'\n');
            }
        }
        let folder = Folder::new();
        folder.write(&format!("-p/{}.jsonl", session_id(1)), bytes);
        let history = folder.history();
        let first = views(&history);
        prop_assert_eq!(first, views(&history));
        history.list_sessions(&ListSessions { include_empty: true, ..ListSessions::default() }).unwrap();
        for query in ["t", "lighthouse", "\u{7F}"] {
            let asked = Search { query: query.into(), ..Search::default() };
            let found = history.search(&asked, &Watch::default()).unwrap();
            prop_assert!(found.complete && found.unreadable.is_empty());
        }
    }
}
