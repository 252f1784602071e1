//! Control requests of the host. Every request gets exactly one response.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use sluice_engine::Input;
use sluice_simulator::{Reply, Script};
use sluice_wire::mode::PermissionMode;

use crate::asks::touching;
use crate::stage::Stage;

fn raw(fields: Value) -> Value {
    crate::stage::with(json!({"type": "control_request"}), fields)
}

#[tokio::test]
async fn set_model_applies_to_the_next_request() {
    let mut stage = Stage::begin(touching("touch made")).await;
    stage.prompt("touch").await;
    let ask = stage.ask().await;
    let answer = stage.control(json!({"subtype": "set_model", "model": "sonnet"})).await;
    let model = answer["response"]["model"].as_str().unwrap().to_owned();
    assert_eq!(model, "claude-sonnet-5-5");
    stage.allow(&ask).await;
    assert_eq!(
        stage.turn().await,
        "init assistant:tool_use ask:Bash replay ok user:tool_result assistant:text result:success"
    );
    let told = stage.last("replay")["message"]["content"].as_str().unwrap().to_owned();
    assert_eq!(
        told,
        "<local-command-stdout>Set model to `sonnet (claude-sonnet-5-5)`</local-command-stdout>"
    );
    assert_eq!(stage.sent(1)["model"], "claude-opus-5-5");
    assert_eq!(stage.sent(2)["model"], "claude-sonnet-5-5");
    stage.prompt("next").await;
    stage.turn().await;
    assert_eq!(stage.last("init")["model"], "claude-sonnet-5-5");
    // Both models are in the usage.
    let usage = stage.last("result:success")["modelUsage"].as_object().unwrap();
    assert_eq!(usage.len(), 2);
    stage.end().await;
}

#[tokio::test]
async fn set_model_accepts_any_name() {
    let mut stage = Stage::begin(Script::new()).await;
    for (name, resolved) in [
        (json!("claude-sonnet-4-5"), "claude-sonnet-4-5"),
        (json!("nonsense"), "nonsense"),
        (json!("default"), "claude-opus-5-5"),
        (json!(null), "claude-opus-5-5"),
    ] {
        let answer = stage.control(json!({"subtype": "set_model", "model": name})).await;
        assert_eq!(answer["response"]["model"], resolved);
    }
    // The conversation is empty, so no note is added.
    assert_eq!(stage.told(), "ok ok ok ok");
    for (name, code) in [(json!(""), "catalog_unknown"), (json!(5), "invalid_request")] {
        let answer = stage.control(json!({"subtype": "set_model", "model": name})).await;
        assert_eq!(
            (&answer["error_code"], &answer["model"]),
            (&json!(code), &json!("claude-opus-5-5"))
        );
    }
    stage.end().await;
}

#[tokio::test]
async fn valid_permission_modes_are_accepted() {
    let mut stage = Stage::begin(Script::new().text("Hello")).await;
    for mode in ["acceptEdits", "plan", "dontAsk", "default"] {
        let answer = stage
            .control(json!({"subtype": "set_permission_mode", "mode": mode}))
            .await;
        assert_eq!(answer["response"], json!({"mode": mode}));
        assert_eq!(stage.told(), "ok");
        assert_eq!(stage.next().await["permissionMode"], mode);
        stage.told();
    }
    // Selecting the same mode again is not a change.
    let answer = stage
        .control(json!({"subtype": "set_permission_mode", "mode": "manual"}))
        .await;
    assert_eq!(answer["response"], json!({"mode": "default"}));
    stage.silent().await;
    stage
        .control(json!({"subtype": "set_permission_mode", "mode": "plan"}))
        .await;
    stage.prompt("hi").await;
    stage.turn().await;
    assert_eq!(stage.last("init")["permissionMode"], "plan");
    stage.end().await;
}

#[tokio::test]
async fn invalid_permission_modes_are_rejected() {
    let mut stage = Stage::begin(Script::new().text("Hello")).await;
    for mode in [json!("bogus"), json!("delegate"), json!("")] {
        let answer = stage
            .control(json!({"subtype": "set_permission_mode", "mode": mode}))
            .await;
        assert_eq!(answer["subtype"], "error", "{mode}");
        assert_eq!(answer["error_code"], "invalid_mode", "{mode}");
    }
    let missing = stage.control(json!({"subtype": "set_permission_mode"})).await;
    assert_eq!(missing["error_code"], "invalid_mode");
    stage.prompt("hi").await;
    stage.turn().await;
    assert_eq!(stage.last("init")["permissionMode"], "default");
    stage.end().await;
}

