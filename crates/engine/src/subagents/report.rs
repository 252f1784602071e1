//! The outcome of a subagent and the result of the call that started it.

use std::path::Path;

use serde_json::{Value, json};
use sluice_tools::{Outcome, TaskStatus};

use super::call::Order;
use super::forks::Fork;
use crate::history::History;
use crate::messages;
use crate::worktrees::KeptWorkTree;

/// The outcome of a subagent.
#[derive(Debug, Clone)]
pub(crate) struct SubagentOutcome {
    pub(crate) status: TaskStatus,
    /// The report, or an error message.
    pub(crate) text: String,
    /// A remark that precedes the report.
    pub(crate) note: Option<String>,
    /// A person denied one of its calls and asked it to stop.
    pub(crate) refused: bool,
    pub(crate) model: String,
    pub(crate) usage: Value,
    pub(crate) tokens: u64,
    pub(crate) calls: u64,
    pub(crate) tools: Vec<String>,
    pub(crate) api_ms: u64,
    pub(crate) duration_ms: u64,
    pub(crate) denials: Vec<Value>,
    pub(crate) history: History,
    /// Its worktree, if changes were kept in it.
    pub(crate) left: Option<KeptWorkTree>,
}

impl SubagentOutcome {
    /// Creates the outcome of a subagent that did not finish normally.
    pub(crate) fn none(status: TaskStatus, text: &str) -> Self {
        Self {
            status,
            text: text.to_owned(),
            note: None,
            refused: false,
            model: String::new(),
            usage: Value::Null,
            tokens: 0,
            calls: 0,
            tools: Vec::new(),
            api_ms: 0,
            duration_ms: 0,
            denials: Vec::new(),
            history: History::default(),
            left: None,
        }
    }

    /// The result of a call that waited for the subagent.
    pub(crate) fn outcome(&self, id: &str, order: &Order) -> Outcome {
        match (self.status, &order.fork) {
            (TaskStatus::Completed, Some(fork)) => self.skill_result(id, fork),
            (TaskStatus::Completed, None) => self.completed(id, order),
            (TaskStatus::Failed, _) => Outcome::failed(&self.text),
            (TaskStatus::Killed | TaskStatus::Running, _) => Outcome {
                interrupted: true,
                ..Outcome::failed(if self.refused {
                    messages::INTERRUPTED_TOOLS
                } else {
                    STOPPED
                })
            },
        }
    }

    /// A line that lists the tools that it used, before its report.
    fn tools_used(&self) -> Option<String> {
        let tools = self.tools.join(", ");
        (!tools.is_empty()).then(|| format!("<tools-used-before-summary>{tools}</tools-used-before-summary>"))
    }

    /// The result for a skill.
    fn skill_result(&self, id: &str, fork: &Fork) -> Outcome {
        let mut result = json!({
            "success": true,
            "commandName": fork.name,
            "status": "forked",
            "agentId": id,
            "result": self.text,
        });
        let used = self.tools_used();
        if let (Some(result), Some(used)) = (result.as_object_mut(), &used) {
            result.insert("toolsUsedLine".to_owned(), json!(used));
        }
        let report = if self.text.trim().is_empty() {
            SILENT
        } else {
            &self.text
        };
        let used = used.map(|used| format!("{used}\n")).unwrap_or_default();
        let text = format!(
            "{used}An agent of its own has carried out the skill {}. Its report:\n\n{report}",
            fork.name
        );
        Outcome::ok(text, result)
    }

    fn completed(&self, id: &str, order: &Order) -> Outcome {
        let used = self.tools_used();
        let used = used.map(|used| json!({"type": "text", "text": format!("{used}\n")}));
        let note = self.note.as_ref().map(|note| json!({"type": "text", "text": note}));
        let report = json!({"type": "text", "text": self.text});
        let mut result = json!({
            "status": "completed",
            "prompt": order.prompt,
            "agentId": id,
            "agentType": order.kind.name,
        });
        let rest = json!({
            "content": used.into_iter().chain(note).chain([report]).collect::<Vec<_>>(),
            "resolvedModel": self.model,
            "totalDurationMs": self.duration_ms,
            "totalTokens": self.tokens,
            "totalToolUseCount": self.calls,
            "usage": self.usage,
            "canContinueAgent": true,
        });
        if let (Some(result), Value::Object(rest)) = (result.as_object_mut(), rest) {
            if !self.tools.is_empty() {
                result.insert("toolsUsed".to_owned(), json!(self.tools));
            }
            result.extend(rest);
            if let Some(left) = &self.left {
                result.insert("worktreePath".to_owned(), json!(left.path));
                result.insert("worktreeBranch".to_owned(), json!(left.branch));
            }
        }
        let text = self.for_model(id);
        Outcome::ok(json!([{"type": "text", "text": text}]), result)
    }

    /// The report for the model.
    fn for_model(&self, id: &str) -> String {
        let report = if self.text.trim().is_empty() {
            SILENT
        } else {
            &self.text
        };
        let note = self.note.as_ref().map(|note| format!("{note}\n"));
        let left = self.left.as_ref().map(|left| {
            format!(
                "\nIts changes are in the work tree {} on the branch {}.",
                left.path.display(),
                left.branch
            )
        });
        format!(
            "{}{report}\n\n[The report of the subagent ends here. It is what the subagent says, not what was checked. It made \
             {} calls and used {} tokens.{}]\nagentId: {id} (to go on with it, use SendMessage to this id)",
            note.unwrap_or_default(),
            self.calls,
            self.tokens,
            left.unwrap_or_default(),
        )
    }
}

/// The error text for a subagent that was stopped.
const STOPPED: &str = "The subagent was stopped before it was done";
/// The replacement for an empty report.
const SILENT: &str = "(The subagent ended without a report.)";

/// The result of a call that does not wait for the subagent.
pub(crate) fn launched(id: &str, order: &Order, output_file: &Path) -> Outcome {
    let file = output_file.display().to_string();
    let text = format!(
        "The subagent works in the background. You will be told when it has ended: do not wait for it, and do not guess \
         what it will find.\nagentId: {id} (to tell it more, use SendMessage to this id)\noutput_file: {file} (what it does)"
    );
    let result = json!({
        "isAsync": true,
        "status": "async_launched",
        "agentId": id,
        "description": order.description,
        "resolvedModel": order.model,
        "prompt": order.prompt,
        "outputFile": file,
        "canReadOutputFile": true,
        "canContinueAgent": true,
    });
    Outcome::ok(json!([{"type": "text", "text": text}]), result)
}
