//! Hooks that are callbacks of the host.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use sluice_simulator::{Brain, Script};

use crate::asks::touching;
use crate::hooks_calls::{hooked, on};
use crate::stage::Stage;

async fn with_callbacks(brain: impl Brain, hooks: Value) -> Stage {
    let mut stage = Stage::begin(brain).await;
    let answer = stage.control(json!({"subtype": "initialize", "hooks": hooks})).await;
    assert_eq!(answer["response"]["hooks_applied"], true);
    assert_eq!(answer["response"]["hook_on_failure_supported"], true);
    stage.told();
    stage
}

#[allow(
    clippy::needless_pass_by_value,
    reason = "so that it can be written down where it is said"
)]
fn before(id: &str, fields: Value) -> Value {
    let mut group = json!({"matcher": "Bash", "hookCallbackIds": [id]});
    group
        .as_object_mut()
        .unwrap()
        .extend(fields.as_object().unwrap().clone());
    json!({"PreToolUse": [group]})
}

#[tokio::test]
async fn callback_receives_the_event_and_decides() {
    let mut stage = with_callbacks(touching("touch made"), before("cb", json!({}))).await;
    stage.prompt("touch").await;
    let asked = stage.until("hook:cb").await;
    let input = &asked["request"]["input"];
    assert_eq!(input["hook_event_name"], "PreToolUse");
    assert_eq!(input["tool_input"]["command"], "touch made");
    assert_eq!(input["permission_mode"], "default");
    assert_eq!(input["tool_use_id"], asked["request"]["tool_use_id"]);
    assert_eq!(input["cwd"], stage.dir.path().display().to_string());
    let allow = json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow"}});
    stage.answer(&asked, allow).await;
    assert_eq!(
        stage.turn().await,
        "init assistant:tool_use hook:cb user:tool_result assistant:text result:success"
    );
    stage.end().await;
}

#[tokio::test]
async fn callback_that_times_out_denies_and_is_withdrawn() {
    let mut stage = with_callbacks(touching("echo safe"), before("cb", json!({"timeout": 0.05}))).await;
    stage.prompt("go").await;
    assert_eq!(
        stage.turn().await,
        "init assistant:tool_use hook:cb cancel user:tool_error assistant:text result:success"
    );
    let told = &stage.last("user:tool_error")["message"]["content"][0]["content"];
    assert_eq!(told, "PreToolUse hook did not respond before its timeout");
    stage.end().await;
}

#[tokio::test]
async fn failed_callback_blocks_only_if_configured() {
    for (policy, runs) in [(json!({}), true), (json!({"onFailure": "block"}), false)] {
        let mut stage = with_callbacks(touching("echo safe"), before("cb", policy)).await;
        stage.prompt("go").await;
        let asked = stage.until("hook:cb").await;
        let response = json!({"subtype": "error", "request_id": asked["request_id"], "error": "crashed"});
        stage
            .send(&[json!({"type": "control_response", "response": response})])
            .await;
        let told = stage.turn().await;
        assert_eq!(told.contains("user:tool_result"), runs, "{told}");
        if runs {
            assert_eq!(stage.last("info")["tag"], "hook_callback_failed");
        }
        stage.end().await;
    }
}

#[tokio::test]
async fn invalid_answer_does_not_allow() {
    let mut stage = with_callbacks(touching("touch made"), before("cb", json!({"onFailure": "block"}))).await;
    stage.prompt("go").await;
    let asked = stage.until("hook:cb").await;
    stage
        .answer(&asked, json!({"hookSpecificOutput": {"hookEventName": "Stop"}}))
        .await;
    let told = stage.turn().await;
    assert!(told.contains("user:tool_error"), "{told}");
    stage.end().await;
}

#[tokio::test]
async fn interrupt_withdraws_open_callbacks() {
    let mut stage = with_callbacks(touching("touch made"), before("cb", json!({}))).await;
    stage.prompt("touch").await;
    let asked = stage.until("hook:cb").await;
    stage.interrupt().await;
    let told = stage.turn().await;
    assert!(told.starts_with("init assistant:tool_use hook:cb cancel ok"), "{told}");
    assert!(told.ends_with("notice result:error_during_execution!"), "{told}");
    // A late answer is ignored.
    stage.answer(&asked, json!({})).await;
    stage.silent().await;
    assert!(!stage.dir.path().join("made").exists());
    stage.end().await;
}

#[tokio::test]
async fn open_callback_denies_when_the_host_is_gone() {
    let mut stage = with_callbacks(touching("echo safe"), before("cb", json!({}))).await;
    stage.prompt("go").await;
    stage.until("hook:cb").await;
    stage.eof().await;
    let told = stage.turn().await;
    assert!(told.contains("user:tool_error"), "{told}");
    stage.leave().await;
}

#[tokio::test]
async fn first_answer_of_host_and_hook_applies() {
    let hooks = json!({"PermissionRequest": [{"hookCallbackIds": ["pr"]}]});
    let mut stage = with_callbacks(touching("touch made"), hooks.clone()).await;
    stage.prompt("touch").await;
    let ask = stage.ask().await;
    let hook = stage.until("hook:pr").await;
    assert_eq!(hook["request"]["tool_use_id"], ask["request"]["tool_use_id"]);
    stage.allow(&ask).await;
    let told = stage.turn().await;
    assert!(!told.contains("cancel"), "{told}");
    let deny = json!({"hookSpecificOutput": {"hookEventName": "PermissionRequest",
        "decision": {"behavior": "deny", "message": "late"}}});
    stage.answer(&hook, deny.clone()).await;
    stage.silent().await;
    stage.end().await;

    let mut stage = with_callbacks(touching("touch made"), hooks).await;
    stage.prompt("touch").await;
    let ask = stage.ask().await;
    let hook = stage.until("hook:pr").await;
    stage.answer(&hook, deny).await;
    stage.until("cancel").await;
    stage.allow(&ask).await;
    stage.turn().await;
    assert!(!stage.dir.path().join("made").exists());
    stage.end().await;
}

#[tokio::test]
async fn later_callbacks_replace_earlier_ones() {
    let mut stage = with_callbacks(touching("echo safe"), before("one", json!({}))).await;
    stage
        .control(json!({"subtype": "initialize", "hooks": before("two", json!({}))}))
        .await;
    stage.prompt("go").await;
    let asked = stage.until("hook:two").await;
    stage.answer(&asked, json!({})).await;
    stage.turn().await;
    assert!(stage.all("hook:one").is_empty());
    stage.end().await;
}

#[tokio::test]
async fn hooks_listing_contains_hooks_and_policy() {
    let mut stage = hooked(Script::new(), on("Stop", &["true"]), |_| {}).await;
    let answer = stage.control(json!({"subtype": "get_hooks_listing"})).await;
    let listed = &answer["response"];
    assert_eq!(listed["hooks"][0]["event"], "Stop");
    assert_eq!(listed["hooks"][0]["commandText"], "true");
    assert_eq!(listed["events"][0]["hookCount"], 1);
    assert_eq!(listed["policy"]["allDisabled"], false);
    stage.end().await;
}
