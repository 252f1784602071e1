//! The MCP server: its identity, protocol versions, capabilities, and how it ends.

use std::borrow::Cow;
use std::time::Duration;

use rmcp::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestMethod, CompleteRequestParams,
    CompleteResult, CustomRequest, CustomResult, ErrorCode, ErrorData, Implementation, JsonObject,
    ListPromptsRequestMethod, ListPromptsResult, ListResourceTemplatesRequestMethod, ListResourceTemplatesResult,
    ListResourcesRequestMethod, ListResourcesResult, ListToolsResult, PaginatedRequestParams, ProtocolVersion,
    ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer, ServerInitializeError, serve_server_with_ct};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

use crate::lines::Lines;

/// The name of the server.
const NAME: &str = "sluice";
/// How long running calls may continue after the end of the client's input, so that a script that writes requests and
/// closes the pipe still gets responses.
const EOF_GRACE: Duration = Duration::from_secs(1);

/// Why a door cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum DoorError {
    /// The model's address or the proxies are invalid.
    #[error(transparent)]
    Model(#[from] sluice_engine::ModelError),
    /// The handshake with the client failed.
    #[error("the MCP handshake failed: {0}")]
    Handshake(String),
}

/// The tools of a server.
pub(crate) trait Offer: Send + Sync + 'static {
    /// The instructions for the client.
    const ABOUT: &'static str;

    /// The current tools.
    fn tools(&self) -> Vec<Tool>;

    /// Runs a call; `None` if there is no such tool.
    fn call(
        &self,
        name: &str,
        arguments: JsonObject,
        context: &RequestContext<RoleServer>,
    ) -> impl Future<Output = Option<CallToolResult>> + Send;
}

/// Serves until the client disconnects or `stop` is cancelled.
///
/// `disconnected` is cancelled at the end of the client's input; no permission request can be answered from then on.
pub(crate) async fn serve<O, R, W>(
    offer: O,
    (read, write): (R, W),
    disconnected: CancellationToken,
    stop: CancellationToken,
) -> Result<(), DoorError>
where
    O: Offer,
    R: AsyncRead + Unpin + Send + 'static,
    W: AsyncWrite + Unpin + Send + 'static,
{
    let end = CancellationToken::new();
    let lines = Lines::new(read, write, disconnected.clone());
    let ending = tokio::spawn(end_in_time(disconnected.clone(), stop, end.clone()));
    let served = match serve_server_with_ct(Server(offer), lines, end).await {
        Ok(running) => {
            // The reason is irrelevant: the client is gone or the server is stopped.
            let _reason = running.waiting().await;
            Ok(())
        }
        Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => Ok(()),
        Err(error) => Err(DoorError::Handshake(error.to_string())),
    };
    disconnected.cancel();
    ending.abort();
    served
}

/// Ends all calls: immediately on `stop`, or [`EOF_GRACE`] after the end of the input.
async fn end_in_time(disconnected: CancellationToken, stop: CancellationToken, end: CancellationToken) {
    tokio::select! {
        () = stop.cancelled() => disconnected.cancel(),
        () = async { disconnected.cancelled().await; tokio::time::sleep(EOF_GRACE).await } => {}
    }
    end.cancel();
}

/// Handles the requests of MCP for an [`Offer`].
struct Server<O>(O);

impl<O: Offer> ServerHandler for Server<O> {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        let mut info = ServerConfig::new(capabilities).with_instructions(O::ABOUT);
        info.server_info = Implementation::new(NAME, env!("CARGO_PKG_VERSION"));
        info.protocol_version = ProtocolVersion::V_2025_11_25;
        info
    }

    /// The versions in which a server can send requests during a call. In later versions the client repeats the call
    /// instead.
    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Borrowed(ProtocolVersion::known_up_to(&ProtocolVersion::V_2025_11_25))
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.0.tools()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        match self.0.call(&request.name, arguments, &context).await {
            Some(result) => Ok(CallToolResponse::Complete(result)),
            // The same error code as the reference CLI.
            None => Err(ErrorData::internal_error(
                format!("Tool {} not found", request.name),
                None,
            )),
        }
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Err(ErrorData::method_not_found::<ListResourcesRequestMethod>())
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Err(ErrorData::method_not_found::<ListResourceTemplatesRequestMethod>())
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Err(ErrorData::method_not_found::<ListPromptsRequestMethod>())
    }

    async fn complete(
        &self,
        _request: CompleteRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        Err(ErrorData::method_not_found::<CompleteRequestMethod>())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        Err(not_understood(&request.method))
    }
}

/// The error for an unknown method or invalid parameters.
fn not_understood(method: &str) -> ErrorData {
    match method {
        "tools/call" => ErrorData::invalid_params(
            "tools/call takes {\"name\": string, \"arguments\"?: object}; these params are something else",
            None,
        ),
        "initialize" | "tools/list" | "ping" => {
            ErrorData::invalid_params(format!("the params of {method} cannot be read"), None)
        }
        _ => ErrorData::new(
            ErrorCode::METHOD_NOT_FOUND,
            format!("there is no method {method} here"),
            None,
        ),
    }
}
