#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::fs;
use std::os::unix::fs::symlink;

use super::*;

/// A folder with watched paths. The kernel queues an event before the call that caused it returns, so the tests need
/// not wait.
struct WatchedFolder {
    dir: tempfile::TempDir,
}

impl WatchedFolder {
    fn new() -> Self {
        Self {
            dir: tempfile::tempdir().unwrap(),
        }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn add_watches(&self, name: &str) -> OwnedFd {
        let (fd, is_whole) = add_watches(&plan(&[self.at(name)])).unwrap();
        assert!(is_whole);
        fd
    }
}

/// Reads all queued events. Returns whether there were any.
fn drain(fd: &OwnedFd) -> bool {
    let mut is_any = false;
    while rustix::io::read(fd, &mut [0_u8; 4096]).is_ok() {
        is_any = true;
    }
    is_any
}

/// Watches `path`, makes the change, and returns whether it caused an event.
fn is_detected(folder: &WatchedFolder, path: &str, change: impl FnOnce()) -> bool {
    let fd = folder.add_watches(path);
    assert!(!drain(&fd), "no event before the change");
    change();
    drain(&fd)
}

#[test]
fn creating_writing_replacing_and_removing_a_file_is_detected() {
    let folder = WatchedFolder::new();
    let file = folder.at("a.json");
    assert!(is_detected(&folder, "a.json", || fs::write(&file, "{}").unwrap()));
    assert!(is_detected(&folder, "a.json", || fs::write(&file, "[]").unwrap()));
    assert!(is_detected(&folder, "a.json", || {
        let beside = folder.at("beside");
        fs::write(&beside, "[]").unwrap();
        fs::rename(&beside, &file).unwrap();
    }));
    assert!(is_detected(&folder, "a.json", || fs::remove_file(&file).unwrap()));
}

#[test]
fn writes_to_other_files_cause_no_event() {
    let folder = WatchedFolder::new();
    fs::create_dir(folder.at("sub")).unwrap();
    fs::write(folder.at("other"), "").unwrap();
    fs::write(folder.at("a.json"), "").unwrap();
    assert!(!is_detected(&folder, "a.json", || {
        fs::write(folder.at("other"), "much").unwrap();
        fs::write(folder.at("sub/new"), "").unwrap();
        fs::read(folder.at("a.json")).unwrap();
        folder.at("a.json").metadata().unwrap();
    }));
}

#[test]
fn changes_in_folders_of_the_path_cause_no_event() {
    let folder = WatchedFolder::new();
    fs::create_dir_all(folder.at("way/end")).unwrap();
    assert!(!is_detected(&folder, "way/end/a.json", || {
        fs::write(folder.at("way/other"), "").unwrap();
        fs::remove_file(folder.at("way/other")).unwrap();
    }));
}

#[test]
fn folders_created_later_are_watched() {
    let folder = WatchedFolder::new();
    let path = "one/two/a.json";
    assert!(is_detected(&folder, path, || fs::create_dir(folder.at("one")).unwrap()));
    assert!(is_detected(&folder, path, || fs::create_dir(folder.at("one/two")).unwrap()));
    assert!(is_detected(&folder, path, || fs::write(folder.at(path), "").unwrap()));
}

#[test]
fn moving_and_removing_a_folder_is_detected() {
    let folder = WatchedFolder::new();
    fs::create_dir_all(folder.at("one/two")).unwrap();
    assert!(is_detected(&folder, "one/two/a.json", || {
        fs::rename(folder.at("one"), folder.at("else")).unwrap();
    }));
    assert!(is_detected(&folder, "else/two/a.json", || {
        fs::remove_dir(folder.at("else/two")).unwrap();
    }));
}

#[test]
fn changes_of_a_link_and_of_its_target_are_detected() {
    let folder = WatchedFolder::new();
    fs::create_dir(folder.at("kept")).unwrap();
    fs::write(folder.at("kept/real"), "").unwrap();
    symlink("kept/real", folder.at("a.json")).unwrap();
    assert!(is_detected(&folder, "a.json", || fs::write(
        folder.at("kept/real"),
        "{}"
    )
    .unwrap()));
    assert!(is_detected(&folder, "a.json", || {
        fs::remove_file(folder.at("a.json")).unwrap();
        symlink("kept/none", folder.at("a.json")).unwrap();
    }));
    assert!(is_detected(&folder, "a.json", || fs::write(
        folder.at("kept/none"),
        "{}"
    )
    .unwrap()));
}

#[test]
fn changes_of_a_linked_folder_and_of_the_link_are_detected() {
    let folder = WatchedFolder::new();
    fs::create_dir_all(folder.at("deep/kept")).unwrap();
    symlink(folder.at("deep/kept"), folder.at("conf")).unwrap();
    assert!(is_detected(&folder, "conf/../kept/a.json", || {
        fs::write(folder.at("deep/kept/a.json"), "").unwrap();
    }));
    assert!(is_detected(&folder, "conf/a.json", || {
        fs::remove_file(folder.at("conf")).unwrap();
    }));
}

#[test]
fn circular_links_terminate() {
    let folder = WatchedFolder::new();
    symlink("b", folder.at("a")).unwrap();
    symlink("a", folder.at("b")).unwrap();
    assert!(is_detected(&folder, "a", || fs::remove_file(folder.at("b")).unwrap()));
}

#[test]
fn removing_a_file_in_place_of_a_folder_is_detected() {
    let folder = WatchedFolder::new();
    fs::write(folder.at("one"), "").unwrap();
    assert!(is_detected(&folder, "one/a.json", || fs::remove_file(folder.at("one")).unwrap()));
}

#[test]
fn a_file_with_two_names_is_watched_for_both() {
    let folder = WatchedFolder::new();
    fs::create_dir(folder.at("kept")).unwrap();
    symlink("kept", folder.at("conf")).unwrap();
    let (fd, _) = add_watches(&plan(&[folder.at("kept/a.json"), folder.at("conf/deep/b.json")])).unwrap();
    fs::create_dir(folder.at("kept/deep")).unwrap();
    assert!(drain(&fd));
    fs::write(folder.at("kept/a.json"), "").unwrap();
    assert!(drain(&fd));
}

#[tokio::test]
async fn nothing_is_polled_if_the_kernel_reports_all_changes() {
    let folder = WatchedFolder::new();
    let notices = Notices::of(&[folder.at("one/a.json"), folder.at("b.json")]);
    assert!(!notices.needs_polling && notices.kernel.is_some());
}
