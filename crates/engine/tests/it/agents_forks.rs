//! Commands that run in a subagent, skills and MCP servers of agents, and subagents of an earlier process.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use sluice_engine::settings::Opener;
use sluice_simulator::{Reply, Script};

use crate::agents::{agent, foreground_agent};
use crate::commands;
use crate::servers;
use crate::stage::Stage;

const FORK: &str = "---\nname: paint\ndescription: paints things\ncontext: fork\n---\nPaint it $ARGUMENTS.\n";

/// A session whose working folder contains these files.
async fn with_files(script: Script, files: &[(&str, &str)]) -> Stage {
    Stage::with(script, |options| {
        commands::with_files(options, files);
        options.settings = options.settings.clone().vouched_for();
    })
    .await
}

#[tokio::test]
async fn forked_command_returns_its_report() {
    let script = Script::new()
        .reply(Reply::tool("Bash", json!({"command": "echo hi"})).when("Paint it red"))
        .reply(Reply::text("Painted").when("hi"))
        .text("After");
    let mut stage = with_files(script, &[(".claude/commands/paint.md", FORK)]).await;
    stage.prompt("/paint red").await;
    assert_eq!(
        stage.turn().await,
        "task_started task:completed init notice assistant:tool_use user:tool_result assistant:text result:success"
    );
    let started = stage.last("task_started").clone();
    assert_eq!(
        (&started["description"], &started["ambient"]),
        (&json!("/paint"), &json!(true))
    );
    assert_eq!(started["prompt"], "Paint it red.\n");
    assert!(started.get("tool_use_id").is_none());
    let prompt = stage.last("notice");
    assert_eq!(prompt["parent_tool_use_id"], "forked-command-paint");
    assert_eq!(prompt["task_description"], "paints things");
    let end = stage.last("task:completed");
    assert_eq!(
        (&end["summary"], &end["skip_transcript"]),
        (&json!("/paint"), &json!(true))
    );
    let result = stage.last("result:success");
    assert_eq!(
        (&result["result"], &result["local_command"], &result["num_turns"]),
        (&json!("Painted"), &json!("custom"), &json!(0))
    );
    stage.prompt("then").await;
    stage.result().await;
    let said = stage.said_to_model(3).join("\n");
    assert!(said.contains("/paint red") && said.contains("Painted"), "{said}");
    assert!(!said.contains("Paint it red"), "{said}");
    assert_eq!(stage.end_crew().await, 0);
}

#[tokio::test]
async fn skill_invoked_by_the_model_runs_in_a_subagent() {
    let script = Script::new()
        .reply(Reply::tool("Skill", json!({"skill": "paint", "args": "red"})).when("go"))
        .reply(Reply::text("Painted").when("Paint it red"))
        .text("Done");
    let mut stage = with_files(script, &[(".claude/skills/paint/SKILL.md", FORK)]).await;
    stage.prompt("go").await;
    assert_eq!(
        stage.turn().await,
        "init assistant:tool_use task_started notice task:completed user:tool_result assistant:text result:success"
    );
    let call = stage.last("assistant:tool_use")["message"]["content"][0]["id"].clone();
    assert_eq!(stage.last("task_started")["tool_use_id"], call);
    assert_eq!(stage.last("notice")["parent_tool_use_id"], call);
    let result = &stage.last("user:tool_result")["tool_use_result"];
    assert_eq!(result["status"], "forked");
    assert_eq!(
        (&result["result"], &result["commandName"]),
        (&json!("Painted"), &json!("paint"))
    );
    assert_eq!(stage.end_crew().await, 0);
}

#[tokio::test]
async fn forked_command_uses_agent_model_and_rules_of_its_file() {
    let skill =
        "---\ndescription: d\ncontext: fork\nagent: Explore\nmodel: haiku\nallowed-tools: Bash(touch:*)\n---\nDo it.\n";
    let script = Script::new()
        .reply(Reply::tool("Bash", json!({"command": "touch made"})).when("Do it"))
        .text("Done");
    let mut stage = with_files(script, &[(".claude/commands/paint.md", skill)]).await;
    stage.prompt("/paint").await;
    stage.result().await;
    assert_eq!(stage.last("task_started")["subagent_type"], "Explore");
    assert!(stage.sent(1)["model"].as_str().unwrap().contains("haiku"));
    assert!(stage.dir.path().join("made").exists() || stage.dir.path().join("work/made").exists());
    assert!(!stage.last("init")["model"].as_str().unwrap().contains("haiku"));
    assert_eq!(stage.end_crew().await, 0);
}

#[tokio::test]
async fn interrupt_stops_forked_command() {
    let script = Script::new().reply(Reply::text("never").gate_head("sub"));
    let mut stage = with_files(script, &[(".claude/commands/paint.md", FORK)]).await;
    stage.prompt("/paint red").await;
    stage.gate("sub").reached().await;
    stage.interrupt().await;
    let told = stage.turn().await;
    assert!(told.contains("task:stopped"), "{told}");
    assert!(told.ends_with("result:error_during_execution!"), "{told}");
    stage.leave_now().await;
}

