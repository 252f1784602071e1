//! Commands of people, control requests to the agent, and the jobs that run beside the session.

use serde_json::Value;
use sluice_host::conversation::{OwnRequest, RequestOutcome as Heard, What};
use sluice_host::wire::control::{Interrupt, RenameSession, Request, RequestId, Response};
use sluice_host::wire::{Frame, ToHost};
use sluice_store::{SessionPatch, TurnRow};
use tokio::time::Instant;

use super::actor::{Actor, Greeting, millis, now, number};
use super::process::Ending;
use super::view::turn_result;
use super::{By, Command, Reply};
use crate::agents::{Begin, Wish};
use crate::api::{Code, Problem};
use crate::hub::Note;
use crate::session::Own;

/// How many requests wait for an agent that is being started.
const HELD: usize = 32;

/// Somebody who waits for the answer to a request.
pub(super) enum Waiter {
    Person(Reply<Value>),
    Interrupt(Reply<()>),
    Nobody,
}

/// The result of a job.
pub(super) enum Done {
    Nothing,
    Decided(Box<super::asks::Decided>),
}

/// An id nobody else has.
pub(super) fn fresh_id() -> RequestId {
    RequestId::new(format!("bridge-{}", uuid::Uuid::new_v4()))
}

impl Actor {
    pub(super) async fn obey(&mut self, command: Command) {
        match command {
            Command::Subscribe {
                listener,
                revision,
                turns,
                reply,
            } => {
                self.catch_up_with_transcript().await;
                self.subscribe(listener, revision, turns);
                reply.send(Ok(())).ok();
            }
            Command::FollowLines {
                listener,
                after,
                turns,
                reply,
            } => {
                self.catch_up_with_transcript().await;
                let followed = self.follow_lines(listener, after, turns).await;
                reply.send(followed).ok();
            }
            Command::Unsubscribe { key } => {
                self.listeners.retain(|listener| listener.key != key);
                self.idle_since = self.idle_since.max(Instant::now());
            }
            Command::MayPrompt { level, reply } => {
                reply.send(self.may_prompt(level)).ok();
            }
            Command::Prompt {
                row,
                steer,
                from,
                reply,
            } => {
                self.catch_up_with_transcript().await;
                reply.send(Ok(self.accept(*row, steer, from))).ok();
            }
            Command::EditPrompt { uuid, text, reply } => {
                reply.send(self.edit_prompt(&uuid, text)).ok();
            }
            Command::MovePrompt { uuid, before, reply } => {
                reply.send(self.move_prompt(&uuid, before.as_deref())).ok();
            }
            Command::SendNow { uuid, reply } => {
                reply.send(self.send_now(&uuid)).ok();
            }
            Command::TakeBack { uuid, reply } => {
                reply.send(self.take_back(&uuid)).ok();
            }
            Command::Answer { answer, by, reply } => self.answer(*answer, by, reply),
            Command::Interrupt { all, hold, reply } => {
                if hold {
                    self.hold_queue();
                }
                self.interrupt(all, Some(reply));
            }
            Command::ReleaseQueue { reply } => {
                self.release_queue();
                reply.send(Ok(())).ok();
            }
            Command::Request { request, reply } => self.request(*request, reply),
            Command::Resume { mode, reply } => {
                self.catch_up_with_transcript().await;
                reply.send(self.resume(mode)).ok();
            }
            Command::Stop { by, reply } => {
                self.stop(by, reply);
            }
            Command::Rename { title, by, reply } => {
                self.rename(&title, &by);
                reply.send(Ok(())).ok();
            }
            Command::Archive { archived, reply } => {
                self.row.archived = archived;
                self.dirty.row = true;
                self.dirty.state = true;
                self.told_info = None;
                reply.send(Ok(())).ok();
            }
            Command::Remember {
                model,
                effort,
                thinking,
                mode,
            } => self.remember(model, effort, thinking, mode),
            Command::Look(look) => look(&self.state, &self.row),
            Command::ItemsBefore { before, turns, reply } => {
                reply.send(Ok(self.items_before(before, turns))).ok();
            }
            Command::RawLines { item, reply } => {
                reply.send(Ok(self.raw_lines(item))).ok();
            }
            Command::FindItem { record, reply } => {
                reply.send(self.item_of_record(record)).ok();
            }
            Command::Leave { reply } => {
                self.link = None;
                self.connecting = None;
                self.listeners.clear();
                self.leaving = Some(reply);
            }
        }
    }

