//! From a prompt to its turn: prompts are taken in, and each turn is opened, announced, played and closed.

use serde_json::Value;
use sluice_permission::PermissionMode;

use crate::background::Note;
use crate::commands::{Mentioned, Slash};
use crate::memory::{self, Memory};
use crate::messages;
use crate::notes;
use crate::prompt;
use crate::queue::{Accepted, Batch, Priority, Prompt, blocks_of};
use crate::record::Queued;
use crate::session::Session;
use crate::turn::{Ending, Stop, Turn};

impl Session {
    /// Takes a prompt in.
    pub(crate) async fn enqueue(&mut self, message: sluice_wire::stdin::User) {
        let mut prompt = messages::prompt(message);
        prompt.alone = !prompt.verbatim && self.known(&prompt.content).is_some();
        let uuid = prompt.uuid.clone();
        let echo = self.options.replay && prompt.is_replayed();
        let urgent = prompt.priority == Priority::Now;
        let replay = echo.then(|| messages::replay(&prompt.id, &prompt.content, None));
        if !self.queue.knows(prompt.uuid.as_deref()) {
            self.keep_queued(Queued::Enqueue(&prompt)).await;
        }
        match self.queue.push(prompt) {
            accepted @ (Accepted::Duplicate | Accepted::Earlier) => {
                if let Some(replay) = replay {
                    self.say(replay).await;
                }
                if let (Accepted::Earlier, Some(uuid)) = (accepted, uuid) {
                    self.say(messages::lifecycle(&uuid, "completed")).await;
                }
            }
            Accepted::Queued => {
                // A prompt answers no ask that is open.
                if self.state == messages::State::Idle {
                    self.enter(messages::State::Running).await;
                }
                if let Some(uuid) = uuid {
                    self.say(messages::lifecycle(&uuid, "queued")).await;
                }
                if urgent && self.turn.open && self.stop.is_none() {
                    self.withdraw_asks().await;
                    self.stop = Some(Stop::Supersede);
                }
            }
        }
    }

    /// Plays the turn of these prompts.
    pub(crate) async fn play(&mut self, mut batch: Batch) {
        for _ in &batch.prompts {
            self.keep_queued(Queued::Dequeue).await;
        }
        if let [prompt] = batch.prompts.as_slice()
            && !prompt.verbatim
            && let Some((slash, known)) = self.known(&prompt.content)
        {
            // A command is deep: it has a future of its own, or the stack of a thread is too small for it.
            return Box::pin(self.play_command(slash, known, batch)).await;
        }
        let uuids = batch.uuids();
        let origin = batch.prompts.last().and_then(|prompt| prompt.origin.clone());
        self.open_turn(Turn::new(uuids.clone(), origin)).await;

        match Box::pin(self.hook_prompts(&mut batch)).await {
            Ok(None) => {}
            Ok(Some(ending)) => {
                self.announce().await;
                self.say_blocked().await;
                return self.close_turn(ending, &uuids).await;
            }
            Err(()) => return Box::pin(self.stop_before_it_began(&uuids)).await,
        }
        self.play_plainly(batch, uuids).await;
    }

    /// The turn was told to stop while hooks looked at its prompts.
    async fn stop_before_it_began(&mut self, uuids: &[String]) {
        self.announce().await;
        if self.stop == Some(Stop::Interrupt) {
            self.notice(messages::INTERRUPTED).await;
        }
        self.close_turn(Ending::Interrupted { tools: false }, uuids).await;
    }

    /// Plays an open turn whose prompts are taken as they stand.
    pub(crate) async fn play_plainly(&mut self, batch: Batch, uuids: Vec<String>) {
        let query = batch.prompts.iter().any(|prompt| prompt.should_query);
        let Some((last, earlier)) = batch.prompts.split_last() else {
            return;
        };
        for prompt in &batch.prompts {
            self.keep_prompt(prompt).await;
        }
        if self.options.replay {
            for prompt in earlier.iter().filter(|prompt| prompt.is_replayed()) {
                self.say(messages::replay(&prompt.id, &prompt.content, None)).await;
            }
        }
        for uuid in &uuids {
            self.say(messages::lifecycle(uuid, "started")).await;
        }
        self.drain().await;

        let verbatim = batch.prompts.iter().any(|prompt| prompt.verbatim);
        let content = messages::sanitized(&batch.content());
        // Only what a person typed is taken as theirs.
        let synthetic = batch.prompts.iter().any(|prompt| prompt.synthetic);
        let mentioned = if synthetic {
            Mentioned::InFile
        } else {
            Mentioned::ByPerson
        };
        self.remind();
        self.history.user(blocks_of(&content));
        if verbatim {
            for prompt in batch.prompts.iter().filter(|prompt| !prompt.verbatim) {
                Box::pin(self.attach_prompt(prompt)).await;
            }
        } else {
            self.history.user(self.unknown_command(&content));
            // Reading files is deep, and this is deep already.
            Box::pin(self.attach(&content, mentioned)).await;
        }
        if self.options.replay && last.is_replayed() {
            // A prompt that looks like a command is echoed as one: in words.
            let words = Slash::read(&content).and_then(|_| only_text(&content));
            let echoed = words.map_or_else(|| content.clone(), Value::from);
            self.turn.replay = Some(messages::replay(&last.id, &echoed, Some(&last.timestamp)));
        }
        self.announce().await;
        if !query && let Some(replay) = self.turn.replay.take() {
            self.say(replay).await;
        }
        let ending = self.run_turn(query).await;
        self.close_turn(ending, &uuids).await;
    }

