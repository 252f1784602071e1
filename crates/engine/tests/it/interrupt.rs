//! Interrupts before and during responses. The session works normally afterwards.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use sluice_engine::Signal;
use sluice_simulator::{Ending, Reply, Script};

use crate::stage::{Stage, prompt};

const NOTICE: &str = "[Request interrupted by user]";

async fn with_partials(script: Script) -> Stage {
    Stage::with(script, |options| options.host.partial = true).await
}

fn interrupted(stage: &Stage) {
    let result = stage.last("result:error_during_execution!");
    assert_eq!(result["terminal_reason"], "aborted_streaming");
    assert_eq!(result["num_turns"], 2);
    assert!(result.get("result").is_none(), "{result}");
    assert_eq!(result["errors"].as_array().unwrap().len(), 1);
    assert_eq!(
        stage.last("notice")["message"]["content"],
        json!([{"type": "text", "text": NOTICE}])
    );
}

/// Checks that the session still works: runs another turn and ends it cleanly.
async fn check_next_turn(mut stage: Stage) {
    stage.told();
    stage.prompt("go on").await;
    let told = stage.turn().await;
    assert!(told.ends_with("result:success"), "{told}");
    let n = stage.server.requests().len();
    assert_eq!(stage.said_to_model(n).last().unwrap(), "go on");
    assert_eq!(stage.end().await, 0);
}

#[tokio::test]
async fn interrupt_before_the_first_byte() {
    let script = Script::new().reply(Reply::text("Never").gate_head("head")).text("Next");
    let mut stage = with_partials(script).await;
    stage.prompt("hi").await;
    stage.gate("head").reached().await;
    stage.interrupt().await;
    assert_eq!(
        stage.turn().await,
        "init requesting ok notice result:error_during_execution!"
    );
    interrupted(&stage);
    assert_eq!(stage.server.wait_ending(1).await, Ending::ClientLeft);
    check_next_turn(stage).await;
}

#[tokio::test]
async fn interrupt_before_the_first_word() {
    let script = Script::new().reply(Reply::text("Never").gate_each("word")).text("Next");
    let mut stage = with_partials(script).await;
    stage.prompt("hi").await;
    stage.until("bs").await;
    stage.interrupt().await;
    assert_eq!(
        stage.turn().await,
        "init requesting ms bs ok notice be md me result:error_during_execution!"
    );
    interrupted(&stage);
    check_next_turn(stage).await;
}

#[tokio::test(start_paused = true)]
async fn interrupt_during_retry_delay() {
    let script = Script::new().error(500).text("Next");
    let mut stage = Stage::begin(script).await;
    stage.prompt("hi").await;
    stage.until("retry").await;
    stage.interrupt().await;
    assert_eq!(
        stage.turn().await,
        "init retry ok notice result:error_during_execution!"
    );
    interrupted(&stage);
    assert_eq!(stage.server.requests().len(), 1);
    check_next_turn(stage).await;
}

#[tokio::test]
async fn interrupt_during_a_text_block() {
    let script = Script::new()
        .reply(Reply::text("one two three").gate_each("word"))
        .text("Next");
    let mut stage = with_partials(script).await;
    stage.prompt("hi").await;
    stage.gate("word").open_n(2);
    stage.until_n("d", 2).await;
    stage.interrupt().await;
    assert_eq!(
        stage.turn().await,
        "init requesting ms bs d×2 ok assistant:text! notice be md me result:error_during_execution!"
    );
    interrupted(&stage);
    let kept = stage.last("assistant:text!");
    assert_eq!(kept["message"]["content"][0]["text"], "one two ");
    let end = stage.last("md");
    assert_eq!(end["event"]["delta"]["stop_reason"], Value::Null);
    // The usage of the interrupted request is charged.
    let cost = &stage.last("result:error_during_execution!")["total_cost_usd"];
    assert!(cost.as_f64().unwrap() > 0.0, "{cost}");
    assert_eq!(stage.server.wait_ending(1).await, Ending::ClientLeft);

    stage.prompt("and?").await;
    stage.turn().await;
    assert_eq!(stage.sent(2)["messages"][1]["content"][0]["text"], "one two ");
    assert_eq!(stage.said_to_model(2), [NOTICE, "and?"]);
    assert_eq!(stage.end().await, 0);
}