    pub(super) fn take_done(&mut self, done: Done) {
        match done {
            Done::Nothing => {}
            Done::Decided(decided) => self.decided(*decided),
        }
    }

    /// Sends `initialize` to an agent that has not got it.
    pub(super) fn greet(&mut self) {
        if self.greeting != Greeting::Owed || !self.state_is_up() {
            if let Greeting::Sent(id) = &self.greeting
                && !self.state.requests().iter().any(|request| request.id == *id)
            {
                self.greeting = Greeting::Done;
            }
            return;
        }
        let wish = Wish {
            agent: self.row.agent.clone(),
            folder: self.row.folder.clone().into(),
            permission_mode: self.row.permission_mode.clone(),
            ..Wish::default()
        };
        let begin = Begin::Resume(String::new());
        let Ok((_, greeting)) = self.shared.agents.launch(&wish, &begin) else {
            self.greeting = Greeting::Done;
            return;
        };
        let id = fresh_id();
        self.greeting = Greeting::Sent(id.clone());
        self.step(now(), What::Request(OwnRequest::new(id, greeting)));
    }

    /// Makes a control request of the agent.
    pub(super) fn request(&mut self, request: Request, reply: Reply<Value>) {
        if !self.state_is_up() && self.connecting.is_some() && self.held.len() < HELD {
            // It is on its way: a person who opens a panel early should not be told that nobody is there.
            self.held.push((request, reply));
            return;
        }
        if !self.state_is_up() {
            reply.send(Err(Problem::stopped())).ok();
            return;
        }
        let id = fresh_id();
        self.waiters.insert(id.clone(), Waiter::Person(reply));
        self.ask_agent(id, request);
    }

    /// Makes the requests that came while the agent was being started, or refuses them when it did not come.
    pub(super) fn release_held(&mut self) {
        for (request, reply) in std::mem::take(&mut self.held) {
            self.request(request, reply);
        }
    }

    fn ask_agent(&mut self, id: RequestId, request: impl Into<Request>) {
        self.step(now(), What::Request(OwnRequest::new(id, request)));
    }

    /// Stops the turn.
    pub(super) fn interrupt(&mut self, all: bool, reply: Option<Reply<()>>) {
        if !self.state_is_up() || self.state.open_turn().is_none() {
            if let Some(reply) = reply {
                // Nothing runs: it is stopped already.
                reply.send(Ok(())).ok();
            }
            return;
        }
        let id = fresh_id();
        let waiter = reply.map_or(Waiter::Nobody, Waiter::Interrupt);
        self.waiters.insert(id.clone(), waiter);
        self.interrupted_turn = self.state.open_turn();
        let request = Interrupt {
            cancel_queued: all.then_some(true),
            ..Interrupt::default()
        };
        self.ask_agent(id, request);
    }

    pub(super) fn take_reply(&mut self, request: &RequestId, heard: Heard) {
        if self.greeting == Greeting::Sent(request.clone()) {
            if !matches!(heard, Heard::Died) {
                self.greeting = Greeting::Done;
                self.tell_zero_init();
            }
            self.dirty.facts = true;
            self.dirty.state = true;
        }
        let Some(waiter) = self.waiters.remove(request) else {
            return;
        };
        let answer = match heard {
            Heard::Answered(frame) => read(&frame),
            Heard::Expired => Err(Problem::new(Code::Refused, "the agent did not answer in time")
                .hint("an older agent may not know the request")),
            Heard::Died => Err(Problem::stopped()),
        };
        match waiter {
            Waiter::Person(reply) => {
                reply.send(answer).ok();
            }
            Waiter::Interrupt(reply) => {
                reply.send(answer.map(|_| ())).ok();
            }
            Waiter::Nobody => {}
        }
    }

