//! Effects of tool calls on their session.

use std::path::Path;

use sluice_permission::PermissionMode;
use sluice_tools::Effect;

use crate::messages;
use crate::session::Session;

impl Session {
    /// Applies the effects of a call before its result is sent.
    pub(crate) async fn apply_effects(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::EnterPlan => {
                    self.conversation.begin_plan(self.policy.mode.clone());
                    self.change_mode(PermissionMode::Plan).await;
                }
                Effect::ExitPlan { .. } => {
                    // The permission answer may have set the mode already.
                    if self.policy.mode == PermissionMode::Plan {
                        let before = self.conversation.end_plan();
                        self.change_mode(before).await;
                    }
                }
                Effect::LoadTools(names) => self.tooling.load(names),
                Effect::TakeUpSkill { name, args } => self.commands.call_skill(name, args),
                Effect::SetGoal(condition) => self.set_goal(&condition),
                Effect::MoveTo(folder) => self.move_to(&folder).await,
                // It only concerns the result, which contains it already.
                Effect::TeachSchema => {}
            }
        }
    }

    /// Makes another folder the folder of the session: paths, permissions, the sandbox and hooks follow. The model
    /// reads what belongs to the folder with the next prompt.
    async fn move_to(&mut self, folder: &Path) {
        folder.clone_into(&mut self.options.cwd);
        self.tooling.cwd().restart(folder);
        self.change_policy(|policy| {
            if let Some(root) = policy.roots.first_mut() {
                folder.clone_into(root);
            }
        });
        self.tooling.recreate_sandbox(&self.options);
        self.load_hooks();
        self.conversation.set_knows_memory(false);
        self.hook_cwd().await;
    }

    /// Changes the permission mode and notifies the host.
    pub(crate) async fn change_mode(&mut self, mode: PermissionMode) {
        if self.policy.mode != mode {
            self.change_policy(|policy| policy.mode = mode);
            self.emit(messages::mode(&self.policy.mode)).await;
        }
    }

    /// Passes the current mode, model and deferred tools to the services that calls use.
    pub(crate) fn update_services(&self) {
        let deferred = self
            .toolbox()
            // Tools that are loaded already may be requested again.
            .filter(|tool| self.has(tool.descriptor()))
            .collect();
        self.tooling
            .services()
            .update(self.policy.mode.as_str(), &self.model.name, deferred);
    }
}
