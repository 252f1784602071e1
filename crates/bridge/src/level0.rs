//! Messages of the WebSocket, level 0: for clients that send no `hello`.
//!
//! Every function is pure: a message of the agent or a fact of the conversation in, messages for the client out.

use serde_json::{Map, Value, json};
use sluice_host::conversation::{Ask, AskKind, ConversationState, Session};
use sluice_host::wire::control::Subtype;
use sluice_host::wire::stdout::SystemSubtype;
use sluice_host::wire::{Frame, MessageType};
use sluice_store::{AskRow, PromptRow};

use crate::api::{ErrorMessage, Problem, SessionInfo};
use crate::body::MARK;

/// `status`.
pub(crate) fn status(session: &str, status: &str) -> Value {
    json!({"type": "status", "sessionId": session, "status": status})
}

/// `status` of a connection that has joined no session.
pub(crate) fn no_session() -> Value {
    json!({"type": "status", "status": "idle"})
}

/// `session_list`, with the field names of other clients beside ours.
pub(crate) fn session_list(sessions: &[SessionInfo]) -> Value {
    let sessions: Vec<Value> = sessions.iter().map(session).collect();
    json!({"type": "session_list", "sessions": sessions})
}

fn session(info: &SessionInfo) -> Value {
    let mut value = serde_json::to_value(info).unwrap_or_default();
    if let Some(fields) = value.as_object_mut() {
        fields.insert("id".to_owned(), info.session_id.clone().into());
        fields.insert("claudeSessionId".to_owned(), info.provider_session_id.clone().into());
        fields.insert("createdAt".to_owned(), iso(info.started_at).into());
    }
    value
}

/// A time as ISO 8601.
pub(crate) fn iso(milliseconds: i64) -> String {
    jiff::Timestamp::from_millisecond(milliseconds)
        .unwrap_or_default()
        .to_string()
}

/// `input_ack`: a prompt was accepted. Sent to clients that gave the prompt an id (`clientMessageId`).
pub(crate) fn input_ack(session: &str, client_message_id: &str, answer: &Value) -> Value {
    let field = |key: &str| answer.get(key).cloned().unwrap_or_default();
    let queued = field("state") == "queued";
    json!({
        "type": "input_ack", "sessionId": session, "clientMessageId": client_message_id, "uuid": field("uuid"),
        "queued": queued,
    })
}

/// `history_delta`: the messages of the records after `from`, each with the number of its record.
pub(crate) fn history_delta(
    session: &str,
    from: i64,
    to: i64,
    messages: &[(i64, Value)],
    status: &str,
    more: bool,
) -> Value {
    let messages: Vec<Value> = messages
        .iter()
        .map(|(seq, message)| json!({"seq": seq, "message": message}))
        .collect();
    json!({
        "type": "history_delta", "sessionId": session, "fromSeq": from, "toSeq": to, "messages": messages,
        "status": status, "more": more,
    })
}

/// `recent_sessions`, with the field names of other clients beside ours.
pub(crate) fn recent_sessions(sessions: &[SessionInfo]) -> Value {
    let sessions: Vec<Value> = sessions.iter().map(recent).collect();
    json!({"type": "recent_sessions", "sessions": sessions})
}

fn recent(info: &SessionInfo) -> Value {
    let mut value = session(info);
    if let Some(fields) = value.as_object_mut() {
        let summary = info.title.clone().or_else(|| info.preview.clone());
        fields.insert("active".to_owned(), info.is_active().into());
        fields.insert("firstPrompt".to_owned(), summary.clone().unwrap_or_default().into());
        fields.insert("summary".to_owned(), summary.into());
        fields.insert("created".to_owned(), iso(info.started_at).into());
        fields.insert("modified".to_owned(), iso(info.last_activity_at).into());
        fields.insert("gitBranch".to_owned(), info.branch.clone().unwrap_or_default().into());
    }
    value
}

/// The reply to `start`.
pub(crate) fn session_created(info: &SessionInfo) -> Value {
    json!({
        "type": MessageType::System, "subtype": "session_created", "sessionId": info.session_id,
        "projectPath": info.project_path, "permissionMode": info.permission_mode,
        "providerSessionId": info.provider_session_id,
    })
}

