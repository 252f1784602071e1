//! Symlinks that are changed between the permission decision and the call.

use std::os::unix::fs::symlink;
use std::path::Path;

use rustix::fs::{CWD, RenameFlags};
use serde_json::json;
use sluice_tools::{Pin, Pins};

use crate::support::{Lab, said};

const PLANTED: &str = "a link on the way has been changed";

fn pins(named: &Path, place: &Path) -> Pins {
    Pins::new(vec![Pin::to(named, place)])
}

/// Creates a permitted file inside and a secret file outside.
fn lab() -> (Lab, std::path::PathBuf) {
    let mut lab = Lab::new();
    let inside = lab.file("sub/a.txt", "harmless\n");
    let outside = lab.work.parent().unwrap().join("outside");
    std::fs::create_dir(&outside).unwrap();
    std::fs::write(outside.join("a.txt"), "secret\n").unwrap();
    lab.cx.pins = Some(pins(&inside, &inside));
    (lab, outside)
}

fn swap_file(lab: &Lab, outside: &Path) {
    std::fs::remove_file(lab.work.join("sub/a.txt")).unwrap();
    symlink(outside.join("a.txt"), lab.work.join("sub/a.txt")).unwrap();
}

fn swap_folder(lab: &Lab, outside: &Path) {
    std::fs::rename(lab.work.join("sub"), lab.work.join("moved")).unwrap();
    symlink(outside, lab.work.join("sub")).unwrap();
}

fn calls() -> [(&'static str, serde_json::Value); 3] {
    [
        ("Read", json!({"file_path": "sub/a.txt"})),
        ("Write", json!({"file_path": "sub/a.txt", "content": "new\n"})),
        (
            "Edit",
            json!({"file_path": "sub/a.txt", "old_string": "s", "new_string": "S", "replace_all": true}),
        ),
    ]
}

#[tokio::test]
async fn pinned_calls_succeed() {
    let (lab, _) = lab();
    for (tool, input) in calls() {
        let outcome = lab.call(tool, input).await;
        let nothing_to_replace = tool == "Edit" && said(&outcome).contains("not found");
        assert!(
            outcome.is_error.is_none() || nothing_to_replace,
            "{tool}: {}",
            outcome.content
        );
    }
    assert_eq!(lab.text("sub/a.txt"), "new\n");
}

#[tokio::test]
async fn a_link_created_after_the_decision_is_refused() {
    for swap in [swap_file, swap_folder] {
        for (tool, input) in calls() {
            let (lab, outside) = lab();
            swap(&lab, &outside);
            let outcome = lab.call(tool, input).await;
            assert_eq!(outcome.is_error, Some(true), "{tool}");
            assert!(said(&outcome).contains(PLANTED), "{tool}: {}", said(&outcome));
            assert!(!outcome.result.to_string().contains("secret"), "{tool}");
            assert_eq!(
                std::fs::read_to_string(outside.join("a.txt")).unwrap(),
                "secret\n",
                "{tool}"
            );
            assert_eq!(
                std::fs::read_dir(&outside).unwrap().count(),
                1,
                "{tool} leaves nothing behind"
            );
        }
    }
}

#[tokio::test]
async fn a_link_that_existed_at_the_decision_is_followed() {
    let (mut lab, outside) = lab();
    symlink(&outside, lab.work.join("known")).unwrap();
    lab.cx.pins = Some(pins(&lab.work.join("known/a.txt"), &outside.join("a.txt")));
    let outcome = lab.call("Read", json!({"file_path": "known/a.txt"})).await;
    assert_eq!(outcome.content, "1\tsecret\n2\t");
    let outcome = lab
        .call("Write", json!({"file_path": "known/a.txt", "content": "new\n"}))
        .await;
    assert_eq!(outcome.is_error, None, "{}", outcome.content);
    assert_eq!(std::fs::read_to_string(outside.join("a.txt")).unwrap(), "new\n");
}

#[tokio::test]
async fn new_files_and_folders_are_created_at_the_pinned_location() {
    let (mut lab, outside) = lab();
    let place = lab.work.join("new/deep/f.txt");
    lab.cx.pins = Some(pins(&place, &place));
    let write = json!({"file_path": "new/deep/f.txt", "content": "x"});
    assert_eq!(lab.call("Write", write.clone()).await.is_error, None);
    assert_eq!(lab.text("new/deep/f.txt"), "x");
    std::fs::remove_dir_all(lab.work.join("new")).unwrap();
    symlink(&outside, lab.work.join("new")).unwrap();
    let outcome = lab.call("Write", write).await;
    assert!(said(&outcome).contains(PLANTED), "{}", said(&outcome));
    assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 1);
}

