//! Hooks of settings files on tool calls: deny, ask, allow, and change the input.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use sluice_engine::{Asker, Options};
use sluice_simulator::{Brain, Reply, Script};
use sluice_wire::mode::PermissionMode;

use crate::asks::touching;
use crate::stage::Stage;

/// A session with these hooks in its flag settings.
pub(crate) async fn hooked(brain: impl Brain, hooks: Value, change: impl FnOnce(&mut Options)) -> Stage {
    let settings = json!({"hooks": hooks});
    Stage::with(brain, move |options| {
        options.settings.set_flag(settings.as_object().unwrap());
        std::sync::Arc::make_mut(&mut options.env).push(("HOME".into(), options.folders.home.clone().into()));
        change(options);
    })
    .await
}

/// Hooks of one event, each a bash command.
pub(crate) fn on(event: &str, commands: &[&str]) -> Value {
    let hooks: Vec<Value> = commands
        .iter()
        .map(|command| json!({"type": "command", "command": command}))
        .collect();
    json!({event: [{"hooks": hooks}]})
}

/// A bash command that prints the specific output of an event.
#[allow(
    clippy::needless_pass_by_value,
    reason = "so that it can be written down where it is said"
)]
pub(crate) fn says(event: &str, fields: Value) -> String {
    let mut output = json!({"hookEventName": event});
    output
        .as_object_mut()
        .unwrap()
        .extend(fields.as_object().unwrap().clone());
    format!("echo '{}'", json!({"hookSpecificOutput": output}))
}

#[tokio::test]
async fn denial_by_exit_code_or_output_is_sent_to_the_model() {
    for (command, told) in [
        (
            "echo stop it >&2; exit 2".to_owned(),
            "PreToolUse:Bash hook error: [echo stop it >&2; exit 2]: stop it",
        ),
        (
            says(
                "PreToolUse",
                json!({"permissionDecision": "deny", "permissionDecisionReason": "never"}),
            ),
            "PreToolUse:Bash hook error: never",
        ),
        (
            "echo '{\"decision\": \"block\", \"reason\": \"old words\"}'".to_owned(),
            "PreToolUse:Bash hook error: old words",
        ),
    ] {
        let mut stage = hooked(touching("touch made"), on("PreToolUse", &[&command]), |_| {}).await;
        stage.prompt("touch").await;
        assert_eq!(
            stage.turn().await,
            "init assistant:tool_use user:tool_error assistant:text result:success"
        );
        assert_eq!(stage.last("user:tool_error")["message"]["content"][0]["content"], told);
        let result = stage.last("result:success");
        assert_eq!(result["permission_denials"][0]["tool_name"], "Bash");
        assert!(!stage.dir.path().join("made").exists());
        stage.end().await;
    }
}

#[tokio::test]
async fn allow_skips_the_permission_request_but_no_rules() {
    let allow = says("PreToolUse", json!({"permissionDecision": "allow"}));
    let mut stage = hooked(touching("touch made"), on("PreToolUse", &[&allow]), |_| {}).await;
    stage.prompt("touch").await;
    assert_eq!(
        stage.turn().await,
        "init assistant:tool_use user:tool_result assistant:text result:success"
    );
    let meta = &stage.last("user:tool_result")["tool_result_meta"][0]["permission_decision"];
    assert_eq!(meta["source"], "hook");
    stage.end().await;

    let mut stage = hooked(touching("touch made"), on("PreToolUse", &[&allow]), |options| {
        options.permissions.disallowed = vec!["Bash(touch:*)".into()];
    })
    .await;
    stage.prompt("touch").await;
    let told = stage.turn().await;
    assert!(told.contains("user:tool_error"), "{told}");
    assert!(!stage.dir.path().join("made").exists());
    stage.end().await;

    let ask = json!({"permissions": {"ask": ["Bash(touch:*)"]}, "hooks": on("PreToolUse", &[&allow])});
    let mut stage = Stage::with(touching("touch made"), |options| {
        options.settings.set_flag(ask.as_object().unwrap());
    })
    .await;
    stage.prompt("touch").await;
    let asked = stage.ask().await;
    stage.deny(&asked).await;
    stage.turn().await;
    stage.end().await;
}

