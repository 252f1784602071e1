//! Between the words of a bridge's screens and the lines of an agent, both ways. No I/O.
//!
//! To the terminal a served session looks like an agent: records are its lines, blocks and deltas its stream, asks its
//! requests. What the terminal says becomes commands; their receipts become answers.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value, json};
use sluice_wire::control::Subtype;

/// Who asked for what, until the receipt comes.
#[derive(Debug)]
struct Pending {
    request_id: Value,
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
    /// The last record that was passed on.
    pub(super) cursor: Option<(i64, i64)>,
    /// Prompts of this screen.
    own: HashSet<String>,
    /// Blocks that are being written: place, kind.
    blocks: HashMap<u64, (u64, String)>,
    message: String,
    /// Asks that are shown, as the agent wrote them.
    asks: HashMap<String, Value>,
    pending: HashMap<String, Pending>,
    /// The greeting waits until something is known of the session.
    greeting: Option<Value>,
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

    /// The first words, with what is known already.
    pub(super) fn hello(&self) -> Value {
        let mut cursors = Map::new();
        if let Some((epoch, seq)) = self.cursor {
            cursors.insert(self.session.clone(), json!({"epoch": epoch, "seq": seq}));
        }
        json!({"type": "hello", "version": 1, "client": "sluice terminal", "capabilities": [], "cursors": cursors})
    }

    /// Asks for the session's records, where `hello` did not.
    pub(super) fn subscribe(&mut self) -> Value {
        json!({"type": "subscribe", "id": self.next_id(), "sessionId": self.session, "turns": 1})
    }

    fn next_id(&mut self) -> String {
        self.count += 1;
        format!("t{}", self.count)
    }

    /// Something the bridge said, as lines of an agent.
    pub(super) fn heard(&mut self, said: &Value) -> Vec<Value> {
        match text(said, "type") {
            "welcome" => {
                said.pointer("/device/id")
                    .and_then(Value::as_str)
                    .unwrap_or_default()
                    .clone_into(&mut self.device);
                Vec::new()
            }
            "snapshot" => {
                let records = said
                    .get("records")
                    .and_then(Value::as_array)
                    .cloned()
                    .unwrap_or_default();
                records.iter().flat_map(|record| self.record(record)).collect()
            }
            "record" => self.record(said),
            "block" if said.get("parent").is_none() => self.block(said),
            "delta" => self.delta(said),
            "state" if text(said, "sessionId") == self.session => self.state(said),
            "facts" => {
                self.facts = said.clone();
                let commands = json!({"type": "system", "subtype": "commands_changed", "commands": self.commands(),
                    "session_id": self.session, "uuid": uuid::Uuid::new_v4().to_string()});
                vec![commands]
            }
            "receipt" => self.receipt(said).into_iter().collect(),
            _ => Vec::new(),
        }
    }

    fn commands(&self) -> Value {
        let commands = self
            .facts
            .get("commands")
            .and_then(Value::as_array)
            .cloned()
            .unwrap_or_default();
        let command = |it: &Value| json!({"name": text(it, "name"), "description": text(it, "description"), "argumentHint": text(it, "hint")});
        commands.iter().map(command).collect()
    }

    fn record(&mut self, record: &Value) -> Vec<Value> {
        if text(record, "sessionId") != self.session {
            return Vec::new();
        }
        let number = |key: &str| record.get(key).and_then(Value::as_i64).unwrap_or_default();
        let (epoch, seq) = (number("epoch"), number("seq"));
        if self.cursor.is_some_and(|(known, last)| known == epoch && seq <= last) {
            return Vec::new();
        }
        self.cursor = Some((epoch, seq));
        let Some(what) = record.get("what") else {
            return Vec::new();
        };
        match text(what, "type") {
            "sluice_prompt" => self.prompt(what).into_iter().collect(),
            "sluice_ask" => self.decided(what),
            "sluice_title" => vec![
                json!({"type": "system", "subtype": "session_title_changed", "title": text(what, "title"),
                "session_id": self.session, "uuid": uuid::Uuid::new_v4().to_string()}),
            ],
            "sluice_note" => vec![self.note(text(what, "text"))],
            kind if kind.starts_with("sluice_") => Vec::new(),
            _ => vec![unfolded(what.clone())],
        }
    }

