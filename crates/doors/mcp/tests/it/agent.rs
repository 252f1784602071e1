//! The agent as an MCP tool.

use serde_json::{Value, json};
use sluice_simulator::{Reply, Script};

use crate::rig::{Rig, failure, finish, text, within};

/// A model that runs a command and then responds with text.
fn touching(command: &str) -> Script {
    Script::new().tool("Bash", json!({"command": command})).text("Done")
}

fn structured(result: &rmcp::model::CallToolResult) -> &Value {
    result.structured_content.as_ref().unwrap()
}

#[tokio::test]
async fn agent_offers_three_tools() {
    let rig = Rig::agent(true, Script::new()).await;
    let tools = within(rig.client.list_all_tools()).await.unwrap();
    let names: Vec<&str> = tools.iter().map(|tool| &*tool.name).collect();
    assert_eq!(names, ["run", "reply", "cancel"]);
    assert!(tools.iter().all(|tool| tool.output_schema.is_some()));
    rig.leave().await;
}

#[tokio::test]
async fn task_is_run_and_continued() {
    let mut rig = Rig::agent(true, Script::new().text("Hello there").text("Still here")).await;
    let ran = rig.call("run", json!({"prompt": "say hello"})).await;
    assert_eq!((text(&ran).as_str(), ran.is_error), ("Hello there", Some(false)));
    let outcome = structured(&ran);
    let id = outcome["session_id"].as_str().unwrap().to_owned();
    assert_eq!(outcome["num_turns"], 1);
    assert_eq!(outcome["permission_denials"], json!([]));
    assert!(outcome["total_cost_usd"].is_number());
    assert_eq!(rig.told("session").await, format!("session {id}"));

    let replied = rig.call("reply", json!({"session_id": id, "prompt": "and now?"})).await;
    assert_eq!(text(&replied), "Still here");
    assert_eq!(structured(&replied)["session_id"], *id);
    let requests = rig.model.as_ref().unwrap().requests();
    let said = requests.last().unwrap().body["messages"].to_string();
    assert!(
        said.contains("say hello") && said.contains("and now?"),
        "one conversation: {said}"
    );
    rig.leave().await;
}

#[tokio::test]
async fn permission_request_of_the_agent_is_sent_to_the_client() {
    let mut rig = Rig::agent(true, touching("touch made")).await;
    let call = rig.begin("run", json!({"prompt": "touch"})).await;
    let asked = rig.asked().await;
    assert!(asked.message.contains("touch made"), "{}", asked.message);
    asked.say("allow once");
    let ran = finish(call).await.unwrap();
    assert_eq!(text(&ran), "Done");
    assert!(rig.dir.path().join("made").exists());
    rig.leave().await;
}

#[tokio::test]
async fn denial_is_sent_to_the_model_and_listed() {
    let mut rig = Rig::agent(true, touching("touch never")).await;
    let call = rig.begin("run", json!({"prompt": "touch"})).await;
    rig.asked().await.decline();
    let ran = finish(call).await.unwrap();
    let denials = &structured(&ran)["permission_denials"];
    assert_eq!(denials[0]["tool_input"]["command"], "touch never", "{denials}");
    assert!(!rig.dir.path().join("never").exists());
    rig.leave().await;
}

#[tokio::test]
async fn without_elicitation_the_model_receives_the_reason() {
    let rig = Rig::agent(false, touching("touch never")).await;
    let ran = rig.call("run", json!({"prompt": "touch"})).await;
    assert_eq!(structured(&ran)["permission_denials"].as_array().unwrap().len(), 1);
    let requests = rig.model.as_ref().unwrap().requests();
    let heard = requests.last().unwrap().body["messages"].to_string();
    assert!(heard.contains("elicitation"), "{heard}");
    assert!(!rig.dir.path().join("never").exists());
    rig.leave().await;
}

#[tokio::test]
async fn cancel_stops_the_turn_and_the_conversation_can_continue() {
    let script = Script::new()
        .reply(Reply::text("slow words here").gate_each("word"))
        .text("Back again");
    let mut rig = Rig::agent(true, script).await;
    let call = rig.begin("run", json!({"prompt": "talk"})).await;
    let told = rig.told("session").await;
    let id = told.trim_start_matches("session ").to_owned();
    within(rig.model.as_ref().unwrap().gate("word").reached()).await;
    let busy = failure(&rig.call("reply", json!({"session_id": id, "prompt": "hm?"})).await);
    assert!(busy.contains("still working"), "{busy}");

    let cancelled = rig.call("cancel", json!({"session_id": id})).await;
    assert_eq!(structured(&cancelled), &json!({"cancelled": [id]}));
    let ran = finish(call).await.unwrap();
    assert_eq!(structured(&ran)["session_id"], *id);
    assert_ne!(text(&ran), "slow words here");
    let replied = rig.call("reply", json!({"session_id": id, "prompt": "go on"})).await;
    assert_eq!(text(&replied), "Back again");
    let idle = rig.call("cancel", json!({})).await;
    assert_eq!(structured(&idle), &json!({"cancelled": []}));
    rig.leave().await;
}