    fn resume(&mut self, mode: Option<String>) -> Result<(), Problem> {
        if let Some(mode) = mode
            && mode != self.row.permission_mode
            && !self.state_is_up()
        {
            self.row.permission_mode = mode;
        }
        if self.state_is_up() || self.connecting.is_some() {
            // An agent that is being ended starts again afterwards.
            self.ending = self.ending.take().map(|_| Ending::Restarted);
            return Ok(());
        }
        self.shared.agents.find(Some(&self.row.agent))?;
        self.link = None;
        self.start_agent();
        Ok(())
    }

    /// Ends the agent. The reply comes when it has ended.
    fn stop(&mut self, by: By, reply: Reply<()>) {
        if self.state_is_up() || self.connecting.is_some() {
            // The turn ends first: an agent whose input ends would finish it.
            self.interrupt(true, None);
            self.stopping.push(reply);
            self.end_agent(Ending::Stopped(by.name));
            return;
        }
        reply.send(Ok(())).ok();
        if self.row.status == "stopped" {
            return;
        }
        self.row.status = "stopped".to_owned();
        self.dirty.row = true;
        self.dirty.state = true;
        let own = Own::Process {
            state: "stopped".into(),
            crashed: false,
            code: None,
            signal: None,
            stderr: Vec::new(),
            reason: Some(format!("stopped by {}", by.name)),
        };
        self.keep_own(now(), None, &own, None);
    }

    fn rename(&mut self, title: &str, by: &By) {
        self.row.title = Some(title.to_owned());
        self.row.title_by_person = true;
        self.dirty.row = true;
        self.dirty.state = true;
        let own = Own::Title {
            title: title.to_owned(),
            by: Some(by.name.clone()),
        };
        self.keep_own(now(), None, &own, None);
        if self.state_is_up() && self.greeting == Greeting::Done {
            let id = fresh_id();
            let request = RenameSession {
                title: title.to_owned(),
                ..RenameSession::default()
            };
            self.ask_agent(id, request);
        }
    }

    fn remember(
        &mut self,
        model: Option<Option<String>>,
        effort: Option<String>,
        thinking: Option<Option<u64>>,
        mode: Option<String>,
    ) {
        if let Some(model) = model {
            self.row.model = model;
        }
        if let Some(effort) = effort {
            self.extra.effort = Some(effort);
        }
        if let Some(thinking) = thinking {
            self.extra.thinking = thinking;
        }
        if let Some(mode) = mode {
            self.row.permission_mode = mode;
        }
        self.dirty.row = true;
        self.dirty.state = true;
    }

    /// A turn began, learned whose it is, or ended.
    pub(super) fn turn_changed(&mut self, at: usize) {
        let Some(turn) = self.state.turns().get(at) else { return };
        let Some(ended) = turn.ended.map(millis) else { return };
        self.row.turns = self.state.turns().len() as u64;
        self.row.cost = self.state.cost().total;
        self.row.last_activity_at = ended;
        self.extra.finished_at = Some(ended);
        self.extra.branch = crate::worktree::branch(std::path::Path::new(&self.row.folder));
        self.dirty.row = true;
        let usage = turn.usage.unwrap_or_default();
        let result = turn.entry.and_then(|entry| self.state.entries().get(entry));
        let result = result.and_then(|entry| serde_json::from_str::<Value>(&entry.line).ok());
        let by_model = result
            .as_ref()
            .and_then(|it| it.get("modelUsage"))
            .filter(|it| !it.is_null());
        let of_turn = by_model.map(|now| difference(self.by_model.as_ref(), now));
        if let Some(by_model) = by_model {
            self.by_model = Some(by_model.clone());
        }
        let row = TurnRow {
            session: self.id.clone(),
            turn: number(at),
            began: millis(turn.began),
            ended: Some(ended),
            cost: turn.cost.unwrap_or(0.0),
            model: self.state.session().model.as_deref().map(str::to_owned),
            input_tokens: usage.input,
            output_tokens: usage.output,
            cache_read: usage.cache_read,
            cache_write: usage.cache_write,
            folder: self.row.folder.clone(),
            day: crate::day::local(ended),
            subtype: turn.end.as_ref().map(|end| turn_result(end).as_str().to_owned()),
            by_model: of_turn.map(|it| it.to_string()).unwrap_or_default(),
        };
        let store = self.shared.store.clone();
        self.jobs.spawn(async move {
            if let Err(error) = store.put_turn(row).await {
                tracing::error!(%error, "a turn could not be stored");
            }
            Done::Nothing
        });
    }

