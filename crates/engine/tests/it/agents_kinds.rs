//! Kinds of subagents: what a definition sets, where definitions come from, and which of them may be started.

use pretty_assertions::assert_eq;
use serde_json::json;
use sluice_simulator::{Reply, Script};

use crate::agents::{agent, tool_names};
use crate::stage::Stage;

#[tokio::test]
async fn kind_defines_prompt_tools_and_model() {
    let script = Script::new()
        .tool(
            "Task",
            agent("SUB", json!({"subagent_type": "looker", "run_in_background": false})),
        )
        .tool("Bash", json!({"command": "echo no"}))
        .text("Sub answer")
        .text("Done");
    let kinds = json!({"looker": {
        "description": "looks", "prompt": "You look.", "tools": ["Read", "Teleport"], "model": "sonnet", "maxTurns": 3,
        "permissionMode": "plan",
    }});
    let mut stage = Stage::with(script, |options| options.agents.given = Some(kinds.to_string())).await;
    stage.prompt("go").await;
    stage.turn().await;
    let (main, sub) = (stage.sent(1), stage.sent(2));
    assert!(tool_names(&main).contains(&"Agent"));
    assert!(main["tools"].to_string().contains("looker: looks"));
    assert_eq!(tool_names(&sub), ["Read"]);
    assert!(sub["system"].to_string().contains("You look."));
    assert!(!sub["system"].to_string().contains("You are Sluice"));
    assert!(sub["model"].as_str().unwrap().contains("sonnet"));
    assert_ne!(sub["model"], main["model"]);
    let refused = stage.all("user:tool_error");
    assert!(
        refused[0].to_string().contains("No such tool available: Bash"),
        "{refused:?}"
    );
    let init = stage.last("init");
    assert_eq!(
        init["agents"],
        json!([
            "claude",
            "Explore",
            "general-purpose",
            "looker",
            "Plan",
            "statusline-setup"
        ])
    );
    assert!(init["tools"].as_array().unwrap().contains(&json!("Task")));
    stage.leave_now().await;
}

#[tokio::test]
async fn subagent_inherits_deny_rules_and_kind_adds_more() {
    let script = Script::new()
        .tool(
            "Agent",
            agent("SUB", json!({"subagent_type": "k", "run_in_background": false})),
        )
        .reply(
            Reply::tool("Bash", json!({"command": "touch one"}))
                .and_tool("Write", json!({"file_path": "x", "content": ""})),
        )
        .text("Sub answer")
        .text("Done");
    let kinds = json!({"k": {"description": "d", "prompt": "p", "disallowedTools": ["Write"], "permissionMode": "bypassPermissions"}});
    let mut stage = Stage::with(script, |options| {
        options.agents.given = Some(kinds.to_string());
        options.permissions.disallowed = vec!["Bash(touch:*)".into()];
    })
    .await;
    stage.prompt("go").await;
    stage.turn().await;
    let errors: Vec<String> = stage.all("user:tool_error").iter().map(ToString::to_string).collect();
    assert!(
        errors
            .iter()
            .any(|error| error.contains("denied by the rule Bash(touch:*)")),
        "{errors:?}"
    );
    assert!(
        errors
            .iter()
            .any(|error| error.contains("No such tool available: Write")),
        "{errors:?}"
    );
    let denied = stage.last("denied");
    assert_eq!(denied["agent_id"], stage.last("task_started")["task_id"]);
    let denials = &stage.last("result:success")["permission_denials"];
    assert_eq!(denials[0]["tool_name"], "Bash");
    assert!(!stage.dir.path().join("one").exists());
    assert_eq!(stage.end_crew().await, 0);
}

#[tokio::test]
async fn unknown_kind_is_an_error() {
    let script = Script::new()
        .tool("Agent", agent("SUB", json!({"subagent_type": "nosuch"})))
        .text("Done");
    let mut stage = Stage::begin(script).await;
    stage.prompt("go").await;
    assert_eq!(
        stage.turn().await,
        "init assistant:tool_use user:tool_error assistant:text result:success"
    );
    let text = stage.last("user:tool_error").to_string();
    assert!(
        text.contains("Agent type 'nosuch' not found. Available agents: claude, Explore"),
        "{text}"
    );
    assert_eq!(stage.end_crew().await, 0);
}

#[tokio::test]
async fn denied_kind_is_not_offered_or_started() {
    let script = Script::new()
        .tool("Agent", agent("SUB", json!({"subagent_type": "Explore"})))
        .text("Done");
    let mut stage = Stage::with(script, |options| {
        options.permissions.disallowed = vec!["Agent(Explore)".into()];
    })
    .await;
    stage.prompt("go").await;
    stage.turn().await;
    assert!(!stage.sent(1)["tools"].to_string().contains("- Explore:"));
    assert!(
        stage
            .last("user:tool_error")
            .to_string()
            .contains("denied by permission rule")
    );
    assert!(stage.all("task_started").is_empty());
    assert_eq!(stage.end_crew().await, 0);
}

