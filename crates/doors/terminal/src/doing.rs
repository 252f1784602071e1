//! Carries out acts, each in a separate task, so that keys are handled while the agent works.

mod diff;
mod forms;
mod lists;
mod outside;
mod past;
mod plugins;
mod shell;
mod turn;

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use sluice_host::Client;
use tokio::sync::mpsc;

use crate::app::{Act, Told};
use crate::facts::Facts;
pub(crate) use forms::Forms;
pub(crate) use outside::branch;
pub(crate) use shell::Shells;

/// Timeout for the reply to a dialog's request; the dialog then shows an error.
const PATIENCE: Duration = Duration::from_secs(5);

/// Carries out acts.
#[derive(Debug, Clone)]
pub(crate) struct Doer {
    pub(crate) client: Client,
    pub(crate) told: mpsc::UnboundedSender<Told>,
    pub(crate) forms: Forms,
    pub(crate) facts: Arc<Facts>,
    pub(crate) shells: Shells,
    /// Number of searches started in sessions; a newer one cancels the older.
    pub(crate) searches: Arc<AtomicU64>,
}

impl Doer {
    /// Carries out acts that need the agent or the disk; the main loop handles the others.
    pub(crate) fn begin(&self, act: Act) {
        let doer = self.clone();
        tokio::spawn(async move {
            if let Err(why) = doer.run(act).await {
                doer.told.send(Told::Notice(why)).ok();
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
            self.told.send(told).ok();
        }
        Ok(())
    }
}

fn said(error: impl std::fmt::Display) -> String {
    error.to_string()
}