#[tokio::test]
async fn unknown_kind_is_replaced_by_the_general_one() {
    let skill = FORK.replace("context: fork", "context: fork\nagent: nobody");
    let script = Script::new().text("Painted").text("After");
    let mut stage = with_files(script, &[(".claude/commands/paint.md", &skill)]).await;
    stage.prompt("/paint red").await;
    assert_eq!(stage.result().await["result"], "Painted");
    assert_eq!(stage.last("task_started")["subagent_type"], "general-purpose");
    stage.prompt("then").await;
    assert_eq!(stage.result().await["result"], "After");
    assert_eq!(stage.end_crew().await, 0);
}

#[tokio::test]
async fn skills_of_kind_are_preloaded() {
    let files = [
        (
            ".claude/skills/paint/SKILL.md",
            "---\ndescription: paints\n---\nUse the big brush.\n",
        ),
        (
            ".claude/agents/p.md",
            "---\nname: p\ndescription: d\nskills: paint, nosuch\n---\nYou are P.\n",
        ),
    ];
    let script = Script::new()
        .tool(
            "Agent",
            agent("SUB", json!({"subagent_type": "p", "run_in_background": false})),
        )
        .text("Sub answer")
        .text("Done");
    let mut stage = with_files(script, &files).await;
    stage.prompt("go").await;
    stage.result().await;
    let said = stage.sent(2)["messages"].to_string();
    let (prompt, brush) = (said.find("SUB").unwrap(), said.find("Use the big brush.").unwrap());
    assert!(prompt < brush, "{said}");
    assert!(stage.last("info").to_string().contains("nosuch"));
    assert_eq!(stage.end_crew().await, 0);
}

#[tokio::test]
async fn unavailable_server_of_kind_is_reported() {
    let agents = json!({"p": {"description": "d", "prompt": "You are P.", "mcpServers": [
        {"gone": {"command": "/no/such/program"}}, {"odd": 3}, "unknown"]}});
    let script = Script::new()
        .tool(
            "Agent",
            agent("SUB", json!({"subagent_type": "p", "run_in_background": false})),
        )
        .text("Sub answer")
        .text("Done");
    let mut stage = Stage::begin(script).await;
    stage.control(json!({"subtype": "initialize", "agents": agents})).await;
    stage.prompt("go").await;
    assert_eq!(stage.result().await["result"], "Done");
    let told: Vec<String> = stage.all("info").iter().map(|it| it.to_string()).collect();
    assert!(
        told.iter().any(|it| it.contains("gone")) && told.iter().any(|it| it.contains("odd")),
        "{told:?}"
    );
    assert_eq!(stage.end_crew().await, 0);
}

/// Calls the tool of a server that only the kind `own` has, defined by the host or by a file.
async fn calls_its_own_server(by_host: bool) {
    let script = Script::new()
        .tool(
            "Agent",
            agent("SUB", json!({"subagent_type": "own", "run_in_background": false})),
        )
        .tool("mcp__mine__echo", json!({}))
        .text("Sub answer")
        .tool("mcp__mine__echo", json!({}))
        .text("Done");
    let mut given = Value::Null;
    let mut stage = Stage::with(script, |options| {
        let server = options.cwd.join("server.sh");
        given = json!({"own": {"description": "d", "prompt": "You.", "mcpServers": [
            {"mine": {"type": "stdio", "command": "bash", "args": [server]}}]}});
        let file = format!(
            "---\nname: own\ndescription: d\nmcpServers:\n  - mine:\n      type: stdio\n      command: bash\n      \
             args: [\"{}\"]\n---\nYou.\n",
            server.display()
        );
        let mut files = vec![("server.sh", servers::SERVER)];
        if !by_host {
            files.push((".claude/agents/own.md", &file));
        }
        commands::with_files(options, &files);
        options.settings = options.settings.clone().opened_by(Opener::Host);
        options.permissions.allowed = vec!["mcp__mine__echo".into()];
    })
    .await;
    if by_host {
        stage.control(json!({"subtype": "initialize", "agents": given})).await;
    }
    stage.prompt("go").await;
    assert_eq!(stage.result().await["result"], "Done");
    let results = stage.all("user:tool_result");
    assert_eq!(
        results[0]["parent_tool_use_id"],
        stage.last("task_started")["tool_use_id"]
    );
    assert!(results[0]["message"].to_string().contains("heard"), "{:?}", results[0]);
    // The server belongs to the subagent only.
    let refused = stage.last("user:tool_error").to_string();
    assert!(refused.contains("No such tool available: mcp__mine__echo"), "{refused}");
    assert_eq!(stage.end_crew().await, 0);
}

#[tokio::test]
async fn subagent_calls_server_defined_by_host() {
    calls_its_own_server(true).await;
}

#[tokio::test]
async fn subagent_calls_server_defined_by_file() {
    calls_its_own_server(false).await;
}