#[tokio::test]
async fn invalid_definitions_are_reported_and_skipped() {
    let script = Script::new()
        .tool(
            "Agent",
            agent("SUB", json!({"subagent_type": "good", "run_in_background": false})),
        )
        .text("Sub answer")
        .text("Done")
        .text("Again");
    let kinds = json!({"good": {"description": "d", "prompt": "p"}, "bad": {"prompt": "p"}});
    let mut stage = Stage::with(script, |options| options.agents.given = Some(kinds.to_string())).await;
    stage.prompt("go").await;
    let told = stage.turn().await;
    assert!(told.starts_with("init info assistant:tool_use task_started"), "{told}");
    assert!(
        stage.last("info")["content"]
            .as_str()
            .unwrap()
            .contains("The agent bad: `description` is missing")
    );
    stage.prompt("again").await;
    assert_eq!(stage.turn().await, "init assistant:text result:success");
    assert_eq!(stage.end_crew().await, 0);
}

#[tokio::test]
async fn host_defines_kinds_in_initialize() {
    let script = Script::new()
        .tool(
            "Agent",
            agent("SUB", json!({"subagent_type": "helper", "run_in_background": false})),
        )
        .text("Sub answer")
        .text("Done");
    let mut stage = Stage::begin(script).await;
    let agents = json!({"helper": {"description": "helps", "prompt": "You help.", "tools": ["Read"]}});
    let answer = stage.control(json!({"subtype": "initialize", "agents": agents})).await;
    let named = answer["response"]["agents"].as_array().unwrap();
    assert!(
        named
            .iter()
            .any(|it| it["name"] == "helper" && it["description"] == "helps")
    );
    stage.prompt("go").await;
    stage.turn().await;
    assert!(stage.sent(2)["system"].to_string().contains("You help."));
    assert_eq!(stage.last("task_started")["subagent_type"], "helper");
    assert_eq!(stage.end_crew().await, 0);
}

#[tokio::test]
async fn agent_definition_runs_the_main_session() {
    let kinds = json!({"lead": {"description": "d", "prompt": "You lead.", "tools": ["Read", "Agent(Explore)"]}});
    let script = Script::new()
        .tool("Agent", agent("SUB", json!({"subagent_type": "Plan"})))
        .text("Done");
    let mut stage = Stage::with(script, |options| {
        options.agents.given = Some(kinds.to_string());
        options.agents.lead = Some("lead".into());
    })
    .await;
    stage.prompt("go").await;
    stage.turn().await;
    let body = stage.sent(1);
    assert!(body["system"].to_string().contains("You lead."));
    assert_eq!(tool_names(&body), ["Read", "Agent"]);
    assert!(
        stage
            .last("user:tool_error")
            .to_string()
            .contains("'Plan' not found. Available agents: Explore")
    );
    assert_eq!(stage.end_crew().await, 0);

    let mut stage = Stage::with(Script::new(), |options| options.agents.lead = Some("nobody".into())).await;
    stage.prompt("go").await;
    let result = stage.result().await;
    assert!(
        result["errors"][0]
            .as_str()
            .unwrap()
            .contains("Agent type 'nobody' not found")
    );
    assert_eq!(stage.leave().await, 1);
}

#[tokio::test]
async fn host_defined_agent_runs_the_main_session() {
    for (said, prompt) in [(json!(""), "You are theirs."), (json!("The host's."), "The host's.")] {
        let mut stage = Stage::with(Script::new().text("Done"), |options| {
            options.agents.lead = Some("theirs".into());
        })
        .await;
        let kinds =
            json!({"theirs": {"description": "d", "prompt": "You are theirs.", "tools": ["Read"], "model": "haiku"}});
        let hello = json!({"subtype": "initialize", "agents": kinds, "systemPrompt": [said]});
        assert_eq!(stage.control(hello).await["subtype"], "success");
        stage.prompt("go").await;
        assert_eq!(stage.result().await["result"], "Done");
        let body = stage.sent(1);
        assert!(body["system"].to_string().contains(prompt));
        assert_eq!(
            (&body["model"], tool_names(&body)),
            (&json!("claude-haiku-5-5"), vec!["Read"])
        );
        stage.end().await;
    }
    let nobody = |options: &mut sluice_engine::Options| options.agents.lead = Some("nobody".into());
    let mut stage = Stage::with(Script::new().text("Alone"), nobody).await;
    stage.control(json!({"subtype": "initialize"})).await;
    stage.prompt("go").await;
    assert_eq!(stage.result().await["result"], "Alone");
    assert!(
        stage.last("info")["content"]
            .as_str()
            .unwrap()
            .contains("'nobody' not found")
    );
    assert_eq!(stage.end().await, 0);
}
