//! The running agents of the MCP server: which are idle, which are busy, and how they end.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use sluice_engine::{Input, Port};
use sluice_wire::control::{ControlRequest, Interrupt};
use sluice_wire::{ToAgent, ToHost};
use tokio::sync::{Mutex as TurnLock, mpsc};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Agents that are kept at hand. One more lets go of the one that has been idle longest; its conversation is on disk.
const MOST: usize = 32;
/// How long the sessions have to end once they are told to.
const FAREWELL: Duration = Duration::from_secs(5);

/// One agent, as its host holds it.
#[derive(Debug)]
pub(super) struct Agent {
    pub(super) id: String,
    input: mpsc::Sender<Vec<Input>>,
    /// What it says; held by the turn that runs.
    pub(super) output: TurnLock<mpsc::Receiver<ToHost>>,
    quit: CancellationToken,
}

impl Agent {
    pub(super) fn is_busy(&self) -> bool {
        self.output.try_lock().is_err()
    }

    /// Says something to it. One that is gone is noticed when nothing more is heard of it.
    pub(super) async fn say(&self, message: impl Into<ToAgent>) {
        let _gone = self.input.send(vec![Input::Message(Box::new(message.into()))]).await;
    }

    /// Stops the turn it works on.
    pub(super) async fn interrupt(&self) {
        let id = format!("mcp-{}", uuid::Uuid::new_v4().simple());
        self.say(ControlRequest::new(id, Interrupt::default())).await;
    }
}

/// All of them, the one that was used last at the end.
#[derive(Debug, Default)]
pub(super) struct Crew {
    agents: Mutex<VecDeque<Arc<Agent>>>,
    sessions: TaskTracker,
}

impl Crew {
    /// Takes a session in.
    pub(super) fn join(&self, id: String, port: Port) -> Arc<Agent> {
        self.sessions.spawn(port.done);
        let agent = Arc::new(Agent {
            id,
            input: port.input,
            output: TurnLock::new(port.output),
            quit: port.quit,
        });
        let mut agents = self.lock();
        if agents.len() >= MOST
            && let Some(idle) = agents.iter().position(|agent| !agent.is_busy())
            && let Some(idle) = agents.remove(idle)
        {
            idle.quit.cancel();
        }
        agents.push_back(agent.clone());
        agent
    }

    /// The agent of this session, which is used now.
    pub(super) fn find(&self, id: &str) -> Option<Arc<Agent>> {
        let mut agents = self.lock();
        let at = agents.iter().position(|agent| agent.id == id)?;
        let agent = agents.remove(at)?;
        // One whose session has ended by itself is of no use.
        if agent.input.is_closed() {
            return None;
        }
        agents.push_back(agent.clone());
        Some(agent)
    }

    pub(super) fn all(&self) -> Vec<Arc<Agent>> {
        self.lock().iter().cloned().collect()
    }

    /// Ends every session, and what they started with them.
    pub(super) async fn dismiss(&self) {
        for agent in self.lock().drain(..) {
            agent.quit.cancel();
        }
        self.sessions.close();
        // One that does not end in time is ended with the process.
        let _late = tokio::time::timeout(FAREWELL, self.sessions.wait()).await;
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Arc<Agent>>> {
        self.agents.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
