#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::fs;
use std::os::unix::fs::{MetadataExt as _, symlink};

use pretty_assertions::assert_eq;
use serde_json::json;

use super::*;

struct TestFolders {
    _dir: tempfile::TempDir,
    root: PathBuf,
}

impl TestFolders {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        for folder in ["home", "proj/sub", "repo/sub", "repo/vendor/.git", "repo/.git"] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        Self { _dir: dir, root }
    }

    fn at(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    fn global(&self) -> PathBuf {
        self.at("home/.claude.json")
    }

    fn trusted(&self, folder: &str) -> bool {
        is_trusted(&self.global(), &self.at(folder))
    }
}

#[test]
fn folders_are_untrusted_by_default() {
    let folders = TestFolders::new();
    assert!(!folders.trusted("proj"));
    for text in [
        "",
        "{",
        "[]",
        "{\"projects\": []}",
        "{\"projects\": {\"/\": {\"hasTrustDialogAccepted\": true}}}",
    ] {
        fs::write(folders.global(), text).unwrap();
        assert!(!folders.trusted("proj"), "{text}");
    }
    for value in [json!(false), json!("true"), json!(1), json!(null)] {
        let name = folders.at("proj");
        let text = json!({"projects": {name.to_str().unwrap(): {ACCEPTED: value}}}).to_string();
        fs::write(folders.global(), text).unwrap();
        assert!(!folders.trusted("proj"), "{value}");
    }
}

#[test]
fn trust_is_stored_by_the_resolved_path() {
    let folders = TestFolders::new();
    symlink(folders.at("proj"), folders.at("link")).unwrap();
    assert_eq!(
        trust(&folders.global(), &folders.at("link")).unwrap(),
        folders.at("proj")
    );
    assert!(folders.trusted("proj"));
    assert!(folders.trusted("link"));
    assert!(!folders.trusted("proj/sub"), "the trust of a parent does not count");
    assert!(!folders.trusted("home"));
    assert!(!folders.trusted("gone"));
}

#[test]
fn trust_covers_a_repository_but_not_nested_ones() {
    let folders = TestFolders::new();
    assert_eq!(
        trust(&folders.global(), &folders.at("repo/sub")).unwrap(),
        folders.at("repo")
    );
    assert!(folders.trusted("repo"));
    assert!(folders.trusted("repo/sub"));
    assert!(!folders.trusted("repo/vendor"));
}

#[test]
fn a_worktree_is_trusted_if_it_and_the_repository_refer_to_each_other() {
    let folders = TestFolders::new();
    trust(&folders.global(), &folders.at("repo")).unwrap();
    let entry = folders.at("repo/.git/worktrees/one");
    let tree = folders.at("repo/.claude/worktrees/one");
    fs::create_dir_all(&entry).unwrap();
    fs::create_dir_all(&tree).unwrap();
    fs::write(tree.join(".git"), format!("gitdir: {}\n", entry.display())).unwrap();
    assert!(
        !folders.trusted("repo/.claude/worktrees/one"),
        "the repository does not refer to it"
    );
    fs::write(entry.join("gitdir"), format!("{}\n", tree.join(".git").display())).unwrap();
    assert!(folders.trusted("repo/.claude/worktrees/one"));
    // Another folder that refers to the same worktree entry.
    fs::create_dir_all(folders.at("proj")).unwrap();
    fs::copy(tree.join(".git"), folders.at("proj/.git")).unwrap();
    assert!(!folders.trusted("proj"));
}

#[test]
fn the_rest_of_the_file_is_unchanged() {
    let folders = TestFolders::new();
    let before =
        "{\n  \"z\": 1,\n  \"projects\": {\n    \"/other\": {\n      \"x\": []\n    }\n  },\n  \"a\": 2.5\n}\n";
    fs::write(folders.global(), before).unwrap();
    trust(&folders.global(), &folders.at("proj")).unwrap();
    let after = fs::read_to_string(folders.global()).unwrap();
    let entry = format!(
        ",\n    \"{}\": {{\n      \"hasTrustDialogAccepted\": true\n    }}\n  }},\n  \"a\"",
        folders.at("proj").display()
    );
    assert_eq!(after, before.replacen("\n  },\n  \"a\"", &entry, 1));
}

#[test]
fn a_new_file_is_private() {
    let folders = TestFolders::new();
    trust(&folders.global(), &folders.at("proj")).unwrap();
    assert_eq!(fs::metadata(folders.global()).unwrap().mode() & 0o777, 0o600);
}

#[test]
fn an_invalid_file_is_not_changed() {
    let folders = TestFolders::new();
    for text in ["{\"projects\": {", "{\"projects\": 3}"] {
        fs::write(folders.global(), text).unwrap();
        let error = trust(&folders.global(), &folders.at("proj")).unwrap_err();
        assert!(
            matches!(error, WriteError::Broken { .. } | WriteError::Shape { .. }),
            "{error}"
        );
        assert_eq!(fs::read_to_string(folders.global()).unwrap(), text);
    }
}