/// `system`/`init`.
pub(crate) fn init(session: &str, facts: &Session) -> Value {
    let commands: Vec<&str> = facts.commands.iter().map(|command| &*command.name).collect();
    let servers: Vec<Value> = facts
        .servers
        .iter()
        .map(|server| json!({"name": server.name, "status": server.status}))
        .collect();
    json!({
        "type": MessageType::System, "subtype": SystemSubtype::Init, "sessionId": session,
        "model": facts.model, "tools": facts.tools, "slash_commands": commands, "slashCommands": commands,
        "agents": facts.agents, "claudeSessionId": facts.id(),
        "mcp_servers": servers, "permissionMode": facts.mode, "cwd": facts.cwd,
        "claude_code_version": facts.version, "providerSessionId": facts.id(),
    })
}

/// The end of a process.
pub(crate) fn end(session: &str, state: &str, status: &str, reason: Option<&str>) -> Option<Value> {
    let subtype = match (state, status) {
        ("stopped", _) => "session_stopped",
        ("exited", "crashed") => "session_crashed",
        // A retired agent comes back with the next prompt: nothing has ended.
        _ => return None,
    };
    Some(json!({"type": MessageType::System, "subtype": subtype, "sessionId": session, "reason": reason}))
}

/// `user_input`: a prompt.
pub(crate) fn input(session: &str, row: &PromptRow) -> Value {
    let mut message = json!({
        "type": "user_input", "sessionId": session, "text": row.text, "by": row.by_name, "uuid": row.uuid,
        "userMessageUuid": row.uuid, "timestamp": iso(row.at),
    });
    let images: Vec<Value> = serde_json::from_str(&row.content).unwrap_or_default();
    if let (false, Some(fields)) = (images.is_empty(), message.as_object_mut()) {
        let images = images.iter().map(|image| {
            let hash = image.get("hash").and_then(Value::as_str).unwrap_or_default();
            json!({"url": format!("/api/blobs/{hash}"), "mimeType": image.get("mime")})
        });
        fields.insert("images".to_owned(), images.collect());
    }
    message
}

/// `permission_request`.
pub(crate) fn ask(session: &str, ask: &Ask, decided: Option<&AskRow>) -> Value {
    let line = ask.line.as_ref().map(|line| line.as_str()).unwrap_or_default();
    let whole: Value = serde_json::from_str(line).unwrap_or_default();
    let request = whole.get("request").cloned().unwrap_or_default();
    request_message(session, &ask.id.to_string(), &request, decided)
}

fn request_message(session: &str, id: &str, request: &Value, decided: Option<&AskRow>) -> Value {
    let field = |key: &str| request.get(key).cloned().unwrap_or_default();
    let (tool, input) = match subtype(request) {
        Some(Subtype::CanUseTool) => (field("tool_name"), field("input")),
        Some(Subtype::Elicitation) => ("Elicitation".into(), request.clone()),
        Some(other) => (other.as_str().into(), request.clone()),
        None => ("".into(), request.clone()),
    };
    let mut message = json!({
        "type": "permission_request", "sessionId": session,
        "toolUseId": request.get("tool_use_id").and_then(Value::as_str).unwrap_or(id),
        "toolName": tool, "input": input, "requestId": id,
        "suggestions": field("permission_suggestions"), "reason": field("decision_reason"),
        "blockedPath": field("blocked_path"), "agentId": field("agent_id"),
    });
    if let (Some(row), Some(fields)) = (decided, message.as_object_mut()) {
        let resolved = json!({
            "decision": row.state, "by": row.decided_by_name, "at": row.decided_at.unwrap_or(row.opened_at),
        });
        fields.insert("resolved".to_owned(), resolved);
    }
    message
}

fn subtype(request: &Value) -> Option<Subtype> {
    request.get("subtype")?.as_str().map(Subtype::from)
}

/// A line of the agent as messages of level 0.
pub(crate) fn said(session: &str, frame: &Frame, state: &ConversationState, interrupted: Option<usize>) -> Vec<Value> {
    let names = |id: &str| state.call(id).map(|call| call.name.to_string());
    match frame.message_type() {
        MessageType::Result => {
            let turn = state.turns().len().checked_sub(1);
            let cost = turn.and_then(|at| state.turns().get(at)).and_then(|turn| turn.cost);
            let stopped = interrupted.is_some() && interrupted == turn;
            message(frame.readable())
                .map(|value| vec![result(session, &value, cost, stopped)])
                .unwrap_or_default()
        }
        _ => line(session, frame.readable(), &names),
    }
}

