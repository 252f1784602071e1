//! The prompt queue: prompts can be changed here, and are handed to the agent one at a time.

use base64::Engine as _;
use serde_json::Value;
use sluice_host::conversation::{Failure, PromptState, Submit, What};
use sluice_host::items::Blob;
use sluice_host::wire::content::{Base64Source, Block, Content, Image};
use sluice_host::wire::stdin::User;
use sluice_host::wire::{Frame, ToAgent};
use sluice_store::{PromptPatch, PromptRow};

use super::actor::{Actor, Greeting, now, number};
use super::requests::Done;
use crate::api::{Code, Problem};
use crate::session::Own;

/// How many prompts may wait in one session.
pub(crate) const LIMIT: usize = 200;

impl Actor {
    /// Whether a prompt would be taken at all.
    pub(super) fn may_prompt(&self, level: super::Level) -> Result<(), Problem> {
        let ended = match self.row.status.as_str() {
            "stopped" => true,
            // At level 0 a session whose agent ended has left the list.
            "crashed" => level == super::Level::Zero,
            _ => false,
        };
        if ended {
            return Err(Problem::stopped());
        }
        if self.queue.len() >= LIMIT {
            return Err(Problem::new(Code::Limit, format!("{LIMIT} prompts wait already"))
                .hint("take some back, or let the agent get through them"));
        }
        Ok(())
    }

