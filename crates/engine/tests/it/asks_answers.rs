//! Answers of the host to permission requests.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use sluice_simulator::{Reply, Script};

use crate::asks::touching;
use crate::stage::Stage;

fn content(message: &Value) -> &str {
    message["message"]["content"][0]["content"].as_str().unwrap()
}

/// Runs one call and answers its permission request.
async fn answered(answer: Value) -> Stage {
    let mut stage = Stage::begin(touching("touch made")).await;
    stage.prompt("touch").await;
    let ask = stage.ask().await;
    stage.answer(&ask, answer).await;
    stage.result().await;
    stage
}

#[tokio::test]
async fn allow_runs_the_call() {
    let stage = answered(json!({"behavior": "allow"})).await;
    assert!(stage.dir.path().join("made").exists());
    let meta = &stage.last("user:tool_result")["tool_result_meta"][0]["permission_decision"];
    assert_eq!(*meta, json!({"decision": "accept", "source": "user_temporary"}));
    assert_eq!(stage.last("result:success")["permission_denials"], json!([]));
    stage.end().await;
}

#[tokio::test]
async fn allow_with_changed_input_runs_the_changed_call() {
    let stage = answered(json!({"behavior": "allow", "updatedInput": {"command": "touch other"}})).await;
    assert!(stage.dir.path().join("other").exists());
    assert!(!stage.dir.path().join("made").exists());
    stage.end().await;
}

#[tokio::test]
async fn allow_with_invalid_input_does_not_run_the_tool() {
    let stage = answered(json!({"behavior": "allow", "updatedInput": {"comand": "touch other"}})).await;
    assert!(content(stage.last("user:tool_error")).contains("InputValidationError"));
    assert!(!stage.dir.path().join("made").exists());
    stage.end().await;
}

#[tokio::test]
async fn denial_message_is_sent_to_the_model() {
    let stage = answered(json!({"behavior": "deny", "message": "not on my disk"})).await;
    let refused = stage.last("user:tool_error");
    assert_eq!(content(refused), "not on my disk");
    assert_eq!(refused["tool_use_result"], "Error: not on my disk");
    assert_eq!(
        refused["tool_result_meta"][0],
        json!({
            "id": refused["message"]["content"][0]["tool_use_id"],
            "non_execution_kind": "permission-rule",
            "permission_decision": {"decision": "reject", "source": "user_reject"},
        })
    );
    let denials = &stage.last("result:success")["permission_denials"];
    assert_eq!(denials[0]["tool_input"]["command"], "touch made");
    assert!(!stage.dir.path().join("made").exists());
    assert_eq!(stage.end().await, 0);
}

#[tokio::test]
async fn denials_are_listed_per_turn() {
    let mut stage = answered(json!({"behavior": "deny", "message": "no"})).await;
    stage.prompt("and now?").await;
    assert_eq!(stage.result().await["permission_denials"], json!([]));
    stage.end().await;
}

#[tokio::test]
async fn denial_with_interrupt_ends_the_turn() {
    let mut stage = answered(json!({"behavior": "deny", "message": "stop it", "interrupt": true})).await;
    assert_eq!(
        stage.told(),
        "init assistant:tool_use ask:Bash user:tool_error notice result:error_during_execution!"
    );
    let refused = stage.last("user:tool_error");
    assert_eq!(refused["tool_use_result"], "User rejected tool use");
    let notice = &stage.last("notice")["message"]["content"][0]["text"];
    assert_eq!(*notice, "[Request interrupted by user for tool use]");
    let result = stage.last("result:error_during_execution!");
    assert_eq!(result["terminal_reason"], "aborted_tools");
    assert_eq!(result["permission_denials"].as_array().unwrap().len(), 1);
    stage.prompt("something else").await;
    assert_eq!(stage.turn().await, "init assistant:text result:success");
    assert_eq!(stage.end().await, 0);
}

#[tokio::test]
async fn error_response_denies_with_its_reason() {
    let mut stage = Stage::begin(touching("touch made")).await;
    stage.prompt("touch").await;
    let ask = stage.ask().await;
    let response = json!({"subtype": "error", "request_id": ask["request_id"], "error": "the window is closed"});
    stage
        .send(&[json!({"type": "control_response", "response": response})])
        .await;
    assert_eq!(
        stage.turn().await,
        "init assistant:tool_use ask:Bash user:tool_error assistant:text result:success"
    );
    assert_eq!(
        content(stage.last("user:tool_error")),
        "Tool permission request failed: Error: the window is closed"
    );
    stage.end().await;
}

