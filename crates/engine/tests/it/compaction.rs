//! Compaction: a conversation that fills the context window is replaced by a summary, automatically or on request.

use std::fs;
use std::path::Path;

use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use sluice_engine::transcript::{Choice, Projects, Which, resume};
use sluice_engine::{Compaction, Options};
use sluice_simulator::{Reply, Script};
use tempfile::TempDir;

use crate::stage::Stage;

/// The cache marker in a request, whose position differs between requests.
const MARK: &str = ",\"cache_control\":{\"type\":\"ephemeral\"}";
const ID: &str = "11111111-2222-4333-8444-555555555555";

/// Adds a usage that almost fills the context window.
fn full(reply: Reply) -> Reply {
    reply.usage(&json!({"input_tokens": 985_000}))
}

fn echo() -> Reply {
    Reply::text("Looking").and_tool("Bash", json!({"command": "echo hi"}))
}

fn too_long() -> Reply {
    Reply::error(400)
        .kind("invalid_request_error")
        .message("prompt is too long: 210000 tokens > 200000 maximum")
}

fn summary() -> Reply {
    Reply::text("<analysis>hm</analysis><summary>SHORT</summary>")
}

fn allowing(options: &mut Options) {
    options.permissions.allowed = vec!["Bash".into()];
}

fn messages(body: &Value) -> Vec<(String, String)> {
    let messages = body["messages"].as_array().unwrap().iter();
    let role = |message: &Value| message["role"].as_str().unwrap().to_owned();
    let content = |message: &Value| message["content"].to_string().replace(MARK, "");
    messages.map(|message| (role(message), content(message))).collect()
}

#[tokio::test]
async fn full_window_is_compacted_before_the_next_request() {
    let script = Script::new()
        .reply(full(Reply::text("First")))
        .reply(summary())
        .text("Second");
    let mut stage = Stage::begin(script).await;
    stage.prompt("one").await;
    stage.turn().await;
    stage.prompt("two").await;
    assert_eq!(
        stage.turn().await,
        "init compacting mode: compact_boundary nudge assistant:text result:success"
    );
    let asked = messages(&stage.sent(2));
    assert_eq!(asked.len(), 3, "all that was said, and the task");
    assert!(asked[2].1.contains("<summary>") && !asked[2].1.contains("two"));
    let after = messages(&stage.sent(3));
    assert_eq!(after.len(), 1);
    assert!(after[0].1.contains("SHORT") && after[0].1.contains("two") && !after[0].1.contains("First"));
    let meta = &stage.last("compact_boundary")["compact_metadata"];
    assert_eq!(meta["trigger"], "auto");
    assert!(meta["pre_tokens"].as_u64() > Some(985_000) && meta["post_tokens"].as_u64() < Some(50_000));
    assert_eq!(stage.last("result:success")["num_turns"], 2, "the summary counts");
    assert_eq!(stage.leave_now().await, 0);
}

#[tokio::test]
async fn compaction_within_a_turn_keeps_call_and_result() {
    let script = Script::new()
        .text("First")
        .reply(full(echo()))
        .reply(summary())
        .text("Done");
    let mut stage = Stage::with(script, allowing).await;
    stage.prompt("one").await;
    stage.turn().await;
    stage.prompt("two").await;
    assert_eq!(
        stage.turn().await,
        "init assistant:text assistant:tool_use user:tool_result compacting mode: compact_boundary nudge \
         assistant:text result:success"
    );
    let after = messages(&stage.sent(4));
    let roles: Vec<&str> = after.iter().map(|(role, _)| role.as_str()).collect();
    assert_eq!(roles, ["user", "assistant", "user"]);
    assert!(after[1].1.contains("tool_use") && after[2].1.contains("tool_result"));
    let kept = &stage.last("compact_boundary")["compact_metadata"]["preserved_messages"]["uuids"];
    let told: Vec<Value> = ["assistant:text", "assistant:tool_use", "user:tool_result"]
        .iter()
        .map(|word| match *word {
            "assistant:text" => stage.all(word)[1]["uuid"].clone(),
            _ => stage.last(word)["uuid"].clone(),
        })
        .collect();
    assert_eq!(*kept, json!(told));
    stage.leave_now().await;
}

