//! `Card`: what a tool call does and what came of it, without the name of the tool.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::file_card::{CellEdit, FileChange, FileRead, Notebook, Search};
use super::{FileCount, Text, millis};

/// What a tool call does and what came of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Card {
    /// The title.
    pub title: Box<str>,
    /// What the call does.
    pub verb: Verb,
    /// The subject of the call.
    pub subject: Subject,
    /// The details.
    pub body: CardBody,
}

/// What a tool call does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Verb {
    /// Runs a command.
    Run,
    /// Reads the output of a command, or stops it.
    Control,
    /// Reads a file.
    Read,
    /// Searches files.
    Find,
    /// Changes a file.
    Edit,
    /// Reads a web page.
    Fetch,
    /// Searches the web.
    Search,
    /// Starts a subagent or sends a message to one.
    Delegate,
    /// Changes the task list.
    Track,
    /// Plans.
    Plan,
    /// Asks the person.
    Ask,
    /// Waits, or schedules something.
    Wait,
    /// Something else.
    Use,
}

/// What a tool call is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(tag = "type", content = "value", rename_all = "snake_case")]
pub enum Subject {
    /// Nothing in particular.
    None,
    /// A phrase.
    Phrase(String),
    /// A command line.
    Command(String),
    /// A file or folder.
    Path(String),
    /// A search in the text of files.
    Text {
        /// The pattern.
        pattern: String,
        /// The file or folder that is searched.
        within: Option<String>,
    },
    /// A search for the names of files.
    Names {
        /// The pattern.
        pattern: String,
        /// The folder that is searched.
        within: Option<String>,
    },
    /// A query of a search engine.
    Query(String),
    /// A web address.
    Url(String),
    /// A task, by its id.
    Task(String),
    /// The arguments of a tool of an MCP server.
    Arguments(Vec<Argument>),
    /// The input of an unknown tool, as JSON.
    Input(String),
}

/// An argument of a tool of an MCP server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Argument {
    /// The name.
    pub name: String,
    /// The value.
    pub value: ArgumentValue,
}

/// The value of an argument.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(tag = "type", content = "value", rename_all = "snake_case")]
pub enum ArgumentValue {
    /// Text.
    Text(Text),
    /// Any other value, as JSON.
    Json(String),
}

/// The details of a card.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum CardBody {
    /// A command.
    Shell(Shell),
    /// A file that is read.
    FileRead(FileRead),
    /// A file that is changed.
    FileChange(FileChange),
    /// A cell of a notebook that is changed.
    Notebook(Notebook),
    /// A search in files.
    Search(Search),
    /// The web.
    Web(Web),
    /// A subagent.
    Subagent(Subagent),
    /// The task list.
    Tasks(Tasks),
    /// Questions to the person.
    Question(Question),
    /// A plan.
    Plan(Plan),
    /// A skill.
    Skill(Skill),
    /// Findings of a review.
    Findings(Findings),
    /// A tool of an MCP server.
    Mcp(Mcp),
    /// Any other tool.
    Generic(Generic),
}

/// A command.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Shell {
    /// The operation.
    pub action: ShellAction,
    /// The command line.
    pub command: String,
    /// The purpose, as the model describes it.
    pub about: Option<String>,
    /// The output, once it has ended.
    pub output: Option<Text>,
    /// What it wrote to standard error, where that is separate.
    pub stderr: Option<Text>,
    /// The exit code, if it failed.
    pub exit_code: Option<i32>,
    /// The id of the task that it continues as in the background.
    pub task: Option<String>,
    /// Whether a person moved it to the background.
    pub moved: bool,
}

/// The kind of operation on a command.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum ShellAction {
    /// It is run.
    #[default]
    Run,
    /// The output of one that runs in the background is read.
    Output,
    /// One that runs in the background is stopped.
    Stop,
}

/// The web.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Web {
    /// A page is read.
    Fetch(WebFetch),
    /// A search engine is asked.
    Search(WebSearch),
}

/// A web page that is read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct WebFetch {
    /// The address.
    pub url: String,
    /// The question about it.
    pub prompt: Option<String>,
    /// The HTTP status.
    pub code: Option<u64>,
    /// The size in bytes.
    pub bytes: Option<u64>,
    /// The answer.
    pub answer: Option<Text>,
}

/// A search engine that is asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct WebSearch {
    /// The query.
    pub query: String,
    /// The results.
    pub hits: Vec<WebHit>,
    /// What the search engine says about them.
    pub answer: Option<Text>,
}

/// A result of a search engine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct WebHit {
    /// The title.
    pub title: String,
    /// The address.
    pub url: String,
    /// A part of the page.
    pub snippet: Option<String>,
}