#[tokio::test]
async fn cancelled_request_stops_its_agent() {
    let mut rig = Rig::agent(true, touching("touch never")).await;
    let call = rig.begin("run", json!({"prompt": "touch"})).await;
    let id = rig.told("session").await.trim_start_matches("session ").to_owned();
    let asked = rig.asked().await;
    call.cancel(None).await.unwrap();
    within(asked.withdrawn.cancelled()).await;
    // The conversation can be continued as soon as the agent has stopped.
    let again = within(async {
        loop {
            let again = rig
                .call("reply", json!({"session_id": id, "prompt": "never mind"}))
                .await;
            if !text(&again).contains("still working") {
                return again;
            }
            tokio::task::yield_now().await;
        }
    })
    .await;
    assert_eq!(text(&again), "Done");
    assert!(!rig.dir.path().join("never").exists());
    rig.leave().await;
}

#[tokio::test]
async fn agents_run_concurrently() {
    let script = Script::new()
        .reply(Reply::text("one").gate("hold"))
        .reply(Reply::text("two").gate("hold"));
    let rig = Rig::agent(true, script).await;
    let first = rig.begin("run", json!({"prompt": "a"})).await;
    let second = rig.begin("run", json!({"prompt": "b"})).await;
    let gate = rig.model.as_ref().unwrap().gate("hold");
    // Both requests are open before either is answered.
    within(async {
        while rig.model.as_ref().unwrap().requests().len() < 2 {
            tokio::task::yield_now().await;
        }
    })
    .await;
    gate.open();
    let (first, second) = (finish(first).await.unwrap(), finish(second).await.unwrap());
    let mut words = [text(&first), text(&second)];
    words.sort();
    assert_eq!(words, ["one", "two"]);
    assert_ne!(structured(&first)["session_id"], structured(&second)["session_id"]);
    rig.leave().await;
}

#[tokio::test]
async fn disconnected_client_ends_its_agents_and_commands() {
    let mut rig = Rig::agent(true, touching("echo $$ > pid; mkfifo hold; touch begun; cat hold")).await;
    let call = rig.begin("run", json!({"prompt": "hold"})).await;
    rig.asked().await.say("allow once");
    while !rig.dir.path().join("begun").exists() {
        tokio::task::yield_now().await;
    }
    drop(call);
    let dir = rig.leave().await;
    let pid = std::fs::read_to_string(dir.path().join("pid")).unwrap();
    let stat = format!("/proc/{}/stat", pid.trim());
    within(async {
        while std::fs::read_to_string(&stat).is_ok_and(|stat| !stat.contains(") Z ")) {
            tokio::task::yield_now().await;
        }
    })
    .await;
}

#[tokio::test]
async fn arguments_beyond_the_limits_are_rejected() {
    let rig = Rig::agent(true, Script::new()).await;
    for (tool, arguments, wanted) in [
        ("run", json!({}), "prompt"),
        ("run", json!({"prompt": ""}), "empty"),
        ("run", json!({"prompt": "x", "cwd": "/"}), "--add-dir /"),
        (
            "run",
            json!({"prompt": "x", "permission_mode": "bypassPermissions"}),
            "--permission-mode bypassPermissions",
        ),
        (
            "run",
            json!({"prompt": "x", "permission_mode": "acceptEdits"}),
            "more than this server",
        ),
        ("run", json!({"prompt": "x", "colour": "red"}), "colour"),
        (
            "reply",
            json!({"session_id": "nobody", "prompt": "x"}),
            "No conversation found",
        ),
        ("cancel", json!({"session_id": "nobody"}), "no session nobody"),
    ] {
        let refused = failure(&rig.call(tool, arguments).await);
        assert!(refused.contains(wanted), "{refused}");
    }
    assert!(rig.model.as_ref().unwrap().requests().is_empty());
    rig.leave().await;
}
