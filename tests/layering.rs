//! Holds the floors of the architecture: imports go down only, never up, never sideways between the parts of a floor.
//!
//! Reads `src/` and knows the table below. It also fails for a module on no floor, a file without `//!` docs, a file
//! over 500 lines, files of one part that import each other in a loop, and a `mod.rs` with logic. Test modules
//! (`#[cfg(test)]`) are not counted, nor is `tests/`.

#![expect(clippy::expect_used, clippy::panic, reason = "a test fails by panicking, in what its tests share too")]

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt, fs,
    path::Path,
};

use proc_macro2::{Span, TokenStream, TokenTree};
use syn::{
    Attribute, Item, ItemMod, ItemUse, UseTree,
    spanned::Spanned,
    visit::{self, Visit},
};

/// The floors, from the ground up: the parts of each, as paths under `src/`. A path ending in `/` is a folder with all
/// that is in it; parts in one entry, separated by spaces, count as one part.
const FLOORS: &[&[&str]] = &[
    &["core/error.rs core/ids.rs core/clock.rs core/nearest.rs"],
    &["core/process/", "core/store/", "core/transcript/", "core/config/"],
    &["core/claude/"],
    &["core/sessions/", "core/agents/", "core/history/", "core/clients/"],
    &["core/doctor/"],
    &["core/handle.rs core/mod.rs"],
    &["mcp/", "cli/"],
    &["app.rs"],
    &["main.rs lib.rs"],
];
/// The wall: no file is longer.
const MAX_LINES: usize = 500;

/// Something that breaks a rule, with its place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Fault {
    file: String,
    line: usize,
    what: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "src/{}:{}: {}", self.file, self.line, self.what)
    }
}

/// Where a file stands: floor, and part of that floor.
type Place = (usize, usize);

fn place(file: &str) -> Option<Place> {
    FLOORS.iter().enumerate().find_map(|(floor, parts)| {
        let part = parts.iter().position(|part| {
            part.split(' ').any(|path| match path.strip_suffix('/') {
                Some(folder) => file == format!("{folder}.rs") || file.starts_with(path),
                None => file == path,
            })
        })?;
        Some((floor, part))
    })
}

fn name(place: Place) -> &'static str {
    FLOORS[place.0][place.1].trim_end_matches('/')
}

/// The module that a file is, as path segments; the two roots are the empty path.
fn module(file: &str) -> Vec<String> {
    let path = file.trim_end_matches(".rs").trim_end_matches("/mod");
    if path == "lib" || path == "main" {
        return Vec::new();
    }
    path.split('/').map(str::to_owned).collect()
}

/// An import: from a file and a line, to a path from the crate's root.
#[derive(Clone, Debug)]
struct Import {
    line: usize,
    path: Vec<String>,
}

/// What one file holds, as far as it matters here.
#[derive(Debug, Default)]
struct Source {
    imports: Vec<Import>,
    /// Names that a `use` brings in, with the path they come from: for following re-exports.
    names: BTreeMap<String, Vec<String>>,
    /// Modules declared under `#[cfg(test)]`.
    test_modules: Vec<Vec<String>>,
    /// Lines, without those of test modules.
    lines: usize,
    documented: bool,
    /// The first line of logic; matters in a `mod.rs`.
    logic: Option<usize>,
}

fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute.meta.require_list().is_ok_and(|list| {
                let condition = list.tokens.to_string();
                condition == "test" || (condition.starts_with("all") && condition.contains("test"))
            })
    })
}

/// Collects the imports of a file.
struct Collector<'a> {
    /// The module that is being read.
    here: Vec<String>,
    /// All modules, for paths that begin with a child's name.
    modules: &'a BTreeSet<Vec<String>>,
    source: Source,
    skipped: usize,
}

