//! Permission decisions for the calls of a session, and changes made by permission answers.

use std::sync::Arc;

use serde_json::Value;
use sluice_permission::{
    Behavior, Decision, PermissionMode, PermissionUpdate, Policy, Rule, Source, ToolFacts, Touches,
};
use sluice_settings::keys::permissions;
use sluice_tools::{Descriptor, ListKind, Pinned, Pins, World};

use crate::catalogue::entry::Entry;
use crate::commands::skill_of;
use crate::messages;
use crate::options::Asker;
use crate::policy::{self, hidden_by, is_available, is_selected};
use crate::sandbox::decide;
use crate::session::Session;
use crate::untrusted;

impl Session {
    /// True if the tool is offered to the model.
    pub(crate) fn offers(&self, tool: &Descriptor) -> bool {
        let loaded = self.tooling.is_loaded(&tool.name);
        self.has(tool) && (tool.default || loaded || self.names(tool) || self.is_task_tool(tool) || self.searches(tool))
    }

    /// Models without adaptive thinking receive the task list tools by default.
    fn is_task_tool(&self, tool: &Descriptor) -> bool {
        let tracks =
            sluice_model::models::facts(&self.model.name).thinking == sluice_model::models::ThinkingSupport::Adaptive;
        tool.list == Some(ListKind::Tasks) && self.options.tools.has_default() && !tracks
    }

    /// Without a shell tool, search tools are offered.
    fn searches(&self, tool: &Descriptor) -> bool {
        let mut tools = self.options.tools.toolbox.iter().map(|tool| tool.descriptor());
        let mut shell = || tools.any(|tool| tool.touches.runs() && self.has(tool));
        matches!(tool.touches, Touches::Searches { .. }) && self.options.tools.has_default() && !shell()
    }

    /// True if the tool is available, whether or not it is offered by default.
    pub(crate) fn has(&self, tool: &Descriptor) -> bool {
        let answered = !tool.needs_person || self.options.permissions.asker == Asker::Host;
        let denied = self.tooling.servers().policy_of(&tool.name) == Some(Behavior::Deny);
        answered && !denied && is_available(&self.options, &self.policy, tool)
    }

    /// True if `--tools` names the tool.
    fn names(&self, tool: &Descriptor) -> bool {
        is_selected(&self.options, tool)
    }

    /// The files that a search must not show.
    pub(crate) fn hidden(&self) -> sluice_tools::Hidden {
        hidden_by(self.policy.clone())
    }

    /// Applies a permission update of an answer, and saves it if its destination is a settings file.
    pub(crate) async fn apply(&mut self, update: &PermissionUpdate) {
        self.amend(update);
        let before = self.policy.mode.clone();
        let places = self.options.settings.places().clone();
        let root = |source| places.root(source);
        let applied = self.change_policy(|policy| sluice_permission::apply(policy, update, &root, &World));
        if let Ok(Some(change)) = applied {
            if let Err(error) = sluice_settings::write(&places, &change) {
                self.emit(messages::informational(
                    &format!("The rule could not be saved: {error}"),
                    "warning",
                ))
                .await;
            } else {
                // The rules of an untrusted folder wait, except those that the person has just saved.
                if change.destination == Source::Local {
                    self.options.settings.accept(change.edit.allowed());
                }
                self.reread_settings();
            }
        }
        if self.policy.mode != before {
            self.emit(messages::mode(&self.policy.mode)).await;
        }
    }

    /// Reloads changed settings files.
    pub(crate) async fn settings_changed(&mut self) {
        let mut settings = self.options.settings.clone();
        if settings.reload() {
            self.settings_reloaded(settings).await;
        }
    }

    /// Reports problems of settings and hooks, each once.
    pub(crate) async fn report_settings_problems(&mut self) {
        let mut problems: Vec<String> = self
            .options
            .settings
            .problems()
            .iter()
            .map(ToString::to_string)
            .chain(self.hooks.problems().map(str::to_owned))
            .chain(self.conversation.transcript.problem())
            .collect();
        if self.agents.id().is_none() {
            problems.extend(self.held_back());
        }
        for problem in problems {
            if self.line.report_once(&problem) {
                self.emit(messages::informational(&problem, "warning")).await;
            }
        }
    }

