//! Sessions on disk.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use sluice_host::sessions::{Fork, MessageKind, Sessions};

const ONE: &str = "aaaaaaaa-0000-4000-8000-000000000001";
const TWO: &str = "aaaaaaaa-0000-4000-8000-000000000002";

fn entry(kind: &str, uuid: &str, parent: Option<&str>, content: Value) -> Value {
    json!({"parentUuid": parent, "isSidechain": false, "type": kind, "message": {"role": kind, "content": content},
        "uuid": uuid, "timestamp": "2026-01-02T03:04:05.678Z", "sessionId": ONE, "cwd": "/w", "gitBranch": "main"})
}

/// Creates a configuration folder with one project of two sessions. Also returns the project's working folder.
fn disk() -> (tempfile::TempDir, Sessions, PathBuf) {
    let root = tempfile::tempdir().unwrap();
    let work = root.path().join("w");
    std::fs::create_dir(&work).unwrap();
    let real = std::fs::canonicalize(&work).unwrap();
    let key: String = real
        .to_string_lossy()
        .chars()
        .map(|it| if it.is_ascii_alphanumeric() { it } else { '-' })
        .collect();
    let project = root.path().join("config/projects").join(key);
    std::fs::create_dir_all(&project).unwrap();
    write(
        &project,
        ONE,
        &[
            entry("user", "u1", None, json!("Build it\nplease")),
            entry("assistant", "u2", Some("u1"), json!([{"type": "text", "text": "Done"}])),
            json!({"type": "progress", "uuid": "p1", "parentUuid": "u2", "isSidechain": false}),
            entry("user", "u3", Some("p1"), json!("Thanks")),
        ],
    );
    write(
        &project,
        TWO,
        &[json!({"type": "summary", "summary": "An old one", "leafUuid": "x"})],
    );
    std::fs::write(project.join("notes.jsonl"), "{}").unwrap();
    let side = json!({"isSidechain": true, "type": "user", "uuid": "s"}).to_string();
    std::fs::write(project.join("aaaaaaaa-0000-4000-8000-000000000003.jsonl"), side).unwrap();
    let sessions = Sessions::under(root.path().join("config"));
    (root, sessions, work)
}

fn write(project: &Path, id: &str, entries: &[Value]) {
    let text: String = entries.iter().map(|entry| format!("{entry}\n")).collect();
    std::fs::write(project.join(format!("{id}.jsonl")), text).unwrap();
}

#[test]
fn sessions_are_listed_with_details() {
    let (_root, sessions, work) = disk();
    for dir in [None, Some(work.as_path())] {
        let mut found = sessions.list(dir).unwrap();
        found.sort_by(|a, b| a.session_id.cmp(&b.session_id));
        let ids: Vec<&str> = found.iter().map(|it| it.session_id.as_str()).collect();
        assert_eq!(ids, [ONE, TWO]);
        assert_eq!(found[0].summary, "Build it please");
        assert_eq!(found[0].first_prompt.as_deref(), Some("Build it please"));
        assert_eq!(found[0].git_branch.as_deref(), Some("main"));
        assert_eq!(found[0].cwd.as_deref(), Some("/w"));
        assert_eq!(found[0].created_at, Some(1_767_323_045_678));
        assert_eq!(found[1].summary, "An old one");
    }
    assert!(sessions.list(Some(Path::new("/"))).unwrap().is_empty());
    assert!(Sessions::under("/nowhere").list(None).unwrap().is_empty());
}

#[test]
fn sessions_are_browsed_in_groups_newest_first() {
    let (root, sessions, work) = disk();
    let project = root.path().join("config/projects");
    let project = std::fs::read_dir(project).unwrap().next().unwrap().unwrap().path();
    for number in 0..100 {
        let id = format!("bbbbbbbb-0000-4000-8000-{number:012}");
        let entry =
            json!({"type": "user", "uuid": "u", "message": {"role": "user", "content": format!("prompt {number}")}});
        write(&project, &id, &[entry]);
    }
    let mut groups = Vec::new();
    sessions
        .browse(Some(&work), |group| {
            groups.push(group);
            true
        })
        .unwrap();
    assert_eq!(groups.len(), 2, "the first page, then the rest");
    let all: Vec<_> = groups.concat();
    assert_eq!(all.len(), sessions.list(Some(&work)).unwrap().len());
    assert!(
        all.windows(2)
            .all(|pair| pair[0].last_modified >= pair[1].last_modified)
    );
    let mut first = 0;
    sessions
        .browse(None, |_| {
            first += 1;
            false
        })
        .unwrap();
    assert_eq!(first, 1, "the callback can stop the search");
}

