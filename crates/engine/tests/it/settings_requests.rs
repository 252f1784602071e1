//! Control requests that change settings of the running session or of files.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use sluice_simulator::Script;

use crate::asks::touching;
use crate::stage::Stage;

#[tokio::test]
async fn flag_settings_apply_to_the_next_call() {
    let mut stage = Stage::begin(touching("touch made")).await;
    let rules = json!({"permissions": {"allow": ["Bash(touch:*)"]}, "model": "sonnet"});
    let answer = stage
        .control(json!({"subtype": "apply_flag_settings", "settings": rules}))
        .await;
    assert_eq!(answer["subtype"], "success");
    assert!(answer.get("response").is_none());
    stage.prompt("touch").await;
    assert_eq!(
        stage.turn().await,
        "ok init assistant:tool_use user:tool_result assistant:text result:success"
    );
    assert_eq!(stage.sent(1)["model"], "claude-sonnet-5-5");
    let answer = stage.control(json!({"subtype": "get_settings"})).await;
    assert_eq!(answer["response"]["effective"], rules);
    assert_eq!(
        answer["response"]["sources"],
        json!([{"source": "flagSettings", "settings": rules}])
    );
    assert_eq!(answer["response"]["applied"]["model"], "claude-sonnet-5-5");
    // `null` removes the override.
    stage
        .control(json!({"subtype": "apply_flag_settings", "settings": {"permissions": null, "model": null}}))
        .await;
    let answer = stage.control(json!({"subtype": "get_settings"})).await;
    assert_eq!(answer["response"]["effective"], json!({}));
    assert_eq!(answer["response"]["applied"]["model"], "claude-opus-5-5");
    let refused = stage
        .control(json!({"subtype": "apply_flag_settings", "settings": []}))
        .await;
    assert_eq!(refused["subtype"], "error");
    let shapes = json!({"permissions": 5, "model": "haiku"});
    let refused = stage
        .control(json!({"subtype": "apply_flag_settings", "settings": shapes}))
        .await;
    assert!(
        refused["error"].as_str().unwrap().ends_with(": permissions"),
        "{refused}"
    );
    let answer = stage.control(json!({"subtype": "get_settings"})).await;
    assert_eq!(answer["response"]["effective"], json!({}), "all of it or nothing");
    stage.end().await;
}

#[tokio::test]
async fn options_in_initialize_apply_to_the_session() {
    let script = Script::new()
        .tool("Shell", json!({"command": "echo routed"}))
        .text("Done");
    let mut stage = Stage::with(script, |options| {
        options.permissions.mode = Some(sluice_wire::mode::PermissionMode::Plan);
    })
    .await;
    let hello = json!({"subtype": "initialize", "title": "Blue", "toolAliases": {"Shell": "Bash", "Bash": "Read"},
        "excludeDynamicSections": true, "planModeInstructions": "Draw a map."});
    stage.control(hello).await;
    stage.until("session_title_changed").await;
    stage.prompt("go").await;
    stage.result().await;
    let outcome = &stage.last("user:tool_result")["message"]["content"][0]["content"];
    assert_eq!(*outcome, "routed", "an alias is followed once");
    let (body, said) = (stage.sent(1), stage.said_to_model(1).join("\n"));
    assert!(!body["system"].to_string().contains("Working directory"));
    assert!(
        said.contains("Working directory") && said.contains("Draw a map."),
        "{said}"
    );
    stage.end().await;
}

#[tokio::test]
async fn sandbox_enabled_later_applies_to_the_next_command() {
    let mut stage = Stage::with(touching("touch made"), |options| {
        options.permissions.allowed = vec!["Bash".into()];
    })
    .await;
    // An invalid sandbox configuration rejects all commands on every machine.
    let settings = json!({"sandbox": {"enabled": "perhaps"}});
    stage
        .control(json!({"subtype": "apply_flag_settings", "settings": settings}))
        .await;
    stage.prompt("touch").await;
    stage.result().await;
    stage.last("user:tool_error");
    assert!(!stage.dir.path().join("made").exists());
    stage.end().await;
}

#[tokio::test]
async fn effort_level_can_be_overridden_and_reset() {
    let mut stage = Stage::with(Script::new(), |options| options.model.effort = Some("low".into())).await;
    for (level, applied) in [(json!("high"), "high"), (json!(null), "low")] {
        stage
            .control(json!({"subtype": "apply_flag_settings", "settings": {"effortLevel": level}}))
            .await;
        let answer = stage.control(json!({"subtype": "get_settings"})).await;
        assert_eq!(answer["response"]["applied"]["effort"], applied);
    }
    stage.end().await;
}

#[tokio::test]
async fn update_settings_writes_allowed_keys_only() {
    let mut stage = Stage::begin(Script::new()).await;
    let written = |stage: &Stage| {
        let text = std::fs::read_to_string(stage.path("home/.claude/settings.json")).unwrap();
        serde_json::from_str::<Value>(&text).unwrap()
    };
    let update =
        |source: &str| json!({"subtype": "update_settings", "source": source, "settings": {"outputStyle": "Concise"}});
    let answer = stage.control(update("userSettings")).await;
    assert_eq!(answer["response"], json!({}));
    assert_eq!(written(&stage), json!({"outputStyle": "Concise"}));
    // The effort level is stored per model.
    let effort = json!({"subtype": "update_settings", "source": "userSettings", "settings": {"effortLevel": "low"}});
    assert_eq!(stage.control(effort).await["subtype"], "success");
    assert_eq!(
        written(&stage),
        json!({"outputStyle": "Concise", "modelSettings": {"claude-opus-5-5": {"effortLevel": "low"}}})
    );
    // Hosts cannot write settings that run programs or grant permissions.
    for settings in [
        json!({"hooks": {}}),
        json!({"permissions": {}}),
        json!({"model": "haiku"}),
    ] {
        let update = json!({"subtype": "update_settings", "source": "userSettings", "settings": settings});
        assert_eq!(stage.control(update).await["subtype"], "error");
    }
    for source in ["policySettings", "projectSettings"] {
        let answer = stage.control(update(source)).await;
        assert_eq!(answer["subtype"], "error", "{source}");
    }
    stage.end().await;
}