#[tokio::test]
async fn changed_input_is_checked_against_the_rules() {
    let change = says(
        "PreToolUse",
        json!({"permissionDecision": "allow", "updatedInput": {"command": "rm -rf precious"}}),
    );
    let mut stage = hooked(touching("touch made"), on("PreToolUse", &[&change]), |options| {
        options.permissions.disallowed = vec!["Bash(rm:*)".into()];
    })
    .await;
    std::fs::write(stage.path("precious"), "x").unwrap();
    stage.prompt("touch").await;
    let told = stage.turn().await;
    assert!(told.contains("user:tool_error"), "{told}");
    assert!(stage.dir.path().join("precious").exists());
    stage.end().await;

    let change = says("PreToolUse", json!({"updatedInput": {"command": "touch other"}}));
    let mut stage = hooked(touching("touch made"), on("PreToolUse", &[&change]), |_| {}).await;
    stage.prompt("touch").await;
    let ask = stage.ask().await;
    assert_eq!(ask["request"]["input"]["command"], "touch other");
    stage.allow(&ask).await;
    stage.turn().await;
    assert!(stage.dir.path().join("other").exists() && !stage.dir.path().join("made").exists());
    stage.end().await;

    let broken = says(
        "PreToolUse",
        json!({"permissionDecision": "allow", "updatedInput": {"nothing": 1}}),
    );
    let mut stage = hooked(touching("touch made"), on("PreToolUse", &[&broken]), |_| {}).await;
    stage.prompt("touch").await;
    let told = stage.turn().await;
    assert!(told.contains("user:tool_error") && !told.contains("ask:"), "{told}");
    stage.end().await;
}

#[tokio::test]
async fn ask_requires_a_permission_request_with_the_reason() {
    let ask = says(
        "PreToolUse",
        json!({"permissionDecision": "ask", "permissionDecisionReason": "look first"}),
    );
    let mut stage = hooked(touching("echo safe"), on("PreToolUse", &[&ask]), |_| {}).await;
    stage.prompt("go").await;
    let asked = stage.ask().await;
    assert_eq!(asked["request"]["decision_reason"], "look first");
    assert_eq!(asked["request"]["decision_reason_type"], "hook");
    assert_eq!(asked["request"]["decision_reason_hook_event"], "PreToolUse");
    assert!(asked["request"].get("permission_suggestions").is_none());
    stage.allow(&asked).await;
    stage.turn().await;
    stage.end().await;
}

#[tokio::test]
async fn strictest_hook_applies_and_duplicates_run_once() {
    let allow = says("PreToolUse", json!({"permissionDecision": "allow"}));
    let deny = says(
        "PreToolUse",
        json!({"permissionDecision": "deny", "permissionDecisionReason": "no"}),
    );
    let count = "echo x >> \"$CLAUDE_PROJECT_DIR/count\"";
    let hooks = json!({"PreToolUse": [
        {"matcher": "Bash", "hooks": [{"type": "command", "command": allow}, {"type": "command", "command": count}]},
        {"matcher": "B.*", "hooks": [{"type": "command", "command": deny}, {"type": "command", "command": count}]},
        {"matcher": "Read", "hooks": [{"type": "command", "command": "exit 2"}]}]});
    let mut stage = hooked(touching("touch made"), hooks, |_| {}).await;
    stage.prompt("touch").await;
    let told = stage.turn().await;
    assert!(told.contains("user:tool_error"), "{told}");
    assert_eq!(std::fs::read_to_string(stage.path("count")).unwrap(), "x\n");
    stage.end().await;
}

#[tokio::test]
async fn condition_of_a_hook_selects_calls() {
    let hooks = json!({"PreToolUse": [{"matcher": "Bash", "hooks": [
        {"type": "command", "command": "exit 2", "if": "Bash(git push *)"}]}]});
    let mut stage = hooked(touching("echo safe"), hooks, |_| {}).await;
    stage.prompt("go").await;
    assert!(stage.turn().await.contains("user:tool_result"));
    stage.end().await;
}

#[tokio::test]
async fn permission_request_hook_answers_before_the_host() {
    let allow = says("PermissionRequest", json!({"decision": {"behavior": "allow"}}));
    let mut stage = hooked(touching("touch made"), on("PermissionRequest", &[&allow]), |_| {}).await;
    stage.prompt("touch").await;
    assert_eq!(
        stage.turn().await,
        "init assistant:tool_use ask:Bash cancel user:tool_result assistant:text result:success"
    );
    stage.end().await;

    let deny = says(
        "PermissionRequest",
        json!({"decision": {"behavior": "deny", "message": "hook says no"}}),
    );
    let mut stage = hooked(
        touching("touch made"),
        on("PermissionRequest", &[&deny, &allow]),
        |_| {},
    )
    .await;
    stage.prompt("touch").await;
    stage.turn().await;
    assert_eq!(
        stage.last("user:tool_error")["message"]["content"][0]["content"],
        "hook says no"
    );
    stage.end().await;

    let mut stage = hooked(touching("touch made"), on("PermissionRequest", &["true"]), |_| {}).await;
    stage.prompt("touch").await;
    let ask = stage.ask().await;
    stage.allow(&ask).await;
    assert!(!stage.turn().await.contains("cancel"));
    stage.end().await;
}

