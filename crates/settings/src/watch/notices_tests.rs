#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::fs;
use std::os::unix::fs::symlink;

use super::*;

/// A folder, and a listener for one path in it. The kernel queues a notice before the call that caused it
/// returns, so nothing has to be waited for.
struct Ground {
    dir: tempfile::TempDir,
}

impl Ground {
    fn new() -> Self {
        Self {
            dir: tempfile::tempdir().unwrap(),
        }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn listen(&self, name: &str) -> OwnedFd {
        let (fd, is_whole) = listen(&plan(&[self.at(name)])).unwrap();
        assert!(is_whole);
        fd
    }
}

/// Reads what was told and says whether it was anything.
fn drain(fd: &OwnedFd) -> bool {
    let mut is_any = false;
    while rustix::io::read(fd, &mut [0_u8; 4096]).is_ok() {
        is_any = true;
    }
    is_any
}

/// Does `change` after `path` is listened to and says whether it was heard.
fn is_heard(ground: &Ground, path: &str, change: impl FnOnce()) -> bool {
    let fd = ground.listen(path);
    assert!(!drain(&fd), "nothing happened");
    change();
    drain(&fd)
}

#[test]
fn a_file_made_written_replaced_or_removed_is_heard() {
    let ground = Ground::new();
    let file = ground.at("a.json");
    assert!(is_heard(&ground, "a.json", || fs::write(&file, "{}").unwrap()));
    assert!(is_heard(&ground, "a.json", || fs::write(&file, "[]").unwrap()));
    assert!(is_heard(&ground, "a.json", || {
        let beside = ground.at("beside");
        fs::write(&beside, "[]").unwrap();
        fs::rename(&beside, &file).unwrap();
    }));
    assert!(is_heard(&ground, "a.json", || fs::remove_file(&file).unwrap()));
}

#[test]
fn what_other_files_hold_is_not_heard() {
    let ground = Ground::new();
    fs::create_dir(ground.at("sub")).unwrap();
    fs::write(ground.at("other"), "").unwrap();
    fs::write(ground.at("a.json"), "").unwrap();
    assert!(!is_heard(&ground, "a.json", || {
        fs::write(ground.at("other"), "much").unwrap();
        fs::write(ground.at("sub/new"), "").unwrap();
        fs::read(ground.at("a.json")).unwrap();
        ground.at("a.json").metadata().unwrap();
    }));
}

#[test]
fn folders_that_only_lie_on_the_way_are_not_heard() {
    let ground = Ground::new();
    fs::create_dir_all(ground.at("way/end")).unwrap();
    assert!(!is_heard(&ground, "way/end/a.json", || {
        fs::write(ground.at("way/other"), "").unwrap();
        fs::remove_file(ground.at("way/other")).unwrap();
    }));
}

#[test]
fn folders_made_later_are_followed_down() {
    let ground = Ground::new();
    let path = "one/two/a.json";
    assert!(is_heard(&ground, path, || fs::create_dir(ground.at("one")).unwrap()));
    assert!(is_heard(&ground, path, || fs::create_dir(ground.at("one/two")).unwrap()));
    assert!(is_heard(&ground, path, || fs::write(ground.at(path), "").unwrap()));
}

#[test]
fn a_folder_moved_away_or_removed_is_heard() {
    let ground = Ground::new();
    fs::create_dir_all(ground.at("one/two")).unwrap();
    assert!(is_heard(&ground, "one/two/a.json", || {
        fs::rename(ground.at("one"), ground.at("else")).unwrap();
    }));
    assert!(is_heard(&ground, "else/two/a.json", || {
        fs::remove_dir(ground.at("else/two")).unwrap();
    }));
}

#[test]
fn a_link_is_followed_and_its_own_change_is_heard() {
    let ground = Ground::new();
    fs::create_dir(ground.at("kept")).unwrap();
    fs::write(ground.at("kept/real"), "").unwrap();
    symlink("kept/real", ground.at("a.json")).unwrap();
    assert!(is_heard(&ground, "a.json", || fs::write(ground.at("kept/real"), "{}").unwrap()));
    assert!(is_heard(&ground, "a.json", || {
        fs::remove_file(ground.at("a.json")).unwrap();
        symlink("kept/none", ground.at("a.json")).unwrap();
    }));
    assert!(is_heard(&ground, "a.json", || fs::write(ground.at("kept/none"), "{}").unwrap()));
}

#[test]
fn a_linked_folder_is_followed_and_its_own_change_is_heard() {
    let ground = Ground::new();
    fs::create_dir_all(ground.at("deep/kept")).unwrap();
    symlink(ground.at("deep/kept"), ground.at("conf")).unwrap();
    assert!(is_heard(&ground, "conf/../kept/a.json", || {
        fs::write(ground.at("deep/kept/a.json"), "").unwrap();
    }));
    assert!(is_heard(&ground, "conf/a.json", || {
        fs::remove_file(ground.at("conf")).unwrap();
    }));
}

#[test]
fn links_in_a_circle_end() {
    let ground = Ground::new();
    symlink("b", ground.at("a")).unwrap();
    symlink("a", ground.at("b")).unwrap();
    assert!(is_heard(&ground, "a", || fs::remove_file(ground.at("b")).unwrap()));
}

#[test]
fn a_file_where_a_folder_should_be_is_heard_when_it_makes_room() {
    let ground = Ground::new();
    fs::write(ground.at("one"), "").unwrap();
    assert!(is_heard(&ground, "one/a.json", || fs::remove_file(ground.at("one")).unwrap()));
}

#[test]
fn one_file_under_two_names_is_heard_for_both() {
    let ground = Ground::new();
    fs::create_dir(ground.at("kept")).unwrap();
    symlink("kept", ground.at("conf")).unwrap();
    let (fd, _) = listen(&plan(&[ground.at("kept/a.json"), ground.at("conf/deep/b.json")])).unwrap();
    fs::create_dir(ground.at("kept/deep")).unwrap();
    assert!(drain(&fd));
    fs::write(ground.at("kept/a.json"), "").unwrap();
    assert!(drain(&fd));
}

#[tokio::test]
async fn where_all_is_heard_nothing_is_polled() {
    let ground = Ground::new();
    let notices = Notices::of(&[ground.at("one/a.json"), ground.at("b.json")]);
    assert!(!notices.is_deaf && notices.kernel.is_some());
}
