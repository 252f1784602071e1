//! The agents of the MCP server: finding idle and busy ones, and ending them.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use sluice_engine::{Input, Port};
use sluice_wire::control::{ControlRequest, Interrupt};
use sluice_wire::{ToAgent, ToHost};
use tokio::sync::{Mutex as TurnLock, mpsc};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// The maximum number of loaded agents. Beyond it, the agent that has been idle longest is unloaded; its transcript
/// remains.
const MAX_AGENTS: usize = 32;
/// How long to wait for the sessions to end.
const STOP_TIMEOUT: Duration = Duration::from_secs(5);

/// One agent and the channels of its session.
#[derive(Debug)]
pub(super) struct Agent {
    pub(super) id: String,
    input: mpsc::Sender<Vec<Input>>,
    /// Messages of the session; locked by the running turn.
    pub(super) output: TurnLock<mpsc::Receiver<ToHost>>,
    quit: CancellationToken,
}

impl Agent {
    pub(super) fn is_busy(&self) -> bool {
        self.output.try_lock().is_err()
    }

    /// Sends a message to the session. A session that has ended is noticed by the receiver of its output.
    pub(super) async fn send(&self, message: impl Into<ToAgent>) {
        let _gone = self.input.send(vec![Input::Message(Box::new(message.into()))]).await;
    }

    /// Interrupts the running turn.
    pub(super) async fn interrupt(&self) {
        let id = format!("mcp-{}", uuid::Uuid::new_v4().simple());
        self.send(ControlRequest::new(id, Interrupt::default())).await;
    }
}

/// All agents, in the order of their last use.
#[derive(Debug, Default)]
pub(super) struct Agents {
    agents: Mutex<VecDeque<Arc<Agent>>>,
    sessions: TaskTracker,
}

impl Agents {
    /// Adds a session.
    pub(super) fn join(&self, id: String, port: Port) -> Arc<Agent> {
        self.sessions.spawn(port.done);
        let agent = Arc::new(Agent {
            id,
            input: port.input,
            output: TurnLock::new(port.output),
            quit: port.quit,
        });
        let mut agents = self.lock();
        if agents.len() >= MAX_AGENTS
            && let Some(idle) = agents.iter().position(|agent| !agent.is_busy())
            && let Some(idle) = agents.remove(idle)
        {
            idle.quit.cancel();
        }
        agents.push_back(agent.clone());
        agent
    }

    /// Returns the agent of this session and marks it as used.
    pub(super) fn find(&self, id: &str) -> Option<Arc<Agent>> {
        let mut agents = self.lock();
        let at = agents.iter().position(|agent| agent.id == id)?;
        let agent = agents.remove(at)?;
        // The session has ended by itself.
        if agent.input.is_closed() {
            return None;
        }
        agents.push_back(agent.clone());
        Some(agent)
    }

    pub(super) fn all(&self) -> Vec<Arc<Agent>> {
        self.lock().iter().cloned().collect()
    }

    /// Ends all sessions and everything they started.
    pub(super) async fn stop_all(&self) {
        for agent in self.lock().drain(..) {
            agent.quit.cancel();
        }
        self.sessions.close();
        // Sessions that do not end in time end with the process.
        let _late = tokio::time::timeout(STOP_TIMEOUT, self.sessions.wait()).await;
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Arc<Agent>>> {
        self.agents.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
