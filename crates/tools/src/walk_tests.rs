#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::collections::BTreeSet;
use std::sync::Mutex;

use ignore::WalkBuilder;
use pretty_assertions::assert_eq;
use proptest::prelude::*;

use super::*;

#[test]
fn a_search_ends_at_its_timeout_or_with_the_call() {
    let never = Patience::of(CancellationToken::new(), Duration::ZERO);
    assert!(never.is_over() && never.has_expired() && !never.is_cancelled());
    let cancelled = Patience::new(CancellationToken::new());
    assert!(!cancelled.is_over());
    cancelled.cancel.cancel();
    assert!(
        cancelled.is_over() && !cancelled.has_expired(),
        "nobody waits for its answer"
    );
}

#[test]
fn a_pipe_instead_of_an_ignore_file_does_not_block() {
    let dir = tempfile::tempdir().unwrap();
    for name in [".git", ".gitignore", ".ignore"] {
        let pipe = dir.path().join(name);
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &pipe,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
            0,
        )
        .unwrap();
    }
    std::fs::write(dir.path().join("a"), "").unwrap();
    let files = ours(dir.path());
    assert!(files.iter().any(|file| file.ends_with("a")), "{files:?}");
}

struct Listing<'a>(&'a Mutex<BTreeSet<PathBuf>>);

impl Visit for Listing<'_> {
    fn file(&mut self, file: FileAt<'_>) {
        assert!(self.0.lock().unwrap().insert(file.path.to_owned()), "told twice");
    }
}

fn ours(root: &Path) -> BTreeSet<PathBuf> {
    let real = root.canonicalize().unwrap();
    let root = Root {
        named: real.clone(),
        cwd: real.clone(),
        held: Arc::new(Handle::of(&real).unwrap().into_fd()),
        is_dir: real.is_dir(),
        real,
    };
    let scope = Scope::new(root, &[], None, None).unwrap();
    let found = Mutex::new(BTreeSet::new());
    each_file(&scope, &Patience::new(CancellationToken::new()), || Listing(&found));
    found.into_inner().unwrap()
}

/// Finds the same files with ripgrep's walker.
fn theirs(root: &Path) -> BTreeSet<PathBuf> {
    let real = root.canonicalize().unwrap();
    let in_repository = real.ancestors().any(|folder| folder.join(".git").exists());
    WalkBuilder::new(&real)
        .hidden(false)
        .parents(in_repository)
        .require_git(in_repository)
        .git_global(false)
        .filter_entry(|entry| {
            let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
            !(is_folder && VERSION_CONTROL.iter().any(|name| entry.file_name() == *name))
        })
        .build()
        .map(Result::unwrap)
        .filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()))
        .map(ignore::DirEntry::into_path)
        .collect()
}

const NAMES: [&str; 6] = ["a", "b.rs", "c.txt", "target", ".hidden", "B"];

fn path() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(&NAMES[..]), 1..5).prop_map(|parts| parts.join("/"))
}

fn rule() -> impl Strategy<Value = String> {
    let body = prop_oneof![
        prop::sample::select(&NAMES[..]).prop_map(str::to_owned),
        path(),
        Just("*.rs".to_owned()),
        Just("**/target".to_owned()),
        Just("*".to_owned()),
    ];
    (
        prop::bool::weighted(0.3),
        prop::bool::weighted(0.3),
        body,
        prop::bool::weighted(0.3),
    )
        .prop_map(|(not, rooted, body, folder)| {
            format!(
                "{}{}{body}{}",
                if not { "!" } else { "" },
                if rooted { "/" } else { "" },
                if folder { "/" } else { "" }
            )
        })
}

#[derive(Debug, Clone)]
enum Planted {
    File(String),
    Rules {
        folder: String,
        name: &'static str,
        rules: Vec<String>,
    },
    Repository {
        folder: String,
        exclude: Vec<String>,
    },
    Link(String),
}

fn planted() -> impl Strategy<Value = Planted> {
    let rules = || prop::collection::vec(rule(), 1..4);
    let folder = || prop_oneof![Just(".".to_owned()), path()];
    prop_oneof![
        6 => path().prop_map(Planted::File),
        3 => (folder(), prop::sample::select(&[".gitignore", ".ignore"][..]), rules())
            .prop_map(|(folder, name, rules)| Planted::Rules { folder, name, rules }),
        1 => (folder(), rules()).prop_map(|(folder, exclude)| Planted::Repository { folder, exclude }),
        1 => path().prop_map(Planted::Link),
    ]
}

/// Creates files and folders; conflicting entries are skipped.
fn plant(root: &Path, planted: &[Planted]) {
    for thing in planted {
        match thing {
            Planted::File(path) => {
                let path = root.join(path);
                std::fs::create_dir_all(path.parent().unwrap()).ok();
                std::fs::write(path, "x").ok();
            }
            Planted::Rules { folder, name, rules } => {
                let folder = root.join(folder);
                std::fs::create_dir_all(&folder).ok();
                std::fs::write(folder.join(name), rules.join("\n")).ok();
            }
            Planted::Repository { folder, exclude } => {
                let info = root.join(folder).join(".git/info");
                std::fs::create_dir_all(&info).ok();
                std::fs::write(info.join("exclude"), exclude.join("\n")).ok();
            }
            Planted::Link(path) => {
                let path = root.join(path);
                std::fs::create_dir_all(path.parent().unwrap()).ok();
                std::os::unix::fs::symlink(root, path).ok();
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn the_same_files_are_found_as_by_ripgrep(
        planted in prop::collection::vec(planted(), 1..30),
        start in prop_oneof![Just(".".to_owned()), path()],
    ) {
        let folder = tempfile::tempdir().unwrap();
        plant(folder.path(), &planted);
        let mut start = folder.path().join(start);
        if !start.is_dir() {
            start = folder.path().to_owned();
        }
        prop_assert_eq!(ours(&start), theirs(&start));
    }
}

#[test]
fn a_linked_worktree_has_the_ignore_rules_of_its_repository() {
    let folder = tempfile::tempdir().unwrap();
    let (main, tree) = (folder.path().join("main/.git"), folder.path().join("tree"));
    std::fs::create_dir_all(main.join("info")).unwrap();
    std::fs::create_dir_all(main.join("worktrees/tree")).unwrap();
    std::fs::create_dir_all(&tree).unwrap();
    std::fs::write(main.join("info/exclude"), "secret\n").unwrap();
    std::fs::write(main.join("worktrees/tree/commondir"), "../..\n").unwrap();
    std::fs::write(
        tree.join(".git"),
        format!("gitdir: {}\n", main.join("worktrees/tree").display()),
    )
    .unwrap();
    std::fs::write(tree.join("secret"), "").unwrap();
    std::fs::write(tree.join("open"), "").unwrap();
    let names: Vec<_> = ours(&tree)
        .into_iter()
        .map(|path| path.file_name().unwrap().to_owned())
        .collect();
    assert_eq!(names, [".git", "open"]);
}

#[test]
fn a_folder_with_very_many_files_is_read_whole() {
    let folder = tempfile::tempdir().unwrap();
    for number in 0..3000 {
        std::fs::write(
            folder.path().join(format!("a-file-with-a-rather-long-name-{number}")),
            "",
        )
        .unwrap();
    }
    assert_eq!(ours(folder.path()).len(), 3000);
}