/// A subagent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Subagent {
    /// The kind of subagent.
    pub kind: Option<String>,
    /// The purpose, in a few words.
    pub description: String,
    /// The prompt.
    pub prompt: Text,
    /// Its report.
    pub report: Option<Text>,
    /// How long it ran.
    #[serde(with = "millis::optional")]
    #[cfg_attr(feature = "types", ts(type = "number | null"))]
    pub duration: Option<Duration>,
    /// The number of tool calls it made.
    pub calls: Option<u64>,
    /// The number of tokens it used.
    pub tokens: Option<u64>,
}

/// The task list.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Tasks {
    /// The whole list, where the call reads or writes all of it.
    pub list: Option<Vec<TaskLine>>,
    /// The list before, where the call changes all of it.
    pub before: Option<Vec<TaskLine>>,
    /// The task that the call creates, reads or changes.
    pub one: Option<TaskLine>,
}

/// A task of the task list.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct TaskLine {
    /// The id.
    pub id: Option<String>,
    /// The description of the task.
    pub subject: String,
    /// The same while it is being done.
    pub active: Option<String>,
    /// The status; `None` where the call does not change it.
    pub status: Option<TaskStatus>,
    /// The ids of the tasks that have to be done before.
    pub after: Vec<String>,
}

/// The status of a task of the task list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum TaskStatus {
    /// It waits.
    Pending,
    /// It is being done.
    InProgress,
    /// It is done.
    Completed,
    /// It was removed.
    Deleted,
}

/// Questions to the person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Question {
    /// The questions.
    pub questions: Vec<String>,
    /// The answers.
    pub answers: Vec<Answer>,
    /// What the person wrote instead of answers.
    pub response: Option<String>,
}

/// The answer to a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Answer {
    /// The question.
    pub question: String,
    /// The answer.
    pub answer: String,
    /// What the person added.
    pub notes: Option<String>,
}

/// A skill that is loaded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Skill {
    /// The name.
    pub name: String,
    /// The arguments.
    pub arguments: Option<String>,
    /// The text that the model reads.
    pub text: Option<Text>,
}

/// Findings of a review.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Findings {
    /// The findings.
    pub findings: Vec<Finding>,
}

/// A finding of a review.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// The file.
    pub file: String,
    /// The line.
    pub line: Option<u64>,
    /// The problem.
    pub summary: String,
    /// How it shows.
    pub scenario: String,
    /// Whether it was confirmed; `None` where that is not said.
    pub confirmed: Option<bool>,
}

/// A plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Plan {
    /// The text of the plan; `None` where planning begins.
    pub text: Option<Text>,
}

/// A tool of an MCP server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Mcp {
    /// The server.
    pub server: String,
    /// The tool.
    pub tool: String,
    /// The name of the server for people.
    pub server_title: Option<String>,
    /// The name of the tool for people.
    pub tool_title: Option<String>,
    /// The arguments.
    pub arguments: Vec<Argument>,
}

/// Any other tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Generic {
    /// The input.
    #[cfg_attr(feature = "types", ts(type = "JsonValue"))]
    pub input: Value,
    /// The structured result.
    #[cfg_attr(feature = "types", ts(type = "JsonValue | null"))]
    pub output: Option<Value>,
}

impl Card {
    /// Returns the number of lines that the call changed in a file.
    #[must_use]
    pub fn changed(&self) -> Option<FileCount> {
        let (path, added, removed) = match &self.body {
            CardBody::FileChange(change) => {
                let (added, removed) = change.counts();
                (&change.path, added, removed)
            }
            CardBody::Notebook(notebook) => {
                let count = |text: &str| text.lines().count() as u64;
                let new = match notebook.edit {
                    CellEdit::Delete => 0,
                    CellEdit::Replace | CellEdit::Insert => count(&notebook.source),
                };
                let old = notebook.old.as_deref().map_or(0, count);
                (&notebook.path, new, old)
            }
            _ => return None,
        };
        Some(FileCount {
            path: path.clone(),
            added,
            removed,
        })
    }

    /// Returns the field of the input that a person can change before the call runs.
    #[must_use]
    pub fn editable(&self) -> Option<&'static str> {
        match &self.body {
            CardBody::Shell(Shell {
                action: ShellAction::Run,
                ..
            }) => Some("command"),
            CardBody::FileChange(FileChange { content: Some(_), .. }) => Some("content"),
            CardBody::FileChange(FileChange { edits, .. }) if edits.len() == 1 => Some("new_string"),
            CardBody::Plan(Plan { text: Some(_) }) => Some("plan"),
            _ => None,
        }
    }

    /// Returns whether the call only looks at files.
    #[must_use]
    pub fn only_reads(&self) -> bool {
        matches!(self.verb, Verb::Read | Verb::Find)
    }
}

impl Shell {
    /// Returns all that the command wrote.
    #[must_use]
    pub fn all_output(&self) -> String {
        match (self.output.as_deref().unwrap_or_default(), self.stderr.as_deref()) {
            (output, None) => output.to_owned(),
            ("", Some(errors)) => errors.to_owned(),
            (output, Some(errors)) => format!("{}\n{errors}", output.trim_end_matches('\n')),
        }
    }
}
