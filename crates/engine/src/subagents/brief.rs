//! Builds the brief for subagents.

use std::sync::Arc;

use sluice_call::Call;
use sluice_catalogue::agents::Roster;

use crate::agents::{Brief, BriefLine, BriefTools, Family, names};
use crate::commands::SKILL;
use crate::session::Session;
use crate::wakeups::is_schedule_tool;
use crate::worktrees::is_worktree_tool;

/// True for tools that are not passed on: those that start subagents, because each subagent gets its own (a brief must
/// not contain a tool that holds one), and those that move the session or schedule its turns.
fn is_not_inherited(name: &str) -> bool {
    let of_session = is_worktree_tool(name) || is_schedule_tool(name);
    [
        names::AGENT,
        names::TASK,
        names::SEND_MESSAGE,
        names::LIST_AGENTS,
        SKILL,
    ]
    .contains(&name)
        || of_session
}

impl Session {
    /// Stores a brief for the calls that are about to start a subagent.
    pub(crate) fn brief_agents(&self) {
        let waits = |call: &Call| call.is_proposed() || call.ask().is_some();
        let asks = |name: &str| name == names::SEND_MESSAGE || name == names::LIST_AGENTS;
        let needs = |call: &Call| asks(&call.name) || self.starts_agent(&call.name, &call.input);
        if !self.calls.iter().any(|call| waits(call) && needs(call)) {
            return;
        }
        if let Some(roster) = self.agents.roster() {
            let brief = self.brief(roster);
            self.agents.brief_slot().set(brief);
        }
    }

    /// Creates the brief for a subagent that starts now.
    pub(super) fn brief(&self, roster: &Arc<Roster>) -> Brief {
        let identity = self.agents.identity();
        Brief {
            options: self.options.clone(),
            policy: self.policy.clone(),
            model: self.model.name.clone(),
            client: self.model.client.clone(),
            ledger: self.account.ledger().clone(),
            tools: BriefTools {
                tasks: self.tooling.tasks().clone(),
                web: self.tooling.web().clone(),
                sandbox: self.tooling.sandbox().cloned(),
                cwd: self.tooling.cwd().get(),
                extras: self
                    .tooling
                    .extras()
                    .iter()
                    .filter(|tool| !is_not_inherited(&tool.descriptor().name))
                    .cloned()
                    .collect(),
                servers: self.tooling.servers().for_subagent(),
                available: self
                    .toolbox()
                    .filter(|tool| self.has(tool.descriptor()))
                    .map(|tool| tool.descriptor().name.to_string())
                    .collect(),
            },
            line: BriefLine {
                out: self.line.out().clone(),
                events: self.tooling.reports(),
                top: self.agents.brief_slot().top().unwrap_or_else(|| self.tooling.reports()),
                eof: self.line.input_ended(),
                quit: self.line.quit().clone(),
            },
            catalogue: self.commands.catalogue().clone(),
            background: self.background.of_agent(),
            hooks: self.hooks_for_agents(),
            hook_client: self.hooks.client(),
            family: Family {
                shared: self.agents.shared().clone(),
                roster: roster.clone(),
                parent: identity.map(|identity| identity.id.clone()),
                depth: identity.map_or(0, |identity| identity.depth),
                may_start: self.agents.may_start().cloned(),
            },
        }
    }

    /// Creates the brief for an agent that runs for a hook. It is not saved, and only `PreToolUse` hooks apply to it.
    pub(crate) fn brief_inspector(&mut self) -> Brief {
        let roster = self.load_roster();
        let mut brief = self.brief(&roster);
        brief.hooks = brief.hooks.before_calls();
        brief.options.session.keeping.file = None;
        brief
    }
}
