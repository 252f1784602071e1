//! Messages of the bridge's WebSocket as lines of an agent's stdout, and lines of an agent's stdin as commands to the
//! bridge. No I/O.
//!
//! To the terminal a served session looks like an agent: it gets the lines of the agent, and asks as control requests. What the terminal writes becomes commands; their receipts become control responses.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use serde_json::{Value, json};
use sluice_wire::control::{
    AccountInfo, ControlCancelRequest, ControlRequest, ControlResponse, InitializeResponse, InterruptResponse,
    ModelInfo, Request, RequestId, RewindFilesResponse, SlashCommand, Subtype,
};
use sluice_wire::stdout::system::{
    CommandsChanged, Informational, Level, SessionState, SessionStateChanged, SessionTitleChanged, Status,
};
use sluice_wire::stdout::{User, UserMessage};
use sluice_wire::{Raw, ToHost, Unknown};

mod commands;

/// Who asked for what, until the receipt comes.
#[derive(Debug)]
struct Pending {
    request_id: RequestId,
    subtype: Subtype,
}

/// The translator of one session on one screen.
#[derive(Debug, Default)]
pub(super) struct Translation {
    /// As the bridge calls it.
    session: String,
    /// As the bridge calls this screen.
    device: String,
    /// The agent's own id of the session.
    pub(super) provider: Option<String>,
    /// The last line that was passed on.
    pub(super) cursor: Option<(i64, i64)>,
    /// Prompts of this screen.
    own: HashSet<String>,
    /// Asks that are shown, as the agent wrote them.
    asks: HashMap<String, Value>,
    pending: HashMap<String, Pending>,
    /// The greeting waits until something is known of the session.
    greeting: Option<RequestId>,
    facts: Value,
    mode: String,
    /// What the session does, as was last passed on.
    activity: String,
    count: u64,
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

impl Translation {
    pub(super) fn new(session: &str) -> Self {
        Self {
            session: session.to_owned(),
            ..Self::default()
        }
    }

    /// The first message.
    pub(super) fn hello(&self) -> Value {
        json!({"type": "hello", "version": 2, "client": "sluice terminal", "capabilities": []})
    }

    /// Asks for the lines of the session after the last one.
    pub(super) fn subscribe(&mut self) -> Value {
        let after = self.cursor.map(|(epoch, seq)| json!({"epoch": epoch, "seq": seq}));
        json!({
            "type": "follow_lines", "id": self.next_id(), "sessionId": self.session, "after": after, "turns": 1,
        })
    }

    fn next_id(&mut self) -> String {
        self.count += 1;
        format!("t{}", self.count)
    }

    /// A message of the bridge, as lines of an agent.
    pub(super) fn heard(&mut self, said: &Value) -> Vec<String> {
        match text(said, "type") {
            "welcome" => {
                said.pointer("/device/id")
                    .and_then(Value::as_str)
                    .unwrap_or_default()
                    .clone_into(&mut self.device);
                Vec::new()
            }
            "line" => self.line_of_agent(said),
            "state" if text(said, "sessionId") == self.session => self.state(said),
            "facts" => {
                self.facts = said.clone();
                vec![to_line(CommandsChanged {
                    commands: self.commands(),
                    uuid: fresh_uuid(),
                    session_id: self.session.clone(),
                    ..CommandsChanged::default()
                })]
            }
            "receipt" => self.receipt(said).into_iter().collect(),
            _ => Vec::new(),
        }
    }

    fn commands(&self) -> Vec<SlashCommand> {
        let commands = self.facts.get("commands").and_then(Value::as_array);
        let command = |it: &Value| SlashCommand {
            name: text(it, "name").to_owned(),
            description: text(it, "description").to_owned(),
            argument_hint: Some(text(it, "hint").to_owned()),
            ..SlashCommand::default()
        };
        commands.into_iter().flatten().map(command).collect()
    }

    fn models(&self) -> Vec<ModelInfo> {
        let models = self.facts.get("models").and_then(Value::as_array);
        let model = |it: &Value| ModelInfo {
            value: text(it, "value").to_owned(),
            display_name: text(it, "name").to_owned(),
            ..ModelInfo::default()
        };
        models.into_iter().flatten().map(model).collect()
    }