/// The same for a stored line, without a state.
pub(crate) fn line(session: &str, text: &str, names: &dyn Fn(&str) -> Option<String>) -> Vec<Value> {
    let Some(value) = message(text) else { return Vec::new() };
    match value.get("type").and_then(Value::as_str).map(MessageType::of) {
        Some(kind @ MessageType::Assistant) => vec![json!({
            "type": kind, "sessionId": session, "message": value.get("message"), "uuid": value.get("uuid"),
            "messageUuid": value.get("uuid"),
            "parentToolUseId": value.get("parent_tool_use_id").cloned().unwrap_or_default(),
        })],
        Some(MessageType::User) => results(session, &value, names),
        Some(MessageType::Result) => vec![result(session, &value, None, false)],
        Some(MessageType::System) => system(session, &value).into_iter().collect(),
        _ => Vec::new(),
    }
}

fn message(text: &str) -> Option<Value> {
    serde_json::from_str(text).ok()
}

/// What a turn was. The agent's `is_error` wins over its `subtype`.
pub(crate) fn result(session: &str, value: &Value, cost: Option<f64>, stopped: bool) -> Value {
    let text = |key: &str| value.get(key).and_then(Value::as_str);
    let failed = value.get("is_error").and_then(Value::as_bool) == Some(true) || text("subtype") != Some("success");
    let aborted = text("terminal_reason").is_some_and(|reason| reason.contains("abort"));
    let subtype = match (stopped || aborted, failed) {
        (true, _) => "stopped",
        (false, true) => "error",
        (false, false) => "success",
    };
    let errors = value.get("errors").and_then(Value::as_array).map(|errors| {
        let texts: Vec<&str> = errors.iter().filter_map(Value::as_str).collect();
        texts.join("\n")
    });
    let error = match subtype {
        "success" => None,
        _ => text("error")
            .map(str::to_owned)
            .or(errors)
            .or_else(|| text("result").map(str::to_owned)),
    };
    let total = value.get("total_cost_usd").and_then(Value::as_f64);
    let mut message = json!({
        "type": MessageType::Result, "sessionId": session, "subtype": subtype,
        "cost": cost.or(total), "duration": value.get("duration_ms"), "totalCost": total,
        "numTurns": value.get("num_turns"), "usage": value.get("usage"), "uuid": value.get("uuid"),
    });
    if let Some(fields) = message.as_object_mut() {
        if let Some(result) = text("result") {
            fields.insert("result".to_owned(), result.into());
        }
        if let Some(error) = error {
            fields.insert("error".to_owned(), error.into());
        }
        if let Some(origin) = value.get("origin").filter(|origin| !origin.is_null()) {
            fields.insert("origin".to_owned(), origin.clone());
        }
    }
    message
}

fn system(session: &str, value: &Value) -> Option<Value> {
    let subtype = value.get("subtype").and_then(Value::as_str)?;
    // What section 8 knows, and what a person would miss.
    let known = matches!(
        SystemSubtype::of(subtype),
        SystemSubtype::Init
            | SystemSubtype::CompactBoundary
            | SystemSubtype::ApiRetry
            | SystemSubtype::TaskStarted
            | SystemSubtype::TaskNotification
    );
    if !known {
        return None;
    }
    let mut fields: Map<String, Value> = Map::new();
    fields.insert("type".to_owned(), MessageType::System.as_str().into());
    fields.insert("subtype".to_owned(), subtype.into());
    fields.insert("sessionId".to_owned(), session.into());
    for (key, field) in value.as_object().into_iter().flatten() {
        match key.as_str() {
            "type" | "subtype" => {}
            "session_id" => {
                fields.insert("providerSessionId".to_owned(), field.clone());
            }
            _ => {
                fields.insert(key.clone(), field.clone());
            }
        }
    }
    Some(fields.into())
}

