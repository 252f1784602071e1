//! An MCP tool, as the session uses it.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{
    CallToolRequest, CallToolRequestParams, ClientRequest, RequestMetaObject, ServerResult, Tool as Listed,
};
use rmcp::service::{PeerRequestOptions, ServiceError};
use serde_json::{Map, Value, json};
use sluice_tools::{Context, Descriptor, Invalid, Outcome, Pending, Provenance, Tool, ToolEvent};

use super::content::{self, Frame};
use super::link::{Connection, Link, explain};
use super::names;

/// The interval of progress events of a running call.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(30);
/// The maximum length of a tool's description in characters.
const MAX_DESCRIPTION: usize = 2048;

/// A tool of a server.
#[derive(Debug)]
pub struct ServerTool {
    descriptor: Descriptor,
    provenance: Provenance,
    link: Arc<Link>,
    read_only: bool,
    deferred: bool,
    max_length: Option<usize>,
}

impl ServerTool {
    pub fn new(link: &Arc<Link>, listed: &Listed) -> Self {
        let meta = |key: &str| listed.meta.as_ref().and_then(|meta| meta.get(key));
        let flag = |key: &str| meta(key).and_then(Value::as_bool) == Some(true);
        let annotations = listed.annotations.as_ref();
        let title = listed.title.clone().or_else(|| annotations?.title.clone());
        let spoken = names::spoken(&listed.name);
        let description: String = listed
            .description
            .as_deref()
            .unwrap_or_default()
            .chars()
            .take(MAX_DESCRIPTION)
            .collect();
        let limits = &link.context.limits;
        let max_chars = meta("anthropic/maxResultSizeChars").and_then(Value::as_u64);
        Self {
            descriptor: Descriptor {
                name: names::tool(&link.name, &listed.name).into(),
                description: description.into(),
                schema: schema(&listed.input_schema),
                server: Some(names::normalised(&link.name)),
                // The server's own hints about what a tool touches are not trusted.
                ..Descriptor::default()
            },
            provenance: Provenance {
                server: link.name.clone(),
                source: link.source(),
                tool: listed.name.to_string(),
                title: title.unwrap_or_else(|| spoken.clone()),
                spoken,
                needs_answer: flag("anthropic/requiresUserInteraction"),
            },
            link: link.clone(),
            read_only: annotations.and_then(|annotations| annotations.read_only_hint) == Some(true),
            deferred: limits.defer && !link.config.always_load && !flag("anthropic/alwaysLoad"),
            max_length: max_chars
                .and_then(|max_chars| usize::try_from(max_chars).ok())
                .or(limits.output),
        }
    }
}

/// Completes an input schema: the API requires `type: object` and `properties`.
fn schema(listed: &Map<String, Value>) -> Value {
    let mut schema = listed.clone();
    schema.insert("type".to_owned(), json!("object"));
    schema.entry("properties").or_insert_with(|| json!({}));
    Value::Object(schema)
}

impl Tool for ServerTool {
    fn descriptor(&self) -> &Descriptor {
        &self.descriptor
    }

    /// Returns the input unchanged: only the server can validate it.
    fn fill(&self, input: &Value) -> Value {
        input.clone()
    }

    fn check(&self, input: &Value, _cwd: &Path) -> Result<Value, Invalid> {
        Ok(input.clone())
    }

    fn deferred(&self) -> bool {
        self.deferred
    }

    fn provenance(&self) -> Option<Provenance> {
        Some(self.provenance.clone())
    }

    fn concurrency_safe(&self, _input: &Value) -> bool {
        self.read_only
    }

    fn run<'a>(&'a self, input: Value, cx: &'a Context) -> Pending<'a, Outcome> {
        Box::pin(async move {
            let frame = Frame {
                server: &self.link.name,
                call_id: &cx.call_id,
                folder: &cx.output_dir,
                max_length: self.max_length,
            };
            let call = Call {
                link: &self.link,
                tool: &self.provenance.tool,
                full: &self.descriptor.name,
                call_id: &cx.call_id,
            };
            let timeout = self.link.tool_timeout();
            let running = call.run(input, timeout);
            tokio::pin!(running);
            let mut progress =
                tokio::time::interval_at(tokio::time::Instant::now() + PROGRESS_INTERVAL, PROGRESS_INTERVAL);
            let mut elapsed_seconds = 0;
            loop {
                tokio::select! {
                    done = &mut running => return match done {
                        Ok(result) => content::outcome(&result, &frame).await,
                        Err(why) => Outcome::failed(why),
                    },
                    () = cx.cancel.cancelled() => return Outcome::interrupted(),
                    _ = progress.tick() => {
                        elapsed_seconds += PROGRESS_INTERVAL.as_secs();
                        let call_id = cx.call_id.clone();
                        cx.events.send(ToolEvent::Progress { call_id, elapsed_seconds }).await.ok();
                    }
                }
            }
        })
    }
}

