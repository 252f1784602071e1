//! Session state changes (`running`, `requires_action`, `idle`), sent on request.

use pretty_assertions::assert_eq;
use serde_json::json;
use sluice_engine::StateEvents;
use sluice_simulator::{Reply, Script};

use crate::asks::touching;
use crate::stage::Stage;

#[tokio::test]
async fn state_changes_of_a_turn_with_permission_request() {
    let mut stage = Stage::with(touching("touch made"), |options| {
        options.host.state_events = StateEvents::Visible;
    })
    .await;
    stage.prompt("touch").await;
    let ask = stage.ask().await;
    stage.allow(&ask).await;
    stage.until("state:idle").await;
    assert_eq!(
        stage.told(),
        "state:running init assistant:tool_use state:requires_action ask:Bash state:running user:tool_result \
         assistant:text result:success state:idle"
    );
    assert!(stage.last("state:idle").get("sdk_host_only").is_none());
    stage.end().await;
}

#[tokio::test]
async fn state_changes_for_the_sdk_only_are_marked() {
    let mut stage = Stage::with(Script::new().text("Hello"), |options| {
        options.host.state_events = StateEvents::HostOnly;
    })
    .await;
    stage.prompt("hi").await;
    stage.until("state:idle").await;
    assert_eq!(
        stage.told(),
        "state:running init assistant:text result:success state:idle"
    );
    for state in ["state:running", "state:idle"] {
        assert_eq!(stage.last(state)["sdk_host_only"], true);
    }
    stage.end().await;
}

#[tokio::test]
async fn session_is_not_idle_between_queued_turns() {
    let mut stage = Stage::with(Script::new().text("One").text("Two"), |options| {
        options.host.state_events = StateEvents::Visible;
    })
    .await;
    stage
        .send(&[crate::stage::prompt("one"), crate::stage::prompt("two")])
        .await;
    stage.until("state:idle").await;
    assert_eq!(
        stage.told(),
        "state:running init assistant:text result:success init assistant:text result:success state:idle"
    );
    stage.end().await;
}

#[tokio::test]
async fn two_open_requests_are_one_requires_action_state() {
    let read = |name: &str| json!({"file_path": format!("/etc/{name}")});
    let script = Script::new()
        .reply(sluice_simulator::Reply::tool("Read", read("hostname")).and_tool("Read", read("hosts")))
        .text("Done");
    let mut stage = Stage::with(script, |options| options.host.state_events = StateEvents::Visible).await;
    stage.prompt("read").await;
    let (first, second) = (stage.ask().await, stage.ask().await);
    stage.told();
    stage.deny(&first).await;
    stage.until("user:tool_error").await;
    stage.deny(&second).await;
    stage.until("state:idle").await;
    assert_eq!(
        stage.told(),
        "user:tool_error state:running user:tool_error assistant:text result:success state:idle"
    );
    stage.end().await;
}

#[tokio::test]
async fn state_changes_are_off_by_default() {
    let mut stage = Stage::begin(Script::new().text("Hello")).await;
    stage.prompt("hi").await;
    assert_eq!(stage.turn().await, "init assistant:text result:success");
    stage.silent().await;
    stage.end().await;
}

#[tokio::test]
async fn session_is_not_idle_while_a_subagent_works_in_the_background() {
    let agent = json!({"description": "d", "prompt": "sub", "run_in_background": true});
    let script = Script::new()
        .tool("Agent", agent)
        .reply(Reply::text("The report").when("sub").gate_head("sub"))
        .text("Main done")
        .text("After");
    let mut stage = Stage::with(script, |options| {
        options.host.state_events = StateEvents::Visible;
    })
    .await;
    stage.prompt("go").await;
    stage.result().await;
    stage.gate("sub").open();
    let notification = stage.until("task:completed").await;
    assert_eq!(notification["summary_is_report"], true);
    stage.until("state:idle").await;
    let states: Vec<&str> = stage
        .heard
        .iter()
        .filter_map(|it| {
            it["state"]
                .as_str()
                .filter(|_| it["subtype"] == "session_state_changed")
        })
        .collect();
    assert_eq!(states, ["running", "idle"]);
    stage.end_crew().await;
}
