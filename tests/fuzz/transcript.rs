//! Any bytes are a transcript: every view of them is an answer or an error, never a panic, and nothing is lost between
//! the views.

#![no_main]

use std::{cell::RefCell, fs, path::PathBuf};

use ccmcp::core::history::{GetForks, GetThread, GetTree, History, ListSessions, Search, Watch, Within};
use libfuzzer_sys::fuzz_target;
use tempfile::TempDir;

const SESSION: &str = "00000000-0000-4000-8000-000000000001";

thread_local! {
    static PLACE: RefCell<Option<(TempDir, PathBuf)>> = const { RefCell::new(None) };
}

fuzz_target!(|bytes: &[u8]| {
    PLACE.with_borrow_mut(|place| {
        let (folder, file) = place.get_or_insert_with(|| {
            let folder = tempfile::tempdir().expect("a folder");
            let project = folder.path().join("-p");
            fs::create_dir(&project).expect("a project");
            let file = project.join(format!("{SESSION}.jsonl"));
            (folder, file)
        });
        fs::write(file, bytes).expect("a transcript");
        look(&History::new(folder.path().to_path_buf()));
    });
});

fn look(history: &History) {
    let listed = ListSessions { include_empty: true, ..ListSessions::default() };
    history.list_sessions(&listed).expect("a list");
    let Ok(tree) = history.get_tree(&GetTree { session_id: SESSION.into(), ..GetTree::default() }) else { return };
    let forks = history.get_forks(&GetForks { session_id: SESSION.into(), ..GetForks::default() }).expect("forks");
    assert_eq!(forks.total, tree.fork_count, "both views have the same forks");
    for leaf in tree.leaves {
        let asked = GetThread { session_id: SESSION.into(), leaf_uuid: Some(leaf.uuid), ..GetThread::default() };
        history.get_thread(&asked).expect("the thread of a leaf that the tree has");
    }
    let asked = Search { query: "a".into(), within: Within::All, ..Search::default() };
    history.search(&asked, &Watch::default()).expect("hits");
}
