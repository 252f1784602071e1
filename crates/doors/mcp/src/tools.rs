//! The built-in tools as an MCP server, with permission decisions before every call.

use std::sync::Arc;

use rmcp::model::{CallToolResult, JsonObject, Tool, ToolAnnotations};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::Value;
use sluice_engine::{Guarded, GuardedAnswer, GuardedCall, Options, Question, Ran};
use sluice_permission::Touches;
use sluice_tools::{Changes, Descriptor};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

use crate::allowing::{offered, remedy};
use crate::progress::Progress;
use crate::question::{self, Ask, NoAnswer, PersonAnswer};
use crate::server::{self, DoorError, Offer};
use crate::shape;

/// Serves the tools for the folder in the options, until the client disconnects or `stop` is cancelled. Nothing is
/// running any more when this returns.
///
/// # Errors
/// Returns an error if the options are invalid or the MCP handshake fails.
pub async fn serve_tools<R, W>(options: Options, streams: (R, W), stop: CancellationToken) -> Result<(), DoorError>
where
    R: AsyncRead + Unpin + Send + 'static,
    W: AsyncWrite + Unpin + Send + 'static,
{
    let guarded = Arc::new(Guarded::new(options)?);
    let disconnected = CancellationToken::new();
    let door = ToolsDoor {
        guarded: guarded.clone(),
        disconnected: disconnected.clone(),
    };
    let served = server::serve(door, streams, disconnected, stop).await;
    guarded.close().await;
    served
}

/// The tools of one working folder.
struct ToolsDoor {
    guarded: Arc<Guarded>,
    /// The client's input has ended.
    disconnected: CancellationToken,
}

impl ToolsDoor {
    /// Sends a permission request to the client.
    async fn ask(&self, question: Question, context: &RequestContext<RoleServer>) -> GuardedAnswer {
        let Question { tool, input, decision } = question;
        let why = decision.reason.text.as_deref().unwrap_or(&decision.message);
        let mut ask = Ask::about(tool, &input, why);
        ask.from_now_on = offered(decision.suggestions.as_deref().unwrap_or_default());
        let answer = tokio::select! {
            biased;
            answer = question::ask(&context.peer, &ask, &context.ct) => answer,
            () = self.disconnected.cancelled() => Err(NoAnswer::Withdrawn),
        };
        match answer {
            Ok(PersonAnswer::Once) => GuardedAnswer::Allow,
            Ok(PersonAnswer::FromNowOn) => GuardedAnswer::AllowFromNowOn,
            Ok(PersonAnswer::No) => GuardedAnswer::Deny(format!("{tool} was not run: the user denied it.")),
            Err(NoAnswer::Withdrawn) if context.ct.is_cancelled() => GuardedAnswer::Withdrawn,
            Err(no_answer) => GuardedAnswer::Deny(format!(
                "{tool} was not run. {} It needs permission, but {no_answer}. {}",
                decision.message,
                remedy(tool, &decision)
            )),
        }
    }
}

impl Offer for ToolsDoor {
    const ABOUT: &'static str = "Sluice's tools for files, commands and the web, working in the folder the server was \
        started in. Every call is held against the permission rules of that folder; what they do not decide is put to \
        you by elicitation.";

    fn tools(&self) -> Vec<Tool> {
        self.guarded.tools().into_iter().map(described).collect()
    }

    async fn call(
        &self,
        name: &str,
        arguments: JsonObject,
        context: &RequestContext<RoleServer>,
    ) -> Option<CallToolResult> {
        let call = GuardedCall {
            id: format!("mcp_{}", uuid::Uuid::new_v4().simple()),
            tool: name.to_owned(),
            input: Value::Object(arguments),
            cancel: context.ct.clone(),
        };
        let asked = async |question| self.ask(question, context).await;
        let mut progress = Progress::of(context);
        match progress.during(name, self.guarded.call(call, asked)).await {
            Ran::Unknown => None,
            Ran::Denied(why) => Some(shape::failure(why)),
            Ran::Done(outcome) => Some(shape::result(outcome)),
        }
    }
}

/// Converts a tool definition to MCP.
fn described(tool: &'static Descriptor) -> Tool {
    let schema = tool.schema.as_object().cloned().unwrap_or_default();
    let mut described = Tool::new(tool.name.clone(), tool.description.clone(), schema);
    described.annotations = Some(annotations(tool));
    described
}

/// Hints for the client, which may display them. They do not affect permissions.
fn annotations(tool: &Descriptor) -> ToolAnnotations {
    let outside = matches!(
        tool.touches,
        Touches::Shell { .. } | Touches::Fetches { .. } | Touches::SearchesWeb { .. } | Touches::Anything
    );
    ToolAnnotations::new()
        .read_only(tool.changes() == Changes::Nothing)
        .destructive(tool.changes() == Changes::Irrevocably)
        .open_world(outside)
}