    fn prompt(&mut self, what: &Value) -> Option<Value> {
        if text(what, "state") != "delivered" {
            return None;
        }
        let (uuid, said) = (text(what, "uuid"), text(what, "text"));
        let mut line = json!({"type": "user", "message": {"role": "user", "content": said}, "parent_tool_use_id": null,
            "session_id": self.session, "uuid": uuid});
        let fields = line.as_object_mut()?;
        if self.own.contains(uuid) {
            fields.insert("isReplay".to_owned(), true.into());
        } else {
            fields.insert("sluice_by".to_owned(), text(what, "by").into());
        }
        Some(line)
    }

    /// An ask has its answer: who gave it, for the card of its call, and that nobody waits for it here any more.
    fn decided(&mut self, what: &Value) -> Vec<Value> {
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
        let mut note = match call {
            Some(_) => self.note(&said),
            None => self.note(&format!("{} {said}", text(what, "toolName"))),
        };
        if let (Some(call), Some(fields)) = (call, note.as_object_mut()) {
            fields.insert("tool_use_id".to_owned(), call.into());
            fields.insert("tag".to_owned(), "answered".into());
        }
        let withdrawn = asked
            .is_some()
            .then(|| json!({"type": "control_cancel_request", "request_id": id}));
        std::iter::once(note).chain(withdrawn).collect()
    }

    /// A note among the rows.
    pub(super) fn note(&self, text: &str) -> Value {
        json!({"type": "system", "subtype": "informational", "content": text, "level": "info",
            "session_id": self.session, "uuid": uuid::Uuid::new_v4().to_string()})
    }

    fn stream(&self, event: &Value) -> Value {
        json!({"type": "stream_event", "event": event, "session_id": self.session, "parent_tool_use_id": null,
            "uuid": uuid::Uuid::new_v4().to_string()})
    }

    fn block(&mut self, said: &Value) -> Vec<Value> {
        let number = |key: &str| said.get(key).and_then(Value::as_u64).unwrap_or_default();
        let (index, kind) = (number("index"), text(said, "kind").to_owned());
        let mut lines = Vec::new();
        let message = text(said, "message");
        if self.message != message {
            message.clone_into(&mut self.message);
            self.blocks.clear();
            lines.push(self.stream(
                &json!({"type": "message_start", "message": {"id": message, "type": "message",
                "role": "assistant", "model": "", "content": [], "stop_reason": null, "stop_sequence": null,
                "usage": {"input_tokens": 0, "output_tokens": 0}}}),
            ));
        }
        let block = match kind.as_str() {
            "thinking" => json!({"type": "thinking", "thinking": "", "signature": ""}),
            "call" => json!({"type": "tool_use", "id": text(said, "id"), "name": text(said, "name"), "input": {}}),
            _ => json!({"type": "text", "text": ""}),
        };
        lines.push(self.stream(&json!({"type": "content_block_start", "index": index, "content_block": block})));
        self.blocks.insert(number("b"), (index, kind));
        let begun = json!({"b": number("b"), "text": text(said, "text")});
        if !text(said, "text").is_empty() {
            lines.extend(self.delta(&begun));
        }
        lines
    }

    fn delta(&self, said: &Value) -> Vec<Value> {
        let number = said.get("b").and_then(Value::as_u64).unwrap_or_default();
        let Some((index, kind)) = self.blocks.get(&number) else {
            return Vec::new();
        };
        let more = text(said, "text");
        let delta = match kind.as_str() {
            "thinking" => json!({"type": "thinking_delta", "thinking": more}),
            "call" => json!({"type": "input_json_delta", "partial_json": more}),
            _ => json!({"type": "text_delta", "text": more}),
        };
        vec![self.stream(&json!({"type": "content_block_delta", "index": index, "delta": delta}))]
    }

