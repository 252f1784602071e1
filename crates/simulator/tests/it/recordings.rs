//! Playing recordings: in order, with the ids of the current host.

use std::fs;
use std::path::Path;

use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use sluice_simulator::{AgentScript, run_agent};
use tokio::io::AsyncWriteExt;

use crate::agent::Host;
use crate::scenarios::shared;

const AGENT_LINES: &str = r#"{"type":"control_response","response":{"subtype":"success","request_id":"old-1","response":{}}}
{"type":"system","subtype":"init","session_id":"s"}
{"type":"control_request","request_id":"ask-1","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{}}}
{"type":"user","message":{"content":[]},"uuid":"u"}
{"type":"result", "user_message_uuid":"prompt-1"}
{"type":"system","subtype":"init","session_id":"s"}
{"type":"result"}
"#;
const HOST_LINES: &str = r#"{"type":"control_request","request_id":"old-1","request":{"subtype":"initialize"}}
{"type":"user","message":{"content":"go"},"uuid":"prompt-1"}
{"type":"control_response","response":{"subtype":"success","request_id":"ask-1","response":{"behavior":"allow"}}}
{"type":"user","message":{"content":"again"}}
"#;

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

/// Plays `AGENT_LINES` with a host whose ids differ from those of the recorded host.
async fn drive(script: AgentScript) {
    let mut host = Host::of(script);
    host.send(json!({"type": "control_request", "request_id": "new-1", "request": {"subtype": "initialize"}}))
        .await;
    assert_eq!(host.next().await["response"]["request_id"], "new-1");
    host.send(json!({"type": "user", "message": {"content": "hello"}, "uuid": "prompt-new"}))
        .await;
    assert_eq!(host.next().await["subtype"], "init");
    assert_eq!(host.next().await["request_id"], "ask-1");
    host.send(json!({"type": "control_request", "request_id": "x", "request": {"subtype": "mcp_status"}}))
        .await;
    assert_eq!(host.next().await["response"]["request_id"], "x");
    host.send(json!({"type": "control_response", "response": {"request_id": "ask-1", "subtype": "success"}}))
        .await;
    assert_eq!(host.next().await["type"], "user");
    assert_eq!(host.next().await["type"], "result");
    host.send(json!({"type": "user", "message": {"content": "more"}})).await;
    assert_eq!(host.next().await["subtype"], "init");
    assert_eq!(host.next().await["type"], "result");
}

#[tokio::test]
async fn waits_are_inferred_from_the_lines_of_both_sides() {
    let folder = folder(&[("stdout.ndjson", AGENT_LINES), ("stdin.ndjson", HOST_LINES)]);
    drive(AgentScript::load(folder.path()).unwrap()).await;
}

#[tokio::test]
async fn the_lines_of_the_agent_alone_are_sufficient() {
    let folder = folder(&[("said.ndjson", AGENT_LINES)]);
    drive(AgentScript::load(&folder.path().join("said.ndjson")).unwrap()).await;
}

#[tokio::test]
async fn a_timeline_determines_the_order() {
    let order = [
        ("in", 1),
        ("out", 1),
        ("in", 2),
        ("out", 2),
        ("out", 3),
        ("in", 3),
        ("out", 4),
        ("out", 5),
        ("in", 4),
        ("out", 6),
        ("out", 7),
    ];
    let timeline: String = order
        .iter()
        .map(|(dir, n)| format!("{}\n", json!({"t": 0.1, "dir": dir, "n": n, "sig": "x"})))
        .collect();
    let folder_of = |timeline: &str| {
        folder(&[
            ("stdout.ndjson", AGENT_LINES),
            ("stdin.ndjson", HOST_LINES),
            ("timeline.ndjson", timeline),
        ])
    };
    let whole = folder_of(&format!("{timeline}{}\n", json!({"t": 1, "dir": "in", "sig": "EOF"})));
    drive(AgentScript::load(whole.path()).unwrap()).await;

    let wrong = folder_of("{\"dir\": \"out\", \"n\": 8}\n");
    let error = AgentScript::load(wrong.path()).unwrap_err();
    assert!(
        error.to_string().contains("timeline.ndjson line 1: there is no line 8"),
        "{error}"
    );
}

#[tokio::test]
async fn ids_of_the_recorded_host_are_replaced() {
    let entries = [
        json!({"dir": "in", "line": {"type": "user", "uuid": "prompt-1"}}),
        json!({"dir": "out", "line": "{\"type\":\"result\", \"user_message_uuid\":\"prompt-1\", \"cost\":0.000012}"}),
    ];
    let text: String = entries.iter().map(|entry| format!("{entry}\n")).collect();
    let folder = folder(&[("both.jsonl", &text)]);
    let mut output = Vec::new();
    let input = b"{\"type\":\"user\",\"uuid\":\"prompt-new\"}\n";
    let code = run_agent(&folder.path().join("both.jsonl"), &input[..], &mut output)
        .await
        .unwrap();
    assert_eq!(code, 0);
    // Everything except the id is unchanged.
    assert_eq!(
        String::from_utf8(output).unwrap(),
        "{\"type\":\"result\", \"user_message_uuid\":\"prompt-new\", \"cost\":0.000012}\n"
    );
}

#[tokio::test]
async fn faults_can_be_added_to_a_recording() {
    let script = r#"{"play": "said.ndjson", "faults": [{"after": 1, "fault": "duplicate"}, {"after": 3, "fault": "crash", "code": 9}]}"#;
    let frames = "{\"type\":\"keep_alive\",\"n\":1}\n{\"type\":\"keep_alive\",\"n\":2}\n{\"type\":\"keep_alive\",\"n\":3}\n{\"type\":\"keep_alive\",\"n\":4}\n";
    let folder = folder(&[("said.ndjson", frames), ("script.json", script)]);
    let mut output = Vec::new();
    let (mut to_agent, input) = tokio::io::duplex(64);
    let code = run_agent(&folder.path().join("script.json"), input, &mut output)
        .await
        .unwrap();
    to_agent.shutdown().await.unwrap();
    assert_eq!(code, 9);
    let numbers: Vec<Value> = output
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_slice::<Value>(line).unwrap()["n"].clone())
        .collect();
    assert_eq!(numbers, [1, 2, 2, 3]);
}