#[tokio::test]
async fn invalid_answer_denies() {
    for bad in [
        json!({}),
        json!({"decision": "allow"}),
        json!({"behavior": "perhaps"}),
        json!({"behavior": "allow", "updatedInput": null}),
        json!({"behavior": "allow", "updatedInput": "touch other"}),
        json!({"behavior": "deny"}),
        json!("allow"),
        json!(null),
    ] {
        let stage = answered(bad.clone()).await;
        let said = content(stage.last("user:tool_error"));
        assert!(
            said.starts_with("The canUseTool callback returned an invalid permission result"),
            "{bad}: {said}"
        );
        assert!(!stage.dir.path().join("made").exists(), "{bad}");
        stage.end().await;
    }
}

#[tokio::test]
async fn answer_without_request_is_ignored() {
    let mut stage = Stage::begin(touching("touch made")).await;
    stage
        .answer(&json!({"request_id": "nobody-asked"}), json!({"behavior": "allow"}))
        .await;
    stage.silent().await;
    stage.prompt("touch").await;
    let ask = stage.ask().await;
    stage
        .answer(&json!({"request_id": "nobody-asked"}), json!({"behavior": "allow"}))
        .await;
    stage.silent().await;
    assert!(!stage.dir.path().join("made").exists());
    stage.deny(&ask).await;
    stage.result().await;
    stage.end().await;
}

#[tokio::test]
async fn first_of_two_answers_applies() {
    let mut stage = Stage::begin(touching("touch made")).await;
    stage.prompt("touch").await;
    let ask = stage.ask().await;
    stage.deny(&ask).await;
    stage.allow(&ask).await;
    assert_eq!(
        stage.turn().await,
        "init assistant:tool_use ask:Bash user:tool_error assistant:text result:success"
    );
    assert!(!stage.dir.path().join("made").exists());
    stage.end().await;
}

#[tokio::test]
async fn host_cannot_withdraw_a_permission_request() {
    let mut stage = Stage::begin(touching("touch made")).await;
    stage.prompt("touch").await;
    let ask = stage.ask().await;
    stage
        .send(&[json!({"type": "control_cancel_request", "request_id": ask["request_id"]})])
        .await;
    stage.silent().await;
    stage.allow(&ask).await;
    stage.result().await;
    assert!(stage.dir.path().join("made").exists());
    stage.end().await;
}

#[tokio::test]
async fn answers_are_replayed_with_prompts() {
    let mut stage = Stage::with(touching("touch made"), |options| options.host.replay = true).await;
    stage.prompt("touch").await;
    let ask = stage.ask().await;
    stage.allow(&ask).await;
    assert_eq!(
        stage.turn().await,
        "init replay assistant:tool_use ask:Bash ok user:tool_result assistant:text result:success"
    );
    assert_eq!(stage.last("ok")["response"]["request_id"], ask["request_id"]);
    stage.end().await;
}

fn touch_twice() -> Script {
    Script::new()
        .tool("Bash", json!({"command": "touch one"}))
        .tool("Bash", json!({"command": "touch two"}))
        .text("Done")
}

#[tokio::test]
async fn rule_in_answer_applies_to_later_calls() {
    let mut stage = Stage::begin(touch_twice()).await;
    stage.prompt("touch").await;
    let ask = stage.ask().await;
    let rule = json!({"toolName": "Bash", "ruleContent": "touch:*"});
    let update = json!({"type": "addRules", "rules": [rule], "behavior": "allow", "destination": "session"});
    stage
        .answer(&ask, json!({"behavior": "allow", "updatedPermissions": [update]}))
        .await;
    assert_eq!(
        stage.turn().await,
        "init assistant:tool_use ask:Bash user:tool_result assistant:tool_use user:tool_result assistant:text \
         result:success"
    );
    let meta = &stage.all("user:tool_result")[0]["tool_result_meta"][0]["permission_decision"];
    assert_eq!(meta["source"], "user_permanent");
    stage.end().await;
}

#[tokio::test]
async fn mode_in_answer_is_reported_and_applies() {
    let mut stage = Stage::begin(touch_twice()).await;
    stage.prompt("touch").await;
    let ask = stage.ask().await;
    let junk = json!({"type": "addRules", "rules": "junk"});
    let update = json!({"type": "setMode", "mode": "acceptEdits", "destination": "session"});
    stage
        .answer(&ask, json!({"behavior": "allow", "updatedPermissions": [junk, update]}))
        .await;
    assert_eq!(
        stage.turn().await,
        "init assistant:tool_use ask:Bash mode:acceptEdits user:tool_result assistant:tool_use user:tool_result \
         assistant:text result:success"
    );
    stage.end().await;
}

#[tokio::test]
async fn answer_cannot_select_bypass_mode() {
    let mut stage = Stage::begin(touch_twice()).await;
    stage.prompt("touch").await;
    let ask = stage.ask().await;
    let update = json!({"type": "setMode", "mode": "bypassPermissions", "destination": "session"});
    stage
        .answer(&ask, json!({"behavior": "allow", "updatedPermissions": [update]}))
        .await;
    let again = stage.ask().await;
    stage.deny(&again).await;
    assert_eq!(
        stage.turn().await,
        "init assistant:tool_use ask:Bash user:tool_result assistant:tool_use ask:Bash user:tool_error \
         assistant:text result:success"
    );
    stage.end().await;
}

