//! The start of an agent's process: noted by the bridge, and shown by the log of the runner.

use sluice_host::conversation::{Exit, ProcessStatus, What};
use sluice_store::SessionRow;
use tokio::time::Instant;

use super::actor::{Actor, Greeting};

#[cfg(test)]
mod tests;

/// Whether the row of a session shows a process.
pub(crate) fn has_process(row: &SessionRow) -> bool {
    matches!(row.status.as_str(), "starting" | "idle")
}

impl Actor {
    /// The runner's log has the start of a process. Where the records have neither that it was to start nor that the
    /// one before it ended, as when they were damaged, both are added: a turn of the one before is over, and prompts it
    /// was sent are written again.
    pub(super) fn started(&mut self, at: i64, pid: Option<u32>) {
        if self.state_is_up() {
            let reason = "the runner of this session was ended, and the agent with it";
            self.end_process(at, Exit::default(), Some(reason.to_owned()), true);
        }
        if matches!(self.state.process(), ProcessStatus::Exited { .. }) {
            self.extra.reason = None;
            self.starting(at, self.row.provider_id.is_some() && self.has_spoken());
        }
        self.up(at, pid);
    }

    pub(super) fn starting(&mut self, at: i64, resumed: bool) {
        self.greeting = Greeting::Owed;
        self.step(at, What::Starting { resumed });
        self.keep_process(at, &serde_json::json!({"starting": {"resumed": resumed}}));
    }

    pub(super) fn up(&mut self, at: i64, pid: Option<u32>) {
        self.step(at, What::Up);
        self.keep_process(at, &serde_json::json!({"up": {"pid": pid}}));
        self.row.status = "idle".into();
        self.extra.branch = crate::worktree::branch(std::path::Path::new(&self.row.folder));
        self.dirty.row = true;
        self.idle_since = Instant::now();
    }
}
