//! Task lists, questions and plans.

use serde_json::Value;

use super::{Call, CardBody, Fields as _, Subject};
use crate::items::card::{Answer, Plan, Question, TaskLine, TaskStatus, Tasks};

/// A call that reads or writes the whole list.
pub(super) fn all(call: &Call<'_>) -> (Subject, CardBody) {
    let value = call.value();
    let list = value.and_then(|value| value.list("newTodos").or_else(|| value.list("tasks")));
    let list = list.or_else(|| call.input.list("todos"));
    let list = list.map(|list| list.iter().map(line).collect());
    let before = value.and_then(|value| value.list("oldTodos"));
    let tasks = Tasks {
        list,
        before: before.map(|list| list.iter().map(line).collect()),
        one: None,
    };
    (Subject::None, CardBody::Tasks(tasks))
}

/// A call about one task.
pub(super) fn one(call: &Call<'_>) -> (Subject, CardBody) {
    let mut task = line(call.input);
    if let Some(known) = call.value().and_then(|value| value.get("task")).map(line) {
        task = TaskLine {
            id: task.id.or(known.id),
            subject: Some(task.subject).filter(|it| !it.is_empty()).unwrap_or(known.subject),
            active: task.active.or(known.active),
            status: task.status.or(known.status),
            after: if task.after.is_empty() { known.after } else { task.after },
        };
    }
    let tasks = Tasks {
        one: Some(task),
        ..Tasks::default()
    };
    (Subject::None, CardBody::Tasks(tasks))
}

fn line(value: &Value) -> TaskLine {
    let word = |name: &str| value.word(name).map(str::to_owned);
    TaskLine {
        id: word("id").or_else(|| word("taskId")),
        subject: word("subject").or_else(|| word("content")).unwrap_or_default(),
        active: word("activeForm"),
        status: value.word("status").and_then(status),
        after: ids(value.list("blockedBy").or_else(|| value.list("addBlockedBy"))),
    }
}

fn status(word: &str) -> Option<TaskStatus> {
    Some(match word {
        "pending" => TaskStatus::Pending,
        "in_progress" => TaskStatus::InProgress,
        "completed" => TaskStatus::Completed,
        "deleted" => TaskStatus::Deleted,
        _ => return None,
    })
}

fn ids(list: Option<&[Value]>) -> Vec<String> {
    let ids = list.unwrap_or_default().iter();
    ids.map(|id| id.as_str().map_or_else(|| id.to_string(), str::to_owned))
        .collect()
}

pub(super) fn questions(call: &Call<'_>) -> (Subject, CardBody) {
    let asked = call.input.list("questions").unwrap_or_default().iter();
    let questions: Vec<String> = asked.filter_map(|it| it.word("question")).map(str::to_owned).collect();
    let value = call.value();
    let answers = value.and_then(|value| value.get("answers")?.as_object());
    let answers = answers.into_iter().flatten().map(|(question, answer)| Answer {
        question: question.clone(),
        answer: words(answer),
        notes: value
            .and_then(|value| value.get("annotations")?.get(question)?.word("notes"))
            .map(str::to_owned),
    });
    let subject = questions.first().cloned().map_or(Subject::None, Subject::Phrase);
    let question = Question {
        questions,
        answers: answers.collect(),
        response: value.and_then(|value| value.word("response")).map(str::to_owned),
    };
    (subject, CardBody::Question(question))
}

/// The words of an answer: one text, or the chosen ones of several.
fn words(answer: &Value) -> String {
    match answer {
        Value::String(text) => text.clone(),
        Value::Array(chosen) => chosen.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}

pub(super) fn plan(call: &Call<'_>) -> (Subject, CardBody) {
    let text = call.value().and_then(|value| value.text("plan"));
    let text = text.or_else(|| call.input.text("plan").filter(|text| !text.is_empty()));
    (Subject::None, CardBody::Plan(Plan { text }))
}
