//! An agent definition for the main session: `--agent`, or `agent` in a settings file.

use std::sync::Arc;

use sluice_catalogue::agents::AgentOrigin;
use sluice_catalogue::agents::notebook;
use sluice_permission::{Behavior, PermissionMode, Rule, Source};
use sluice_settings::keys;
use sluice_wire::ToAgent;
use sluice_wire::control::{ControlRequest, Request};

use super::equip;
use crate::session::Session;

impl Session {
    /// Looks up the agent again after the host has sent definitions. If it still does not exist, the host is notified
    /// and the session continues without it, because the host has opened it already.
    ///
    /// Returns the agent's initial prompt, which starts the first turn.
    pub(crate) fn start_main_agent_from_initialize(&mut self) -> Option<String> {
        if !self.agents.set_main_agent_missing(false) {
            return self.agents.take_initial_prompt();
        }
        self.options.session.refusal = None;
        self.line.set_failed(false);
        let first = self.set_up_main_agent();
        if self.agents.set_main_agent_missing(false) {
            self.agents.add_problem(self.options.session.refusal.take());
            self.line.set_failed(false);
        }
        first
    }

    /// Applies the agent definition at the start of the session. The initial prompt of the agent that `--agent` names
    /// starts a turn when the host sends `initialize`. Otherwise it precedes the first prompt of the host. A resumed
    /// conversation had it already.
    pub(crate) fn start_main_agent(&mut self) {
        let first = self.set_up_main_agent();
        let is_resumed = self.conversation.is_loading() || !self.conversation.history.is_empty();
        self.agents.keep_initial_prompt(first.filter(|_| !is_resumed));
        if self.options.agents.lead.is_none() {
            self.prepend_initial_prompt();
        }
    }

    /// Puts the initial prompt of the agent before the first prompt of the host.
    pub(crate) fn prepend_initial_prompt(&mut self) {
        if let Some(first) = self.agents.take_initial_prompt() {
            self.conversation.history.user_text(&first);
        }
    }

    /// True if this message may define the missing agent.
    pub(crate) fn may_define_main_agent(&self, message: &ToAgent) -> bool {
        let named = |request: &ControlRequest| matches!(request.request, Request::Initialize(_));
        self.agents.is_main_agent_missing() && matches!(message, ToAgent::ControlRequest(request) if named(request))
    }

    /// Applies the agent definition. If it does not exist, the session is refused.
    /// Returns the agent's initial prompt.
    fn set_up_main_agent(&mut self) -> Option<String> {
        let configured = self.options.settings.string(&keys::AGENT).map(str::to_owned);
        let name = self.options.agents.lead.clone().or(configured)?;
        let roster = self.load_roster();
        let Some(kind) = roster.find(&name).cloned() else {
            let names = roster.names().join(", ");
            self.options.session.refusal = Some(format!("Agent type '{name}' not found. Available agents: {names}"));
            self.line.set_failed(true);
            self.agents.set_main_agent_missing(true);
            return None;
        };
        let options = &mut self.options;
        let unsaid = options.prompt.words.replace.as_ref().is_none_or(String::is_empty);
        if unsaid && !kind.prompt.is_empty() {
            let folder = notebook::folder(&kind, options.settings.places());
            let learnt = folder.map(|folder| format!("\n\n{}", notebook::words(&folder)));
            options.prompt.words.replace = Some(format!("{}{}", kind.prompt, learnt.unwrap_or_default()));
        }
        if options.tools.has_default() && kind.limits.tools.is_some() {
            options.tools.offered.clone_from(&kind.limits.tools);
        }
        options.model.effort = options.model.effort.take().or_else(|| kind.effort.clone());
        if options.model.name.is_none()
            && let Some(model) = &kind.model
        {
            self.model.name = self.model.resolve(Some(model));
            self.model.planner = self.model.planner_of(Some(model));
        }
        let trusted = kind.origin != AgentOrigin::Project || options.settings.trusted();
        let open = |mode: &PermissionMode| match mode {
            PermissionMode::BypassPermissions => self.policy.bypass_launched,
            PermissionMode::Auto => !options.settings.auto_disabled(),
            _ => true,
        };
        if let (None, Some(mode), true) = (&options.permissions.mode, &kind.limits.mode, trusted)
            && open(mode)
        {
            Arc::make_mut(&mut self.policy).mode = mode.clone();
        }
        for text in equip::denied(&kind, &options.tools.toolbox) {
            let rule = Rule::parse(Behavior::Deny, Source::CliArg, &options.cwd, &text);
            Arc::make_mut(&mut self.policy).rules.extend(rule.ok());
        }
        let own = equip::own_servers(&kind, &options.settings);
        self.tooling.servers_mut().add(own);
        let first = kind.initial_prompt.clone();
        if kind.limits.may_start.is_some() {
            self.agents.limit_to(kind.limits.may_start);
            self.offer_kinds(roster);
        }
        first
    }
}
