//! How `send` finds the session that a person means.

use std::fs;

use serde_json::json;

use crate::support::{Sandbox, fake::Script, terminal::Run};

fn send(sandbox: &Sandbox, session: &str, more: &[&str]) -> Run {
    sandbox.ccmcp(&[&["send", session, "--json", "--model", "opus", "hi"], more].concat())
}

#[track_caller]
fn found(run: &Run, session: &str) {
    assert_eq!(run.answer()["session_id"], session);
}

/// Makes a second session whose id begins like the first one's.
fn twin(sandbox: &Sandbox, session: &str) -> String {
    let last = if session.ends_with('0') { "1" } else { "0" };
    let twin = format!("{}{last}", &session[..session.len() - 1]);
    let projects = sandbox.config_dir().join("projects");
    let folder = fs::read_dir(projects).expect("projects").next().expect("a project").expect("an entry").path();
    let text = fs::read_to_string(folder.join(format!("{session}.jsonl"))).expect("the transcript");
    fs::write(folder.join(format!("{twin}.jsonl")), text.replace(session, &twin)).expect("a transcript");
    twin
}

#[test]
fn an_id_or_the_beginning_of_one_will_do() {
    let mut sandbox = Sandbox::new();
    sandbox.script(&Script::new());
    let session = sandbox.session();
    for name in [&session, &session[..8], &session[..20], &session[..1], &session.to_uppercase()] {
        found(&send(&sandbox, name, &[]), &session);
    }
}

#[test]
fn an_ambiguous_beginning_is_refused_with_what_it_could_mean() {
    let mut sandbox = Sandbox::new();
    let fake = sandbox.script(&Script::new());
    let session = sandbox.session();
    let twin = twin(&sandbox, &session);
    let run = send(&sandbox, &session[..8], &[]);
    let error = run.error("SESSION_AMBIGUOUS");
    assert_eq!(run.status, Some(3));
    let mut both = [session.clone(), twin.clone()];
    both.sort();
    let mut told: Vec<_> = error["details"]["sessions"].as_array().expect("sessions").clone();
    told.sort_by_key(ToString::to_string);
    assert_eq!(json!(told), json!(both));
    found(&send(&sandbox, &session, &[]), &session);
    found(&send(&sandbox, &twin, &[]), &twin);
    assert_eq!(fake.launches(), 3);
}

#[test]
fn nobody_is_meant_by_nothing_or_by_what_is_no_id() {
    let mut sandbox = Sandbox::new();
    let fake = sandbox.script(&Script::new());
    let session = sandbox.session();
    let run = send(&sandbox, "", &[]);
    assert_eq!((run.status, run.error("SCHEMA_VALIDATION")["details"]["field"].as_str()), (Some(2), Some("SESSION")));
    let other = if session.starts_with('f') { "e" } else { "f" };
    for name in [other, "zzz", "*", "..", "/etc/passwd", "lastx"] {
        let run = send(&sandbox, name, &[]);
        run.error("SESSION_NOT_FOUND");
        assert_eq!(run.status, Some(3), "{name}");
    }
    assert_eq!(fake.launches(), 1);
}

#[test]
fn a_mistyped_id_or_model_is_answered_with_the_nearest() {
    let mut sandbox = Sandbox::new();
    let fake = sandbox.script(&Script::new());
    let session = sandbox.session();
    let twisted = format!("{}{}{}", &session[..5], &session[6..7], &session[5..6]);
    let hint = format!("Did you mean `{session}`? `ccmcp sessions` lists the sessions with their ids.");
    // Two equal characters side by side change nothing.
    if !session.starts_with(&twisted) {
        let run = send(&sandbox, &twisted, &[]);
        assert_eq!((run.error("SESSION_NOT_FOUND")["hint"].as_str(), run.status), (Some(&*hint), Some(3)));
    }
    let long = format!("{}x", &session[..12]);
    assert_eq!(send(&sandbox, &long, &[]).error("SESSION_NOT_FOUND")["hint"], hint);
    for (command, typo) in [(&["start"][..], "sonet"), (&["send", "last"], "Sonnet")] {
        let run = sandbox.ccmcp(&[command, &["hi", "--model", typo]].concat());
        assert_eq!(run.status, Some(2));
        assert!(run.stderr.contains("hint: Did you mean `sonnet`? Pass one of: opus, sonnet, "), "{run:#?}");
    }
    sandbox.set("CCMCP_ACCEPT_MODELS", "my-own-model,other");
    let run = sandbox.ccmcp(&["start", "hi", "--model", "my-own-modle"]);
    assert!(run.stderr.contains("Did you mean `my-own-model`?"), "{run:#?}");
    assert_eq!(fake.launches(), 1);
}