    fn state(&mut self, said: &Value) -> Vec<Value> {
        let ids = said.get("providerSessionIds").and_then(Value::as_array);
        let newest = ids
            .and_then(|ids| ids.last())
            .and_then(Value::as_str)
            .map(str::to_owned);
        self.provider = newest.or_else(|| self.provider.take());
        let mut lines = Vec::new();
        if let Some(request_id) = self.greeting.take() {
            let models = self.facts.get("models").cloned().unwrap_or_else(|| json!([]));
            let greeting = json!({"commands": self.commands(), "models": models, "agents": [], "output_style": "default",
                "available_output_styles": [], "account": {}});
            lines.push(answer(&request_id, &greeting));
        }
        let mode = text(said, "permissionMode");
        if !mode.is_empty() && mode != self.mode {
            mode.clone_into(&mut self.mode);
            lines.push(
                json!({"type": "system", "subtype": "status", "status": null, "permissionMode": mode,
                "session_id": self.session, "uuid": uuid::Uuid::new_v4().to_string()}),
            );
        }
        let activity = said
            .pointer("/activity/state")
            .and_then(Value::as_str)
            .unwrap_or_default();
        if activity != self.activity {
            activity.clone_into(&mut self.activity);
            // An imported conversation has no ends of turns: without this its last one would seem to go on.
            if activity == "idle" {
                lines.push(
                    json!({"type": "system", "subtype": "session_state_changed", "state": "idle",
                    "session_id": self.session, "uuid": uuid::Uuid::new_v4().to_string()}),
                );
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
            lines.push(json!({"type": "control_cancel_request", "request_id": id}));
        }
        for ask in &asks {
            let id = text(ask, "ask").to_owned();
            let request = ask.get("request").cloned().unwrap_or_default();
            if let Entry::Vacant(free) = self.asks.entry(id) {
                lines.push(json!({"type": "control_request", "request_id": free.key(), "request": request}));
                free.insert(request);
            }
        }
        lines
    }

    fn receipt(&mut self, said: &Value) -> Option<Value> {
        let pending = self.pending.remove(text(said, "id"))?;
        if said.get("ok").and_then(Value::as_bool) != Some(true) {
            let why = said
                .pointer("/error/message")
                .and_then(Value::as_str)
                .unwrap_or("the bridge refused");
            return Some(refusal(&pending.request_id, why));
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
            Subtype::RewindFiles => rewound(&data),
            Subtype::Interrupt => json!({"still_queued": []}),
            _ if data.is_object() => data,
            _ => json!({}),
        };
        Some(answer(&pending.request_id, &data))
    }

    /// Something the terminal said, as commands; and what can be answered at once.
    pub(super) fn said(&mut self, line: &Value) -> (Vec<Value>, Vec<Value>) {
        match text(line, "type") {
            "user" => (self.input(line).into_iter().collect(), Vec::new()),
            "control_response" => (self.answered(line).into_iter().collect(), Vec::new()),
            "control_request" => self.request(line),
            _ => (Vec::new(), Vec::new()),
        }
    }

    fn command(&mut self, mut fields: Value) -> Value {
        let id = self.next_id();
        if let Some(fields) = fields.as_object_mut() {
            fields.insert("id".to_owned(), id.into());
            fields.insert("sessionId".to_owned(), self.session.clone().into());
        }
        fields
    }

    fn input(&mut self, line: &Value) -> Option<Value> {
        let content = line.pointer("/message/content")?;
        let (said, images) = match content {
            Value::String(said) => (said.clone(), Vec::new()),
            content => {
                let blocks = content.as_array()?;
                let texts: Vec<&str> = blocks
                    .iter()
                    .map(|block| text(block, "text"))
                    .filter(|it| !it.is_empty())
                    .collect();
                let images = blocks.iter().filter_map(|block| block.get("source"));
                let images =
                    images.map(|source| json!({"data": text(source, "data"), "mimeType": text(source, "media_type")}));
                (texts.join("\n"), images.collect())
            }
        };
        let uuid = text(line, "uuid").to_owned();
        self.own.insert(uuid.clone());
        let steer = text(line, "priority") == "now";
        Some(self.command(json!({"type": "input", "text": said, "uuid": uuid, "images": images, "steer": steer})))
    }

    fn answered(&mut self, line: &Value) -> Option<Value> {
        let ask = line.pointer("/response/request_id")?.as_str()?.to_owned();
        let request = self.asks.get(&ask)?.clone();
        let given = line.pointer("/response/response").cloned().unwrap_or_default();
        let mut fields = json!({"type": "answer_ask", "ask": ask});
        let into = fields.as_object_mut()?;
        let mut put = |key: &str, value: Value| into.insert(key.to_owned(), value);
        match (text(&given, "behavior"), text(&given, "action")) {
            ("allow", _) => {
                put("decision", "allow".into());
                if let Some(input) = given.get("updatedInput") {
                    put("updatedInput", input.clone());
                }
                let kept = given.pointer("/updatedPermissions/0");
                if let Some(kept) = kept {
                    let offered = request.get("permission_suggestions").and_then(Value::as_array);
                    let same = |it: &Value| {
                        text(it, "type") == text(kept, "type")
                            && it.get("rules") == kept.get("rules")
                            && it.get("mode") == kept.get("mode")
                    };
                    match offered.and_then(|offered| offered.iter().position(same)) {
                        Some(place) => {
                            put("suggestions", json!([place]));
                            put("destination", kept.get("destination").cloned().unwrap_or_default());
                        }
                        None if text(kept, "type") == "setMode" => {
                            put("mode", kept.get("mode").cloned().unwrap_or_default());
                        }
                        None => {}
                    }
                }
            }
            ("deny", _) => {
                put("decision", "deny".into());
                put("message", text(&given, "message").into());
                put("interrupt", given.get("interrupt").cloned().unwrap_or(false.into()));
            }
            (_, action) => {
                put("decision", if action.is_empty() { "cancel" } else { action }.into());
                if let Some(content) = given.get("content") {
                    put("content", content.clone());
                }
            }
        }
        Some(self.command(fields))
    }

    fn request(&mut self, line: &Value) -> (Vec<Value>, Vec<Value>) {
        let request_id = line.get("request_id").cloned().unwrap_or_default();
        let request = line.get("request").cloned().unwrap_or_default();
        let subtype = Subtype::from(text(&request, "subtype"));
        let field = |key: &str| request.get(key).cloned().unwrap_or_default();
        let fields = match &subtype {
            Subtype::Initialize => {
                self.greeting = Some(request_id);
                return (Vec::new(), Vec::new());
            }
            Subtype::Interrupt => json!({"type": "interrupt", "all": field("cancel_queued") == json!(true)}),
            Subtype::SetModel => json!({"type": "set_model", "model": field("model")}),
            Subtype::SetPermissionMode => json!({"type": "set_permission_mode", "mode": field("mode")}),
            Subtype::SetMaxThinkingTokens => json!({"type": "set_thinking", "tokens": field("max_thinking_tokens")}),
            Subtype::McpStatus => json!({"type": "mcp_status"}),
            Subtype::McpReconnect => json!({"type": "mcp_reconnect", "server": field("serverName")}),
            Subtype::McpToggle => {
                json!({"type": "mcp_toggle", "server": field("serverName"), "enabled": field("enabled")})
            }
            Subtype::GetContextUsage => json!({"type": "context_usage"}),
            Subtype::GetSettings => json!({"type": "settings"}),
            Subtype::ListPermissionRules => json!({"type": "rules"}),
            Subtype::StopTask => json!({"type": "stop_task", "task": field("task_id")}),
            Subtype::GetTaskOutput => json!({"type": "task_output", "task": field("task_id")}),
            Subtype::BackgroundTasks => json!({"type": "background"}),
            Subtype::RenameSession => json!({"type": "rename", "title": field("title")}),
            Subtype::FileSuggestions => json!({"type": "files", "query": field("query")}),
            Subtype::CancelAsyncMessage => json!({"type": "take_back", "uuid": field("message_uuid")}),
            Subtype::RewindFiles => {
                json!({"type": "rewind", "prompt": field("user_message_id"), "dryRun": field("dry_run"),
                "files": true, "conversation": false})
            }
            other => {
                let why = format!(
                    "{other} is not available while the bridge runs the session; /take brings the session back"
                );
                return (Vec::new(), vec![refusal(&request_id, &why)]);
            }
        };
        let command = self.command(fields);
        let id = text(&command, "id").to_owned();
        self.pending.insert(id, Pending { request_id, subtype });
        (vec![command], Vec::new())
    }
}

fn rewound(data: &Value) -> Value {
    let number = |key: &str| data.get(key).and_then(Value::as_u64).unwrap_or_default();
    let files = data
        .get("files")
        .or_else(|| data.get("filesChanged"))
        .cloned()
        .unwrap_or_else(|| json!([]));
    let names: Vec<String> = files
        .as_array()
        .into_iter()
        .flatten()
        .map(|file| {
            file.as_str()
                .map_or_else(|| text(file, "path").to_owned(), str::to_owned)
        })
        .collect();
    json!({"canRewind": true, "filesChanged": names, "insertions": number("insertions"), "deletions": number("deletions")})
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

fn answer(request_id: &Value, response: &Value) -> Value {
    json!({"type": "control_response", "response": {"subtype": "success", "request_id": request_id, "response": response}})
}

fn refusal(request_id: &Value, why: &str) -> Value {
    json!({"type": "control_response", "response": {"subtype": "error", "request_id": request_id, "error": why}})
}

#[cfg(test)]
#[path = "translation_tests.rs"]
mod tests;
