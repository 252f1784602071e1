//! Prompts that arrive during a turn.

use pretty_assertions::assert_eq;
use serde_json::json;
use sluice_simulator::{Reply, Script};

use crate::bell::Bell;
use crate::stage::{Stage, prompt, with};

/// A first response that waits in the middle, followed by short ones.
fn long_then(rest: &[&str]) -> Script {
    let script = Script::new().reply(Reply::text("one two").gate_each("word"));
    rest.iter().fold(script, |script, text| script.text(*text))
}

/// A session in the middle of its first response.
async fn mid_answer(script: Script) -> Stage {
    let mut stage = Stage::with(script, |options| {
        (options.host.partial, options.host.replay) = (true, true);
    })
    .await;
    stage.prompt_as("u1", "first").await;
    stage.gate("word").open_n(1);
    stage.until("d").await;
    stage.told();
    stage
}

#[tokio::test]
async fn prompt_during_a_response_is_the_next_turn() {
    let mut stage = mid_answer(long_then(&["Second"])).await;
    stage.prompt_as("u2", "second").await;
    stage.until("queued:u2").await;
    stage.gate("word").open();
    assert_eq!(stage.turn().await, "queued:u2 d assistant:text be md me result:success");
    assert_eq!(stage.last("result:success")["queued_turn_count"], 1);
    assert_eq!(
        stage.turn().await,
        "completed:u1 started:u2 init requesting replay ms bs d assistant:text be md me result:success"
    );
    assert_eq!(stage.said_to_model(2), ["second"]);
    assert_eq!(stage.end().await, 0);
}

#[tokio::test]
async fn prompts_during_a_response_form_one_turn() {
    let mut stage = mid_answer(long_then(&["All three"])).await;
    for (uuid, text) in [("u2", "a"), ("u3", "b"), ("u4", "c")] {
        stage.prompt_as(uuid, text).await;
        stage.until(&format!("queued:{uuid}")).await;
    }
    stage.gate("word").open();
    stage.result().await;
    stage.until("completed:u1").await;
    stage.told();
    stage.until("completed:u4").await;
    assert_eq!(
        stage.told(),
        "replay replay started:u2 started:u3 started:u4 init requesting replay ms bs d×2 assistant:text be md me \
         result:success completed:u2 completed:u3 completed:u4"
    );
    assert_eq!(stage.said_to_model(2), ["a\n", "b\n", "c"]);
    let result = stage.last("result:success");
    assert_eq!(result["user_message_uuid"], "u4");
    assert_eq!(result["user_message_uuids"], json!(["u2", "u3", "u4"]));
    let merged = stage.last("replay");
    assert_eq!(merged["uuid"], "u4");
    assert_eq!(merged["message"]["content"].as_array().unwrap().len(), 3);
    stage.end().await;
}

#[tokio::test]
async fn prompts_sent_together_are_separate_turns() {
    let mut stage = Stage::begin(Script::new().text("One").text("Two")).await;
    let of = |uuid: &str| with(prompt(uuid), json!({"uuid": uuid}));
    stage.send(&[of("u1"), of("u2")]).await;
    stage.until("completed:u2").await;
    assert_eq!(
        stage.told(),
        "queued:u1 started:u1 queued:u2 init assistant:text result:success completed:u1 started:u2 init \
         assistant:text result:success completed:u2"
    );
    stage.end().await;
}

#[tokio::test]
async fn repeated_uuid_is_replayed_and_not_run() {
    let script = Script::new().text("One").text("Two");
    let mut stage = Stage::with(script, |options| options.host.replay = true).await;
    stage.prompt_as("u1", "first").await;
    stage.until("completed:u1").await;
    stage.told();
    stage.prompt_as("u1", "first").await;
    stage.prompt_as("u2", "second").await;
    stage.until("completed:u2").await;
    assert_eq!(
        stage.told(),
        "replay queued:u2 started:u2 init replay assistant:text result:success completed:u2"
    );
    assert_eq!(stage.server.requests().len(), 2);
    stage.end().await;
}

