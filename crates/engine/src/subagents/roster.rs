//! The kinds of subagents in a session, and synchronization with the other sessions of the group.

use std::sync::Arc;

use serde_json::{Value, json};
use sluice_catalogue::agents::{AgentDefinition, AgentOrigin, Roster};
use sluice_model::measure;
use sluice_permission::PermissionMode;
use sluice_tools::{Tool, World};
use sluice_wire::control::AgentInfo;

use super::{call, list, message};
use crate::agents::shared::SharedSettings;
use crate::agents::{names, of_files};
use crate::messages;
use crate::session::Session;

/// The custom agents for `get_context_usage`, each with the tokens that its description takes.
pub(crate) fn in_context(roster: &Roster) -> Vec<(Value, u64)> {
    let written = roster.kinds().filter(|kind| kind.origin != AgentOrigin::BuiltIn);
    written
        .map(|kind| {
            let line = Value::String(format!("- {}: {}", kind.name, kind.description));
            let tokens = measure::tokens(&line);
            let mut entry = json!({"agentType": kind.name, "source": kind.origin.source(), "tokens": tokens});
            if let Some(map) = entry.as_object_mut() {
                let path = kind.path.as_ref().map(|path| ("path".to_owned(), json!(path)));
                let plugin = kind.name.split_once(':').filter(|_| kind.origin == AgentOrigin::Plugin);
                map.extend(path);
                map.extend(plugin.map(|(plugin, _)| ("pluginId".to_owned(), json!(plugin))));
            }
            (entry, tokens)
        })
        .collect()
}

/// The kinds of subagents for the response to `initialize`.
pub(crate) fn infos(roster: &Roster) -> Vec<AgentInfo> {
    let info = |kind: &AgentDefinition| AgentInfo {
        name: kind.name.clone(),
        description: kind.description.clone(),
        model: kind.model.clone(),
        ..AgentInfo::default()
    };
    roster.kinds().map(info).collect()
}

/// Ranks a mode by how much it allows without a permission request. Unknown modes rank like `default`.
fn permissiveness(mode: &PermissionMode) -> u8 {
    match mode {
        PermissionMode::Plan => 0,
        PermissionMode::DontAsk => 1,
        PermissionMode::AcceptEdits => 3,
        PermissionMode::Auto => 4,
        PermissionMode::BypassPermissions => 5,
        _ => 2,
    }
}

impl Session {
    /// Returns the kinds of subagents, loading them if necessary.
    pub(crate) fn load_roster(&mut self) -> Arc<Roster> {
        if let Some(roster) = self.agents.roster() {
            return roster.clone();
        }
        let read = || of_files(&self.options, self.commands.catalogue());
        let roster = Arc::new(self.agents.read_roster(read));
        self.offer_kinds(roster.clone());
        roster
    }

    /// Reports problems with definitions, each once.
    pub(crate) async fn report_agent_problems(&mut self) {
        for problem in self.agents.take_problems() {
            if self.line.report_once(&problem) {
                self.emit(messages::informational(&problem, "warning")).await;
            }
        }
    }

    /// Offers tools for these kinds.
    pub(super) fn offer_kinds(&mut self, roster: Arc<Roster>) {
        let shown = |name: &str| {
            let allowed = self.agents.may_start();
            allowed.is_none_or(|types| types.iter().any(|known| known == name)) && !self.denies_kind(name)
        };
        let kinds = roster.kinds().filter(|kind| shown(&kind.name));
        let start = call::AgentTool::new(kinds, self.agents.brief_slot().clone());
        let send = message::SendMessage::new(self.agents.brief_slot().clone());
        let list = list::ListAgents::new(self.agents.brief_slot().clone());
        let of_ours = |name: &str| [names::AGENT, names::SEND_MESSAGE, names::LIST_AGENTS].contains(&name);
        let tools: [Arc<dyn Tool>; 3] = [Arc::new(start), Arc::new(send), Arc::new(list)];
        self.tooling
            .replace_extras(|tool| of_ours(&tool.descriptor().name), tools);
        self.agents.set_roster(roster);
    }

    fn denies_kind(&self, name: &str) -> bool {
        let input = serde_json::json!({"subagent_type": name});
        self.decide(names::FACTS, &input).behavior == sluice_permission::Verdict::Deny
    }

    /// Stores definitions of the host.
    pub(crate) fn set_host_agents(&mut self, agents: Option<Value>) {
        if let Some(agents) = agents {
            self.agents.name_kinds(agents);
        }
    }

    /// Drops the loaded kinds, since files may have changed. They are loaded again when needed.
    pub(crate) fn forget_agents(&mut self) {
        self.agents.forget();
    }

    /// The names of the kinds for `init`.
    pub(crate) fn agent_names(&self) -> Vec<String> {
        self.agents.roster().map(|roster| roster.names()).unwrap_or_default()
    }

    /// Applies permission and settings changes made by other sessions of the group.
    pub(crate) async fn apply_shared_changes(&mut self) {
        self.apply_shared_settings();
        let updates = self.agents.new_amendments();
        let own_mode = self.agents.identity().is_some_and(|identity| identity.own_mode);
        for update in updates {
            if own_mode
                && let sluice_permission::PermissionUpdate::SetMode(set) = &update
                && permissiveness(&set.mode) >= permissiveness(&self.policy.mode)
            {
                continue;
            }
            let before = self.policy.mode.clone();
            let places = self.options.settings.places().clone();
            let root = |source| places.root(source);
            let applied = self.change_policy(|policy| sluice_permission::apply(policy, &update, &root, &World));
            if let Ok(Some(_)) = applied {
                // The rule was saved to a file, which is reloaded.
                self.reread_settings();
            }
            if self.policy.mode != before {
                self.emit(messages::mode(&self.policy.mode)).await;
            }
        }
    }

    /// Applies the settings of the top session to a subagent.
    fn apply_shared_settings(&mut self) {
        if let Some(shared_settings) = self.agents.new_settings() {
            self.apply_settings(shared_settings.settings.clone());
            self.hooks.inherit(&shared_settings.hooks);
        }
    }

    /// Publishes the settings to the subagents.
    pub(crate) fn publish_settings(&self) {
        if self.agents.identity().is_none() {
            self.agents.shared().publish(SharedSettings {
                settings: self.options.settings.clone(),
                hooks: self.hooks_for_agents(),
            });
        }
    }

    /// Publishes a permission change to the other sessions of the group.
    pub(crate) fn amend(&mut self, update: &sluice_permission::PermissionUpdate) {
        self.agents.amend(update);
    }

    /// Publishes a mode change of the host to the other sessions of the group.
    pub(crate) fn amend_mode(&mut self, mode: &sluice_permission::PermissionMode) {
        let update = sluice_wire::permission_update::SetMode {
            mode: mode.clone(),
            destination: sluice_wire::permission_update::Destination::Session,
            ..Default::default()
        };
        self.amend(&update.into());
    }

    /// Sets the state to `requires_action` while the session or a subagent waits for a person.
    pub(crate) async fn update_waiting_state(&mut self) {
        let own = !self.calls.open_asks().is_empty();
        let theirs = !self.agents.shared().open_asks().is_empty();
        if own || theirs {
            self.enter(messages::State::RequiresAction).await;
        } else if self.line.state() == messages::State::RequiresAction {
            let state = if self.turn.is_open() {
                messages::State::Running
            } else {
                messages::State::Idle
            };
            self.enter(state).await;
        }
    }
}
