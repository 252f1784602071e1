//! Invariants that every test session must satisfy.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::Value;
use sluice_engine::transcript::{Choice, Projects, Which, resume};
use sluice_model::Message;
use sluice_simulator::Request;

use crate::words::{line, word};

/// Checks the guarantees for hosts.
pub(crate) fn of_messages(heard: &[Value]) {
    let count = |prefix: &str| heard.iter().filter(|it| word(it).starts_with(prefix)).count();
    let all = line(heard);
    assert_eq!(count("init"), count("result:"), "one result for every turn: {all}");
    one_result_per_call(heard, &all);
    one_end_per_prompt(heard, &all);
    one_session(heard);
    uuids_are_fresh(heard);
}

fn one_result_per_call(heard: &[Value], all: &str) {
    let mut called = BTreeSet::new();
    let mut answered = BTreeMap::<String, usize>::new();
    // A budget may end the turn between a call and its execution, and no request follows.
    let spent = heard.iter().any(|it| it["subtype"] == "error_max_budget_usd");
    // Stopped subagents may omit results.
    let stopped: BTreeSet<&str> = heard
        .iter()
        .filter(|it| it["patch"]["status"] == "killed")
        .filter_map(|it| it["task_id"].as_str())
        .collect();
    let mut cut_off = BTreeSet::new();
    for message in heard {
        for block in message["message"]["content"].as_array().into_iter().flatten() {
            if block["type"] == "tool_use" {
                let id = block["id"].as_str().unwrap().to_owned();
                if message["agent_id"]
                    .as_str()
                    .is_some_and(|agent| stopped.contains(agent))
                {
                    cut_off.insert(id.clone());
                }
                assert!(called.insert(id.clone()), "{id} is called once: {all}");
            }
            if block["type"] == "tool_result" {
                let id = block["tool_use_id"].as_str().unwrap().to_owned();
                assert!(called.contains(&id), "{id} is called before it is answered: {all}");
                *answered.entry(id).or_default() += 1;
            }
        }
    }
    assert!(answered.values().all(|count| *count == 1), "{answered:?}: {all}");
    if !spent {
        let answered: BTreeSet<String> = answered.into_keys().collect();
        called.retain(|id| answered.contains(id) || !cut_off.contains(id));
        assert_eq!(called, answered, "every call has its result: {all}");
    }
}

fn one_end_per_prompt(heard: &[Value], all: &str) {
    let mut lives = BTreeMap::<&str, Vec<&str>>::new();
    for message in heard.iter().filter(|it| it["type"] == "command_lifecycle") {
        let uuid = message["command_uuid"].as_str().unwrap();
        lives.entry(uuid).or_default().push(message["state"].as_str().unwrap());
    }
    for (uuid, life) in lives {
        let whole = [
            &["queued", "started", "completed"][..],
            &["queued", "started", "cancelled"],
            &["queued", "cancelled"],
        ];
        assert!(whole.contains(&life.as_slice()), "{uuid} lives {life:?}: {all}");
    }
}

fn one_session(heard: &[Value]) {
    let ids: BTreeSet<&str> = heard.iter().filter_map(|it| it["session_id"].as_str()).collect();
    assert!(ids.len() <= 1, "{ids:?}");
    for message in heard {
        let control = message["type"].as_str().unwrap().starts_with("control_");
        assert!(control || message["session_id"].is_string(), "{message}");
    }
}

fn uuids_are_fresh(heard: &[Value]) {
    let mut seen = BTreeSet::new();
    for message in heard.iter().filter(|it| it["isReplay"] != true) {
        if let Some(uuid) = message["uuid"].as_str() {
            assert!(seen.insert(uuid), "{uuid} came before");
        }
    }
}

/// Checks that every subagent starts and ends exactly once and is removed from the task list.
pub(crate) fn of_agents(heard: &[Value]) {
    let all = line(heard);
    let runs = |wanted: &str| -> Vec<&str> {
        let those = heard.iter().filter(|it| it["subtype"] == wanted);
        let agents = those.filter(|it| it["task_id"].as_str().is_some_and(|id| id.starts_with('a')));
        let ended = agents.filter(|it| wanted != "task_updated" || it["patch"].get("status").is_some());
        let mut runs: Vec<&str> = ended.map(|it| it["run_id"].as_str().unwrap()).collect();
        runs.sort_unstable();
        runs
    };
    let begun = runs("task_started");
    assert_eq!(begun, runs("task_notification"), "one notification each: {all}");
    // A subagent that runs a command has no `task_updated`; its notification is its end.
    let ambient = |run: &&str| heard.iter().any(|it| it["run_id"] == **run && it["ambient"] == true);
    let mut owned = begun.clone();
    owned.retain(|run| !ambient(run));
    assert_eq!(owned, runs("task_updated"), "one end each: {all}");
    let listed = heard.iter().rfind(|it| it["subtype"] == "background_tasks_changed");
    assert!(
        listed.is_none_or(|it| it["tasks"].as_array().unwrap().is_empty()),
        "{all}"
    );
}

