//! The table of tools: title, verb and details of a card by the name of the tool.
//!
//! Together with `permission::names` and the tools themselves this is the only place that knows names of tools. It covers
//! the tools of the reference CLI, old and new; a tool that is not listed gets a generic card.

mod files;
mod lists;
mod others;
mod shell;

use serde_json::Value;

use super::Text;
use super::card::{Card, CardBody, Generic, Subject, Verb};

/// The result of a tool call, as cards read it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Outcome<'a> {
    /// What the model reads.
    pub(crate) text: &'a Text,
    /// `tool_use_result`: what the tool returned besides.
    pub(crate) value: &'a Value,
    /// Whether the call failed.
    pub(crate) failed: bool,
}

/// A call, as cards read it.
struct Call<'a> {
    input: &'a Value,
    outcome: Option<Outcome<'a>>,
}

/// Returns the subject and the details of a call.
type Build = fn(&Call<'_>) -> (Subject, CardBody);

/// Tools that are shown alike.
struct Known {
    names: &'static [&'static str],
    /// The title, where it is not the name of the tool.
    title: Option<&'static str>,
    verb: Verb,
    build: Build,
}

const fn known(names: &'static [&'static str], verb: Verb, build: Build) -> Known {
    Known {
        names,
        title: None,
        verb,
        build,
    }
}

const fn titled(title: &'static str, names: &'static [&'static str], verb: Verb, build: Build) -> Known {
    Known {
        names,
        title: Some(title),
        verb,
        build,
    }
}

/// The title of commands.
const SHELL: &str = "Bash";
/// The tool that loads skills.
const SKILL: &str = "Skill";
/// The title of subagents.
const AGENT: &str = "Agent";

/// Every tool that is known.
const TABLE: &[Known] = &[
    known(&[SHELL, "PowerShell"], Verb::Run, shell::run),
    known(&["BashOutput", "TaskOutput"], Verb::Control, shell::output),
    known(&["KillShell", "TaskStop"], Verb::Control, shell::stop),
    known(&["Read"], Verb::Read, files::read),
    known(&["Edit", "MultiEdit", "Write"], Verb::Edit, files::change),
    known(&["NotebookEdit"], Verb::Edit, files::notebook),
    known(&["Grep"], Verb::Find, files::grep),
    known(&["Glob"], Verb::Find, files::glob),
    known(&["LS"], Verb::Find, files::folder),
    known(&["ToolSearch"], Verb::Use, files::tools),
    known(&["WebFetch", "web_fetch"], Verb::Fetch, others::fetch),
    known(&["WebSearch", "web_search"], Verb::Search, others::search),
    titled(AGENT, &["Task", AGENT], Verb::Delegate, others::agent),
    known(&["SendMessage"], Verb::Delegate, |call| {
        call.phrase(&["message", "content"])
    }),
    known(&["Workflow"], Verb::Delegate, |call| call.phrase(&["title", "name"])),
    titled("Tasks", &["TodoWrite", "TaskList"], Verb::Track, lists::all),
    titled(
        "Tasks",
        &["TaskCreate", "TaskUpdate", "TaskGet"],
        Verb::Track,
        lists::one,
    ),
    known(&["AskUserQuestion"], Verb::Ask, lists::questions),
    known(&["ExitPlanMode", "EnterPlanMode"], Verb::Plan, lists::plan),
    known(&["SetGoal"], Verb::Plan, |call| call.phrase(&["goal", "condition"])),
    known(&[SKILL], Verb::Use, others::skill),
    known(&["StructuredOutput"], Verb::Use, |call| (Subject::None, call.generic())),
    known(&["ReportFindings"], Verb::Use, others::findings),
    known(&["Monitor"], Verb::Wait, |call| {
        call.phrase(&["description", "command"])
    }),
    known(&["ScheduleWakeup"], Verb::Wait, |call| {
        call.phrase(&["reason", "prompt"])
    }),
    known(&["CronCreate", "CronDelete"], Verb::Wait, |call| {
        call.phrase(&["prompt", "id"])
    }),
    known(&["CronList"], Verb::Wait, |call| (Subject::None, call.generic())),
    known(&["EnterWorktree", "ExitWorktree"], Verb::Use, |call| {
        call.phrase(&["name", "path", "action"])
    }),
    known(
        &["ListMcpResourcesTool", "ReadMcpResourceTool", "ReadMcpResourceDirTool"],
        Verb::Use,
        |call| call.phrase(&["uri", "server"]),
    ),
];

/// The name of the tool whose answer is part of its input.
pub(crate) fn is_question(tool: &str) -> bool {
    lookup(tool).is_some_and(|known| known.verb == Verb::Ask)
}

/// Returns whether calls of a tool change files.
pub(crate) fn changes_files(tool: &str) -> bool {
    lookup(tool).is_some_and(|known| known.verb == Verb::Edit)
}

/// Returns whether a tool reads or changes the task list.
pub(crate) fn tracks_tasks(tool: &str) -> bool {
    lookup(tool).is_some_and(|known| known.verb == Verb::Track)
}

/// Returns whether the text that a tool loads follows its result as a message.
pub(crate) fn loads_text(tool: &str) -> bool {
    tool == SKILL
}

/// Returns whether a tool runs commands.
pub(crate) fn runs_commands(tool: &str) -> bool {
    lookup(tool).is_some_and(|known| known.verb == Verb::Run)
}

/// Returns the title for a task of this kind (`local_bash`, `local_agent` and others).
#[must_use]
pub fn task_title(kind: &str) -> &'static str {
    if kind == "local_agent" { AGENT } else { SHELL }
}

