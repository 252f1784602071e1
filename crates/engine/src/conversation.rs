//! The conversation: what the model is shown, what is kept of it, and what it was reminded of.

use serde_json::Value;
use sluice_permission::PermissionMode;
use sluice_transcript::Transcript;

use crate::compact_limits::Compactions;
use crate::history::History;
use crate::memory::Nearby;
use crate::messages;
use crate::options::Options;
use crate::recall::Recall;

/// What the model is shown, and what is kept of it.
pub(crate) struct Conversation {
    pub(crate) history: History,
    /// The conversation before it, while it is being read.
    pub(crate) recall: Option<Recall>,
    /// What stands before the conversation: made once, since its bytes must not change.
    pub(crate) system: Option<Vec<Value>>,
    /// What of that was written down, to be sent until the conversation begins anew.
    pub(crate) recorded: Option<Recorded>,
    pub(crate) transcript: Transcript,
    pub(crate) compactions: Compactions,
    /// What files bring with them when they are touched.
    pub(crate) nearby: Nearby,
    pub(crate) reminded_of_plan: bool,
    pub(crate) reminded_of_memory: bool,
    /// The mode to go back to when a plan is done.
    pub(crate) before_plan: Option<PermissionMode>,
}

/// A system prompt that was written down.
pub(crate) struct Recorded {
    pub(crate) blocks: Vec<Value>,
    /// Whether it stands in the file of this session: that of a fork does not have it yet.
    pub(crate) here: bool,
}

impl Conversation {
    pub(crate) fn new(options: &Options) -> Self {
        Self {
            history: History::default(),
            recall: None,
            system: None,
            recorded: None,
            transcript: options.transcript(messages::PROTOCOL_VERSION),
            compactions: Compactions::default(),
            nearby: Nearby::default(),
            reminded_of_plan: false,
            reminded_of_memory: false,
            before_plan: None,
        }
    }

    /// What stands before it is made anew, whatever was written down.
    pub(crate) fn forget_system(&mut self) {
        self.system = None;
        self.recorded = None;
    }
}
