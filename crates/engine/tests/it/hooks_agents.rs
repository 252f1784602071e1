//! Hooks that run agents, and hooks on calls of agents.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use sluice_simulator::Script;

use crate::hooks_calls::{hooked, on};
use crate::stage::Stage;

fn agent_hook(event: &str, prompt: &str) -> Value {
    json!({event: [{"hooks": [{"type": "agent", "prompt": prompt, "model": "haiku"}]}]})
}

fn allowing(options: &mut sluice_engine::Options) {
    options.permissions.allowed = vec!["Bash".into()];
}

/// The content of the latest tool result that the host received.
fn outcome(stage: &Stage) -> &Value {
    let mut heard = stage.heard.iter().rev().filter(|message| message["type"] == "user");
    &heard.next().unwrap()["message"]["content"][0]["content"]
}

#[tokio::test]
async fn agent_hook_reads_files_before_it_answers() {
    // The call of the session, the call and the answer of the agent, and the final response of the session.
    let script = Script::new()
        .tool("Bash", json!({"command": "echo ran"}))
        .tool("Read", json!({"file_path": "notes"}))
        .text("{\"ok\": false, \"reason\": \"the notes forbid it\"}")
        .text("Done");
    let mut stage = hooked(script, agent_hook("PreToolUse", "May this be? $ARGUMENTS"), |options| {
        std::fs::write(options.cwd.join("notes"), "nothing runs today").unwrap();
        allowing(options);
    })
    .await;
    stage.prompt("go").await;
    stage.result().await;
    assert_eq!(
        *outcome(&stage),
        json!("PreToolUse:Bash hook error: the notes forbid it")
    );
    // The host receives only the call of the session.
    assert_eq!(stage.all("assistant:tool_use").len(), 1);
    assert_eq!(stage.all("task_started").len(), 0);
    let asked = stage.sent(2);
    assert_eq!(asked["model"], "claude-haiku-5-5");
    assert!(asked["messages"].to_string().contains("May this be?"));
    let tools: Vec<&str> = asked["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert!(
        tools.contains(&"Read") && !tools.contains(&"Write") && !tools.contains(&"Agent"),
        "{tools:?}"
    );
    assert!(stage.sent(3)["messages"].to_string().contains("nothing runs today"));
    stage.leave_now().await;
}

#[tokio::test]
async fn agent_hook_sends_no_permission_requests() {
    let script = Script::new()
        .text("Hello")
        .tool("Bash", json!({"command": "touch made"}))
        .text("{\"ok\": true}");
    let mut stage = hooked(script, agent_hook("Stop", "Is it done?"), |_| {}).await;
    stage.prompt("go").await;
    assert_eq!(stage.turn().await, "init assistant:text result:success");
    assert!(!stage.dir.path().join("made").exists());
    assert!(stage.sent(3)["messages"].to_string().contains("dontAsk"));
    stage.leave_now().await;
}

#[tokio::test]
async fn pre_tool_use_hooks_apply_to_agent_hooks() {
    let script = Script::new()
        .text("Hello")
        .tool("Bash", json!({"command": "echo secret"}))
        .text("{\"ok\": true}");
    let mut hooks = agent_hook("Stop", "Is it done?");
    let gate = on("PreToolUse", &["echo not here >&2; exit 2"]);
    hooks.as_object_mut().unwrap().extend(gate.as_object().unwrap().clone());
    let mut stage = hooked(script, hooks, allowing).await;
    stage.prompt("go").await;
    stage.result().await;
    assert!(stage.sent(3)["messages"].to_string().contains("not here"));
    stage.leave_now().await;
}

#[tokio::test]
async fn invalid_answer_of_agent_hook_is_reported() {
    let script = Script::new().text("Hello").text("I would say so");
    let mut stage = hooked(script, agent_hook("Stop", "Is it done?"), |_| {}).await;
    stage.prompt("go").await;
    assert_eq!(stage.turn().await, "init assistant:text info result:success");
    stage.leave_now().await;
}

#[tokio::test]
async fn hooks_create_and_remove_worktrees_of_subagents() {
    let make = "mkdir -p \"$CLAUDE_PROJECT_DIR/trees/one\"; echo making; echo \"$CLAUDE_PROJECT_DIR/trees/one\"";
    let mut hooks = on("WorktreeCreate", &[make]);
    let remove = on("WorktreeRemove", &["cat > \"$CLAUDE_PROJECT_DIR/removed\""]);
    hooks
        .as_object_mut()
        .unwrap()
        .extend(remove.as_object().unwrap().clone());
    let call =
        json!({"description": "d", "prompt": "where are you?", "isolation": "worktree", "run_in_background": false});
    let script = Script::new()
        .tool("Agent", call)
        .tool("Bash", json!({"command": "pwd"}))
        .text("There")
        .text("Done");
    let mut stage = hooked(script, hooks, |options| {
        options.permissions.allowed = vec!["Bash".into(), "Agent".into()];
    })
    .await;
    stage.prompt("go").await;
    stage.result().await;
    assert!(stage.sent(3)["messages"].to_string().contains("trees/one"));
    let removed: Value = serde_json::from_str(&std::fs::read_to_string(stage.path("removed")).unwrap()).unwrap();
    assert_eq!(removed["worktree_path"], stage.path("trees/one"));
    stage.end_crew().await;
}

#[tokio::test]
async fn changed_settings_apply_to_running_subagents() {
    let call = json!({"description": "d", "prompt": "touch twice", "run_in_background": false});
    let script = Script::new()
        .tool("Agent", call)
        .tool("Bash", json!({"command": "touch one"}))
        .tool("Bash", json!({"command": "touch two"}))
        .tool("Bash", json!({"command": "echo three"}))
        .text("Tried")
        .text("Done");
    let mut stage = hooked(script, json!({}), |options| {
        options.permissions.allowed = vec!["Agent".into()];
    })
    .await;
    stage.prompt("go").await;
    let ask = stage.ask().await;
    let gate = on(
        "PreToolUse",
        &["grep -q three && { echo no three >&2; exit 2; } || exit 0"],
    );
    let changes = json!({"hooks": gate, "permissions": {"deny": ["Bash(touch two)"]}});
    let answer = stage
        .control(json!({"subtype": "apply_flag_settings", "settings": changes}))
        .await;
    assert_eq!(answer["subtype"], "success");
    stage.allow(&ask).await;
    stage.result().await;
    assert!(stage.dir.path().join("one").exists() && !stage.dir.path().join("two").exists());
    assert!(stage.sent(5)["messages"].to_string().contains("no three"));
    stage.end_crew().await;
}
