//! Workspaces: which agents must not work at the same time.

use std::{
    collections::HashMap,
    fs, io,
    path::{Path, PathBuf},
};

use crate::core::claude::Profile;

/// The key of the workspace that `cwd` is in: the top level of its git work tree, symlinks resolved, else its own real
/// path. Each linked work tree is a workspace of its own.
///
/// On Windows the key is folded to lower case: two spellings are one directory.
pub(super) fn key(cwd: &Path) -> io::Result<String> {
    let real = dunce::canonicalize(cwd)?;
    let top = real.ancestors().find(|directory| directory.join(".git").exists()).unwrap_or(&real);
    // A name that is no Unicode may share its key with a similar one: the two are then kept apart in time, which is
    // harmless.
    let key = top.to_string_lossy();
    Ok(if cfg!(windows) { key.to_lowercase() } else { key.into_owned() })
}

/// Whether work under these two keys could touch the same files: one directory is the other, or inside it.
#[cfg(test)]
pub(super) fn overlap(one: &str, other: &str) -> bool {
    let (one, other) = (Path::new(one), Path::new(other));
    one.starts_with(other) || other.starts_with(one)
}

/// How an agent uses its workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    /// Beside other readers.
    Shared,
    /// Alone.
    Alone,
}

impl From<Profile> for Access {
    fn from(profile: Profile) -> Self {
        match profile {
            Profile::ReadOnly => Self::Shared,
            Profile::WorkspaceWrite => Self::Alone,
        }
    }
}

/// A workspace in use, or wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Claim {
    /// The workspace's key.
    pub(super) workspace: String,
    /// How it is used.
    pub(super) access: Access,
}

impl Claim {
    /// Whether the two must not be held at the same time.
    #[cfg(test)]
    pub(super) fn conflicts(&self, other: &Self) -> bool {
        (self.access == Access::Alone || other.access == Access::Alone) && overlap(&self.workspace, &other.workspace)
    }
}

/// Many claims, asked quickly whether one more conflicts with any of them.
#[derive(Debug, Default)]
pub(super) struct Claims<'a> {
    /// Claims on exactly this directory.
    at: HashMap<&'a Path, Held>,
    /// Claims somewhere below this directory.
    below: HashMap<&'a Path, Held>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Held {
    alone: bool,
    shared: bool,
}

impl Held {
    fn add(&mut self, access: Access) {
        match access {
            Access::Alone => self.alone = true,
            Access::Shared => self.shared = true,
        }
    }

    fn excludes(self, access: Access) -> bool {
        self.alone || (self.shared && access == Access::Alone)
    }
}

impl<'a> Claims<'a> {
    /// Adds a claim.
    pub(super) fn add(&mut self, claim: &'a Claim) {
        let mut directories = Path::new(&claim.workspace).ancestors();
        if let Some(own) = directories.next() {
            self.at.entry(own).or_default().add(claim.access);
        }
        for above in directories {
            self.below.entry(above).or_default().add(claim.access);
        }
    }

    /// Whether `claim` must not be held beside all of these.
    pub(super) fn conflict(&self, claim: &Claim) -> bool {
        let own = Path::new(&claim.workspace);
        let excludes = |held: Option<&Held>| held.is_some_and(|held| held.excludes(claim.access));
        excludes(self.below.get(own)) || own.ancestors().any(|directory| excludes(self.at.get(directory)))
    }
}

/// The directory that a text names: absolute, existing, and ours to enter.
pub(super) fn directory(text: &str) -> Result<PathBuf, &'static str> {
    let path = PathBuf::from(text);
    if !path.is_absolute() {
        return Err("an absolute path");
    }
    // Reading the directory is what shows that it may be entered, whatever the platform's rules.
    match fs::read_dir(&path) {
        Ok(_) => Ok(path),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err("the path of an existing directory"),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory || path.is_file() => Err("the path of a directory"),
        Err(_) => Err("the path of a directory that this user may read"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_work_tree_is_the_workspace_and_linked_trees_are_apart() {
        let root = tempfile::tempdir().unwrap();
        let root = dunce::canonicalize(root.path()).unwrap();
        for dir in ["repo/.git", "repo/src/deep", "linked/sub", "plain/sub"] {
            fs::create_dir_all(root.join(dir)).unwrap();
        }
        fs::write(root.join("linked/.git"), "gitdir: ../repo/.git/worktrees/linked").unwrap();
        let key_of = |dir: &str| key(&root.join(dir)).unwrap();
        assert_eq!(key_of("repo/src/deep"), key_of("repo"));
        assert_eq!(key_of("linked/sub"), key_of("linked"));
        assert_ne!(key_of("linked"), key_of("repo"));
        assert_ne!(key_of("plain/sub"), key_of("plain"));
        assert!(key(&root.join("nowhere")).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_symlink_is_where_it_leads() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("real")).unwrap();
        std::os::unix::fs::symlink(root.path().join("real"), root.path().join("link")).unwrap();
        assert_eq!(key(&root.path().join("link")).unwrap(), key(&root.path().join("real")).unwrap());
    }

    #[test]
    fn nested_directories_overlap_and_similar_names_do_not() {
        let claim = |workspace: &str, access| Claim { workspace: workspace.to_owned(), access };
        let writer = claim("/a/b", Access::Alone);
        for other in ["/a/b", "/a", "/a/b/c"] {
            assert!(writer.conflicts(&claim(other, Access::Shared)), "{other}");
        }
        assert!(!writer.conflicts(&claim("/a/bc", Access::Alone)));
        assert!(!claim("/a", Access::Shared).conflicts(&claim("/a", Access::Shared)));
    }

    proptest::proptest! {
        #[test]
        fn many_claims_conflict_as_one_by_one(
            held in proptest::collection::vec(("(/[ab]){0,4}", proptest::bool::ANY), 0..8),
            wanted in ("(/[ab]){0,4}", proptest::bool::ANY),
        ) {
            let claim = |(path, alone): (String, bool)| Claim {
                workspace: format!("/{}", path.trim_start_matches('/')),
                access: if alone { Access::Alone } else { Access::Shared },
            };
            let (held, wanted): (Vec<Claim>, Claim) = (held.into_iter().map(claim).collect(), claim(wanted));
            let mut claims = Claims::default();
            for claim in &held {
                claims.add(claim);
            }
            proptest::prop_assert_eq!(claims.conflict(&wanted), held.iter().any(|claim| claim.conflicts(&wanted)));
        }
    }

    #[test]
    fn a_bad_directory_is_told_apart_without_its_name() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("file");
        fs::write(&file, "").unwrap();
        assert!(directory(dir.path().to_str().unwrap()).is_ok());
        assert_eq!(directory("relative"), Err("an absolute path"));
        assert_eq!(directory(file.to_str().unwrap()), Err("the path of a directory"));
        assert_eq!(directory(dir.path().join("no").to_str().unwrap()), Err("the path of an existing directory"));
    }
}
