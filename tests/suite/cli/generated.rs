//! `completions/` and `man/` are what the command line's definition makes of them.
//!
//! `CCMCP_GENERATE=1 cargo test --test suite cli::generated` writes them anew.

use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
    path::{Path, PathBuf},
};

use ccmcp::cli::Cli;
use clap::CommandFactory;
use clap_complete::{Shell, generate};

type Files = BTreeMap<PathBuf, Vec<u8>>;

/// One script a shell, under the name that the shell looks for.
fn completions() -> Files {
    let file = |shell: Shell| match shell {
        Shell::Bash => "ccmcp.bash",
        Shell::Elvish => "ccmcp.elv",
        Shell::Fish => "ccmcp.fish",
        Shell::PowerShell => "_ccmcp.ps1",
        Shell::Zsh => "_ccmcp",
        _ => panic!("no name for {shell}"),
    };
    let script = |shell: Shell| {
        let mut script = Vec::new();
        generate(shell, &mut Cli::command(), "ccmcp", &mut script);
        (Path::new("completions").join(file(shell)), script)
    };
    [Shell::Bash, Shell::Elvish, Shell::Fish, Shell::PowerShell, Shell::Zsh].map(script).into()
}

/// One page a command: `ccmcp.1`, `ccmcp-start.1`, `ccmcp-agents-list.1`, …
fn pages() -> Files {
    let folder = tempfile::tempdir().unwrap();
    clap_mangen::generate_to(Cli::command(), &folder).unwrap();
    let written = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap());
    written.map(|entry| (Path::new("man").join(entry.file_name()), fs::read(entry.path()).unwrap())).collect()
}

fn compare(folder: &str, made: &Files) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    if env::var_os("CCMCP_GENERATE").is_some() {
        fs::remove_dir_all(root.join(folder)).ok();
        fs::create_dir_all(root.join(folder)).unwrap();
        for (path, bytes) in made {
            fs::write(root.join(path), bytes).unwrap();
        }
    }
    let listed = fs::read_dir(root.join(folder)).unwrap();
    let there: BTreeSet<PathBuf> = listed.map(|entry| Path::new(folder).join(entry.unwrap().file_name())).collect();
    assert_eq!(there, made.keys().cloned().collect(), "the files in {folder}/");
    for (path, bytes) in made {
        let committed = fs::read(root.join(path)).unwrap();
        assert!(
            committed == *bytes,
            "{} is not what the command line's definition makes of it: run this test with CCMCP_GENERATE=1",
            path.display()
        );
    }
}

#[test]
fn completions_are_up_to_date() {
    compare("completions", &completions());
}

#[test]
fn man_pages_are_up_to_date() {
    compare("man", &pages());
}
