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
async fn a_broken_hook_of_a_person_lets_through() {
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
async fn a_broken_hook_of_the_administrator_lets_nothing_through() {
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
async fn one_that_hangs_is_ended_and_the_person_told() {
    let bell = Bell::hang().await;
    let hooks = json!({"PreToolUse": [{"hooks": [{"type": "command", "command": bell.command(), "timeout": 0.2}]}]});
    let mut stage = hooked(script(), hooks, |_| {}).await;
    stage.prompt("go").await;
    let mut caller = bell.rung().await;
    assert_eq!(
        stage.turn().await,
        "init assistant:tool_use info user:tool_result assistant:text result:success"
    );
    let told = stage.last("info");
    assert_eq!(told["tag"], "hook_no_verdict");
    assert_eq!(told["hook_no_verdict"]["timed_out"], true);
    caller.hung_up().await;
    stage.end().await;
}

#[tokio::test]
async fn a_turn_can_be_interrupted_while_its_hooks_run() {
    for event in ["PreToolUse", "PostToolUse", "UserPromptSubmit", "Stop", "PostToolBatch"] {
        let bell = Bell::hang().await;
        let mut stage = hooked(script(), on(event, &[&bell.command()]), |_| {}).await;
        stage.prompt("go").await;
        let mut caller = bell.rung().await;
        stage.interrupt().await;
        let result = stage.result().await;
        // If only Stop hooks were interrupted, the response is complete.
        let wanted = if event == "Stop" {
            "success"
        } else {
            "error_during_execution"
        };
        assert_eq!(result["subtype"], wanted, "{event}");
        caller.hung_up().await;
        stage.end().await;
    }
}

#[tokio::test]
async fn what_ran_keeps_its_result_when_its_hooks_are_interrupted() {
    let bell = Bell::hang().await;
    let mut stage = hooked(script(), on("PostToolUse", &[&bell.command()]), |_| {}).await;
    stage.prompt("go").await;
    let mut caller = bell.rung().await;
    stage.interrupt().await;
    stage.result().await;
    assert_eq!(stage.last("user:tool_result")["message"]["content"][0]["content"], "x");
    caller.hung_up().await;
    stage.end().await;
}

#[tokio::test]
async fn a_session_that_leaves_ends_its_hooks() {
    for event in ["PreToolUse", "Stop", "SessionStart"] {
        let bell = Bell::hang().await;
        let mut stage = hooked(script(), on(event, &[&bell.command()]), |_| {}).await;
        stage.prompt("go").await;
        let mut caller = bell.rung().await;
        stage.quit();
        stage.hear_out().await;
        caller.hung_up().await;
        stage.leave().await;
    }
}

#[tokio::test]
async fn the_host_is_heard_while_the_session_begins() {
    let bell = Bell::hang().await;
    let mut stage = hooked(script(), on("SessionStart", &[&bell.command()]), |_| {}).await;
    let caller = bell.rung().await;
    let answer = stage.control(json!({"subtype": "initialize"})).await;
    assert_eq!(answer["subtype"], "success");
    caller.let_go("").await;
    stage.prompt("go").await;
    stage.result().await;
    stage.end().await;
}

#[tokio::test]
async fn hooks_can_be_switched_off() {
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
async fn hooks_that_cannot_be_read_are_named_and_cost_nothing_else() {
    let hooks = json!({"PreToolUse": [{"hooks": [{"type": "sing"}, {"type": "command", "command": "exit 2"}]}],
        "Whenever": []});
    let mut stage = hooked(script(), hooks, |_| {}).await;
    stage.prompt("go").await;
    let told = stage.turn().await;
    assert!(told.contains("user:tool_error"), "{told}");
    assert_eq!(stage.all("info").len(), 2);
    stage.end().await;
}
