#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::fs;
use std::os::unix::fs::PermissionsExt;

use pretty_assertions::assert_eq;
use tempfile::TempDir;

use super::*;

/// Returns a folder with these files and a walker.
fn test_folder(files: &[(&str, &str)]) -> (TempDir, Walker) {
    let dir = TempDir::new().unwrap();
    for (path, text) in files {
        let path = dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    (dir, Walker::default())
}

fn names(walker: &Walker) -> Vec<&str> {
    walker.entries.iter().map(|entry| entry.name.as_str()).collect()
}

#[test]
fn subfolders_are_part_of_the_command_name() {
    let (dir, mut walker) = test_folder(&[
        ("b.md", "B"),
        ("db/migrate.md", "M"),
        ("db/deep/er.md", "E"),
        ("notes.txt", "no"),
        ("a.md", "# Heading\n\nbody"),
    ]);
    walker.commands(dir.path(), &Origin::Project);
    walker.sort();
    assert_eq!(names(&walker), ["a", "b", "db:deep:er", "db:migrate"]);
    assert_eq!(walker.entries[0].description, "Heading");
    assert_eq!(walker.problems, []);
}

#[test]
fn a_skill_is_a_folder_with_a_skill_file() {
    let (dir, mut walker) = test_folder(&[
        ("paint/SKILL.md", "---\nname: painter\ndescription: paints\n---\nPaint."),
        ("empty/README.md", "no skill"),
        ("nested/deep/SKILL.md", "too deep"),
        ("loose.md", "no folder"),
    ]);
    walker.skills(dir.path(), &Origin::User);
    assert_eq!(names(&walker), ["paint"]);
    let entry = &walker.entries[0];
    assert!(entry.is_called("painter") && entry.is_called("paint"));
    assert_eq!(entry.told(), "paints (user)");
    assert_eq!(entry.body().unwrap(), "Paint.");
    assert_eq!(walker.problems, []);
}

#[test]
fn a_pipe_does_not_block() {
    let (dir, mut walker) = test_folder(&[("a.md", "A")]);
    rustix::fs::mknodat(
        rustix::fs::CWD,
        dir.path().join("b.md"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RWXU,
        0,
    )
    .unwrap();
    walker.commands(dir.path(), &Origin::Project);
    assert_eq!(names(&walker), ["a"]);
    assert_eq!(walker.problems.len(), 1);
}

#[test]
fn links_out_of_an_untrusted_project_are_not_followed() {
    let (dir, mut walker) = test_folder(&[("project/a.md", "A"), ("key", "secret"), ("skill/SKILL.md", "S")]);
    let project = dir.path().canonicalize().unwrap().join("project");
    std::os::unix::fs::symlink(dir.path().join("key"), project.join("b.md")).unwrap();
    std::os::unix::fs::symlink(dir.path().join("skill"), project.join("s")).unwrap();
    walker.bounds = Bounds::new(Some(project.clone()));
    walker.commands(&project, &Origin::Project);
    walker.skills(&project, &Origin::Project);
    walker.styles(&project, Some(&Origin::Project), None);
    assert_eq!(names(&walker), ["a"]);
    assert_eq!(walker.styles.len(), 1);
    assert!(walker.problems.iter().any(|problem| problem.path.ends_with("b.md")));
    // Links are followed if the folder is trusted.
    let mut own = Walker::default();
    own.commands(&project, &Origin::Project);
    assert_eq!(names(&own).len(), 3);
}

#[test]
fn the_first_entry_with_a_name_counts() {
    let (dir, mut walker) = test_folder(&[("user/x.md", "mine"), ("project/x.md", "theirs")]);
    walker.commands(&dir.path().join("user"), &Origin::User);
    walker.commands(&dir.path().join("project"), &Origin::Project);
    assert_eq!(walker.entries.len(), 1);
    assert_eq!(walker.entries[0].description, "mine");
}

#[test]
fn invalid_files_are_reported_and_the_others_loaded() {
    let (dir, mut walker) = test_folder(&[
        (
            "broken.md",
            "---\ndescription: what it does\nallowed-tools: [\n---\nBroken body",
        ),
        ("good.md", "Good"),
        ("bad name.md", "Nobody can type this"),
        ("binary.md", "ok"),
    ]);
    fs::write(dir.path().join("binary.md"), b"\xff\xfe\x00").unwrap();
    walker.commands(dir.path(), &Origin::Project);
    assert_eq!(names(&walker), ["binary", "broken", "good"]);
    assert_eq!(walker.entries[1].description, "what it does");
    let named: Vec<String> = walker.problems.iter().map(ToString::to_string).collect();
    assert_eq!(named.len(), 2, "{named:?}");
    assert!(
        named[0].contains("bad name.md") && named[1].contains("broken.md"),
        "{named:?}"
    );
}

#[test]
fn unreadable_files_are_reported() {
    let (dir, mut walker) = test_folder(&[("secret.md", "x"), ("loop.md", "x")]);
    let secret = dir.path().join("secret.md");
    fs::set_permissions(&secret, fs::Permissions::from_mode(0o000)).unwrap();
    // The mode does not prevent root from reading; a link to itself prevents all users.
    fs::remove_file(dir.path().join("loop.md")).unwrap();
    std::os::unix::fs::symlink("loop.md", dir.path().join("loop.md")).unwrap();
    walker.commands(dir.path(), &Origin::Project);
    assert!(walker.problems.iter().any(|problem| problem.path.ends_with("loop.md")));
}

#[test]
fn long_front_matter_is_read_completely() {
    let text = format!("---\nnote: {}\ndescription: far down\n---\nBody", "x".repeat(9000));
    let (dir, mut walker) = test_folder(&[("long.md", &text)]);
    walker.commands(dir.path(), &Origin::Project);
    assert_eq!(walker.entries[0].description, "far down");
    assert_eq!(walker.problems, []);
}

#[test]
fn parts_of_a_plugin_have_its_name_as_prefix() {
    let (dir, mut walker) = test_folder(&[
        (
            "commands/pc.md",
            "---\ndescription: plugin command\n---\n${CLAUDE_PLUGIN_ROOT}/x",
        ),
        ("skills/ps/SKILL.md", "---\nname: ps\n---\nIn ${CLAUDE_SKILL_DIR}."),
        ("more/one.md", "One"),
    ]);
    let root = dir.path().to_owned();
    let plugin = Plugin {
        name: "plug".to_owned(),
        source: "plug@inline".to_owned(),
        version: None,
        commands: vec![root.join("commands"), root.join("more/one.md")],
        agents: Vec::new(),
        skills: vec![root.join("skills")],
        output_styles: Vec::new(),
        hooks: Vec::new(),
        mcp_servers: Vec::new(),
        root: root.clone(),
    };
    walker.plugin(&plugin);
    assert_eq!(names(&walker), ["plug:one", "plug:pc", "plug:ps"]);
    assert_eq!(walker.entries[1].told(), "(plug) plugin command");
    assert_eq!(walker.entries[1].body().unwrap(), format!("{}/x", root.display()));
    assert_eq!(
        walker.entries[2].body().unwrap(),
        format!("In {}.", root.join("skills/ps").display())
    );
    assert_eq!(walker.entries[2].title, None);
}

#[test]
fn a_missing_folder_is_not_a_problem() {
    let (dir, mut walker) = test_folder(&[]);
    walker.commands(&dir.path().join("nowhere"), &Origin::User);
    walker.styles(&dir.path().join("nowhere"), None, None);
    assert_eq!((walker.entries.len(), walker.problems), (0, vec![]));
}

#[test]
fn styles_are_named_by_front_matter_or_file_name() {
    let (dir, mut walker) = test_folder(&[
        ("a.md", "---\nname: Aye\nkeep-coding-instructions: true\n---\nTalk."),
        ("b.md", "Be terse."),
    ]);
    walker.styles(dir.path(), None, Some("plug"));
    let found: Vec<(&str, bool, String)> = walker
        .styles
        .iter()
        .map(|style| (style.name.as_str(), style.keeps_guide, style.text()))
        .collect();
    let expected = [
        ("plug:Aye", true, "Talk.".to_owned()),
        ("plug:b", false, "Be terse.".to_owned()),
    ];
    assert_eq!(found, expected);
}