impl Collector<'_> {
    /// Adds an import of `segments` as written in the current module, if it is one of ours.
    fn import(&mut self, segments: &[String], span: Span) -> Option<Vec<String>> {
        let path = self.absolute(segments)?;
        self.source.imports.push(Import { line: span.start().line, path: path.clone() });
        Some(path)
    }

    fn absolute(&self, segments: &[String]) -> Option<Vec<String>> {
        let first = segments.first()?;
        let mut here = self.here.clone();
        let rest = match first.as_str() {
            "crate" | "ccmcp" => return Some(segments[1..].to_vec()),
            "self" => &segments[1..],
            "super" => {
                let ups = segments.iter().take_while(|segment| *segment == "super").count();
                here.truncate(here.len().saturating_sub(ups));
                &segments[ups..]
            }
            child => {
                here.push(child.to_owned());
                let known = segments.len() > 1 && self.modules.contains(&here);
                here.pop();
                known.then_some(segments)?
            }
        };
        here.extend(rest.iter().cloned());
        Some(here)
    }

    fn tree(&mut self, prefix: &[String], tree: &UseTree) {
        let with = |segment: String| [prefix, &[segment]].concat();
        match tree {
            UseTree::Path(path) => self.tree(&with(path.ident.to_string()), &path.tree),
            UseTree::Group(group) => group.items.iter().for_each(|item| self.tree(prefix, item)),
            UseTree::Glob(glob) => drop(self.import(prefix, glob.span())),
            UseTree::Name(name) if name.ident == "self" => drop(self.import(prefix, name.span())),
            UseTree::Name(name) => {
                let written = name.ident.to_string();
                self.name(&with(written.clone()), written, name.span());
            }
            UseTree::Rename(rename) => {
                self.name(&with(rename.ident.to_string()), rename.rename.to_string(), rename.span());
            }
        }
    }

    fn name(&mut self, segments: &[String], name: String, span: Span) {
        if let Some(path) = self.import(segments, span) {
            self.source.names.insert(name, path);
        }
    }

    /// Paths inside a macro call are tokens only: those that begin with `crate`, `super` or `self` are found here.
    fn tokens(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut at = 0;
        while at < tokens.len() {
            match &tokens[at] {
                TokenTree::Group(group) => self.tokens(group.stream()),
                TokenTree::Ident(ident) if ["crate", "super", "self"].iter().any(|word| ident == word) => {
                    let mut segments = vec![ident.to_string()];
                    while let [TokenTree::Punct(one), TokenTree::Punct(two), TokenTree::Ident(next), ..] =
                        &tokens[at + 1..]
                    {
                        if one.as_char() != ':' || two.as_char() != ':' {
                            break;
                        }
                        segments.push(next.to_string());
                        at += 3;
                    }
                    if segments.len() > 1 {
                        self.import(&segments, ident.span());
                    }
                }
                _ => {}
            }
            at += 1;
        }
    }
}

impl<'ast> Visit<'ast> for Collector<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        let attributes: &[Attribute] = match item {
            Item::Mod(item) => &item.attrs,
            Item::Fn(item) => &item.attrs,
            Item::Impl(item) => &item.attrs,
            Item::Use(item) => &item.attrs,
            Item::Const(item) => &item.attrs,
            Item::Static(item) => &item.attrs,
            Item::Struct(item) => &item.attrs,
            _ => &[],
        };
        if is_test(attributes) {
            let span = item.span();
            let first = attributes.first().map_or(span.start().line, |attribute| attribute.span().start().line);
            self.skipped += span.end().line - first + 1;
            if let Item::Mod(item) = item {
                self.source.test_modules.push([self.here.as_slice(), &[item.ident.to_string()]].concat());
            }
            return;
        }
        let declares = matches!(item, Item::Use(_)) || matches!(item, Item::Mod(item) if item.content.is_none());
        if !declares && self.source.logic.is_none() {
            self.source.logic = Some(item.span().start().line);
        }
        visit::visit_item(self, item);
    }

    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        self.here.push(item.ident.to_string());
        visit::visit_item_mod(self, item);
        self.here.pop();
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        self.tree(&[], &item.tree);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        if path.leading_colon.is_none() {
            let segments: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
            if segments.len() > 1 {
                self.import(&segments, path.span());
            }
        }
        visit::visit_path(self, path);
    }

    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {
        // `pub(crate)` and `pub(in …)` import nothing.
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        self.tokens(call.tokens.clone());
        visit::visit_macro(self, call);
    }
}

/// A whole tree: paths under `src/` with `/`, and what the files hold.
struct Tree {
    sources: BTreeMap<String, Source>,
    files: BTreeMap<Vec<String>, String>,
}

