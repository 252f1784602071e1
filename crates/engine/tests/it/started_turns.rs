//! Turns that start without a prompt of the host, and text that is pasted into a prompt.

use pretty_assertions::assert_eq;
use serde_json::json;
use sluice_simulator::{Reply, Script};

use crate::sessions::Shelf;
use crate::stage::Stage;

fn boss() -> serde_json::Value {
    json!({"boss": {"description": "d", "prompt": "You lead.", "initialPrompt": "Start now"}})
}

#[tokio::test]
async fn agent_of_the_host_starts_with_its_initial_prompt() {
    let script = Script::new().text("One").text("Two");
    let mut stage = Stage::with(script, |options| options.agents.lead = Some("boss".to_owned())).await;
    stage.control(json!({"subtype": "initialize", "agents": boss()})).await;
    assert_eq!(stage.result().await["result"], "One");
    assert_eq!(stage.said_to_model(1), ["Start now"]);
    stage.prompt("go").await;
    assert_eq!(stage.result().await["result"], "Two");
    stage.leave_now().await;
}

#[tokio::test]
async fn initial_prompt_of_the_named_agent_starts_a_turn_with_initialize_or_precedes_the_first_prompt() {
    for initializes in [true, false] {
        let script = Script::new().text("One").text("Two");
        let mut stage = Stage::with(script, |options| {
            options.agents.lead = Some("boss".to_owned());
            options.agents.given = Some(boss().to_string());
        })
        .await;
        if initializes {
            stage.control(json!({"subtype": "initialize"})).await;
            assert_eq!(stage.result().await["result"], "One");
            assert_eq!(stage.said_to_model(1), ["Start now"]);
            stage.prompt("go").await;
            assert_eq!(stage.result().await["result"], "Two");
        } else {
            stage.prompt("go").await;
            assert_eq!(stage.result().await["result"], "One");
            assert_eq!(stage.said_to_model(1), ["Start now", "go"]);
        }
        stage.leave_now().await;
    }
}

#[tokio::test]
async fn unfinished_turn_is_continued_where_that_is_wanted() {
    for wanted in [true, false] {
        let shelf = Shelf::new();
        let mut first = shelf
            .begin(Script::new().reply(Reply::text("Never").gate_head("head")))
            .await;
        first.prompt("go").await;
        first.until("init").await;
        first.gate("head").reached().await;
        first.quit();
        first.leave_now().await;

        let script = Script::new().text("Here I am").text("Two");
        let mut stage = shelf
            .resume_with(script, |options| options.session.resume_interrupted = wanted)
            .await;
        if wanted {
            let result = stage.result().await;
            assert_eq!(result["result"], "Here I am");
            assert_eq!(result["resume_reason"], "interrupted_turn");
            assert_eq!(stage.last("assistant:text")["resume_reason"], "interrupted_turn");
            assert_eq!(stage.said_to_model(1), ["go", "Continue from where you left off."]);
        }
        stage.prompt("and?").await;
        let expected = if wanted { "Two" } else { "Here I am" };
        assert_eq!(stage.result().await["result"], expected);
        stage.leave_now().await;
    }
}

#[tokio::test]
async fn finished_turn_is_not_continued() {
    let shelf = Shelf::new();
    let mut first = shelf.begin(Script::new().text("Done")).await;
    first.prompt("go").await;
    first.result().await;
    first.leave_now().await;
    let mut stage = shelf
        .resume_with(Script::new().text("Two"), |options| {
            options.session.resume_interrupted = true;
        })
        .await;
    stage.prompt("and?").await;
    assert_eq!(stage.result().await["result"], "Two");
    assert_eq!(stage.server.requests().len(), 1);
    stage.leave_now().await;
}

#[tokio::test]
async fn pasted_text_belongs_to_the_prompt() {
    let mut stage = Stage::begin(Script::new().text("Seen")).await;
    let pasted = json!(["first", [{"type": "text", "text": "second"}]]);
    stage.prompt_with("look", json!({"pasted_content": pasted})).await;
    stage.result().await;
    assert_eq!(stage.said_to_model(1), ["look\n\nfirst\n\nsecond"]);
    stage.end().await;
}