#[tokio::test]
async fn too_long_request_is_repeated_once_after_compaction() {
    let script = Script::new()
        .text("First")
        .reply(too_long())
        .reply(summary())
        .reply(too_long())
        .text("never");
    let mut stage = Stage::begin(script).await;
    stage.prompt("one").await;
    stage.turn().await;
    stage.prompt("two").await;
    assert_eq!(
        stage.turn().await,
        "init compacting mode: compact_boundary nudge assistant:text result:success!"
    );
    assert_eq!(stage.last("result:success!")["terminal_reason"], "prompt_too_long");
    assert_eq!(stage.server.requests().len(), 4);
    stage.leave_now().await;
}

#[tokio::test]
async fn first_prompt_alone_cannot_be_compacted() {
    let mut stage = Stage::begin(Script::new().reply(too_long())).await;
    stage.prompt("one").await;
    assert_eq!(stage.turn().await, "init assistant:text result:success!");
    stage.leave_now().await;
}

#[tokio::test]
async fn compaction_attempts_are_limited() {
    let mut script = Script::new();
    for _ in 0..40 {
        script = script.reply(full(echo()));
    }
    let mut stage = Stage::with(script, |options| {
        allowing(options);
        options.limits.max_turns = Some(12);
    })
    .await;
    stage.prompt("one").await;
    stage.result().await;
    assert_eq!(stage.all("compact_boundary").len(), 3);
    stage.leave_now().await;
}

#[tokio::test]
async fn failed_compaction_keeps_the_conversation() {
    let script = Script::new()
        .reply(full(Reply::text("First")))
        .reply(Reply::error(403).message("no"))
        .text("Second");
    let mut stage = Stage::begin(script).await;
    stage.prompt("one").await;
    stage.turn().await;
    stage.prompt("two").await;
    assert_eq!(
        stage.turn().await,
        "init compacting mode: assistant:text result:success"
    );
    assert_eq!(stage.last("mode:")["compact_result"], "failed");
    assert_eq!(messages(&stage.sent(3)).len(), 3);
    stage.leave_now().await;
}

#[tokio::test]
async fn automatic_compaction_can_be_disabled() {
    let launches: [fn(&mut Options); 2] = [
        |options| {
            options.limits.compaction = Compaction {
                manual_only: true,
                ..Compaction::default()
            };
        },
        |options| {
            let off = json!({"autoCompactEnabled": false});
            options.settings.set_flag(off.as_object().unwrap());
        },
    ];
    for switched_off in launches {
        let script = Script::new()
            .reply(full(Reply::text("First")))
            .text("Second")
            .reply(summary());
        let mut stage = Stage::with(script, switched_off).await;
        stage.prompt("one").await;
        stage.turn().await;
        stage.prompt("two").await;
        assert_eq!(stage.turn().await, "init assistant:text result:success");
        let usage = stage.control(json!({"subtype": "get_context_usage"})).await;
        assert_eq!(usage["response"]["isAutoCompactEnabled"], false);
        stage.prompt("/compact").await;
        let told = stage.turn().await;
        assert!(told.contains("compact_boundary"), "it may still be asked for: {told}");
        stage.leave_now().await;
    }
}

#[tokio::test]
async fn compact_command_can_be_disabled() {
    let mut stage = Stage::with(Script::new().text("What?"), |options| {
        options.limits.compaction.off = true;
    })
    .await;
    stage.prompt("/compact").await;
    assert_eq!(stage.turn().await, "init assistant:text result:success");
    let said = stage.said_to_model(1);
    assert_eq!(said.len(), 2, "{said:?}");
    assert_eq!(said[0], "/compact");
    assert!(said[1].contains("no command /compact"), "{said:?}");
    stage.leave_now().await;
}

#[tokio::test]
async fn compact_command_accepts_instructions() {
    let script = Script::new()
        .text("First")
        .text("Second")
        .reply(summary())
        .text("Third");
    let mut stage = Stage::begin(script).await;
    for prompt in ["one", "two"] {
        stage.prompt(prompt).await;
        stage.turn().await;
    }
    stage.prompt_as("u1", "/compact keep the names").await;
    assert_eq!(
        stage.turn().await,
        "queued:u1 started:u1 compacting mode: init compact_boundary nudge replay result:success"
    );
    let result = stage.last("result:success");
    assert_eq!(
        (&result["local_command"], &result["num_turns"]),
        (&json!("compact"), &json!(0))
    );
    assert!(messages(&stage.sent(3)).last().unwrap().1.contains("keep the names"));
    stage.prompt("three").await;
    stage.turn().await;
    let after = messages(&stage.sent(4));
    assert_eq!(after.len(), 3);
    assert!(after[0].1.contains("SHORT") && after[1].1.contains("Second") && after[2].1.contains("three"));
    stage.leave_now().await;
}

