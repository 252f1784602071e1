//! Converts recordings to steps: the lines of the agent, and the waits for the host.

use std::collections::VecDeque;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::steps::Step;
use crate::error::{Error, ScriptError};

/// Loads a recorded folder or a file of lines.
pub(super) fn load(path: &Path) -> Result<Vec<Step>, Error> {
    if !path.is_dir() {
        return Ok(of_file(&lines(path)?));
    }
    let said = lines(&path.join("stdout.ndjson"))?;
    let input = path.join("stdin.ndjson");
    let input = if input.exists() { Some(lines(&input)?) } else { None };
    let timeline = path.join("timeline.ndjson");
    match input {
        Some(input) if timeline.exists() => of_timeline(&lines(&timeline)?, &input, &said).map_err(Error::from),
        input => Ok(infer_waits(&said, input.as_deref())),
    }
}

fn lines(path: &Path) -> Result<Vec<String>, Error> {
    let bytes = fs::read(path).map_err(|source| Error::Read {
        path: path.to_owned(),
        source,
    })?;
    Ok(String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect())
}

/// Converts a file that contains either only lines of the agent, or `{"dir": "in" | "out", "line": …}` in order.
fn of_file(lines: &[String]) -> Vec<Step> {
    let directed: Option<Vec<(bool, String)>> = lines
        .iter()
        .filter(|line| !line.trim().is_empty())
        .map(|line| {
            let entry = parsed(line);
            let text = match entry.get("line")? {
                Value::String(text) => text.clone(),
                message => message.to_string(),
            };
            Some((entry.get("dir")?.as_str()? == "in", text))
        })
        .collect();
    match directed {
        Some(entries) => {
            let step = |(is_input, text): (bool, String)| {
                if is_input {
                    await_step(&parsed(&text))
                } else {
                    Some(Step::Line(text))
                }
            };
            entries.into_iter().filter_map(step).collect()
        }
        None => infer_waits(lines, None),
    }
}

/// Sorts lines by a timeline, whose entries refer to them by number, counted from 1.
fn of_timeline(timeline: &[String], input_lines: &[String], said: &[String]) -> Result<Vec<Step>, ScriptError> {
    let mut steps = Vec::new();
    for (index, line) in timeline.iter().enumerate() {
        let entry = parsed(line);
        let Some(n) = entry
            .get("n")
            .and_then(Value::as_u64)
            .and_then(|n| usize::try_from(n).ok())
        else {
            continue;
        };
        let missing = || {
            ScriptError::new(
                format!("timeline.ndjson line {}", index + 1),
                format!("there is no line {n}"),
                "the timeline must belong to the stdin.ndjson and stdout.ndjson in the same folder",
            )
        };
        match entry.get("dir").and_then(Value::as_str) {
            Some("in") => {
                let line = input_lines.get(n.wrapping_sub(1)).ok_or_else(missing)?;
                steps.extend(await_step(&parsed(line)));
            }
            Some("out") => {
                let line = said.get(n.wrapping_sub(1)).ok_or_else(missing)?;
                if is_new_run(&parsed(line)) {
                    break;
                }
                steps.push(Step::Line(line.clone()));
            }
            _ => {}
        }
    }
    Ok(steps)
}

/// Infers the waits without a timeline: a response needs its request, a turn needs its prompt, and lines after a
/// permission request need its answer.
fn infer_waits(said: &[String], input_lines: Option<&[String]>) -> Vec<Step> {
    let mut queue: VecDeque<Value> = input_lines.unwrap_or(&[]).iter().map(|line| parsed(line)).collect();
    let alone = input_lines.is_none();
    let mut steps = Vec::new();
    let mut in_turn = false;
    let mut open: Vec<Value> = Vec::new();
    for line in said {
        let message = parsed(line);
        if is_new_run(&message) {
            break;
        }
        let kind = kind(&message);
        if kind == "control_cancel_request" {
            open.retain(|id| Some(id) != message.get("request_id"));
        }
        if kind != "control_request" {
            for id in open.drain(..) {
                let answer = json!({"type": "control_response", "response": {"request_id": id}});
                if alone {
                    steps.extend(await_step(&answer));
                } else {
                    await_up_to(&mut queue, &mut steps, |line| response_id(line) == Some(&id));
                }
            }
        }
        let begins_turn = matches!(kind, "assistant" | "stream_event" | "user")
            || kind == "system" && message.get("subtype").and_then(Value::as_str) == Some("init");
        match kind {
            "control_response" if alone => continue,
            "control_response" => {
                let id = response_id(&message).cloned();
                await_up_to(&mut queue, &mut steps, |line| line.get("request_id") == id.as_ref());
            }
            "control_request" => open.extend(message.get("request_id").cloned()),
            "result" => in_turn = false,
            _ if begins_turn && !in_turn => {
                in_turn = true;
                if alone {
                    steps.extend(await_step(&json!({"type": "user"})));
                } else {
                    await_up_to(&mut queue, &mut steps, is_prompt);
                }
            }
            _ => {}
        }
        steps.push(Step::Line(line.clone()));
    }
    steps
}

/// Adds waits for the lines of the queue up to the line that matches `is_it`, if there is one.
fn await_up_to(queue: &mut VecDeque<Value>, steps: &mut Vec<Step>, is_it: impl Fn(&Value) -> bool) {
    if let Some(place) = queue.iter().position(is_it) {
        steps.extend(queue.drain(..=place).filter_map(|line| await_step(&line)));
    }
}

/// Returns the wait for a recorded line; `None` for lines that are not messages.
fn await_step(line: &Value) -> Option<Step> {
    match kind(line) {
        "user" | "control_request" | "control_response" => Some(Step::AwaitRecorded(line.clone())),
        _ if line.get("_elided_bytes").is_some() => Some(Step::AwaitRecorded(json!({"type": "user"}))),
        _ => None,
    }
}

fn is_prompt(line: &Value) -> bool {
    kind(line) == "user" || line.get("_elided_bytes").is_some()
}

fn is_new_run(message: &Value) -> bool {
    kind(message) == "$run"
}

fn response_id(message: &Value) -> Option<&Value> {
    message.get("response")?.get("request_id")
}

fn kind(message: &Value) -> &str {
    message.get("type").and_then(Value::as_str).unwrap_or("")
}

fn parsed(line: &str) -> Value {
    serde_json::from_str(line).unwrap_or(Value::Null)
}