#[test]
fn search_matches_messages_but_not_metadata() {
    let (_root, sessions, work) = disk();
    let found = |words: &str| {
        let mut ids = Vec::new();
        let on_match = |id: Option<&str>| {
            ids.extend(id.map(str::to_owned));
            true
        };
        sessions.search(words, Some(&work), on_match).unwrap();
        ids
    };
    assert_eq!(found("THANKS"), [ONE]);
    assert_eq!(found("gitBranch"), Vec::<String>::new());
    assert_eq!(found("text without a match"), Vec::<String>::new());
}

#[test]
fn messages_are_returned_in_order() {
    let (_root, sessions, _) = disk();
    let messages = sessions.messages(ONE, None).unwrap();
    let kinds: Vec<MessageKind> = messages.iter().map(|it| it.kind).collect();
    assert_eq!(kinds, [MessageKind::User, MessageKind::Assistant, MessageKind::User]);
    assert_eq!(messages[2].message.to_value()["content"], "Thanks");
    assert!(sessions.messages("aaaaaaaa-0000-4000-8000-00000000000f", None).is_err());
    assert!(sessions.messages("../../etc/passwd", None).is_err());
}

#[test]
fn session_can_be_renamed_tagged_archived_and_deleted() {
    let (_root, sessions, work) = disk();
    sessions.rename(ONE, "  Mine ", None).unwrap();
    assert!(sessions.rename(ONE, "  ", None).is_err());
    sessions.tag(ONE, Some("im\u{200B}portant"), None).unwrap();
    sessions.archive(ONE, true, None).unwrap();
    let info = sessions.info(ONE, Some(&work)).unwrap().unwrap();
    assert_eq!(info.summary, "Mine");
    assert_eq!(info.tag.as_deref(), Some("important"));
    assert!(info.archived);
    sessions.tag(ONE, None, None).unwrap();
    assert_eq!(sessions.info(ONE, None).unwrap().unwrap().tag, None);
    sessions.delete(ONE, None).unwrap();
    assert_eq!(sessions.info(ONE, None).unwrap(), None);
    assert!(sessions.delete(ONE, None).is_err());
}

#[test]
fn fork_is_a_separate_session() {
    let (_root, sessions, _) = disk();
    let fork = sessions
        .fork(
            ONE,
            &Fork {
                up_to: Some("u2".to_owned()),
                title: None,
            },
            None,
        )
        .unwrap();
    let copy = sessions.messages(&fork, None).unwrap();
    assert_eq!(copy.len(), 2);
    assert_ne!(copy[0].uuid, "u1");
    assert_eq!(copy[0].session_id, fork);
    assert_eq!(
        sessions.info(&fork, None).unwrap().unwrap().summary,
        "Build it please (fork)"
    );
    let whole = sessions.fork(ONE, &Fork::default(), None).unwrap();
    assert_eq!(
        sessions.messages(&whole, None).unwrap().len(),
        3,
        "messages after a progress entry are included"
    );
    assert_eq!(
        sessions.messages(ONE, None).unwrap().len(),
        3,
        "the original is unchanged"
    );
    assert!(
        sessions
            .fork(
                ONE,
                &Fork {
                    up_to: Some("none".to_owned()),
                    title: None
                },
                None
            )
            .is_err()
    );
}

/// Folders whose name has an accent are found with either Unicode normalisation form.
#[test]
fn folder_is_found_in_either_normalisation_form() {
    let root = tempfile::tempdir().unwrap();
    let work = root.path().join("cafe\u{301}");
    std::fs::create_dir(&work).unwrap();
    let parent = std::fs::canonicalize(root.path()).unwrap();
    let parent: String = parent
        .to_string_lossy()
        .chars()
        .map(|it| if it.is_ascii_alphanumeric() { it } else { '-' })
        .collect();
    for (name, id) in [("caf-", ONE), ("cafe-", TWO)] {
        let project = root.path().join("config/projects").join(format!("{parent}-{name}"));
        std::fs::create_dir_all(&project).unwrap();
        write(&project, id, &[entry("user", "u1", None, json!("Build it"))]);
    }
    let sessions = Sessions::under(root.path().join("config"));
    assert_eq!(sessions.list(Some(&work)).unwrap().len(), 2);
    for id in [ONE, TWO] {
        assert_eq!(sessions.messages(id, Some(&work)).unwrap().len(), 1);
    }
}