#[tokio::test]
async fn bypass_mode_requires_launch_option() {
    let bypass = json!({"subtype": "set_permission_mode", "mode": "bypassPermissions"});
    let mut stage = Stage::begin(Script::new()).await;
    let answer = stage.control(bypass.clone()).await;
    assert_eq!(answer["error_code"], "bypass_not_launched");
    stage.end().await;

    let mut stage = Stage::with(touching("touch made"), |options| {
        options.permissions.bypass_launched = true;
    })
    .await;
    let answer = stage.control(bypass).await;
    assert_eq!(answer["response"], json!({"mode": "bypassPermissions"}));
    stage.prompt("touch").await;
    assert_eq!(
        stage.turn().await,
        "ok mode:bypassPermissions init assistant:tool_use user:tool_result assistant:text result:success"
    );
    stage.end().await;
}

#[tokio::test]
async fn mode_changed_during_request_applies_to_next_call() {
    let script = Script::new()
        .reply(Reply::tool("Bash", json!({"command": "touch one"})).and_tool("Bash", json!({"command": "touch two"})))
        .text("Done");
    let mut stage = Stage::begin(script).await;
    stage.prompt("touch").await;
    let ask = stage.ask().await;
    stage
        .control(json!({"subtype": "set_permission_mode", "mode": "acceptEdits"}))
        .await;
    stage.allow(&ask).await;
    let told = stage.turn().await;
    assert_eq!(told.matches("ask:").count(), 1, "{told}");
    assert!(stage.dir.path().join("two").exists());
    stage.end().await;
}

#[tokio::test]
async fn thinking_budget_can_be_changed() {
    let script = Script::new().reply(Reply::text("Hello").repeat());
    let mut stage = Stage::with(script, |options| options.model.name = Some("claude-sonnet-4-5".into())).await;
    let mut sent = Vec::new();
    for tokens in [json!(2048), json!(0), json!(null)] {
        let answer = stage
            .control(json!({"subtype": "set_max_thinking_tokens", "max_thinking_tokens": tokens}))
            .await;
        assert_eq!(answer["subtype"], "success");
        assert!(answer.get("response").is_none());
        stage.prompt("hi").await;
        stage.turn().await;
        sent.push(stage.sent(sent.len() + 1)["thinking"].clone());
    }
    assert_eq!(sent[0], json!({"type": "enabled", "budget_tokens": 2048}));
    assert_eq!(sent[1], Value::Null);
    assert_eq!(sent[2]["type"], "enabled");
    let refused = stage
        .control(json!({"subtype": "set_max_thinking_tokens", "max_thinking_tokens": 1.5}))
        .await;
    assert_eq!(refused["subtype"], "error");
    stage.end().await;
}

#[tokio::test]
async fn adaptive_thinking_cannot_be_disabled() {
    let mut stage = Stage::begin(Script::new().text("Hello")).await;
    stage
        .control(json!({"subtype": "set_max_thinking_tokens", "max_thinking_tokens": 0}))
        .await;
    stage.prompt("hi").await;
    stage.turn().await;
    assert_eq!(stage.sent(1)["thinking"], json!({"type": "adaptive"}));
    stage.end().await;
}

#[tokio::test]
async fn unknown_request_is_answered_with_an_error() {
    let mut stage = Stage::begin(Script::new()).await;
    for subtype in ["make_coffee", "can_use_tool", "hook_callback", "elicitation"] {
        let answer = stage.control(json!({"subtype": subtype})).await;
        assert_eq!(answer["subtype"], "error", "{subtype}");
    }
    let answer = stage.control(json!({"subtype": "make_coffee"})).await;
    assert_eq!(answer["error_code"], "unsupported_request");
    assert_eq!(answer["error"], "Unsupported control request subtype: make_coffee");
    stage.end().await;
}

