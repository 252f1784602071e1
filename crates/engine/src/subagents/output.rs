//! Output of a subagent: through the relay to the host, and into its journal.

use std::fs::File;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use sluice_tools::ToolEvent;
use sluice_transcript::private;
use sluice_wire::ToHost;
use sluice_wire::content::Block;
use tokio::sync::mpsc;

use crate::agents::relay::Relay;
use crate::agents::shared::SharedAgents;
use crate::out::OutputFilter;
use crate::port::Input;

/// Output filter for the messages of a subagent.
#[derive(Debug, Clone)]
pub(crate) struct SubagentOutput {
    pub(crate) relay: Arc<Relay>,
    pub(crate) shared: Arc<SharedAgents>,
    pub(crate) inbox: mpsc::Sender<Vec<Input>>,
    pub(crate) top: mpsc::Sender<ToolEvent>,
    pub(crate) journal: Arc<Journal>,
}

impl OutputFilter for SubagentOutput {
    fn filter_message(&self, message: ToHost) -> Vec<ToHost> {
        if let (ToHost::Assistant(frame), false) = (&message, self.relay.is_silent()) {
            frame.message.content.iter().for_each(|block| self.note(block));
        }
        let mut messages = self.relay.pass(message);
        messages.retain(|message| {
            let open = match message {
                ToHost::ControlRequest(request) => {
                    self.shared.register_ask(request, &self.inbox);
                    true
                }
                // Only requests that are still open are withdrawn.
                ToHost::ControlCancelRequest(cancel) => {
                    let asked = cancel.request_id.as_str().and_then(|id| self.shared.take_ask(id));
                    asked.is_some()
                }
                _ => return true,
            };
            // If the channel is full, the session checks for open requests later.
            self.top.try_send(ToolEvent::AgentWaits).ok();
            open
        });
        messages
    }
}

impl SubagentOutput {
    /// Writes a block to the journal.
    fn note(&self, block: &Block) {
        match block {
            Block::Text(text) => self.journal.write(&text.text),
            Block::ToolUse(call) => {
                let doing = self.relay.activity(&call.name, &call.input.to_value());
                self.journal.write(&format!("[{doing}]"));
            }
            _ => {}
        }
    }
}

/// The activity of a subagent as text, in its output file.
#[derive(Debug)]
pub(crate) struct Journal {
    path: PathBuf,
    file: Mutex<Option<File>>,
}

impl Journal {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self {
            path,
            file: Mutex::default(),
        }
    }

    /// Appends a line. Errors are ignored.
    pub(crate) fn write(&self, line: &str) {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        if file.is_none() {
            *file = private::append(&self.path).ok();
        }
        if let Some(file) = file.as_mut() {
            writeln!(file, "{line}").ok();
        }
    }
}
