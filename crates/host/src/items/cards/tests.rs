//! The details of cards.
#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};

use super::super::{
    ArgumentValue, Card, CardBody, CellEdit, CellKind, FileChange, NotebookCell, Plan, ReadContent, SearchKind,
    ShellAction, Subject, TaskStatus, Web,
};
use super::{Outcome, changes_files, is_question, runs_commands, task_title};

fn card(tool: &str, input: &Value) -> Card {
    Card::of_input(tool, input)
}

fn done(tool: &str, input: &Value, text: &str, value: &Value) -> Card {
    let outcome = Outcome {
        text: &text.into(),
        value,
        failed: false,
    };
    Card::of(tool, input, Some(outcome))
}

fn failed(tool: &str, input: &Value, text: &str) -> Card {
    let value = json!(format!("Error: {text}"));
    let outcome = Outcome {
        text: &text.into(),
        value: &value,
        failed: true,
    };
    Card::of(tool, input, Some(outcome))
}

#[test]
fn searches_say_where_they_look() {
    let input = json!({"pattern": "a+", "path": "/src"});
    let (pattern, within) = ("a+".to_owned(), Some("/src".to_owned()));
    let subject = Subject::Text {
        pattern: pattern.clone(),
        within: within.clone(),
    };
    assert_eq!(card("Grep", &input).subject, subject);
    assert_eq!(card("Glob", &input).subject, Subject::Names { pattern, within });
    let value = json!({"numFiles": 2, "numMatches": 3, "content": "a:1:x", "filenames": []});
    let CardBody::Search(search) = done("Grep", &input, "", &value).body else {
        panic!()
    };
    assert_eq!(
        (search.kind, search.hits, search.files),
        (SearchKind::Text, Some(3), Some(2))
    );
    assert_eq!(search.lines.as_deref(), Some("a:1:x"));
    let CardBody::Search(search) = done(
        "ToolSearch",
        &json!({"query": "x"}),
        "",
        &json!({"matches": ["A", "B"]}),
    )
    .body
    else {
        panic!()
    };
    assert_eq!(search.names.unwrap(), ["A", "B"]);
}

#[test]
fn a_command_has_its_output_or_how_it_failed() {
    let input = json!({"command": "make", "description": "Build"});
    let shell = |card: Card| match card.body {
        CardBody::Shell(shell) => shell,
        other => panic!("{other:?}"),
    };
    let ran = shell(done(
        "Bash",
        &input,
        "",
        &json!({"stdout": "out\n", "stderr": "warning"}),
    ));
    assert_eq!(ran.output.as_deref(), Some("out\n"));
    assert_eq!(ran.stderr.as_deref(), Some("warning"));
    assert_eq!(ran.all_output(), "out\nwarning");
    assert_eq!(ran.about.as_deref(), Some("Build"));
    let broke = shell(failed("Bash", &input, "Exit code 2\nno rule"));
    assert_eq!((broke.exit_code, broke.output.as_deref()), (Some(2), Some("no rule")));
    let moved = json!({"stdout": "", "backgroundTaskId": "b1", "backgroundedByUser": true});
    let moved = shell(done("Bash", &input, "", &moved));
    assert_eq!((moved.task.as_deref(), moved.moved), (Some("b1"), true));
    let stopped = shell(done(
        "KillShell",
        &json!({"shell_id": "b1"}),
        "",
        &json!({"command": "make"}),
    ));
    assert_eq!((stopped.action, &*stopped.command), (ShellAction::Stop, "make"));
}

