//! Files are accessed at the location that the permission decision was about, even if links on the path change, and
//! nothing about a file is revealed before the permission request.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use pretty_assertions::assert_eq;
use rustix::fs::{CWD, RenameFlags};
use serde_json::{Value, json};
use sluice_engine::{Guarded, GuardedAnswer, GuardedCall, Ran};
use sluice_simulator::{ModelServer, Script};
use sluice_wire::mode::PermissionMode;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use crate::stage;

const ROUNDS: usize = 2000;
const NOTEBOOK: &str = r#"{"cells":[{"cell_type":"code","id":"a","source":"harmless"}]}"#;

/// A working folder, a folder outside of it, and the guarded tools.
struct RaceFolders {
    dir: TempDir,
    outside: TempDir,
    guarded: Guarded,
    asked: AtomicUsize,
}

impl RaceFolders {
    async fn new(mode: PermissionMode) -> Self {
        let (dir, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let server = ModelServer::start(Script::new()).await.unwrap();
        let mut options = stage::options(&dir, &server);
        options.permissions.mode = Some(mode);
        options.tools.offered = Some(
            ["Read", "Write", "Edit", "NotebookEdit", "Glob", "Grep"]
                .map(str::to_owned)
                .into(),
        );
        let folders = Self {
            guarded: Guarded::new(options).unwrap(),
            dir,
            outside,
            asked: AtomicUsize::new(0),
        };
        fs::create_dir(folders.work().join("sub")).unwrap();
        for (folder, word) in [(folders.work().join("sub"), "harmless"), (folders.out(), "secret")] {
            fs::write(folder.join("a.txt"), format!("{word}\n")).unwrap();
            fs::write(folder.join("n.ipynb"), NOTEBOOK.replace("harmless", word)).unwrap();
        }
        folders
    }

    fn work(&self) -> PathBuf {
        self.dir.path().canonicalize().unwrap()
    }

    fn out(&self) -> PathBuf {
        self.outside.path().canonicalize().unwrap()
    }

    /// Runs a call whose permission request is denied. Returns the outcome as text.
    async fn call(&self, tool: &str, input: Value) -> String {
        let call = GuardedCall {
            id: "call".to_owned(),
            tool: tool.to_owned(),
            input,
            cancel: CancellationToken::new(),
        };
        let ran = self.guarded.call(call, async |_| {
            self.asked.fetch_add(1, Ordering::Relaxed);
            GuardedAnswer::Deny("not now".to_owned())
        });
        match ran.await {
            Ran::Done(outcome) => format!("{} {}", outcome.content, outcome.result),
            Ran::Denied(why) => format!("denied: {why}"),
            Ran::Unknown => "unknown".to_owned(),
        }
    }

    /// The calls of one round, with the tool name.
    fn calls(&self, round: usize) -> Vec<(&'static str, Value)> {
        let (sub, work) = (self.work().join("sub"), self.work());
        let (old, new) = [("s", "S"), ("S", "s")][round % 2];
        vec![
            ("Read", json!({"file_path": sub.join("a.txt")})),
            (
                "Edit",
                json!({"file_path": sub.join("a.txt"), "old_string": old, "new_string": new, "replace_all": true}),
            ),
            ("Read", json!({"file_path": sub.join("n.ipynb")})),
            (
                "NotebookEdit",
                json!({"notebook_path": sub.join("n.ipynb"), "cell_id": "a", "new_source": format!("{round}")}),
            ),
            ("Glob", json!({"pattern": "*", "path": sub})),
            ("Glob", json!({"pattern": "sub/**", "path": work})),
            ("Glob", json!({"pattern": format!("{}/*", sub.display())})),
            (
                "Grep",
                json!({"pattern": "secret", "path": sub, "output_mode": "content"}),
            ),
            (
                "Grep",
                json!({"pattern": "secre[t]", "path": work, "output_mode": "content"}),
            ),
            (
                "Write",
                json!({"file_path": sub.join("a.txt"), "content": "harmless\n"}),
            ),
        ]
    }

    /// Runs all rounds while a thread atomically exchanges a path with a link.
    async fn run_with_exchange(&self, rounds: usize, one: &Path, other: &Path) {
        let target = fs::read_link(other).unwrap();
        let (here, there) = (one.to_owned(), other.to_owned());
        // A tool may have replaced the link by a file; then restore the initial state.
        let restore = || {
            if target.is_file() && !here.is_symlink() && !there.is_symlink() {
                let _gone = fs::remove_file(&there);
                let _there = symlink(&target, &there);
            }
            if target.is_file() && here.is_symlink() && there.is_symlink() {
                let (fresh, word) = (self.work().join(".fresh"), NOTEBOOK);
                fs::write(&fresh, word).unwrap();
                fs::rename(&fresh, &here).unwrap();
            }
        };
        let stop = Arc::new(AtomicBool::new(false));
        let (stopped, one, other) = (Arc::clone(&stop), one.to_owned(), other.to_owned());
        let flipper = std::thread::spawn(move || {
            while !stopped.load(Ordering::Relaxed) {
                // Fails while a tool has replaced a link by a file.
                let _missed = rustix::fs::renameat_with(CWD, &one, CWD, &other, RenameFlags::EXCHANGE);
            }
        });
        let out = self.out();
        fs::write(out.join("outside.txt"), "secret\n").unwrap();
        for round in 0..rounds {
            restore();
            let mut calls = self.calls(round / 10);
            let (tool, input) = calls.swap_remove(round % calls.len());
            let said = self.call(tool, input.clone()).await.replace("secre[t]", "");
            let shows = said.contains("secret") || said.contains("outside.txt");
            assert!(!shows, "round {round}: {tool} {input}: {said}");
            assert_eq!(
                fs::read_to_string(out.join("a.txt")).unwrap(),
                "secret\n",
                "round {round}: {tool}"
            );
            let notebook = fs::read_to_string(out.join("n.ipynb")).unwrap();
            assert!(notebook.contains("secret"), "round {round}: {tool}");
            assert_eq!(fs::read_dir(&out).unwrap().count(), 3, "round {round}: {tool}");
        }
        stop.store(true, Ordering::Relaxed);
        flipper.join().unwrap();
    }
}

async fn flip_folder(rounds: usize) {
    let folders = RaceFolders::new(PermissionMode::AcceptEdits).await;
    symlink(folders.out(), folders.work().join("link")).unwrap();
    let (sub, link) = (folders.work().join("sub"), folders.work().join("link"));
    folders.run_with_exchange(rounds, &sub, &link).await;
}

async fn flip_file(rounds: usize, name: &str) {
    let folders = RaceFolders::new(PermissionMode::AcceptEdits).await;
    let link = folders.work().join(".link");
    symlink(folders.out().join(name), &link).unwrap();
    let file = folders.work().join("sub").join(name);
    folders.run_with_exchange(rounds, &file, &link).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn folder_exchanged_with_a_link_reveals_nothing_outside() {
    flip_folder(ROUNDS).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn file_exchanged_with_a_link_reveals_nothing_outside() {
    for name in ["a.txt", "n.ipynb"] {
        flip_file(ROUNDS / 2, name).await;
    }
}

/// Ten times as many rounds, for every call.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes minutes; run it by its name"]
async fn long_run_reveals_nothing_outside() {
    flip_folder(ROUNDS * 10).await;
    for name in ["a.txt", "n.ipynb"] {
        flip_file(ROUNDS * 10, name).await;
    }
}

/// The response reveals nothing about the file: existence, kind or content.
#[tokio::test]
async fn file_outside_reveals_nothing_before_permission_request() {
    let folders = RaceFolders::new(PermissionMode::Default).await;
    let out = folders.out();
    fs::write(out.join("binary"), [0, 1, 2, 0]).unwrap();
    fs::create_dir(out.join("folder")).unwrap();
    symlink("nowhere", out.join("dangling")).unwrap();
    let path = |name: &str| out.join(name).display().to_string();
    for (tool, make) in [
        ("Read", (|path: &str| json!({"file_path": path})) as fn(&str) -> Value),
        (
            "Edit",
            |path| json!({"file_path": path, "old_string": "secret", "new_string": "x"}),
        ),
        (
            "Edit",
            |path| json!({"file_path": path, "old_string": "no such words", "new_string": "x"}),
        ),
        (
            "Edit",
            |path| json!({"file_path": path, "old_string": "", "new_string": "x"}),
        ),
        ("Write", |path| json!({"file_path": path, "content": "x"})),
        (
            "NotebookEdit",
            |path| json!({"notebook_path": format!("{path}.ipynb"), "cell_id": "a", "new_source": "x"}),
        ),
        ("Grep", |path| json!({"pattern": "x", "path": path})),
        ("Glob", |path| json!({"pattern": "*", "path": path})),
    ] {
        let mut told = Vec::new();
        for name in ["a.txt", "n", "binary", "folder", "dangling", "nothing"] {
            let before = folders.asked.load(Ordering::Relaxed);
            told.push(folders.call(tool, make(&path(name))).await);
            assert_eq!(folders.asked.load(Ordering::Relaxed), before + 1, "{tool} {name}");
        }
        told.dedup();
        assert_eq!(told, ["denied: not now"], "{tool}");
    }
}

#[tokio::test]
async fn hard_link_to_a_file_outside_needs_permission() {
    let folders = RaceFolders::new(PermissionMode::AcceptEdits).await;
    let (work, secret) = (folders.work(), folders.out().join("a.txt"));
    fs::hard_link(&secret, work.join("sub/linked.txt")).unwrap();
    fs::hard_link(folders.out().join("n.ipynb"), work.join("sub/linked.ipynb")).unwrap();
    let file = work.join("sub/linked.txt");
    for (tool, input) in [
        ("Read", json!({"file_path": file})),
        ("Write", json!({"file_path": file, "content": "x"})),
        (
            "Edit",
            json!({"file_path": file, "old_string": "secret", "new_string": "x"}),
        ),
        (
            "NotebookEdit",
            json!({"notebook_path": work.join("sub/linked.ipynb"), "cell_id": "a", "new_source": "x"}),
        ),
        (
            "Grep",
            json!({"pattern": "secret", "path": file, "output_mode": "content"}),
        ),
    ] {
        assert_eq!(folders.call(tool, input).await, "denied: not now", "{tool}");
    }
    let found = folders
        .call(
            "Grep",
            json!({"pattern": "secret", "path": work, "output_mode": "content"}),
        )
        .await;
    assert!(
        !found.contains("linked.txt") && found.contains("2 files were not searched"),
        "{found}"
    );
    assert_eq!(fs::read_to_string(&secret).unwrap(), "secret\n");

    // Both names are inside the working folder, so no permission is needed.
    fs::write(work.join("one.txt"), "words").unwrap();
    fs::hard_link(work.join("one.txt"), work.join("sub/two.txt")).unwrap();
    let read = folders.call("Read", json!({"file_path": work.join("one.txt")})).await;
    assert!(read.contains("words"), "{read}");
    let found = folders.call("Grep", json!({"pattern": "word[s]", "path": work})).await;
    assert!(found.contains("one.txt") && found.contains("two.txt"), "{found}");
}
