//! Hooks on turns and sessions: prompts, ends, starts, settings, HTTP hooks and prompt hooks.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use sluice_simulator::{Reply, Script};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use crate::asks::touching;
use crate::hooks_calls::{hooked, on, says};
use crate::hooks_moments::{ECHO, told};
use crate::stage::Stage;

/// Hooks that append the input of each event to a file.
fn diary(events: &[&str]) -> Value {
    let line = "cat >> \"$CLAUDE_PROJECT_DIR/diary\"";
    let hooks = events.iter().map(|event| {
        let groups = json!([{"hooks": [{"type": "command", "command": line}]}]);
        ((*event).to_owned(), groups)
    });
    Value::Object(hooks.collect())
}

fn written(stage: &Stage) -> Vec<Value> {
    let text = std::fs::read_to_string(stage.path("diary")).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn names(diary: &[Value]) -> Vec<&str> {
    diary
        .iter()
        .map(|told| told["hook_event_name"].as_str().unwrap())
        .collect()
}

#[tokio::test]
async fn every_event_of_a_session_is_told_in_its_order() {
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
    let mut stage = hooked(script, diary(&events), |_| {}).await;
    stage.prompt("go").await;
    let ask = stage.ask().await;
    // Answer the permission request only after its hook has written.
    while written(&stage)
        .last()
        .is_none_or(|told| told["hook_event_name"] != "PermissionRequest")
    {
        tokio::task::yield_now().await;
    }
    stage.allow(&ask).await;
    stage.turn().await;
    let diary = written(&stage);
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
    for told in &diary {
        assert_eq!(told["session_id"], "11111111-2222-4333-8444-555555555555");
        assert_eq!(told["cwd"], stage.dir.path().display().to_string());
        assert!(told["transcript_path"].as_str().unwrap().ends_with(".jsonl"));
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
async fn the_end_of_a_session_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("end");
    let command = format!("cat > {}", file.display());
    let stage = hooked(Script::new(), on("SessionEnd", &[&command]), |_| {}).await;
    stage.end().await;
    let told: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    assert_eq!(told["reason"], "other");
}

#[tokio::test]
async fn an_end_by_an_error_of_the_api_is_told() {
    let mut stage = hooked(Script::new().error(400), on("StopFailure", &[ECHO]), |_| {}).await;
    stage.prompt("go").await;
    // The result of this hook is not awaited or used.
    let told = told(&stage.until("info").await);
    assert!(!told["error"].as_str().unwrap().is_empty());
    assert!(told["last_assistant_message"].as_str().unwrap().contains("400"));
    stage.end().await;
}

#[tokio::test]
async fn a_refused_prompt_reaches_nobody() {
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
        let told = stage.last("info");
        assert_eq!(told["prompt_submit_outcome"]["reason"], reason);
        assert_eq!(stage.last("result:success")["result"], told["content"]);
        assert_eq!(stage.last("result:success")["num_turns"], 0);
        assert!(stage.server.requests().is_empty());
        let kept =
            std::fs::read_to_string(stage.path("home/projects/stage/11111111-2222-4333-8444-555555555555.jsonl"));
        assert!(!kept.unwrap_or_default().contains("the password"));
        stage.end().await;
    }
}

#[tokio::test]
async fn a_prompt_that_joins_a_turn_passes_the_same_gate() {
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
async fn what_hooks_say_at_the_start_and_to_a_prompt_reaches_the_model() {
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
async fn variables_set_at_the_start_hold_for_commands() {
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
async fn variables_are_taken_from_no_file_a_command_could_have_left() {
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
async fn a_hook_may_send_the_model_back_to_work_but_not_for_ever() {
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
async fn a_stop_hook_may_end_it_and_say_so() {
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
async fn hosts_that_asked_are_told_of_every_hook() {
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
async fn one_that_is_not_waited_for_is_heard_later() {
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
async fn one_whose_word_wakes_the_model_does() {
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
async fn a_server_answers_what_is_posted_to_it() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let served = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut request = Vec::new();
        let mut piece = [0; 4096];
        while !String::from_utf8_lossy(&request).contains("PreToolUse") {
            let count = stream.read(&mut piece).await.unwrap();
            request.extend_from_slice(&piece[..count]);
        }
        let body = json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny",
            "permissionDecisionReason": "by the server"}})
        .to_string();
        let answer = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len());
        stream.write_all(answer.as_bytes()).await.unwrap();
        String::from_utf8_lossy(&request).into_owned()
    });
    let hooks = json!({"PreToolUse": [{"hooks": [{"type": "http", "url": format!("http://127.0.0.1:{port}/hook"),
        "headers": {"X-Token": "$TOKEN $OTHER"}, "allowedEnvVars": ["TOKEN"]}]}]});
    let mut stage = hooked(touching("echo x"), hooks, |options| {
        std::sync::Arc::make_mut(&mut options.env).push(("TOKEN".into(), "t0ken".into()));
        std::sync::Arc::make_mut(&mut options.env).push(("OTHER".into(), "0ther".into()));
    })
    .await;
    stage.prompt("go").await;
    stage.turn().await;
    assert_eq!(
        stage.last("user:tool_error")["message"]["content"][0]["content"],
        "PreToolUse:Bash hook error: by the server"
    );
    let request = served.await.unwrap().to_lowercase();
    assert!(
        request.starts_with("post /hook") && request.contains("x-token: t0ken"),
        "{request}"
    );
    assert!(!request.contains("0ther"), "{request}");
    stage.end().await;
}

#[tokio::test]
async fn an_address_that_is_not_allowed_is_not_asked() {
    let settings = json!({"allowedHttpHookUrls": ["https://hooks.example/*"],
        "hooks": {"PreToolUse": [{"hooks": [{"type": "http", "url": "http://127.0.0.1:1/x", "onFailure": "block"}]}]}});
    let mut stage = Stage::with(touching("echo x"), |options| {
        options.settings.set_flag(settings.as_object().unwrap());
    })
    .await;
    stage.prompt("go").await;
    stage.turn().await;
    let told = stage.last("user:tool_error")["message"]["content"][0]["content"].to_string();
    assert!(told.contains("allowedHttpHookUrls"), "{told}");
    stage.end().await;
}

#[tokio::test]
async fn a_model_judges_the_end() {
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
async fn a_change_of_settings_may_be_objected_to() {
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
    assert_eq!(written(&stage)[0]["source"], "user_settings");
    let answer = stage.control(json!({"subtype": "get_settings"})).await;
    assert_eq!(answer["response"]["effective"].get("outputStyle"), None);
    stage.end().await;
}

#[tokio::test]
async fn a_task_may_not_be_noted_and_not_be_done() {
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
    let told = &stage.all("user:tool_error")[0]["message"]["content"][0]["content"];
    assert!(told.as_str().unwrap().contains("no tasks"), "{told}");
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
async fn a_subagent_has_the_hooks_above_it_and_is_told_of_as_one() {
    let script = Script::new()
        .tool(
            "Agent",
            json!({"description": "look", "prompt": "look around", "subagent_type": "general-purpose", "run_in_background": false}),
        )
        .tool("Bash", json!({"command": "echo inside"}))
        .text("seen")
        .text("Done");
    let events = ["SubagentStart", "PreToolUse", "SubagentStop", "Stop"];
    let mut stage = hooked(script, diary(&events), |_| {}).await;
    stage.prompt("go").await;
    stage.result().await;
    let diary = written(&stage);
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
async fn a_directory_that_changed_is_told() {
    let script = Script::new().tool("Bash", json!({"command": "cd sub"})).text("Done");
    let hooks = diary(&["CwdChanged", "InstructionsLoaded"]);
    let mut stage = hooked(script, hooks, |options| {
        options.permissions.allowed = vec!["Bash".into()];
    })
    .await;
    std::fs::create_dir(stage.path("sub")).unwrap();
    stage.prompt("go").await;
    stage.turn().await;
    while written(&stage).is_empty() {
        stage.control(json!({"subtype": "get_binary_version"})).await;
    }
    let told = &written(&stage)[0];
    assert_eq!(told["hook_event_name"], "CwdChanged");
    assert!(told["new_cwd"].as_str().unwrap().ends_with("/sub"));
    stage.end().await;
}
