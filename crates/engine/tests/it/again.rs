//! A resumed session sends the model the same conversation as before. [`Stage::end`] checks this for every test; these
//! tests check the requests themselves.

use std::fs;

use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use sluice_engine::Options;
use sluice_engine::settings::{Chosen, Settings};
use sluice_simulator::{Reply, Script};

use crate::commands::with_files;
use crate::sessions::{ID, Shelf, messages, unmarked};
use crate::stage::{Stage, prompt};

/// Sets up a working folder with these files and stored transcripts.
fn set_up_folder(shelf: &Shelf, options: &mut Options, files: &[(&str, &str)]) {
    shelf.keep(options, ID);
    options.cwd = shelf.dir.path().to_owned();
    let mut places = options.settings.places().clone();
    places.cwd.clone_from(&options.cwd);
    options.settings = Settings::load(&places, &Chosen::ALL, None, None);
    with_files(options, files);
}

/// The messages of the latest request.
fn last(stage: &Stage) -> Vec<Value> {
    let requests = stage.server.requests();
    unmarked(messages(&requests.last().unwrap().body))
}

/// Checks that a resumed session starts with the messages of this one.
async fn check_resumed(shelf: &Shelf, stage: Stage, files: &[(&str, &str)]) -> String {
    let before = last(&stage);
    stage.leave_now().await;
    let change = |options: &mut Options| set_up_folder(shelf, options, files);
    let mut again = shelf.resume_with(Script::new().text("Again"), change).await;
    again.prompt("and now").await;
    again.result().await;
    let after = last(&again);
    assert_eq!(after.get(..before.len()).unwrap_or_default(), before);
    assert!(after.len() > before.len());
    again.end().await;
    Value::from(after).to_string()
}

#[tokio::test]
async fn resumed_conversation_keeps_reminders_and_attachments() {
    let shelf = Shelf::new();
    let files = [
        ("CLAUDE.md", "Mind the \"gap\"."),
        ("a.txt", "alphabetical\n"),
        (".claude/skills/dig/SKILL.md", "---\ndescription: Digs\n---\nDig deep."),
    ];
    let script = Script::new()
        .text("One")
        .reply(Reply::tool("Skill", json!({"skill": "dig"})))
        .text("Two");
    let mut stage = Stage::with(script, |options| {
        set_up_folder(&shelf, options, &files);
        options.permissions.allowed.push("Skill".into());
    })
    .await;
    stage.prompt("Look at @a.txt").await;
    stage.result().await;
    stage.send(&[prompt("first"), prompt("second @a.txt")]).await;
    stage.result().await;
    let all = check_resumed(&shelf, stage, &files).await;
    for once in ["Mind the", "These skills can", "alphabetical"] {
        let count = all.matches(once).count();
        assert!(
            count == 1 || once == "alphabetical" && count == 2,
            "{once}: {count} in {all}"
        );
    }
}

#[tokio::test]
async fn unanswered_prompt_stays_a_separate_message() {
    let shelf = Shelf::new();
    let script = Script::new().reply(Reply::error(400).message("no")).text("Yes");
    let mut stage = shelf.begin(script).await;
    stage.prompt("one").await;
    stage.result().await;
    let failed = last(&stage);
    assert_eq!(failed.len(), 1);
    stage.prompt("two").await;
    stage.result().await;
    assert_eq!(last(&stage).len(), 2, "what was sent is never touched again");
    check_resumed(&shelf, stage, &[]).await;
}

#[tokio::test]
async fn compacted_conversation_is_resumed_unchanged() {
    let shelf = Shelf::new();
    let files = [("CLAUDE.md", "Mind the gap.")];
    let script = Script::new()
        .text("One")
        .text("Two")
        .text("<summary>All of it</summary>")
        .text("Three");
    let mut stage = Stage::with(script, |options| {
        set_up_folder(&shelf, options, &files);
    })
    .await;
    for text in ["one", "two", "/compact", "three"] {
        stage.prompt(text).await;
        stage.result().await;
    }
    let all = check_resumed(&shelf, stage, &files).await;
    assert!(all.contains("All of it"), "{all}");
    assert_eq!(all.matches("Mind the gap").count(), 1, "{all}");
}

#[tokio::test]
async fn long_conversation_is_loaded_before_the_first_request() {
    let shelf = Shelf::new();
    let file = shelf.file(ID);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    let mut text = String::new();
    let mut parent = Value::Null;
    for at in 0..400 {
        let (kind, words) = if at % 2 == 0 { ("user", "u") } else { ("assistant", "a") };
        let words = format!("{words}{at} {}", words.repeat(8000));
        let line = json!({"parentUuid": parent, "type": kind, "uuid": format!("u{at}"),
            "message": {"role": kind, "id": format!("m{at}"), "content": [{"type": "text", "text": words}]}});
        text.push_str(&format!("{line}\n"));
        parent = json!(format!("u{at}"));
    }
    fs::write(&file, text).unwrap();
    let mut stage = shelf.resume(Script::new().text("Fine"), |_| {}).await;
    stage.prompt("go on").await;
    stage.result().await;
    let sent = last(&stage);
    assert_eq!(sent.len(), 401);
    for (at, message) in sent.iter().take(400).enumerate() {
        let words = message["content"][0]["text"].as_str().unwrap();
        assert!(words[1..].starts_with(&format!("{at} ")), "{at}");
    }
    assert_eq!(sent[400]["content"], json!([{"type": "text", "text": "go on"}]));
    stage.end().await;
}
