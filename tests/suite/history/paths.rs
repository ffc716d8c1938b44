//! Ids and projects never become paths, and no symlink leads out of the projects directory.

use ccmcp::core::{
    error::ErrorCode,
    history::{GetForks, GetThread, GetTree, ListProjects, ListSessions, Search, Watch},
};

use super::draft::{Draft, Folder, session_id};

const SECRET: &str = "heliotrope";

/// A projects directory inside a folder that also holds a transcript outside of it.
fn with_outside() -> (Folder, ccmcp::core::history::History) {
    let folder = Folder::new();
    folder.session("projects/-inside", Draft::new(1).prompt("a", "harmless"));
    folder.session("outside", Draft::new(2).prompt("b", SECRET));
    folder.session("", Draft::new(3).prompt("c", SECRET));
    let history = ccmcp::core::history::History::new(folder.path().join("projects"));
    (folder, history)
}

#[test]
fn nothing_that_looks_like_a_path_is_found() {
    let (folder, history) = with_outside();
    let outside = folder.path().join("outside");
    let outside = outside.to_str().unwrap();
    let long = "x".repeat(100_000);
    for trick in [
        "..",
        "../outside",
        "-inside/../../outside",
        outside,
        "/",
        ".",
        "\0",
        "-inside\0",
        "*",
        "..\\outside",
        &long,
        "%2e%2e",
        "~",
        "C:\\",
        "-inside/",
    ] {
        let project = Some(trick.to_owned());
        let found = history.list_sessions(&ListSessions { project: project.clone(), ..ListSessions::default() });
        if let Ok(found) = found {
            // A part of the one project's name may be passed.
            assert!(found.sessions.iter().all(|session| session.project == "-inside"), "{trick}");
        }
        let found = history.search(&Search { query: SECRET.into(), project, ..Search::default() }, &Watch::default());
        assert!(found.is_err() || found.unwrap().total == 0, "{trick}");
        let tricked = format!("{trick}/{}", session_id(2));
        for session in [trick, &tricked, &format!("../outside/{}", session_id(2)), &session_id(2), &session_id(3)] {
            let asked = GetTree { session_id: session.into(), ..GetTree::default() };
            assert_eq!(history.get_tree(&asked).unwrap_err().code, ErrorCode::SessionNotFound, "{session:.60}");
            let asked = GetThread { session_id: session.into(), ..GetThread::default() };
            let error = history.get_thread(&asked).unwrap_err();
            assert_eq!(error.code, ErrorCode::SessionNotFound);
            assert!(error.message.len() < 200 && error.hint.is_some(), "a long id is cut in the message");
            let asked = GetForks { session_id: session.into(), ..GetForks::default() };
            assert_eq!(history.get_forks(&asked).unwrap_err().code, ErrorCode::SessionNotFound);
        }
    }
}

#[cfg(unix)]
#[test]
fn symlinks_out_of_the_projects_directory_are_not_followed() {
    use std::os::unix::fs::symlink;

    let (folder, history) = with_outside();
    let projects = folder.path().join("projects");
    let outside = folder.path().join("outside");
    symlink(&outside, projects.join("-linked")).unwrap();
    let file = outside.join(format!("{}.jsonl", session_id(2)));
    symlink(&file, projects.join("-inside").join(format!("{}.jsonl", session_id(2)))).unwrap();
    symlink(&file, projects.join("-inside/agent-x.jsonl")).unwrap();
    symlink(&outside, projects.join("-inside").join(session_id(1))).unwrap();
    symlink("/dev/zero", projects.join("-inside").join(format!("{}.jsonl", session_id(4)))).unwrap();
    symlink(projects.join("nothing"), projects.join("-dangling")).unwrap();
    symlink(projects.join("-inside"), projects.join("-again")).unwrap();
    std::fs::create_dir(projects.join("-inside").join(format!("{}.jsonl", session_id(5)))).unwrap();

    let listed = history.list_projects(&ListProjects::default()).unwrap();
    let slugs: Vec<_> = listed.projects.iter().map(|project| &*project.slug).collect();
    assert_eq!(slugs, ["-again", "-inside"], "a link to a place inside is followed");
    let found = history.list_sessions(&ListSessions { include_empty: true, ..ListSessions::default() }).unwrap();
    assert!(found.sessions.iter().all(|session| session.session_id.to_string() == session_id(1)), "{found:?}");
    let asked = Search { query: SECRET.into(), include_subagents: true, ..Search::default() };
    let found = history.search(&asked, &Watch::default()).unwrap();
    assert_eq!((found.total, found.unreadable.len()), (0, 0));
    let inside = Search { query: "harmless".into(), ..Search::default() };
    let found = history.search(&inside, &Watch::default()).unwrap();
    assert_eq!((found.total, found.hits[0].also_in.len()), (1, 0), "one file by two ways is no copy");
}

#[test]
fn a_missing_directory_is_empty() {
    let history = ccmcp::core::history::History::new("/nonexistent/projects".into());
    assert_eq!(history.list_projects(&ListProjects::default()).unwrap().total, 0);
    assert_eq!(history.list_sessions(&ListSessions::default()).unwrap().total, 0);
    let found = history.search(&Search { query: "x".into(), ..Search::default() }, &Watch::default()).unwrap();
    assert_eq!((found.total, found.complete), (0, true));
}

#[cfg(unix)]
#[test]
fn an_unreadable_file_is_reported_and_passed_over() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = Folder::new();
    folder.session("-p", Draft::new(1).prompt("a", "open"));
    let closed = folder.session("-p", Draft::new(2).prompt("b", "open"));
    std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o000)).unwrap();
    if std::fs::File::open(&closed).is_ok() {
        // Who may do everything can read this too.
        return;
    }
    let history = folder.history();
    let listed = history.list_sessions(&ListSessions::default()).unwrap();
    assert_eq!((listed.total, listed.unreadable.len()), (1, 1));
    let found = history.search(&Search { query: "open".into(), ..Search::default() }, &Watch::default()).unwrap();
    assert_eq!((found.total, found.unreadable.len()), (1, 1));
    let asked = GetTree { session_id: session_id(2), ..GetTree::default() };
    assert_eq!(history.get_tree(&asked).unwrap_err().code, ErrorCode::HistoryUnreadable);
}
