//! What a kind brings for its subagents besides words and tools: skills they know from the start, and servers.

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

/// What the order's kind brings. One that goes on knows its skills already.
pub(super) fn equipment(order: &Order, servers: Servers) -> Equipment {
    let (_, _, problems) = split(&order.kind);
    Equipment {
        skills: match order.again {
            Some(_) => Vec::new(),
            None => order.kind.brings.skills.clone(),
        },
        kind: order.kind.name.clone(),
        problems,
        servers: Some(servers).filter(|servers| !servers.all().is_empty()),
    }
}

/// The servers of the session a kind names, those it describes itself, and what cannot be read of it.
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

/// The servers a subagent connects to for itself. A project's run where the project may run anything.
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

/// The rules that deny a kind something, as texts: those it brings, and what one that only reads must not use.
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

/// The tools of every server a kind names, as a list of tools names them.
pub(super) fn patterns(kind: &AgentDefinition) -> Vec<String> {
    let (names, own, _) = split(kind);
    let names = names.into_iter().chain(own.into_keys());
    names
        .map(|name| format!("mcp__{}", Servers::normalised(&name)))
        .collect()
}

impl Session {
    /// Ends the servers this subagent had for itself.
    pub(super) async fn part_from_servers(&mut self) {
        if let Some(own) = self.agents.equipment().servers.take() {
            own.shut_down().await;
        }
    }
}

impl SessionLoop {
    /// Connects to the servers this subagent has for itself, and waits until it is known how they stand.
    pub(super) async fn connect_servers(&mut self) {
        for problem in std::mem::take(&mut self.session.agents.equipment().problems) {
            self.session.say(messages::informational(&problem, "warning")).await;
        }
        let Some(own) = self.session.agents.equipment().servers.take() else {
            return;
        };
        own.start();
        own.greet().await;
        if let Some(settled) = own.settled() {
            // Whoever stops it meanwhile stops it: what follows sees that by itself.
            self.wait_for(Some(pin!(settled))).await;
        }
        for link in own.all() {
            if let Phase::Down(why) = link.phase() {
                let text = format!(
                    "The agent {}: the server {} is not there: {why}",
                    self.session.agents.equipment().kind,
                    link.name
                );
                self.session.say(messages::informational(&text, "warning")).await;
            }
        }
        if let Some(tools) = &mut self.session.options.tools.offered {
            tools.extend(own.tools().iter().map(|tool| tool.descriptor().name.to_string()));
        }
        self.session.tooling.servers_mut().join(&own);
        self.session.agents.equipment().servers = Some(own);
    }

    /// Reads the skills its kind names. One that is not there is told of and costs nothing else.
    pub(super) async fn learn_skills(&mut self) {
        for name in std::mem::take(&mut self.session.agents.equipment().skills) {
            // A plugin's agent may call its plugin's skills by their short names.
            let kind = &self.session.agents.equipment().kind;
            let near = kind.rsplit_once(':').map(|(plugin, _)| format!("{plugin}:{name}"));
            let near = near.and_then(|near| self.session.commands.catalogue().find(&near));
            let Some(entry) = self.session.commands.catalogue().find(&name).or(near).cloned() else {
                let text = format!("The agent {kind} names the skill {name}, which is not there");
                self.session.say(messages::informational(&text, "warning")).await;
                continue;
            };
            let text = match self.expand(&entry, "").await {
                Ok(text) => text,
                Err(Failure::Failed(why)) => {
                    self.session.say(messages::informational(&why, "warning")).await;
                    continue;
                }
                // Whoever waits next finds out that it has to stop.
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

/// The servers it brings with it; those it only names are there already. A project's run where the project may run
/// anything, and a plugin's agents bring none: servers are the plugin's own to bring.
pub(crate) fn own_servers(kind: &AgentDefinition, settings: &Settings) -> Vec<Named> {
    let runs = match kind.origin {
        AgentOrigin::Project => settings.runs_projects(),
        AgentOrigin::Plugin => false,
        _ => true,
    };
    let configs = kind.brings.servers.iter().filter_map(Value::as_object).flatten();
    let configs = configs.map(|(name, config)| (name.clone(), ServerConfig::parse(config)));
    // One inside the host is not there for one agent alone.
    let own = configs.filter(|(_, config)| runs && !config.as_ref().is_ok_and(ServerConfig::is_sdk));
    scopes::permitted_from(settings, Scope::Dynamic, own.collect())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use sluice_catalogue::agents::Roster;

    use super::*;

    #[test]
    fn a_kind_that_only_reads_has_no_tool_that_edits_and_starts_nobody() {
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
