//! Messages of the terminal as commands to the bridge.

use serde_json::{Value, json};
use sluice_wire::content::{Block, Content, Source};
use sluice_wire::control::{
    CanUseToolResponse, ControlRequest, ControlResponse, ElicitationResponse, Request, Response,
};
use sluice_wire::permission_update::PermissionUpdate;
use sluice_wire::stdin::{Priority, User};
use sluice_wire::{Frame, MessageType, ToAgent};

use super::{Pending, Translation, text, to_line};

impl Translation {
    /// A message of the terminal, as commands; and the lines that answer it at once.
    pub(in crate::attach) fn said(&mut self, frame: &Frame) -> (Vec<Value>, Vec<String>) {
        let message = match frame.to_agent() {
            Ok(message) => message,
            Err(bad) if frame.message_type() == MessageType::ControlRequest => {
                return (
                    Vec::new(),
                    vec![to_line(ControlResponse::error(frame.request_id(), bad.error))],
                );
            }
            Err(_) => return (Vec::new(), Vec::new()),
        };
        match message {
            ToAgent::User(user) => (vec![self.input(*user)], Vec::new()),
            ToAgent::ControlResponse(response) => (self.answered(response.response).into_iter().collect(), Vec::new()),
            ToAgent::ControlRequest(request) => self.request(*request),
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

    fn input(&mut self, user: User) -> Value {
        let images: Vec<Value> = match &user.message.content {
            Content::Text(_) => Vec::new(),
            Content::Blocks(blocks) => blocks.iter().filter_map(image).collect(),
        };
        let uuid = user.uuid.unwrap_or_default();
        self.own.insert(uuid.clone());
        let steer = user.priority == Some(Priority::Now);
        let said = user.message.content.text();
        self.command(json!({"type": "input", "text": said, "uuid": uuid, "images": images, "steer": steer}))
    }

    fn answered(&mut self, response: Response) -> Option<Value> {
        let ask = response.request_id().as_str()?.to_owned();
        let request = self.asks.get(&ask)?;
        let given = match response {
            Response::Success(success) => success.response.unwrap_or_default(),
            Response::Error(_) | Response::Unknown(_) => Value::Null,
        };
        let mut fields = json!({"type": "answer_ask", "ask": ask});
        let into = fields.as_object_mut()?;
        let mut put = |key: &str, value: Value| into.insert(key.to_owned(), value);
        match serde_json::from_value(given.clone()).unwrap_or_default() {
            CanUseToolResponse::Allow(allow) => {
                put("decision", "allow".into());
                if let Some(input) = &allow.updated_input {
                    put("updatedInput", input.to_value());
                }
                if let Some(kept) = allow.updated_permissions.iter().flatten().next() {
                    match (suggested(request, kept), kept) {
                        (Some(place), _) => {
                            put("suggestions", json!([place]));
                            put("destination", json!(kept.destination()));
                        }
                        (None, PermissionUpdate::SetMode(set)) => {
                            put("mode", json!(set.mode));
                        }
                        (None, _) => {}
                    }
                }
            }
            CanUseToolResponse::Deny(deny) => {
                put("decision", "deny".into());
                put("message", deny.message.into());
                put("interrupt", deny.interrupt.unwrap_or(false).into());
            }
            CanUseToolResponse::Unknown(_) => {
                let given = serde_json::from_value::<ElicitationResponse>(given).ok();
                let action = given.as_ref().map(|it| it.action.as_str()).filter(|it| !it.is_empty());
                put("decision", action.unwrap_or("cancel").into());
                if let Some(content) = given.and_then(|it| it.content) {
                    put("content", content.to_value());
                }
            }
        }
        Some(self.command(fields))
    }

    fn request(&mut self, control: ControlRequest) -> (Vec<Value>, Vec<String>) {
        let (request_id, subtype) = (control.request_id, control.request.subtype());
        let fields = match control.request {
            Request::Initialize(_) => {
                self.greeting = Some(request_id);
                return (Vec::new(), Vec::new());
            }
            Request::Interrupt(it) => json!({"type": "interrupt", "all": it.cancel_queued == Some(true)}),
            Request::SetModel(it) => json!({"type": "set_model", "model": it.model}),
            Request::SetPermissionMode(it) => json!({"type": "set_permission_mode", "mode": it.mode}),
            Request::SetMaxThinkingTokens(it) => json!({"type": "set_thinking", "tokens": it.max_thinking_tokens}),
            Request::McpStatus(_) => json!({"type": "mcp_status"}),
            Request::McpReconnect(it) => json!({"type": "mcp_reconnect", "server": it.server_name}),
            Request::McpToggle(it) => json!({"type": "mcp_toggle", "server": it.server_name, "enabled": it.enabled}),
            Request::GetContextUsage(_) => json!({"type": "context_usage"}),
            Request::GetSettings(_) => json!({"type": "settings"}),
            Request::ListPermissionRules(_) => json!({"type": "rules"}),
            Request::StopTask(it) => json!({"type": "stop_task", "task": it.task_id}),
            Request::GetTaskOutput(it) => json!({"type": "task_output", "task": it.task_id}),
            Request::BackgroundTasks(_) => json!({"type": "background"}),
            Request::RenameSession(it) => json!({"type": "rename", "title": it.title}),
            Request::FileSuggestions(it) => json!({"type": "files", "query": it.query}),
            Request::CancelAsyncMessage(it) => json!({"type": "take_back", "uuid": it.message_uuid}),
            Request::RewindFiles(it) => {
                json!({"type": "rewind", "prompt": it.user_message_id, "dryRun": it.dry_run,
                "files": true, "conversation": false})
            }
            _ => {
                let why = format!(
                    "{subtype} is not available while the bridge runs the session; /take brings the session back"
                );
                return (Vec::new(), vec![to_line(ControlResponse::error(request_id, why))]);
            }
        };
        let command = self.command(fields);
        let id = text(&command, "id").to_owned();
        self.pending.insert(id, Pending { request_id, subtype });
        (vec![command], Vec::new())
    }
}

/// An image of a prompt, as the bridge takes it.
fn image(block: &Block) -> Option<Value> {
    let source = match block {
        Block::Image(image) => &image.source,
        Block::Document(document) => &document.source,
        _ => return None,
    };
    match source {
        Source::Base64(bytes) => Some(json!({"data": bytes.data, "mimeType": bytes.media_type})),
        _ => None,
    }
}

/// Which suggestion of an ask a change of permissions is, wherever it is to be kept.
fn suggested(request: &Value, kept: &PermissionUpdate) -> Option<usize> {
    let offered = request.get("permission_suggestions")?.as_array()?;
    offered.iter().position(|it| {
        let Ok(mut it) = serde_json::from_value::<PermissionUpdate>(it.clone()) else {
            return false;
        };
        if let Some(destination) = kept.destination() {
            it.set_destination(destination.clone());
        }
        it == *kept
    })
}
