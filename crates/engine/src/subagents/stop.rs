//! What an interrupt ends: the subagents the turn waits for, and those in the background.

use sluice_tools::{TaskStatus, ToolEvent};
use tokio::time::Instant;

use crate::messages;
use crate::session::Session;

/// How long an interrupt waits for the subagents it ends.
const WIND_UP: std::time::Duration = std::time::Duration::from_secs(3);

impl Session {
    /// Takes back what the subagents ask that an interrupt ends, before anything else is told of it.
    pub(crate) async fn withdraw_agents_asks(&mut self) {
        let mut ending = self.own_agents(false);
        if !self.options.agents.stopped_one_by_one {
            ending.extend(self.own_agents(true));
        }
        for id in ending {
            for request in self.agents.shared().take_asks_of(&id) {
                self.say(messages::cancel(&request)).await;
            }
        }
    }

    /// The host interrupts: subagents in the background end, unless it can stop each by itself. Commands go on.
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

    /// The end of a subagent was told. One that an interrupt ends says no more before the interrupted turn is over.
    pub(crate) fn agent_end_told(&mut self, id: &str) {
        if self.agents.is_interrupting() {
            self.agents.wait_with(id);
        } else {
            self.tooling.tasks().was_told(id);
        }
    }

    /// The interrupt is dealt with: whoever it ended may say what became of its calls.
    pub(crate) fn let_agents_go(&mut self) {
        for id in self.agents.take_waiting() {
            self.tooling.tasks().was_told(&id);
        }
    }

    /// The subagents this session started itself that run in the background, or those it waits for.
    fn own_agents(&self, in_background: bool) -> Vec<String> {
        let me = self.agents.id();
        let mine = |agent: &sluice_tools::AgentTask| agent.parent.as_deref() == me;
        let mut tasks = self.tooling.tasks().running();
        tasks.retain(|task| task.is_backgrounded == in_background && task.agent.as_deref().is_some_and(mine));
        tasks.into_iter().map(|task| task.id).collect()
    }

    /// The turn is over before its time: the subagents its calls waited for end with it.
    pub(crate) async fn stop_agents(&mut self) {
        let all = self.own_agents(false);
        self.wind_up_agents(all).await;
    }

    /// The same for those of one call.
    pub(crate) async fn stop_agents_of(&mut self, call_id: &str) {
        let mut those = self.tooling.tasks().running();
        those.retain(|task| task.call_id == call_id);
        let own = self.own_agents(false);
        let those = those.into_iter().map(|task| task.id).filter(|id| own.contains(id));
        self.wind_up_agents(those.collect()).await;
    }

    async fn wind_up_agents(&mut self, agents: Vec<String>) {
        self.hear_agents();
        let mut ending = Vec::new();
        for id in agents {
            if let Some(member) = self.agents.shared().member(&id) {
                member.relay.mute();
            }
            let killed = self.tooling.tasks().kill(&id).await;
            if killed.is_some_and(|task| task.status == TaskStatus::Killed) {
                ending.push(id);
            }
        }
        self.drain_events().await;
        let deadline = Instant::now() + WIND_UP;
        while !ending.is_empty()
            && let Ok(Some(event)) = tokio::time::timeout_at(deadline, self.tooling.next_report()).await
        {
            if let ToolEvent::TaskGone { id } = &event {
                ending.retain(|ending| ending != id);
            }
            self.on_tool_event(Some(event)).await;
        }
    }

    /// The session is over: a subagent that was just beginning ends too, and its end is told.
    pub(crate) async fn see_agents_off(&mut self) {
        let deadline = Instant::now() + WIND_UP;
        let shared = self.agents.shared().clone();
        while shared.at_work() > 0 {
            tokio::select! {
                biased;
                event = self.tooling.next_report() => self.on_tool_event(event).await,
                () = shared.dismissed() => {}
                () = tokio::time::sleep_until(deadline) => break,
            }
        }
        self.drain_events().await;
    }
}