fn lookup(tool: &str) -> Option<&'static Known> {
    TABLE.iter().find(|known| known.names.contains(&tool))
}

impl Card {
    /// Returns the card of a call that has no result yet.
    #[must_use]
    pub fn of_input(tool: &str, input: &Value) -> Self {
        Self::of(tool, input, None)
    }

    /// Returns the card of a call.
    pub(crate) fn of(tool: &str, input: &Value, outcome: Option<Outcome<'_>>) -> Self {
        let call = Call { input, outcome };
        if let Some((server, name)) = tool.strip_prefix("mcp__").and_then(|rest| rest.split_once("__")) {
            let (subject, body) = others::mcp(&call, server, name);
            return Self {
                title: format!("{server}/{name}").into(),
                verb: Verb::Use,
                subject,
                body,
            };
        }
        let Some(known) = lookup(tool) else {
            return Self {
                title: tool.into(),
                verb: Verb::Use,
                subject: call.whole_input(),
                body: call.generic(),
            };
        };
        let (subject, body) = (known.build)(&call);
        Self {
            title: known.title.unwrap_or(tool).into(),
            verb: known.verb,
            subject,
            body,
        }
    }
}

impl<'a> Call<'a> {
    /// Returns a text of the input; empty if it is missing.
    fn word(&self, name: &str) -> String {
        self.input.word(name).unwrap_or_default().to_owned()
    }

    /// Returns a text of the input that may be missing.
    fn optional(&self, name: &str) -> Option<String> {
        self.input.word(name).filter(|text| !text.is_empty()).map(str::to_owned)
    }

    /// Returns a text of the input; empty if it is missing.
    fn text(&self, name: &str) -> Text {
        self.input.text(name).unwrap_or_default()
    }

    /// The structured result, unless the call failed.
    fn value(&self) -> Option<&'a Value> {
        self.outcome
            .filter(|outcome| !outcome.failed)
            .map(|outcome| outcome.value)
            .filter(|value| value.is_object())
    }

    /// A card with the first of these inputs as its subject.
    fn phrase(&self, names: &[&str]) -> (Subject, CardBody) {
        let found = names.iter().find_map(|name| self.optional(name));
        (found.map_or(Subject::None, Subject::Phrase), self.generic())
    }

    fn generic(&self) -> CardBody {
        CardBody::Generic(Generic {
            input: self.input.clone(),
            output: self
                .outcome
                .map(|outcome| outcome.value.clone())
                .filter(|value| !value.is_null()),
        })
    }

    fn whole_input(&self) -> Subject {
        match self.input {
            Value::Null => Subject::None,
            Value::Object(fields) if fields.is_empty() => Subject::None,
            other => Subject::Input(other.to_string()),
        }
    }
}

/// Fields of JSON objects. A field of another kind counts as missing.
trait Fields {
    fn word(&self, name: &str) -> Option<&str>;
    fn text(&self, name: &str) -> Option<Text>;
    fn count(&self, name: &str) -> Option<u64>;
    fn is(&self, name: &str) -> bool;
    fn list(&self, name: &str) -> Option<&[Value]>;
}

impl Fields for Value {
    fn word(&self, name: &str) -> Option<&str> {
        self.get(name)?.as_str()
    }

    fn text(&self, name: &str) -> Option<Text> {
        Text::of(self.get(name)?)
    }

    fn count(&self, name: &str) -> Option<u64> {
        self.get(name)?.as_u64()
    }

    fn is(&self, name: &str) -> bool {
        self.get(name).and_then(Self::as_bool) == Some(true)
    }

    fn list(&self, name: &str) -> Option<&[Self]> {
        Some(self.get(name)?.as_array()?.as_slice())
    }
}

#[cfg(test)]
mod table_tests;
#[cfg(test)]
mod tests;