#[tokio::test]
async fn subagent_of_earlier_process_is_continued() {
    let script = Script::new()
        .reply(
            Reply::tool(
                "Agent",
                agent("SUB", json!({"name": "bee", "run_in_background": false})),
            )
            .when("go"),
        )
        .reply(Reply::tool("Bash", json!({"command": "echo seven"})).when("SUB"))
        .reply(Reply::text("The answer is 7").when("seven"))
        .text("Done");
    let mut first = Stage::begin(script).await;
    first.prompt("go").await;
    first.result().await;
    let id = first.last("task_started")["task_id"].as_str().unwrap().to_owned();
    let call = first.last("task_started")["tool_use_id"].clone();
    let folder = "home/projects/stage/11111111-2222-4333-8444-555555555555/subagents";
    let read = |name: &str| std::fs::read(first.dir.path().join(folder).join(name)).unwrap();
    let files = [format!("agent-{id}.jsonl"), format!("agent-{id}.meta.json")];
    let kept: Vec<(String, Vec<u8>)> = files.iter().map(|name| (name.clone(), read(name))).collect();
    assert_eq!(first.end_crew().await, 0);

    for to in [id.as_str(), "bee"] {
        let script = Script::new()
            .reply(Reply::tool("SendMessage", json!({"to": to, "message": "and why"})).when("go on"))
            .reply(Reply::text("Because").when("and why"))
            .reply(Reply::text("Noted").when("task-notification"))
            .text("Asked");
        let mut second = Stage::with(script, |options| {
            let folder = options
                .session
                .keeping
                .file
                .as_ref()
                .unwrap()
                .with_extension("")
                .join("subagents");
            std::fs::create_dir_all(&folder).unwrap();
            kept.iter()
                .for_each(|(name, bytes)| std::fs::write(folder.join(name), bytes).unwrap());
        })
        .await;
        second.prompt("go on").await;
        second.result().await;
        second.until("task:completed").await;
        assert_eq!(second.last("task_started")["task_id"], json!(id));
        assert_eq!(second.last("task:completed")["summary"], "Because");
        let result = second.all("user:tool_result")[0]["tool_use_result"].clone();
        assert_eq!(
            (&result["success"], &result["resumedAgentId"]),
            (&json!(true), &json!(id))
        );
        let theirs = second.heard.iter().find(|it| it["agent_id"] == json!(id)).unwrap();
        assert_eq!(theirs["parent_tool_use_id"], call);
        let requests = second.server.requests();
        let again = requests
            .iter()
            .find(|it| it.body.to_string().contains("and why"))
            .unwrap();
        let again = requests
            .iter()
            .find(|it| it.body["messages"].to_string().contains("The answer is 7"))
            .unwrap_or(again);
        let messages = again.body["messages"].to_string();
        for part in ["SUB", "echo seven", "The answer is 7", "and why"] {
            assert!(messages.contains(part), "{part}: {messages}");
        }
        // The file contains a single conversation.
        let path = second.dir.path().join(folder).join(format!("agent-{id}.jsonl"));
        let text = std::fs::read_to_string(path).unwrap();
        let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let roots = lines
            .iter()
            .filter(|line| line["uuid"].is_string() && line["parentUuid"].is_null());
        assert_eq!(roots.count(), 1, "{text}");
        second.leave_now().await;
    }
}

#[tokio::test]
async fn context_usage_lists_custom_agents() {
    let files = [(
        ".claude/agents/p.md",
        "---\nname: p\ndescription: paints a lot\n---\nYou are P.\n",
    )];
    let mut stage = with_files(Script::new().text("Done"), &files).await;
    let agents = json!({"h": {"description": "of the host", "prompt": "You are H."}});
    stage.control(json!({"subtype": "initialize", "agents": agents})).await;
    let usage = stage.control(json!({"subtype": "get_context_usage"})).await["response"].clone();
    let told = usage["agents"].as_array().unwrap();
    assert_eq!(
        (&told[0]["agentType"], &told[0]["source"]),
        (&json!("h"), &json!("flagSettings"))
    );
    assert_eq!(
        (&told[1]["agentType"], &told[1]["source"]),
        (&json!("p"), &json!("projectSettings"))
    );
    assert!(told[1]["path"].as_str().unwrap().ends_with("p.md"));
    let ids: Vec<&str> = usage["categories"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["id"].as_str().unwrap())
        .collect();
    assert!(ids.contains(&"custom_agents"), "{ids:?}");
    stage.prompt("go").await;
    stage.result().await;
    assert_eq!(stage.end_crew().await, 0);
}

#[tokio::test]
async fn output_of_subagent_can_be_read() {
    let script = Script::new()
        .tool("Agent", foreground_agent("SUB"))
        .text("Sub answer")
        .text("Done");
    let mut stage = Stage::begin(script).await;
    stage.prompt("go").await;
    stage.result().await;
    let id = stage.last("task_started")["task_id"].clone();
    let output = stage
        .control(json!({"subtype": "get_task_output", "task_id": id}))
        .await;
    assert!(output["response"]["output"].as_str().unwrap().contains("Sub answer"));
    assert_eq!(stage.end_crew().await, 0);
}
