//! The state of the running turn, and how it ended.

mod structured;

use std::time::Instant;

use serde_json::Value;
use sluice_call::Deferred;
use sluice_model::cost::Tokens;
use sluice_wire::stdout;

pub(crate) use structured::Structured;

/// The state of a turn.
#[derive(Debug)]
pub(crate) struct Turn {
    /// False for a turn that has ended; between turns the session keeps the last one.
    open: bool,
    /// The prompts that it answers.
    pub(crate) prompts: TurnPrompts,
    pub(crate) times: TurnTimes,
    /// Why the turn stops early.
    stop: Option<Stop>,
    /// The turn stops when the model's message is complete, or at this time.
    stop_by: Option<tokio::time::Instant>,
    /// Number of model requests.
    pub(crate) requests: u32,
    /// Number of `user` messages sent in this turn.
    pub(crate) frames: u32,
    pub(crate) tokens: Tokens,
    pub(crate) denials: Vec<Value>,
    /// The last text block of the last message.
    pub(crate) text: String,
    /// A text, and the text that is displayed instead.
    displayed: Option<(String, String)>,
    pub(crate) stop_reason: Option<String>,
    /// The stop reason of the previous response.
    pub(crate) last_stop: Option<String>,
    /// Number of times the model was prompted to continue, by reason.
    pub(crate) nudges: Nudges,
    /// Structured output.
    pub(crate) structured: Structured,
}

/// The prompts of a turn.
#[derive(Debug)]
pub(crate) struct TurnPrompts {
    /// UUIDs that the host specified.
    pub(crate) uuids: Vec<String>,
    /// The UUID that identifies the turn: that of its last initial prompt.
    pub(crate) uuid: Option<String>,
    /// UUIDs of prompts that joined later.
    pub(crate) folded: Vec<String>,
    /// The origin of a turn that was not started by a prompt.
    pub(crate) origin: Option<Value>,
    /// The echo of the prompt, sent before the first response.
    pub(crate) replay: Option<stdout::User>,
    /// True if the turn continues one that an earlier process did not finish.
    pub(crate) is_resumed: bool,
}

/// Points in time of a turn.
#[derive(Debug)]
pub(crate) struct TurnTimes {
    pub(crate) began: Instant,
    pub(crate) first_request: Option<Instant>,
    /// Time of the first event of a response.
    pub(crate) first_token: Option<Instant>,
    /// Start of the first content block.
    pub(crate) first_block: Option<Instant>,
}

/// Number of times a turn prompted the model to continue without a tool call or prompt in between. Each is limited, so
/// that a turn always ends.
#[derive(Debug, Default)]
pub(crate) struct Nudges {
    pub(crate) silent: u32,
    pub(crate) truncated: u32,
    pub(crate) refused: u32,
    pub(crate) cut: u32,
    /// Continuations because the goal is not met.
    pub(crate) goal: u32,
}

impl Turn {
    /// Creates a closed turn.
    pub(crate) fn none() -> Self {
        Self {
            open: false,
            ..Self::new(Vec::new(), None)
        }
    }

    pub(crate) fn new(uuids: Vec<String>, origin: Option<Value>) -> Self {
        Self {
            open: true,
            prompts: TurnPrompts {
                uuid: uuids.last().cloned(),
                uuids,
                folded: Vec::new(),
                origin,
                replay: None,
                is_resumed: false,
            },
            times: TurnTimes {
                began: Instant::now(),
                first_request: None,
                first_token: None,
                first_block: None,
            },
            stop: None,
            stop_by: None,
            requests: 0,
            frames: 0,
            tokens: Tokens::default(),
            denials: Vec::new(),
            text: String::new(),
            displayed: None,
            stop_reason: None,
            last_stop: None,
            nudges: Nudges::default(),
            structured: Structured::default(),
        }
    }

    pub(crate) fn is_open(&self) -> bool {
        self.open
    }

    /// Closes the turn. The stop reason is kept, because it may apply beyond this turn.
    pub(crate) fn close(&mut self) {
        self.open = false;
    }

    /// Why the turn stops early, if it does.
    pub(crate) fn stop(&self) -> Option<Stop> {
        self.stop
    }

    /// Stops the turn early.
    pub(crate) fn stop_with(&mut self, stop: Stop) {
        self.stop = Some(stop);
    }

    /// Stops the turn early, unless it is stopping already.
    pub(crate) fn stop_unless_stopping(&mut self, stop: Stop) {
        self.stop.get_or_insert(stop);
    }

