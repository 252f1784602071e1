//! Cards of web tools, subagents, task lists, questions, MCP tools, and unknown tools.

use std::time::Duration;

use serde_json::Value;

use super::{CallCard, FAILURE, Parts, RESULT, took};
use crate::text::{Row, Style};
use crate::view::amount;

fn number(value: &Value, name: &str) -> Option<u64> {
    value.get(name).and_then(Value::as_u64)
}

pub(super) fn fetched(value: &Value, text: &str, time: Duration) -> Parts {
    let code = number(value, "code").map(|code| code.to_string());
    let bytes = number(value, "bytes").map(amount::bytes);
    let facts = code.into_iter().chain(bytes).chain(took(time));
    let said = value.get("result").and_then(Value::as_str).unwrap_or(text);
    facts.fold(Parts::default(), Parts::fact).first(said, RESULT)
}

pub(super) fn searched(value: &Value, text: &str, time: Duration) -> Parts {
    let results = value.get("results").and_then(Value::as_array);
    let hits: Vec<&Value> = results
        .into_iter()
        .flatten()
        .filter_map(|it| it.get("content")?.as_array())
        .flatten()
        .collect();
    if hits.is_empty() {
        return took(time)
            .into_iter()
            .fold(Parts::default(), Parts::fact)
            .first(text, RESULT);
    }
    let word = |hit: &Value, name: &str| hit.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let lines: Vec<String> = hits
        .iter()
        .map(|hit| format!("{}  {}", word(hit, "title"), word(hit, "url")))
        .collect();
    let parts = Parts::default().fact(amount::count(hits.len() as u64, "result"));
    took(time)
        .into_iter()
        .fold(parts, Parts::fact)
        .first(&lines.join("\n"), RESULT)
}

/// The kind of subagent a call starts.
pub(super) fn agent_kind(input: &Value) -> Option<String> {
    input.get("subagent_type").and_then(Value::as_str).map(str::to_owned)
}

pub(super) fn agent(call: &CallCard, text: &str, value: &Value) -> Parts {
    let mut parts = agent_kind(&call.input).into_iter().fold(Parts::default(), Parts::fact);
    let time = number(value, "totalDurationMs").map_or(call.time, Duration::from_millis);
    parts = took(time).into_iter().fold(parts, Parts::fact);
    if let Some(calls) = number(value, "totalToolUseCount").filter(|calls| *calls > 0) {
        parts = parts.fact(amount::count(calls, "call"));
    }
    if let Some(tokens) = number(value, "totalTokens") {
        parts = parts.fact(format!("{} tokens", amount::tokens(tokens)));
    }
    let report = value.pointer("/content/0/text").and_then(Value::as_str).unwrap_or(text);
    parts.first(report, RESULT)
}

/// A list of things to do: how many are done, what changed and what is open.
pub(super) fn tasks(call: &CallCard, text: &str, value: &Value) -> Parts {
    let list = value
        .get("newTodos")
        .or_else(|| value.get("tasks"))
        .or_else(|| call.input.get("todos"));
    let Some(list) = list.and_then(Value::as_array) else {
        return Parts::default().first(text, 1);
    };
    let word = |item: &Value, name: &str| item.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let done = list.iter().filter(|item| word(item, "status") == "completed").count();
    let mut parts = Parts::default().fact(format!("{done} of {} done", list.len()));
    for item in list {
        let (sign, text) = match word(item, "status").as_str() {
            "completed" => ("[x]", word(item, "content")),
            "in_progress" => ("[>]", word(item, "activeForm")),
            _ => ("[ ]", word(item, "content")),
        };
        let text = if text.is_empty() { word(item, "subject") } else { text };
        let before: Vec<String> = item
            .get("blockedBy")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .map(|id| id.as_str().map_or_else(|| id.to_string(), str::to_owned))
            .collect();
        let mut row = todo_row(sign, &text);
        if !before.is_empty() && sign == "[ ]" {
            row.push(&format!("  after {}", before.join(", ")), Style::FAINT);
        }
        parts.rows.push(row);
    }
    parts
}

pub(crate) fn todo_row(sign: &str, text: &str) -> Row {
    let style = if sign == "[>]" { Style::TEXT } else { Style::FAINT };
    Row::new()
        .add("    ", Style::TEXT)
        .add(sign, style)
        .add(" ", Style::TEXT)
        .add(text, style)
}

pub(super) fn answers(value: &Value, text: &str) -> Parts {
    let Some(answers) = value.get("answers").and_then(Value::as_object) else {
        return Parts::default().first(text, RESULT);
    };
    let mut parts = Parts::default();
    for (question, answer) in answers {
        let answer = answer.as_str().map_or_else(|| answer.to_string(), str::to_owned);
        let row = Row::faint(&format!("    {question}  ")).add(&answer, Style::TEXT);
        parts.rows.push(row);
    }
    parts
}

pub(super) fn any(call: &CallCard, text: &str) -> Parts {
    took(call.time)
        .into_iter()
        .fold(Parts::default(), Parts::fact)
        .first(text, RESULT)
}

pub(super) fn failed(call: &CallCard, text: &str, _: &Value) -> Parts {
    let text = text.strip_prefix("Error: ").unwrap_or(text);
    let text = text
        .trim()
        .trim_start_matches("<tool_use_error>")
        .trim_end_matches("</tool_use_error>");
    let mut lines = text.trim().lines();
    let first = lines.next().unwrap_or_default().to_owned();
    let rest: Vec<&str> = lines.collect();
    if rest.is_empty() && first.chars().count() < 100 {
        return Parts::default().fact(first);
    }
    took(call.time)
        .into_iter()
        .fold(Parts::default(), Parts::fact)
        .first(text, FAILURE)
}
