//! The conversation as sent to the model: append-only and always complete.
//!
//! [`Stage::end`] checks this for every test; these tests run sessions with everything that could violate it.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use sluice_simulator::{Reply, Script};

use crate::bell::Bell;
use crate::stage::Stage;

/// The kinds of content blocks of every message, such as `user(text) assistant(text+tool_use)`.
fn shape(body: &Value) -> String {
    let shapes = body["messages"].as_array().unwrap().iter().map(|message| {
        let kinds: Vec<&str> = message["content"]
            .as_array()
            .unwrap()
            .iter()
            .map(|block| block["type"].as_str().unwrap())
            .collect();
        format!("{}({})", message["role"].as_str().unwrap(), kinds.join("+"))
    });
    shapes.collect::<Vec<_>>().join(" ")
}

#[tokio::test]
async fn history_is_append_only_in_a_session_with_all_cases() {
    let bell = Bell::listen().await;
    let ring = || json!({"command": bell.command()});
    let script = Script::new()
        // A turn with tools, one of them unknown, and a prompt that joins.
        .reply(
            Reply::thinking("so")
                .and_text("Two calls")
                .and_tool("Bash", ring())
                .and_tool("Teleport", json!({})),
        )
        .text("Both done")
        // Interrupted during a response.
        .reply(Reply::text("one two three").gate_each("word"))
        // Interrupted while a command is running.
        .tool("Bash", ring())
        // Cut off after a block, then refused once, then failing.
        .reply(Reply::text("Alpha").and_text("Beta gamma").cut_after(6))
        .reply(Reply::text("no").stop_reason("refusal"))
        .reply(Reply::empty())
        .text("Finally")
        .error(400)
        .text("The end");
    let mut stage = Stage::with(script, |options| {
        options.host.partial = true;
        options.permissions.allowed = vec!["Bash".into()];
    })
    .await;

    stage.prompt("start").await;
    let caller = bell.connected().await;
    stage.prompt_as("u2", "and this").await;
    stage.until("queued:u2").await;
    caller.finish("rang").await;
    stage.result().await;

    stage.told();
    stage.prompt("talk").await;
    stage.gate("word").open_n(2);
    stage.until_n("d", 2).await;
    stage.interrupt().await;
    stage.result().await;

    stage.prompt("run").await;
    let mut caller = bell.connected().await;
    stage.interrupt().await;
    stage.result().await;
    caller.ended().await;

    for text in ["mend", "fail", "end"] {
        stage.prompt(text).await;
        stage.result().await;
    }
    assert_eq!(stage.server.requests().len(), 10);
    let last = shape(&stage.sent(10));
    assert!(
        last.starts_with("user(text) assistant(thinking+text+tool_use+tool_use) user(tool_result+tool_result+text) "),
        "{last}"
    );
    assert!(last.ends_with("assistant(text) user(text) user(text)"), "{last}");
    assert_eq!(stage.end().await, 0);
}

#[tokio::test]
async fn prompts_that_join_a_turn_follow_the_results() {
    let script = Script::new()
        .tool("Bash", json!({"command": "touch made"}))
        .text("Both done");
    let mut stage = Stage::begin(script).await;
    stage.prompt("touch").await;
    let ask = stage.ask().await;
    stage.prompt("and this").await;
    stage.prompt("and that").await;
    stage.silent().await;
    stage.allow(&ask).await;
    stage.result().await;
    assert_eq!(
        shape(&stage.sent(2)),
        "user(text) assistant(tool_use) user(tool_result+text+text)"
    );
    stage.end().await;
}

#[tokio::test]
async fn at_most_four_cache_markers_are_set() {
    let script = Script::new()
        .tool("Bash", json!({"command": "echo one"}))
        .tool("Bash", json!({"command": "echo two"}))
        .text("Done")
        .text("Again");
    let mut stage = Stage::begin(script).await;
    for text in ["go", "again"] {
        stage.prompt(text).await;
        stage.result().await;
    }
    for n in 1..=4 {
        let marks = stage.sent(n).to_string().matches("cache_control").count();
        assert!((3..=4).contains(&marks), "request {n} has {marks}");
    }
    stage.end().await;
}

