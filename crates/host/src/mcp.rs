//! MCP servers inside the host: tools made of a function and a schema.
//!
//! The agent sends JSON-RPC messages in `mcp_message` requests; no process and no socket is involved.

use std::fmt;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::transport::BoxFuture;

/// The MCP version to use if the agent's is not a string.
const DEFAULT_PROTOCOL: &str = "2025-11-25";

type Run = Arc<dyn Fn(Value) -> BoxFuture<'static, ToolOutput> + Send + Sync>;

/// An in-process MCP server.
///
/// ```
/// use serde::Deserialize;
/// use sluice_host::{McpServer, ToolOutput};
///
/// #[derive(Deserialize)]
/// struct Two { a: f64, b: f64 }
///
/// let server = McpServer::new("calculator").tool(
///     "add",
///     "Adds two numbers",
///     serde_json::json!({"a": "number", "b": "number"}),
///     |two: Two| async move { ToolOutput::text((two.a + two.b).to_string()) },
/// );
/// # drop(server);
/// ```
#[derive(Clone)]
pub struct McpServer {
    name: String,
    version: String,
    tools: Vec<Tool>,
}

impl fmt::Debug for McpServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tools: Vec<&str> = self.tools.iter().map(|tool| tool.name.as_str()).collect();
        f.debug_struct("McpServer")
            .field("name", &self.name)
            .field("tools", &tools)
            .finish()
    }
}

#[derive(Clone)]
struct Tool {
    name: String,
    listing: Value,
    run: Run,
}

/// The result of a tool.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ToolOutput {
    content: Vec<Value>,
    structured: Option<Value>,
    is_error: bool,
}

impl ToolOutput {
    /// Returns text content.
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            content: vec![json!({"type": "text", "text": text.into()})],
            ..Self::default()
        }
    }

    /// Returns an error for the model.
    pub fn error(text: impl Into<String>) -> Self {
        Self {
            is_error: true,
            ..Self::text(text)
        }
    }

    /// Returns an image, encoded in base64.
    pub fn image(data: impl Into<String>, mime_type: impl Into<String>) -> Self {
        Self {
            content: vec![json!({"type": "image", "data": data.into(), "mimeType": mime_type.into()})],
            ..Self::default()
        }
    }

    /// Appends the content of another output.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.content.extend(other.content);
        self.is_error |= other.is_error;
        self
    }

    /// Sets the structured content, in addition to the other content.
    #[must_use]
    pub fn structured(mut self, value: Value) -> Self {
        self.structured = Some(value);
        self
    }

    fn to_result(&self) -> Value {
        let mut result = json!({"content": self.content});
        if let (Some(structured), Some(object)) = (&self.structured, result.as_object_mut()) {
            object.insert("structuredContent".to_owned(), structured.clone());
        }
        if let (true, Some(object)) = (self.is_error, result.as_object_mut()) {
            object.insert("isError".to_owned(), Value::Bool(true));
        }
        result
    }
}

impl<E: fmt::Display> From<Result<String, E>> for ToolOutput {
    fn from(result: Result<String, E>) -> Self {
        match result {
            Ok(text) => Self::text(text),
            Err(error) => Self::error(error.to_string()),
        }
    }
}