    /// A line of the agent, or a record of the bridge. Streamed text has no number.
    fn line_of_agent(&mut self, line: &Value) -> Vec<String> {
        if text(line, "sessionId") != self.session {
            return Vec::new();
        }
        let Some(seq) = line.get("seq").and_then(Value::as_i64) else {
            return line.get("what").map(Value::to_string).into_iter().collect();
        };
        let epoch = line.get("epoch").and_then(Value::as_i64).unwrap_or_default();
        if self.cursor.is_some_and(|(known, last)| known == epoch && seq <= last) {
            return Vec::new();
        }
        self.cursor = Some((epoch, seq));
        let Some(what) = line.get("what") else {
            return Vec::new();
        };
        match text(what, "type") {
            "sluice_prompt" => self.prompt(what).into_iter().collect(),
            "sluice_ask" => self.decided(what),
            "sluice_title" => vec![to_line(SessionTitleChanged {
                title: Some(text(what, "title").to_owned()),
                uuid: Some(fresh_uuid()),
                session_id: self.session.clone(),
                ..SessionTitleChanged::default()
            })],
            "sluice_note" => vec![self.note(text(what, "text"))],
            kind if kind.starts_with("sluice_") => Vec::new(),
            _ => vec![unfolded(what.clone()).to_string()],
        }
    }

    fn prompt(&mut self, what: &Value) -> Option<String> {
        if text(what, "state") != "delivered" {
            return None;
        }
        let (uuid, said) = (text(what, "uuid"), text(what, "text"));
        let mut user = User {
            message: UserMessage::new(said),
            session_id: Some(self.session.clone()),
            uuid: Some(uuid.to_owned()),
            ..User::default()
        };
        if self.own.contains(uuid) {
            user.is_replay = Some(true);
        } else {
            user.extra.insert("sluice_by", text(what, "by"));
        }
        Some(to_line(user))
    }

    /// An ask has its answer: who gave it, for the card of its call, and that nobody waits for it here any more.
    fn decided(&mut self, what: &Value) -> Vec<String> {
        let (id, by) = (text(what, "ask"), text(what, "by"));
        let asked = self.asks.remove(id);
        let elsewhere = !by.is_empty() && text(what, "device") != self.device;
        if !elsewhere {
            return Vec::new();
        }
        let said = format!("{} by \"{by}\"", text(what, "outcome"));
        let call = asked
            .as_ref()
            .map(|request| text(request, "tool_use_id"))
            .filter(|call| !call.is_empty());
        let note = match call {
            Some(call) => Informational {
                tool_use_id: Some(call.to_owned()),
                tag: Some("answered".to_owned()),
                ..self.informational(&said)
            },
            None => self.informational(&format!("{} {said}", text(what, "toolName"))),
        };
        let withdrawn = asked.is_some().then(|| to_line(ControlCancelRequest::new(id)));
        std::iter::once(to_line(note)).chain(withdrawn).collect()
    }

    /// A note among the rows.
    pub(super) fn note(&self, text: &str) -> String {
        to_line(self.informational(text))
    }

    fn informational(&self, text: &str) -> Informational {
        Informational {
            content: text.to_owned(),
            level: Level::Info,
            uuid: fresh_uuid(),
            session_id: self.session.clone(),
            ..Informational::default()
        }
    }

