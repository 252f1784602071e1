//! Sets up the skills and MCP servers of a kind.

use std::pin::pin;

use indexmap::IndexMap;
use serde_json::Value;
use sluice_catalogue::agents::{AgentDefinition, AgentOrigin};
use sluice_servers::scopes::{self, Dynamic, Named, Scope};
use sluice_servers::{Phase, ServerConfig, Servers};
use sluice_settings::Settings;
use sluice_tools::Toolbox;

use super::call::Order;
use crate::agents::{Equipment, names};
use crate::commands::Failure;
use crate::messages;
use crate::session::Session;
use crate::session_loop::SessionLoop;

/// The equipment of a subagent. A continued subagent has its skills already.
pub(super) fn equipment(order: &Order, servers: Servers) -> Equipment {
    let (_, _, problems) = split(&order.kind);
    Equipment {
        skills: match order.continued {
            Some(_) => Vec::new(),
            None => order.kind.brings.skills.clone(),
        },
        kind: order.kind.name.clone(),
        problems,
        servers: Some(servers).filter(|servers| !servers.all().is_empty()),
    }
}

/// Splits the servers of a kind into names of session servers, its own definitions, and problems.
fn split(kind: &AgentDefinition) -> (Vec<String>, IndexMap<String, ServerConfig>, Vec<String>) {
    let (mut names, mut own, mut problems) = (Vec::new(), IndexMap::new(), Vec::new());
    for entry in &kind.brings.servers {
        match entry {
            Value::String(name) => names.push(name.clone()),
            Value::Object(map) => {
                for (name, config) in map {
                    match ServerConfig::parse(config) {
                        Ok(config) => {
                            own.insert(name.clone(), config);
                        }
                        Err(why) => problems.push(format!("The agent {}: the server {name}: {why}", kind.name)),
                    }
                }
            }
            other => problems.push(format!("The agent {}: {other} is no server", kind.name)),
        }
    }
    (names, own, problems)
}

/// The servers that a subagent connects to itself. Those of a project require that the project may run programs.
pub(super) fn servers(order: &Order, settings: &Settings) -> Dynamic {
    let runs = order.kind.origin != AgentOrigin::Project || settings.runs_projects();
    match runs {
        true => split(&order.kind)
            .1
            .into_iter()
            .map(|(name, config)| (name, Ok(config)))
            .collect(),
        false => Dynamic::new(),
    }
}

/// The deny rules of a kind: its own, and those for editing tools if it is read-only.
pub(super) fn denied(kind: &AgentDefinition, toolbox: &Toolbox) -> Vec<String> {
    let mut denied = kind.limits.disallowed.clone();
    if kind.limits.only_reads {
        let tools = toolbox.iter().map(|tool| tool.descriptor());
        denied.extend(
            tools
                .filter(|tool| tool.touches.edits())
                .map(|tool| tool.name.to_string()),
        );
        denied.push(names::AGENT.to_owned());
    }
    denied
}

/// Tool patterns for the servers of a kind.
pub(super) fn patterns(kind: &AgentDefinition) -> Vec<String> {
    let (names, own, _) = split(kind);
    let names = names.into_iter().chain(own.into_keys());
    names
        .map(|name| format!("mcp__{}", Servers::normalised(&name)))
        .collect()
}

impl Session {
    /// Disconnects the servers that belong to this subagent.
    pub(super) async fn disconnect_own_servers(&mut self) {
        if let Some(own) = self.agents.equipment().servers.take() {
            own.shut_down().await;
        }
    }
}

impl SessionLoop {
    /// Connects to the servers that belong to this subagent, and waits until they are connected or have failed.
    pub(super) async fn connect_servers(&mut self) {
        for problem in std::mem::take(&mut self.session.agents.equipment().problems) {
            self.session.emit(messages::informational(&problem, "warning")).await;
        }
        let Some(own) = self.session.agents.equipment().servers.take() else {
            return;
        };
        own.start();
        own.greet().await;
        if let Some(settled) = own.settled() {
            // If the subagent is stopped meanwhile, the caller notices.
            self.wait_for(Some(pin!(settled))).await;
        }
        for link in own.all() {
            if let Phase::Down(why) = link.phase() {
                let text = format!(
                    "The agent {}: the server {} is not there: {why}",
                    self.session.agents.equipment().kind,
                    link.name
                );
                self.session.emit(messages::informational(&text, "warning")).await;
            }
        }
        if let Some(tools) = &mut self.session.options.tools.offered {
            tools.extend(own.tools().iter().map(|tool| tool.descriptor().name.to_string()));
        }
        self.session.tooling.servers_mut().join(&own);
        self.session.agents.equipment().servers = Some(own);
    }

    /// Preloads the skills of its kind. A missing skill is reported and skipped.
    pub(super) async fn preload_skills(&mut self) {
        for name in std::mem::take(&mut self.session.agents.equipment().skills) {
            // An agent of a plugin may use short names for skills of the plugin.
            let kind = &self.session.agents.equipment().kind;
            let near = kind.rsplit_once(':').map(|(plugin, _)| format!("{plugin}:{name}"));
            let near = near.and_then(|near| self.session.commands.catalogue().find(&near));
            let Some(entry) = self.session.commands.catalogue().find(&name).or(near).cloned() else {
                let text = format!("The agent {kind} names the skill {name}, which is not there");
                self.session.emit(messages::informational(&text, "warning")).await;
                continue;
            };
            let text = match self.expand(&entry, "").await {
                Ok(text) => text,
                Err(Failure::Failed(why)) => {
                    self.session.emit(messages::informational(&why, "warning")).await;
                    continue;
                }
                // The next wait notices that the turn has to stop.
                Err(Failure::Stopped) => return,
            };
            let name = &entry.name;
            let text = format!(
                "<command-message>{name}</command-message>\n<command-name>{name}</command-name>\n\
                 <skill-format>true</skill-format>\n\n{text}"
            );
            self.session.keep_meta(&text).await;
            self.session.conversation.history.user_text(&text);
        }
    }
}

/// The servers that a kind defines; those it only names exist already. Servers of a project require that the project
/// may run programs. Agents of plugins cannot define servers; plugins define them directly.
pub(crate) fn own_servers(kind: &AgentDefinition, settings: &Settings) -> Vec<Named> {
    let runs = match kind.origin {
        AgentOrigin::Project => settings.runs_projects(),
        AgentOrigin::Plugin => false,
        _ => true,
    };
    let configs = kind.brings.servers.iter().filter_map(Value::as_object).flatten();
    let configs = configs.map(|(name, config)| (name.clone(), ServerConfig::parse(config)));
    // Servers inside the host cannot belong to a single agent.
    let own = configs.filter(|(_, config)| runs && !config.as_ref().is_ok_and(ServerConfig::is_sdk));
    scopes::permitted_from(settings, Scope::Dynamic, own.collect())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use sluice_catalogue::agents::Roster;

    use super::*;

    #[test]
    fn read_only_kinds_cannot_edit_or_start_subagents() {
        let roster = Roster::builtin();
        let denied = |kind: &str| {
            let mut denied = denied(roster.find(kind).unwrap(), &Toolbox::default());
            denied.sort();
            denied
        };
        for kind in ["Explore", "Plan"] {
            assert_eq!(denied(kind), ["Agent", "Edit", "NotebookEdit", "Write"], "{kind}");
        }
        assert!(denied("general-purpose").is_empty());
    }
}
