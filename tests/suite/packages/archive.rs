//! The archive for one target, as the release makes it.

#![cfg(unix)]

use std::{collections::BTreeSet, fs, path::Path};

use crate::support::{Sandbox, terminal::spawn};

#[test]
fn the_archive_has_the_program_and_all_that_belongs_to_it() {
    let sandbox = Sandbox::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let target = "x86_64-unknown-linux-musl";
    let mut command = sandbox.command(root.join(".github/release/archive").to_str().unwrap());
    command.args([target, env!("CARGO_BIN_EXE_ccmcp")]).arg(sandbox.workspace());
    let made = spawn(command, b"").finish();
    let name = format!("ccmcp-{}-{target}", env!("CARGO_PKG_VERSION"));
    assert_eq!((made.status, made.stdout.trim()), (Some(0), format!("{name}.tar.gz").as_str()), "{made:#?}");

    let mut command = sandbox.command("tar");
    command.args(["-xzf", &format!("{name}.tar.gz")]);
    assert_eq!(spawn(command, b"").finish().status, Some(0));
    let folder = sandbox.workspace().join(&name);
    let mut command = sandbox.command(folder.join("ccmcp").to_str().unwrap());
    command.arg("--version");
    assert_eq!(spawn(command, b"").finish().stdout, format!("ccmcp {}\n", env!("CARGO_PKG_VERSION")));
    for part in ["completions", "man"] {
        let files = |folder: &Path| -> BTreeSet<_> {
            fs::read_dir(folder.join(part)).unwrap().map(|entry| entry.unwrap().file_name()).collect()
        };
        assert_eq!(files(&folder), files(root), "{part}");
    }
    for file in ["README.md", "LICENSE", "CHANGELOG.md"] {
        assert_eq!(fs::read(folder.join(file)).unwrap(), fs::read(root.join(file)).unwrap(), "{file}");
    }

    let sum = fs::read_to_string(sandbox.workspace().join(format!("{name}.tar.gz.sha256"))).unwrap();
    let (sum, file) = sum.split_once(char::is_whitespace).unwrap();
    assert_eq!((sum.len(), file.trim()), (64, format!("{name}.tar.gz").as_str()));
}
