//! Cards of the web, subagents, task lists, questions, MCP tools, and unknown tools.

use sluice_host::items::{Question, Subagent, TaskLine, TaskStatus, Tasks, Web};

use super::{CallCard, MAX_ERROR_ROWS, MAX_RESULT_ROWS, Parts, took};
use crate::text::{Row, Style};
use crate::view::amount;

pub(super) fn web(web: &Web, call: &CallCard) -> Parts {
    match web {
        Web::Fetch(fetch) => {
            let code = fetch.code.map(|code| code.to_string());
            let bytes = fetch.bytes.map(amount::bytes);
            let facts = code.into_iter().chain(bytes).chain(took(call.time));
            let said = fetch.answer.as_deref().unwrap_or(call.text());
            facts.fold(Parts::default(), Parts::fact).first(said, MAX_RESULT_ROWS)
        }
        Web::Search(search) if search.hits.is_empty() => any(call),
        Web::Search(search) => {
            let hits = search.hits.iter();
            let lines: Vec<String> = hits.map(|hit| format!("{}  {}", hit.title, hit.url)).collect();
            let parts = Parts::default().fact(amount::count(lines.len() as u64, "result"));
            let parts = took(call.time).into_iter().fold(parts, Parts::fact);
            parts.first(&lines.join("\n"), MAX_RESULT_ROWS)
        }
    }
}

pub(super) fn agent(agent: &Subagent, call: &CallCard) -> Parts {
    let mut parts = agent.kind.iter().cloned().fold(Parts::default(), Parts::fact);
    parts = took(agent.duration.unwrap_or(call.time))
        .into_iter()
        .fold(parts, Parts::fact);
    if let Some(calls) = agent.calls.filter(|calls| *calls > 0) {
        parts = parts.fact(amount::count(calls, "call"));
    }
    if let Some(tokens) = agent.tokens {
        parts = parts.fact(format!("{} tokens", amount::tokens(tokens)));
    }
    parts.first(agent.report.as_deref().unwrap_or(call.text()), MAX_RESULT_ROWS)
}

/// Renders a task list: number of completed tasks, changes, and open tasks.
pub(super) fn tasks(tasks: &Tasks, text: &str) -> Parts {
    let Some(list) = &tasks.list else {
        return Parts::default().first(text, 1);
    };
    let is_done = |task: &&TaskLine| task.status == Some(TaskStatus::Completed);
    let done = list.iter().filter(is_done).count();
    let mut parts = Parts::default().fact(format!("{done} of {} done", list.len()));
    for task in list {
        let (sign, text) = match task.status {
            Some(TaskStatus::Completed) => ("[x]", &task.subject),
            Some(TaskStatus::InProgress) => ("[>]", task.active.as_ref().unwrap_or(&task.subject)),
            _ => ("[ ]", &task.subject),
        };
        let mut row = todo_row(sign, text);
        if !task.after.is_empty() && sign == "[ ]" {
            row.push(&format!("  after {}", task.after.join(", ")), Style::FAINT);
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

pub(super) fn answers(question: &Question, text: &str) -> Parts {
    if question.answers.is_empty() {
        return Parts::default().first(text, MAX_RESULT_ROWS);
    }
    let mut parts = Parts::default();
    for answer in &question.answers {
        let row = Row::faint(&format!("    {}  ", answer.question)).add(&answer.answer, Style::TEXT);
        parts.rows.push(row);
    }
    parts
}

pub(super) fn any(call: &CallCard) -> Parts {
    took(call.time)
        .into_iter()
        .fold(Parts::default(), Parts::fact)
        .first(call.text(), MAX_RESULT_ROWS)
}

pub(super) fn failed(call: &CallCard) -> Parts {
    let text = call.text();
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
        .first(text, MAX_ERROR_ROWS)
}
