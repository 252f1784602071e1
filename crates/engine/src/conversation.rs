//! The conversation: what the model is shown, what is kept of it, and what it was reminded of.

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
use crate::recall::Recall;

pub(crate) use goal::{Assessment, Goal};

/// What the model is shown, and what is kept of it.
pub(crate) struct Conversation {
    pub(crate) history: History,
    pub(crate) transcript: Transcript,
    pub(crate) compactions: Compactions,
    /// What the model works towards.
    pub(crate) goal: Option<Goal>,
    /// The conversation before it, while it is being read.
    recall: Option<Recall>,
    /// The system prompt: made once, since its bytes must not change.
    system: Option<Vec<Value>>,
    /// The system prompt that was written down, to be sent until the conversation begins anew.
    recorded: Option<Recorded>,
    /// What files bring with them when they are touched.
    nearby: Nearby,
    reminded_of_plan: bool,
    reminded_of_memory: bool,
    /// The mode to go back to when a plan is done.
    before_plan: Option<PermissionMode>,
}

/// What a session knows about its compactions.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Compactions {
    pub(crate) gauge: Gauge,
    pub(crate) tries: Tries,
    /// Tokens they made room for, all together.
    pub(crate) dropped: u64,
}

/// A system prompt that was written down.
struct Recorded {
    blocks: Vec<Value>,
    /// Whether it stands in the file of this session: that of a fork does not have it yet.
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

    /// Nothing was said: what was said once at the beginning is gone with it.
    pub(crate) fn clear(&mut self) {
        self.history = History::default();
        self.goal = None;
        self.reminded_of_memory = false;
        self.reminded_of_plan = false;
    }

    /// The system prompt, made by `make` unless one was made or, where `keep`, written down.
    pub(crate) fn system(&mut self, keep: bool, make: impl FnOnce() -> Vec<Value>) -> &Vec<Value> {
        let recorded = self.recorded.as_ref().filter(|_| keep);
        self.system
            .get_or_insert_with(|| recorded.map_or_else(make, |recorded| recorded.blocks.clone()))
    }

    /// The system prompt is made anew, or taken from what was written down.
    pub(crate) fn remake_system(&mut self) {
        self.system = None;
    }

    /// The system prompt is made anew, whatever was written down.
    pub(crate) fn forget_system(&mut self) {
        self.system = None;
        self.recorded = None;
    }

    /// This system prompt was written down: whether in the file of this session.
    pub(crate) fn record_system(&mut self, blocks: Vec<Value>, here: bool) {
        self.recorded = Some(Recorded { blocks, here });
    }

    /// Whether the system prompt stands in the file of this session.
    pub(crate) fn system_is_recorded(&self) -> bool {
        self.recorded.as_ref().is_some_and(|recorded| recorded.here)
    }

    /// The conversation before this one is being read.
    pub(crate) fn await_recall(&mut self, recall: Option<Recall>) {
        self.recall = recall;
    }

    pub(crate) fn take_recall(&mut self) -> Option<Recall> {
        self.recall.take()
    }

    pub(crate) fn is_recalling(&self) -> bool {
        self.recall.is_some()
    }

    /// What touching a file brings.
    pub(crate) fn nearby(&mut self) -> &mut Nearby {
        &mut self.nearby
    }

    /// Whether the model was told its memory files.
    pub(crate) fn knows_memory(&self) -> bool {
        self.reminded_of_memory
    }

    /// Whether the model knows its memory files; gives whether it did before.
    pub(crate) fn set_knows_memory(&mut self, known: bool) -> bool {
        std::mem::replace(&mut self.reminded_of_memory, known)
    }

    /// Whether the model knows that it is to plan; gives whether it did before.
    pub(crate) fn set_knows_plan(&mut self, planning: bool) -> bool {
        std::mem::replace(&mut self.reminded_of_plan, planning)
    }

    /// A plan begins: the mode to go back to when it is done.
    pub(crate) fn begin_plan(&mut self, before: PermissionMode) {
        self.before_plan = Some(before);
    }

    /// The plan is done: the mode to go back to.
    pub(crate) fn end_plan(&mut self) -> PermissionMode {
        let before = self.before_plan.take().filter(|mode| *mode != PermissionMode::Plan);
        before.unwrap_or_default()
    }
}
