//! What a call does to the session it ran in.

use std::path::Path;

use sluice_permission::PermissionMode;
use sluice_tools::Effect;

use crate::messages;
use crate::session::Session;

impl Session {
    /// Does what the tools asked the session to do, before their result is told.
    pub(crate) async fn take_effect(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::EnterPlan => {
                    self.conversation.begin_plan(self.policy.mode.clone());
                    self.change_mode(PermissionMode::Plan).await;
                }
                Effect::ExitPlan { .. } => {
                    // An answer may have chosen the mode already.
                    if self.policy.mode == PermissionMode::Plan {
                        let before = self.conversation.end_plan();
                        self.change_mode(before).await;
                    }
                }
                Effect::LoadTools(names) => self.tooling.load(names),
                Effect::TakeUpSkill { name, args } => self.commands.call_skill(name, args),
                Effect::SetGoal(condition) => self.set_goal(&condition),
                Effect::MoveTo(folder) => self.move_to(&folder).await,
                // It concerns the result, and is in it already.
                Effect::TeachSchema => {}
            }
        }
    }

    /// Makes another folder the folder of the session: paths, permissions, the sandbox and hooks follow. The model reads
    /// what belongs to the folder with the next prompt.
    async fn move_to(&mut self, folder: &Path) {
        folder.clone_into(&mut self.options.cwd);
        self.tooling.cwd().restart(folder);
        self.change_policy(|policy| {
            if let Some(root) = policy.roots.first_mut() {
                folder.clone_into(root);
            }
        });
        self.tooling.remake_sandbox(&self.options);
        self.lay_out_hooks();
        self.conversation.set_knows_memory(false);
        self.hook_cwd().await;
    }

    /// Switches the mode and says so.
    pub(crate) async fn change_mode(&mut self, mode: PermissionMode) {
        if self.policy.mode != mode {
            self.change_policy(|policy| policy.mode = mode);
            self.say(messages::mode(&self.policy.mode)).await;
        }
    }

    /// Tells the calls that are about to begin how the session stands.
    pub(crate) fn brief_desk(&self) {
        let deferred = self
            .toolbox()
            // What is offered already may be asked for all the same.
            .filter(|tool| self.has(tool.descriptor()))
            .collect();
        self.tooling
            .services()
            .update(self.policy.mode.as_str(), &self.model.name, deferred);
    }
}