    pub(super) fn store_row(&mut self) {
        self.row.last_seq = self.records.cursor().seq;
        self.row.pending_asks = u32::try_from(self.state.pending_asks().count()).unwrap_or(u32::MAX);
        self.row.queue_len = u32::try_from(self.queue.len()).unwrap_or(u32::MAX);
        self.row.extra = serde_json::to_string(&self.extra).unwrap_or_default();
        let row = &self.row;
        let patch = SessionPatch {
            title: Some(row.title.clone()),
            title_by_person: Some(row.title_by_person),
            model: Some(row.model.clone()),
            permission_mode: Some(row.permission_mode.clone()),
            last_activity_at: Some(row.last_activity_at),
            archived: Some(row.archived),
            status: Some(row.status.clone()),
            cost: Some(row.cost),
            turns: Some(row.turns),
            provider_id: Some(row.provider_id.clone()),
            pending_asks: Some(row.pending_asks),
            queue_len: Some(row.queue_len),
            preview: Some(row.preview.clone()),
            extra: Some(row.extra.clone()),
            ..SessionPatch::default()
        };
        let (store, id) = (self.shared.store.clone(), self.id.clone());
        self.jobs.spawn(async move {
            if let Err(error) = store.update_session(&id, patch).await {
                tracing::error!(session = %id, %error, "a session's row could not be stored");
            }
            Done::Nothing
        });
        self.store_note();
    }

    /// Keeps the note beside the runner's log true. It changes a few times in the life of a session.
    fn store_note(&mut self) {
        let (note, dir) = (Note::of(&self.row), self.runner_dir());
        if self.noted.as_ref() == Some(&note) || !dir.is_dir() {
            return;
        }
        match note.write(&dir) {
            Ok(()) => self.noted = Some(note),
            Err(error) => tracing::warn!(session = %self.id, %error, "the note beside the log could not be written"),
        }
    }
}

/// What one turn used of each model: totals of a process are named, and begin anew with the next one.
fn difference(before: Option<&Value>, now: &Value) -> Value {
    let mut used = serde_json::Map::new();
    for (model, totals) in now.as_object().into_iter().flatten() {
        let old = before.and_then(|before| before.get(model));
        let number =
            |of: Option<&Value>, key: &str| of.and_then(|it| it.get(key)).and_then(Value::as_f64).unwrap_or(0.0);
        let restarted = number(old, "costUSD") > number(Some(totals), "costUSD")
            || number(old, "outputTokens") > number(Some(totals), "outputTokens");
        let old = old.filter(|_| !restarted);
        let spent = |key: &str| number(Some(totals), key) - number(old, key);
        let tokens = [
            "inputTokens",
            "outputTokens",
            "cacheReadInputTokens",
            "cacheCreationInputTokens",
        ];
        let tokens = tokens.map(|key| (key.to_owned(), Value::from(spent(key).max(0.0) as u64)));
        let mut fields: serde_json::Map<String, Value> = tokens.into_iter().collect();
        fields.insert("costUSD".to_owned(), spent("costUSD").into());
        used.insert(model.clone(), Value::Object(fields));
    }
    Value::Object(used)
}

fn read(frame: &Frame) -> Result<Value, Problem> {
    let response = match frame.to_host() {
        Ok(ToHost::ControlResponse(answer)) => answer.response,
        _ => return Err(Problem::new(Code::Refused, "the agent's answer cannot be read")),
    };
    match response {
        Response::Success(success) => Ok(success.response.unwrap_or_default()),
        Response::Error(failure) => Err(Problem::new(Code::Refused, failure.error)),
        _ => Err(Problem::new(Code::Refused, "the agent's answer cannot be read")),
    }
}
