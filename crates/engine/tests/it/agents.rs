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

pub(crate) fn foreground_agent(prompt: &str) -> Value {
    agent(prompt, json!({"run_in_background": false}))
}

pub(crate) fn tool_names(body: &Value) -> Vec<&str> {
    let tools = body["tools"].as_array().unwrap().iter();
    tools.map(|tool| tool["name"].as_str().unwrap()).collect()
}

/// Checks the transcript and the metadata of the subagent of this `task_started` message.
fn check_saved(stage: &Stage, started: &Value) {
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
        (&started["tool_use_id"], &json!("general-purpose"))
    );
    assert_eq!(meta["finished"], true);
}

#[tokio::test]
async fn foreground_call_returns_the_report() {
    let script = Script::new()
        .tool("Agent", foreground_agent("SUB find it"))
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

    check_saved(&stage, &started);
    let journal = std::fs::read_to_string(stage.last("task:completed")["output_file"].as_str().unwrap()).unwrap();
    assert!(journal.contains("Looking") && journal.contains("Found"), "{journal}");
    assert_eq!(stage.end_crew().await, 0);
}

#[tokio::test]
async fn end_of_background_subagent_starts_a_turn() {
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
async fn end_of_input_waits_for_background_task() {
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
async fn subagent_text_is_forwarded_only_on_request() {
    for forward in [false, true] {
        let script = Script::new()
            .tool("Agent", foreground_agent("SUB"))
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
async fn subagents_run_concurrently() {
    let script = Script::new()
        .reply(
            Reply::tool("Agent", foreground_agent("SUB one"))
                .and_tool("Agent", foreground_agent("SUB two"))
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
async fn nesting_depth_is_limited() {
    let nested = |n: usize| Reply::tool("Agent", foreground_agent(&format!("SUB {n}")));
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
async fn background_commands_end_with_their_subagent() {
    let bell = Bell::listen().await;
    let script = Script::new()
        .tool("Agent", foreground_agent("SUB"))
        .reply(Reply::tool(
            "Bash",
            json!({"command": bell.command(), "description": "ring", "run_in_background": true}),
        ))
        .reply(Reply::text("Sub answer").gate("sub"))
        .text("Done");
    let mut stage = Stage::with(script, |options| options.permissions.allowed = vec!["Bash".into()]).await;
    stage.prompt("go").await;
    let mut caller = bell.connected().await;
    stage.gate("sub").reached().await;
    stage.gate("sub").open();
    caller.ended().await;
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
async fn budget_is_shared_with_subagents() {
    let script = Script::new()
        .tool("Agent", foreground_agent("SUB"))
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
