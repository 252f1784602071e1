//! The conversation: history for the model, transcript, and reminders.

mod goal;

use serde_json::Value;
use sluice_model::compaction::Tries;
use sluice_model::measure::Gauge;
use sluice_permission::PermissionMode;
use sluice_transcript::Transcript;

use crate::history::History;
use crate::memory::Nearby;
use crate::messages;
use crate::options::Options;
use crate::recall::EarlierConversation;

pub(crate) use goal::{Assessment, Goal};

pub(crate) struct Conversation {
    pub(crate) history: History,
    pub(crate) transcript: Transcript,
    pub(crate) compactions: Compactions,
    pub(crate) goal: Option<Goal>,
    /// The earlier conversation, while it is being loaded.
    recall: Option<EarlierConversation>,
    /// The system prompt. It is created once, because its bytes must not change.
    system: Option<Vec<Value>>,
    /// The system prompt from the transcript, used until the conversation is reset.
    recorded: Option<Recorded>,
    /// Memory files and skills that are loaded when files near them are accessed.
    nearby: Nearby,
    /// Whether the model knows that plan mode is active.
    reminded_of_plan: bool,
    /// Whether the model has received the memory files.
    reminded_of_memory: bool,
    /// The mode to restore after plan mode.
    before_plan: Option<PermissionMode>,
}

/// State of compaction.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Compactions {
    pub(crate) gauge: Gauge,
    pub(crate) tries: Tries,
    /// Number of tokens removed by all compactions.
    pub(crate) dropped: u64,
}

/// A system prompt from a transcript.
struct Recorded {
    blocks: Vec<Value>,
    /// Whether the transcript of this session contains it. The transcript of a fork does not yet.
    here: bool,
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
            goal: None,
            nearby: Nearby::default(),
            reminded_of_plan: false,
            reminded_of_memory: false,
            before_plan: None,
        }
    }

    /// Clears the history, the goal and the reminders.
    pub(crate) fn clear(&mut self) {
        self.history = History::default();
        self.goal = None;
        self.reminded_of_memory = false;
        self.reminded_of_plan = false;
    }

    /// Returns the system prompt. If there is none yet, it is taken from the transcript (if `keep`) or created by
    /// `make`.
    pub(crate) fn system(&mut self, keep: bool, make: impl FnOnce() -> Vec<Value>) -> &Vec<Value> {
        let recorded = self.recorded.as_ref().filter(|_| keep);
        self.system
            .get_or_insert_with(|| recorded.map_or_else(make, |recorded| recorded.blocks.clone()))
    }

    /// Clears the system prompt. The next one is created again or taken from the transcript.
    pub(crate) fn remake_system(&mut self) {
        self.system = None;
    }

    /// Clears the system prompt, also the one from the transcript.
    pub(crate) fn forget_system(&mut self) {
        self.system = None;
        self.recorded = None;
    }

    /// Stores the system prompt from a transcript. `here`: it is the transcript of this session.
    pub(crate) fn record_system(&mut self, blocks: Vec<Value>, here: bool) {
        self.recorded = Some(Recorded { blocks, here });
    }

    /// True if the transcript of this session contains the system prompt.
    pub(crate) fn system_is_recorded(&self) -> bool {
        self.recorded.as_ref().is_some_and(|recorded| recorded.here)
    }

    /// Sets the earlier conversation that is being loaded.
    pub(crate) fn set_loading(&mut self, recall: Option<EarlierConversation>) {
        self.recall = recall;
    }

    pub(crate) fn take_recall(&mut self) -> Option<EarlierConversation> {
        self.recall.take()
    }

    pub(crate) fn is_loading(&self) -> bool {
        self.recall.is_some()
    }

    /// Memory files and skills that are loaded when files near them are accessed.
    pub(crate) fn nearby(&mut self) -> &mut Nearby {
        &mut self.nearby
    }

    /// True if the model has received the memory files.
    pub(crate) fn knows_memory(&self) -> bool {
        self.reminded_of_memory
    }

    /// Sets whether the model has received the memory files. Returns the previous value.
    pub(crate) fn set_knows_memory(&mut self, known: bool) -> bool {
        std::mem::replace(&mut self.reminded_of_memory, known)
    }

    /// Sets whether the model knows that plan mode is active. Returns the previous value.
    pub(crate) fn set_knows_plan(&mut self, planning: bool) -> bool {
        std::mem::replace(&mut self.reminded_of_plan, planning)
    }

    /// Starts plan mode and stores the mode to restore.
    pub(crate) fn begin_plan(&mut self, before: PermissionMode) {
        self.before_plan = Some(before);
    }

    /// Ends plan mode. Returns the mode to restore.
    pub(crate) fn end_plan(&mut self) -> PermissionMode {
        let before = self.before_plan.take().filter(|mode| *mode != PermissionMode::Plan);
        before.unwrap_or_default()
    }
}