#[tokio::test]
async fn prompt_while_a_tool_runs_joins_the_turn() {
    let bell = Bell::listen().await;
    let script = Script::new()
        .tool("Bash", json!({"command": bell.command()}))
        .text("Both done");
    let mut stage = Stage::with(script, |options| {
        options.host.replay = true;
        options.permissions.allowed = vec!["Bash".into()];
    })
    .await;
    stage.prompt_as("u1", "run it").await;
    let caller = bell.connected().await;
    stage.prompt_as("u2", "and this").await;
    stage.until("queued:u2").await;
    caller.finish("rang").await;
    stage.until("completed:u1").await;
    assert_eq!(
        stage.told(),
        "queued:u1 started:u1 init replay assistant:tool_use queued:u2 user:tool_result replay started:u2 \
         assistant:text completed:u2 result:success completed:u1"
    );
    let result = stage.last("result:success");
    assert_eq!(result["user_message_uuids"], json!(["u1", "u2"]));
    assert_eq!(result["user_message_uuid"], "u1");
    assert_eq!(stage.said_to_model(2), ["and this"]);
    stage.end().await;
}

#[tokio::test]
async fn prompt_during_permission_request_joins_the_turn() {
    let script = Script::new()
        .tool("Bash", json!({"command": "touch a"}))
        .text("Both done");
    let mut stage = Stage::begin(script).await;
    stage.prompt("touch").await;
    let ask = stage.ask().await;
    stage.prompt_as("u2", "and this").await;
    stage.until("queued:u2").await;
    stage.allow(&ask).await;
    assert_eq!(
        stage.turn().await,
        "init assistant:tool_use ask:Bash queued:u2 user:tool_result started:u2 assistant:text completed:u2 \
         result:success"
    );
    stage.end().await;
}

#[tokio::test]
async fn urgent_prompt_ends_the_response() {
    let mut stage = mid_answer(long_then(&["At once"])).await;
    stage
        .prompt_with("hurry", json!({"uuid": "u2", "priority": "now"}))
        .await;
    assert_eq!(stage.turn().await, "queued:u2 assistant:text! be md me result:success");
    let result = stage.last("result:success");
    assert_eq!(result["is_error"], false);
    assert_eq!(result["terminal_reason"], "aborted_streaming");
    stage.until("completed:u2").await;
    assert_eq!(
        stage.told(),
        "cancelled:u1 started:u2 init requesting replay ms bs d×2 assistant:text be md me result:success \
         completed:u2"
    );
    // The partial response is kept, and there is no interrupt notice.
    assert_eq!(stage.sent(2)["messages"][1]["content"][0]["text"], "one ");
    assert_eq!(stage.said_to_model(2), ["hurry"]);
    assert_eq!(stage.end().await, 0);
}

#[tokio::test]
async fn priorities_run_in_order_in_separate_turns() {
    let mut stage = mid_answer(long_then(&["N", "A", "L"])).await;
    let of = |uuid: &str, priority: &str| with(prompt(uuid), json!({"uuid": uuid, "priority": priority}));
    stage
        .send(&[of("later", "later"), of("next", "next"), of("now", "now")])
        .await;
    stage.until("completed:later").await;
    let started: Vec<String> = stage.heard.iter().map(crate::words::word).collect();
    let started: Vec<&str> = started.iter().filter_map(|it| it.strip_prefix("started:")).collect();
    assert_eq!(started, ["u1", "now", "next", "later"]);
    assert_eq!(stage.said_to_model(2), ["now"]);
    assert_eq!(stage.said_to_model(3), ["next"]);
    assert_eq!(stage.said_to_model(4), ["later"]);
    stage.end().await;
}

#[tokio::test]
async fn later_prompt_does_not_join_a_running_turn() {
    let bell = Bell::listen().await;
    let script = Script::new()
        .tool("Bash", json!({"command": bell.command()}))
        .text("Done")
        .text("Later");
    let mut stage = Stage::with(script, |options| options.permissions.allowed = vec!["Bash".into()]).await;
    stage.prompt("run it").await;
    let caller = bell.connected().await;
    stage
        .prompt_with("after that", json!({"uuid": "u2", "priority": "later"}))
        .await;
    stage.until("queued:u2").await;
    caller.finish("rang").await;
    assert_eq!(
        stage.turn().await,
        "init assistant:tool_use queued:u2 user:tool_result assistant:text result:success"
    );
    assert_eq!(stage.turn().await, "started:u2 init assistant:text result:success");
    stage.end().await;
}

#[tokio::test]
async fn queued_prompt_can_be_cancelled() {
    let mut stage = mid_answer(long_then(&["Never"])).await;
    stage.prompt_as("u2", "second").await;
    stage.until("queued:u2").await;
    let cancel = |uuid: &str| json!({"subtype": "cancel_async_message", "message_uuid": uuid});
    let known = stage.control(cancel("u2")).await;
    assert_eq!(known["response"], json!({"cancelled": true}));
    assert_eq!(stage.told(), "queued:u2 cancelled:u2 ok");
    for gone in ["u2", "u1", "nonsense"] {
        let answer = stage.control(cancel(gone)).await;
        assert_eq!(answer["response"], json!({"cancelled": false}), "{gone}");
    }
    stage.gate("word").open();
    stage.result().await;
    assert_eq!(stage.end().await, 0);
}

