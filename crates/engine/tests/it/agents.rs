//! Subagents: messages to the host, what they receive, and what is saved.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use sluice_simulator::{Reply, Script};

use crate::bell::Bell;
use crate::stage::Stage;

/// Input of a call that starts a subagent with `prompt`.
pub(crate) fn agent(prompt: &str, more: Value) -> Value {
    let mut input = json!({"description": "do it", "prompt": prompt});
    let Value::Object(more) = more else {
        panic!("fields are an object")
    };
    input.as_object_mut().unwrap().extend(more);
    input
}

pub(crate) fn waited(prompt: &str) -> Value {
    agent(prompt, json!({"run_in_background": false}))
}

fn tool_names(body: &Value) -> Vec<&str> {
    let tools = body["tools"].as_array().unwrap().iter();
    tools.map(|tool| tool["name"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn a_call_that_waits_gives_the_report() {
    let script = Script::new()
        .tool("Agent", waited("SUB find it"))
        .reply(Reply::text("Looking").and_tool("Bash", json!({"command": "echo inside", "description": "run"})))
        .text("Found")
        .text("Done");
    let mut stage = Stage::begin(script).await;
    stage.prompt("go").await;
    assert_eq!(
        stage.turn().await,
        "init assistant:tool_use task_started notice task_progress assistant:tool_use user:tool_result task_updated \
         task:completed user:tool_result assistant:text result:success"
    );
    let started = stage.last("task_started").clone();
    assert_eq!(started["task_type"], "local_agent");
    assert_eq!(
        (&started["is_backgrounded"], &started["spawn_depth"]),
        (&json!(false), &json!(1))
    );
    assert_eq!(started["prompt"], "SUB find it");
    let call = started["tool_use_id"].clone();
    for theirs in stage.heard.iter().filter(|it| it["agent_id"].is_string()) {
        assert_eq!(theirs["parent_tool_use_id"], call);
        assert_eq!(theirs["agent_id"], started["task_id"]);
        assert_eq!(theirs["subagent_type"], "general-purpose");
        assert_eq!(theirs["task_description"], "do it");
        assert!(theirs.get("tool_use_result").is_none(), "{theirs}");
    }
    let progress = stage.last("task_progress");
    assert_eq!(
        (&progress["description"], &progress["last_tool_name"]),
        (&json!("Running run"), &json!("Bash"))
    );
    let result = &stage.last("user:tool_result")["tool_use_result"];
    assert_eq!(result["status"], "completed");
    assert_eq!(
        (&result["agentId"], &result["toolsUsed"]),
        (&started["task_id"], &json!(["Bash"]))
    );
    assert_eq!(result["content"][1]["text"], "Found");
    assert_eq!(result["totalToolUseCount"], 1);
    let end = stage.last("result:success").clone();
    let stats = &end["subagent_stats"];
    assert_eq!(
        (&stats["spawned"], &stats["completed"], &stats["max_depth"]),
        (&json!(1), &json!(1), &json!(1))
    );
    assert_eq!(
        (&stats["requested"]["foreground"], &stats["by_type"]["general-purpose"]),
        (&json!(1), &json!(1))
    );
    assert_eq!(end["num_turns"], 2);
    // Four responses in one account, two of them of the session itself.
    let used: u64 = end["modelUsage"]
        .as_object()
        .unwrap()
        .values()
        .map(|it| it["inputTokens"].as_u64().unwrap())
        .sum();
    assert_eq!(used, 2 * end["usage"]["input_tokens"].as_u64().unwrap());

    let beside = stage
        .dir
        .path()
        .join("home/projects/stage/11111111-2222-4333-8444-555555555555/subagents");
    let id = started["task_id"].as_str().unwrap();
    let kept = std::fs::read_to_string(beside.join(format!("agent-{id}.jsonl"))).unwrap();
    for line in kept.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        assert_eq!(
            (&line["isSidechain"], &line["agentId"]),
            (&json!(true), &started["task_id"])
        );
    }
    let meta = std::fs::read_to_string(beside.join(format!("agent-{id}.meta.json"))).unwrap();
    let meta: Value = serde_json::from_str(&meta).unwrap();
    assert_eq!(
        (&meta["toolUseId"], &meta["agentType"]),
        (&call, &json!("general-purpose"))
    );
    assert_eq!(meta["finished"], true);
    let journal = std::fs::read_to_string(stage.last("task:completed")["output_file"].as_str().unwrap()).unwrap();
    assert!(journal.contains("Looking") && journal.contains("Found"), "{journal}");
    assert_eq!(stage.end_crew().await, 0);
}

#[tokio::test]
async fn one_that_is_not_waited_for_is_told_in_a_turn_of_its_own() {
    let script = Script::new()
        .reply(Reply::tool("Agent", agent("SUB later", json!({}))).when("go"))
        .reply(Reply::text("Sub answer").gate_head("sub").when("SUB later"))
        .reply(Reply::text("Noted").when("task-notification"))
        .reply(Reply::text("Launched"));
    let mut stage = Stage::begin(script).await;
    stage.prompt("go").await;
    assert_eq!(
        stage.turn().await,
        "init assistant:tool_use background:1 task_started user:tool_result assistant:text result:success"
    );
    let launched = stage.last("user:tool_result")["tool_use_result"].clone();
    assert_eq!(
        (&launched["status"], &launched["isAsync"]),
        (&json!("async_launched"), &json!(true))
    );
    let listed = stage.last("background:1")["tasks"][0].clone();
    assert_eq!(
        (&listed["task_type"], &listed["subagent_type"]),
        (&json!("local_agent"), &json!("general-purpose"))
    );
    stage.gate("sub").open();
    assert_eq!(
        stage.turn().await,
        "assistant:text task_updated task:completed background:0 init assistant:text result:success"
    );
    assert_eq!(stage.last("task:completed")["summary"], "Sub answer");
    let origin = &stage.last("result:success")["origin"];
    assert_eq!(
        (&origin["kind"], &origin["runId"]),
        (&json!("task-notification"), &listed["run_id"])
    );
    assert!(stage.said_to_model(4)[0].contains("Sub answer"));
    assert_eq!(stage.end_crew().await, 0);
}

#[tokio::test]
async fn the_end_of_the_input_waits_for_it() {
    let script = Script::new()
        .reply(Reply::tool("Agent", agent("SUB later", json!({}))).when("go"))
        .reply(Reply::text("Sub answer").gate_head("sub").when("SUB later"))
        .reply(Reply::text("Noted").when("task-notification"))
        .reply(Reply::text("Launched"));
    let mut stage = Stage::begin(script).await;
    stage.prompt("go").await;
    stage.turn().await;
    stage.eof().await;
    stage.gate("sub").reached().await;
    stage.gate("sub").open();
    stage.hear_out().await;
    assert_eq!(
        stage.told(),
        "assistant:text task_updated task:completed background:0 init assistant:text result:success"
    );
    assert_eq!(stage.end_crew().await, 0);
}

#[tokio::test]
async fn words_are_shown_only_where_they_are_wanted() {
    for forward in [false, true] {
        let script = Script::new()
            .tool("Agent", waited("SUB"))
            .text("Sub answer")
            .text("Done");
        let mut stage = Stage::with(script, |options| options.agents.forward_text = forward).await;
        stage.prompt("go").await;
        let shown = if forward { "assistant:text " } else { "" };
        assert_eq!(
            stage.turn().await,
            format!(
                "init assistant:tool_use task_started notice {shown}task_updated task:completed user:tool_result \
                 assistant:text result:success"
            )
        );
        assert_eq!(stage.end_crew().await, 0);
    }
}

#[tokio::test]
async fn a_kind_has_its_own_words_tools_and_model() {
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
async fn what_is_denied_above_is_denied_below_and_a_kind_may_deny_more() {
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
async fn a_kind_nobody_knows_is_said_to_be_none() {
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
async fn a_denied_kind_is_neither_offered_nor_started() {
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
async fn several_work_side_by_side() {
    let script = Script::new()
        .reply(
            Reply::tool("Agent", waited("SUB one"))
                .and_tool("Agent", waited("SUB two"))
                .when("go"),
        )
        .reply(Reply::text("First").gate("first").when("SUB one"))
        .reply(Reply::text("Second").gate("second").when("SUB two"))
        .text("Done");
    let mut stage = Stage::begin(script).await;
    stage.prompt("go").await;
    stage.gate("first").reached().await;
    stage.gate("second").reached().await;
    stage.gate("second").open();
    stage.until("task:completed").await;
    stage.gate("first").open();
    stage.turn().await;
    let results = stage.all("user:tool_result");
    assert_eq!(results.len(), 2);
    assert!(results[0].to_string().contains("Second"));
    assert_eq!(stage.end_crew().await, 0);
}

#[tokio::test]
async fn one_may_start_another_and_no_deeper_than_allowed() {
    let nested = |n: usize| Reply::tool("Agent", waited(&format!("SUB {n}")));
    let mut script = Script::new();
    for n in 1..=5 {
        script = script.reply(nested(n));
    }
    // The fifth one has no Agent tool.
    script = script.reply(nested(6)).text("Deepest");
    for n in 0..5 {
        script = script.text(format!("Back {n}"));
    }
    let mut stage = Stage::begin(script).await;
    stage.prompt("go").await;
    stage.turn().await;
    let started: Vec<Value> = stage.all("task_started").into_iter().cloned().collect();
    let depths: Vec<u64> = started.iter().map(|it| it["spawn_depth"].as_u64().unwrap()).collect();
    assert_eq!(depths, [1, 2, 3, 4, 5]);
    for pair in started.windows(2) {
        assert_eq!(pair[1]["parent_task_id"], pair[0]["task_id"]);
    }
    // Hosts do not receive the results of a nested subagent.
    let told = stage.sent(7).to_string();
    assert!(told.contains("No such tool available: Agent"), "{told}");
    let stats = &stage.last("result:success")["subagent_stats"];
    assert_eq!(
        (&stats["spawned"], &stats["spawned_by_subagents"]),
        (&json!(5), &json!(4))
    );
    assert_eq!((&stats["max_depth"], &stats["completed"]), (&json!(5), &json!(5)));
    assert_eq!(stage.end_crew().await, 0);
}

#[tokio::test]
async fn its_commands_end_with_it() {
    let bell = Bell::hang().await;
    let script = Script::new()
        .tool("Agent", waited("SUB"))
        .reply(Reply::tool(
            "Bash",
            json!({"command": bell.command(), "description": "ring", "run_in_background": true}),
        ))
        .reply(Reply::text("Sub answer").gate("sub"))
        .text("Done");
    let mut stage = Stage::with(script, |options| options.permissions.allowed = vec!["Bash".into()]).await;
    stage.prompt("go").await;
    let mut caller = bell.rung().await;
    stage.gate("sub").reached().await;
    stage.gate("sub").open();
    caller.hung_up().await;
    let told = stage.turn().await;
    assert!(
        told.contains("background:1 task_started") && told.contains("task:stopped background:0"),
        "{told}"
    );
    let listed = stage
        .heard
        .iter()
        .filter(|it| it["subtype"] == "task_started")
        .nth(1)
        .unwrap();
    assert_eq!(listed["owned_by_subagent"], true);
    assert_eq!(stage.end_crew().await, 0);
}

#[tokio::test]
async fn broken_definitions_are_named_and_cost_nothing_else() {
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
async fn a_host_names_kinds_and_is_told_which_there_are() {
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
async fn a_kind_may_lead_the_session() {
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
async fn a_kind_that_the_host_names_may_lead_the_session() {
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

#[tokio::test]
async fn the_budget_is_one_for_all() {
    let script = Script::new()
        .tool("Agent", waited("SUB"))
        .reply(Reply::text("Sub answer").output_tokens(1_000_000))
        .text("never");
    let mut stage = Stage::with(script, |options| options.limits.max_budget_usd = Some(0.5)).await;
    stage.prompt("go").await;
    let result = stage.result().await;
    assert_eq!(result["subtype"], "error_max_budget_usd");
    assert!(result["total_cost_usd"].as_f64().unwrap() > 0.5);
    assert_eq!(stage.server.requests().len(), 2, "nobody is asked once it is gone");
    stage.leave_now().await;
}