#[test]
fn a_change_of_a_file_is_counted_and_can_be_edited_before_it_is_made() {
    let edit = json!({"file_path": "a.rs", "old_string": "a", "new_string": "b", "replace_all": true});
    assert_eq!(card("Edit", &edit).editable(), Some("new_string"));
    let patch = json!({"filePath": "/w/a.rs", "structuredPatch": [{"oldStart": 3, "newStart": 3,
        "lines": [" a", "-b", "+c", "+d"]}]});
    let edited = done("Edit", &edit, "", &patch);
    let count = edited.changed().unwrap();
    assert_eq!((&*count.path, count.added, count.removed), ("/w/a.rs", 2, 1));
    let many = json!({"file_path": "a.rs", "edits": [{"old_string": "a", "new_string": "b"},
        {"old_string": "c", "new_string": "d"}]});
    let CardBody::FileChange(FileChange { edits, .. }) = card("MultiEdit", &many).body else {
        panic!()
    };
    assert_eq!(edits.len(), 2);
    let write = json!({"file_path": "b.md", "content": "1\n2\n"});
    assert_eq!(card("Write", &write).editable(), Some("content"));
    let made = done(
        "Write",
        &write,
        "",
        &json!({"type": "create", "filePath": "/w/b.md", "structuredPatch": []}),
    );
    let count = made.changed().unwrap();
    assert_eq!((count.added, count.removed), (2, 0));
    assert!(matches!(
        made.body,
        CardBody::FileChange(FileChange { created: true, .. })
    ));
    let cell = json!({"notebook_path": "c.ipynb", "cell_id": "c", "new_source": "x\ny"});
    let before = json!({"original_file": r#"{"cells": [{"id": "c", "source": ["z"]}]}"#});
    let notebook = done("NotebookEdit", &cell, "", &before);
    let count = notebook.changed().unwrap();
    assert_eq!((count.added, count.removed), (2, 1));
    let CardBody::Notebook(notebook) = notebook.body else {
        panic!()
    };
    assert_eq!((notebook.edit, notebook.old.as_deref()), (CellEdit::Replace, Some("z")));
    assert_eq!(done("Bash", &json!({}), "", &json!({})).changed(), None);
}

#[test]
fn what_was_read_is_lines_an_image_or_something_else() {
    let input = json!({"file_path": "/a"});
    let content = |value: &Value| match done("Read", &input, "1\n2", value).body {
        CardBody::FileRead(read) => read.content.unwrap(),
        other => panic!("{other:?}"),
    };
    let lines = json!({"type": "text", "file": {"content": "c\nd", "startLine": 3, "numLines": 2, "totalLines": 9}});
    assert_eq!(
        content(&lines),
        ReadContent::Lines {
            first: 3,
            count: 2,
            total: 9,
            text: Some("c\nd".into()),
        }
    );
    let image =
        json!({"type": "image", "file": {"originalSize": 10, "dimensions": {"originalWidth": 2, "originalHeight": 3}}});
    assert_eq!(
        content(&image),
        ReadContent::Image {
            size: Some((2, 3)),
            bytes: Some(10)
        }
    );
    assert_eq!(
        content(&json!({"type": "notebook", "file": {"cells": [
            {"cellType": "markdown", "source": ["# a\n", "b"]}, {"source": "x", "execution_count": 3}]}})),
        ReadContent::Notebook {
            cells: vec![
                NotebookCell {
                    kind: CellKind::Markdown,
                    run: None,
                    source: "# a\nb".into()
                },
                NotebookCell {
                    kind: CellKind::Code,
                    run: Some(3),
                    source: "x".into()
                },
            ]
        }
    );
    let pdf = json!({"type": "pdf", "file": {"originalSize": 7}});
    assert_eq!(
        content(&pdf),
        ReadContent::Other {
            kind: "pdf".into(),
            bytes: Some(7)
        }
    );
    assert_eq!(
        content(&Value::Null),
        ReadContent::Lines {
            first: 1,
            count: 2,
            total: 2,
            text: None,
        }
    );
}

#[test]
fn the_web_subagents_and_servers_keep_what_they_returned() {
    let fetched = done(
        "WebFetch",
        &json!({"url": "u"}),
        "",
        &json!({"code": 200, "bytes": 5, "result": "text"}),
    );
    let CardBody::Web(Web::Fetch(fetch)) = fetched.body else {
        panic!()
    };
    assert_eq!(
        (fetch.code, fetch.bytes, fetch.answer.as_deref()),
        (Some(200), Some(5), Some("text"))
    );
    let value = json!({"results": [{"content": [{"title": "t", "url": "u"}]}]});
    let CardBody::Web(Web::Search(search)) = done("WebSearch", &json!({"query": "q"}), "", &value).body else {
        panic!()
    };
    assert_eq!((&*search.hits[0].title, &*search.hits[0].url), ("t", "u"));
    let value = json!({"content": [{"type": "text", "text": "report"}], "totalDurationMs": 5, "totalToolUseCount": 2,
        "totalTokens": 9});
    let input = json!({"description": "d", "prompt": "p", "subagent_type": "Explore"});
    let CardBody::Subagent(agent) = done("Agent", &input, "", &value).body else {
        panic!()
    };
    assert_eq!(
        (agent.kind.as_deref(), agent.report.as_deref()),
        (Some("Explore"), Some("report"))
    );
    assert_eq!((agent.calls, agent.tokens), (Some(2), Some(9)));
    let mcp = card("mcp__tracker__close_issue", &json!({"id": 41, "why": "done"}));
    assert_eq!(&*mcp.title, "tracker/close_issue");
    let Subject::Arguments(arguments) = &mcp.subject else {
        panic!()
    };
    assert_eq!(arguments[0].value, ArgumentValue::Json("41".into()));
    assert_eq!(arguments[1].value, ArgumentValue::Text("done".into()));
}

#[test]
fn task_lists_say_what_has_to_be_done_before() {
    let todos =
        json!({"todos": [{"content": "a", "status": "completed", "activeForm": "doing a", "blockedBy": [2, "3"]}]});
    let CardBody::Tasks(tasks) = card("TodoWrite", &todos).body else {
        panic!()
    };
    let line = &tasks.list.unwrap()[0];
    assert_eq!((&*line.subject, line.status), ("a", Some(TaskStatus::Completed)));
    assert_eq!(line.after, ["2", "3"]);
    let update = json!({"taskId": "1", "status": "in_progress"});
    let CardBody::Tasks(tasks) = done("TaskUpdate", &update, "", &json!({"task": {"id": "1", "subject": "s"}})).body
    else {
        panic!()
    };
    let line = tasks.one.unwrap();
    assert_eq!((&*line.subject, line.status), ("s", Some(TaskStatus::InProgress)));
}

#[test]
fn questions_have_answers_and_plans_a_text() {
    let input = json!({"questions": [{"question": "A?"}, {"question": "B?"}]});
    let CardBody::Question(question) = done("AskUserQuestion", &input, "", &json!({"answers": {"A?": "yes"}})).body
    else {
        panic!()
    };
    assert_eq!(question.questions.len(), 2);
    assert_eq!(
        (&*question.answers[0].question, &*question.answers[0].answer),
        ("A?", "yes")
    );
    let plan = card("ExitPlanMode", &json!({"plan": "1. Read"}));
    assert_eq!(plan.editable(), Some("plan"));
    assert_eq!(
        card("EnterPlanMode", &json!({})).body,
        CardBody::Plan(Plan { text: None })
    );
}

#[test]
fn an_unknown_tool_keeps_its_input_and_output() {
    let input = json!({"depth": 2});
    let card = done("Frobnicate", &input, "", &json!({"ok": true}));
    assert_eq!(card.subject, Subject::Input(r#"{"depth":2}"#.into()));
    let CardBody::Generic(generic) = card.body else {
        panic!()
    };
    assert_eq!((generic.input, generic.output), (input, Some(json!({"ok": true}))));
    assert_eq!(
        super::super::card::Card::of_input("X", &Value::Null).subject,
        Subject::None
    );
}

#[test]
fn questions_about_tools_are_answered_from_the_table() {
    assert!(is_question("AskUserQuestion") && !is_question("Bash"));
    assert!(changes_files("NotebookEdit") && !changes_files("Read") && !changes_files("mcp__a__Edit"));
    assert!(runs_commands("Bash") && !runs_commands("TaskOutput"));
    assert_eq!((task_title("local_agent"), task_title("local_bash")), ("Agent", "Bash"));
}
