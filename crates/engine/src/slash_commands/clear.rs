//! `/clear`: starts an empty conversation with a new id. The transcript of the old one is kept.

use sluice_wire::stdout::{ConversationReset, ResetTrigger};

use crate::background::Background;
use crate::messages;
use crate::session_loop::SessionLoop;

impl SessionLoop {
    /// Ends this conversation and starts the next one.
    pub(super) async fn clear(&mut self, prompt_id: &str, title: Option<&str>) {
        self.session.hook_session_end("clear").await;
        self.session.tooling.tasks().kill_all().await;
        self.session.drain_events().await;
        self.session.background = Background::default();
        let id = messages::fresh_id();
        self.session
            .emit(ConversationReset {
                new_conversation_id: id.clone(),
                uuid: id.clone(),
                trigger: Some(ResetTrigger::Clear),
                user_message_uuid: Some(prompt_id.to_owned()),
                timestamp: Some(messages::now()),
                ..ConversationReset::default()
            })
            .await;
        self.session.emit_background_tasks().await;

        let kept = self.session.conversation.transcript.title().map(str::to_owned);
        let keeping = &mut self.session.options.session.keeping;
        keeping.title = title.map(str::to_owned).or(kept);
        if keeping.file.is_some() {
            keeping.file = Some(keeping.projects.file(&self.session.options.cwd, &id));
        }
        self.session.options.session.id.clone_from(&id);
        self.session.line.set_session_id(&id);
        self.session.conversation.transcript = self.session.options.transcript(messages::PROTOCOL_VERSION);
        self.session.conversation.transcript.begin_turn();
        self.session.conversation.set_loading(None);
        self.session.conversation.clear();
        self.session.conversation.forget_system();
        self.session.account.restart(self.session.options.model.key_source);
        self.session.tooling.clear(&self.session.options);
        self.session.commands.forget_received_skills();
        self.session.commands.forget_listed_skills();
        self.session.emit_title().await;
        self.hook_session_start("clear").await;
    }
}
