//! The repository contains nothing that is specific to one machine.

use std::fs;
use std::path::{Path, PathBuf};

use crate::repository::{root, tracked};

/// Paths specific to this machine: the repository, its parent folders, and hidden folders of the user.
fn machine_paths() -> Vec<String> {
    let root = root();
    let mut paths = vec![format!("{}/", root.display())];
    // A folder that exists on every machine is not specific.
    let shared = ["/", "/tmp", "/home", "/var", "/usr", "/srv", "/opt", "/mnt"].map(Path::new);
    paths.extend(
        root.parent()
            .filter(|parent| !shared.contains(parent))
            .map(|parent| format!("{}/", parent.display())),
    );
    paths.extend(
        std::env::var("HOME")
            .ok()
            .filter(|home| home.len() > 1)
            .map(|home| format!("{home}/.")),
    );
    paths
}

/// True if the text contains the path itself, not as part of a longer path.
fn names(text: &str, path: &str) -> bool {
    text.match_indices(path).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        !before.is_some_and(|letter| letter.is_alphanumeric() || "_.-~$}>".contains(letter))
    })
}

/// Package sources are specific to a machine; lock files may only contain the public index.
fn foreign_source(file: &Path, line: &str) -> bool {
    let line = line.trim();
    match file.file_name().and_then(|name| name.to_str()) {
        Some("Cargo.lock") => {
            line.starts_with("source = ")
                && line != r#"source = "registry+https://github.com/rust-lang/crates.io-index""#
        }
        Some("package-lock.json") => line.starts_with(r#""resolved":"#),
        // Only settings of the source matter, not those of the lock file format.
        Some(".npmrc" | "pip.conf") => line.split('=').next().is_some_and(|key| {
            let key = key.trim();
            key.ends_with("registry") || key.ends_with("index-url")
        }),
        _ => false,
    }
}

fn texts() -> impl Iterator<Item = (PathBuf, String)> {
    let root = root();
    tracked()
        .into_iter()
        .filter_map(move |file| Some((file.clone(), fs::read_to_string(root.join(file)).ok()?)))
}

#[test]
fn no_path_of_this_machine() {
    let paths = machine_paths();
    for (file, text) in texts() {
        for path in &paths {
            assert!(!names(&text, path), "{}: names {path}", file.display());
        }
    }
}

#[test]
fn no_package_source_of_this_machine() {
    for (file, text) in texts() {
        for (number, line) in text.lines().enumerate() {
            assert!(
                !foreign_source(&file, line),
                "{}:{}: {line}",
                file.display(),
                number + 1
            );
        }
    }
}

#[test]
fn a_path_is_found_at_its_beginning_only() {
    for (text, found) in [
        ("see /a/b/c", true),
        ("\"/a/b/c\"", true),
        ("x/a/b/c", false),
        ("$CWD/a/b/c", false),
        ("/a/bc", false),
    ] {
        assert_eq!(names(text, "/a/b/"), found, "{text}");
    }
}

#[test]
fn a_mirror_is_distinguished_from_the_public_index() {
    for (file, line, foreign) in [
        (
            "Cargo.lock",
            r#"source = "registry+https://github.com/rust-lang/crates.io-index""#,
            false,
        ),
        (
            "Cargo.lock",
            r#"source = "registry+https://mirror.example/index""#,
            true,
        ),
        ("Cargo.lock", r#"name = "serde""#, false),
        (
            "web/package-lock.json",
            r#""resolved": "https://mirror.example/a.tgz","#,
            true,
        ),
        ("README.md", r#""resolved": "x""#, false),
    ] {
        assert_eq!(foreign_source(Path::new(file), line), foreign, "{file}: {line}");
    }
}