#[tokio::test]
async fn prompt_without_query_is_only_recorded() {
    let mut stage = Stage::with(Script::new().text("I know"), |options| options.host.replay = true).await;
    stage.prompt_with("my name is Ada", json!({"shouldQuery": false})).await;
    assert_eq!(stage.turn().await, "init replay result:success");
    assert_eq!(stage.last("result:success")["num_turns"], 0);
    assert_eq!(stage.server.requests().len(), 0);
    stage.prompt("who am I?").await;
    stage.turn().await;
    assert_eq!(stage.said_to_model(1), ["my name is Ada", "who am I?"]);
    stage.end().await;
}

#[tokio::test]
async fn end_of_input_keeps_queued_prompts() {
    let mut stage = mid_answer(long_then(&["Second", "Third"])).await;
    stage.prompt_as("u2", "second").await;
    stage
        .prompt_with("third", json!({"uuid": "u3", "priority": "later"}))
        .await;
    stage.eof().await;
    stage.until("queued:u3").await;
    stage.gate("word").open();
    stage.hear_out().await;
    assert_eq!(stage.all("result:success").len(), 3);
    assert_eq!(stage.end().await, 0);
}

#[tokio::test]
async fn exit_code_reflects_the_last_result() {
    let script = || Script::new().error(400).text("Better");
    let mut stage = Stage::begin(script()).await;
    stage.prompt("one").await;
    assert_eq!(stage.turn().await, "init assistant:text result:success!");
    assert_eq!(stage.end().await, 1);

    let mut stage = Stage::begin(script()).await;
    stage.prompt("one").await;
    stage.turn().await;
    stage.prompt("two").await;
    stage.turn().await;
    assert_eq!(stage.end().await, 0);
}

#[tokio::test]
async fn prompt_without_query_joins_a_turn_with_running_tools() {
    let bell = Bell::listen().await;
    let script = Script::new()
        .tool("Bash", json!({"command": bell.command(), "description": "ring"}))
        .text("Done");
    let mut stage = Stage::with(script, |options| options.permissions.allowed = vec!["Bash".into()]).await;
    stage.prompt("go").await;
    let caller = bell.connected().await;
    stage
        .prompt_with("remember this", json!({"uuid": "u2", "shouldQuery": false}))
        .await;
    stage.until("queued:u2").await;
    caller.finish("ding").await;
    let result = stage.result().await;
    assert!(stage.said_to_model(2).contains(&"remember this".to_owned()));
    // The first prompt has no UUID, so the prompt that joined identifies the turn.
    assert_eq!(result["user_message_uuid"], "u2");
    let answer = stage.last("assistant:text");
    assert_eq!(
        (&answer["user_message_uuid"], &answer["user_message_uuids"]),
        (&json!("u2"), &json!(["u2"]))
    );
    stage.silent().await;
    assert_eq!(stage.end().await, 0);
}

#[tokio::test]
async fn prompts_of_a_failed_turn_are_reported_as_cancelled() {
    let script = Script::new().reply(Reply::error(403).gate_head("asked")).text("Better");
    let mut stage = Stage::begin(script).await;
    stage.prompt_as("u1", "one").await;
    stage.gate("asked").reached().await;
    stage.prompt_as("u2", "two").await;
    stage.until("queued:u2").await;
    stage.gate("asked").open();
    stage.result().await;
    stage.until("cancelled:u1").await;
    stage.result().await;
    stage.until("completed:u2").await;
    stage.end().await;
}

#[tokio::test]
async fn result_of_unknown_call_is_not_sent_to_the_model() {
    let mut stage = Stage::with(Script::new().text("One").text("Two"), |options| {
        options.host.replay = true;
    })
    .await;
    let mut stray = crate::stage::prompt("");
    stray["message"]["content"] = json!([{"type": "tool_result", "tool_use_id": "toolu_x", "content": "FROMHOST"}]);
    stage.send(&[stray]).await;
    assert_eq!(
        stage.turn().await,
        "init assistant:text result:success",
        "it is no prompt to echo"
    );
    stage.prompt("next").await;
    assert_eq!(stage.turn().await, "init replay assistant:text result:success");
    assert!(!stage.sent(2).to_string().contains("FROMHOST"));
    assert!(!stage.sent(2).to_string().contains("toolu_x"));
    stage.end().await;
}
