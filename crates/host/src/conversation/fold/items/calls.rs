//! Tool calls: input, permission, result.

use serde_json::Value;
use sluice_wire::Frame;
use sluice_wire::control::{CanUseToolResponse, DecisionReasonType};
use sluice_wire::stdout::system::TaskOutcome;

use super::{Fold, leaf};
use crate::conversation::index::place;
use crate::conversation::read::{
    self, Block, Decided, DeniedFields, Later, List, MessageFields, Obj, ResultMeta, UseMeta,
};
use crate::conversation::{AskKind, AskState, Call, CallState, ProcessStatus, TaskState};
use crate::items::list::{CallRecord, RecordBody, ResultRecord, Streamed, Titles};
use crate::items::{Decider, ItemBody, ItemStatus, Permission, PermissionOutcome, Request, Sender, folder_after};

/// What the agent returns for a call that a person stopped.
const REJECTED: &str = "\"User rejected tool use\"";

/// The line that makes a call.
#[derive(Clone, Copy)]
pub(crate) struct Calling<'a> {
    pub(crate) frame: &'a Frame,
    pub(crate) entry: usize,
    pub(crate) message: &'a str,
    pub(crate) input: Later<'a>,
}

impl Fold<'_> {
    /// A call is known: by the line that makes it, or only by its id.
    pub(in super::super) fn call_item(&mut self, call: usize, calling: Option<Calling<'_>>) {
        let Some(known) = self.state.calls.get(call) else {
            return;
        };
        let (id, parent) = (known.id.clone(), known.parent);
        let streamed = calling.and_then(|it| {
            let is = |body: &RecordBody| matches!(body, RecordBody::Writing(writing) if writing.id == id);
            self.take_streamed(parent, it.message, is)
        });
        let input = calling.and_then(|it| Some(leaf(it.frame, it.entry, it.input?)));
        let record = CallRecord {
            call: place(call),
            input,
            changed: None,
            result: None,
            permission: self.permission_asked(&id),
            folder: self.state.items.current.folder,
            titles: None,
            loaded: None,
            task: calling.and_then(|it| self.named_task(call, it.input)),
        };
        let at = match (streamed, self.state.items.of_call(call)) {
            (Some(Streamed { item, .. }), None) => {
                self.state.items.set_call(item, record);
                item
            }
            (_, Some(at)) => {
                if let Some(known) = self.state.items.call_mut(call) {
                    known.input = record.input;
                    known.task = record.task;
                }
                if let Some(item) = self.state.items.get_mut(at) {
                    item.parent = parent.map(place);
                }
                at
            }
            (None, None) => self.add_item(ItemStatus::Running, RecordBody::Call(Box::new(record)), parent),
        };
        if calling.is_some() {
            self.state.items.turn.calls += 1;
        }
        self.update_call(call);
        self.item_changed(at);
    }

    /// What the task is about that a call names by its id.
    fn named_task(&self, call: usize, input: Later<'_>) -> Option<Box<str>> {
        let call = self.state.calls.get(call)?;
        if !crate::items::tracks_tasks(&call.name) {
            return None;
        }
        let input: Value = read::later(input)?;
        let id = input.get("taskId")?.as_str()?;
        let todo = self.state.todos().iter().find(|todo| todo.id.as_deref() == Some(id))?;
        Some(todo.subject.clone())
    }

    /// `tool_use_meta`: the names for people of a tool of an MCP server.
    pub(in super::super) fn call_titles(&mut self, call: usize, id: &str, metas: Later<'_>) {
        if metas.is_none() {
            return;
        }
        let metas = read::later::<List<Obj<UseMeta<'_>>>>(metas).unwrap_or_default();
        let mut metas = metas.0.iter().filter_map(|it| it.0.as_ref());
        let Some(meta) = metas.find(|meta| meta.id.get() == Some(id)) else {
            return;
        };
        let titles = Titles {
            server: meta.server_display_name.boxed(),
            tool: meta.display_name.boxed(),
        };
        if let Some(record) = self.state.items.call_mut(call) {
            record.titles = Some(Box::new(titles));
            self.call_changed(call);
        }
    }

    /// The text that the last skill loaded. Returns false if there is no such call.
    pub(in super::super) fn skill_loaded(&mut self, text: &str) -> bool {
        let from = self.state.calls.len().saturating_sub(16);
        let skill = (from..self.state.calls.len()).rev().find(|at| {
            let call = self.state.calls.get(*at);
            call.is_some_and(|call| crate::items::loads_text(&call.name))
        });
        let Some(record) = skill.and_then(|at| self.state.items.call_mut(at)) else {
            return false;
        };
        record.loaded = Some(text.into());
        if let Some(call) = skill {
            self.call_changed(call);
        }
        true
    }

    /// A call, its task or its permission changed.
    pub(in super::super) fn update_call(&mut self, call: usize) {
        let Some(at) = self.state.items.of_call(call) else {
            return;
        };
        let Some(status) = self.call_status(call) else { return };
        self.state.items.set_status(at, status);
    }

    fn call_status(&self, at: usize) -> Option<ItemStatus> {
        let call = self.state.calls.get(at)?;
        let record = self.state.items.call(at)?;
        let waits = |permission: &Permission| permission.outcome == PermissionOutcome::Waiting;
        Some(match call.state {
            CallState::Running if record.permission.as_deref().is_some_and(waits) => ItemStatus::Waiting,
            CallState::Running => ItemStatus::Running,
            CallState::Dropped if matches!(self.state.process, ProcessStatus::Exited { .. }) => ItemStatus::Interrupted,
            CallState::Dropped => ItemStatus::Cancelled,
            CallState::Done | CallState::Failed => match record.result.as_ref().map(|result| result.status) {
                Some(ItemStatus::Done) | None => self.task_status(call),
                Some(status) => status,
            },
        })
    }

    /// A call that returned may continue in the background.
    fn task_status(&self, call: &Call) -> ItemStatus {
        let mut tasks = self.state.tasks.iter();
        let task = tasks.find(|task| task.background && task.call.as_deref() == Some(&*call.id));
        match task.map(|task| &task.state) {
            Some(TaskState::Open(_)) => ItemStatus::Background,
            Some(TaskState::Ended(TaskOutcome::Failed)) => ItemStatus::Failed,
            Some(TaskState::Ended(TaskOutcome::Stopped)) => ItemStatus::Cancelled,
            _ => ItemStatus::Done,
        }
    }

    /// A call has its result.
    pub(in super::super) fn call_result(
        &mut self,
        call: usize,
        (frame, entry): (&Frame, usize),
        message: &MessageFields<'_>,
        block: &Block<'_>,
    ) {
        self.decided(call, block.tool_use_id.text(), message.tool_result_meta);
        let rejected = message.tool_use_result.is_some_and(|value| value.get() == REJECTED);
        let Some(record) = self.state.items.call_mut(call) else {
            return;
        };
        let denied = record
            .permission
            .as_deref()
            .is_some_and(|it| it.outcome == PermissionOutcome::Denied);
        let status = match block.is_error.0 {
            _ if rejected => ItemStatus::Cancelled,
            true if denied => ItemStatus::Denied,
            true => ItemStatus::Failed,
            false => ItemStatus::Done,
        };
        record.result = Some(ResultRecord {
            content: block.content.map(|value| leaf(frame, entry, value)),
            value: message.tool_use_result.map(|value| leaf(frame, entry, value)),
            status,
        });
        self.call_changed(call);
        match status {
            ItemStatus::Done => self.call_effects(call),
            ItemStatus::Denied => self.state.items.turn.denials += 1,
            _ => {}
        }
    }

    /// What a call left behind: changed files, another folder.
    fn call_effects(&mut self, at: usize) {
        let Some(call) = self.state.calls.get(at) else { return };
        if crate::items::changes_files(&call.name) {
            let item = self.state.item_of_call(&call.id);
            if let Some(count) = item.and_then(|item| item.call()?.card.changed()) {
                self.state.items.files.add(count.clone());
                self.state.items.turn.files.add(count);
            }
        } else if crate::items::runs_commands(&call.name) && call.parent.is_none() {
            self.follow_folder(at);
        }
    }

    fn follow_folder(&mut self, call: usize) {
        let items = &self.state.items;
        let Some(record) = items.call(call) else { return };
        let raw = match (&record.changed, &record.input) {
            (Some(changed), _) => changed,
            (None, Some(input)) => self.state.leaf(input),
            (None, None) => return,
        };
        if !raw.contains("cd ") {
            return;
        }
        let input: Value = serde_json::from_str(raw).unwrap_or_default();
        let command = input.get("command").and_then(Value::as_str).unwrap_or_default();
        let current = (items.folder(items.current.root), items.folder(items.current.folder));
        let (Some(root), Some(folder)) = current else { return };
        if let Some(folder) = folder_after(root, folder, command) {
            self.state.items.current.folder = self.state.items.intern_folder(&folder);
        }
    }

    /// The permission request about a call, where it came before the call.
    fn permission_asked(&self, call: &str) -> Option<Box<Permission>> {
        let asks = self.state.asks.iter().rev().take(16);
        let mut asks = asks.filter(|ask| ask.kind == AskKind::Tool && ask.call.as_deref() == Some(call));
        let ask = asks.next()?;
        Some(Box::new(Permission {
            request: Some(ask.id.clone()),
            outcome: outcome(ask.state),
            by: None,
            reason: None,
            asked: Some(ask.at),
            decided: ask.settled,
            message: None,
            rules: Vec::new(),
            destination: None,
            changed_by: None,
        }))
    }

    /// A person is asked about a call.
    pub(in super::super) fn permission_asks(&mut self, ask: usize, reason: Option<&str>) {
        let Some(asked) = self.state.asks.get(ask) else { return };
        let call = asked.call.as_deref().and_then(|call| self.state.find_call(call));
        let permission = Permission {
            request: Some(asked.id.clone()),
            outcome: PermissionOutcome::Waiting,
            by: None,
            reason: reason.map(str::to_owned),
            asked: Some(asked.at),
            decided: None,
            message: None,
            rules: Vec::new(),
            destination: None,
            changed_by: None,
        };
        let Some(call) = call.filter(|_| asked.kind == AskKind::Tool) else {
            return;
        };
        if let Some(record) = self.state.items.call_mut(call) {
            record.permission = Some(Box::new(permission));
            self.call_changed(call);
        }
    }

    /// A permission request has its outcome.
    pub(in super::super) fn permission_settled(&mut self, ask: usize) {
        let Some(settled) = self.state.asks.get(ask).filter(|it| it.kind.is_for_a_person()) else {
            return;
        };
        let call = settled.call.as_deref().and_then(|call| self.state.find_call(call));
        let Some(call) = call else {
            return self.request_settled(ask);
        };
        let (id, state, at, by) = (settled.id.clone(), settled.state, settled.settled, settled.by.clone());
        let permission = self
            .state
            .items
            .call_mut(call)
            .and_then(|record| record.permission.as_mut());
        if let Some(permission) = permission.filter(|it| it.request.as_ref() == Some(&id)) {
            permission.outcome = outcome(state);
            permission.decided = at;
            let known = matches!(&permission.by, Some(Decider::Person { sender: Some(_) }));
            if matches!(state, AskState::Allowed | AskState::Denied) && !known {
                permission.by = Some(Decider::Person {
                    sender: by.map(Sender::named),
                });
            }
            self.call_changed(call);
        }
    }

    /// A request that belongs to no call has its outcome.
    fn request_settled(&mut self, ask: usize) {
        let Some(settled) = self.state.asks.get(ask) else {
            return;
        };
        let answered = matches!(settled.state, AskState::Allowed | AskState::Denied);
        let permission = Permission {
            request: Some(settled.id.clone()),
            outcome: outcome(settled.state),
            by: answered.then(|| Decider::Person {
                sender: settled.by.clone().map(Sender::named),
            }),
            reason: None,
            asked: Some(settled.at),
            decided: settled.settled,
            message: None,
            rules: Vec::new(),
            destination: None,
            changed_by: None,
        };
        let (from, id) = (settled.name.clone(), settled.id.clone());
        let at = self.done(ItemBody::Request(Box::new(Request { from, permission })));
        let requests = &mut self.state.items.current.requests;
        requests.push((id, at));
        let old = requests.len().saturating_sub(16);
        requests.drain(..old);
    }

    pub(in super::super) fn call_changed(&mut self, call: usize) {
        self.update_call(call);
        if let Some(at) = self.state.items.of_call(call) {
            self.item_changed(at);
        }
    }

    /// Someone changed the input of a call when they allowed it.
    pub(in super::super) fn input_changed(&mut self, call: Option<usize>, input: &str, by: Decider) {
        let Some(call) = call.filter(|call| {
            let known = self.state.calls.get(*call);
            // The answer to a question is part of its input.
            known.is_some_and(|call| !crate::items::is_question(&call.name))
        }) else {
            return;
        };
        let asked = self
            .state
            .items
            .call(call)
            .and_then(|record| self.state.value(record.input.as_ref()));
        let same = serde_json::from_str::<Value>(input).ok() == asked;
        if let Some(record) = self.state.items.call_mut(call).filter(|_| !same && asked.is_some()) {
            record.changed = Some(input.into());
            if let Some(permission) = &mut record.permission {
                permission.changed_by = Some(by);
            }
            self.call_changed(call);
        }
    }

    /// A hook that this host runs answered.
    pub(in super::super) fn hook_answered(&mut self, ask: usize, answer: &str) {
        let call = self.state.asks.get(ask).and_then(|it| it.call.as_deref());
        let Some(call) = call.and_then(|call| self.state.find_call(call)) else {
            return;
        };
        let answer: Value = serde_json::from_str(answer).unwrap_or_default();
        let Some(output) = answer.get("hookSpecificOutput") else {
            return;
        };
        let word = |name: &str| output.get(name).and_then(Value::as_str);
        let outcome = match word("permissionDecision") {
            Some("allow") => PermissionOutcome::Allowed,
            Some("deny") => PermissionOutcome::Denied,
            _ if output.get("updatedInput").is_some() => PermissionOutcome::Allowed,
            _ => return,
        };
        let reason = word("permissionDecisionReason").map(str::to_owned);
        self.decide(call, outcome, Decider::Hook, reason);
        if let Some(input) = output.get("updatedInput") {
            self.input_changed(Some(call), &input.to_string(), Decider::Hook);
        }
    }

    /// Somebody else than a person decided about a call.
    fn decide(&mut self, call: usize, outcome: PermissionOutcome, by: Decider, reason: Option<String>) {
        if let Some(record) = self.state.items.call_mut(call).filter(|it| it.permission.is_none()) {
            record.permission = Some(Box::new(Permission {
                request: None,
                outcome,
                by: Some(by),
                reason,
                asked: None,
                decided: None,
                message: None,
                rules: Vec::new(),
                destination: None,
                changed_by: None,
            }));
            self.call_changed(call);
        }
    }

    /// `tool_result_meta`: who decided about a call.
    fn decided(&mut self, call: usize, id: &str, metas: Later<'_>) {
        let metas = read::later::<List<Obj<ResultMeta<'_>>>>(metas).unwrap_or_default();
        let mut metas = metas.0.iter().filter_map(|it| it.0.as_ref());
        let meta = metas.find(|meta| meta.id.get() == Some(id));
        let Some(decision) = meta.and_then(|meta| meta.permission_decision.0.as_ref()) else {
            return;
        };
        let word = decision.decision.text();
        let denied = word.starts_with("den") || word == "reject";
        let outcome = if denied {
            PermissionOutcome::Denied
        } else {
            PermissionOutcome::Allowed
        };
        self.decide(call, outcome, decider(decision), None);
    }

    /// `permission_denied`: a call was denied without asking.
    pub(in super::super) fn denied(&mut self, denied: &DeniedFields<'_>) {
        if let Some(call) = self.state.find_call(denied.tool_use_id.text()) {
            let by = by_reason(denied.decision_reason_type.text());
            let reason = denied.message.get().map(str::to_owned);
            self.decide(call, PermissionOutcome::Denied, by, reason);
        }
    }

    /// The position of the call that an ask is about.
    pub(in super::super) fn call_of_ask(&self, ask: usize) -> Option<usize> {
        self.state.find_call(self.state.asks.get(ask)?.call.as_deref()?)
    }

    /// The answer to a permission request changes the input.
    pub(in super::super) fn answer_changes(&mut self, ask: usize, answer: &CanUseToolResponse, by: Option<Box<str>>) {
        if let CanUseToolResponse::Allow(allow) = answer
            && let Some(input) = &allow.updated_input
        {
            let call = self.call_of_ask(ask);
            let record = call.and_then(|call| self.state.items.call(call));
            let by = match record.and_then(|record| record.permission.as_ref()?.by.clone()) {
                Some(person @ Decider::Person { .. }) => person,
                _ => Decider::Person {
                    sender: by.map(Sender::named),
                },
            };
            self.input_changed(call, input.get(), by);
        }
    }
}

fn outcome(state: AskState) -> PermissionOutcome {
    match state {
        AskState::Pending => PermissionOutcome::Waiting,
        AskState::Allowed => PermissionOutcome::Allowed,
        AskState::Denied => PermissionOutcome::Denied,
        AskState::Cancelled => PermissionOutcome::Withdrawn,
        AskState::Superseded => PermissionOutcome::Superseded,
        AskState::Expired => PermissionOutcome::Expired,
    }
}

fn decider(decision: &Decided<'_>) -> Decider {
    match (decision.source.text(), decision.reason_type.text()) {
        (source, _) if source.starts_with("user") => Decider::Person { sender: None },
        ("hook", _) => Decider::Hook,
        (_, "") => Decider::Rule,
        (_, reason) => by_reason(reason),
    }
}

fn by_reason(reason: &str) -> Decider {
    match DecisionReasonType::from(reason) {
        DecisionReasonType::Rule | DecisionReasonType::SubcommandResults => Decider::Rule,
        DecisionReasonType::Mode => Decider::Mode,
        DecisionReasonType::Hook => Decider::Hook,
        DecisionReasonType::Classifier => Decider::Classifier,
        _ => Decider::Other { name: reason.into() },
    }
}
