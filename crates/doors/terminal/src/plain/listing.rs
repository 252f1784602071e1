//! Lists and facts of a session as lines.

use sluice_host::conversation::ConversationState;
use sluice_wire::control::{AgentInfo, McpServerStatus, PermissionRulesState, RuleEntry};

use crate::facts::Facts;
use crate::plugins::PluginEntry;
use crate::text::clean::one_line;
use crate::view::status::mode_word;

/// The lines of `/status`.
pub(super) fn status(state: &ConversationState, facts: &Facts) -> Vec<String> {
    let session = state.session();
    let failed = session.servers.iter().filter(|server| &*server.status == "failed");
    [
        ("version", format!("sluice {}", facts.version)),
        ("folder", facts.folder_word()),
        ("session", session.id().unwrap_or("not yet").to_owned()),
        ("model", session.model.as_deref().unwrap_or(&facts.model).to_owned()),
        ("mode", session.mode.as_ref().map_or("ask", mode_word).to_owned()),
        ("settings", facts.config_dir.display().to_string()),
        ("servers", format!("{} failed", failed.count())),
    ]
    .map(|(name, value)| format!("status: {name} {}", one_line(&value)))
    .to_vec()
}

/// The lines of `/tasks`.
pub(super) fn tasks(state: &ConversationState) -> Vec<String> {
    let running = state.tasks().iter().filter(|task| task.is_open() && task.background);
    let describe = |task: &sluice_host::conversation::Task| {
        let kind = sluice_host::items::task_title(&task.kind);
        format!("{} {kind}: {}", task.id, one_line(&task.description))
    };
    numbered("task", running.map(describe).collect())
}

/// The lines of `/agents`.
pub(super) fn agents(agents: &[AgentInfo]) -> Vec<String> {
    let describe = |agent: &AgentInfo| format!("{}, {}", one_line(&agent.name), one_line(&agent.description));
    numbered("agent", agents.iter().map(describe).collect())
}

/// The lines of `/mcp`.
pub(super) fn servers(servers: &[McpServerStatus]) -> Vec<String> {
    let describe = |server: &McpServerStatus| {
        let error = server.error.iter().map(|error| format!(", {}", one_line(error)));
        format!(
            "{}, {}{}",
            one_line(&server.name),
            server.status,
            error.collect::<String>()
        )
    };
    numbered("server", servers.iter().map(describe).collect())
}

/// The lines of `/plugin`.
pub(super) fn plugins(plugins: &[PluginEntry]) -> Vec<String> {
    let describe = |plugin: &PluginEntry| {
        let word = if plugin.enabled { "enabled" } else { "disabled" };
        let parts = [plugin.version.as_ref(), plugin.problem.as_ref()].into_iter().flatten();
        let parts: String = parts.map(|part| format!(", {}", one_line(part))).collect();
        format!("{}, {word}{parts}", one_line(&plugin.id))
    };
    numbered("plugin", plugins.iter().map(describe).collect())
}

/// The lines of `/permissions`.
pub(super) fn rules(rules: &PermissionRulesState) -> Vec<String> {
    let describe = |rule: &RuleEntry| {
        let place = crate::app::place_word(&rule.source);
        format!("{} {}, {place}", rule.behavior.as_str(), one_line(&rule.rule))
    };
    numbered("rule", rules.rules.iter().map(describe).collect())
}

/// One line for each entry, or a line that there is none.
fn numbered(kind: &str, entries: Vec<String>) -> Vec<String> {
    if entries.is_empty() {
        return vec![format!("{kind}: none")];
    }
    let count = entries.len();
    let line = |(at, entry): (usize, String)| format!("{kind} {} of {count}: {entry}", at + 1);
    entries.into_iter().enumerate().map(line).collect()
}
