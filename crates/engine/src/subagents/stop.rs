//! Stopping subagents when the session is interrupted or ends.

use sluice_tools::{TaskStatus, ToolEvent};
use tokio::time::Instant;

use crate::messages;
use crate::session::Session;

/// How long to wait for stopped subagents to end.
const STOP_TIMEOUT: std::time::Duration = std::time::Duration::from_secs(3);

impl Session {
    /// Withdraws the permission requests of subagents that an interrupt will stop, before anything else is reported.
    pub(crate) async fn withdraw_agents_asks(&mut self) {
        let mut ending = self.own_agents(false);
        if !self.options.agents.stopped_one_by_one {
            ending.extend(self.own_agents(true));
        }
        for id in ending {
            for request in self.agents.shared().take_asks_of(&id) {
                self.emit(messages::cancel(&request)).await;
            }
        }
    }

    /// Stops background subagents on an interrupt, unless the host can stop them individually. Commands keep running.
    pub(crate) async fn interrupt_agents(&mut self) {
        if self.options.agents.stopped_one_by_one {
            return;
        }
        self.agents.set_interrupting(true);
        for id in self.own_agents(true) {
            self.tooling.tasks().kill(&id).await;
        }
        self.drain_events().await;
        self.agents.set_interrupting(false);
    }

    /// Called when the end of a subagent was reported. After an interrupt its call results are sent only after the
    /// turn.
    pub(crate) fn after_agent_end(&mut self, id: &str) {
        if self.agents.is_interrupting() {
            self.agents.defer_results(id);
        } else {
            self.tooling.tasks().was_told(id);
        }
    }

    /// Sends the remaining call results of subagents that an interrupt stopped.
    pub(crate) fn release_stopped_agents(&mut self) {
        for id in self.agents.take_deferred_results() {
            self.tooling.tasks().was_told(&id);
        }
    }

    /// The ids of the subagents that this session started, either those in the background or those in the foreground.
    fn own_agents(&self, in_background: bool) -> Vec<String> {
        let me = self.agents.id();
        let mine = |agent: &sluice_tools::AgentTask| agent.parent.as_deref() == me;
        let mut tasks = self.tooling.tasks().running();
        tasks.retain(|task| task.is_backgrounded == in_background && task.agent.as_deref().is_some_and(mine));
        tasks.into_iter().map(|task| task.id).collect()
    }

    /// Stops the foreground subagents when the turn ends early.
    pub(crate) async fn stop_agents(&mut self) {
        let all = self.own_agents(false);
        self.stop_and_await_agents(all).await;
    }

    /// Stops the foreground subagents of one call.
    pub(crate) async fn stop_agents_of(&mut self, call_id: &str) {
        let mut those = self.tooling.tasks().running();
        those.retain(|task| task.call_id == call_id);
        let own = self.own_agents(false);
        let those = those.into_iter().map(|task| task.id).filter(|id| own.contains(id));
        self.stop_and_await_agents(those.collect()).await;
    }

    async fn stop_and_await_agents(&mut self, agents: Vec<String>) {
        self.release_agents();
        let mut ending = Vec::new();
        for id in agents {
            if let Some(member) = self.agents.shared().member(&id) {
                member.relay.stop_forwarding();
            }
            let killed = self.tooling.tasks().kill(&id).await;
            if killed.is_some_and(|task| task.status == TaskStatus::Killed) {
                ending.push(id);
            }
        }
        self.drain_events().await;
        let deadline = Instant::now() + STOP_TIMEOUT;
        while !ending.is_empty()
            && let Ok(Some(event)) = tokio::time::timeout_at(deadline, self.tooling.next_report()).await
        {
            if let ToolEvent::TaskGone { id } = &event {
                ending.retain(|ending| ending != id);
            }
            self.on_tool_event(Some(event)).await;
        }
    }

    /// Waits for subagents that are still starting or ending, at the end of the session.
    pub(crate) async fn wait_for_agents_to_stop(&mut self) {
        let deadline = Instant::now() + STOP_TIMEOUT;
        let shared = self.agents.shared().clone();
        while shared.running_count() > 0 {
            tokio::select! {
                biased;
                event = self.tooling.next_report() => self.on_tool_event(event).await,
                () = shared.slot_released() => {}
                () = tokio::time::sleep_until(deadline) => break,
            }
        }
        self.drain_events().await;
    }
}
