//! The stored system prompt of a conversation, and how long it applies.

use std::path::Path;

use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use sluice_engine::Options;
use sluice_engine::transcript::{Choice, Fork, Projects, Which, resume};
use sluice_simulator::Script;

use crate::sessions::{ID, Shelf};
use crate::stage::Stage;

const FORK: &str = "99999999-2222-4333-8444-555555555555";

/// The texts of the system prompt in the `n`-th request.
fn texts(stage: &Stage, n: usize) -> Vec<Value> {
    let system = stage.sent(n)["system"].clone();
    let blocks = system.as_array().unwrap();
    blocks.iter().map(|block| block["text"].clone()).collect()
}

fn keeping(replace: Option<&str>, append: &str) -> impl FnOnce(&mut Options) {
    let (replace, append) = (replace.map(str::to_owned), append.to_owned());
    move |options| {
        options.prompt.words.keep = true;
        options.prompt.words.replace = replace;
        options.prompt.words.append = Some(append);
    }
}

/// Runs a session of one turn whose system prompt is stored.
async fn begun(shelf: &Shelf) {
    let mut stage = Stage::with(Script::new().text("One"), |options| {
        shelf.keep(options, ID);
        keeping(Some("Be a poet."), "First.")(options);
    })
    .await;
    stage.prompt("one").await;
    stage.result().await;
    assert_eq!(texts(&stage, 1), ["Be a poet.", "First."]);
    stage.end().await;
}

fn records(shelf: &Shelf, id: &str) -> Vec<Value> {
    let lines = shelf.lines(id).into_iter();
    lines
        .filter(|line| line["type"] == "system-prompt")
        .map(|line| line["texts"].clone())
        .collect()
}

#[tokio::test]
async fn stored_prompt_overrides_later_launch_options() {
    let shelf = Shelf::new();
    begun(&shelf).await;
    let mut stage = shelf
        .resume_with(Script::new().text("Two"), keeping(Some("Be a clerk."), "Second."))
        .await;
    stage
        .control(json!({"subtype": "initialize", "appendSystemPrompt": "Third."}))
        .await;
    stage.prompt("two").await;
    stage.result().await;
    assert_eq!(texts(&stage, 1), ["Be a poet.", "First."]);
    stage.end().await;
    assert_eq!(records(&shelf, ID), [json!(["Be a poet.", "First."])]);
}

#[tokio::test]
async fn stored_prompt_can_be_disabled() {
    let shelf = Shelf::new();
    begun(&shelf).await;
    let mut stage = shelf
        .resume_with(Script::new().text("Two").text("Three"), |options| {
            keeping(Some("Be a clerk."), "Second.")(options);
            options.prompt.words.keep = false;
        })
        .await;
    stage.prompt("two").await;
    stage.result().await;
    assert_eq!(texts(&stage, 1), ["Be a clerk.", "Second."]);
    stage.end().await;
    // The record remains; the option of the host decides whether it is used.
    let mut stage = shelf
        .resume_with(
            Script::new().text("Three").text("Four"),
            keeping(Some("Be a clerk."), "x"),
        )
        .await;
    let off = json!({"subtype": "initialize", "systemPromptSnapshot": false});
    stage.control(off).await;
    stage.prompt("three").await;
    stage.result().await;
    assert_eq!(texts(&stage, 1), ["Be a clerk.", "x"]);
    let on = json!({"subtype": "initialize", "systemPromptSnapshot": true});
    stage.control(on).await;
    stage.prompt("four").await;
    stage.result().await;
    assert_eq!(texts(&stage, 2), ["Be a poet.", "First."]);
    // The system prompt changed as requested, so the invariants do not apply.
    assert_eq!(stage.leave_now().await, 0);
    assert_eq!(records(&shelf, ID), [json!(["Be a poet.", "First."])]);
}

#[tokio::test]
async fn fork_copies_the_stored_prompt() {
    let shelf = Shelf::new();
    begun(&shelf).await;
    let projects = Projects::new(shelf.dir.path().join("projects"));
    let choice = Choice {
        which: Which::Named(ID.to_owned()),
        at: None,
        drops_turn: None,
        fork: true,
    };
    let earlier = resume::find(&projects, Path::new("/work"), &choice).unwrap();
    let mut stage = Stage::with(Script::new().text("Two"), |options| {
        options.session.earlier = earlier;
        shelf.keep(options, FORK);
        keeping(None, "Second.")(options);
    })
    .await;
    stage.control(json!({"subtype": "initialize", "hooks": null})).await;
    stage.prompt("two").await;
    stage.result().await;
    assert_eq!(texts(&stage, 1), ["Be a poet.", "First."]);
    stage.end().await;
    assert_eq!(records(&shelf, FORK), [json!(["Be a poet.", "First."])]);
    // The same applies to a copy made without a session.
    let copy = projects.all().unwrap().fork(ID, &Fork::default()).unwrap();
    assert_eq!(records(&shelf, &copy), [json!(["Be a poet.", "First."])]);
}

#[tokio::test]
async fn compaction_replaces_the_stored_prompt() {
    let shelf = Shelf::new();
    begun(&shelf).await;
    let script = Script::new().text("A summary").text("Three");
    let mut stage = shelf.resume_with(script, keeping(Some("Be a clerk."), "Second.")).await;
    stage.prompt("/compact").await;
    stage.result().await;
    assert_eq!(texts(&stage, 1), ["Be a poet.", "First."]);
    stage.prompt("three").await;
    stage.result().await;
    assert_eq!(texts(&stage, 2), ["Be a clerk.", "Second."]);
    // The system prompt changed as requested, so the invariants do not apply.
    assert_eq!(stage.leave_now().await, 0);
    let mut stage = shelf
        .resume_with(Script::new().text("Four"), keeping(None, "Third."))
        .await;
    stage.prompt("four").await;
    stage.result().await;
    assert_eq!(texts(&stage, 1), ["Be a clerk.", "Second."]);
    stage.end().await;
}

#[tokio::test]
async fn changed_date_is_added_as_a_reminder() {
    for (day, told) in [("2026-01-01", false), ("2026-01-02", true)] {
        let shelf = Shelf::new();
        let on = |options: &mut Options, day: &str| {
            keeping(None, "x")(options);
            options.prompt.date = day.to_owned();
            options.cwd = shelf.dir.path().to_path_buf();
        };
        let mut stage = Stage::with(Script::new().text("One"), |options| {
            shelf.keep(options, ID);
            on(options, "2026-01-01");
        })
        .await;
        stage.prompt("one").await;
        stage.result().await;
        let first = texts(&stage, 1);
        assert_eq!(stage.said_to_model(1), ["one"]);
        stage.end().await;
        let mut stage = shelf
            .resume_with(Script::new().text("Two"), |options| on(options, day))
            .await;
        stage.prompt("two").await;
        stage.result().await;
        assert_eq!(texts(&stage, 1), first);
        let said = stage.said_to_model(1).join("\n");
        assert_eq!(said.contains("has changed since"), told, "{said}");
        assert_eq!(said.contains("Today: 2026-01-02"), told, "{said}");
        stage.end().await;
    }
}
