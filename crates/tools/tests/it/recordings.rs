//! Replays recorded calls and compares the results for the host.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use sluice_tools::{Outcome, find};

use crate::stand_in::{StandIn, deferred};
use crate::support::Lab;

/// Scenario and version, and the number of calls that must be compared.
const SCENARIOS: &[(&str, &str, usize)] = &[
    ("2.1.325", "tasks_flag", 10),
    ("2.1.325", "task_delete", 3),
    ("2.1.325", "task_tools_bad", 4),
    ("2.1.325", "tool_search", 1),
    ("2.1.325", "ask_annotations", 1),
    ("2.1.325", "ask_array_answer", 1),
    ("2.1.325", "ask_no_answers", 1),
    ("2.1.325", "ask_invalid", 1),
    ("2.1.325", "exitplan_allow", 1),
    ("2.1.325", "exitplan_allow_acceptedits", 1),
    ("2.1.325", "exitplan_real_planfile", 1),
    ("2.1.325", "webfetch_refused", 1),
    ("2.1.38", "todo_flag", 2),
];
/// Tools whose calls in a scenario are compared elsewhere.
const OTHERS: &[&str] = &["Bash", "Read", "Write", "Edit"];

fn shared() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/wire/recordings");
    folder.is_dir().then_some(folder)
}

fn lines(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect()
}

/// Replaces the path of the recorded plan file in the messages.
fn moved(messages: &[Value], from: &str, to: &Path) -> Vec<Value> {
    let text = serde_json::to_string(messages).unwrap();
    serde_json::from_str(&text.replace(from, to.to_str().unwrap())).unwrap()
}

#[tokio::test]
async fn recorded_calls_come_to_the_recorded_results() {
    let Some(shared) = shared() else {
        println!("skipped: there are no recordings beside this repository");
        return;
    };
    for (version, name, count) in SCENARIOS {
        let folder = shared.join(version).join(name);
        assert_eq!(play(&folder).await, *count, "{name}");
    }
}

/// Replays a recording and returns the number of compared calls.
async fn play(folder: &Path) -> usize {
    let (mut out, mut sent) = (
        lines(&folder.join("stdout.ndjson")),
        lines(&folder.join("stdin.ndjson")),
    );
    let here = tempfile::tempdir().unwrap();
    let plan_file = here.path().join("plan.md");
    let recorded = out
        .iter()
        .filter_map(|message| message["tool_use_result"]["filePath"].as_str())
        .find(|path| path.contains("/plans/"))
        .map(str::to_owned);
    if let Some(recorded) = recorded {
        (out, sent) = (moved(&out, &recorded, &plan_file), moved(&sent, &recorded, &plan_file));
    }
    let (lab, _) = StandIn {
        plan_file,
        mode: Mutex::new("plan".to_owned()),
        deferred: std::iter::once(deferred("WebFetch", "w"))
            .chain((1..13).map(|n| deferred(&format!("Other{n}"), "o")))
            .collect(),
        ..StandIn::default()
    }
    .lab();
    let mut calls: HashMap<String, (String, Value)> = HashMap::new();
    let mut asks: HashMap<String, (Value, Value)> = HashMap::new();
    let mut compared = 0;
    for message in &out {
        let block = &message["message"]["content"][0];
        if message["request"]["subtype"] == "can_use_tool" {
            let answer = sent
                .iter()
                .find(|line| line["response"]["request_id"] == message["request_id"])
                .unwrap();
            let answer = answer["response"]["response"]["updatedInput"].clone();
            let request = &message["request"];
            asks.insert(text(&request["tool_use_id"]), (request["input"].clone(), answer));
        } else if block["type"] == "tool_use" {
            calls.insert(text(&block["id"]), (text(&block["name"]), block["input"].clone()));
        } else if block["type"] == "tool_result" {
            let id = text(&block["tool_use_id"]);
            let (name, input) = calls.get(&id).unwrap();
            if OTHERS.contains(&name.as_str()) {
                lab.call(name, input.clone()).await;
                continue;
            }
            let outcome = again(&lab, name, input, asks.get(&id)).await;
            compare(&outcome, block, &message["tool_use_result"]);
            compared += 1;
        }
    }
    compared
}

/// Runs a call in the steps of the engine and compares the intermediate inputs.
async fn again(lab: &Lab, name: &str, input: &Value, ask: Option<&(Value, Value)>) -> Outcome {
    let tool = find(name).unwrap();
    let checked = match tool.check(input, &lab.work) {
        Ok(checked) => checked,
        Err(invalid) => return invalid.into(),
    };
    let presented = tool.present(input, &lab.cx).await;
    assert_eq!(presented.as_ref().unwrap_or(&tool.fill(input)), input);
    if let Some(outcome) = tool.vet(input, &lab.cx).await {
        return outcome;
    }
    let Some((shown, answer)) = ask else {
        return lab.call(name, input.clone()).await;
    };
    assert_eq!(presented.as_ref().unwrap_or(&checked), shown);
    lab.call(name, answer.clone()).await
}

fn compare(outcome: &Outcome, block: &Value, recorded: &Value) {
    assert_eq!(
        outcome.is_error.unwrap_or(false),
        block["is_error"] == json!(true),
        "{block}"
    );
    match recorded.as_str() {
        // the wording is ours, but its kind must match
        Some(recorded) => starts_alike(outcome.result.as_str().unwrap(), recorded, 20),
        None => assert_eq!(&outcome.result, recorded),
    }
    match block["content"].as_str() {
        Some(text) if !text.ends_with('…') => assert_eq!(outcome.content, text),
        // long texts are shortened in the recording
        Some(text) => starts_alike(outcome.content.as_str().unwrap(), text, 35),
        None => assert_eq!(outcome.content, block["content"]),
    }
}

fn starts_alike(ours: &str, recorded: &str, count: usize) {
    let start: String = recorded.chars().take(count).collect();
    assert!(ours.starts_with(&start), "{ours}\nis not like\n{recorded}");
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}