/// Like [`of_requests`] for several concurrent conversations, distinguished by system prompt and first message.
pub(crate) fn of_conversations(requests: &[Request]) {
    let mut conversations = BTreeMap::<String, Vec<Request>>::new();
    for request in requests {
        let first = &request.body["messages"][0]["content"];
        let texts = first
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|block| block["text"].as_str());
        let key = format!("{}|{:?}", unmarked(&request.body["system"]), texts.collect::<Vec<_>>());
        conversations.entry(key).or_default().push(request.clone());
    }
    conversations.values().for_each(|requests| of_requests(requests));
}

/// Checks the guarantees for the model and the prompt cache.
pub(crate) fn of_requests(requests: &[Request]) {
    let bodies: Vec<Value> = requests.iter().map(|it| unmarked(&it.body)).collect();
    for body in &bodies {
        no_orphans(body);
    }
    for pair in bodies.windows(2) {
        let (before, after) = (&pair[0], &pair[1]);
        // Compared as bytes, so the order of keys matters.
        let same = |key: &str| {
            let (before, after) = (before[key].to_string(), after[key].to_string());
            before == after
        };
        assert!(same("system"), "the prompt changed");
        // The offered tools may depend on the model.
        assert!(before["model"] != after["model"] || same("tools"), "the tools changed");
        let prefix = before["messages"].to_string();
        let prefix = prefix.strip_suffix(']').unwrap();
        let whole = after["messages"].to_string();
        assert!(whole.starts_with(prefix), "what was sent changed:\n{prefix}\n{whole}");
    }
}

/// Checks that the transcript restores the conversation byte for byte.
pub(crate) fn of_transcript(file: &Path, requests: &[Request]) {
    let Some(last) = requests.last().filter(|_| file.exists()) else {
        return;
    };
    let projects = Projects::new(file.parent().and_then(Path::parent).unwrap().to_owned());
    let choice = Choice {
        which: Which::Named(file.file_stem().unwrap().to_str().unwrap().to_owned()),
        at: None,
        drops_turn: None,
        fork: false,
    };
    let Ok(Some(earlier)) = resume::find(&projects, Path::new("/nowhere"), &choice) else {
        return;
    };
    let shown: Vec<Value> = sluice_engine::shown_to_model(&earlier)
        .unwrap()
        .iter()
        .map(Message::value)
        .collect();
    let shown = Value::from(shown).to_string();
    let sent = unmarked(&last.body)["messages"].to_string();
    let sent = sent.strip_suffix(']').unwrap();
    assert!(
        shown.starts_with(sent),
        "what was sent is not what is kept:\n{sent}\n{shown}"
    );
}

/// Checks that all calls of a message are answered in the next one, and nothing else is.
fn no_orphans(body: &Value) {
    let messages = body["messages"].as_array().unwrap();
    let ids = |message: Option<&Value>, kind: &str, key: &str| -> Vec<String> {
        let content = message.and_then(|it| it["content"].as_array());
        let blocks = content.into_iter().flatten().filter(|block| block["type"] == kind);
        blocks.map(|block| block[key].as_str().unwrap().to_owned()).collect()
    };
    for (index, message) in messages.iter().enumerate() {
        if message["role"] == "assistant" {
            let called = ids(Some(message), "tool_use", "id");
            let answered = ids(messages.get(index + 1), "tool_result", "tool_use_id");
            assert_eq!(called, answered, "{message}\n{:?}", messages.get(index + 1));
            let next = messages.get(index + 1).and_then(|it| it["content"].as_array());
            let first = next.into_iter().flatten().take(answered.len());
            assert!(
                first.into_iter().all(|block| block["type"] == "tool_result"),
                "results come first: {next:?}"
            );
        }
    }
    assert_eq!(messages.last().unwrap()["role"], "user");
}

/// The value without cache markers.
fn unmarked(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let kept = map.iter().filter(|(key, _)| *key != "cache_control");
            kept.map(|(key, value)| (key.clone(), unmarked(value))).collect()
        }
        Value::Array(list) => list.iter().map(unmarked).collect(),
        other => other.clone(),
    }
}
