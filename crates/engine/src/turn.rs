//! What is known of the turn that is running, and how it ended.

mod structured;

use std::time::Instant;

use serde_json::Value;
use sluice_call::Deferred;
use sluice_model::cost::Tokens;
use sluice_wire::stdout;

pub(crate) use structured::Structured;

/// From one prompt to its `result`.
#[derive(Debug)]
pub(crate) struct Turn {
    /// Whether a turn is running at all; a session at rest holds a closed one.
    open: bool,
    /// The prompts it answers.
    pub(crate) prompts: TurnPrompts,
    pub(crate) times: TurnTimes,
    /// What ends it before its time.
    stop: Option<Stop>,
    /// It stops when the model has finished its message, or then.
    stop_by: Option<tokio::time::Instant>,
    /// Model requests made.
    pub(crate) requests: u32,
    /// `user` frames emitted inside the turn.
    pub(crate) frames: u32,
    pub(crate) tokens: Tokens,
    pub(crate) denials: Vec<Value>,
    /// The last text block of the last message.
    pub(crate) text: String,
    /// A text, and what was shown in its place.
    displayed: Option<(String, String)>,
    pub(crate) stop_reason: Option<String>,
    /// Why the last message that came to its end did.
    pub(crate) last_stop: Option<String>,
    /// How often the model was asked again, by reason.
    pub(crate) nudges: Nudges,
    /// Answers in the shape the host asked for.
    pub(crate) structured: Structured,
}

/// The prompts a turn answers.
#[derive(Debug)]
pub(crate) struct TurnPrompts {
    /// The host's uuids of them.
    pub(crate) uuids: Vec<String>,
    /// The one the turn is known by: that of its last prompt at the start.
    pub(crate) uuid: Option<String>,
    /// Uuids of prompts that joined later.
    pub(crate) folded: Vec<String>,
    /// Whose turn it is, if not a prompt's.
    pub(crate) origin: Option<Value>,
    /// The echo of the prompt, owed before the model's first answer.
    pub(crate) replay: Option<stdout::User>,
    /// True if the turn continues one that an earlier process did not finish.
    pub(crate) is_resumed: bool,
}

/// When things happened in a turn.
#[derive(Debug)]
pub(crate) struct TurnTimes {
    pub(crate) began: Instant,
    pub(crate) first_request: Option<Instant>,
    /// When the model first answered anything.
    pub(crate) first_token: Option<Instant>,
    /// When its first block began.
    pub(crate) first_block: Option<Instant>,
}

/// How often a turn asked the model again without a tool or a prompt in between. Each has its
/// bound, since a model that always answers so would otherwise never end.
#[derive(Debug, Default)]
pub(crate) struct Nudges {
    pub(crate) silent: u32,
    pub(crate) truncated: u32,
    pub(crate) refused: u32,
    pub(crate) cut: u32,
    /// Continuations for a goal that is not met.
    pub(crate) goal: u32,
}

impl Turn {
    /// No turn.
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

    /// Whether a turn is running at all.
    pub(crate) fn is_open(&self) -> bool {
        self.open
    }

    /// The turn has ended. What stopped it stays known: it may have to stop more than this turn.
    pub(crate) fn close(&mut self) {
        self.open = false;
    }

    /// What ends it before its time, once something does.
    pub(crate) fn stop(&self) -> Option<Stop> {
        self.stop
    }

    /// Something ends it before its time.
    pub(crate) fn stop_with(&mut self, stop: Stop) {
        self.stop = Some(stop);
    }

    /// The same, unless something else does already.
    pub(crate) fn stop_unless_stopping(&mut self, stop: Stop) {
        self.stop.get_or_insert(stop);
    }

    /// When it stops, if the model has not finished its message by then.
    pub(crate) fn stops_by(&self) -> Option<tokio::time::Instant> {
        self.stop_by
    }

    /// It stops when the model has finished its message, or then.
    pub(crate) fn stop_by(&mut self, deadline: tokio::time::Instant) {
        self.stop_by = Some(deadline);
    }

    /// The model has finished its message: whether the turn was to stop then.
    pub(crate) fn take_stop_by(&mut self) -> bool {
        self.stop_by.take().is_some()
    }

    /// Nothing stops it.
    pub(crate) fn go_on(&mut self) {
        self.stop = None;
        self.stop_by = None;
    }

    /// Every uuid the turn answers, those that joined later last.
    pub(crate) fn all_uuids(&self) -> Option<Vec<String>> {
        let all: Vec<String> = self.prompts.uuids.iter().chain(&self.prompts.folded).cloned().collect();
        (!all.is_empty()).then_some(all)
    }

    /// The prompts its answers are about. Those that joined later are not what the first answers are about, so once one
    /// has joined others, none is named.
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

    /// The last text was shown otherwise.
    pub(crate) fn display(&mut self, shown: &str) {
        self.displayed = Some((self.text.clone(), shown.to_owned()));
    }

    /// The last text as it was shown.
    pub(crate) fn shown(&self) -> &str {
        match &self.displayed {
            Some((text, shown)) if *text == self.text => shown,
            _ => &self.text,
        }
    }

    /// Answers the provider stopped.
    pub(crate) fn safety_stops(&self) -> u64 {
        u64::from(self.nudges.refused) + u64::from(self.stop_reason.as_deref() == Some("refusal"))
    }

    /// `num_turns` as the wire counts it.
    pub(crate) fn num_turns(&self) -> u64 {
        1 + u64::from(self.frames)
    }

    /// Adds one message's usage to the turn's.
    pub(crate) fn spend(&mut self, usage: &Value) {
        self.tokens = self.tokens.plus(&Tokens::read(usage));
    }
}

/// Why a turn is over.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Ending {
    /// The model had nothing more to say.
    Completed,
    /// Its prompts were only to be remembered.
    Kept,
    /// A command was answered without the model.
    Local { command: Option<String>, text: String },
    /// It gave the answer in the shape the host asked for.
    Structured(Value),
    /// It gave answers of the wrong shape only, so often that it is not asked again.
    Unstructured { attempts: u32, last: String },
    /// Someone interrupted it, while the model spoke or while tools ran.
    Interrupted { tools: bool },
    /// A more urgent prompt took its place.
    Superseded { tools: bool },
    /// It made as many model requests as it may.
    MaxTurns(u32),
    /// The session has cost what it may.
    Budget(f64),
    /// Hooks refused the prompt; this is said instead of an answer.
    Blocked(String),
    /// A hook ended it; the wire's `terminal_reason`.
    HookStopped(&'static str),
    /// A hook has put its call off.
    Deferred(Deferred),
    /// The call an earlier turn has put off cannot be made: there is no such tool any more.
    PutOffGone(String),
    /// The model could not be reached or refused.
    Api(ApiEnding),
}

/// How a model request finally failed, as hosts are told.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct ApiEnding {
    pub(crate) text: String,
    /// The wire's `terminal_reason`.
    pub(crate) reason: &'static str,
    pub(crate) status: Option<u16>,
    pub(crate) kind: Option<String>,
    /// The wire's `api_error`.
    pub(crate) error: Option<&'static str>,
}

/// What makes the running turn end before its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The host interrupts.
    Interrupt,
    /// A prompt that wants to run now.
    Supersede,
    /// The session cannot continue. Nobody interrupted it, so the conversation contains no notice of an interrupt.
    Fail,
    /// The process has to go.
    Leave,
}