    /// Customizations of the untrusted folder that are not applied. Cached until settings or the catalogue change,
    /// because it reads all files of the folder.
    fn held_back(&mut self) -> Option<String> {
        if let Some(known) = self.commands.held_back() {
            return known.clone();
        }
        let roster = self.load_roster();
        let held = untrusted::held_back_of(&self.options, self.commands.catalogue(), &roster);
        self.commands.note_held_back(held.clone());
        held
    }

    /// Who answers permission requests. The settings may disable requests.
    pub(crate) fn asker(&self) -> Asker {
        let settings = &self.options.settings;
        match settings.permission(&permissions::DENY_INSTEAD_OF_PROMPTING) {
            Some(Value::Bool(true)) => Asker::Refuses,
            _ => self.options.permissions.asker.clone(),
        }
    }

    /// Changes the permission mode, or returns an error code and message.
    pub(crate) fn set_mode(&mut self, word: Option<&str>) -> Result<(), (&'static str, String)> {
        let mode = match word {
            Some("manual") => PermissionMode::Default,
            Some(word) => PermissionMode::from(word),
            None => PermissionMode::Other("".into()),
        };
        match mode {
            PermissionMode::Other(_) | PermissionMode::Delegate => Err((
                "invalid_mode",
                "Cannot set permission mode: must be one of acceptEdits, auto, bypassPermissions, default, dontAsk, plan"
                    .to_owned(),
            )),
            PermissionMode::BypassPermissions if self.options.settings.bypass_disabled() => Err((
                "bypass_disabled",
                "Cannot set permission mode to bypassPermissions: the settings forbid it".to_owned(),
            )),
            PermissionMode::BypassPermissions if !self.policy.bypass_launched => Err((
                "bypass_not_launched",
                "Cannot set permission mode to bypassPermissions because the session was not launched with \
                 --dangerously-skip-permissions"
                    .to_owned(),
            )),
            mode => {
                self.change_policy(|policy| policy.mode = mode);
                Ok(())
            }
        }
    }
}

impl Session {
    /// Decides a call of this session.
    pub(crate) fn decide(&self, tool: ToolFacts<'_>, input: &Value) -> Decision {
        self.decide_pinned(tool, input, &Pins::of(tool.touches, input, &self.tooling.cwd().get()))
    }

    /// Decides a call with the paths that were resolved when it started.
    pub(crate) fn decide_call(&self, call: &sluice_call::Call) -> Decision {
        // Uses the canonical name of the tool, not an alias: rules contain the canonical name.
        let tool = call.tool.as_ref().map(|tool| tool.descriptor().facts());
        let tool = tool.unwrap_or_else(|| ToolFacts::unknown(&call.name));
        self.decide_pinned(tool, &call.checked, &call.pins)
    }

    /// Decides a call whose paths are resolved.
    pub(crate) fn decide_pinned(&self, tool: ToolFacts<'_>, input: &Value, pins: &Pins) -> Decision {
        let mode = self.tooling.servers().mode_of(tool.name, &self.policy.mode);
        let lends = matches!(tool.touches, Touches::Skill { .. })
            && self
                .commands
                .catalogue()
                .find(skill_of(input))
                .is_some_and(Entry::lends);
        let declared = self.tooling.servers().policy_of(tool.name);
        let declared = declared.map(|behavior| Rule {
            behavior,
            source: Source::Server,
            root: self.options.cwd.clone(),
            tool: tool.name.to_owned(),
            content: None,
        });
        let stricter = (mode.is_some() || lends || declared.is_some()).then(|| {
            let mut policy = Policy {
                mode: mode.unwrap_or_else(|| self.policy.mode.clone()),
                lends,
                ..Policy::clone(&self.policy)
            };
            policy.rules.extend(declared);
            policy::apply_managed_limits(&mut policy, &self.options);
            policy
        });
        let policy = stricter.as_ref().unwrap_or(&self.policy);
        decide(
            policy,
            self.tooling.sandbox().map(Arc::as_ref),
            &self.tooling.cwd().get(),
            (tool, input),
            Pinned {
                pins,
                env: &self.options.env,
            },
        )
    }
}
