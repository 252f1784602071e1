//! Hooks on turns and sessions: prompts, ends, starts, settings and prompt hooks.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use sluice_simulator::{Reply, Script};

use crate::asks::touching;
use crate::hooks_calls::{hooked, on, says};
use crate::hooks_moments::{ECHO, hook_input};
use crate::stage::Stage;

/// Hooks that append the input of each event to a file.
fn hooks_that_log(events: &[&str]) -> Value {
    let line = "cat >> \"$CLAUDE_PROJECT_DIR/diary\"";
    let hooks = events.iter().map(|event| {
        let groups = json!([{"hooks": [{"type": "command", "command": line}]}]);
        ((*event).to_owned(), groups)
    });
    Value::Object(hooks.collect())
}

fn logged(stage: &Stage) -> Vec<Value> {
    let text = std::fs::read_to_string(stage.path("diary")).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn names(diary: &[Value]) -> Vec<&str> {
    diary
        .iter()
        .map(|hook_input| hook_input["hook_event_name"].as_str().unwrap())
        .collect()
}

#[tokio::test]
async fn events_of_a_session_are_raised_in_order() {
    let script = Script::new()
        .tool("Bash", json!({"command": "touch made"}))
        .tool("Bash", json!({"command": "ls nosuch"}))
        .text("Done");
    let events = [
        "SessionStart",
        "UserPromptSubmit",
        "PreToolUse",
        "PermissionRequest",
        "PostToolUse",
        "PostToolUseFailure",
        "PostToolBatch",
        "Stop",
    ];
    let mut stage = hooked(script, hooks_that_log(&events), |_| {}).await;
    stage.prompt("go").await;
    let ask = stage.ask().await;
    // Answer the permission request only after its hook has written.
    while logged(&stage)
        .last()
        .is_none_or(|hook_input| hook_input["hook_event_name"] != "PermissionRequest")
    {
        tokio::task::yield_now().await;
    }
    stage.allow(&ask).await;
    stage.turn().await;
    let diary = logged(&stage);
    assert_eq!(
        names(&diary),
        [
            "SessionStart",
            "UserPromptSubmit",
            "PreToolUse",
            "PermissionRequest",
            "PostToolUse",
            "PostToolBatch",
            "PreToolUse",
            "PostToolUseFailure",
            "PostToolBatch",
            "Stop"
        ]
    );
    for hook_input in &diary {
        assert_eq!(hook_input["session_id"], "11111111-2222-4333-8444-555555555555");
        assert_eq!(hook_input["cwd"], stage.dir.path().display().to_string());
        assert!(hook_input["transcript_path"].as_str().unwrap().ends_with(".jsonl"));
    }
    assert_eq!(diary[0]["source"], "startup");
    assert_eq!(diary[1]["prompt"], "go");
    assert_eq!(diary[2]["tool_name"], "Bash");
    assert_eq!(diary[4]["tool_response"]["interrupted"], false);
    assert_eq!(diary[5]["tool_calls"][0]["tool_name"], "Bash");
    assert!(diary[7]["error"].as_str().unwrap().contains("nosuch"));
    assert_eq!(
        (&diary[9]["stop_hook_active"], &diary[9]["last_assistant_message"]),
        (&json!(false), &json!("Done"))
    );
    stage.end().await;
}

#[tokio::test]
async fn session_end_hook_runs() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("end");
    let command = format!("cat > {}", file.display());
    let stage = hooked(Script::new(), on("SessionEnd", &[&command]), |_| {}).await;
    stage.end().await;
    let hook_input: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    assert_eq!(hook_input["reason"], "other");
}

#[tokio::test]
async fn stop_failure_hook_runs_after_api_error() {
    let mut stage = hooked(Script::new().error(400), on("StopFailure", &[ECHO]), |_| {}).await;
    stage.prompt("go").await;
    // The result of this hook is not awaited or used.
    let hook_input = hook_input(&stage.until("info").await);
    assert!(!hook_input["error"].as_str().unwrap().is_empty());
    assert!(hook_input["last_assistant_message"].as_str().unwrap().contains("400"));
    stage.end().await;
}