/// Every result of a call in a `user` message is one `tool_result`.
fn results(session: &str, value: &Value, names: &dyn Fn(&str) -> Option<String>) -> Vec<Value> {
    let blocks = value.pointer("/message/content").and_then(Value::as_array);
    let parent = value.get("parent_tool_use_id").cloned().unwrap_or_default();
    let results = blocks.into_iter().flatten();
    results
        .filter(|block| block.get("type").and_then(Value::as_str) == Some("tool_result"))
        .map(|block| {
            let id = block.get("tool_use_id").and_then(Value::as_str).unwrap_or_default();
            let content = block.get("content").cloned().unwrap_or_default();
            let mut message = json!({
                "type": "tool_result", "sessionId": session, "toolUseId": id, "content": text_of(&content),
                "toolName": names(id), "isError": block.get("is_error").and_then(Value::as_bool).unwrap_or(false),
                "parentToolUseId": parent, "uuid": value.get("uuid"),
            });
            if let (Value::Array(blocks), Some(fields)) = (&content, message.as_object_mut()) {
                fields.insert("blocks".to_owned(), content.clone());
                let images: Vec<Value> = blocks.iter().filter_map(image).collect();
                if !images.is_empty() {
                    fields.insert("images".to_owned(), images.into());
                }
            }
            message
        })
        .collect()
}

fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            let texts = blocks.iter().filter_map(|block| block.get("text")).map(text_of);
            texts.collect::<Vec<_>>().join("\n")
        }
        // Kept aside: what is left of it says where the rest is.
        other => match other.get(MARK) {
            Some(blob) => {
                let head = blob.get("head").and_then(Value::as_str).unwrap_or_default();
                let hash = blob.get("hash").and_then(Value::as_str).unwrap_or_default();
                format!("{head}\n… the whole text is at /api/blobs/{hash}")
            }
            None => String::new(),
        },
    }
}

fn image(block: &Value) -> Option<Value> {
    let blob = block.pointer("/source/data")?.get(MARK)?;
    let hash = blob.get("hash")?.as_str()?;
    Some(json!({"url": format!("/api/blobs/{hash}"), "mimeType": blob.get("mime")}))
}

/// An ask in a line that is read again; `rows` says what became of it.
pub(crate) fn ask_line(session: &str, text: &str, row: impl Fn(&str) -> Option<AskRow>) -> Option<Value> {
    let value = message(text)?;
    let request = value.get("request")?;
    if !matches!(
        subtype(request)?,
        Subtype::CanUseTool | Subtype::Elicitation | Subtype::RequestUserDialog
    ) {
        return None;
    }
    let id = value.get("request_id")?.as_str()?;
    let row = row(id);
    Some(request_message(
        session,
        id,
        request,
        row.as_ref().filter(|row| row.state != "pending"),
    ))
}

/// A record of the bridge's own that is read again.
pub(crate) fn own_line(session: &str, text: &str, status: &str) -> Option<Value> {
    let value = message(text)?;
    let field = |key: &str| value.get(key).cloned().unwrap_or_default();
    match value.get("type")?.as_str()? {
        "sluice_prompt" if value.get("state").and_then(Value::as_str) == Some("delivered") => {
            let images = value.get("images").and_then(Value::as_array);
            let images = images.into_iter().flatten().map(|blob| {
                let hash = blob.get("hash").and_then(Value::as_str).unwrap_or_default();
                json!({"url": format!("/api/blobs/{hash}"), "mimeType": blob.get("mime")})
            });
            let images: Vec<Value> = images.collect();
            let mut input = json!({
                "type": "user_input", "sessionId": session, "text": field("text"), "by": field("by"),
                "uuid": field("uuid"), "userMessageUuid": field("uuid"),
            });
            if let (false, Some(fields)) = (images.is_empty(), input.as_object_mut()) {
                fields.insert("images".to_owned(), images.into());
            }
            Some(input)
        }
        "sluice_process" => {
            let state = value.get("state").and_then(Value::as_str)?;
            end(session, state, status, value.get("reason").and_then(Value::as_str))
        }
        _ => None,
    }
}

/// `error`.
pub(crate) fn error(problem: &Problem, session: Option<&str>, request: Option<&str>) -> String {
    let message = ErrorMessage {
        message: problem.message.clone(),
        code: problem.code,
        request_id: request.map(str::to_owned),
        session_id: session.map(str::to_owned),
        hint: problem.hint.clone(),
        resolved: problem.resolved.clone(),
    };
    let mut value = serde_json::to_value(crate::api::ServerMessage::Error(message)).unwrap_or_default();
    // The same under the name that other clients read.
    if let Some(fields) = value.as_object_mut()
        && let Some(code) = fields.get("code").cloned()
    {
        fields.insert("errorCode".to_owned(), code);
    }
    value.to_string()
}

/// Whether an ask is one that level 0 can show.
pub(crate) fn shows(ask: &Ask) -> bool {
    ask.kind != AskKind::Hook && ask.kind != AskKind::Mcp
}
