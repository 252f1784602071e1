#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::fs;
use std::os::unix::fs::symlink;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};

use pretty_assertions::assert_eq;
use serde_json::json;
use sluice_permission::Behavior;
use sluice_permission::update::{Edit, List};

use super::*;

struct TestFolders {
    _dir: tempfile::TempDir,
    places: Places,
}

fn folders() -> TestFolders {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    for folder in ["proj", "home"] {
        fs::create_dir(root.join(folder)).unwrap();
    }
    TestFolders {
        places: Places {
            cwd: root.join("proj"),
            home: root.join("home"),
            config_dir: root.join("home/.claude"),
            managed: root.join("etc/managed-settings.json"),
            global: root.join("home/.claude.json"),
        },
        _dir: dir,
    }
}

impl TestFolders {
    fn file(&self, source: Source) -> PathBuf {
        self.places.file(source).unwrap()
    }

    fn write_file(&self, source: Source, text: &str) -> PathBuf {
        let path = self.file(source);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    fn text(&self, source: Source) -> String {
        fs::read_to_string(self.file(source)).unwrap()
    }

    fn add(&self, destination: Source, behavior: Behavior, entry: &str) -> Result<PathBuf, WriteError> {
        write(&self.places, &add(destination, behavior, entry))
    }
}

fn add(destination: Source, behavior: Behavior, entry: &str) -> FileChange {
    FileChange {
        destination,
        edit: Edit::Add {
            list: List::Rules(behavior),
            entries: vec![entry.to_owned()],
        },
    }
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn a_file_is_created_with_its_folder() {
    let folders = folders();
    for source in [Source::Local, Source::Project, Source::User] {
        let path = folders.add(source, Behavior::Allow, "Bash(python3:*)").unwrap();
        assert_eq!(path, folders.file(source));
        assert_eq!(
            folders.text(source),
            "{\n  \"permissions\": {\n    \"allow\": [\n      \"Bash(python3:*)\"\n    ]\n  }\n}\n"
        );
    }
    assert_eq!(
        names(&folders.places.cwd.join(".claude")),
        ["settings.json", "settings.local.json"]
    );
    assert_eq!(fs::metadata(folders.file(Source::User)).unwrap().mode() & 0o777, 0o600);
}

#[test]
fn order_unknown_keys_formatting_and_mode_are_preserved() {
    let folders = folders();
    let before = "\u{feff}{\r\n\t\"zebra\": {\r\n\t\t\"b\": 1,\r\n\t\t\"a\": \"x\\ny\"\r\n\t},\r\n\t\"permissions\": {\r\n\t\t\"deny\": [\r\n\t\t\t\"Read(.env)\"\r\n\t\t]\r\n\t},\r\n\t\"apple\": true\r\n}\r\n";
    let path = folders.write_file(Source::Local, before);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    folders.add(Source::Local, Behavior::Deny, "Bash(rm:*)").unwrap();
    assert_eq!(
        folders.text(Source::Local),
        before.replace("\"Read(.env)\"", "\"Read(.env)\",\r\n\t\t\t\"Bash(rm:*)\"")
    );
    assert_eq!(fs::metadata(&path).unwrap().mode() & 0o7777, 0o640);
}

#[test]
fn removing_keys_preserves_the_order_of_the_rest() {
    let folders = folders();
    folders.write_file(Source::User, r#"{"a": 1, "b": {"x": 1, "y": 2}, "c": 3, "d": 4}"#);
    let changes = json!({"a": null, "b": {"x": null, "z": [1]}, "e": 5, "none": null});
    update(&folders.places, Source::User, changes.as_object().unwrap()).unwrap();
    let text: String = folders.text(Source::User).split_whitespace().collect();
    assert_eq!(text, r#"{"b":{"y":2,"z":[1]},"c":3,"d":4,"e":5}"#);
}

#[test]
fn an_edit_without_effect_does_not_write() {
    let folders = folders();
    let text = "{\"permissions\":{\"allow\":[\"Bash(ls)\"]}}";
    let path = folders.write_file(Source::Local, text);
    let before = fs::metadata(&path).unwrap().ino();
    folders.add(Source::Local, Behavior::Allow, "Bash(ls)").unwrap();
    assert_eq!(folders.text(Source::Local), text);
    assert_eq!(fs::metadata(&path).unwrap().ino(), before);
}

#[test]
fn an_invalid_file_is_not_changed() {
    let folders = folders();
    let text = "{\n  \"permissions\": {\n    \"deny\": [\"Bash\"],\n  }\n}";
    folders.write_file(Source::Project, text);
    let error = folders.add(Source::Project, Behavior::Allow, "Read").unwrap_err();
    assert!(
        matches!(error, WriteError::Broken { line: 4, column: 3, .. }),
        "{error:?}"
    );
    assert!(error.to_string().ends_with("remove it; nothing was written"), "{error}");
    assert_eq!(folders.text(Source::Project), text);
}

#[test]
fn a_setting_of_the_wrong_type_is_not_changed() {
    let folders = folders();
    for text in [
        "{\"permissions\": 3}",
        "{\"permissions\": {\"allow\": \"Bash\"}}",
        "{\"permissions\": {}, \"permissions\": {}}",
        "[]",
    ] {
        folders.write_file(Source::Local, text);
        folders.add(Source::Local, Behavior::Allow, "Read").unwrap_err();
        assert_eq!(folders.text(Source::Local), text);
    }
    let error = folders.add(Source::Session, Behavior::Allow, "Read").unwrap_err();
    assert!(matches!(error, WriteError::NoFile(Source::Session)));
    assert!(matches!(
        folders.add(Source::Policy, Behavior::Deny, "Read"),
        Err(WriteError::NoFile(_))
    ));
}

#[test]
fn links_in_a_project_are_not_followed() {
    let folders = folders();
    let victim = folders.places.home.join("victim.json");
    fs::write(&victim, "{}").unwrap();
    let folder = folders.places.cwd.join(".claude");
    fs::create_dir(&folder).unwrap();
    symlink(&victim, folder.join("settings.local.json")).unwrap();
    let error = folders.add(Source::Local, Behavior::Allow, "Bash").unwrap_err();
    assert!(matches!(error, WriteError::Link(_)), "{error}");

    let dangling = folders.places.home.join("new.json");
    symlink(&dangling, folder.join("settings.json")).unwrap();
    assert!(matches!(
        folders.add(Source::Project, Behavior::Allow, "Bash"),
        Err(WriteError::Link(_))
    ));

    fs::remove_dir_all(&folder).unwrap();
    symlink(&folders.places.home, &folder).unwrap();
    let error = folders.add(Source::Local, Behavior::Allow, "Bash").unwrap_err();
    assert!(matches!(error, WriteError::Link(_)), "{error}");
    assert_eq!(names(&folders.places.home), ["victim.json"]);
    assert_eq!(fs::read_to_string(&victim).unwrap(), "{}");
}

#[test]
fn links_of_the_user_are_preserved() {
    let folders = folders();
    let dotfiles = folders.places.home.join("dotfiles");
    fs::create_dir_all(&dotfiles).unwrap();
    fs::create_dir_all(&folders.places.config_dir).unwrap();
    fs::write(dotfiles.join("s.json"), "{}").unwrap();
    let link = folders.file(Source::User);
    symlink("../dotfiles/s.json", &link).unwrap();
    assert_eq!(folders.add(Source::User, Behavior::Deny, "Bash").unwrap(), link);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(fs::read_to_string(dotfiles.join("s.json")).unwrap().contains("Bash"));
    assert_eq!(names(&dotfiles), ["s.json"]);

    fs::remove_file(dotfiles.join("s.json")).unwrap();
    assert!(matches!(
        folders.add(Source::User, Behavior::Deny, "Bash"),
        Err(WriteError::Io { .. })
    ));
}

#[test]
fn a_folder_is_not_replaced() {
    let folders = folders();
    fs::create_dir_all(folders.file(Source::Local)).unwrap();
    assert!(matches!(
        folders.add(Source::Local, Behavior::Deny, "Bash"),
        Err(WriteError::Io { .. })
    ));
    fs::write(folders.places.config_dir.clone(), "").unwrap();
    assert!(matches!(
        folders.add(Source::User, Behavior::Deny, "Bash"),
        Err(WriteError::Io { .. })
    ));
}

#[test]
fn temporary_files_of_killed_writers_are_removed() {
    let folders = folders();
    let path = folders.write_file(Source::Local, "{\"permissions\": {\"deny\": [\"Bash\"]}}");
    let leftover = path.with_file_name(".settings.local.json.sluice-0123");
    fs::write(&leftover, "{\"permis").unwrap();
    let others = path.with_file_name(".settings.json.sluice-0123");
    fs::write(&others, "").unwrap();
    folders.add(Source::Local, Behavior::Deny, "Read").unwrap();
    assert!(!leftover.exists());
    assert!(others.exists(), "belongs to another file");
    let document: Value = serde_json::from_str(&folders.text(Source::Local)).unwrap();
    assert_eq!(document["permissions"]["deny"], json!(["Bash", "Read"]));
}

#[test]
fn a_concurrent_change_of_another_program_is_preserved() {
    let folders = folders();
    let path = folders.write_file(Source::Local, "{}");
    let target = Target::of(&folders.places, Source::Local).unwrap();
    let mut times = 0;
    edit_file(&target, &mut |document| {
        times += 1;
        if times == 1 {
            fs::write(&path, "{\"theirs\": 1}").unwrap();
        }
        document.insert("ours".to_owned(), json!(2));
        Ok(())
    })
    .unwrap();
    assert_eq!(times, 2);
    let document: Value = serde_json::from_str(&folders.text(Source::Local)).unwrap();
    assert_eq!(document, json!({"theirs": 1, "ours": 2}));
    assert_eq!(names(path.parent().unwrap()), ["settings.local.json"]);
}

#[test]
fn concurrent_writers_lose_nothing_and_readers_see_complete_files() {
    const WRITERS: usize = 8;
    const RULES: usize = 12;
    let folders = folders();
    let start = Barrier::new(WRITERS + 1);
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let reader = scope.spawn(|| {
            start.wait();
            let mut max_count = 0;
            while !done.load(Ordering::Acquire) {
                let Ok(text) = fs::read_to_string(folders.file(Source::Local)) else {
                    continue;
                };
                let document: Value = serde_json::from_str(&text).expect("a partial file");
                let count = document["permissions"]["allow"].as_array().unwrap().len();
                assert!(count >= max_count, "a rule was lost");
                max_count = count;
            }
        });
        let (folders, start) = (&folders, &start);
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| {
                scope.spawn(move || {
                    start.wait();
                    for rule in 0..RULES {
                        folders
                            .add(Source::Local, Behavior::Allow, &format!("Bash({writer} {rule})"))
                            .unwrap();
                    }
                })
            })
            .collect();
        for writer in writers {
            writer.join().unwrap();
        }
        done.store(true, Ordering::Release);
        reader.join().unwrap();
    });
    let document: Value = serde_json::from_str(&folders.text(Source::Local)).unwrap();
    let have = document["permissions"]["allow"].as_array().unwrap();
    assert_eq!(have.len(), WRITERS * RULES);
    for writer in 0..WRITERS {
        for rule in 0..RULES {
            assert!(have.contains(&json!(format!("Bash({writer} {rule})"))));
        }
    }
    assert_eq!(names(&folders.places.cwd.join(".claude")), ["settings.local.json"]);
}