#[tokio::test]
async fn blocked_prompt_is_not_sent_or_stored() {
    for (command, reason) in [
        ("echo '{\"decision\": \"block\", \"reason\": \"secret\"}'", "secret"),
        ("echo secret >&2; exit 2", "secret"),
        ("echo '{\"continue\": false, \"stopReason\": \"secret\"}'", "secret"),
    ] {
        let mut stage = hooked(
            Script::new().text("hi"),
            on("UserPromptSubmit", &["grep -qv never || exit 0", command]),
            |_| {},
        )
        .await;
        stage.prompt("the password").await;
        assert_eq!(stage.turn().await, "init info result:success");
        let info = stage.last("info");
        assert_eq!(info["prompt_submit_outcome"]["reason"], reason);
        assert_eq!(stage.last("result:success")["result"], info["content"]);
        assert_eq!(stage.last("result:success")["num_turns"], 0);
        assert!(stage.server.requests().is_empty());
        let kept =
            std::fs::read_to_string(stage.path("home/projects/stage/11111111-2222-4333-8444-555555555555.jsonl"));
        assert!(!kept.unwrap_or_default().contains("the password"));
        stage.end().await;
    }
}

#[tokio::test]
async fn prompt_that_joins_a_turn_can_be_blocked() {
    let script = Script::new()
        .tool("Bash", json!({"command": "touch made"}))
        .text("Done");
    let gate = "grep -q forbidden && exit 2 || exit 0";
    let mut stage = hooked(script, on("UserPromptSubmit", &[gate]), |_| {}).await;
    stage.prompt("touch").await;
    let ask = stage.ask().await;
    stage.prompt("something forbidden").await;
    stage.allow(&ask).await;
    stage.turn().await;
    let said = stage.said_to_model(2).join("\n");
    assert!(!said.contains("forbidden"), "{said}");
    stage.end().await;
}

#[tokio::test]
async fn context_from_start_and_prompt_hooks_is_sent() {
    let mut hooks = on("UserPromptSubmit", &["echo it is noon"]);
    let start = says("SessionStart", json!({"additionalContext": "be brief"}));
    hooks
        .as_object_mut()
        .unwrap()
        .extend(on("SessionStart", &[&start]).as_object().unwrap().clone());
    let mut stage = hooked(Script::new().text("hi").text("again"), hooks, |_| {}).await;
    stage.until("hook_started").await;
    let ended = stage.until("hook_response").await;
    assert_eq!(
        (&ended["hook_name"], &ended["outcome"]),
        (&json!("SessionStart:startup"), &json!("success"))
    );
    stage.prompt("hello").await;
    stage.turn().await;
    let said = stage.said_to_model(1).join("\n");
    assert!(said.contains("it is noon") && said.contains("be brief"), "{said}");
    stage.prompt("more").await;
    stage.turn().await;
    assert!(!stage.said_to_model(2).join("\n").contains("be brief"));
    stage.end().await;
}

#[tokio::test]
async fn variables_set_by_start_hook_reach_commands() {
    let start = "echo 'export GREETING=\"hello there\"' >> \"$CLAUDE_ENV_FILE\"";
    let script = Script::new()
        .tool("Bash", json!({"command": "echo $GREETING"}))
        .text("Done");
    let mut stage = hooked(script, on("SessionStart", &[start]), |options| {
        options.permissions.allowed = vec!["Bash".into()];
    })
    .await;
    stage.prompt("go").await;
    stage.turn().await;
    assert_eq!(
        stage.last("user:tool_result")["message"]["content"][0]["content"],
        "hello there"
    );
    stage.end().await;
}

#[tokio::test]
async fn planted_environment_files_are_ignored() {
    let script = Script::new()
        .tool("Bash", json!({"command": "echo \"${GREETING-none}\""}))
        .text("Done");
    // Sandboxed commands may write to the output folder, so files in it are never executed.
    let mut stage = hooked(script, on("SessionStart", &["true"]), |options| {
        options.permissions.allowed = vec!["Bash".into()];
        std::fs::create_dir_all(&options.folders.outputs).unwrap();
        std::fs::write(options.folders.outputs.join("hook-env-1.sh"), "GREETING=planted").unwrap();
    })
    .await;
    stage.prompt("go").await;
    stage.turn().await;
    assert_eq!(
        stage.last("user:tool_result")["message"]["content"][0]["content"],
        "none"
    );
    stage.end().await;
}