#[tokio::test]
async fn interrupt_during_a_text_block_without_partial_messages() {
    let script = Script::new()
        .reply(Reply::thinking("so").and_text("one two three").gate_each("word"))
        .text("Next");
    let mut stage = Stage::begin(script).await;
    stage.prompt("hi").await;
    // The parts of the thinking block and the first word; the second word waits.
    for _ in 0..4 {
        stage.gate("word").reached().await;
        stage.gate("word").open_n(1);
    }
    stage.until("assistant:thinking").await;
    stage.gate("word").reached().await;
    stage.interrupt().await;
    let told = stage.turn().await;
    // Whether the first word had been read at the time of the interrupt depends on the network.
    assert!(
        [
            "init thought thought assistant:thinking ok assistant:text! notice result:error_during_execution!",
            "init thought thought assistant:thinking ok notice result:error_during_execution!",
        ]
        .contains(&told.as_str()),
        "{told}"
    );
    check_next_turn(stage).await;
}

#[tokio::test]
async fn interrupt_during_thinking() {
    let script = Script::new()
        .reply(Reply::thinking("deep thoughts").and_text("Never").gate_each("word"))
        .text("Next");
    let mut stage = with_partials(script).await;
    stage.prompt("hi").await;
    stage.gate("word").open_n(1);
    stage.until("d").await;
    stage.interrupt().await;
    assert_eq!(
        stage.turn().await,
        "init requesting ms bs thought d ok notice be md me result:error_during_execution!"
    );
    interrupted(&stage);
    check_next_turn(stage).await;
}

#[tokio::test]
async fn interrupt_during_the_input_of_a_call() {
    let script = Script::new()
        .reply(Reply::tool("Bash", json!({"command": "echo never"})).gate_each("half"))
        .text("Next");
    let mut stage = with_partials(script).await;
    stage.prompt("hi").await;
    stage.gate("half").open_n(1);
    stage.until("d").await;
    stage.interrupt().await;
    // An incomplete call is dropped: it is not reported and its block is not closed.
    assert_eq!(
        stage.turn().await,
        "init requesting ms bs d ok notice md me result:error_during_execution!"
    );
    interrupted(&stage);
    check_next_turn(stage).await;
}

#[tokio::test]
async fn interrupt_after_a_complete_block() {
    let script = Script::new()
        .reply(
            Reply::text("Alpha")
                .and_text("one two")
                .gate("between")
                .gate_each("word"),
        )
        .text("Next");
    let mut stage = with_partials(script).await;
    stage.prompt("hi").await;
    stage.gate("word").open_n(2);
    stage.until_n("d", 2).await;
    stage.interrupt().await;
    assert_eq!(
        stage.turn().await,
        "init requesting ms bs d assistant:text be bs d ok assistant:text! notice be md me \
         result:error_during_execution!"
    );
    interrupted(&stage);
    stage.prompt("and?").await;
    stage.turn().await;
    let kept = &stage.sent(2)["messages"][1]["content"];
    assert_eq!((&kept[0]["text"], &kept[1]["text"]), (&json!("Alpha"), &json!("one ")));
    stage.end().await;
}

#[tokio::test]
async fn interrupt_without_a_turn_has_no_effect() {
    let mut stage = Stage::begin(Script::new().text("One").text("Two")).await;
    let answer = stage.control(json!({"subtype": "interrupt"})).await;
    assert_eq!(answer["response"], json!({"still_queued": []}));
    assert_eq!(stage.told(), "ok");
    stage.prompt("hi").await;
    assert_eq!(stage.turn().await, "init assistant:text result:success");
    stage.interrupt().await;
    stage.silent_after("ok").await;
    check_next_turn(stage).await;
}

#[tokio::test]
async fn two_interrupts_are_answered_and_end_one_turn() {
    let script = Script::new()
        .reply(Reply::text("one two").gate_each("word"))
        .text("Next");
    let mut stage = with_partials(script).await;
    stage.prompt("hi").await;
    stage.gate("word").open_n(1);
    stage.until("d").await;
    let interrupt =
        |id: &str| json!({"type": "control_request", "request_id": id, "request": {"subtype": "interrupt"}});
    stage.send(&[interrupt("a"), interrupt("b")]).await;
    assert_eq!(
        stage.turn().await,
        "init requesting ms bs d ok ok assistant:text! notice be md me result:error_during_execution!"
    );
    check_next_turn(stage).await;
}

