//! Files that a prompt mentions.

use serde_json::json;
use sluice_simulator::{Reply, Script};

use crate::commands::with_files;
use crate::stage::Stage;

const FILES: &[(&str, &str)] = &[
    ("a.txt", "alphabetical\nbetical\ngamma\n"),
    ("dir/one.txt", "1"),
    ("dir/two.txt", "2"),
    ("two words.txt", "quoted"),
    ("secret.txt", "hush"),
];

async fn said(prompt: &str) -> Vec<String> {
    let mut stage = Stage::with(Script::new().text("Seen"), |options| {
        with_files(options, FILES);
        options.permissions.disallowed = vec!["Read(secret.txt)".into()];
    })
    .await;
    stage.prompt(prompt).await;
    stage.turn().await;
    let said = stage.said_to_model(1);
    stage.end().await;
    said
}

#[tokio::test]
async fn mentioned_file_follows_the_prompt() {
    let said = said("Look at @a.txt, please").await;
    assert_eq!(said[0], "Look at @a.txt, please");
    assert!(
        said[1].contains("a.txt") && said[1].contains("alphabetical"),
        "{said:?}"
    );
}

#[tokio::test]
async fn mentions_support_lines_quotes_and_folders() {
    let lines = said("@a.txt#L2-2").await;
    assert!(lines[1].contains("betical") && !lines[1].contains("gamma"), "{lines:?}");
    assert!(!lines[1].contains("alphabetical"), "{lines:?}");
    let quoted = said("@\"two words.txt\"").await;
    assert!(quoted[1].contains("quoted"), "{quoted:?}");
    let folder = said("what is in @dir/").await;
    assert!(folder[1].contains("one.txt\ntwo.txt"), "{folder:?}");
}

#[tokio::test]
async fn denied_and_missing_files_are_not_attached() {
    assert_eq!(said("@secret.txt @nowhere.txt me@a.txt").await.len(), 1);
    let folder = said("@./").await;
    assert!(!folder[1].contains("secret.txt"), "{folder:?}");
}

#[tokio::test]
async fn mentioned_file_can_be_edited() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("a.txt");
    std::fs::write(&file, "gamma\n").unwrap();
    let edit = json!({"file_path": file, "old_string": "gamma", "new_string": "delta"});
    let script = Script::new().reply(Reply::tool("Edit", edit)).text("Done");
    let mut stage = Stage::with(script, |options| options.folders.added = vec![dir.path().to_owned()]).await;
    stage.prompt(&format!("Change @{}", file.display())).await;
    let ask = stage.ask().await;
    stage.allow(&ask).await;
    stage.result().await;
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "delta\n");
    stage.end().await;
}

#[tokio::test]
async fn attachments_are_stored_after_the_prompt() {
    let mut stage = Stage::with(Script::new().text("Seen"), |options| with_files(options, FILES)).await;
    stage.prompt("Compare @a.txt with @dir/").await;
    stage.turn().await;
    let kept = std::fs::read_to_string(stage.path("home/projects/stage/11111111-2222-4333-8444-555555555555.jsonl"));
    let lines: Vec<serde_json::Value> = kept
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .filter(|line: &serde_json::Value| line["uuid"].is_string())
        .collect();
    let kinds: Vec<&str> = lines.iter().filter_map(|line| line["type"].as_str()).collect();
    assert_eq!(kinds, ["user", "attachment", "attachment", "assistant"]);
    for pair in lines.windows(2) {
        assert_eq!(pair[1]["parentUuid"], pair[0]["uuid"]);
    }
    let file = &lines[1]["attachment"];
    assert_eq!((&file["type"], &file["displayPath"]), (&json!("file"), &json!("a.txt")));
    assert_eq!(file["content"]["file"]["content"], "alphabetical\nbetical\ngamma\n");
    assert_eq!(lines[2]["attachment"]["type"], "directory");
    assert_eq!(lines[1]["rendered"][0]["content"], stage.said_to_model(1)[1]);
    stage.end().await;
}

#[tokio::test]
async fn verbatim_prompt_attaches_no_files_and_runs_no_command() {
    let mut stage = Stage::with(Script::new().reply(Reply::text("Seen").repeat()), |options| {
        with_files(options, FILES);
    })
    .await;
    for text in ["Look at @a.txt", "/context"] {
        stage.prompt_with(text, json!({"client_composed": true})).await;
        stage.turn().await;
        let sent = stage.server.requests().len();
        assert_eq!(stage.said_to_model(sent).last().unwrap(), text);
    }
    assert_eq!(stage.server.requests().len(), 2, "the model was asked each time");
    stage.prompt("Look at @a.txt").await;
    stage.turn().await;
    assert!(stage.said_to_model(3).last().unwrap().contains("alphabetical"));
    stage.end().await;
}