#[tokio::test]
async fn a_dangling_link_is_not_followed() {
    let (mut lab, outside) = lab();
    // as a resolver reports a dangling symlink
    let place = lab.work.join("dangling");
    lab.cx.pins = Some(pins(&place, &place));
    symlink(outside.join("made"), lab.work.join("dangling")).unwrap();
    let outcome = lab
        .call("Write", json!({"file_path": "dangling", "content": "x"}))
        .await;
    assert!(said(&outcome).contains(PLANTED), "{}", said(&outcome));
    assert!(!outside.join("made").exists());
}

#[tokio::test]
async fn searches_start_at_the_pinned_folder() {
    let (mut lab, outside) = lab();
    let place = lab.work.join("sub");
    lab.cx.pins = Some(pins(&place, &place));
    for (tool, input) in [
        ("Glob", json!({"pattern": "*", "path": "sub"})),
        ("Grep", json!({"pattern": "secret|harmless", "path": "sub"})),
    ] {
        assert_eq!(lab.call(tool, input.clone()).await.is_error, None);
        swap_folder(&lab, &outside);
        let outcome = lab.call(tool, input).await;
        assert!(said(&outcome).contains(PLANTED), "{tool}: {}", said(&outcome));
        std::fs::remove_file(lab.work.join("sub")).unwrap();
        std::fs::rename(lab.work.join("moved"), lab.work.join("sub")).unwrap();
    }
}

#[tokio::test]
async fn a_notebook_is_pinned_too() {
    let (mut lab, outside) = lab();
    let text = r#"{"cells":[{"cell_type":"code","id":"a","source":"1"}]}"#;
    let inside = lab.file("sub/n.ipynb", text);
    std::fs::write(outside.join("n.ipynb"), text).unwrap();
    lab.cx.pins = Some(pins(&inside, &inside));
    lab.call("Read", json!({"file_path": "sub/n.ipynb"})).await;
    swap_folder(&lab, &outside);
    let input = json!({"notebook_path": "sub/n.ipynb", "cell_id": "a", "new_source": "2"});
    let outcome = lab.call("NotebookEdit", input).await;
    assert!(said(&outcome).contains(PLANTED), "{}", said(&outcome));
    assert_eq!(std::fs::read_to_string(outside.join("n.ipynb")).unwrap(), text);
}

/// A symlink that changes constantly: only the permitted file is read or written.
#[tokio::test(flavor = "multi_thread")]
async fn a_constantly_changing_link_gives_no_access() {
    let (lab, outside) = lab();
    let (stop, work) = (tokio_util::sync::CancellationToken::new(), lab.work.clone());
    let (stopped, target) = (stop.clone(), outside.clone());
    let swapper = std::thread::spawn(move || {
        let (sub, link) = (work.join("sub"), work.join("link"));
        symlink(&target, &link).unwrap();
        while !stopped.is_cancelled() {
            // atomic, so that the name always exists
            rustix::fs::renameat_with(CWD, &sub, CWD, &link, RenameFlags::EXCHANGE).unwrap();
        }
    });
    for round in 0..300 {
        let read = lab.call("Read", json!({"file_path": "sub/a.txt"})).await;
        assert!(!read.content.to_string().contains("secret"), "round {round}");
        let write = json!({"file_path": "sub/a.txt", "content": format!("{round}\n")});
        lab.call("Write", write).await;
        assert_eq!(
            std::fs::read_to_string(outside.join("a.txt")).unwrap(),
            "secret\n",
            "round {round}"
        );
        assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 1, "round {round}");
    }
    stop.cancel();
    swapper.join().unwrap();
}