#[test]
fn the_directory_is_the_sessions_own_wherever_one_is() {
    let mut sandbox = Sandbox::new();
    let fake = sandbox.script(&Script::new());
    let session = sandbox.session();
    let elsewhere = sandbox.root().join("elsewhere");
    fs::create_dir(&elsewhere).expect("a folder");
    let mut command = sandbox.command("ccmcp");
    command.current_dir(&elsewhere).args(["send", &session[..8], "--json", "--model", "opus", "hi"]);
    found(&crate::support::terminal::spawn(command, b"").finish(), &session);
    assert_eq!(fake.launch(1).cwd, sandbox.workspace());
    let run = send(&sandbox, &session, &["--cwd", elsewhere.to_str().expect("UTF-8")]);
    run.error("SESSION_NOT_FOUND");
    // A relative directory is one of where one is.
    found(&send(&sandbox, &session, &["-C", "../work"]), &session);
    // A session whose directory is gone cannot go on anywhere else.
    let gone = sandbox.ccmcp(&["start", "--json", "--model", "opus", "-C", "../elsewhere", "hi"]).answer();
    fs::remove_dir(&elsewhere).expect("the folder");
    let gone = gone["session_id"].as_str().expect("an id");
    send(&sandbox, gone, &[]).error("CWD_INVALID");
    let run = sandbox.ccmcp(&["send", gone, "--model", "opus", "hi"]);
    assert_eq!(run.status, Some(2), "{run:#?}");
    assert!(
        run.stderr.contains(&format!("The session's own directory {} does not exist.", elsewhere.display())),
        "{run:#?}"
    );
    assert!(run.stderr.contains("put the directory back") && !run.stderr.contains("absolute"), "{run:#?}");
}

#[test]
fn a_directory_that_is_not_there_is_no_fault_of_the_transcripts() {
    let mut sandbox = Sandbox::new();
    let fake = sandbox.script(&Script::new());
    let session = sandbox.session();
    let missing = sandbox.root().join("missing");
    let missing = missing.to_str().expect("UTF-8");
    for command in [&["start"][..], &["send", "last"], &["send", &session], &["send", &session[..8]]] {
        let arguments = [command, &["-m", "opus", "-C", missing, "hi"]].concat();
        let run = sandbox.ccmcp(&arguments);
        assert_eq!(run.status, Some(2), "{run:#?}");
        assert!(run.stderr.contains(&format!("The directory {missing} does not exist. [CWD_INVALID]")), "{run:#?}");
        assert!(run.stderr.contains("with --cwd") && !run.stderr.contains("absolute"), "{run:#?}");
        sandbox.ccmcp(&[&arguments[..], &["--json"]].concat()).error("CWD_INVALID");
    }
    let elsewhere = sandbox.root().to_str().expect("UTF-8");
    let run = sandbox.ccmcp(&["send", &session, "-m", "opus", "-C", elsewhere, "hi"]);
    assert_eq!(run.status, Some(3), "{run:#?}");
    let work = sandbox.workspace();
    assert!(run.stderr.contains(&format!("It was started in {}: name that with --cwd", work.display())), "{run:#?}");
    assert_eq!(fake.launches(), 1);
}

#[test]
fn last_is_the_newest_session_of_the_directory() {
    let mut sandbox = Sandbox::new();
    sandbox.script(&Script::new());
    let run = send(&sandbox, "last", &[]);
    run.error("SESSION_NOT_FOUND");
    assert_eq!(run.status, Some(3));
    let first = sandbox.session();
    let second = sandbox.session();
    let elsewhere = sandbox.root().join("elsewhere");
    fs::create_dir(&elsewhere).expect("a folder");
    let elsewhere = elsewhere.to_str().expect("UTF-8");
    let third = sandbox.ccmcp(&["start", "--json", "--model", "opus", "--cwd", elsewhere, "hi"]).answer();
    found(&send(&sandbox, "last", &[]), &second);
    found(&send(&sandbox, &first, &[]), &first);
    found(&send(&sandbox, "last", &[]), &first);
    found(&send(&sandbox, "last", &["--cwd", elsewhere]), third["session_id"].as_str().expect("an id"));
}

#[test]
#[cfg(target_os = "linux")]
fn last_is_never_a_session_that_somebody_has_open() {
    use crate::support::processes::start_of;
    let mut sandbox = Sandbox::new();
    sandbox.script(&Script::new());
    let first = sandbox.session();
    let second = sandbox.session();
    let folder = sandbox.config_dir().join("sessions");
    let me = std::process::id();
    let note = json!({ "pid": me, "sessionId": second, "procStart": start_of(me).expect("this process") });
    let path = folder.join(format!("{me}.json"));
    fs::write(&path, note.to_string()).expect("a note");
    let run = send(&sandbox, "last", &[]);
    found(&run, &first);
    let told = format!("The newest session {second} is open elsewhere; going on with {first} (hello).");
    assert!(run.stderr.contains(&told), "{run:#?}");
    fs::remove_file(path).expect("the note");
    // Only its own writes make a session newer.
    found(&send(&sandbox, &second, &[]), &second);
    let run = send(&sandbox, "last", &[]);
    found(&run, &second);
    assert!(!run.stderr.contains("open elsewhere"), "{run:#?}");
}
