//! From prompts to turns: prompts are queued, and each turn is opened, announced, run and closed.

use serde_json::Value;
use sluice_call::Deferred;
use sluice_permission::PermissionMode;

use crate::commands::{Mentioned, Slash};
use crate::memory::{self, Memory};
use crate::messages;
use crate::note::Note;
use crate::notes;
use crate::prompt;
use crate::queue::{Accepted, Batch, Priority, Prompt, blocks_of};
use crate::record::Queued;
use crate::session::Session;
use crate::session_loop::SessionLoop;
use crate::slash_commands::FoundCommand;
use crate::subagents::SubagentTurn;
use crate::turn::{Ending, Stop, Turn};

/// What starts a turn.
#[derive(Debug)]
pub(crate) enum Opening {
    /// Queued prompts.
    Prompts(Batch),
    /// A prompt that is a command.
    Command(Slash, Box<FoundCommand>, Prompt),
    /// A note that the model responds to, such as the end of a background task.
    Note(Note),
    /// A note that is only recorded for the model.
    Word(Note),
    /// The tool call that an earlier process deferred.
    Deferred(Deferred),
}

impl Opening {
    fn turn(&self) -> Turn {
        match self {
            Self::Prompts(batch) => {
                let origin = batch.prompts.last().and_then(|prompt| prompt.origin.clone());
                let mut turn = Turn::new(batch.uuids(), origin);
                turn.prompts.is_resumed = batch.prompts.iter().any(|prompt| prompt.resumes);
                turn
            }
            Self::Command(_, _, prompt) => Turn::new(prompt.uuid.iter().cloned().collect(), prompt.origin.clone()),
            Self::Note(note) | Self::Word(note) => Turn::new(Vec::new(), Some(note.origin.clone())),
            Self::Deferred(_) => Turn::new(Vec::new(), None),
        }
    }
}

impl SessionLoop {
    /// Returns what to do next, if there is anything.
    pub(crate) async fn next_turn(&mut self) -> Option<Opening> {
        let session = &mut self.session;
        // After `initialize` the hooks of the host are registered; without it, wait for a prompt or the end of the
        // input.
        let ready = session.line.input_ended() || session.line.is_initialized() || !session.queue.is_empty();
        if ready && let Some(call) = session.hooks.take_deferred() {
            return Some(Opening::Deferred(call));
        }
        if let Some(note) = session.note_due() {
            return Some(if note.asks {
                Opening::Note(note)
            } else {
                Opening::Word(note)
            });
        }
        let mut batch = session.queue.next()?;
        for _ in &batch.prompts {
            session.keep_queued(Queued::Dequeue).await;
        }
        if let [prompt] = batch.prompts.as_slice()
            && !prompt.verbatim
            && let Some((slash, known)) = session.find_command(&prompt.content)
            && let Some(prompt) = batch.prompts.pop()
        {
            return Some(Opening::Command(slash, Box::new(known), prompt));
        }
        Some(Opening::Prompts(batch))
    }

    /// Runs a turn from its start to its `result`. No other code opens or closes a turn.
    pub(crate) async fn play(&mut self, opening: Opening) {
        self.session.prepend_initial_prompt();
        let turn = opening.turn();
        let uuids = turn.prompts.uuids.clone();
        self.open(turn).await;
        let ending = match opening {
            Opening::Prompts(batch) => Some(self.play_prompts(batch).await),
            Opening::Command(slash, known, prompt) => Some(self.play_command(slash, *known, prompt).await),
            Opening::Note(note) => Some(self.play_note(note).await),
            Opening::Word(note) => Some(self.record_note(&note).await),
            Opening::Deferred(call) => self.play_deferred_call(call).await,
        };
        match ending {
            Some(ending) => self.session.close(ending, &uuids).await,
            // The following turn continues this one and sends the result.
            None => self.session.close_without_result(),
        }
        self.session.revert_overrides();
    }

    /// Runs a turn of a subagent. Its ending becomes part of the report; no `result` is sent.
    pub(crate) async fn play_subagent_turn(&mut self, part: SubagentTurn<'_>) -> Ending {
        self.open(Turn::new(Vec::new(), None)).await;
        let ending = match part {
            SubagentTurn::Task(text, shown) => self.run_task(text, shown).await,
            SubagentTurn::Message(prompt) => self.run_message(prompt).await,
        };
        self.session.close_without_result();
        ending
    }

    async fn open(&mut self, turn: Turn) {
        let session = &mut self.session;
        session.requests.suggestions.cancel();
        session.turn = turn;
        session.line.open_result();
        session.conversation.transcript.begin_turn();
        session.enter(messages::State::Running).await;
        self.await_servers().await;
    }

    async fn play_prompts(&mut self, mut batch: Batch) -> Ending {
        match self.shown_to_hooks(&mut batch).await {
            Some(ending) => ending,
            None => self.run_prompts(batch).await,
        }
    }