    fn state(&mut self, said: &Value) -> Vec<String> {
        let ids = said.get("providerSessionIds").and_then(Value::as_array);
        let newest = ids
            .and_then(|ids| ids.last())
            .and_then(Value::as_str)
            .map(str::to_owned);
        self.provider = newest.or_else(|| self.provider.take());
        let mut lines = Vec::new();
        if let Some(request_id) = self.greeting.take() {
            let greeting = InitializeResponse {
                commands: Some(self.commands()),
                models: Some(self.models()),
                agents: Some(Vec::new()),
                output_style: Some("default".to_owned()),
                available_output_styles: Some(Vec::new()),
                account: Some(AccountInfo::default()),
                ..InitializeResponse::default()
            };
            lines.push(to_line(ControlResponse::success(request_id, &greeting)));
        }
        let mode = text(said, "permissionMode");
        if !mode.is_empty() && mode != self.mode {
            mode.clone_into(&mut self.mode);
            lines.push(to_line(Status {
                permission_mode: Some(mode.into()),
                session_id: self.session.clone(),
                uuid: fresh_uuid(),
                ..Status::default()
            }));
        }
        let activity = said
            .pointer("/activity/state")
            .and_then(Value::as_str)
            .unwrap_or_default();
        if activity != self.activity {
            activity.clone_into(&mut self.activity);
            // An imported conversation has no ends of turns: without this its last one would seem to go on.
            if activity == "idle" {
                lines.push(to_line(SessionStateChanged {
                    state: SessionState::Idle,
                    uuid: fresh_uuid(),
                    session_id: self.session.clone(),
                    ..SessionStateChanged::default()
                }));
            }
        }
        let asks = said.get("asks").and_then(Value::as_array).cloned().unwrap_or_default();
        let open: HashSet<&str> = asks.iter().map(|ask| text(ask, "ask")).collect();
        let gone: Vec<String> = self
            .asks
            .keys()
            .filter(|id| !open.contains(id.as_str()))
            .cloned()
            .collect();
        for id in gone {
            self.asks.remove(&id);
            lines.push(to_line(ControlCancelRequest::new(id)));
        }
        for ask in &asks {
            let id = text(ask, "ask").to_owned();
            let request = ask.get("request").cloned().unwrap_or_default();
            if let Entry::Vacant(free) = self.asks.entry(id) {
                // As the agent wrote it: fields may be missing or stored apart.
                let written = Request::Unknown(Unknown {
                    tag: None,
                    value: Raw::of(&request),
                });
                lines.push(to_line(ControlRequest::new(free.key().as_str(), written)));
                free.insert(request);
            }
        }
        lines
    }

    fn receipt(&mut self, said: &Value) -> Option<String> {
        let pending = self.pending.remove(text(said, "id"))?;
        if said.get("ok").and_then(Value::as_bool) != Some(true) {
            let why = said
                .pointer("/error/message")
                .and_then(Value::as_str)
                .unwrap_or("the bridge refused");
            return Some(to_line(ControlResponse::error(pending.request_id, why)));
        }
        let data = said.get("data").cloned().unwrap_or_default();
        let data = match pending.subtype {
            Subtype::FileSuggestions => {
                let files = data
                    .get("files")
                    .or_else(|| data.get("suggestions"))
                    .cloned()
                    .unwrap_or(data);
                json!({ "suggestions": files })
            }
            Subtype::RewindFiles => {
                return Some(to_line(ControlResponse::success(pending.request_id, &rewound(&data))));
            }
            Subtype::Interrupt => {
                let stopped = InterruptResponse {
                    still_queued: Some(Vec::new()),
                    ..InterruptResponse::default()
                };
                return Some(to_line(ControlResponse::success(pending.request_id, &stopped)));
            }
            _ if data.is_object() => data,
            _ => json!({}),
        };
        Some(to_line(ControlResponse::success(pending.request_id, &data)))
    }
}

fn rewound(data: &Value) -> RewindFilesResponse {
    let number = |key: &str| data.get(key).and_then(Value::as_u64).unwrap_or_default();
    let files = data.get("files").or_else(|| data.get("filesChanged"));
    let files = files.and_then(Value::as_array).into_iter().flatten();
    let names = files.map(|file| {
        file.as_str()
            .map_or_else(|| text(file, "path").to_owned(), str::to_owned)
    });
    RewindFilesResponse {
        can_rewind: true,
        files_changed: Some(names.collect()),
        insertions: Some(number("insertions")),
        deletions: Some(number("deletions")),
        ..RewindFilesResponse::default()
    }
}

/// The message with its heavy bodies in short: the beginning and the end of each.
fn unfolded(mut value: Value) -> Value {
    match &mut value {
        Value::Object(map) => {
            if let Some(blob) = map.get("$blob") {
                let (head, tail) = (text(blob, "head"), text(blob, "tail"));
                return Value::String(match tail.is_empty() {
                    true => head.to_owned(),
                    false => format!("{head}\n⋯\n{tail}"),
                });
            }
            for field in map.values_mut() {
                *field = unfolded(std::mem::take(field));
            }
        }
        Value::Array(list) => {
            for item in list {
                *item = unfolded(std::mem::take(item));
            }
        }
        _ => {}
    }
    value
}

/// A message as a line of an agent.
fn to_line(message: impl Into<ToHost>) -> String {
    message.into().to_line()
}

fn fresh_uuid() -> String {
    uuid::Uuid::new_v4().to_string()
}

#[cfg(test)]
#[path = "translation_tests.rs"]
mod tests;