#[tokio::test]
async fn stop_hook_can_continue_the_turn_a_limited_number_of_times() {
    let once = "grep -q '\"stop_hook_active\":true' || echo '{\"decision\": \"block\", \"reason\": \"tests fail\"}'";
    let mut stage = hooked(Script::new().text("one").text("two"), on("Stop", &[once]), |_| {}).await;
    stage.prompt("go").await;
    assert_eq!(
        stage.turn().await,
        "init assistant:text nudge notification assistant:text result:success"
    );
    let nudge = stage.last("nudge");
    assert_eq!(
        nudge["message"]["content"][0]["text"],
        "Stop hook feedback:\ntests fail"
    );
    stage.end().await;

    let mut stage = hooked(
        Script::new().reply(Reply::text("again").repeat()),
        on("Stop", &["echo no >&2; exit 2"]),
        |_| {},
    )
    .await;
    stage.prompt("go").await;
    stage.result().await;
    assert_eq!(stage.all("nudge").len(), 8);
    stage.end().await;
}

#[tokio::test]
async fn stop_hook_can_end_the_turn() {
    let halt = "echo '{\"continue\": false}'";
    let mut stage = hooked(Script::new().text("one"), on("Stop", &[halt]), |_| {}).await;
    stage.prompt("go").await;
    let result = stage.result().await;
    assert_eq!(
        (&result["terminal_reason"], &result["result"]),
        (&json!("stop_hook_prevented"), &json!("one"))
    );
    stage.end().await;
}

#[tokio::test]
async fn hook_events_are_sent_on_request() {
    let message = "echo '{\"systemMessage\": \"look here\"}'";
    let mut stage = hooked(touching("echo x"), on("PreToolUse", &[message]), |options| {
        options.host.hook_events = true;
    })
    .await;
    stage.prompt("go").await;
    assert_eq!(
        stage.turn().await,
        "init assistant:tool_use hook_started hook_response info user:tool_result assistant:text result:success"
    );
    assert_eq!(stage.last("info")["content"], "PreToolUse:Bash says: look here");
    let (started, ended) = (stage.last("hook_started"), stage.last("hook_response"));
    assert_eq!(started["hook_id"], ended["hook_id"]);
    assert_eq!(
        (&ended["exit_code"], &ended["hook_name"]),
        (&json!(0), &json!("PreToolUse:Bash"))
    );
    stage.end().await;
}

#[tokio::test]
async fn output_of_async_hook_is_added_later() {
    let context = says("PostToolUse", json!({"additionalContext": "late news"}));
    let hooks = json!({"PostToolUse": [{"hooks": [
        {"type": "command", "command": format!("{context}; touch \"$CLAUDE_PROJECT_DIR/ran\""), "async": true}]}]});
    let script = Script::new()
        .tool("Bash", json!({"command": "echo x"}))
        .text("Done")
        .text("More");
    let mut stage = hooked(script, hooks, |options| options.host.hook_events = true).await;
    stage.prompt("go").await;
    stage.result().await;
    while stage.all("hook_response").is_empty() {
        stage.next().await;
    }
    // Requests are answered in order, so the hook result has been handled.
    stage.control(json!({"subtype": "get_binary_version"})).await;
    stage.prompt("and").await;
    stage.result().await;
    let requests = stage.server.requests();
    assert!(requests.last().unwrap().body.to_string().contains("late news"));
    stage.end().await;
}

#[tokio::test]
async fn async_rewake_hook_starts_a_turn() {
    let hooks = json!({"PostToolUse": [{"hooks": [
        {"type": "command", "command": "echo the build broke >&2; exit 2", "asyncRewake": true}]}]});
    let script = Script::new()
        .tool("Bash", json!({"command": "echo x"}))
        .text("Done")
        .text("I see");
    let mut stage = hooked(script, hooks, |_| {}).await;
    stage.prompt("go").await;
    stage.result().await;
    stage.result().await;
    let requests = stage.server.requests();
    assert!(requests.last().unwrap().body.to_string().contains("the build broke"));
    stage.end().await;
}

#[tokio::test]
async fn prompt_hook_decides_about_the_end() {
    let script = Script::new()
        .text("I am done")
        .text("{\"ok\": false, \"reason\": \"run the tests\"}")
        .text("They pass")
        .text("{\"ok\": true}");
    let hooks = json!({"Stop": [{"hooks": [{"type": "prompt", "model": "opus",
        "prompt": "Did the tests run? $ARGUMENTS"}]}]});
    let mut stage = hooked(script, hooks, |_| {}).await;
    stage.prompt("go").await;
    let result = stage.result().await;
    assert_eq!(result["result"], "They pass");
    assert_eq!(
        stage.last("nudge")["message"]["content"][0]["text"],
        "Stop hook feedback:\nrun the tests"
    );
    assert!(stage.sent(2)["messages"].to_string().contains("Did the tests run?"));
    stage.leave_now().await;
}

