//! Faulty hooks that hang, flood the output, crash or cannot be started do not affect the session.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use sluice_engine::settings::{Chosen, Settings};
use sluice_simulator::Script;

use crate::asks::touching;
use crate::bell::Bell;
use crate::hooks_calls::{hooked, on};
use crate::stage::Stage;

fn script() -> Script {
    touching("echo x")
}

/// A session with these managed settings.
async fn managed(script: Script, settings: Value) -> Stage {
    Stage::with(script, move |options| {
        let places = options.settings.places().clone();
        options.settings = Settings::load(&places, &Chosen::NONE, None, Some(&settings.to_string()));
    })
    .await
}

#[tokio::test]
async fn failing_user_hook_does_not_block() {
    for command in [
        "exit 1",
        "kill -9 $$",
        "echo '{\"decision\": '",
        "echo '{\"decision\": 5}'",
        "echo just words",
        "exec 0<&- 1>&- 2>&-",
        "head -c 3000000 /dev/zero",
        "/no/such/program",
        "printf '\\377\\376'",
        "echo '{\"hookSpecificOutput\": {\"hookEventName\": \"Stop\"}}'",
    ] {
        let mut stage = hooked(script(), on("PreToolUse", &[command]), |_| {}).await;
        stage.prompt("go").await;
        let told = stage.turn().await;
        assert!(told.contains("user:tool_result"), "{command}: {told}");
        stage.end().await;
    }
}

#[tokio::test]
async fn failing_managed_hook_blocks() {
    for command in ["exit 1", "kill -9 $$", "echo '{\"decision\": '", "/no/such/program"] {
        let mut stage = managed(script(), json!({"hooks": on("PreToolUse", &[command])})).await;
        stage.prompt("go").await;
        let told = stage.turn().await;
        assert!(told.contains("user:tool_error"), "{command}: {told}");
        stage.end().await;
    }
    let own = json!({"hooks": {"PreToolUse": [{"hooks": [
        {"type": "command", "command": "exit 1", "onFailure": "continue"}]}]}});
    let mut stage = managed(script(), own).await;
    stage.prompt("go").await;
    assert!(stage.turn().await.contains("user:tool_result"));
    stage.end().await;
}

#[tokio::test]
async fn hanging_hook_times_out_and_is_reported() {
    let bell = Bell::listen().await;
    let hooks = json!({"PreToolUse": [{"hooks": [{"type": "command", "command": bell.command(), "timeout": 0.2}]}]});
    let mut stage = hooked(script(), hooks, |_| {}).await;
    stage.prompt("go").await;
    let mut caller = bell.connected().await;
    assert_eq!(
        stage.turn().await,
        "init assistant:tool_use info user:tool_result assistant:text result:success"
    );
    let told = stage.last("info");
    assert_eq!(told["tag"], "hook_no_verdict");
    assert_eq!(told["hook_no_verdict"]["timed_out"], true);
    caller.ended().await;
    stage.end().await;
}

#[tokio::test]
async fn turn_can_be_interrupted_while_hooks_run() {
    for event in ["PreToolUse", "PostToolUse", "UserPromptSubmit", "Stop", "PostToolBatch"] {
        let bell = Bell::listen().await;
        let mut stage = hooked(script(), on(event, &[&bell.command()]), |_| {}).await;
        stage.prompt("go").await;
        let mut caller = bell.connected().await;
        stage.interrupt().await;
        let result = stage.result().await;
        // If only Stop hooks were interrupted, the response is complete.
        let wanted = if event == "Stop" {
            "success"
        } else {
            "error_during_execution"
        };
        assert_eq!(result["subtype"], wanted, "{event}");
        caller.ended().await;
        stage.end().await;
    }
}

#[tokio::test]
async fn interrupted_hooks_keep_the_result_of_the_call() {
    let bell = Bell::listen().await;
    let mut stage = hooked(script(), on("PostToolUse", &[&bell.command()]), |_| {}).await;
    stage.prompt("go").await;
    let mut caller = bell.connected().await;
    stage.interrupt().await;
    stage.result().await;
    assert_eq!(stage.last("user:tool_result")["message"]["content"][0]["content"], "x");
    caller.ended().await;
    stage.end().await;
}

#[tokio::test]
async fn hooks_end_with_the_session() {
    for event in ["PreToolUse", "Stop", "SessionStart"] {
        let bell = Bell::listen().await;
        let mut stage = hooked(script(), on(event, &[&bell.command()]), |_| {}).await;
        stage.prompt("go").await;
        let mut caller = bell.connected().await;
        stage.quit();
        stage.hear_out().await;
        caller.ended().await;
        stage.leave().await;
    }
}

#[tokio::test]
async fn host_is_answered_during_session_start_hooks() {
    let bell = Bell::listen().await;
    let mut stage = hooked(script(), on("SessionStart", &[&bell.command()]), |_| {}).await;
    let caller = bell.connected().await;
    let answer = stage.control(json!({"subtype": "initialize"})).await;
    assert_eq!(answer["subtype"], "success");
    caller.finish("").await;
    stage.prompt("go").await;
    stage.result().await;
    stage.end().await;
}

#[tokio::test]
async fn hooks_can_be_disabled() {
    let all = json!({"disableAllHooks": true, "hooks": on("PreToolUse", &["exit 2"])});
    let mut stage = Stage::with(script(), |options| options.settings.set_flag(all.as_object().unwrap())).await;
    stage.prompt("go").await;
    assert!(stage.turn().await.contains("user:tool_result"));
    stage.end().await;

    let only = json!({"allowManagedHooksOnly": true, "hooks": on("PostToolUse", &["exit 0"])});
    let mut stage = Stage::with(script(), |options| {
        let places = options.settings.places().clone();
        options.settings = Settings::load(&places, &Chosen::NONE, None, Some(&only.to_string()));
        let own = json!({"hooks": on("PreToolUse", &["exit 2"])});
        options.settings.set_flag(own.as_object().unwrap());
    })
    .await;
    stage.prompt("go").await;
    assert!(stage.turn().await.contains("user:tool_result"));
    stage.end().await;
}

#[tokio::test]
async fn invalid_hooks_are_reported_and_skipped() {
    let hooks = json!({"PreToolUse": [{"hooks": [{"type": "sing"}, {"type": "command", "command": "exit 2"}]}],
        "Whenever": []});
    let mut stage = hooked(script(), hooks, |_| {}).await;
    stage.prompt("go").await;
    let told = stage.turn().await;
    assert!(told.contains("user:tool_error"), "{told}");
    assert_eq!(stage.all("info").len(), 2);
    stage.end().await;
}
