//! Lists of commands, skills and plugins for hosts and the model, and reloading them.

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Map, Value};
use sluice_catalogue::builtin::{Builtin, Does, LISTED};
use sluice_catalogue::plugins::PluginDir;
use sluice_model::models;
use sluice_settings::keys;
use sluice_tools::Tool;
use sluice_wire::Raw;
use sluice_wire::control::{
    ReloadOutputStylesResponse, ReloadPlugins, ReloadPluginsResponse, ReloadSkillsResponse, RequestId, SlashCommand,
};
use sluice_wire::stdout::system::{CommandsChanged, Plugin, PluginError};

use super::skill::SkillTool;
use crate::catalogue::entry::{Entry, Kind};
use crate::catalogue::listing::{self, Budget};
use crate::catalogue::plugins;
use crate::catalogue::plugins::builtin::{Part, SOURCE};
use crate::catalogue::styles;
use crate::commands::{SKILL, SkillListChange, SkillUsage};
use crate::messages;
use crate::session::Session;
use crate::subagents;

impl Session {
    /// All commands for the host, including prompts of MCP servers.
    pub(crate) fn commands(&self) -> Vec<SlashCommand> {
        if self.options.catalogue.without_commands {
            return Vec::new();
        }
        let ours = self.own_commands().map(|command| SlashCommand {
            name: command.name.to_owned(),
            description: command.description.to_owned(),
            argument_hint: Some(command.argument_hint.to_owned()),
            aliases: (!command.aliases.is_empty())
                .then(|| command.aliases.iter().map(|&alias| alias.to_owned()).collect()),
            builtin: Some(true),
            ..SlashCommand::default()
        });
        let found = self.commands.catalogue().for_people().map(to_command);
        found.chain(ours).chain(self.server_commands()).collect()
    }

