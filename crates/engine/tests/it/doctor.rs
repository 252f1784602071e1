//! Errors in files are reported, and everything else works.

use std::fs;
use std::path::Path;

use serde_json::Value;
use sluice_engine::PluginDir;
use sluice_engine::settings::{Chosen, Places, Settings};
use sluice_engine::transcript::{Choice, Which, resume};
use sluice_simulator::Script;

use crate::stage::Stage;

/// Files with different kinds of errors.
const BROKEN: &[(&str, &str)] = &[
    ("home/.claude/settings.json", "{\"hooks\": {\"Nope\": [], \"Stop\": 1}}"),
    (
        "home/.claude/agents/broken-agent.md",
        "---\nname: a\ndescription: [x\n---\nBody",
    ),
    (
        "home/.claude/commands/broken-command.md",
        "---\ndescription: [x\n---\nBody",
    ),
    ("home/.claude/skills/broken-skill/SKILL.md", "---\n{{{\n---\nBody"),
    ("home/.claude/output-styles/broken-style.md", "---\n: : :\n- x\n---\n"),
    (".claude/settings.json", "{\"hooks\": {\"Nought\": []}}"),
    ("home/.claude/agents/bare-agent.md", "Reviews the code."),
    ("home/.claude/agents/README.md", "Notes about the agents."),
    (
        "home/.claude/agents/hooked-agent.md",
        "---\nname: hooked\ndescription: d\nhooks:\n  NoneOfThem: []\n---\nBody",
    ),
    (
        "home/.claude/skills/hooked-skill/SKILL.md",
        "---\nname: s\ndescription: d\nhooks:\n  NotThis: []\n---\nBody",
    ),
    ("broken-plugin/.claude-plugin/plugin.json", "{\"name\":"),
    ("hooked-plugin/hooks/hooks.json", "{\"hooks\": {\"Never\": []}}"),
];

/// Texts that identify each error.
const NAMED: &[&str] = &[
    "Nope is not a hook event",
    "Stop must be a list",
    "Nought is not a hook event",
    "bare-agent.md: it has no front matter",
    "NoneOfThem is not a hook event",
    "NotThis is not a hook event",
    "broken-agent.md",
    "broken-command.md",
    "broken-skill/SKILL.md",
    "broken-style.md",
    "broken-plugin",
    "Never is not a hook event",
];

fn write_files(root: &Path, options: &mut sluice_engine::Options) {
    for (name, text) in BROKEN {
        let file = root.join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
    let places = Places {
        cwd: root.to_path_buf(),
        home: root.join("home"),
        config_dir: root.join("home/.claude"),
        managed: root.join("managed/settings.json"),
        global: root.join("home/.claude.json"),
    };
    options.settings = Settings::load(&places, &Chosen::ALL, None, None);
    for name in ["broken-plugin", "hooked-plugin"] {
        options.catalogue.plugin_dirs.push(PluginDir {
            path: root.join(name),
            without_mcp: false,
            failed: None,
        });
    }
}

fn text(result: &Value) -> String {
    result["result"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn every_error_is_reported_and_the_rest_works() {
    let mut before = Vec::new();
    let mut stage = Stage::with(Script::new().text("Fine"), |options| {
        let root = options.cwd.clone();
        write_files(&root, options);
        before = sluice_engine::problems(options);
    })
    .await;
    stage.prompt("Hello").await;
    assert_eq!(text(&stage.result().await), "Fine");
    stage.prompt("/doctor").await;
    let told = text(&stage.result().await);
    for name in NAMED {
        // Hooks of skills and agents are read before a session, and when the skill or agent is used.
        let later = matches!(*name, "NoneOfThem is not a hook event" | "NotThis is not a hook event");
        assert!(later || told.contains(name), "{name} is missing: {told}");
        // Hooks of plugins are only read together with the plugin.
        assert!(
            *name == "Never is not a hook event" || before.iter().any(|problem| problem.contains(name)),
            "{name} is missing: {before:#?}"
        );
    }
    assert!(!told.contains("README.md"), "{told}");
    stage.end().await;
}

#[tokio::test]
async fn unreadable_transcript_lines_are_reported_once() {
    let mut stage = Stage::begin(Script::new().text("One")).await;
    stage.prompt("First").await;
    stage.turn().await;
    let dir = stage.dir.path().to_owned();
    let file = dir.join("home/projects/stage/11111111-2222-4333-8444-555555555555.jsonl");
    let kept = fs::read_to_string(&file).unwrap();
    stage.end().await;
    let place = tempfile::tempdir().unwrap();
    let projects = sluice_engine::transcript::Projects::new(place.path().join("projects"));
    let id = "11111111-2222-4333-8444-555555555555";
    let file = projects.file(Path::new("/work"), id);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, format!("\n\0\0\0\n{kept}{{\"type\":\"user\",\"uu")).unwrap();
    let choice = Choice {
        which: Which::Named(id.to_owned()),
        at: None,
        drops_turn: None,
        fork: false,
    };
    let earlier = resume::find(&projects, Path::new("/work"), &choice).unwrap();
    let mut stage = Stage::with(Script::new().text("Two").text("Three"), |options| {
        options.session.earlier = earlier;
        options.session.keeping.file = Some(file);
    })
    .await;
    for prompt in ["Second", "Third"] {
        stage.prompt(prompt).await;
        stage.turn().await;
    }
    let told: Vec<&Value> = stage
        .heard
        .iter()
        .filter(|message| message["subtype"] == "informational")
        .collect();
    assert_eq!(told.len(), 1, "{told:#?}");
    assert!(told[0].to_string().contains("2 lines of this transcript are invalid"));
    assert_eq!(stage.sent(1)["messages"][0]["content"][0]["text"], "First");
    stage.prompt("/doctor").await;
    let doctor = text(&stage.result().await);
    assert!(doctor.contains("2 lines of this transcript"), "{doctor}");
    stage.end().await;
}