#[tokio::test]
async fn queued_prompts_are_listed_and_run_next() {
    let script = Script::new()
        .reply(Reply::text("one two").gate_each("word"))
        .text("Next");
    let mut stage = with_partials(script).await;
    stage.prompt_as("u1", "first").await;
    stage.gate("word").open_n(1);
    stage.until("d").await;
    stage.prompt_as("u2", "second").await;
    let answer = stage.control(json!({"subtype": "interrupt"})).await;
    assert_eq!(answer["response"], json!({"still_queued": ["u2"]}));
    stage.until("completed:u2").await;
    assert_eq!(
        stage.told(),
        "queued:u1 started:u1 init requesting ms bs d queued:u2 ok assistant:text! notice be md me \
         result:error_during_execution! cancelled:u1 started:u2 init requesting ms bs d assistant:text be md me \
         result:success completed:u2"
    );
    assert_eq!(stage.end().await, 0);
}

#[tokio::test]
async fn interrupt_can_cancel_queued_prompts() {
    let script = Script::new()
        .reply(Reply::text("one two").gate_each("word"))
        .text("Next");
    let mut stage = with_partials(script).await;
    stage.prompt_as("u1", "first").await;
    stage.gate("word").open_n(1);
    stage.until("d").await;
    stage.prompt_as("u2", "second").await;
    let answer = stage
        .control(json!({"subtype": "interrupt", "cancel_queued": true}))
        .await;
    assert_eq!(answer["response"], json!({"still_queued": [], "cancelled": ["u2"]}));
    stage.until("cancelled:u1").await;
    assert_eq!(
        stage.told(),
        "queued:u1 started:u1 init requesting ms bs d queued:u2 cancelled:u2 ok assistant:text! notice be md me \
         result:error_during_execution! cancelled:u1"
    );
    check_next_turn(stage).await;
}

#[tokio::test]
async fn prompt_after_interrupt_starts_the_next_turn() {
    let script = Script::new()
        .reply(Reply::text("one two").gate_each("word"))
        .text("Next");
    let mut stage = Stage::begin(script).await;
    stage.prompt("first").await;
    stage.gate("word").reached().await;
    stage.until("init").await;
    let interrupt = json!({"type": "control_request", "request_id": "a", "request": {"subtype": "interrupt"}});
    stage.send(&[interrupt, prompt("second")]).await;
    assert_eq!(stage.turn().await, "init ok notice result:error_during_execution!");
    assert_eq!(stage.turn().await, "init assistant:text result:success");
    assert_eq!(stage.end().await, 0);
}

#[tokio::test]
async fn interrupted_session_exits_with_code_1() {
    let mut stage = Stage::begin(Script::new().reply(Reply::text("Never").gate_head("head"))).await;
    stage.prompt("hi").await;
    stage.gate("head").reached().await;
    stage.interrupt().await;
    stage.turn().await;
    assert_eq!(stage.end().await, 1);
}

#[tokio::test]
async fn interrupt_signal_ends_the_turn_and_exits() {
    let script = Script::new().reply(Reply::text("one two").gate_each("word"));
    let mut stage = with_partials(script).await;
    stage.prompt("hi").await;
    stage.gate("word").open_n(1);
    stage.until("d").await;
    stage.signal(Signal::Interrupt).await;
    assert_eq!(
        stage.turn().await,
        "init requesting ms bs d assistant:text! notice be md me result:error_during_execution!"
    );
    assert_eq!(stage.leave().await, 0);
}

#[tokio::test]
async fn interrupt_signal_without_a_turn_exits() {
    let mut stage = Stage::begin(Script::new()).await;
    stage.signal(Signal::Interrupt).await;
    stage.hear_out().await;
    assert_eq!(stage.told(), "");
    assert_eq!(stage.leave().await, 0);
}

#[tokio::test]
async fn leave_signal_exits_without_a_result() {
    let script = Script::new().reply(Reply::text("one two").gate_each("word"));
    let mut stage = with_partials(script).await;
    stage.prompt("hi").await;
    stage.gate("word").open_n(1);
    stage.until("d").await;
    stage.signal(Signal::Leave(143)).await;
    stage.hear_out().await;
    assert_eq!(stage.told(), "init requesting ms bs d");
    assert_eq!(stage.leave().await, 143);
}
