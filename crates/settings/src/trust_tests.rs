#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::fs;
use std::os::unix::fs::{MetadataExt as _, symlink};

use pretty_assertions::assert_eq;
use serde_json::json;

use super::*;

struct World {
    _dir: tempfile::TempDir,
    root: PathBuf,
}

impl World {
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
fn nobody_is_trusted_without_a_word() {
    let world = World::new();
    assert!(!world.trusted("proj"));
    for text in [
        "",
        "{",
        "[]",
        "{\"projects\": []}",
        "{\"projects\": {\"/\": {\"hasTrustDialogAccepted\": true}}}",
    ] {
        fs::write(world.global(), text).unwrap();
        assert!(!world.trusted("proj"), "{text}");
    }
    for value in [json!(false), json!("true"), json!(1), json!(null)] {
        let name = world.at("proj");
        let text = json!({"projects": {name.to_str().unwrap(): {ACCEPTED: value}}}).to_string();
        fs::write(world.global(), text).unwrap();
        assert!(!world.trusted("proj"), "{value}");
    }
}

#[test]
fn trust_is_kept_by_the_resolved_path() {
    let world = World::new();
    symlink(world.at("proj"), world.at("link")).unwrap();
    assert_eq!(trust(&world.global(), &world.at("link")).unwrap(), world.at("proj"));
    assert!(world.trusted("proj"));
    assert!(world.trusted("link"));
    assert!(!world.trusted("proj/sub"), "the trust of a parent does not count");
    assert!(!world.trusted("home"));
    assert!(!world.trusted("gone"));
}

#[test]
fn a_repository_is_trusted_whole_and_one_inside_it_is_not() {
    let world = World::new();
    assert_eq!(trust(&world.global(), &world.at("repo/sub")).unwrap(), world.at("repo"));
    assert!(world.trusted("repo"));
    assert!(world.trusted("repo/sub"));
    assert!(!world.trusted("repo/vendor"));
}

#[test]
fn a_work_tree_is_trusted_with_its_repository_where_both_say_so() {
    let world = World::new();
    trust(&world.global(), &world.at("repo")).unwrap();
    let entry = world.at("repo/.git/worktrees/one");
    let tree = world.at("repo/.claude/worktrees/one");
    fs::create_dir_all(&entry).unwrap();
    fs::create_dir_all(&tree).unwrap();
    fs::write(tree.join(".git"), format!("gitdir: {}\n", entry.display())).unwrap();
    assert!(
        !world.trusted("repo/.claude/worktrees/one"),
        "the repository knows nothing of it"
    );
    fs::write(entry.join("gitdir"), format!("{}\n", tree.join(".git").display())).unwrap();
    assert!(world.trusted("repo/.claude/worktrees/one"));
    // Another that points to the same place.
    fs::create_dir_all(world.at("proj")).unwrap();
    fs::copy(tree.join(".git"), world.at("proj/.git")).unwrap();
    assert!(!world.trusted("proj"));
}

#[test]
fn the_rest_of_the_file_stays() {
    let world = World::new();
    let before =
        "{\n  \"z\": 1,\n  \"projects\": {\n    \"/other\": {\n      \"x\": []\n    }\n  },\n  \"a\": 2.5\n}\n";
    fs::write(world.global(), before).unwrap();
    trust(&world.global(), &world.at("proj")).unwrap();
    let after = fs::read_to_string(world.global()).unwrap();
    let entry = format!(
        ",\n    \"{}\": {{\n      \"hasTrustDialogAccepted\": true\n    }}\n  }},\n  \"a\"",
        world.at("proj").display()
    );
    assert_eq!(after, before.replacen("\n  },\n  \"a\"", &entry, 1));
}

#[test]
fn a_new_file_is_the_persons_alone() {
    let world = World::new();
    trust(&world.global(), &world.at("proj")).unwrap();
    assert_eq!(fs::metadata(world.global()).unwrap().mode() & 0o777, 0o600);
}

#[test]
fn a_file_that_cannot_be_parsed_is_left_alone() {
    let world = World::new();
    for text in ["{\"projects\": {", "{\"projects\": 3}"] {
        fs::write(world.global(), text).unwrap();
        let error = trust(&world.global(), &world.at("proj")).unwrap_err();
        assert!(
            matches!(error, WriteError::Broken { .. } | WriteError::Shape { .. }),
            "{error}"
        );
        assert_eq!(fs::read_to_string(world.global()).unwrap(), text);
    }
}
