#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use std::os::unix::fs::symlink;

use pretty_assertions::assert_eq;
use tempfile::TempDir;

use super::super::archive::tests::zip;
use super::*;

const NOW: &str = "2026-11-18T12:00:00.000Z";

struct TestLibrary {
    folder: TempDir,
    library: Library,
}

impl TestLibrary {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = TempDir::new().unwrap();
        for (path, text) in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let library = Library::new(&folder.path().join("config"));
        Self { folder, library }
    }

    fn at(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    /// Returns the number of staged copies.
    fn copies(&self) -> usize {
        let entries = fs::read_dir(self.at("config/plugins")).unwrap().flatten();
        entries
            .filter(|it| it.file_name().to_string_lossy().starts_with(STAGED_PREFIX))
            .count()
    }
}

fn review() -> TestLibrary {
    TestLibrary::new(&[
        (
            "review/.claude-plugin/plugin.json",
            r#"{"name": "review-tools", "version": "1.2.0"}"#,
        ),
        ("review/skills/lint/SKILL.md", "---\nname: lint\n---\nLint."),
        ("review/commands/check.md", "Check."),
        (
            "review/hooks/hooks.json",
            r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "./guard.sh\u001b[2J"}]}]}}"#,
        ),
        (
            "review/.mcp.json",
            r#"{"mcpServers": {"db": {"command": "npx", "args": ["db"]}, "web": {"url": "https://x.org"}}}"#,
        ),
        ("review/.git/HEAD", "ref: refs/heads/main"),
    ])
}

const CONTENTS: [&str; 5] = [
    "hook PreToolUse: runs `./guard.sh\\x1b[2J`",
    "MCP server db: runs `npx db`",
    "MCP server web: connects to https://x.org",
    "commands: check",
    "skills: lint",
];

#[test]
fn folder_is_staged_installed_listed_and_removed() {
    let test = review();
    let staged = test.library.stage(&test.at("review")).unwrap();
    assert_eq!(staged.contents, CONTENTS);
    assert_eq!((staged.id.as_str(), staged.replaces), ("review-tools@local", false));
    assert_eq!(test.library.list(), []);
    // The copy is installed, not the source, which was changed meanwhile.
    fs::write(test.at("review/commands/check.md"), "Changed.").unwrap();
    assert_eq!(test.library.install(&staged, NOW).unwrap(), "review-tools@local");
    drop(staged);
    assert_eq!(test.copies(), 0);
    let place = test.at("config/plugins/cache/local/review-tools/1.2.0");
    assert_eq!(fs::read_to_string(place.join("commands/check.md")).unwrap(), "Check.");
    assert!(!place.join(".git").exists());
    let list = test.library.list();
    assert_eq!(list[0].id, "review-tools@local");
    assert_eq!(list[0].contents.as_ref().unwrap(), &CONTENTS);
    assert!(test.library.stage(&test.at("review")).unwrap().replaces);
    test.library.remove("review-tools@local").unwrap();
    assert_eq!(test.library.list(), []);
    assert!(!place.exists());
    let again = test.library.remove("review-tools@local").unwrap_err();
    assert_eq!(again.to_string(), "review-tools@local is not installed");
}

#[test]
fn archive_is_installed_from_the_folder_inside_it() {
    let test = TestLibrary::new(&[]);
    let archive = zip(
        &[
            ("pack/.claude-plugin/plugin.json", 0o100_644, br#"{"name": "pack"}"#),
            ("pack/commands/go.md", 0o100_644, b"Go."),
        ],
        true,
    );
    fs::write(test.at("pack.zip"), archive).unwrap();
    let staged = test.library.stage(&test.at("pack.zip")).unwrap();
    assert_eq!(staged.contents, ["commands: go"]);
    test.library.install(&staged, NOW).unwrap();
    drop(staged);
    let place = test.at("config/plugins/cache/local/pack/unknown/commands/go.md");
    assert_eq!(fs::read_to_string(place).unwrap(), "Go.");
    assert_eq!(test.copies(), 0);
}

#[test]
fn unusable_plugins_are_refused_and_leave_nothing() {
    let test = TestLibrary::new(&[
        ("escape/.claude-plugin/plugin.json", r#"{"name": ".."}"#),
        ("broken/.claude-plugin/plugin.json", "{"),
        ("linked/commands/a.md", "A"),
        ("two words/commands/a.md", "A"),
        ("file.txt", "no plugin"),
    ]);
    symlink("/etc/passwd", test.at("linked/commands/b.md")).unwrap();
    let archive = zip(&[("../out", 0o100_644, b"x")], false);
    fs::write(test.at("out.zip"), archive).unwrap();
    for (source, why) in [
        ("escape", "`name` must be a word"),
        ("broken", "plugin.json"),
        ("linked", "b.md is a link"),
        ("two words", "cannot be the name of a plugin"),
        ("file.txt", "neither a folder nor a .zip file"),
        ("missing", "neither a folder nor a .zip file"),
        ("out.zip", "leads out of its folder"),
        (".", "contains the configuration folder"),
    ] {
        let error = test.library.stage(&test.at(source)).unwrap_err().to_string();
        assert!(error.contains(why), "{source}: {error}");
        assert_eq!(test.copies(), 0, "{source}");
    }
    assert!(!test.at("config/plugins/out").exists() && !test.at("config/out").exists());
}

#[test]
fn list_of_the_reference_cli_keeps_its_other_entries() {
    let test = TestLibrary::new(&[
        (
            "config/plugins/installed_plugins.json",
            r#"{"version": 2, "plugins": {"a@team": [{"scope": "user", "installPath": "/elsewhere", "extra": 1}]}}"#,
        ),
        ("plug/commands/x.md", "X"),
    ]);
    let staged = test.library.stage(&test.at("plug")).unwrap();
    test.library.install(&staged, NOW).unwrap();
    let text = fs::read_to_string(test.at("config/plugins/installed_plugins.json")).unwrap();
    let list: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(list["plugins"]["a@team"][0]["extra"], 1);
    let entry = &list["plugins"]["plug@local"][0];
    assert_eq!((&entry["scope"], &entry["installedAt"]), (&json!("user"), &json!(NOW)));
    let ids: Vec<String> = test.library.list().into_iter().map(|plugin| plugin.id).collect();
    assert_eq!(ids, ["a@team", "plug@local"]);
    test.library.remove("a@team").unwrap();
    assert!(test.library.list().iter().all(|plugin| plugin.id != "a@team"));
}
