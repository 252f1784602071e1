//! Rules that are added while a permission request is open or a hook is running apply to every answer.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use sluice_engine::{Asker, Guarded, GuardedAnswer, GuardedCall, Options, Ran};
use sluice_simulator::{ModelServer, Reply, Script};
use tokio_util::sync::CancellationToken;

use crate::agents::foreground_agent;
use crate::asks::touching;
use crate::hooks_calls::{on, says};
use crate::stage::{self, Stage};

/// A session whose host has a callback for this event.
async fn with_callback(script: Script, event: &str) -> Stage {
    let mut stage = Stage::begin(script).await;
    let hooks = json!({event: [{"matcher": "Bash", "hookCallbackIds": ["cb"]}]});
    stage.control(json!({"subtype": "initialize", "hooks": hooks})).await;
    stage.told();
    stage
}

async fn forbid_touching(stage: &mut Stage) {
    let denies = json!({"permissions": {"deny": ["Bash(touch:*)"]}});
    stage
        .control(json!({"subtype": "apply_flag_settings", "settings": denies}))
        .await;
}

fn allows_beside_ask() -> Value {
    json!({"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": {"behavior": "allow"}}})
}

fn allows_before() -> Value {
    json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow"}})
}

/// A subagent that touches a file.
fn agent_touching() -> Script {
    Script::new()
        .tool("Agent", foreground_agent("SUB"))
        .reply(Reply::tool(
            "Bash",
            json!({"command": "touch made", "description": "t"}),
        ))
        .text("Sub answer")
        .text("Done")
}

fn made(stage: &Stage) -> bool {
    stage.dir.path().join("made").exists()
}

#[tokio::test]
async fn permission_request_hook_cannot_allow_a_call_denied_meanwhile() {
    let mut stage = with_callback(touching("touch made"), "PermissionRequest").await;
    stage.prompt("touch").await;
    let hook = stage.until("hook:cb").await;
    forbid_touching(&mut stage).await;
    stage.answer(&hook, allows_beside_ask()).await;
    assert_eq!(
        stage.turn().await,
        "init assistant:tool_use ask:Bash hook:cb ok cancel denied user:tool_error assistant:text result:success"
    );
    assert!(!made(&stage));
    stage.end().await;
}

#[tokio::test]
async fn pre_tool_use_hook_cannot_allow_a_call_denied_meanwhile() {
    let mut stage = with_callback(touching("touch made"), "PreToolUse").await;
    stage.prompt("touch").await;
    let hook = stage.until("hook:cb").await;
    forbid_touching(&mut stage).await;
    stage.answer(&hook, allows_before()).await;
    stage.result().await;
    assert_eq!((stage.all("user:tool_error").len(), made(&stage)), (1, false));
    stage.end().await;
}

#[tokio::test]
async fn rule_added_during_subagent_request_applies() {
    let mut stage = Stage::begin(agent_touching()).await;
    stage.prompt("go").await;
    let ask = stage.ask().await;
    forbid_touching(&mut stage).await;
    stage.allow(&ask).await;
    stage.result().await;
    assert!(!made(&stage));
    stage.end_crew().await;
}

#[tokio::test]
async fn rule_added_during_subagent_hooks_applies() {
    for (event, answer) in [
        ("PreToolUse", allows_before()),
        ("PermissionRequest", allows_beside_ask()),
    ] {
        let mut stage = with_callback(agent_touching(), event).await;
        stage.prompt("go").await;
        let hook = stage.until("hook:cb").await;
        forbid_touching(&mut stage).await;
        stage.answer(&hook, answer).await;
        stage.result().await;
        assert!(!made(&stage), "{event}");
        stage.end_crew().await;
    }
}

/// Adds a hook that allows a permission request with another command, for which a rule requires permission.
fn add_replacing_hook(options: &mut Options) {
    let decision = json!({"behavior": "allow", "updatedInput": {"command": "touch other"}});
    let says = says("PermissionRequest", json!({"decision": decision}));
    let hooks = on("PermissionRequest", &[&says]);
    let settings = json!({"permissions": {"ask": ["Bash(touch other)"]}, "hooks": hooks});
    options.settings.set_flag(settings.as_object().unwrap());
}

#[tokio::test]
async fn hook_cannot_approve_its_own_changed_input() {
    let mut stage = Stage::with(touching("touch made"), |options| {
        add_replacing_hook(options);
        options.permissions.asker = Asker::Nobody;
    })
    .await;
    stage.prompt("touch").await;
    stage.result().await;
    assert_eq!(stage.all("user:tool_error").len(), 1);
    assert!(!made(&stage) && !stage.dir.path().join("other").exists());
    stage.end().await;
}

#[tokio::test]
async fn hook_cannot_approve_its_own_changed_input_without_a_session() {
    let dir = tempfile::tempdir().unwrap();
    let server = ModelServer::start(Script::new()).await.unwrap();
    let mut options = stage::options(&dir, &server);
    add_replacing_hook(&mut options);
    let guarded = Guarded::new(options).unwrap();
    let call = GuardedCall {
        id: "call".to_owned(),
        tool: "Bash".to_owned(),
        input: json!({"command": "touch made"}),
        cancel: CancellationToken::new(),
    };
    let mut about = Value::Null;
    let ran = guarded
        .call(call, async |question| {
            about = question.input["command"].clone();
            GuardedAnswer::Deny("no".to_owned())
        })
        .await;
    assert_eq!((ran, about), (Ran::Denied("no".to_owned()), json!("touch made")));
    assert!(!dir.path().join("other").exists());
}
