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

struct World {
    _dir: tempfile::TempDir,
    places: Places,
}

fn world() -> World {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    for folder in ["proj", "home"] {
        fs::create_dir(root.join(folder)).unwrap();
    }
    World {
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

impl World {
    fn file(&self, source: Source) -> PathBuf {
        self.places.file(source).unwrap()
    }

    fn put(&self, source: Source, text: &str) -> PathBuf {
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
fn a_file_is_made_with_its_folder() {
    let world = world();
    for source in [Source::Local, Source::Project, Source::User] {
        let path = world.add(source, Behavior::Allow, "Bash(python3:*)").unwrap();
        assert_eq!(path, world.file(source));
        assert_eq!(
            world.text(source),
            "{\n  \"permissions\": {\n    \"allow\": [\n      \"Bash(python3:*)\"\n    ]\n  }\n}\n"
        );
    }
    assert_eq!(
        names(&world.places.cwd.join(".claude")),
        ["settings.json", "settings.local.json"]
    );
    assert_eq!(fs::metadata(world.file(Source::User)).unwrap().mode() & 0o777, 0o600);
}

#[test]
fn order_unknown_keys_manner_and_mode_stay() {
    let world = world();
    let before = "\u{feff}{\r\n\t\"zebra\": {\r\n\t\t\"b\": 1,\r\n\t\t\"a\": \"x\\ny\"\r\n\t},\r\n\t\"permissions\": {\r\n\t\t\"deny\": [\r\n\t\t\t\"Read(.env)\"\r\n\t\t]\r\n\t},\r\n\t\"apple\": true\r\n}\r\n";
    let path = world.put(Source::Local, before);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    world.add(Source::Local, Behavior::Deny, "Bash(rm:*)").unwrap();
    assert_eq!(
        world.text(Source::Local),
        before.replace("\"Read(.env)\"", "\"Read(.env)\",\r\n\t\t\t\"Bash(rm:*)\"")
    );
    assert_eq!(fs::metadata(&path).unwrap().mode() & 0o7777, 0o640);
}

#[test]
fn taking_out_keeps_the_order_of_the_rest() {
    let world = world();
    world.put(Source::User, r#"{"a": 1, "b": {"x": 1, "y": 2}, "c": 3, "d": 4}"#);
    let changes = json!({"a": null, "b": {"x": null, "z": [1]}, "e": 5, "none": null});
    update(&world.places, Source::User, changes.as_object().unwrap()).unwrap();
    let text: String = world.text(Source::User).split_whitespace().collect();
    assert_eq!(text, r#"{"b":{"y":2,"z":[1]},"c":3,"d":4,"e":5}"#);
}

#[test]
fn what_changes_nothing_writes_nothing() {
    let world = world();
    let text = "{\"permissions\":{\"allow\":[\"Bash(ls)\"]}}";
    let path = world.put(Source::Local, text);
    let before = fs::metadata(&path).unwrap().ino();
    world.add(Source::Local, Behavior::Allow, "Bash(ls)").unwrap();
    assert_eq!(world.text(Source::Local), text);
    assert_eq!(fs::metadata(&path).unwrap().ino(), before);
}

#[test]
fn a_file_that_cannot_be_parsed_is_not_touched() {
    let world = world();
    let text = "{\n  \"permissions\": {\n    \"deny\": [\"Bash\"],\n  }\n}";
    world.put(Source::Project, text);
    let error = world.add(Source::Project, Behavior::Allow, "Read").unwrap_err();
    assert!(
        matches!(error, WriteError::Broken { line: 4, column: 3, .. }),
        "{error:?}"
    );
    assert!(
        error.to_string().ends_with("take it out; nothing was written"),
        "{error}"
    );
    assert_eq!(world.text(Source::Project), text);
}

#[test]
fn what_is_of_another_kind_is_not_touched() {
    let world = world();
    for text in [
        "{\"permissions\": 3}",
        "{\"permissions\": {\"allow\": \"Bash\"}}",
        "{\"permissions\": {}, \"permissions\": {}}",
        "[]",
    ] {
        world.put(Source::Local, text);
        world.add(Source::Local, Behavior::Allow, "Read").unwrap_err();
        assert_eq!(world.text(Source::Local), text);
    }
    let error = world.add(Source::Session, Behavior::Allow, "Read").unwrap_err();
    assert!(matches!(error, WriteError::NoFile(Source::Session)));
    assert!(matches!(
        world.add(Source::Policy, Behavior::Deny, "Read"),
        Err(WriteError::NoFile(_))
    ));
}

#[test]
fn a_link_planted_by_the_project_is_not_followed() {
    let world = world();
    let victim = world.places.home.join("victim.json");
    fs::write(&victim, "{}").unwrap();
    let folder = world.places.cwd.join(".claude");
    fs::create_dir(&folder).unwrap();
    symlink(&victim, folder.join("settings.local.json")).unwrap();
    let error = world.add(Source::Local, Behavior::Allow, "Bash").unwrap_err();
    assert!(matches!(error, WriteError::Link(_)), "{error}");

    let dangling = world.places.home.join("new.json");
    symlink(&dangling, folder.join("settings.json")).unwrap();
    assert!(matches!(
        world.add(Source::Project, Behavior::Allow, "Bash"),
        Err(WriteError::Link(_))
    ));

    fs::remove_dir_all(&folder).unwrap();
    symlink(&world.places.home, &folder).unwrap();
    let error = world.add(Source::Local, Behavior::Allow, "Bash").unwrap_err();
    assert!(matches!(error, WriteError::Link(_)), "{error}");
    assert_eq!(names(&world.places.home), ["victim.json"]);
    assert_eq!(fs::read_to_string(&victim).unwrap(), "{}");
}

#[test]
fn a_link_of_the_persons_own_stays() {
    let world = world();
    let dotfiles = world.places.home.join("dotfiles");
    fs::create_dir_all(&dotfiles).unwrap();
    fs::create_dir_all(&world.places.config_dir).unwrap();
    fs::write(dotfiles.join("s.json"), "{}").unwrap();
    let link = world.file(Source::User);
    symlink("../dotfiles/s.json", &link).unwrap();
    assert_eq!(world.add(Source::User, Behavior::Deny, "Bash").unwrap(), link);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(fs::read_to_string(dotfiles.join("s.json")).unwrap().contains("Bash"));
    assert_eq!(names(&dotfiles), ["s.json"]);

    fs::remove_file(dotfiles.join("s.json")).unwrap();
    assert!(matches!(
        world.add(Source::User, Behavior::Deny, "Bash"),
        Err(WriteError::Io { .. })
    ));
}

#[test]
fn what_is_no_file_is_not_replaced() {
    let world = world();
    fs::create_dir_all(world.file(Source::Local)).unwrap();
    assert!(matches!(
        world.add(Source::Local, Behavior::Deny, "Bash"),
        Err(WriteError::Io { .. })
    ));
    fs::write(world.places.config_dir.clone(), "").unwrap();
    assert!(matches!(
        world.add(Source::User, Behavior::Deny, "Bash"),
        Err(WriteError::Io { .. })
    ));
}

#[test]
fn what_a_dead_writer_left_is_taken_away() {
    let world = world();
    let path = world.put(Source::Local, "{\"permissions\": {\"deny\": [\"Bash\"]}}");
    let torn = path.with_file_name(".settings.local.json.sluice-0123");
    fs::write(&torn, "{\"permis").unwrap();
    let others = path.with_file_name(".settings.json.sluice-0123");
    fs::write(&others, "").unwrap();
    world.add(Source::Local, Behavior::Deny, "Read").unwrap();
    assert!(!torn.exists());
    assert!(others.exists(), "another file's");
    let document: Value = serde_json::from_str(&world.text(Source::Local)).unwrap();
    assert_eq!(document["permissions"]["deny"], json!(["Bash", "Read"]));
}

#[test]
fn a_change_of_another_program_in_between_is_kept() {
    let world = world();
    let path = world.put(Source::Local, "{}");
    let target = Target::of(&world.places, Source::Local).unwrap();
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
    let document: Value = serde_json::from_str(&world.text(Source::Local)).unwrap();
    assert_eq!(document, json!({"theirs": 1, "ours": 2}));
    assert_eq!(names(path.parent().unwrap()), ["settings.local.json"]);
}

#[test]
fn writers_at_once_lose_nothing_and_readers_see_whole_files() {
    const WRITERS: usize = 8;
    const RULES: usize = 12;
    let world = world();
    let start = Barrier::new(WRITERS + 1);
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let reader = scope.spawn(|| {
            start.wait();
            let mut most = 0;
            while !done.load(Ordering::Acquire) {
                let Ok(text) = fs::read_to_string(world.file(Source::Local)) else {
                    continue;
                };
                let document: Value = serde_json::from_str(&text).expect("half a file");
                let count = document["permissions"]["allow"].as_array().unwrap().len();
                assert!(count >= most, "a rule was lost");
                most = count;
            }
        });
        let (world, start) = (&world, &start);
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| {
                scope.spawn(move || {
                    start.wait();
                    for rule in 0..RULES {
                        world
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
    let document: Value = serde_json::from_str(&world.text(Source::Local)).unwrap();
    let have = document["permissions"]["allow"].as_array().unwrap();
    assert_eq!(have.len(), WRITERS * RULES);
    for writer in 0..WRITERS {
        for rule in 0..RULES {
            assert!(have.contains(&json!(format!("Bash({writer} {rule})"))));
        }
    }
    assert_eq!(names(&world.places.cwd.join(".claude")), ["settings.local.json"]);
}
