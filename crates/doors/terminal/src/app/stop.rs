//! Keys that stop the turn, background work or the program.

use super::{Act, App, Now};
use crate::view::amount;
use crate::view::snapshot::Phase;

/// Time within which a second escape counts as pressed twice, in milliseconds.
const TWICE_ESCAPE: Now = 800;
/// Time within which a second key that leaves or stops agents confirms the first, in milliseconds.
const TWICE_LEAVE: Now = 2000;

impl App {
    /// Stops all background subagents after a second key press.
    pub(super) fn kill_agents(&mut self, now: Now) {
        let agents = self.snapshot.jobs.iter().filter(|job| &*job.kind == "local_agent");
        let ids: Vec<String> = agents.map(|job| job.id.to_string()).collect();
        if ids.is_empty() {
            self.notify("no agents run in the background", now);
        } else if now.saturating_sub(self.last_kill) <= TWICE_LEAVE {
            self.acts.extend(ids.into_iter().map(Act::StopTask));
        } else {
            self.last_kill = now;
            let agents = amount::count(ids.len() as u64, "agent");
            self.notify(format!("ctrl+x ctrl+k again stops {agents}"), now);
        }
    }

    /// Returns the prompt to the composer if the agent has not reacted to it yet. Returns true if it did so.
    fn restore_prompt(&mut self, now: Now) -> bool {
        let Some((at, _, text)) = self.sent.take() else {
            return false;
        };
        if now.saturating_sub(at) > 1000 || !self.editor.is_empty() {
            return false;
        }
        self.editor.set(&text);
        true
    }

    fn stop(&mut self, all: bool, now: Now) {
        self.last_stop = now;
        self.restore_prompt(now);
        self.stopped_turn = true;
        self.acts.push(Act::Interrupt { all });
    }

    pub(super) fn escape(&mut self, now: Now) {
        if self.stop_shells() {
            self.last_stop = now;
            return;
        }
        let busy = self.snapshot.is_busy()
            || self
                .sent
                .as_ref()
                .is_some_and(|(at, ..)| now.saturating_sub(*at) <= 1000);
        if busy {
            if !matches!(self.snapshot.phase, Phase::Stopping(_)) {
                self.stop(false, now);
            }
            return;
        }
        let twice = now.saturating_sub(self.last_escape) <= TWICE_ESCAPE;
        self.last_escape = now;
        if self.editor.is_empty() {
            // An escape right after a stop was meant for the turn.
            if twice && now.saturating_sub(self.last_stop) > 1000 {
                self.acts.push(Act::Points);
            }
            return;
        }
        if twice {
            let text = self.editor.take();
            self.remember(&text, now);
        } else {
            self.notify("esc again clears the draft", now);
        }
    }

    pub(super) fn interrupt_key(&mut self, now: Now) {
        if !self.editor.is_empty() {
            let text = self.editor.take();
            self.remember(&text, now);
            self.popup = None;
            return;
        }
        if self.stop_shells() {
            return;
        }
        let stopping = matches!(self.snapshot.phase, Phase::Stopping(since) if since.as_secs() >= 3);
        if self.snapshot.is_busy() && !stopping {
            // Queued prompts return to the composer.
            let queue: Vec<String> = self.snapshot.queue.iter().map(|(_, text)| text.clone()).collect();
            let withdrawn = self.snapshot.queue.iter().map(|(uuid, _)| Act::Withdraw(uuid.clone()));
            self.acts.extend(withdrawn);
            if !queue.is_empty() {
                self.editor.set(&queue.join("\n\n"));
            }
            self.stop(true, now);
            return;
        }
        self.leave_key("ctrl+c", now);
    }

    pub(super) fn leave_key(&mut self, name: &str, now: Now) {
        if now.saturating_sub(self.last_leave) <= TWICE_LEAVE {
            self.leave(0);
        } else {
            self.last_leave = now;
            self.notify(format!("press {name} again to exit"), now);
        }
    }
}