/// A call of an MCP tool that was not requested by the model (`mcp_call`, hooks).
#[derive(Debug)]
pub struct ServerCall {
    pub link: Arc<Link>,
    /// The name that the server gives the tool.
    pub tool: String,
    /// The full name of the tool in the session.
    pub full: String,
    pub timeout: Option<Duration>,
    /// The folder for results that are too long.
    pub folder: std::path::PathBuf,
}

impl ServerCall {
    /// Runs the call and returns the result for the host.
    pub async fn run(self, input: Value) -> Result<Value, String> {
        let call_id = format!("mcp_call_{}", uuid::Uuid::new_v4().simple());
        let call = Call {
            link: &self.link,
            tool: &self.tool,
            full: &self.full,
            call_id: &call_id,
        };
        let result = call
            .run(input, self.timeout.unwrap_or_else(|| self.link.tool_timeout()))
            .await?;
        let frame = Frame {
            server: &self.link.name,
            call_id: &call_id,
            folder: &self.folder,
            max_length: Some(usize::MAX),
        };
        let outcome = content::outcome(&result, &frame).await;
        if outcome.is_error == Some(true) {
            let content = outcome.content;
            return Err(content.as_str().map_or_else(|| content.to_string(), str::to_owned));
        }
        Ok(match outcome.result {
            Value::Object(object) => Value::Object(object),
            content => json!({"content": content}),
        })
    }
}

/// A single `tools/call` request.
pub(crate) struct Call<'a> {
    pub(crate) link: &'a Arc<Link>,
    /// The name that the server gives the tool.
    pub(crate) tool: &'a str,
    /// The full name of the tool in the session.
    pub(crate) full: &'a str,
    /// The id of the model's tool call.
    pub(crate) call_id: &'a str,
}

impl Call<'_> {
    /// Sends the request and returns the result as the server wrote it. Dropping the future cancels the request.
    pub(crate) async fn run(&self, input: Value, timeout: Duration) -> Result<Value, String> {
        let connection = self.link.connection().await?;
        match tokio::time::timeout(timeout, self.send(&connection, input)).await {
            Ok(Ok(result)) => Ok(result),
            Ok(Err(error)) => Err(explain(&error)),
            Err(_) => Err(format!(
                "MCP server \"{}\" tool \"{}\" timed out after {}s",
                self.link.name,
                self.tool,
                timeout.as_secs()
            )),
        }
    }

    async fn send(&self, connection: &Connection, input: Value) -> Result<Value, ServiceError> {
        let params = self.params(input);
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params.clone()));
        let peer = connection.service.peer();
        let handle = peer
            .send_request_with_option(request, PeerRequestOptions::no_options())
            .await?;
        connection
            .calls
            .track(handle.progress_token.clone(), self.call_id, self.full);
        let mut pending = PendingCall {
            connection,
            token: handle.progress_token.clone(),
            id: Some(handle.id.clone()),
        };
        let result = handle.await_response().await;
        pending.id = None;
        match result? {
            // The server needs input first. Sending the call again handles its input requests.
            ServerResult::InputRequiredResult(_) => {
                let result = connection.service.call_tool(params).await?;
                serde_json::to_value(result).map_err(|_| ServiceError::UnexpectedResponse)
            }
            result => serde_json::to_value(result).map_err(|_| ServiceError::UnexpectedResponse),
        }
    }

    fn params(&self, input: Value) -> CallToolRequestParams {
        let mut params = CallToolRequestParams::new(self.tool.to_owned());
        params.arguments = Some(match input {
            Value::Object(arguments) => arguments,
            _ => Map::new(),
        });
        let mut meta = RequestMetaObject::new();
        meta.insert("claudecode/toolUseId".to_owned(), json!(self.call_id));
        params.meta = Some(meta);
        params
    }
}

/// A call that waits for its result. Dropping it before that notifies the server that the call is cancelled.
struct PendingCall<'a> {
    connection: &'a Connection,
    token: rmcp::model::ProgressToken,
    id: Option<rmcp::model::RequestId>,
}

impl Drop for PendingCall<'_> {
    fn drop(&mut self) {
        self.connection.calls.forget(&self.token);
        if let Some(id) = self.id.take() {
            let peer = self.connection.service.peer().clone();
            tokio::spawn(async move {
                let why = Some("the call was cancelled".to_owned());
                let params = rmcp::model::CancelledNotificationParam::new(Some(id), why);
                peer.notify_cancelled(params).await.ok();
            });
        }
    }
}