impl Tree {
    fn read(files: &BTreeMap<String, String>) -> Self {
        let modules: BTreeSet<_> = files.keys().map(|file| module(file)).collect();
        let sources = files.iter().map(|(file, text)| {
            let syntax = syn::parse_file(text).unwrap_or_else(|error| panic!("src/{file}: {error}"));
            let mut collector =
                Collector { here: module(file), modules: &modules, source: Source::default(), skipped: 0 };
            collector.visit_file(&syntax);
            let lines = text.lines().count() - collector.skipped;
            // The docs have to open the file: nothing stands before them.
            let documented = text.trim_start_matches('\u{feff}').starts_with("//!");
            (file.clone(), Source { lines, documented, ..collector.source })
        });
        let mut sources: BTreeMap<_, _> = sources.collect();
        let tests: Vec<_> = sources.values().flat_map(|source| source.test_modules.clone()).collect();
        sources.retain(|file, _| !tests.iter().any(|test| module(file).starts_with(test)));
        let files =
            sources.keys().map(|file| (module(file), file.clone())).filter(|(path, _)| !path.is_empty()).collect();
        Self { sources, files }
    }

    /// The file that a path leads to: the longest part of it that is a module. With `follow`, a name that a `mod.rs`
    /// re-exports leads to where it comes from.
    fn target(&self, path: &[String], follow: u8) -> Option<&str> {
        let (file, depth) = (1..=path.len()).rev().find_map(|depth| Some((self.files.get(&path[..depth])?, depth)))?;
        if follow > 0
            && file.ends_with("mod.rs")
            && depth < path.len()
            && let Some(origin) = self.sources[file].names.get(&path[depth]).filter(|origin| origin.as_slice() != path)
        {
            return self.target(origin, follow - 1);
        }
        Some(file)
    }

    fn faults(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        for (file, source) in &self.sources {
            let mut fault = |line, what: String| faults.push(Fault { file: file.clone(), line, what });
            if !source.documented {
                fault(1, "does not open with `//!` docs".to_owned());
            }
            if source.lines > MAX_LINES {
                fault(
                    MAX_LINES + 1,
                    format!("has {} lines (tests not counted), {MAX_LINES} is the limit", source.lines),
                );
            }
            if let Some(line) = source.logic.filter(|_| file.ends_with("/mod.rs")) {
                fault(line, "a mod.rs holds docs, modules and re-exports only".to_owned());
            }
            let Some(from) = place(file) else {
                fault(1, "is on no floor".to_owned());
                continue;
            };
            for import in &source.imports {
                let Some(to) = self.target(&import.path, 0).filter(|to| *to != file) else { continue };
                let Some(to) = place(to).filter(|to| *to != from) else { continue };
                if to.0 >= from.0 {
                    let (way, from_floor, to_floor) = (if to.0 > from.0 { "up" } else { "sideways" }, from.0, to.0);
                    let what = format!(
                        "{} → {}: imports go down only, this one goes {way} (floor {from_floor} → {to_floor})",
                        name(from),
                        name(to)
                    );
                    fault(import.line, what);
                }
            }
        }
        faults.extend(self.loops());
        faults.sort();
        faults.dedup();
        faults
    }

    /// Files of one part that reach themselves through each other; each loop once, at its first file.
    fn loops(&self) -> Vec<Fault> {
        let mut edges: BTreeMap<&str, BTreeMap<&str, usize>> = BTreeMap::new();
        for (file, source) in self.sources.iter().filter(|(file, _)| !file.ends_with("mod.rs")) {
            for import in &source.imports {
                let target = self.target(&import.path, 4);
                if let Some(to) = target.filter(|to| *to != file && !to.ends_with("mod.rs") && place(to) == place(file))
                {
                    edges.entry(file).or_default().entry(to).or_insert(import.line);
                }
            }
        }
        let mut faults = Vec::new();
        for start in edges.keys() {
            if let Some(way) = shortest_way_back(&edges, start)
                && way.iter().all(|file| *file >= *start)
            {
                let line = edges[start][way[0]];
                let what = format!("files import each other in a loop: {start} → {}", way.join(" → "));
                faults.push(Fault { file: (*start).to_owned(), line, what });
            }
        }
        faults
    }
}

/// The files on the shortest way from `start` back to it, `start` last.
fn shortest_way_back<'a>(edges: &BTreeMap<&'a str, BTreeMap<&'a str, usize>>, start: &'a str) -> Option<Vec<&'a str>> {
    let mut came_from: BTreeMap<&str, &str> = BTreeMap::new();
    let mut queue = std::collections::VecDeque::from([start]);
    while let Some(file) = queue.pop_front() {
        for to in edges.get(file)?.keys().filter(|to| edges.contains_key(**to)) {
            if *to == start {
                let mut way = vec![start];
                let mut at = file;
                while at != start {
                    way.push(at);
                    at = came_from[at];
                }
                way.reverse();
                return Some(way);
            }
            if !came_from.contains_key(to) {
                came_from.insert(to, file);
                queue.push_back(to);
            }
        }
    }
    None
}

