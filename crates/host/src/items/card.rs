//! `Card`: what a tool call does and what came of it, without the name of the tool.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::FileCount;

/// What a tool call does and what came of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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
#[serde(rename_all = "snake_case")]
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
pub struct Argument {
    /// The name.
    pub name: String,
    /// The value.
    pub value: ArgumentValue,
}

/// The value of an argument.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ArgumentValue {
    /// Text.
    Text(String),
    /// Any other value, as JSON.
    Json(String),
}

/// The details of a card.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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
    /// A tool of an MCP server.
    Mcp(Mcp),
    /// Any other tool.
    Generic(Generic),
}

/// A command.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shell {
    /// The operation.
    pub action: ShellAction,
    /// The command line.
    pub command: String,
    /// The purpose, as the model describes it.
    pub about: Option<String>,
    /// The output, once it has ended.
    pub output: Option<String>,
    /// The exit code, if it failed.
    pub exit_code: Option<i32>,
    /// The id of the task that it continues as in the background.
    pub task: Option<String>,
    /// Whether a person moved it to the background.
    pub moved: bool,
}

/// The kind of operation on a command.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
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

/// A file that is read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileRead {
    /// The path.
    pub path: String,
    /// The content; `None` before the result.
    pub content: Option<ReadContent>,
}

/// The content of a file that was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReadContent {
    /// Lines of text.
    Lines {
        /// The number of the first line.
        first: u64,
        /// The number of lines that were read.
        count: u64,
        /// The number of lines of the file.
        total: u64,
    },
    /// An image.
    Image {
        /// Width and height in pixels.
        size: Option<(u64, u64)>,
        /// The size in bytes.
        bytes: Option<u64>,
    },
    /// A notebook.
    Notebook {
        /// The number of cells.
        cells: u64,
    },
    /// Something else, as the tool names it, such as `pdf`.
    Other {
        /// The kind.
        kind: String,
        /// The size in bytes.
        bytes: Option<u64>,
    },
}

/// A file that is changed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileChange {
    /// The path.
    pub path: String,
    /// The whole new content, for a file that is written.
    pub content: Option<String>,
    /// The replacements, for a file that is edited.
    pub edits: Vec<Replacement>,
    /// Whether the file is new. Known once it was written.
    pub created: bool,
    /// The change as hunks. Known once it was made.
    pub hunks: Vec<Hunk>,
}

/// A text that replaces another one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Replacement {
    /// The old text.
    pub old: String,
    /// The new text.
    pub new: String,
    /// Whether every occurrence is replaced.
    pub all: bool,
}

/// A part of a diff.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hunk {
    /// The number of the first line in the old file.
    pub old_start: u64,
    /// The number of the first line in the new file.
    pub new_start: u64,
    /// The lines, each after `+`, `-` or a space.
    pub lines: Vec<String>,
}

/// A cell of a notebook that is changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notebook {
    /// The path of the notebook.
    pub path: String,
    /// The id of the cell.
    pub cell: String,
    /// The kind of cell: `code` or `markdown`.
    pub kind: String,
    /// The kind of change.
    pub edit: CellEdit,
    /// The new source.
    pub source: String,
    /// The source before.
    pub old: Option<String>,
}

/// The kind of change of a notebook cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CellEdit {
    /// Its source is replaced.
    Replace,
    /// It is inserted.
    Insert,
    /// It is deleted.
    Delete,
}

/// A search in files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Search {
    /// The kind of search.
    pub kind: SearchKind,
    /// The pattern.
    pub pattern: String,
    /// The number of matches or matching lines.
    pub hits: Option<u64>,
    /// The number of files.
    pub files: Option<u64>,
    /// The matching lines, where the search returned lines.
    pub lines: Option<String>,
    /// The names of the files, where the search returned names.
    pub names: Option<Vec<String>>,
}

/// The kind of search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SearchKind {
    /// The text of files.
    Text,
    /// The names of files.
    Names,
    /// Tools that the model can load.
    Tools,
}

/// The web.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Web {
    /// A page is read.
    Fetch(WebFetch),
    /// A search engine is asked.
    Search(WebSearch),
}

/// A web page that is read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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
    pub answer: Option<String>,
}

/// A search engine that is asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WebSearch {
    /// The query.
    pub query: String,
    /// The results.
    pub hits: Vec<WebHit>,
}

/// A result of a search engine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WebHit {
    /// The title.
    pub title: String,
    /// The address.
    pub url: String,
}

/// A subagent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subagent {
    /// The kind of subagent.
    pub kind: Option<String>,
    /// The purpose, in a few words.
    pub description: String,
    /// The prompt.
    pub prompt: String,
    /// Its report.
    pub report: Option<String>,
    /// How long it ran.
    pub duration: Option<Duration>,
    /// The number of tool calls it made.
    pub calls: Option<u64>,
    /// The number of tokens it used.
    pub tokens: Option<u64>,
}

/// The task list.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tasks {
    /// The whole list, where the call reads or writes all of it.
    pub list: Option<Vec<TaskLine>>,
    /// The task that the call creates, reads or changes.
    pub one: Option<TaskLine>,
}

/// A task of the task list.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskLine {
    /// The id.
    pub id: Option<String>,
    /// The description of the task.
    pub subject: String,
    /// The same while it is being done.
    pub active: Option<String>,
    /// The status: `pending`, `in_progress`, `completed` or `deleted`; `None` where the call does not change it.
    pub status: Option<String>,
    /// The ids of the tasks that have to be done before.
    pub after: Vec<String>,
}

/// Questions to the person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    /// The questions.
    pub questions: Vec<String>,
    /// The answers: each question with its answer.
    pub answers: Vec<(String, String)>,
}

/// A plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// The text of the plan; `None` where planning begins.
    pub text: Option<String>,
}

/// A tool of an MCP server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mcp {
    /// The server.
    pub server: String,
    /// The tool.
    pub tool: String,
    /// The arguments.
    pub arguments: Vec<Argument>,
}

/// Any other tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Generic {
    /// The input.
    pub input: Value,
    /// The structured result.
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

impl FileChange {
    /// Returns the number of lines that were added and removed.
    #[must_use]
    pub fn counts(&self) -> (u64, u64) {
        if self.hunks.is_empty() {
            let lines = self.content.as_deref().map_or(0, |text| text.lines().count() as u64);
            return (lines, 0);
        }
        let lines = self.hunks.iter().flat_map(|hunk| &hunk.lines);
        lines.fold((0, 0), |(added, removed), line| match line.as_bytes().first() {
            Some(b'+') => (added + 1, removed),
            Some(b'-') => (added, removed + 1),
            _ => (added, removed),
        })
    }
}
