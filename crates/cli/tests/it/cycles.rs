//! The modules of the engine have no cyclic dependencies.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::repository::root;

/// Edges between top modules of `crates/engine` that are part of a cycle: module, and the modules it uses. The list
/// must stay empty: state needed by two modules belongs into a module below both (`agents`, `commands`, `hooks`), and
/// operations on it into one above the session (`subagents`, `slash_commands`, `hook_events`).
const CYCLIC: &[(&str, &[&str])] = &[];

type Edges = BTreeMap<String, BTreeSet<String>>;

/// Returns the edges that are part of a cycle: those within a set of mutually reachable modules.
fn cyclic(edges: &Edges) -> Edges {
    let reached: BTreeMap<&str, BTreeSet<&str>> =
        edges.keys().map(|from| (from.as_str(), reach(edges, from))).collect();
    let back = |from: &str, to: &str| reached.get(to).is_some_and(|reached| reached.contains(from));
    let mut found = Edges::new();
    for (from, uses) in edges {
        for to in uses.iter().filter(|to| back(from, to)) {
            found.entry(from.clone()).or_default().insert(to.clone());
        }
    }
    found
}

fn reach<'a>(edges: &'a Edges, from: &str) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut open: Vec<&str> = vec![from];
    while let Some(module) = open.pop() {
        for next in edges.get(module).into_iter().flatten() {
            if reached.insert(next.as_str()) {
                open.push(next);
            }
        }
    }
    reached
}

/// Collects the edges of a crate: one for every `crate::module` in a file of another top module, except tests.
fn edges_in(src: &Path) -> Edges {
    let mut files = Vec::new();
    sources(src, &mut files);
    let top = |path: &Path| {
        let first = path.strip_prefix(src).unwrap().iter().next().unwrap();
        Path::new(first).file_stem().unwrap().to_str().unwrap().to_owned()
    };
    let modules: BTreeSet<String> = files.iter().map(|(path, _)| top(path)).collect();
    let mut edges = Edges::new();
    for (path, text) in &files {
        let from = top(path);
        if from == "lib" || path.file_stem().unwrap().to_str().unwrap().ends_with("tests") {
            continue;
        }
        let names = named(text);
        // Items re-exported by `lib.rs` must be used through their module, or the edge would not be detected.
        let hidden: Vec<_> = names.difference(&modules).collect();
        assert!(hidden.is_empty(), "{}: name the module of {hidden:?}", path.display());
        let used = names.into_iter().filter(|to| *to != from);
        edges.entry(from.clone()).or_default().extend(used);
    }
    edges
}

fn sources(folder: &Path, found: &mut Vec<(std::path::PathBuf, String)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            found.push((path, text));
        }
    }
}

/// Returns the names after `crate::` in code other than tests and comments; each name of `crate::{a, b::c}`.
fn named(text: &str) -> BTreeSet<String> {
    let code: String = text
        .split("\n#[cfg(test)]\nmod tests {")
        .next()
        .unwrap_or_default()
        .lines()
        .map(|line| line.split("//").next().unwrap_or_default())
        .fold(String::new(), |code, line| code + line + "\n");
    let mut names = BTreeSet::new();
    for after in code.split("crate::").skip(1) {
        match after.strip_prefix('{') {
            Some(list) => names.extend(firsts(list)),
            None => names.extend(first(after)),
        }
    }
    names
}

fn first(path: &str) -> Option<String> {
    let word: String = path.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    (!word.is_empty()).then_some(word)
}

/// Returns the first component of each path in a braced list, which may contain nested lists.
fn firsts(list: &str) -> Vec<String> {
    let (mut depth, mut begins, mut names) = (0_usize, true, Vec::new());
    for (at, c) in list.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => begins = true,
            c if begins && !c.is_whitespace() => {
                names.extend(first(&list[at..]));
                begins = false;
            }
            _ => {}
        }
    }
    names
}

fn listed(table: &[(&str, &[&str])]) -> Edges {
    let owned = |uses: &[&str]| uses.iter().map(|to| (*to).to_owned()).collect();
    table
        .iter()
        .map(|(from, uses)| ((*from).to_owned(), owned(uses)))
        .collect()
}

fn only_in(one: &Edges, other: &Edges) -> Vec<String> {
    let has = |from: &str, to: &str| other.get(from).is_some_and(|uses| uses.contains(to));
    one.iter()
        .flat_map(|(from, uses)| uses.iter().map(move |to| (from, to)))
        .filter(|(from, to)| !has(from, to))
        .map(|(from, to)| format!("{from} → {to}"))
        .collect()
}

#[test]
fn the_list_of_cyclic_edges_is_exact() {
    let found = cyclic(&edges_in(&root().join("crates/engine/src")));
    let listed = listed(CYCLIC);
    let new = only_in(&found, &listed);
    assert!(
        new.is_empty(),
        "these close a cycle between modules of the engine: {new:#?}"
    );
    let gone = only_in(&listed, &found);
    assert!(
        gone.is_empty(),
        "no cycle needs these any more; take them out of the list: {gone:#?}"
    );
}

#[test]
fn only_edges_within_a_cycle_are_cyclic() {
    let edges = listed(&[
        ("a", &["b", "d"]),
        ("b", &["c"]),
        ("c", &["a", "e"]),
        ("d", &["e"]),
        ("e", &[]),
    ]);
    assert_eq!(cyclic(&edges), listed(&[("a", &["b"]), ("b", &["c"]), ("c", &["a"])]));
}

#[test]
fn paths_count_except_in_tests_and_comments() {
    let text = "use crate::a::X;\nuse crate::{b::{Y, Z}, c, d::W};\n// crate::no\nfn f() { crate::e::g() }\n\
        #[cfg(test)]\nmod tests {\n    use crate::not;\n}\n";
    assert_eq!(named(text), ["a", "b", "c", "d", "e"].map(str::to_owned).into());
}