impl McpServer {
    /// Creates a server without tools. The agent calls a tool as `mcp__NAME__TOOL`.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            version: "1.0.0".to_owned(),
            tools: Vec::new(),
        }
    }

    /// Sets the version that the server reports.
    #[must_use]
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.version = version.into();
        self
    }

    /// Returns the name of the server.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Adds a tool. `schema` is a JSON schema or its short form `{"name": "string", …}`, in which all fields are required.
    #[must_use]
    pub fn tool<In, Out, F>(
        self,
        name: impl Into<String>,
        description: impl Into<String>,
        schema: Value,
        run: impl Fn(In) -> F + Send + Sync + 'static,
    ) -> Self
    where
        In: DeserializeOwned + Send + 'static,
        Out: Into<ToolOutput>,
        F: Future<Output = Out> + Send + 'static,
    {
        self.tool_with(name, description, schema, json!({}), run)
    }

    /// Adds a tool with additional fields in its listing: `annotations`, `_meta`, `title`.
    #[must_use]
    pub fn tool_with<In, Out, F>(
        mut self,
        name: impl Into<String>,
        description: impl Into<String>,
        schema: Value,
        more: Value,
        run: impl Fn(In) -> F + Send + Sync + 'static,
    ) -> Self
    where
        In: DeserializeOwned + Send + 'static,
        Out: Into<ToolOutput>,
        F: Future<Output = Out> + Send + 'static,
    {
        let name = name.into();
        let mut listing =
            json!({"name": name, "description": description.into(), "inputSchema": expand_schema(schema)});
        if let (Some(listing), Value::Object(more)) = (listing.as_object_mut(), more) {
            listing.extend(more);
        }
        let run = Arc::new(run);
        self.tools.push(Tool {
            name,
            listing,
            run: Arc::new(move |arguments| {
                let run = Arc::clone(&run);
                Box::pin(async move {
                    match serde_json::from_value::<In>(arguments) {
                        Ok(input) => run(input).await.into(),
                        Err(error) => ToolOutput::error(format!("invalid arguments: {error}")),
                    }
                })
            }),
        });
        self
    }

    /// Answers one message of the agent. A notification gets an empty acknowledgement.
    pub(crate) async fn answer(&self, message: &Value) -> Value {
        let Some(id) = message.get("id") else {
            return json!({"jsonrpc": "2.0", "result": {}});
        };
        let nothing = json!({});
        let params = message.get("params").unwrap_or(&nothing);
        let outcome = match message.get("method").and_then(Value::as_str) {
            Some("initialize") => Ok(self.initialize(params)),
            Some("ping") => Ok(json!({})),
            Some("tools/list") => {
                let tools: Vec<&Value> = self.tools.iter().map(|tool| &tool.listing).collect();
                Ok(json!({"tools": tools}))
            }
            Some("tools/call") => self.call(params).await,
            method => Err((-32601, format!("method not found: {}", method.unwrap_or("none")))),
        };
        match outcome {
            Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
            Err((code, text)) => json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": text}}),
        }
    }

    fn initialize(&self, params: &Value) -> Value {
        let version = params
            .get("protocolVersion")
            .and_then(Value::as_str)
            .unwrap_or(DEFAULT_PROTOCOL);
        json!({
            "protocolVersion": version,
            "capabilities": {"tools": {}},
            "serverInfo": {"name": self.name, "version": self.version},
        })
    }

    async fn call(&self, params: &Value) -> Result<Value, (i64, String)> {
        let name = params.get("name").and_then(Value::as_str).unwrap_or_default();
        let Some(tool) = self.tools.iter().find(|tool| tool.name == name) else {
            return Err((-32602, format!("no such tool: {name}")));
        };
        let arguments = params.get("arguments").cloned().unwrap_or_else(|| json!({}));
        Ok((tool.run)(arguments).await.to_result())
    }
}

/// Returns the error response for an unknown server.
pub(crate) fn no_such_server(name: &str, message: &Value) -> Value {
    let id = message.get("id").cloned().unwrap_or(Value::Null);
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32601, "message": format!("Server '{name}' not found")}})
}

/// Expands a short form to a JSON schema; a schema is returned unchanged.
fn expand_schema(schema: Value) -> Value {
    let Value::Object(fields) = schema else {
        return json!({"type": "object"});
    };
    let short = !fields.is_empty()
        && fields.values().all(|kind| {
            let known = ["string", "number", "integer", "boolean", "array", "object"];
            kind.as_str().is_some_and(|kind| known.contains(&kind))
        })
        && !(fields.len() == 1 && fields.contains_key("type"));
    if !short {
        return Value::Object(fields);
    }
    let required: Vec<&String> = fields.keys().collect();
    let properties: serde_json::Map<String, Value> = fields
        .iter()
        .map(|(name, kind)| (name.clone(), json!({"type": kind})))
        .collect();
    json!({"type": "object", "properties": properties, "required": required})
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
    use serde_json::{Value, json};

    use super::{McpServer, ToolOutput};

    fn server() -> McpServer {
        McpServer::new("s").tool(
            "up",
            "Makes it loud",
            json!({"text": "string"}),
            |input: Value| async move {
                match input["text"].as_str() {
                    Some(text) => ToolOutput::text(text.to_uppercase()),
                    None => ToolOutput::error("no text"),
                }
            },
        )
    }

    #[tokio::test]
    async fn server_initializes_lists_and_calls_tools() {
        let server = server();
        let hello =
            json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-06-18"}});
        let initialize = server.answer(&hello).await;
        assert_eq!(initialize["result"]["protocolVersion"], "2025-06-18");
        let list = server.answer(&json!({"id": 1, "method": "tools/list"})).await;
        assert_eq!(list["result"]["tools"][0]["inputSchema"]["required"], json!(["text"]));
        let call = json!({"id": 2, "method": "tools/call", "params": {"name": "up", "arguments": {"text": "hi"}}});
        let out = server.answer(&call).await;
        assert_eq!(
            out,
            json!({"jsonrpc": "2.0", "id": 2, "result": {"content": [{"type": "text", "text": "HI"}]}})
        );
    }

    #[tokio::test]
    async fn failing_tool_is_not_a_protocol_error() {
        let server = server();
        let out = server
            .answer(&json!({"id": 2, "method": "tools/call", "params": {"name": "up"}}))
            .await;
        assert_eq!(out["result"]["isError"], true);
        let out = server
            .answer(&json!({"id": 3, "method": "tools/call", "params": {"name": "down"}}))
            .await;
        assert_eq!(out["error"]["code"], -32602);
        let out = server.answer(&json!({"id": 4, "method": "resources/list"})).await;
        assert_eq!(out["error"]["code"], -32601);
        let out = server.answer(&json!({"method": "notifications/initialized"})).await;
        assert_eq!(out, json!({"jsonrpc": "2.0", "result": {}}));
    }
}
