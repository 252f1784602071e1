//! Carries out acts, each in a separate task, so that keys are handled while the agent works.

mod diff;
mod forms;
mod lists;
mod local;
mod plugins;
mod shell;
mod transcripts;
mod turn;

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use sluice_host::Client;
use tokio::sync::mpsc;

use crate::app::{Act, ActOutcome};
use crate::facts::Facts;
pub(crate) use forms::Forms;
pub(crate) use local::branch;
pub(crate) use shell::Shells;

/// Timeout for the reply to a dialog's request; the dialog then shows an error.
const REPLY_TIMEOUT: Duration = Duration::from_secs(5);

/// Carries out acts.
#[derive(Debug, Clone)]
pub(crate) struct Executor {
    pub(crate) client: Client,
    pub(crate) outcomes: mpsc::UnboundedSender<ActOutcome>,
    pub(crate) forms: Forms,
    pub(crate) facts: Arc<Facts>,
    pub(crate) shells: Shells,
    /// Number of searches started in sessions; a newer one cancels the older.
    pub(crate) searches: Arc<AtomicU64>,
}

impl Executor {
    /// Carries out acts that need the agent or the disk; the main loop handles the others.
    pub(crate) fn begin(&self, act: Act) {
        let executor = self.clone();
        tokio::spawn(async move {
            if let Err(why) = executor.run(act).await {
                executor.outcomes.send(ActOutcome::Notice(why)).ok();
            }
        });
    }

    async fn run(&self, act: Act) -> Result<(), String> {
        let told = match act {
            Act::Send { .. }
            | Act::Withdraw(_)
            | Act::Interrupt { .. }
            | Act::Answer { .. }
            | Act::Fill { .. }
            | Act::SetMode(_)
            | Act::SetModel(_)
            | Act::Aside(_)
            | Act::Thinking(_)
            | Act::StopTask(_)
            | Act::TaskOutput(_)
            | Act::TaskSize(_)
            | Act::CallOutput { .. }
            | Act::Tell(_)
            | Act::Background => self.turn(act).await?,
            Act::Sessions { .. }
            | Act::FindSessions { .. }
            | Act::ReadSession { .. }
            | Act::RenameSession { .. }
            | Act::Changes { .. }
            | Act::Summarise { .. }
            | Act::Transcript
            | Act::Points
            | Act::RewindFiles { .. }
            | Act::Reprint(_)
            | Act::Rename(_)
            | Act::Export(_) => self.past(act).await?,
            Act::Note { .. }
            | Act::PasteImage
            | Act::StatusLine { .. }
            | Act::Shell { .. }
            | Act::StopShells
            | Act::Open(_)
            | Act::Branch => self.outside(act).await?,
            Act::Plugin(act) => self.plugin(act).await?,
            act => self.lists(act).await?,
        };
        if let Some(told) = told {
            self.outcomes.send(told).ok();
        }
        Ok(())
    }
}

fn error_text(error: impl std::fmt::Display) -> String {
    error.to_string()
}