/// Reads a folder's Rust files, with their paths under it.
fn read(folder: &Path, prefix: &str, files: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(folder).expect("a folder under src/").map(|entry| entry.expect("an entry")) {
        let name = entry.file_name().into_string().expect("a UTF-8 name");
        let path = format!("{prefix}{name}");
        if entry.file_type().expect("a file type").is_dir() {
            read(&entry.path(), &format!("{path}/"), files);
        } else if Path::new(&name).extension().is_some_and(|extension| extension == "rs") {
            files.insert(path, fs::read_to_string(entry.path()).expect("a readable file"));
        }
    }
}

#[test]
fn the_floors_hold() {
    let mut files = BTreeMap::new();
    read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), "", &mut files);
    assert!(files.contains_key("lib.rs") && files.len() > 10, "this is not the crate's source: {:?}", files.keys());
    let faults = Tree::read(&files).faults();
    let text: Vec<String> = faults.iter().map(ToString::to_string).collect();
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), text.join("\n"));
}

/// The tests of the test above, on trees made up for them.
mod made_up {
    use super::*;

    /// The faults of a tree in which each file opens with docs.
    fn faults(files: &[(&str, &str)]) -> Vec<String> {
        let files = files.iter().map(|(file, text)| ((*file).to_owned(), format!("//! Docs.\n{text}"))).collect();
        Tree::read(&files).faults().iter().map(ToString::to_string).collect()
    }

    const PARTS: &[(&str, &str)] = &[
        ("core/error.rs", "pub struct Error;"),
        ("core/process/mod.rs", "mod spawn; pub use spawn::Child;"),
        ("core/process/spawn.rs", "pub struct Child;"),
        ("core/store/mod.rs", ""),
        ("core/claude/mod.rs", "mod find; pub use find::Cli;"),
        ("core/claude/find.rs", "use crate::core::{error::Error, process::{self, Child}}; pub struct Cli;"),
        ("core/mod.rs", "pub mod error; mod handle; pub use handle::Core;"),
        ("core/handle.rs", "use super::claude::Cli; pub struct Core;"),
        ("cli/mod.rs", "mod start;"),
        ("cli/start.rs", "use crate::core::Core;"),
        ("mcp/mod.rs", ""),
        ("app.rs", "fn run() { crate::cli::run(); crate::mcp::serve(); }"),
        ("lib.rs", "pub mod app; pub mod core;"),
        ("main.rs", "fn main() { ccmcp::app::run() }"),
    ];

    /// The faults of the good tree with some files replaced or added.
    fn with(files: &[(&'static str, &'static str)]) -> Vec<String> {
        let mut tree: BTreeMap<&str, &str> = PARTS.iter().copied().collect();
        tree.extend(files.iter().copied());
        faults(&tree.into_iter().collect::<Vec<_>>())
    }

    #[test]
    fn a_good_tree_has_no_faults() {
        assert_eq!(with(&[]), [""; 0]);
    }

    #[test]
    fn imports_up_are_found_however_they_are_written() {
        let expected = [
            "src/core/process/spawn.rs:3: core/process → core/claude: imports go down only, this one goes up (floor 1 → 2)",
        ];
        for text in [
            "\nuse crate::core::claude::Cli;",
            "\nuse crate::core::{error::Error, claude::{find, Cli as C}};",
            "\nuse super::super::claude;",
            "\nfn f() { crate::core::claude::find::go(); }",
            "\nfn f(cli: &crate::core::claude::Cli) {}",
            "\nfn f() { assert!(matches!(x, crate::core::claude::Cli { .. })); }",
            "\nmod inner { use super::super::super::claude::Cli; }",
            "\npub use crate::core::claude::*;",
            "\nimpl From<u8> for crate::core::claude::Cli {}",
        ] {
            assert_eq!(with(&[("core/process/spawn.rs", text)]), expected, "{text}");
        }
        assert_eq!(
            with(&[("core/error.rs", "use crate::core::Core;")]),
            [
                "src/core/error.rs:2: core/error.rs core/ids.rs core/clock.rs core/nearest.rs → core/handle.rs core/mod.rs: imports go down only, this one goes up (floor 0 → 5)"
            ]
        );
        assert_eq!(with(&[("app.rs", "use crate::main_thing;")]), [""; 0], "a name in the root is no module");
    }

