//! MCP servers inside the host: each message is a control request (`mcp_message`).

use std::sync::Arc;

use rmcp::RoleClient;
use rmcp::model::{ClientJsonRpcMessage, ErrorCode, ErrorData, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::{Value, json};
use sluice_wire::Raw;
use sluice_wire::control::McpMessage;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::host::{Host, Said};

/// The maximum number of unread messages from the host.
const MAX_UNREAD: usize = 64;

/// A request could not be sent to the host.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct SendError(String);

/// The agent's end of the connection.
pub(crate) struct Sdk {
    host: Arc<dyn Host>,
    server: String,
    inbox: mpsc::Receiver<ServerJsonRpcMessage>,
    incoming: mpsc::Sender<ServerJsonRpcMessage>,
    /// Cancelled when the first message was sent.
    contacted: CancellationToken,
    closed: CancellationToken,
    /// A part of the request ids, so that no request has the id of one of an earlier connection.
    connection: Arc<str>,
}

/// Accepts messages that a server inside the host sends unsolicited.
#[derive(Debug, Clone)]
pub struct Mailbox {
    incoming: mpsc::Sender<ServerJsonRpcMessage>,
}

impl Mailbox {
    /// Delivers a message. Invalid messages are dropped, as are messages while the queue is full.
    pub fn put(&self, message: &Value) {
        if let Ok(message) = serde_json::from_value(message.clone()) {
            self.incoming.try_send(message).ok();
        }
    }
}

impl Sdk {
    pub(crate) fn new(host: Arc<dyn Host>, server: &str, contacted: CancellationToken) -> (Self, Mailbox) {
        let (incoming, inbox) = mpsc::channel(MAX_UNREAD);
        let mailbox = Mailbox {
            incoming: incoming.clone(),
        };
        let sdk = Self {
            host,
            server: server.to_owned(),
            inbox,
            incoming,
            contacted,
            closed: CancellationToken::new(),
            connection: uuid::Uuid::new_v4()
                .simple()
                .to_string()
                .chars()
                .take(8)
                .collect::<String>()
                .into(),
        };
        (sdk, mailbox)
    }
}

impl Transport<RoleClient> for Sdk {
    type Error = SendError;

    fn send(&mut self, item: ClientJsonRpcMessage) -> impl Future<Output = Result<(), SendError>> + Send + 'static {
        let (host, server, contacted) = (self.host.clone(), self.server.clone(), self.contacted.clone());
        let (incoming, closed) = (self.incoming.clone(), self.closed.clone());
        let connection = self.connection.clone();
        async move {
            let mut message = tidy(serde_json::to_value(&item).map_err(|error| SendError(error.to_string()))?);
            // Notifications are answered too; that answer has no content.
            let id = message.get("method").and(message.get("id")).cloned();
            name_request(&mut message, &connection);
            let request = McpMessage {
                server_name: server,
                message: Raw::of(&message),
                ..McpMessage::default()
            };
            let pending = host.request(request.into()).await;
            contacted.cancel();
            let reply = pending.map_err(SendError)?;
            tokio::spawn(async move {
                let result = tokio::select! {
                    result = reply => result,
                    () = closed.cancelled() => return,
                };
                if let Some(id) = id {
                    incoming.send(answer(&id, result)).await.ok();
                }
            });
            Ok(())
        }
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        tokio::select! {
            message = self.inbox.recv() => message,
            () = self.closed.cancelled() => None,
        }
    }

    async fn close(&mut self) -> Result<(), SendError> {
        self.closed.cancel();
        Ok(())
    }
}

impl Drop for Sdk {
    fn drop(&mut self) {
        self.closed.cancel();
        // Without this, a waiter for the first message would wait forever.
        self.contacted.cancel();
    }
}

/// Sets the id that the host sees in a request, or in a notification that cancels one: `7cbd679b:0`.
fn name_request(message: &mut Value, connection: &str) {
    if message.get("method").is_none() {
        return;
    }
    let named = |id: &Value| Value::from(format!("{connection}:{id}"));
    for pointer in ["/id", "/params/requestId"] {
        if let Some(id) = message.pointer_mut(pointer).filter(|id| id.is_number()) {
            *id = named(id);
        }
    }
}

/// Adapts a message to what hosts expect: only calls carry a progress token, and empty objects are omitted.
fn tidy(mut message: Value) -> Value {
    let calls = message.get("method").and_then(Value::as_str) == Some("tools/call");
    if calls {
        return message;
    }
    let Some(object) = message.as_object_mut() else {
        return message;
    };
    if let Some(Value::Object(params)) = object.get_mut("params") {
        if let Some(Value::Object(meta)) = params.get_mut("_meta") {
            meta.shift_remove("progressToken");
            if meta.is_empty() {
                params.shift_remove("_meta");
            }
        }
        if params.is_empty() {
            object.shift_remove("params");
        }
    }
    message
}

/// Converts the answer of the host to the server's response. Every request gets a response, even if the answer is invalid.
fn answer(id: &Value, reply: Said) -> ServerJsonRpcMessage {
    let failed = |why: String| {
        let error = ErrorData::new(ErrorCode::INTERNAL_ERROR, why, None);
        let id = serde_json::from_value(id.clone()).ok();
        ServerJsonRpcMessage::error(error, id)
    };
    let mut response = match reply {
        Ok(value) => match value.get("mcp_response") {
            Some(response) => response.clone(),
            None => return failed("the host's answer has no `mcp_response`".to_owned()),
        },
        Err(why) => return failed(why),
    };
    if let Some(object) = response.as_object_mut() {
        // The answer belongs to this request, even if it contains another id.
        object.insert("id".to_owned(), id.clone());
        object.insert("jsonrpc".to_owned(), json!("2.0"));
    }
    serde_json::from_value(response)
        .unwrap_or_else(|error| failed(format!("the host's answer is not a JSON-RPC message: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_calls_carry_a_progress_token() {
        let listed =
            tidy(json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": {"progressToken": 0}}}));
        assert_eq!(listed, json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}));
        let call = json!({"id": 2, "method": "tools/call", "params": {"name": "x", "_meta": {"progressToken": 0}}});
        assert_eq!(tidy(call.clone()), call);
    }

    #[test]
    fn request_ids_contain_the_connection() {
        let named = |mut message: Value| {
            name_request(&mut message, "c");
            message
        };
        assert_eq!(
            named(json!({"id": 0, "method": "ping"})),
            json!({"id": "c:0", "method": "ping"})
        );
        assert_eq!(
            named(json!({"method": "notifications/cancelled", "params": {"requestId": 7}})),
            json!({"method": "notifications/cancelled", "params": {"requestId": "c:7"}})
        );
        let answer = json!({"id": 3, "result": {}});
        assert_eq!(named(answer.clone()), answer, "the id in a response is unchanged");
    }

    #[test]
    fn every_request_gets_a_response() {
        let id = json!(3);
        for reply in [
            Ok(json!({"mcp_response": {"result": {}}})),
            Ok(json!({"mcp_response": {"jsonrpc": "2.0", "id": 99, "error": {"code": 1, "message": "no"}}})),
            Ok(json!({"mcp_response": "junk"})),
            Ok(json!({})),
            Ok(json!(null)),
            Err("gone".to_owned()),
        ] {
            let shown = format!("{reply:?}");
            let response = serde_json::to_value(answer(&id, reply)).unwrap_or_default();
            assert_eq!(response.get("id"), Some(&id), "{shown}: {response}");
        }
    }
}