    /// The latest time to stop if the model's message is not complete by then.
    pub(crate) fn stops_by(&self) -> Option<tokio::time::Instant> {
        self.stop_by
    }

    /// Stops the turn when the model's message is complete, or at `deadline`.
    pub(crate) fn stop_by(&mut self, deadline: tokio::time::Instant) {
        self.stop_by = Some(deadline);
    }

    /// Returns true if the turn should stop now that the message is complete, and clears the deadline.
    pub(crate) fn take_stop_by(&mut self) -> bool {
        self.stop_by.take().is_some()
    }

    /// Clears the stop reason.
    pub(crate) fn clear_stop(&mut self) {
        self.stop = None;
        self.stop_by = None;
    }

    /// All UUIDs of the turn, those that joined later last.
    pub(crate) fn all_uuids(&self) -> Option<Vec<String>> {
        let all: Vec<String> = self.prompts.uuids.iter().chain(&self.prompts.folded).cloned().collect();
        (!all.is_empty()).then_some(all)
    }

    /// The prompts that a response belongs to. Once prompts have joined a turn that started with prompts, the
    /// assignment is ambiguous and `None` is returned.
    pub(crate) fn named(&self) -> Option<(String, Vec<String>)> {
        let uuids = match (self.prompts.uuids.is_empty(), self.prompts.folded.is_empty()) {
            (false, true) => &self.prompts.uuids,
            (true, false) => &self.prompts.folded,
            _ => return None,
        };
        Some((uuids.last()?.clone(), uuids.clone()))
    }

    /// The `resume_reason` of its messages.
    pub(crate) fn resume_reason(&self) -> Option<String> {
        self.prompts.is_resumed.then(|| "interrupted_turn".to_owned())
    }

    /// Stores the text that is displayed instead of the last text.
    pub(crate) fn display(&mut self, shown: &str) {
        self.displayed = Some((self.text.clone(), shown.to_owned()));
    }

    /// The last text as displayed.
    pub(crate) fn shown(&self) -> &str {
        match &self.displayed {
            Some((text, shown)) if *text == self.text => shown,
            _ => &self.text,
        }
    }

    /// Number of responses that the safety system of the provider stopped.
    pub(crate) fn safety_stops(&self) -> u64 {
        u64::from(self.nudges.refused) + u64::from(self.stop_reason.as_deref() == Some("refusal"))
    }

    /// `num_turns` as the protocol counts it.
    pub(crate) fn num_turns(&self) -> u64 {
        1 + u64::from(self.frames)
    }

    /// Adds the usage of a message.
    pub(crate) fn spend(&mut self, usage: &Value) {
        self.tokens = self.tokens.plus(&Tokens::read(usage));
    }
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Ending {
    /// The model finished.
    Completed,
    /// The prompts were only recorded.
    Recorded,
    /// A command ran without the model.
    Local { command: Option<String>, text: String },
    /// The model provided structured output.
    Structured(Value),
    /// The model provided invalid structured output too often.
    Unstructured { attempts: u32, last: String },
    /// The turn was interrupted. `tools`: while tools ran.
    Interrupted { tools: bool },
    /// A more urgent prompt replaced it.
    Superseded { tools: bool },
    /// It reached the maximum number of model requests.
    MaxTurns(u32),
    /// The session reached its budget.
    Budget(f64),
    /// Hooks blocked the prompt, with this message.
    Blocked(String),
    /// A hook ended the turn; the value is the `terminal_reason`.
    HookStopped(&'static str),
    /// A hook deferred its tool call.
    Deferred(Deferred),
    /// The tool of a deferred call no longer exists.
    DeferredUnavailable(String),
    /// The model request failed.
    Api(ApiEnding),
}

/// The final failure of a model request.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct ApiEnding {
    pub(crate) text: String,
    /// The `terminal_reason` of the protocol.
    pub(crate) reason: &'static str,
    pub(crate) status: Option<u16>,
    pub(crate) kind: Option<String>,
    /// The wire's `api_error`.
    pub(crate) error: Option<&'static str>,
}

/// Why the running turn stops early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stop {
    /// An interrupt of the host.
    Interrupt,
    /// A prompt with priority `now`.
    Supersede,
    /// An error of the session. The conversation contains no notice of an interrupt.
    Fail,
    /// The process exits.
    Leave,
}
