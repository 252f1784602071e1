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
use crate::question::{self, Ask, Said, Unasked};
use crate::server::{self, DoorError, Offer};
use crate::shape;

/// Serves the tools of the place the options describe, until the client is gone or `stop`. Nothing runs any more when
/// this returns.
///
/// # Errors
/// When the options cannot be used, or the client speaks no MCP.
pub async fn serve_tools<R, W>(options: Options, streams: (R, W), stop: CancellationToken) -> Result<(), DoorError>
where
    R: AsyncRead + Unpin + Send + 'static,
    W: AsyncWrite + Unpin + Send + 'static,
{
    let guarded = Arc::new(Guarded::new(options)?);
    let gone = CancellationToken::new();
    let door = ToolsDoor {
        guarded: guarded.clone(),
        gone: gone.clone(),
    };
    let served = server::serve(door, streams, gone, stop).await;
    guarded.close().await;
    served
}

/// The tools of one place.
struct ToolsDoor {
    guarded: Arc<Guarded>,
    /// The client will say nothing more.
    gone: CancellationToken,
}

impl ToolsDoor {
    /// Puts a question of the policy to the client.
    async fn ask(&self, question: Question, context: &RequestContext<RoleServer>) -> GuardedAnswer {
        let Question { tool, input, decision } = question;
        let why = decision.reason.text.as_deref().unwrap_or(&decision.message);
        let mut ask = Ask::about(tool, &input, why);
        ask.from_now_on = offered(decision.suggestions.as_deref().unwrap_or_default());
        let answer = tokio::select! {
            biased;
            answer = question::ask(&context.peer, &ask, &context.ct) => answer,
            () = self.gone.cancelled() => Err(Unasked::Withdrawn),
        };
        match answer {
            Ok(Said::Once) => GuardedAnswer::Allow,
            Ok(Said::FromNowOn) => GuardedAnswer::AllowFromNowOn,
            Ok(Said::No) => GuardedAnswer::Deny(format!("{tool} was not run: the person who was asked said no.")),
            Err(Unasked::Withdrawn) if context.ct.is_cancelled() => GuardedAnswer::Withdrawn,
            Err(unasked) => GuardedAnswer::Deny(format!(
                "{tool} was not run. {} It would have to be asked about, but {unasked}. {}",
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

/// A tool as MCP tells of it.
fn described(tool: &'static Descriptor) -> Tool {
    let schema = tool.schema.as_object().cloned().unwrap_or_default();
    let mut described = Tool::new(tool.name.clone(), tool.description.clone(), schema);
    described.annotations = Some(annotations(tool));
    described
}

/// What a client may show its person; nothing here decides on that.
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