#[tokio::test]
async fn changing_model_or_mode_keeps_sent_messages() {
    let script = Script::new().reply(Reply::text("Hello").repeat());
    let mut stage = Stage::begin(script).await;
    let switches = [
        json!({"subtype": "set_model", "model": "sonnet"}),
        json!({"subtype": "set_permission_mode", "mode": "plan"}),
        json!({"subtype": "set_max_thinking_tokens", "max_thinking_tokens": 1024}),
        json!({"subtype": "set_permission_mode", "mode": "default"}),
    ];
    for switch in switches {
        stage.control(switch).await;
        stage.prompt("hi").await;
        stage.result().await;
    }
    assert_eq!(stage.server.requests().len(), 4);
    stage.end().await;
}

#[tokio::test]
async fn plan_mode_is_explained_once() {
    let script = Script::new().reply(Reply::text("Hello").repeat());
    let mut stage = Stage::begin(script).await;
    stage
        .control(json!({"subtype": "set_permission_mode", "mode": "plan"}))
        .await;
    for text in ["one", "two"] {
        stage.prompt(text).await;
        stage.result().await;
    }
    let said = stage.said_to_model(1);
    assert!(said[0].starts_with("[Plan mode is on."), "{said:?}");
    assert_eq!(said[1], "one");
    assert_eq!(stage.said_to_model(2), ["two"]);
    stage.end().await;
}

/// The assistant entries of the transcript: message id, stop reason, output tokens.
fn usage_entries(stage: &Stage) -> Vec<(Value, Value)> {
    let file = stage.path("home/projects/stage/11111111-2222-4333-8444-555555555555.jsonl");
    let kept = std::fs::read_to_string(file).unwrap();
    kept.lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter(|line| line["type"] == "assistant")
        .map(|line| {
            let message = &line["message"];
            (
                message["stop_reason"].clone(),
                message["usage"]["output_tokens"].clone(),
            )
        })
        .collect()
}

#[tokio::test]
async fn transcript_entries_have_the_final_usage_of_their_message() {
    let start = json!({"input_tokens": 10, "output_tokens": 3});
    let calls = Reply::text("I look")
        .and_tool("Bash", json!({"command": "echo one"}))
        .usage(&start)
        .output_tokens(77);
    let script = Script::new()
        .reply(calls)
        .reply(Reply::text("Done").usage(&start).output_tokens(1_234_567));
    let mut stage = Stage::with(script, |options| options.session.keeping.mirror = true).await;
    stage.prompt("go").await;
    stage.result().await;
    let expected = [
        (json!("tool_use"), json!(77)),
        (json!("tool_use"), json!(77)),
        (json!("end_turn"), json!(1_234_567)),
    ];
    assert_eq!(usage_entries(&stage), expected);
    let mirrored = stage.all("transcript_mirror").into_iter();
    let mirrored: Vec<(Value, Value)> = mirrored
        .flat_map(|frame| frame["entries"].as_array().unwrap())
        .filter(|entry| entry["type"] == "assistant")
        .map(|entry| {
            let message = &entry["message"];
            (
                message["stop_reason"].clone(),
                message["usage"]["output_tokens"].clone(),
            )
        })
        .collect();
    assert_eq!(mirrored, expected, "a mirror gets the final values too");
    stage.leave_now().await;
}

#[tokio::test]
async fn block_is_in_the_transcript_before_its_message_ends() {
    let reply = Reply::text("first").gate("more").and_text("second").output_tokens(77);
    let mut stage = Stage::begin(Script::new().reply(reply)).await;
    stage.prompt("go").await;
    stage.until("assistant:text").await;
    assert_eq!(usage_entries(&stage).len(), 1);
    stage.gate("more").open();
    stage.result().await;
    assert_eq!(usage_entries(&stage)[0], (json!("end_turn"), json!(77)));
    stage.end().await;
}

#[tokio::test]
async fn interrupted_request_counts_in_the_cost_and_not_in_the_usage_of_the_turn() {
    let reply = Reply::text("one two three")
        .usage(&json!({"input_tokens": 100, "output_tokens": 4}))
        .gate_each("word");
    let mut stage = Stage::with(Script::new().reply(reply), |options| options.host.partial = true).await;
    stage.prompt("go").await;
    stage.gate("word").open_n(1);
    stage.until("d").await;
    stage.interrupt().await;
    let result = stage.result().await;
    assert_eq!(result["usage"]["input_tokens"], 0);
    let used = result["modelUsage"].as_object().unwrap().values().next().unwrap();
    assert_eq!((&used["inputTokens"], &used["outputTokens"]), (&json!(100), &json!(4)));
    stage.end().await;
}