    /// The built-in commands that are enabled and not replaced by a file with the same name.
    fn own_commands(&self) -> impl Iterator<Item = &'static Builtin> {
        let shown =
            |command: &&Builtin| self.has_builtin(**command) && self.commands.catalogue().find(command.name).is_none();
        LISTED.iter().filter(shown)
    }

    /// The command names for `init`.
    pub(crate) fn command_names(&self) -> Vec<String> {
        if self.options.catalogue.without_commands {
            return Vec::new();
        }
        let found = self.commands.catalogue().for_people();
        found
            .map(|entry| entry.name.clone())
            .chain(self.own_commands().map(|command| command.name.to_owned()))
            .chain(self.server_commands().into_iter().map(|command| command.name))
            .collect()
    }

    /// True if a built-in command is enabled.
    pub(super) fn has_builtin(&self, command: Builtin) -> bool {
        let part = Part::of_command(command.name);
        part.is_none_or(|part| part.is_on(&self.options.settings))
            && (command.does != Does::Compact || self.may_compact())
    }

    /// The skill names for `init`.
    pub(crate) fn skill_names(&self) -> Vec<String> {
        let skills = self
            .commands
            .catalogue()
            .entries
            .iter()
            .filter(|entry| entry.kind == Kind::Skill);
        skills.map(|entry| entry.name.clone()).collect()
    }

    /// The loaded plugins.
    pub(crate) fn plugin_infos(&self) -> Vec<Plugin> {
        let plugins = self.commands.catalogue().plugins.list.iter();
        let lines = plugins.map(|plugin| Plugin {
            name: plugin.name.clone(),
            path: plugin.root.display().to_string(),
            source: Some(plugin.source.clone()),
            version: plugin.version.clone(),
            ..Plugin::default()
        });
        let parts = Part::ALL.into_iter().filter(|part| part.is_on(&self.options.settings));
        lines
            .chain(parts.map(|part| Plugin {
                name: part.name().to_owned(),
                path: SOURCE.to_owned(),
                source: Some(part.source()),
                ..Plugin::default()
            }))
            .collect()
    }

    /// Plugins and files with errors; `None` if there are none.
    pub(crate) fn plugin_errors(&self) -> Option<Vec<PluginError>> {
        let errors = self
            .commands
            .catalogue()
            .plugins
            .errors
            .iter()
            .map(|error| PluginError {
                plugin: error.plugin.clone(),
                kind: error.kind.to_owned(),
                message: error.message.clone(),
                path: error.path.as_ref().map(|path| path.display().to_string()),
                ..PluginError::default()
            });
        let errors: Vec<PluginError> = errors.collect();
        (!errors.is_empty()).then_some(errors)
    }

    /// The name of the selected output style, whether or not it exists.
    pub(crate) fn style_name(&self) -> String {
        let chosen = self.options.settings.string(&keys::OUTPUT_STYLE);
        chosen.unwrap_or(styles::DEFAULT).to_owned()
    }

    /// The folder for output styles of the user.
    pub(crate) fn user_styles_dir(&self) -> String {
        let places = self.options.settings.places();
        places.config_dir.join("output-styles").display().to_string()
    }

    /// Selects an output style for this session.
    pub(crate) fn set_style(&mut self, name: &str) {
        let changes = Map::from_iter([(keys::OUTPUT_STYLE.name.to_owned(), Value::from(name))]);
        self.override_settings(&changes);
    }

    /// Reports problems of the files, each once.
    pub(crate) async fn report_catalogue_problems(&mut self) {
        if !self.commands.take_problem_report() {
            return;
        }
        let problems: Vec<String> = self
            .commands
            .catalogue()
            .problems
            .iter()
            .map(ToString::to_string)
            .collect();
        for problem in problems {
            self.emit(messages::informational(&problem, "warning")).await;
        }
    }

    /// Adds a reminder with the list of skills to the conversation, if the list is new or has changed.
    pub(crate) fn remind_of_skills(&mut self) {
        if !self.offers_skills() {
            return;
        }
        let list = listing::list(self.commands.catalogue().for_model(), self.skill_budget());
        let text = list.clone().unwrap_or_default();
        let now = match self.commands.set_listed_skills(list) {
            SkillListChange::Nothing => return,
            SkillListChange::First => "",
            SkillListChange::Changed => " now",
        };
        self.conversation.history.remind(&format!(
            "<system-reminder>\nThese skills can{now} be taken up with the Skill tool:\n{text}\n</system-reminder>"
        ));
    }

    fn offers_skills(&self) -> bool {
        self.tooling.extras().iter().any(|tool| tool.descriptor().name == SKILL)
    }

    fn skill_budget(&self) -> Budget {
        let settings = &self.options.settings;
        Budget::new(
            models::facts(&self.model.name).window,
            settings.number(&keys::SKILL_LISTING_BUDGET_FRACTION),
            settings.number(&keys::SKILL_LISTING_MAX_DESC_CHARS),
        )
    }

    /// Numbers of skills and commands, and how much of the context their list takes.
    pub(crate) fn skill_usage(&self) -> SkillUsage {
        let lines = match self.offers_skills() {
            true => listing::lines(self.commands.catalogue().for_model(), self.skill_budget()),
            false => Vec::new(),
        };
        let listed = self.commands.catalogue().for_model().zip(&lines);
        SkillUsage::of(
            &self.commands.catalogue().entries,
            listed.map(|(entry, line)| (entry, line.as_str())),
        )
    }

    /// Updates the `Skill` tool.
    pub(crate) fn offer_skills(&mut self) {
        let catalogue = self.commands.catalogue();
        let tool = catalogue.for_model().next().is_some().then(|| {
            let names = self.model.client.names().clone();
            Arc::new(SkillTool::new(
                catalogue.clone(),
                self.agents.brief_slot().clone(),
                names,
            )) as Arc<dyn Tool>
        });
        self.tooling
            .replace_extras(|tool| tool.descriptor().name == SKILL, tool);
    }

    /// Loads the catalogue and applies its hooks, tools and servers.
    pub(crate) fn open_catalogue(&mut self) {
        let before = &self.commands.catalogue().plugins;
        for plugin in before.list.iter().chain(&before.held_back).cloned().collect::<Vec<_>>() {
            self.remove_hooks(&self.hooks_of(&plugin));
        }
        match self.options.folders.preloaded.take() {
            Some(read) => {
                self.commands.replace_catalogue(read.catalogue, Some(read.held_back));
                self.agents.preload(read.roster);
            }
            None => {
                let read = Arc::new(self.options.load_catalogue());
                self.commands.replace_catalogue(read, None);
            }
        }
        self.offer_skills();
        for plugin in self.commands.catalogue().plugins.list.clone() {
            let origin = self.hooks_of(&plugin);
            // If hooks are disabled, so are those of plugins.
            let hooks = Some(&plugin).filter(|_| !self.options.settings.plain());
            for hooks in hooks.map(plugins::Plugin::hooks_found).into_iter().flatten() {
                self.add_hooks(&origin, &hooks, true);
            }
        }
        for plugin in self.commands.catalogue().plugins.held_back.clone() {
            let origin = self.hooks_of(&plugin);
            for hooks in plugin.hooks_found() {
                self.add_hooks(&origin, &hooks, false);
            }
        }
        self.update_plugin_servers();
    }

    /// The hook origin of a plugin.
    fn hooks_of(&self, plugin: &plugins::Plugin) -> sluice_hooks::Origin {
        sluice_hooks::Origin::Plugin {
            name: plugin.name.clone(),
            root: plugin.root.clone(),
            data: Some(plugin.data_dir(&self.options.settings)),
        }
    }

    /// Reloads the catalogue and notifies the host if the commands have changed.
    pub(crate) async fn reload_catalogue(&mut self) {
        let before = self.commands();
        self.commands.reloaded(before);
        self.open_catalogue();
        self.forget_agents();
        self.send_commands_if_changed().await;
    }

    /// Called after `init` was sent: from now on the host is notified of changed commands.
    pub(crate) async fn enable_command_updates(&mut self) {
        self.commands.announce();
        self.send_commands_if_changed().await;
    }

    /// Sends the list of commands if it differs from the one that the host knows.
    pub(crate) async fn send_commands_if_changed(&mut self) {
        let Some(known) = self.commands.host_commands() else {
            return;
        };
        let commands = self.commands();
        if commands == known {
            return;
        }
        self.commands.set_host_commands(&commands);
        self.emit(CommandsChanged {
            commands,
            uuid: messages::fresh_id(),
            ..CommandsChanged::default()
        })
        .await;
    }

    /// Reloads the catalogue. Returns a summary for the person.
    pub(super) async fn reload_now(&mut self) -> String {
        self.reload_catalogue().await;
        let catalogue = &self.commands.catalogue();
        let skills = catalogue
            .entries
            .iter()
            .filter(|entry| entry.kind == Kind::Skill)
            .count();
        let mut text = format!(
            "Reloaded: {} plugins, {skills} skills, {} commands.",
            catalogue.plugins.list.len(),
            catalogue.entries.len() - skills,
        );
        let wrong = catalogue.plugins.errors.len() + catalogue.problems.len();
        if wrong > 0 {
            text.push_str(&format!(" {wrong} have errors: /doctor lists them."));
        }
        text
    }

    /// Handles `reload_plugins`.
    pub(crate) async fn reload_plugins(&mut self, id: &RequestId, request: &ReloadPlugins) {
        if request.refuse_if_busy == Some(true) && self.turn.is_open() {
            let text = "reload_plugins: a turn is running";
            return self
                .emit(messages::refused(id, "reload_plugins_busy", text.to_owned()))
                .await;
        }
        let before = self.options.catalogue.plugin_dirs.clone();
        if let Some(added) = &request.add_plugins {
            if !is_list_of_plugins(&added.to_value()) {
                let text = "reload_plugins: add_plugins must be a list of {\"type\": \"local\", \"path\": …}";
                return self.emit(messages::error(id, text)).await;
            }
            self.add_plugins(&added.to_value());
        }
        let mut response = ReloadPluginsResponse::default();
        if request.hold_on_cache_impact == Some(true)
            && let Some(impact) = self.plugin_impact()
        {
            self.options.catalogue.plugin_dirs = before;
            response.held = Some(true);
            response.cache_impact = Some(impact);
        } else {
            response.held = request.hold_on_cache_impact.map(|_| false);
            self.reload_catalogue().await;
        }
        response.commands = self.commands();
        response.agents = subagents::infos(&self.load_roster());
        response.plugins = self.plugin_infos();
        response.error_count = u64::try_from(self.commands.catalogue().plugins.errors.len()).unwrap_or(u64::MAX);
        // Wait for connecting servers, so that the response contains their final status.
        let servers = self.tooling.servers().all().to_vec();
        let id = id.clone();
        self.requests.concurrent.spawn(&id.clone(), async move {
            for link in servers.iter().filter(|link| link.is_connecting()) {
                link.connection().await.ok();
            }
            response.mcp_servers = servers.iter().map(|link| sluice_servers::status::full(link)).collect();
            messages::success(&id, &response).into()
        });
    }

    /// Handles `reload_skills`.
    pub(crate) async fn reload_skills(&mut self, id: &RequestId) {
        self.reload_catalogue().await;
        let response = ReloadSkillsResponse {
            skills: self.commands.catalogue().for_people().map(to_command).collect(),
            ..ReloadSkillsResponse::default()
        };
        self.emit(messages::success(id, &response)).await;
    }

    /// Handles `reload_output_styles`.
    pub(crate) async fn reload_styles(&mut self, id: &RequestId) {
        self.reload_catalogue().await;
        let response = ReloadOutputStylesResponse {
            available_output_styles: styles::names(&self.commands.catalogue().styles),
            ..ReloadOutputStylesResponse::default()
        };
        self.emit(messages::success(id, &response)).await;
    }

    /// Applies the skills and plugins in `initialize`. Returns true if it contains plugins.
    pub(crate) fn apply_initialize_catalogue(
        &mut self,
        skills: Option<Vec<String>>,
        plugins: Option<Vec<Raw>>,
    ) -> bool {
        let named = plugins.is_some();
        if skills.is_none() && !named {
            return false;
        }
        if skills.is_some() {
            self.options.catalogue.skills = skills;
        }
        for plugin in plugins.into_iter().flatten() {
            self.add_plugin(&plugin.to_value());
        }
        self.open_catalogue();
        self.forget_agents();
        named
    }

    fn add_plugins(&mut self, added: &Value) {
        for plugin in added.as_array().into_iter().flatten() {
            self.add_plugin(plugin);
        }
    }

    /// Adds a plugin as specified by hosts: `{"type": "local", "path": …}`, or only the path.
    fn add_plugin(&mut self, plugin: &Value) {
        let path = plugin.as_str().or_else(|| plugin.get("path")?.as_str());
        let Some(path) = path else { return };
        let dir = PluginDir {
            path: self.options.cwd.join(PathBuf::from(path)),
            without_mcp: plugin.get("skipMcpDiscovery").and_then(Value::as_bool) == Some(true),
            failed: None,
        };
        if !self.options.catalogue.plugin_dirs.contains(&dir) {
            self.options.catalogue.plugin_dirs.push(dir);
        }
    }
}

fn to_command(entry: &Entry) -> SlashCommand {
    let named = entry.title.as_ref().unwrap_or(&entry.name);
    SlashCommand {
        name: named.clone(),
        description: entry.told(),
        argument_hint: Some(entry.argument_hint.clone()),
        aliases: entry.title.is_some().then(|| vec![entry.name.clone()]),
        ..SlashCommand::default()
    }
}

/// True if the value is a list of plugins with paths.
fn is_list_of_plugins(value: &Value) -> bool {
    let is_local = |entry: &Value| entry.get("path").is_some_and(Value::is_string);
    value.as_array().is_some_and(|entries| entries.iter().all(is_local))
}