    /// What is to be told next, unless prompts came before it.
    pub(crate) fn note_due(&mut self) -> Option<Note> {
        let since = self.background.owed_since()?;
        if self.queue.goes_before(since) {
            return None;
        }
        self.background.owed()
    }

    /// Plays a turn nobody asked for: background work has ended and the model is told.
    pub(crate) async fn play_note(&mut self, note: Note) {
        self.open_turn(Turn::new(Vec::new(), Some(note.origin.clone()))).await;
        let mut batch = Batch {
            prompts: vec![Prompt::of_note(&note)],
        };
        match Box::pin(self.hook_prompts(&mut batch)).await {
            Ok(None) => {}
            Ok(Some(ending)) => {
                self.announce().await;
                self.say_blocked().await;
                return self.close_turn(ending, &[]).await;
            }
            Err(()) => return Box::pin(self.stop_before_it_began(&[])).await,
        }
        self.keep_note(&note.text, &note.origin).await;
        self.history.user_text(&note.text);
        self.drain().await;
        self.announce().await;
        let ending = self.run_turn(true).await;
        self.close_turn(ending, &[]).await;
    }

    pub(crate) async fn open_turn(&mut self, turn: Turn) {
        self.stop = None;
        self.stop_by = None;
        self.suggestions.drop_guess();
        self.turn = turn;
        self.owed.set(true);
        self.transcript.begin_turn();
        self.enter(messages::State::Running).await;
        self.await_servers().await;
    }

    /// What the model has to know of the session's state, said once where it changes.
    pub(crate) fn remind(&mut self) {
        if !std::mem::replace(&mut self.reminded_of_memory, true) {
            let mut found = self.memories();
            self.hooks.note_instructions(&found.known);
            let memories = self.with_notes(std::mem::take(&mut found.known));
            if let Some(reminder) = memory::reminder(&memories) {
                self.history.remind(&reminder);
            }
            self.nearby.begin(found);
            self.servers.forget_told();
            let prompt = &self.options.system_prompt;
            if prompt.place_apart && prompt.replace.is_none() {
                let place = self.options.place(self.policy.notes.as_deref());
                let told = prompt::surroundings(&place).join("\n\n");
                self.history.remind(&format!("[{told}]"));
            }
        }
        self.remind_of_skills();
        self.remind_of_servers();
        let planning = self.policy.mode == PermissionMode::Plan;
        if planning && !std::mem::replace(&mut self.reminded_of_plan, planning) {
            self.history.user_text(&prompt::plan_reminder(
                self.policy.plan_file.as_deref(),
                self.options.system_prompt.plan.as_deref(),
            ));
        }
        self.reminded_of_plan = planning;
    }

    /// What is to be known, and the index of the notes.
    pub(crate) fn with_notes(&self, mut memories: Vec<Memory>) -> Vec<Memory> {
        memories.extend(self.policy.notes.as_deref().and_then(notes::index));
        memories
    }

    /// `system/init`, which opens every turn.
    pub(crate) async fn announce(&mut self) {
        self.load_roster();
        let init = messages::init(self);
        self.say(init).await;
        self.tell_commands_after_init().await;
        self.say_settings_problems().await;
        self.say_agent_problems().await;
        self.say_catalogue_problems().await;
    }
}

/// The text of content that is nothing else.
fn only_text(content: &Value) -> Option<String> {
    let blocks = content.as_array()?;
    let [only] = blocks.as_slice() else { return None };
    only.get("text")?.as_str().map(str::to_owned)
}