#[tokio::test]
async fn answer_during_the_response_is_applied() {
    let script = Script::new()
        .reply(
            Reply::tool("Bash", json!({"command": "touch made"}))
                .and_text("and more")
                .gate_each("word"),
        )
        .text("Done");
    let mut stage = Stage::begin(script).await;
    stage.prompt("touch").await;
    stage.gate("word").open_n(2);
    let ask = stage.ask().await;
    stage.allow(&ask).await;
    stage.gate("word").open();
    // The result follows the complete message that it belongs to.
    assert_eq!(
        stage.turn().await,
        "init assistant:tool_use ask:Bash assistant:text user:tool_result assistant:text result:success"
    );
    stage.end().await;
}

#[tokio::test]
async fn link_created_during_request_is_not_followed() {
    let script = Script::new()
        .tool("Write", json!({"file_path": "notes.txt", "content": "mine now\n"}))
        .text("Done");
    let mut stage = Stage::begin(script).await;
    let secret = stage.path("secret.txt");
    std::fs::write(&secret, "as it was\n").unwrap();
    stage.prompt("write").await;
    let ask = stage.ask().await;
    std::os::unix::fs::symlink(&secret, stage.path("notes.txt")).unwrap();
    stage.allow(&ask).await;
    assert_eq!(
        stage.turn().await,
        "init assistant:tool_use ask:Write user:tool_error assistant:text result:success"
    );
    assert_eq!(std::fs::read_to_string(&secret).unwrap(), "as it was\n");
    stage.end().await;
}

#[tokio::test]
async fn rule_added_during_request_applies() {
    let mut stage = Stage::begin(touching("touch made")).await;
    stage.prompt("touch").await;
    let ask = stage.ask().await;
    let denies = json!({"permissions": {"deny": ["Bash(touch:*)"]}});
    stage
        .control(json!({"subtype": "apply_flag_settings", "settings": denies}))
        .await;
    stage.allow(&ask).await;
    stage.result().await;
    assert!(!stage.dir.path().join("made").exists());
    assert!(content(stage.last("user:tool_error")).contains("denied"));
    stage.end().await;
}

#[tokio::test]
async fn plan_edited_by_the_person_is_used() {
    let script = Script::new()
        .tool("ExitPlanMode", json!({"plan": "# Model plan"}))
        .text("Done");
    let mut stage = Stage::with(script, |options| {
        options.permissions.mode = Some(sluice_permission::PermissionMode::Plan);
    })
    .await;
    stage.prompt("plan").await;
    let ask = stage.ask().await;
    stage
        .answer(
            &ask,
            json!({"behavior": "allow", "updatedInput": {"plan": "# HOSTPLAN"}}),
        )
        .await;
    stage.result().await;
    let told = &stage.last("user:tool_result")["tool_use_result"];
    assert_eq!(
        (&told["plan"], &told["planWasEdited"]),
        (&json!("# HOSTPLAN"), &json!(true))
    );
    assert!(content(stage.last("user:tool_result")).contains("# HOSTPLAN"));
    stage.end().await;
}

#[tokio::test]
async fn unchanged_plan_is_not_marked_as_edited() {
    let script = Script::new()
        .tool("ExitPlanMode", json!({"plan": "# Model plan"}))
        .text("Done");
    let mut stage = Stage::with(script, |options| {
        options.permissions.mode = Some(sluice_permission::PermissionMode::Plan);
    })
    .await;
    stage.prompt("plan").await;
    let ask = stage.ask().await;
    stage.allow(&ask).await;
    stage.result().await;
    assert_eq!(stage.last("user:tool_result")["tool_use_result"]["plan"], Value::Null);
    stage.end().await;
}

#[tokio::test]
async fn plan_written_in_the_same_message_is_shown() {
    let brain = |request: &Value, n: usize| {
        let text = request.to_string();
        let plan_file = text
            .split("is the plan, ")
            .nth(1)
            .and_then(|rest| rest.split(' ').next());
        match n {
            1 => Reply::tool("Write", json!({"file_path": plan_file, "content": "# New plan"}))
                .and_tool("ExitPlanMode", json!({})),
            _ => Reply::text("Done"),
        }
    };
    let mut stage = Stage::with(brain, |options| {
        options.permissions.mode = Some(sluice_permission::PermissionMode::Plan);
    })
    .await;
    stage.prompt("plan").await;
    let ask = stage.ask().await;
    assert_eq!(ask["request"]["tool_name"], "ExitPlanMode", "{ask}");
    assert_eq!(ask["request"]["input"]["plan"], "# New plan");
    stage.allow(&ask).await;
    stage.result().await;
    assert_eq!(stage.last("user:tool_result")["tool_use_result"]["plan"], "# New plan");
    stage.end().await;
}
