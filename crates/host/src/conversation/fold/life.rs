//! Process and transport: start, exit, connection, loss, and time that passes.

use super::Fold;
use crate::conversation::{
    AskState, Change, Effect, End, Evidence, Exit, Failure, ProcessStatus, PromptState, RequestOutcome, Rung,
    TaskState, TransportStatus, activity,
};

impl Fold<'_> {
    pub(super) fn starting(&mut self, resumed: bool) {
        if matches!(self.state.process, ProcessStatus::Up { .. }) {
            // Nobody said that the one before ended; it did.
            self.exited(Exit::default());
        }
        self.state.process = ProcessStatus::Starting;
        self.state.epoch += 1;
        self.state.echoes = false;
        self.state.tells = false;
        if resumed {
            self.write_again();
        }
        self.change(Change::Process);
    }

    /// Nobody knows whether these prompts arrived. A process that resumes knows the uuids of those that did,
    /// and only repeats them; so they are written again, and its answer settles the question.
    fn write_again(&mut self) {
        for at in self.state.index.waiting.clone() {
            if let Some(prompt) = self.state.prompts.get_mut(at as usize) {
                prompt.again = prompt.marked && prompt.state == PromptState::Indeterminate;
            }
        }
    }

    pub(super) fn up(&mut self) {
        let since = self.state.now;
        self.state.process = ProcessStatus::Up { since };
        self.process_started();
        self.change(Change::Process);
    }

    /// The process is gone, and with it all that only it could have ended.
    pub(super) fn exited(&mut self, exit: Exit) {
        let at = self.state.now;
        self.state.process = ProcessStatus::Exited { exit, at };
        let respawn = self
            .state
            .interrupt
            .as_ref()
            .is_some_and(|it| it.rung >= Rung::Terminated);
        for ask in self.state.index.pending.clone() {
            self.settle(ask as usize, AskState::Expired, None);
        }
        if let Some(open) = self.state.index.open {
            self.close(open, End::Died(exit));
        }
        self.state.interrupt = None;
        self.state.held.clear();
        while let Some(parent) = self.state.drafts.first().map(|draft| draft.parent) {
            self.void(parent);
        }
        self.drop_all_calls();
        for task in 0..self.state.tasks.len() {
            if self.state.tasks.get(task).is_some_and(super::super::Task::is_open) {
                self.end_task(task, TaskState::Gone);
            }
        }
        for request in std::mem::take(&mut self.state.requests) {
            self.effects.push(Effect::Replied {
                request: request.id,
                reply: RequestOutcome::Died,
            });
        }
        for prompt in self.state.index.waiting.clone() {
            let prompt = prompt as usize;
            if self
                .state
                .prompts
                .get(prompt)
                .is_some_and(|it| it.state == PromptState::Sent)
            {
                self.set_prompt(prompt, PromptState::Indeterminate);
            }
        }
        self.process_ended(exit);
        self.change(Change::Process);
        if respawn && !self.state.closed {
            self.effects.push(Effect::Respawn);
        }
    }

    pub(super) fn transport(&mut self, transport: TransportStatus) {
        self.state.transport = transport;
        self.change(Change::Transport);
    }

    /// The way is open. Only now is it known which of the asks in old lines still wait.
    pub(super) fn connected(&mut self) {
        self.transport(TransportStatus::Connected);
        for ask in self.state.index.pending.clone() {
            self.tell_ask(ask as usize);
        }
    }

    /// No process will follow: what could still have become of anything will not.
    pub(super) fn closed(&mut self) {
        self.state.closed = true;
        if !matches!(self.state.process, ProcessStatus::Exited { .. }) {
            self.exited(Exit::default());
        }
        for prompt in self.state.index.waiting.clone() {
            let prompt = prompt as usize;
            let failure = match self.state.prompts.get(prompt).map(|it| it.state) {
                Some(PromptState::Queued) => Failure::Closed,
                _ => Failure::Lost,
            };
            self.set_prompt(prompt, PromptState::Failed(failure));
        }
    }

    /// What happens by itself because time went on.
    pub(super) fn time_passes(&mut self) {
        let now = self.state.now;
        if !self.state.requests.is_empty() {
            self.overdue();
        }
        self.climb();
        match self
            .state
            .index
            .open
            .and_then(|at| Some((at, self.state.turns.get(at)?)))
        {
            Some((at, turn)) => {
                let owed = turn.evidence == Evidence::SaidIdle && self.state.interrupt.is_none();
                if owed && now > activity::stalls_at(self.state, turn) {
                    // The agent says that it is done, and had the time to say how.
                    self.close(at, End::Unreported);
                }
            }
            // A callback of the host itself keeps the agent waiting.
            None if !self.state.index.pending.is_empty() => {}
            None => self.not_taken_up(),
        }
    }

    fn not_taken_up(&mut self) {
        for at in self.state.index.waiting.clone() {
            let at = at as usize;
            let Some(prompt) = self.state.prompts.get(at) else {
                continue;
            };
            let late = self.state.now > activity::uptake_ends(self.state, prompt.since);
            if prompt.state == PromptState::Sent && late {
                self.set_prompt(at, PromptState::Indeterminate);
            }
        }
    }
}