#[tokio::test]
async fn config_change_hook_can_reject_settings() {
    let hooks = on(
        "ConfigChange",
        &["cat >> \"$CLAUDE_PROJECT_DIR/diary\"; echo no >&2; exit 2"],
    );
    let mut stage = hooked(Script::new(), hooks, |options| {
        let places = options.settings.places().clone();
        let chosen = sluice_engine::settings::Chosen {
            user: true,
            ..sluice_engine::settings::Chosen::NONE
        };
        let flag = options.settings.get(&sluice_settings::keys::HOOKS).cloned().unwrap();
        options.settings = sluice_engine::settings::Settings::load(&places, &chosen, None, None);
        options.settings.set_flag(json!({"hooks": flag}).as_object().unwrap());
    })
    .await;
    let update =
        json!({"subtype": "update_settings", "source": "userSettings", "settings": {"outputStyle": "Concise"}});
    stage.control(update).await;
    stage.until("info").await;
    assert_eq!(logged(&stage)[0]["source"], "user_settings");
    let answer = stage.control(json!({"subtype": "get_settings"})).await;
    assert_eq!(answer["response"]["effective"].get("outputStyle"), None);
    stage.end().await;
}

#[tokio::test]
async fn task_hooks_can_reject_creation_and_completion() {
    let script = || {
        Script::new()
            .tool("TaskCreate", json!({"subject": "paint", "description": "the fence"}))
            .tool("TaskUpdate", json!({"taskId": "1", "status": "completed"}))
            .tool("TaskList", json!({}))
            .text("Done")
    };
    let tools = |options: &mut sluice_engine::Options| {
        options.tools.offered = Some(["TaskCreate", "TaskUpdate", "TaskList"].map(str::to_owned).to_vec());
    };
    let mut stage = hooked(script(), on("TaskCreated", &["echo no tasks >&2; exit 2"]), tools).await;
    stage.prompt("go").await;
    stage.turn().await;
    let failure = &stage.all("user:tool_error")[0]["message"]["content"][0]["content"];
    assert!(failure.as_str().unwrap().contains("no tasks"), "{failure}");
    assert!(!stage.last("user:tool_result")["message"].to_string().contains("paint"));
    stage.end().await;

    let mut stage = hooked(script(), on("TaskCompleted", &["grep -q paint && exit 2"]), tools).await;
    stage.prompt("go").await;
    stage.turn().await;
    let listed = stage.last("user:tool_result")["message"].to_string();
    assert!(listed.contains("paint") && listed.contains("in_progress"), "{listed}");
    stage.end().await;
}

#[tokio::test]
async fn subagent_inherits_hooks_and_is_identified_in_events() {
    let script = Script::new()
        .tool(
            "Agent",
            json!({"description": "look", "prompt": "look around", "subagent_type": "general-purpose", "run_in_background": false}),
        )
        .tool("Bash", json!({"command": "echo inside"}))
        .text("seen")
        .text("Done");
    let events = ["SubagentStart", "PreToolUse", "SubagentStop", "Stop"];
    let mut stage = hooked(script, hooks_that_log(&events), |_| {}).await;
    stage.prompt("go").await;
    stage.result().await;
    let diary = logged(&stage);
    assert_eq!(
        names(&diary),
        ["PreToolUse", "SubagentStart", "PreToolUse", "SubagentStop", "Stop"]
    );
    assert_eq!(diary[1]["agent_type"], "general-purpose");
    assert_eq!(diary[2]["agent_id"], diary[1]["agent_id"]);
    assert_eq!(diary[2]["tool_name"], "Bash");
    assert_eq!(diary[3]["last_assistant_message"], "seen");
    assert_eq!(diary[4].get("agent_id"), None);
    stage.leave_now().await;
}

#[tokio::test]
async fn cwd_change_is_reported() {
    let script = Script::new().tool("Bash", json!({"command": "cd sub"})).text("Done");
    let hooks = hooks_that_log(&["CwdChanged", "InstructionsLoaded"]);
    let mut stage = hooked(script, hooks, |options| {
        options.permissions.allowed = vec!["Bash".into()];
    })
    .await;
    std::fs::create_dir(stage.path("sub")).unwrap();
    stage.prompt("go").await;
    stage.turn().await;
    while logged(&stage).is_empty() {
        stage.control(json!({"subtype": "get_binary_version"})).await;
    }
    let hook_input = &logged(&stage)[0];
    assert_eq!(hook_input["hook_event_name"], "CwdChanged");
    assert!(hook_input["new_cwd"].as_str().unwrap().ends_with("/sub"));
    stage.end().await;
}