#[tokio::test]
async fn permission_request_hook_answers_without_a_host() {
    let allow = says("PermissionRequest", json!({"decision": {"behavior": "allow"}}));
    for (command, made) in [(allow.as_str(), true), ("true", false), ("exit 2", false)] {
        let mut stage = hooked(touching("touch made"), on("PermissionRequest", &[command]), |options| {
            options.permissions.asker = Asker::Nobody;
        })
        .await;
        stage.prompt("touch").await;
        let told = stage.turn().await;
        assert!(!told.contains("ask:"), "{told}");
        assert_eq!(stage.dir.path().join("made").exists(), made, "{command}");
        stage.end().await;
    }
}

#[tokio::test]
async fn output_of_post_tool_use_hooks_is_sent_to_the_model() {
    let script = || Script::new().tool("Bash", json!({"command": "echo x"})).text("Done");
    let context = says("PostToolUse", json!({"additionalContext": "lint is clean"}));
    let mut stage = hooked(
        script(),
        on("PostToolUse", &[&context, "echo broken >&2; exit 2"]),
        |_| {},
    )
    .await;
    stage.prompt("go").await;
    stage.turn().await;
    let said = stage.said_to_model(2).join("\n");
    assert!(said.contains("lint is clean") && said.contains("broken"), "{said}");
    stage.end().await;

    let output = json!({"stdout": "changed", "stderr": "", "interrupted": false, "isImage": false,
        "noOutputExpected": false});
    let change = says("PostToolUse", json!({"updatedToolOutput": output}));
    let mut stage = hooked(script(), on("PostToolUse", &[&change]), |_| {}).await;
    stage.prompt("go").await;
    stage.turn().await;
    let result = stage.last("user:tool_result");
    assert_eq!(result["message"]["content"][0]["content"], "changed");
    assert_eq!(result["tool_use_result"], output);
    stage.end().await;
}

#[tokio::test]
async fn hook_can_end_the_turn_after_the_call() {
    let halt = "echo '{\"continue\": false, \"stopReason\": \"enough\"}'";
    for event in ["PreToolUse", "PostToolUse", "PostToolBatch"] {
        let script = Script::new().tool("Bash", json!({"command": "echo x"})).text("never");
        let mut stage = hooked(script, on(event, &[halt]), |_| {}).await;
        stage.prompt("go").await;
        assert_eq!(
            stage.turn().await,
            "init assistant:tool_use user:tool_result result:success",
            "{event}"
        );
        let result = stage.last("result:success");
        assert_eq!(
            (&result["terminal_reason"], &result["result"]),
            (&json!("hook_stopped"), &json!(""))
        );
        stage.end().await;
    }
}

#[tokio::test]
async fn permission_denied_hook_can_offer_a_retry_in_auto_mode() {
    let retry = says("PermissionDenied", json!({"retry": true}));
    for (mode, told) in [(PermissionMode::Auto, true), (PermissionMode::Default, false)] {
        let mut stage = hooked(touching("touch made"), on("PermissionDenied", &[&retry]), |options| {
            options.permissions.disallowed = vec!["Bash(touch:*)".into()];
            options.permissions.mode = Some(mode);
        })
        .await;
        stage.prompt("touch").await;
        stage.turn().await;
        let said = stage.said_to_model(2).join("\n");
        assert_eq!(said.contains("may be tried once more"), told, "{said}");
        stage.end().await;
    }
}

#[tokio::test]
async fn each_call_of_a_message_has_its_hooks() {
    let script = Script::new()
        .reply(
            Reply::tool_with_id("a", "Bash", json!({"command": "echo one"}))
                .and_tool_with_id("b", "Bash", json!({"command": "touch made"}))
                .and_tool_with_id("c", "Bash", json!({"command": "echo three"})),
        )
        .text("Done");
    let deny = "grep -q touch && { echo no >&2; exit 2; } || true";
    let mut stage = hooked(script, on("PreToolUse", &[deny]), |_| {}).await;
    stage.prompt("go").await;
    stage.turn().await;
    assert_eq!(
        (stage.all("user:tool_result").len(), stage.all("user:tool_error").len()),
        (2, 1)
    );
    assert_eq!(
        stage.last("user:tool_error")["message"]["content"][0]["tool_use_id"],
        "b"
    );
    stage.end().await;
}
