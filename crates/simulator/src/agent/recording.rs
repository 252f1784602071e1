//! Recordings as steps: what the agent said, and where it waited for the host.

use std::collections::VecDeque;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::steps::Step;
use crate::error::{Error, ScriptError};

/// Reads a recorded folder or a file of lines.
pub(super) fn load(path: &Path) -> Result<Vec<Step>, Error> {
    if !path.is_dir() {
        return Ok(of_file(&lines(path)?));
    }
    let said = lines(&path.join("stdout.ndjson"))?;
    let heard = path.join("stdin.ndjson");
    let heard = if heard.exists() { Some(lines(&heard)?) } else { None };
    let timeline = path.join("timeline.ndjson");
    match heard {
        Some(heard) if timeline.exists() => of_timeline(&lines(&timeline)?, &heard, &said).map_err(Error::from),
        heard => Ok(weave(&said, heard.as_deref())),
    }
}

fn lines(path: &Path) -> Result<Vec<String>, Error> {
    let bytes = fs::read(path).map_err(|source| Error::Read {
        path: path.to_owned(),
        source,
    })?;
    Ok(String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect())
}

/// A file holds either frames of an agent, or `{"dir": "in" | "out", "line": …}` in the order of time.
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
            let step = |(is_heard, text): (bool, String)| {
                if is_heard {
                    heard(&parsed(&text))
                } else {
                    Some(Step::Line(text))
                }
            };
            entries.into_iter().filter_map(step).collect()
        }
        None => weave(lines, None),
    }
}

/// Puts lines into the order of a timeline, whose entries name them by number from 1.
fn of_timeline(timeline: &[String], heard_lines: &[String], said: &[String]) -> Result<Vec<Step>, ScriptError> {
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
                "the timeline must belong to the stdin.ndjson and stdout.ndjson beside it",
            )
        };
        match entry.get("dir").and_then(Value::as_str) {
            Some("in") => {
                let line = heard_lines.get(n.wrapping_sub(1)).ok_or_else(missing)?;
                steps.extend(heard(&parsed(line)));
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

/// Finds the waits without a timeline, from what needs what: an answer its request, a turn its prompt, and what
/// follows a question its answer.
fn weave(said: &[String], heard_lines: Option<&[String]>) -> Vec<Step> {
    let mut queue: VecDeque<Value> = heard_lines.unwrap_or(&[]).iter().map(|line| parsed(line)).collect();
    let alone = heard_lines.is_none();
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
                    steps.extend(heard(&answer));
                } else {
                    hear_up_to(&mut queue, &mut steps, |line| response_id(line) == Some(&id));
                }
            }
        }
        let begins_turn = matches!(kind, "assistant" | "stream_event" | "user")
            || kind == "system" && message.get("subtype").and_then(Value::as_str) == Some("init");
        match kind {
            "control_response" if alone => continue,
            "control_response" => {
                let id = response_id(&message).cloned();
                hear_up_to(&mut queue, &mut steps, |line| line.get("request_id") == id.as_ref());
            }
            "control_request" => open.extend(message.get("request_id").cloned()),
            "result" => in_turn = false,
            _ if begins_turn && !in_turn => {
                in_turn = true;
                if alone {
                    steps.extend(heard(&json!({"type": "user"})));
                } else {
                    hear_up_to(&mut queue, &mut steps, is_prompt);
                }
            }
            _ => {}
        }
        steps.push(Step::Line(line.clone()));
    }
    steps
}

/// Takes the queue up to the line that `is_it`, if it is there.
fn hear_up_to(queue: &mut VecDeque<Value>, steps: &mut Vec<Step>, is_it: impl Fn(&Value) -> bool) {
    if let Some(place) = queue.iter().position(is_it) {
        steps.extend(queue.drain(..=place).filter_map(|line| heard(&line)));
    }
}

/// The wait for a recorded line; lines that are no messages are not waited for.
fn heard(line: &Value) -> Option<Step> {
    match kind(line) {
        "user" | "control_request" | "control_response" => Some(Step::Heard(line.clone())),
        _ if line.get("_elided_bytes").is_some() => Some(Step::Heard(json!({"type": "user"}))),
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
