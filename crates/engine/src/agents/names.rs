//! The tools by which subagents are started and reached.

use sluice_catalogue::agents::builtin;
use sluice_permission::{Decision, ToolFacts, Touches};
use sluice_tools::{Activity, Descriptor};

pub(crate) use sluice_permission::names::{AGENT, TASK};

/// The tool that goes on with one.
pub(crate) const SEND_MESSAGE: &str = "SendMessage";
/// The tool that says who works.
pub(crate) const LIST_AGENTS: &str = "ListAgents";

/// The tool that starts one, as far as a decision depends on it.
pub(crate) const FACTS: ToolFacts<'static> = ToolFacts {
    name: AGENT,
    aliases: &[TASK],
    touches: Touches::Agent {
        kind: "subagent_type",
        usual: builtin::GENERAL,
    },
    server: None,
};

/// What is known of that tool whatever kinds of subagents there are.
pub(crate) fn undescribed() -> Descriptor {
    Descriptor {
        name: AGENT.into(),
        aliases: FACTS.aliases,
        listed_as: Some(TASK),
        touches: FACTS.touches,
        activity: Some(Activity {
            words: "",
            keys: &["description"],
        }),
        ..Descriptor::default()
    }
}

/// What is said of a kind that a rule denies.
pub(crate) fn denied(kind: &str, decision: &Decision) -> String {
    let rule = decision.reason.rule.as_ref();
    let by = rule.map(|rule| format!(" by permission rule '{}' from {}", rule.text(), rule.source.as_str()));
    format!("Agent type '{kind}' has been denied{}.", by.unwrap_or_default())
}
