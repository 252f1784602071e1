//! Names and facts of the tools that start subagents and send messages to them.

use sluice_catalogue::agents::builtin;
use sluice_permission::{Decision, ToolFacts, Touches};
use sluice_tools::{Activity, Descriptor};

pub(crate) use sluice_permission::names::{AGENT, TASK};

/// The tool that sends a message to a subagent and continues it if it has ended.
pub(crate) const SEND_MESSAGE: &str = "SendMessage";
/// The tool that lists the subagents.
pub(crate) const LIST_AGENTS: &str = "ListAgents";

/// The facts of the `Agent` tool that a permission decision needs.
pub(crate) const FACTS: ToolFacts<'static> = ToolFacts {
    name: AGENT,
    aliases: &[TASK],
    touches: Touches::Agent {
        kind: "subagent_type",
        usual: builtin::GENERAL,
    },
    server: None,
};

/// Descriptor of the `Agent` tool without the list of available kinds.
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

/// Returns the error for the model if a permission rule denies a kind.
pub(crate) fn denied(kind: &str, decision: &Decision) -> String {
    let rule = decision.reason.rule.as_ref();
    let by = rule.map(|rule| format!(" by permission rule '{}' from {}", rule.text(), rule.source.as_str()));
    format!("Agent type '{kind}' has been denied{}.", by.unwrap_or_default())
}