#[tokio::test]
async fn response_contains_the_request_id() {
    let mut stage = Stage::begin(Script::new()).await;
    let interrupt = json!({"subtype": "interrupt"});
    stage.send(&[raw(json!({"request_id": 7, "request": interrupt}))]).await;
    assert_eq!(stage.next().await["response"]["request_id"], json!(7));
    stage.send(&[raw(json!({"request": interrupt}))]).await;
    let answer = stage.next().await;
    assert!(answer["response"].get("request_id").is_none(), "{answer}");
    assert_eq!(answer["response"]["subtype"], "success");
    stage.send(&[raw(json!({"request_id": "empty"}))]).await;
    let answer = stage.next().await;
    assert_eq!(answer["response"]["request_id"], "empty");
    assert_eq!(answer["response"]["subtype"], "error");
    stage.end().await;
}

#[tokio::test]
async fn initialize_can_be_sent_twice() {
    let mut stage = Stage::begin(touching("touch made")).await;
    let first = stage.control(json!({"subtype": "initialize"})).await;
    assert_eq!(stage.told(), "ok");
    let response = &first["response"];
    assert_eq!(response["current_permission_mode"], "default");
    assert_eq!(response["session_state"], "idle");
    assert_eq!(response["pid"], std::process::id());
    assert!(response["models"].as_array().unwrap().len() > 1);
    assert!(
        response["capabilities"]
            .as_array()
            .unwrap()
            .contains(&json!("msg_lifecycle_v1"))
    );
    assert_eq!(first["pending_permission_requests"], json!([]));

    stage.prompt("touch").await;
    let ask = stage.ask().await;
    stage.told();
    // A host that attaches again receives open requests and running tasks.
    let second = stage.control(json!({"subtype": "initialize"})).await;
    let open = &second["pending_permission_requests"];
    assert_eq!(open[0]["request_id"], ask["request_id"]);
    assert_eq!(open[0]["request"]["tool_use_id"], ask["request"]["tool_use_id"]);
    stage.until("background:0").await;
    stage.allow(&ask).await;
    stage.result().await;
    assert!(stage.dir.path().join("made").exists());
    stage.end().await;
}

#[tokio::test]
async fn initialize_replaces_the_system_prompt() {
    let mut stage = Stage::begin(Script::new().text("Hello")).await;
    stage
        .control(json!({"subtype": "initialize", "systemPrompt": "Be a poet.", "appendSystemPrompt": "Be brief."}))
        .await;
    stage.prompt("hi").await;
    stage.turn().await;
    let system = stage.sent(1)["system"].clone();
    let texts: Vec<&Value> = system.as_array().unwrap().iter().map(|it| &it["text"]).collect();
    assert_eq!(texts, ["Be a poet.", "Be brief."]);
    stage.end().await;
}

#[tokio::test]
async fn environment_updates_reach_commands() {
    let script = Script::new()
        .tool("Bash", json!({"command": "echo $GREETING"}))
        .text("Done");
    let mut stage = Stage::with(script, |options| {
        std::sync::Arc::make_mut(&mut options.env).push(("GREETING".into(), "old".into()));
        options.permissions.allowed = vec!["Bash".into()];
    })
    .await;
    let line = json!({"type": "update_environment_variables", "variables": {"GREETING": "welcome"}});
    stage.send(&[line]).await;
    stage.silent().await;
    stage.prompt("greet").await;
    stage.turn().await;
    assert_eq!(stage.last("user:tool_result")["tool_use_result"]["stdout"], "welcome");
    stage.end().await;
}

#[tokio::test]
async fn messages_without_response_are_ignored() {
    let mut stage = Stage::begin(Script::new()).await;
    stage.send(&[json!({"type": "keep_alive"})]).await;
    stage
        .send(&[json!({"type": "control_cancel_request", "request_id": "x"})])
        .await;
    stage.silent().await;
    stage.end().await;
}

#[tokio::test]
async fn invalid_line_is_reported_and_skipped() {
    let mut stage = Stage::begin(Script::new().reply(Reply::text("one two").gate_each("word"))).await;
    stage.prompt("hi").await;
    stage.gate("word").reached().await;
    stage.put(vec![Input::Bad("Skipped a line.".into())]).await;
    let report = stage.until("info").await;
    assert_eq!(
        (&report["content"], &report["level"]),
        (&json!("Skipped a line."), &json!("warning"))
    );
    stage.gate("word").open();
    assert_eq!(stage.turn().await, "init info assistant:text result:success");
    assert_eq!(stage.end().await, 0);
}