#[tokio::test]
async fn compact_needs_a_long_enough_conversation() {
    let script = Script::new().text("First").reply(summary());
    let mut stage = Stage::begin(script).await;
    stage.prompt("/compact").await;
    assert_eq!(stage.turn().await, "init assistant:text result:success");
    assert_eq!(
        stage.last("assistant:text")["local_command_outcome"],
        json!({"kind": "failed"})
    );
    stage.prompt("one").await;
    stage.turn().await;
    stage.prompt("/compact").await;
    assert!(stage.turn().await.contains("compact_boundary"));
    stage.prompt("/compact").await;
    assert_eq!(
        stage.turn().await,
        "compacting mode: init assistant:text result:success"
    );
    assert_eq!(
        stage.last("result:success")["result"],
        "Not enough messages to compact."
    );
    assert_eq!(stage.server.requests().len(), 2);
    stage.leave_now().await;
}

#[tokio::test]
async fn interrupted_compaction_keeps_the_conversation() {
    let script = Script::new()
        .text("First")
        .text("Second")
        .reply(summary().gate("summing up"))
        .text("Third");
    let mut stage = Stage::begin(script).await;
    for prompt in ["one", "two"] {
        stage.prompt(prompt).await;
        stage.turn().await;
    }
    stage.prompt("/compact").await;
    stage.until("compacting").await;
    stage.gate("summing up").reached().await;
    stage.interrupt().await;
    let result = stage.result().await;
    assert_eq!(
        (&result["subtype"], &result["num_turns"]),
        (&json!("success"), &json!(0))
    );
    assert_eq!(result["result"], "Compaction canceled.");
    assert!(stage.all("notice").is_empty(), "the model was not interrupted");
    assert!(stage.all("compact_boundary").is_empty());
    stage.prompt("three").await;
    stage.turn().await;
    assert!(messages(&stage.sent(4))[0].1.contains("one"));
    stage.leave_now().await;
}

/// Saves the session in a shared folder.
fn keep(options: &mut Options, shelf: &TempDir) -> Projects {
    let projects = Projects::new(shelf.path().join("projects"));
    options.session.id = ID.to_owned();
    options.session.keeping.projects = projects.clone();
    options.session.keeping.file = Some(projects.file(Path::new("/work"), ID));
    options.permissions.allowed = vec!["Bash".into()];
    projects
}

#[tokio::test]
async fn resumed_session_continues_with_summary_and_kept_messages() {
    let shelf = tempfile::tempdir().unwrap();
    let script = Script::new()
        .text("First")
        .reply(full(echo()))
        .reply(summary())
        .text("Done");
    let mut projects = None;
    let mut stage = Stage::with(script, |options| projects = Some(keep(options, &shelf))).await;
    let projects = projects.unwrap();
    for prompt in ["one", "two"] {
        stage.prompt(prompt).await;
        stage.turn().await;
    }
    let last = stage.sent(4);
    stage.leave_now().await;

    let text = fs::read_to_string(projects.file(Path::new("/work"), ID)).unwrap();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let boundary = lines.iter().find(|line| line["subtype"] == "compact_boundary").unwrap();
    assert_eq!(boundary["parentUuid"], Value::Null);
    let result = lines.iter().find(|line| line["toolUseResult"].is_object()).unwrap();
    assert_eq!(boundary["logicalParentUuid"], result["uuid"]);
    assert_eq!(boundary["compactMetadata"]["trigger"], "auto");
    let summary = lines.iter().find(|line| line["isCompactSummary"] == true).unwrap();
    assert_eq!(summary["parentUuid"], boundary["uuid"]);
    assert_eq!(
        boundary["compactMetadata"]["preservedMessages"]["anchorUuid"],
        summary["uuid"]
    );

    let choice = Choice {
        which: Which::Named(ID.to_owned()),
        at: None,
        drops_turn: None,
        fork: false,
    };
    let earlier = resume::find(&projects, Path::new("/work"), &choice).unwrap();
    let mut stage = Stage::with(Script::new().text("Again"), |options| {
        keep(options, &shelf);
        options.session.earlier = earlier;
    })
    .await;
    stage.prompt("three").await;
    stage.turn().await;
    let (before, after) = (messages(&last), messages(&stage.sent(1)));
    assert_eq!(after[..before.len()], before[..], "the same conversation");
    assert_eq!(after.len(), before.len() + 2);
    stage.leave_now().await;
}