    /// A prompt that is in the store.
    pub(super) fn accept(&mut self, row: PromptRow, steer: bool, from: u64) -> &'static str {
        let known = self.queue.iter().any(|it| it.uuid == row.uuid)
            || self.sent.contains_key(&row.uuid)
            || self.state.prompt(&row.uuid).is_some();
        if known {
            return "queued";
        }
        self.dirty.state = true;
        self.row.last_activity_at = now();
        if self.row.title.is_none() {
            self.row.title = super::title::of_prompt(&row.text);
        }
        self.dirty.row = true;
        self.tell_zero_input(&row, from);
        let uuid = row.uuid.clone();
        let place = self.queue.partition_point(|it| it.position <= row.position);
        self.queue.insert(place, row);
        if steer {
            self.hand_over(&uuid);
        }
        self.wake();
        self.feed_agent();
        if self.queue.iter().any(|it| it.uuid == uuid) {
            self.tell_zero_queue();
            "queued"
        } else {
            "sent"
        }
    }

    /// Starts an agent that was retired, when there is something for it to do.
    pub(super) fn wake(&mut self) {
        let resting = matches!(self.row.status.as_str(), "retired" | "new");
        if resting && self.next_prompt().is_some() {
            self.start_agent();
        }
    }

    /// Hands over the next prompt, when the agent is free.
    pub(super) fn feed_agent(&mut self) {
        if self.next_prompt().is_none() || !self.can_write() {
            return;
        }
        let busy = self.state.open_turn().is_some()
            || self.state.interruption().is_some()
            || self
                .state
                .queue()
                .any(|prompt| prompt.state != PromptState::Indeterminate);
        if busy {
            return;
        }
        if let Some(uuid) = self.next_prompt() {
            self.hand_over(&uuid);
        }
    }

    fn can_write(&self) -> bool {
        self.caught_up
            && self.link.is_some()
            && self.state_is_up()
            && self.greeting == Greeting::Done
            && self.ending.is_none()
    }

    /// Hands a prompt to the machine, which writes it.
    fn hand_over(&mut self, uuid: &str) {
        if !self.can_write() {
            return;
        }
        let Some(at) = self.queue.iter().position(|row| row.uuid == uuid) else {
            return;
        };
        let row = self.queue.remove(at);
        let content = self.content(&row);
        let mut prompt = User::new(content);
        prompt.session_id = Some(self.state.session().id().unwrap_or_default().to_owned());
        let submit = Submit::new(row.uuid.as_str(), prompt);
        self.sent.insert(row.uuid.clone(), row);
        self.step(now(), What::Submit(submit));
        self.tell_zero_queue();
    }

    /// A prompt in the log of the runner: it was handed over before the bridge ended, and no longer waits.
    pub(super) fn was_handed_over(&mut self, frame: &Frame) {
        let Ok(ToAgent::User(user)) = frame.to_agent() else {
            return;
        };
        let Some(uuid) = user.uuid else { return };
        if let Some(at) = self.queue.iter().position(|row| row.uuid == uuid) {
            let row = self.queue.remove(at);
            self.sent.insert(row.uuid.clone(), row);
            self.dirty.state = true;
        }
    }

    /// What the agent is told: images are fetched from where they are kept.
    fn content(&self, row: &PromptRow) -> Content {
        let stored: Vec<Value> = serde_json::from_str(&row.content).unwrap_or_default();
        if stored.is_empty() {
            return row.text.clone().into();
        }
        let mut content = Vec::new();
        for image in &stored {
            let Some((hash, mime)) = image
                .get("hash")
                .and_then(Value::as_str)
                .zip(image.get("mime").and_then(Value::as_str))
            else {
                continue;
            };
            let Ok(bytes) = std::fs::read(self.shared.config.blob_path(hash)) else {
                continue;
            };
            let data = base64::engine::general_purpose::STANDARD.encode(bytes);
            let source = Base64Source {
                media_type: mime.to_owned(),
                data,
                ..Base64Source::default()
            };
            content.push(Block::from(Image {
                source: source.into(),
                ..Image::default()
            }));
        }
        if !row.text.is_empty() {
            content.push(Block::text(row.text.as_str()));
        }
        content.into()
    }

    /// The state of a prompt changed.
    pub(super) fn prompt_changed(&mut self, at: usize) {
        let Some(prompt) = self.state.prompts().get(at) else {
            return;
        };
        let uuid = prompt.id.to_string();
        let state = match prompt.state {
            PromptState::Queued => "queued",
            PromptState::Sent => "sent",
            PromptState::Delivered => "delivered",
            PromptState::Indeterminate => "indeterminate",
            PromptState::Failed(Failure::Withdrawn) => "withdrawn",
            PromptState::Failed(_) => "failed",
        };
        let turn = prompt.turn.map(number);
        let Some(row) = self.sent.get_mut(&uuid) else { return };
        if row.state == state && row.turn == turn {
            return;
        }
        let before = std::mem::replace(&mut row.state, state.to_owned());
        row.turn = turn;
        row.since = now();
        let row = row.clone();
        if state == "failed" || (state == "indeterminate" && before != "indeterminate") {
            self.keep_prompt(now(), &row, state, turn);
        }
        self.store_prompt(&row);
    }

    fn store_prompt(&mut self, row: &PromptRow) {
        let patch = PromptPatch {
            state: Some(row.state.clone()),
            turn: Some(row.turn),
            since: Some(row.since),
            position: Some(row.position),
            text: Some(row.text.clone()),
            ..PromptPatch::default()
        };
        let (store, uuid) = (self.shared.store.clone(), row.uuid.clone());
        self.jobs.spawn(async move {
            if let Err(error) = store.update_prompt(&uuid, patch).await {
                tracing::error!(%uuid, %error, "what became of a prompt could not be stored");
            }
            Done::Nothing
        });
    }

    /// The agent took a prompt up: this is its place in the conversation.
    pub(super) fn prompt_taken_up(&mut self, at: i64, prompt: usize, turn: Option<i64>) {
        let Some(it) = self.state.prompts().get(prompt) else {
            return;
        };
        let uuid = it.id.to_string();
        let row = match self.sent.get(&uuid) {
            Some(row) => row.clone(),
            // Written by another host of this agent.
            None => {
                let line = it.line.to_agent().ok();
                let text = match line {
                    Some(ToAgent::User(user)) => user.message.content.text(),
                    _ => String::new(),
                };
                PromptRow {
                    uuid,
                    session: self.id.clone(),
                    text,
                    by_name: String::new(),
                    ..PromptRow::default()
                }
            }
        };
        self.keep_prompt(at, &row, "delivered", turn);
    }

    fn keep_prompt(&mut self, at: i64, row: &PromptRow, state: &str, turn: Option<i64>) {
        let stored: Vec<Value> = serde_json::from_str(&row.content).unwrap_or_default();
        let images = stored.iter().filter_map(|image| {
            Some(Blob {
                hash: image.get("hash")?.as_str()?.to_owned(),
                bytes: image.get("bytes").and_then(Value::as_u64).unwrap_or(0),
                mime: image.get("mime")?.as_str()?.to_owned(),
                head: None,
                tail: None,
                lines: None,
            })
        });
        let own = Own::Prompt {
            uuid: row.uuid.clone(),
            text: row.text.clone(),
            images: images.collect(),
            state: state.to_owned(),
            by: row.by_name.clone(),
            device: row.by.clone(),
        };
        let text = (state == "delivered").then(|| row.text.clone());
        self.keep_own(at, turn, &own, text);
    }

    // What people do with what waits.

    fn waiting(&mut self, uuid: &str) -> Result<&mut PromptRow, Problem> {
        let missing = || {
            Problem::new(Code::Prompt, "this prompt does not wait here: it has begun, or is over")
                .hint("only prompts in the state `queued` can be changed")
        };
        self.queue.iter_mut().find(|row| row.uuid == uuid).ok_or_else(missing)
    }

    pub(super) fn edit_prompt(&mut self, uuid: &str, text: String) -> Result<(), Problem> {
        let row = self.waiting(uuid)?;
        row.text = text;
        let row = row.clone();
        self.store_prompt(&row);
        self.dirty.state = true;
        self.tell_zero_queue();
        Ok(())
    }

    pub(super) fn move_prompt(&mut self, uuid: &str, before: Option<&str>) -> Result<(), Problem> {
        self.waiting(uuid)?;
        let Some(at) = self.queue.iter().position(|row| row.uuid == uuid) else {
            return Ok(());
        };
        let mut row = self.queue.remove(at);
        let place = match before {
            Some(before) => match self.queue.iter().position(|row| row.uuid == before) {
                Some(place) => place,
                None => {
                    self.queue.insert(at, row);
                    return Err(Problem::new(Code::Prompt, "the prompt to go before does not wait here"));
                }
            },
            None => self.queue.len(),
        };
        let below = place
            .checked_sub(1)
            .and_then(|at| self.queue.get(at))
            .map(|row| row.position);
        let above = self.queue.get(place).map(|row| row.position);
        row.position = match (below, above) {
            (Some(below), Some(above)) => f64::midpoint(below, above),
            (Some(below), None) => below + 1.0,
            (None, Some(above)) => above - 1.0,
            (None, None) => row.position,
        };
        self.store_prompt(&row);
        self.queue.insert(place, row);
        self.dirty.state = true;
        self.tell_zero_queue();
        Ok(())
    }

    pub(super) fn send_now(&mut self, uuid: &str) -> Result<(), Problem> {
        self.waiting(uuid)?;
        if !self.can_write() {
            return Err(Problem::stopped());
        }
        self.hand_over(uuid);
        self.dirty.state = true;
        Ok(())
    }

    pub(super) fn take_back(&mut self, uuid: &str) -> Result<(), Problem> {
        if let Some(at) = self.queue.iter().position(|row| row.uuid == uuid) {
            let mut row = self.queue.remove(at);
            row.state = "withdrawn".to_owned();
            row.since = now();
            self.store_prompt(&row);
            self.dirty.state = true;
            self.tell_zero_queue();
            return Ok(());
        }
        let open = self.state.prompt(uuid).is_some_and(|prompt| !prompt.is_over());
        if !open {
            return Err(self.waiting(uuid).err().unwrap_or_else(Problem::stopped));
        }
        let request = super::requests::fresh_id();
        self.step(
            now(),
            What::Withdraw {
                prompt: uuid.into(),
                request,
            },
        );
        Ok(())
    }
}