#[tokio::test]
async fn requests_are_answered_during_a_response() {
    let script = Script::new().reply(Reply::text("one two").gate_each("word"));
    let mut stage = Stage::begin(script).await;
    stage.prompt("hi").await;
    stage.gate("word").reached().await;
    let models = stage.control(json!({"subtype": "list_models"})).await;
    assert!(models["response"]["models"].as_array().unwrap().len() > 1);
    let version = stage.control(json!({"subtype": "get_binary_version"})).await;
    assert_eq!(version["response"]["version"], sluice_engine::PROTOCOL_VERSION);
    stage.gate("word").open();
    assert_eq!(stage.turn().await, "init ok ok assistant:text result:success");
    stage.end().await;
}

#[tokio::test]
async fn cancelled_request_is_answered_as_cancelled() {
    let script = Script::new()
        .text("First")
        .reply(Reply::text("Aside").gate_head("aside"))
        .text("Next");
    let mut stage = Stage::begin(script).await;
    stage.prompt("one").await;
    stage.turn().await;
    let id = stage
        .request(json!({"subtype": "side_question", "question": "well?"}))
        .await;
    stage.gate("aside").reached().await;
    stage
        .send(&[json!({"type": "control_cancel_request", "request_id": id})])
        .await;
    let answer = stage.until("error").await;
    assert_eq!(answer["response"]["request_id"], *id);
    stage.gate("aside").open();
    stage.prompt("two").await;
    assert_eq!(stage.result().await["result"], "Next");
    stage.leave_now().await;
}

#[tokio::test]
async fn invalid_agent_definition_does_not_fail_initialize() {
    let mut stage = Stage::begin(Script::new().text("Hello")).await;
    let agents = json!({"bad": {"description": "no prompt"}, "good": {"description": "d", "prompt": "You are good."}});
    let answer = stage.control(json!({"subtype": "initialize", "agents": agents})).await;
    assert_eq!(answer["subtype"], "success");
    stage.prompt("hi").await;
    stage.result().await;
    let names = stage.last("init")["agents"].as_array().unwrap().clone();
    assert!(
        names.contains(&json!("good")) && !names.contains(&json!("bad")),
        "{names:?}"
    );
    let told = stage.last("info")["content"].as_str().unwrap().to_owned();
    assert!(told.contains("bad") && told.contains("prompt"), "{told}");
    stage.end().await;
}

#[tokio::test]
async fn background_tasks_can_be_disabled() {
    let script = Script::new()
        .tool("Bash", json!({"command": "touch made", "run_in_background": true}))
        .text("Done");
    let mut stage = Stage::with(script, |options| {
        options.agents.never_in_background = true;
        options.permissions.allowed = vec!["Bash".into()];
    })
    .await;
    stage.prompt("go").await;
    stage.result().await;
    assert!(stage.all("task_started").is_empty());
    let told = stage.last("user:tool_error")["message"]["content"][0]["content"].clone();
    assert!(told.as_str().unwrap().contains("run_in_background"), "{told}");
    assert!(!stage.dir.path().join("made").exists());
    let tools = stage.sent(1)["tools"].as_array().unwrap().clone();
    let bash = tools.iter().find(|tool| tool["name"] == "Bash").unwrap();
    assert_eq!(bash["input_schema"]["properties"].get("run_in_background"), None);
    stage.end().await;
}

#[tokio::test]
async fn opusplan_uses_different_models_for_planning() {
    let script = Script::new().text("A plan").text("Done").text("Another");
    let mut stage = Stage::with(script, |options| {
        options.model.name = Some("opusplan".into());
        options.permissions.mode = Some(PermissionMode::Plan);
    })
    .await;
    stage.prompt("plan it").await;
    stage.result().await;
    stage
        .control(json!({"subtype": "set_permission_mode", "mode": "default"}))
        .await;
    stage.prompt("do it").await;
    stage.result().await;
    stage.control(json!({"subtype": "set_model", "model": "haiku"})).await;
    stage
        .control(json!({"subtype": "set_permission_mode", "mode": "plan"}))
        .await;
    stage.prompt("plan more").await;
    stage.result().await;
    let asked = [1, 2, 3].map(|number| stage.sent(number)["model"].as_str().unwrap().to_owned());
    let meant = ["opus", "sonnet", "haiku"].map(|name| sluice_model::Names::default().resolve(Some(name)));
    assert_eq!(asked, meant);
    stage.end().await;
}
