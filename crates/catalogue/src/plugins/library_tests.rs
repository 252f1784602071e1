#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use std::os::unix::fs::symlink;

use pretty_assertions::assert_eq;
use tempfile::TempDir;

use super::super::archive::tests::zip;
use super::*;

const NOW: &str = "2026-11-18T12:00:00.000Z";

struct Lab {
    folder: TempDir,
    library: Library,
}

impl Lab {
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

    /// The folders of plugins that wait for a decision.
    fn copies(&self) -> usize {
        let entries = fs::read_dir(self.at("config/plugins")).unwrap().flatten();
        entries
            .filter(|it| it.file_name().to_string_lossy().starts_with(STAGED))
            .count()
    }
}

fn review() -> Lab {
    Lab::new(&[
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
    let lab = review();
    let staged = lab.library.stage(&lab.at("review")).unwrap();
    assert_eq!(staged.contents, CONTENTS);
    assert_eq!((staged.id.as_str(), staged.replaces), ("review-tools@local", false));
    assert_eq!(lab.library.list(), []);
    // The copy is installed, not the source, which has changed since.
    fs::write(lab.at("review/commands/check.md"), "Changed.").unwrap();
    assert_eq!(lab.library.install(&staged, NOW).unwrap(), "review-tools@local");
    drop(staged);
    assert_eq!(lab.copies(), 0);
    let place = lab.at("config/plugins/cache/local/review-tools/1.2.0");
    assert_eq!(fs::read_to_string(place.join("commands/check.md")).unwrap(), "Check.");
    assert!(!place.join(".git").exists());
    let list = lab.library.list();
    assert_eq!(list[0].id, "review-tools@local");
    assert_eq!(list[0].contents.as_ref().unwrap(), &CONTENTS);
    assert!(lab.library.stage(&lab.at("review")).unwrap().replaces);
    lab.library.remove("review-tools@local").unwrap();
    assert_eq!(lab.library.list(), []);
    assert!(!place.exists());
    let again = lab.library.remove("review-tools@local").unwrap_err();
    assert_eq!(again.to_string(), "review-tools@local is not installed");
}

#[test]
fn archive_is_installed_from_the_folder_inside_it() {
    let lab = Lab::new(&[]);
    let archive = zip(
        &[
            ("pack/.claude-plugin/plugin.json", 0o100_644, br#"{"name": "pack"}"#),
            ("pack/commands/go.md", 0o100_644, b"Go."),
        ],
        true,
    );
    fs::write(lab.at("pack.zip"), archive).unwrap();
    let staged = lab.library.stage(&lab.at("pack.zip")).unwrap();
    assert_eq!(staged.contents, ["commands: go"]);
    lab.library.install(&staged, NOW).unwrap();
    drop(staged);
    let place = lab.at("config/plugins/cache/local/pack/unknown/commands/go.md");
    assert_eq!(fs::read_to_string(place).unwrap(), "Go.");
    assert_eq!(lab.copies(), 0);
}

#[test]
fn unusable_plugins_are_refused_and_leave_nothing() {
    let lab = Lab::new(&[
        ("escape/.claude-plugin/plugin.json", r#"{"name": ".."}"#),
        ("broken/.claude-plugin/plugin.json", "{"),
        ("linked/commands/a.md", "A"),
        ("two words/commands/a.md", "A"),
        ("file.txt", "no plugin"),
    ]);
    symlink("/etc/passwd", lab.at("linked/commands/b.md")).unwrap();
    let archive = zip(&[("../out", 0o100_644, b"x")], false);
    fs::write(lab.at("out.zip"), archive).unwrap();
    for (source, why) in [
        ("escape", "`name` has to be a word"),
        ("broken", "plugin.json"),
        ("linked", "b.md is a link"),
        ("two words", "cannot be the name of a plugin"),
        ("file.txt", "neither a folder nor a .zip file"),
        ("missing", "neither a folder nor a .zip file"),
        ("out.zip", "leads out of its folder"),
        (".", "contains the configuration folder"),
    ] {
        let error = lab.library.stage(&lab.at(source)).unwrap_err().to_string();
        assert!(error.contains(why), "{source}: {error}");
        assert_eq!(lab.copies(), 0, "{source}");
    }
    assert!(!lab.at("config/plugins/out").exists() && !lab.at("config/out").exists());
}

#[test]
fn list_of_the_reference_cli_keeps_its_other_entries() {
    let lab = Lab::new(&[
        (
            "config/plugins/installed_plugins.json",
            r#"{"version": 2, "plugins": {"a@team": [{"scope": "user", "installPath": "/elsewhere", "extra": 1}]}}"#,
        ),
        ("plug/commands/x.md", "X"),
    ]);
    let staged = lab.library.stage(&lab.at("plug")).unwrap();
    lab.library.install(&staged, NOW).unwrap();
    let text = fs::read_to_string(lab.at("config/plugins/installed_plugins.json")).unwrap();
    let list: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(list["plugins"]["a@team"][0]["extra"], 1);
    let entry = &list["plugins"]["plug@local"][0];
    assert_eq!((&entry["scope"], &entry["installedAt"]), (&json!("user"), &json!(NOW)));
    let ids: Vec<String> = lab.library.list().into_iter().map(|plugin| plugin.id).collect();
    assert_eq!(ids, ["a@team", "plug@local"]);
    lab.library.remove("a@team").unwrap();
    assert!(lab.library.list().iter().all(|plugin| plugin.id != "a@team"));
}
