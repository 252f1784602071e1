//! Starts subagents while the message that calls them is still streamed.
//!
//! A call of the `Agent` tool starts when its block ends, so that the host is notified of the subagent before the next
//! event of the message. The messages of the subagent follow that event. Other calls wait for the event, because they
//! may ask.

use serde_json::Value;
use sluice_call::Call;
use sluice_permission::{Decision, ReasonKind, Verdict};
use sluice_tools::{TaskView, ToolEvent};
use tokio::time::{Instant, timeout, timeout_at};

use crate::agents::names;
use crate::calls::LAUNCH_DELAY;
use crate::commands;
use crate::session::Session;

impl Session {
    /// Starts a subagent if the last block is a call for one that needs no permission request.
    pub(crate) async fn begin_agent(&mut self) {
        let starts = self.calls.last().filter(|call| {
            let new = call.is_proposed() && call.tool.is_some();
            new && self.starts_agent(&call.name, &call.input)
        });
        let Some(call) = starts else { return };
        if self.decide_call(call).behavior != Verdict::Allow {
            return;
        }
        let id = call.id.clone();
        self.launch().await;
        // Hooks, a budget or earlier calls may delay it.
        if !self.calls.last().is_some_and(Call::is_allowed) {
            return self.wait_for_event();
        }
        self.agents.set_at_block(true);
        let until = Instant::now() + LAUNCH_DELAY;
        while let Ok(Some(event)) = timeout_at(until, self.tooling.next_report()).await {
            let began = matches!(&event, ToolEvent::TaskStarted { task, .. } if task.call_id == id);
            self.on_tool_event(Some(event)).await;
            if began {
                break;
            }
        }
        self.agents.set_at_block(false);
        self.wait_for_event();
    }

    /// Delays calls that have not started and held subagents until the next event of the stream, or shortly.
    fn wait_for_event(&mut self) {
        let waits = self.calls.iter().any(Call::is_proposed);
        if waits || self.agents.has_held() {
            self.calls.launch_soon();
        }
    }

    /// Returns the error for a call if a permission rule denies its kind.
    pub(crate) fn denied_kind(&self, index: usize, decision: &Decision) -> Option<String> {
        let call = self.calls.get(index)?;
        let ours = call.name == names::AGENT || call.name == names::TASK;
        let ruled = decision.behavior == Verdict::Deny && decision.reason.kind == Some(ReasonKind::Rule);
        let kind = call.checked.get("subagent_type")?.as_str()?;
        (ours && ruled).then(|| names::denied(kind, decision))
    }

    /// True if this call starts a subagent.
    pub(crate) fn starts_agent(&self, name: &str, input: &Value) -> bool {
        let forks = || {
            let skill = self.commands.catalogue().find(commands::skill_of(input));
            skill.is_some_and(|skill| skill.fork)
        };
        name == names::AGENT || name == names::TASK || (name == commands::SKILL && forks())
    }

    /// Called when a task was announced. Holds the messages of a foreground subagent until the next event of the
    /// stream.
    pub(crate) fn task_announced(&mut self, task: &TaskView, is_backgrounded: bool) {
        let awaited = task.agent.is_some() && !is_backgrounded;
        if !awaited || !self.agents.hold_if_at_block(&task.id) {
            self.tooling.tasks().was_listed(&task.id);
        }
    }

    /// Releases held subagents after an event of the stream, and waits for their first messages.
    pub(crate) async fn release_agents_and_wait(&mut self) {
        for id in self.release_agents() {
            // Their hooks run first and may take a while.
            timeout(LAUNCH_DELAY, self.tooling.tasks().has_spoken(&id)).await.ok();
        }
    }

    /// Releases all held subagents and returns their ids.
    pub(super) fn release_agents(&mut self) -> Vec<String> {
        let silent = self.agents.take_held();
        silent.iter().for_each(|id| self.tooling.tasks().was_listed(id));
        silent
    }
}
