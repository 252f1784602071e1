//! The subject of a tool call, in one line.

use serde_json::Value;

/// The tool's name as a card says it: `server/tool` for servers.
#[must_use]
pub fn name(tool: &str) -> String {
    if let Some((server, tool)) = tool.strip_prefix("mcp__").and_then(|rest| rest.split_once("__")) {
        return format!("{server}/{tool}");
    }
    match tool {
        "TodoWrite" | "TaskCreate" | "TaskUpdate" | "TaskList" | "TaskGet" => "Tasks".to_owned(),
        "Task" => "Agent".to_owned(),
        tool => tool.to_owned(),
    }
}

/// What it is about.
#[must_use]
pub fn subject(tool: &str, input: &Value) -> String {
    let word = |name: &str| input.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    match tool {
        "Bash" => word("command").trim().to_owned(),
        "Read" | "Edit" | "MultiEdit" | "Write" => word("file_path"),
        "NotebookEdit" => word("notebook_path"),
        "Grep" => match word("path") {
            path if path.is_empty() => format!("\"{}\"", word("pattern")),
            path => format!("\"{}\" in {path}", word("pattern")),
        },
        "Glob" => word("pattern"),
        "WebFetch" => word("url"),
        "WebSearch" => format!("\"{}\"", word("query")),
        "Task" | "Agent" => word("description"),
        "TodoWrite" | "TaskCreate" | "TaskUpdate" | "TaskList" | "TaskGet" | "ExitPlanMode" | "EnterPlanMode" => {
            String::new()
        }
        "AskUserQuestion" => {
            let question = input.pointer("/questions/0/question").and_then(Value::as_str);
            question.unwrap_or_default().to_owned()
        }
        "Skill" => word("skill"),
        "BashOutput" | "TaskOutput" | "KillShell" | "TaskStop" => {
            let id = ["task_id", "bash_id", "shell_id"]
                .iter()
                .map(|name| word(name))
                .find(|id| !id.is_empty());
            id.map(|id| format!("job {id}")).unwrap_or_default()
        }
        tool if tool.starts_with("mcp__") => arguments(input),
        _ => match input {
            Value::Object(fields) if fields.is_empty() => String::new(),
            Value::Null => String::new(),
            other => other.to_string(),
        },
    }
}

/// `name "value"` for each argument, in order.
fn arguments(input: &Value) -> String {
    let fields = input.as_object().into_iter().flatten();
    let shown = fields.map(|(name, value)| match value {
        Value::String(text) => format!("{name} \"{text}\""),
        other => format!("{name} {other}"),
    });
    shown.collect::<Vec<_>>().join("  ")
}

/// The last part of a path.
#[must_use]
pub(crate) fn base(path: &str) -> String {
    path.rsplit('/').next().unwrap_or(path).to_owned()
}