    /// Runs hooks on prompts. Returns how the turn ends if the hooks end it.
    pub(crate) async fn shown_to_hooks(&mut self, batch: &mut Batch) -> Option<Ending> {
        let ending = match self.hook_prompts(batch).await {
            Ok(None) => return None,
            Ok(Some(ending)) => ending,
            Err(()) => {
                self.session.announce().await;
                if self.session.turn.stop() == Some(Stop::Interrupt) {
                    self.session.notice(messages::INTERRUPTED).await;
                }
                return Some(Ending::Interrupted { tools: false });
            }
        };
        self.session.announce().await;
        self.session.emit_blocked().await;
        Some(ending)
    }

    /// Runs an open turn with its prompts unchanged.
    pub(crate) async fn run_prompts(&mut self, batch: Batch) -> Ending {
        let query = batch.prompts.iter().any(|prompt| prompt.should_query);
        let Some((last, earlier)) = batch.prompts.split_last() else {
            return Ending::Recorded;
        };
        for prompt in &batch.prompts {
            self.keep_prompt(prompt).await;
        }
        if self.session.options.host.replay {
            for prompt in earlier.iter().filter(|prompt| prompt.is_replayed()) {
                self.session
                    .emit(messages::replay(&prompt.id, &prompt.content, None))
                    .await;
            }
        }
        self.session.emit_started().await;
        self.drain().await;

        let verbatim = batch.prompts.iter().any(|prompt| prompt.verbatim);
        let content = messages::sanitized(&batch.content());
        // Only mentions in text that a person typed count as naming a file.
        let synthetic = batch.prompts.iter().any(|prompt| prompt.synthetic);
        let mentioned = if synthetic {
            Mentioned::InFile
        } else {
            Mentioned::ByPerson
        };
        self.session.remind();
        self.session.conversation.history.user(blocks_of(&content));
        if verbatim {
            for prompt in batch.prompts.iter().filter(|prompt| !prompt.verbatim) {
                self.attach_prompt(prompt).await;
            }
        } else {
            self.session
                .conversation
                .history
                .user(self.session.unknown_command(&content));
            self.attach(&content, mentioned).await;
        }
        if self.session.options.host.replay && last.is_replayed() {
            // Content that is a command is echoed as text.
            let words = Slash::read(&content).and_then(|_| only_text(&content));
            let echoed = words.map_or_else(|| content.clone(), Value::from);
            self.session.turn.prompts.replay = Some(messages::replay(&last.id, &echoed, Some(&last.timestamp)));
        }
        self.session.announce().await;
        if !query && let Some(replay) = self.session.turn.prompts.replay.take() {
            self.session.emit(replay).await;
        }
        self.run_turn(query).await
    }

    async fn play_note(&mut self, note: Note) -> Ending {
        let mut batch = Batch {
            prompts: vec![Prompt::of_note(&note)],
        };
        if let Some(ending) = self.shown_to_hooks(&mut batch).await {
            return ending;
        }
        self.session.keep_note(&note.text, &note.origin).await;
        self.session.conversation.history.user_text(&note.text);
        self.drain().await;
        self.session.announce().await;
        self.run_turn(true).await
    }

    async fn record_note(&mut self, note: &Note) -> Ending {
        self.session.keep_note(&note.text, &note.origin).await;
        self.session.conversation.history.user_text(&note.text);
        self.drain().await;
        self.session.announce().await;
        Ending::Local {
            command: None,
            text: String::new(),
        }
    }
}

impl Session {
    /// Closes the turn: sends its `result` and the lifecycle messages of its prompts.
    async fn close(&mut self, ending: Ending, uuids: &[String]) {
        if self.turn.stop() == Some(Stop::Leave) {
            // The process has to exit. As in the reference CLI, no result is sent.
            return self.close_without_result();
        }
        let failed = matches!(ending, Ending::Api(_));
        let folded = std::mem::take(&mut self.turn.prompts.folded);
        for uuid in &folded {
            let state = if failed { "cancelled" } else { "completed" };
            self.emit(messages::lifecycle(uuid, state)).await;
        }
        self.turn.prompts.folded = folded;
        self.tooling.services().settle(self.account.ledger());
        self.turn.denials.extend(self.agents.shared().take_denials());
        // A session that only ran local commands is not saved.
        if !matches!(ending, Ending::Local { .. }) || self.conversation.transcript.begun() {
            self.keep_turn_end().await;
        }
        let result = self.turn_result(&ending);
        self.line.count_result(result.is_error);
        self.turn.close();
        self.turn.clear_stop();
        self.line.close_result();
        self.emit(result).await;
        self.release_stopped_agents();
        let stopped = matches!(ending, Ending::Superseded { .. } | Ending::Interrupted { .. });
        let state = if stopped || failed { "cancelled" } else { "completed" };
        for uuid in uuids {
            self.emit(messages::lifecycle(uuid, state)).await;
        }
        self.suggest(&ending);
    }

