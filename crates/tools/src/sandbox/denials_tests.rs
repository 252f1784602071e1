#![allow(clippy::unwrap_used)]

use std::fs;
use std::os::unix::fs::symlink;

use sluice_permission::{Behavior, Rule, Source};

use super::*;

fn policy(base: &Path, rules: &[&str]) -> Policy {
    let mut policy = Policy::new(base.join("w"), base.join("home"));
    let parsed = rules
        .iter()
        .map(|text| Rule::parse(Behavior::Deny, Source::User, base.join("w"), text).unwrap());
    policy.rules = parsed.collect();
    policy
}

fn lab() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().canonicalize().unwrap();
    for name in ["w/a/b", "home/.ssh/deep", "bin"] {
        fs::create_dir_all(base.join(name)).unwrap();
    }
    for name in [
        "w/.env",
        "w/a/b/.env",
        "w/a/plain",
        "home/.ssh/id",
        "home/.ssh/deep/id",
        "bin/zap",
        "bin/many",
    ] {
        fs::write(base.join(name), "").unwrap();
    }
    (folder, base)
}

fn names(paths: &BTreeSet<PathBuf>, base: &Path) -> Vec<String> {
    let below = |path: &PathBuf| path.strip_prefix(base).unwrap().display().to_string();
    paths.iter().map(below).collect()
}

#[test]
fn patterns_become_the_paths_that_match() {
    let (_folder, base) = lab();
    symlink("../home/.ssh/id", base.join("w/link.pem")).unwrap();
    for (rules, unreadable, unwritable) in [
        (&["Read(./.env)"][..], &["w/.env"][..], &[][..]),
        (&["Read(.env)"], &["w/.env", "w/a/b/.env"], &[]),
        (&["Read(~/.ssh/**)"], &["home/.ssh"], &[]),
        (&["Read(~/.ssh/*d)"], &["home/.ssh/id"], &[]),
        (&["Read(id)"], &["home/.ssh/id"], &[]),
        (&["Read(*.pem)"], &["home/.ssh/id"], &[]),
        (&["Edit(./a/**)", "Edit(./unborn/x)"], &[], &["w/a", "w/unborn/x"]),
        (&["Edit(a/*/*)", "Read(./unborn)"], &[], &["w/a/b/.env"]),
        (&["Read", "Edit(*)"], &[], &[]),
    ] {
        let denials = Denials::find(&policy(&base, rules), &base.join("w"), &[]).unwrap();
        assert_eq!(names(&denials.unreadable, &base), unreadable, "{rules:?}");
        for expected in unwritable {
            assert!(
                names(&denials.unwritable, &base).contains(&(*expected).to_owned()),
                "{rules:?} {denials:?}"
            );
        }
        assert_eq!(denials.unwritable.is_empty(), unwritable.is_empty(), "{rules:?}");
    }
}

#[test]
fn a_program_is_found_behind_links_and_under_its_other_names() {
    let (_folder, base) = lab();
    let bin = base.join("bin");
    symlink("zap", bin.join("linked")).unwrap();
    fs::hard_link(bin.join("zap"), bin.join("hard")).unwrap();
    for at in 0..=MAX_NAMES {
        symlink("many", bin.join(format!("many{at}"))).unwrap();
    }
    symlink(crate::sandbox::found("bash").unwrap(), bin.join("shell")).unwrap();
    let env = [("PATH".into(), bin.into_os_string())];
    for (rules, expected) in [
        (&["Bash(zap:*)"][..], &["bin/hard", "bin/zap"][..]),
        (&["Bash(linked *)"], &["bin/hard", "bin/zap"]),
        (&["Bash(zap push:*)", "Bash(zap)", "Bash(z*)"], &[]),
        (&["Bash(many1:*)", "Bash(shell:*)", "Bash(absent:*)"], &[]),
    ] {
        let denials = Denials::find(&policy(&base, rules), &base.join("w"), &env).unwrap();
        assert_eq!(names(&denials.unreadable, &base), expected, "{rules:?}");
    }
}

#[test]
fn rules_that_cover_too_much_are_an_error() {
    let (_folder, base) = lab();
    for at in 0..=MAX_PATHS {
        fs::write(base.join(format!("w/a/{at}.x")), "").unwrap();
    }
    let found = |rule| Denials::find(&policy(&base, &[rule]), &base.join("w"), &[]).err();
    assert_eq!(found("Edit(*.x)"), Some(TooMuch::Paths));
    assert_eq!(found("Edit(./a/**)"), None);
}
