//! Events raised by work that runs concurrently with the session, such as an elicitation of an MCP server or the
//! creation of a worktree. The session runs the hooks; that work waits for the result.

use sluice_hooks::{Consultation, Event, Merged};
use sluice_wire::hook::HookInput;

use super::input::Detail;
use crate::hooks::Purpose;
use crate::session::Session;

impl Session {
    /// Runs the hooks of a consultation and sends their result to the task that raised the event.
    pub(super) async fn consult(&mut self, consultation: Consultation) {
        let Consultation { input, reply } = consultation;
        self.notify_of_question(&input).await;
        let input = self.completed(input);
        let awaited = Event::of(&input).is_some_and(|event| self.hooks.await_any(&[event]));
        if !awaited {
            // Dropping the reply would have the same effect; sending is explicit.
            reply.send(Merged::default()).ok();
            return;
        }
        if let Err(purpose) = self.try_spawn_hooks(input, Purpose::Consulted(reply)).await
            && let Purpose::Consulted(reply) = purpose
        {
            reply.send(Merged::default()).ok();
        }
    }

    async fn notify_of_question(&mut self, input: &HookInput) {
        if let HookInput::Elicitation(it) = input {
            let message = format!("{} has a question", it.mcp_server_name);
            self.hook_notification(&message, None, "elicitation_dialog").await;
        }
    }

    /// Fills in the fields that all hook inputs share.
    fn completed(&self, mut input: HookInput) -> HookInput {
        macro_rules! complete {
            ($it:ident, $detail:ident) => {{
                let base = self.shared_fields(Detail::$detail);
                ($it.session_id, $it.transcript_path, $it.cwd) = (base.session_id, base.transcript_path, base.cwd);
                ($it.prompt_id, $it.permission_mode) = (base.prompt_id, base.permission_mode);
                ($it.agent_id, $it.agent_type) = (base.agent_id, base.agent_type);
            }};
        }
        match &mut input {
            HookInput::Elicitation(it) => complete!(it, Mode),
            HookInput::ElicitationResult(it) => complete!(it, Mode),
            HookInput::WorktreeCreate(it) => complete!(it, Bare),
            HookInput::WorktreeRemove(it) => complete!(it, Bare),
            _ => {}
        }
        input
    }
}
