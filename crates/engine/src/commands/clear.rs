//! Beginning again: an empty conversation under another id. What was said stays on disk.

use std::sync::Arc;

use crate::ledger::SharedLedger;
use sluice_tools::Lists;
use sluice_wire::stdout::{ConversationReset, ResetTrigger};

use crate::background::Background;
use crate::checkpoints;
use crate::control::spending::Lines;
use crate::history::History;
use crate::messages;
use crate::session::Session;

impl Session {
    /// Leaves this conversation and begins the next one.
    pub(super) async fn clear(&mut self, prompt_id: &str, title: Option<&str>) {
        self.hook_session_end("clear").await;
        self.tasks.kill_all().await;
        self.drain_events().await;
        self.background = Background::default();
        let id = messages::fresh_id();
        self.say(ConversationReset {
            new_conversation_id: id.clone(),
            uuid: id.clone(),
            trigger: Some(ResetTrigger::Clear),
            user_message_uuid: Some(prompt_id.to_owned()),
            timestamp: Some(messages::now()),
            ..ConversationReset::default()
        })
        .await;
        self.say_background().await;

        let kept = self.transcript.title().map(str::to_owned);
        let keeping = &mut self.options.keeping;
        keeping.title = title.map(str::to_owned).or(kept);
        if keeping.file.is_some() {
            keeping.file = Some(keeping.projects.file(&self.options.cwd, &id));
        }
        self.options.session_id.clone_from(&id);
        self.out.sign_as(&id);
        self.transcript = self.options.transcript(messages::PROTOCOL_VERSION);
        self.transcript.begin_turn();
        self.checkpoints = checkpoints::open(&self.options);
        self.recall = None;
        self.history = History::default();
        self.system = None;
        self.ledger = SharedLedger::new(self.options.key_source);
        self.api_ms = 0;
        self.last_usage = None;
        self.lines = Lines::default();
        self.files.clear();
        self.lists = Arc::new(Lists::default());
        self.loaded.clear();
        self.reminded_of_memory = false;
        self.commands.forget_given();
        self.reminded_of_plan = false;
        self.forget_skills_told();
        self.tell_title().await;
        self.hook_session_start("clear").await;
    }
}