/// Plays a recording with the recorded lines of the host. The output must equal the recording.
async fn play_recording(folder: &Path) -> Result<(), String> {
    let host_lines = fs::read(folder.join("stdin.ndjson")).map_err(|error| error.to_string())?;
    // Lines that were too long for the recording were prompts.
    let host_lines: String = String::from_utf8_lossy(&host_lines)
        .lines()
        .map(|line| {
            if line.contains("_elided_bytes") {
                "{\"type\": \"user\"}\n".to_owned()
            } else {
                format!("{line}\n")
            }
        })
        .collect();
    let mut output = Vec::new();
    run_agent(folder, host_lines.as_bytes(), &mut output)
        .await
        .map_err(|error| error.to_string())?;
    let kinds = |text: &[u8]| -> Vec<String> {
        String::from_utf8_lossy(text)
            .lines()
            .map(|line| {
                serde_json::from_str::<Value>(line).unwrap_or_default()["type"]
                    .as_str()
                    .unwrap_or("")
                    .to_owned()
            })
            .take_while(|kind| kind != "$run")
            .collect()
    };
    let said = fs::read(folder.join("stdout.ndjson")).map_err(|error| error.to_string())?;
    let (said, played) = (kinds(&said), kinds(&output));
    // Responses are not compared, because the player also answers requests that the recorded agent did not answer.
    let frames = |kinds: &[String]| {
        kinds
            .iter()
            .filter(|kind| *kind != "control_response")
            .cloned()
            .collect::<Vec<_>>()
    };
    if frames(&said) == frames(&played) {
        Ok(())
    } else {
        Err(format!("{} frames of {}", played.len(), said.len()))
    }
}

#[tokio::test]
async fn shared_recordings_are_played_completely() {
    let Some(root) = shared("wire/recordings/2.1.325") else {
        println!("skipped: no shared/wire/recordings beside the repository");
        return;
    };
    let mut played = 0;
    let mut problems = Vec::new();
    for entry in fs::read_dir(root).unwrap() {
        let folder = entry.unwrap().path();
        if folder.join("stdout.ndjson").exists() && folder.join("stdin.ndjson").exists() {
            played += 1;
            problems.extend(
                play_recording(&folder)
                    .await
                    .err()
                    .map(|problem| format!("{}: {problem}", folder.display())),
            );
        }
    }
    assert_eq!(problems, Vec::<String>::new());
    assert!(played > 100, "only {played}");
}