    /// Closes the turn without a `result`.
    fn close_without_result(&mut self) {
        self.turn.close();
        self.line.close_result();
        self.tooling.services().settle(self.account.ledger());
    }

    /// Reports that the prompts of the turn have started.
    pub(crate) async fn emit_started(&self) {
        for uuid in &self.turn.prompts.uuids {
            self.emit(messages::lifecycle(uuid, "started")).await;
        }
    }

    /// Queues a prompt.
    pub(crate) async fn enqueue(&mut self, message: sluice_wire::stdin::User) {
        let mut prompt = messages::prompt(message);
        prompt.alone = !prompt.verbatim && self.find_command(&prompt.content).is_some();
        let uuid = prompt.uuid.clone();
        let echo = self.options.host.replay && prompt.is_replayed();
        let urgent = prompt.priority == Priority::Now;
        let replay = echo.then(|| messages::replay(&prompt.id, &prompt.content, None));
        if !self.queue.knows(prompt.uuid.as_deref()) {
            self.keep_queued(Queued::Enqueue(&prompt)).await;
        }
        match self.queue.push(prompt) {
            accepted @ (Accepted::Duplicate | Accepted::Earlier) => {
                if let Some(replay) = replay {
                    self.emit(replay).await;
                }
                if let (Accepted::Earlier, Some(uuid)) = (accepted, uuid) {
                    self.emit(messages::lifecycle(&uuid, "completed")).await;
                }
            }
            Accepted::Queued => {
                // A prompt does not answer an open permission request.
                if self.line.state() == messages::State::Idle {
                    self.enter(messages::State::Running).await;
                }
                if let Some(uuid) = uuid {
                    self.emit(messages::lifecycle(&uuid, "queued")).await;
                }
                if urgent && self.turn.is_open() && self.turn.stop().is_none() {
                    self.withdraw_asks().await;
                    self.turn.stop_with(Stop::Supersede);
                }
            }
        }
    }

    /// Returns the next note, unless a prompt has waited longer.
    pub(crate) fn note_due(&mut self) -> Option<Note> {
        let since = self.background.oldest_note_time()?;
        if self.queue.goes_before(since) {
            return None;
        }
        self.background.pop_note()
    }

    /// Adds reminders about changed session state (memory files, skills, servers, plan mode) to the conversation.
    pub(crate) fn remind(&mut self) {
        if !self.conversation.set_knows_memory(true) {
            let mut found = self.memories();
            self.hooks.note_instructions(&found.known);
            let memories = self.with_notes(std::mem::take(&mut found.known));
            if let Some(reminder) = memory::reminder(&memories) {
                self.conversation.history.remind(&reminder);
            }
            self.conversation.nearby().begin(found);
            self.tooling.servers_mut().reset_reminder();
            let prompt = &self.options.prompt.words;
            if prompt.place_apart && prompt.replace.is_none() {
                let place = self.options.place(self.policy.notes.as_deref());
                let facts = prompt::environment_facts(&place).join("\n\n");
                self.conversation.history.remind(&format!("[{facts}]"));
            }
            self.remind_of_place();
        }
        self.remind_of_skills();
        self.remind_of_servers();
        let planning = self.policy.mode == PermissionMode::Plan;
        if !self.conversation.set_knows_plan(planning) && planning {
            self.conversation.history.user_text(&prompt::plan_reminder(
                self.policy.plan_file.as_deref(),
                self.options.prompt.words.plan.as_deref(),
            ));
        }
    }

    /// Adds a reminder if the stored system prompt describes another date or folder.
    fn remind_of_place(&mut self) {
        let system = self.system().clone();
        let place = self.options.place(self.policy.notes.as_deref());
        if let Some(changed) = prompt::moved(&system, &place) {
            self.conversation.history.remind(&changed);
        }
    }

    /// Adds the index of the notes to the memory files.
    pub(crate) fn with_notes(&self, mut memories: Vec<Memory>) -> Vec<Memory> {
        memories.extend(self.policy.notes.as_deref().and_then(notes::index));
        memories
    }

    /// Sends `system/init`, which starts every turn, and reports problems.
    pub(crate) async fn announce(&mut self) {
        self.load_roster();
        let init = self.init();
        self.emit(init).await;
        self.enable_command_updates().await;
        self.report_settings_problems().await;
        self.report_agent_problems().await;
        self.report_catalogue_problems().await;
    }
}

/// The text of content that consists of a single text block.
fn only_text(content: &Value) -> Option<String> {
    let blocks = content.as_array()?;
    let [only] = blocks.as_slice() else { return None };
    only.get("text")?.as_str().map(str::to_owned)
}
