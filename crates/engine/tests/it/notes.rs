//! Notes of the agent, and disabling built-in plugins.

use std::fs;

use serde_json::json;
use sluice_engine::settings::{Chosen, Opener, Settings};
use sluice_simulator::{Reply, Script};

use crate::commands::with_files;
use crate::stage::Stage;

fn write(file: &std::path::Path) -> Reply {
    Reply::tool(
        "Write",
        json!({"file_path": file.display().to_string(), "content": "x\n"}),
    )
}

#[tokio::test]
async fn notes_are_sent_and_writable_without_permission_request() {
    let notes = tempfile::tempdir().unwrap();
    fs::write(
        notes.path().join("MEMORY.md"),
        "- [stones](stones.md): what otters like\n",
    )
    .unwrap();
    let script = Script::new()
        .reply(write(&notes.path().join("deep/stones.md")))
        .text("Noted");
    let mut stage = Stage::with(script, |options| {
        let settings = json!({"autoMemoryDirectory": notes.path()});
        options.settings.set_flag(settings.as_object().unwrap());
    })
    .await;
    stage.prompt("go").await;
    stage.turn().await;
    assert_eq!(fs::read_to_string(notes.path().join("deep/stones.md")).unwrap(), "x\n");
    assert_eq!(
        stage.last("init")["memory_paths"]["auto"],
        format!("{}/", notes.path().display())
    );
    let request = &stage.server.requests()[0].body;
    assert!(request["messages"][0].to_string().contains("what otters like"));
    assert!(request["system"].to_string().contains(notes.path().to_str().unwrap()));
    stage.end().await;
}

#[tokio::test]
async fn disabled_notes_have_no_writable_folder() {
    let notes = tempfile::tempdir().unwrap();
    let script = Script::new().reply(write(&notes.path().join("a.md"))).text("Done");
    let mut stage = Stage::with(script, |options| {
        let settings = json!({"autoMemoryDirectory": notes.path(), "autoMemoryEnabled": false});
        options.settings.set_flag(settings.as_object().unwrap());
    })
    .await;
    stage.prompt("go").await;
    let ask = stage.ask().await;
    stage.deny(&ask).await;
    stage.turn().await;
    assert_eq!(stage.last("init").get("memory_paths"), None);
    stage.end().await;
}

#[tokio::test]
async fn project_settings_cannot_move_the_notes_folder() {
    let elsewhere = tempfile::tempdir().unwrap();
    let settings = json!({"autoMemoryDirectory": elsewhere.path()}).to_string();
    let mut stage = Stage::with(Script::new().text("Hi"), |options| {
        with_files(options, &[(".claude/settings.json", &settings)]);
        let places = options.settings.places().clone();
        options.settings = Settings::load(&places, &Chosen::ALL, None, None).opened_by(Opener::Host);
    })
    .await;
    stage.prompt("go").await;
    stage.turn().await;
    let folder = stage.last("init")["memory_paths"]["auto"].clone();
    assert!(folder.as_str().unwrap().ends_with("/memory/"), "{folder}");
    assert!(folder.as_str().unwrap().contains("/projects/"), "{folder}");
    stage.end().await;
}

#[tokio::test]
async fn built_in_plugins_can_be_disabled() {
    let mut stage = Stage::with(Script::new().text("One").text("Two"), |options| {
        with_files(options, &[("AGENTS.md", "Agents are kind.")]);
        let off = json!({"enabledPlugins": {"agents-md@builtin": false, "review@builtin": false}});
        options.settings.set_flag(off.as_object().unwrap());
    })
    .await;
    stage.prompt("go").await;
    stage.turn().await;
    let init = stage.last("init").clone();
    assert_eq!(
        init["plugins"],
        json!([{"name": "onboarding", "path": "builtin", "source": "onboarding@builtin"}])
    );
    let commands = init["slash_commands"].as_array().unwrap();
    assert!(
        commands.contains(&json!("init")) && !commands.contains(&json!("review")),
        "{commands:?}"
    );
    assert_eq!(init.get("plugin_errors"), None);
    assert!(
        !stage.server.requests()[0].body["messages"]
            .to_string()
            .contains("Agents are kind.")
    );
    stage.end().await;
}
