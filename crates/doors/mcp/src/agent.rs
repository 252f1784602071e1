//! The agent as an MCP server: `run` starts an agent, `reply` continues its conversation, `cancel` interrupts it.
//!
//! Each agent is a session of the engine, and this door is its host: permission requests are sent as elicitations,
//! messages as progress notifications, and the result of the turn is the result of the call.

mod crew;
mod turn;
mod words;

use std::sync::Arc;

use rmcp::model::{CallToolResult, JsonObject, Tool};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::json;
use sluice_engine::Options;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

use crate::errand::{self, Bounds, Cancel, Errand, ReplyTo, Run};
use crate::progress::Progress;
use crate::server::{self, DoorError, Offer};
use crate::shape;
use crew::{Agent, Agents};

/// Creates the options of a session from a client's request, or returns an error message.
pub type Launcher = Arc<dyn Fn(&Errand) -> Result<Options, String> + Send + Sync>;

/// Serves agents until the client disconnects or `stop` is cancelled. All agents have ended when this returns.
///
/// # Errors
/// Returns an error if the MCP handshake fails.
pub async fn serve_agent<R, W>(
    launcher: Launcher,
    bounds: Bounds,
    streams: (R, W),
    stop: CancellationToken,
) -> Result<(), DoorError>
where
    R: AsyncRead + Unpin + Send + 'static,
    W: AsyncWrite + Unpin + Send + 'static,
{
    let crew = Arc::new(Agents::default());
    let disconnected = CancellationToken::new();
    let door = AgentDoor {
        launcher,
        bounds,
        crew: crew.clone(),
        disconnected: disconnected.clone(),
    };
    let served = server::serve(door, streams, disconnected, stop).await;
    crew.stop_all().await;
    served
}

struct AgentDoor {
    launcher: Launcher,
    bounds: Bounds,
    crew: Arc<Agents>,
    /// The client's input has ended.
    disconnected: CancellationToken,
}

impl Offer for AgentDoor {
    const ABOUT: &'static str = words::ABOUT;

    fn tools(&self) -> Vec<Tool> {
        words::tools()
    }

    async fn call(
        &self,
        name: &str,
        arguments: JsonObject,
        context: &RequestContext<RoleServer>,
    ) -> Option<CallToolResult> {
        let done = match name {
            "run" => self.run(arguments, context).await,
            "reply" => self.reply(arguments, context).await,
            "cancel" => self.cancel(arguments).await,
            _ => return None,
        };
        Some(done.unwrap_or_else(shape::failure))
    }
}

impl AgentDoor {
    async fn run(&self, arguments: JsonObject, context: &RequestContext<RoleServer>) -> Result<CallToolResult, String> {
        let run: Run = errand::read("run", arguments)?;
        let agent = self.start(&run.errand(&self.bounds)?)?;
        self.play(&agent, run.prompt, context).await
    }

    async fn reply(
        &self,
        arguments: JsonObject,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResult, String> {
        let reply: ReplyTo = errand::read("reply", arguments)?;
        errand::require_prompt(&reply.prompt)?;
        let agent = match self.crew.find(&reply.session_id) {
            Some(agent) => agent,
            // The session was unloaded, or belongs to an earlier server: resume it from its transcript.
            None => self.start(&Errand {
                resume: Some(reply.session_id),
                ..Errand::default()
            })?,
        };
        self.play(&agent, reply.prompt, context).await
    }

    async fn cancel(&self, arguments: JsonObject) -> Result<CallToolResult, String> {
        let cancel: Cancel = errand::read("cancel", arguments)?;
        let agents = match &cancel.session_id {
            None => self.crew.all(),
            Some(id) => vec![
                self.crew
                    .find(id)
                    .ok_or_else(|| format!("there is no session {id} here"))?,
            ],
        };
        let mut cancelled = Vec::new();
        for agent in agents.iter().filter(|agent| agent.is_busy()) {
            agent.interrupt().await;
            cancelled.push(agent.id.clone());
        }
        Ok(CallToolResult::structured(json!({"cancelled": cancelled})))
    }

    fn start(&self, errand: &Errand) -> Result<Arc<Agent>, String> {
        let mut options = (self.launcher)(errand)?;
        if let Some(why) = options.session.refusal {
            return Err(why);
        }
        options.permissions.asker = sluice_engine::Asker::Host;
        // The elicitation form has a yes/no decision and cannot answer these questions.
        options.permissions.disallowed.push("AskUserQuestion".to_owned());
        let id = options.session.id.clone();
        let port = sluice_engine::start(options).map_err(|error| error.to_string())?;
        Ok(self.crew.join(id, port))
    }

    async fn play(
        &self,
        agent: &Agent,
        prompt: String,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResult, String> {
        let mut progress = Progress::of(context);
        progress.notify(format!("session {}", agent.id)).await;
        agent.turn(prompt, context, &self.disconnected, progress).await
    }
}
