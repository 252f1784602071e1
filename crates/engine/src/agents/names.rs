//! The tools by which subagents are started and reached.

use sluice_permission::Decision;

/// The tool that starts one.
pub(crate) const AGENT: &str = "Agent";
/// What it used to be called.
pub(crate) const TASK: &str = "Task";
/// The tool that goes on with one.
pub(crate) const SEND_MESSAGE: &str = "SendMessage";
/// The tool that says who works.
pub(crate) const LIST_AGENTS: &str = "ListAgents";

/// What is said of a kind that a rule denies.
pub(crate) fn denied(kind: &str, decision: &Decision) -> String {
    let rule = decision.reason.rule.as_ref();
    let by = rule.map(|rule| format!(" by permission rule '{}' from {}", rule.text(), rule.source.as_str()));
    format!("Agent type '{kind}' has been denied{}.", by.unwrap_or_default())
}