    #[test]
    fn imports_sideways_are_found() {
        assert_eq!(
            with(&[("core/store/mod.rs", "pub use crate::core::process::Child;")]),
            [
                "src/core/store/mod.rs:2: core/store → core/process: imports go down only, this one goes sideways (floor 1 → 1)"
            ]
        );
        assert_eq!(with(&[("cli/start.rs", "use crate::mcp;")]).len(), 1);
    }

    #[test]
    fn test_modules_are_not_counted() {
        let long =
            format!("#[cfg(test)]\nmod tests {{\n use crate::core::claude::Cli;\n{}}}", "// a line\n".repeat(600));
        assert_eq!(with(&[("core/process/spawn.rs", long.leak())]), [""; 0]);
        let declared = [
            ("core/process/spawn.rs", "#[cfg(test)] mod tests; pub struct Child;"),
            ("core/process/spawn/tests.rs", "use crate::core::claude::Cli;"),
        ];
        assert_eq!(with(&declared), [""; 0]);
        let undeclared =
            [("core/process/spawn.rs", "mod tests;"), ("core/process/spawn/tests.rs", "use crate::core::claude::Cli;")];
        assert_eq!(with(&undeclared).len(), 1);
    }

    #[test]
    fn a_long_file_is_found() {
        let line = "// a line\n";
        assert_eq!(with(&[("core/store/schema.rs", line.repeat(499).leak())]), [""; 0]);
        assert_eq!(
            with(&[("core/store/schema.rs", line.repeat(500).leak())]),
            ["src/core/store/schema.rs:501: has 501 lines (tests not counted), 500 is the limit"]
        );
    }

    #[test]
    fn a_file_without_docs_is_found() {
        for text in ["pub struct Error;", "// A comment.\n//! Docs.", "#![expect(unused)]\n//! Docs."] {
            let files = BTreeMap::from([("core/error.rs".to_owned(), text.to_owned())]);
            let faults: Vec<_> = Tree::read(&files).faults().iter().map(ToString::to_string).collect();
            assert_eq!(faults, ["src/core/error.rs:1: does not open with `//!` docs"], "{text}");
        }
    }

    #[test]
    fn a_module_on_no_floor_is_found() {
        assert_eq!(with(&[("core/util.rs", "")]), ["src/core/util.rs:1: is on no floor"]);
        assert_eq!(with(&[("web/mod.rs", "")]), ["src/web/mod.rs:1: is on no floor"]);
    }

    #[test]
    fn logic_in_a_mod_rs_is_found() {
        assert_eq!(
            with(&[
                ("core/store/mod.rs", "\nmod schema;\n#[cfg(test)]\nmod tests { fn f() {} }\nfn open() {}"),
                ("core/store/schema.rs", "")
            ]),
            ["src/core/store/mod.rs:6: a mod.rs holds docs, modules and re-exports only"]
        );
        assert_eq!(with(&[("core/store/mod.rs", "mod inline { pub struct S; }")]).len(), 1);
    }

    #[test]
    fn a_loop_inside_a_part_is_found() {
        let two = [
            ("core/store/mod.rs", "mod a; mod b; mod c; pub use a::A; pub use b::B;"),
            ("core/store/a.rs", "\nuse super::b::B; pub struct A;"),
            ("core/store/b.rs", "use super::c::C; pub struct B;"),
            ("core/store/c.rs", "use crate::core::store::A; pub struct C;"),
        ];
        assert_eq!(
            with(&two),
            [
                "src/core/store/a.rs:3: files import each other in a loop: core/store/a.rs → core/store/b.rs → core/store/c.rs → core/store/a.rs"
            ]
        );
        let child =
            [("core/store/a.rs", "mod b; fn f() { b::g(); }"), ("core/store/a/b.rs", "use super::f; pub fn g() {}")];
        assert_eq!(
            with(&child),
            [
                "src/core/store/a.rs:2: files import each other in a loop: core/store/a.rs → core/store/a/b.rs → core/store/a.rs"
            ]
        );
        let straight = [two[0], two[1], two[2], ("core/store/c.rs", "pub struct C;")];
        assert_eq!(with(&straight), [""; 0]);
    }
}
