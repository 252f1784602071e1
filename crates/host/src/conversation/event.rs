//! Events of a conversation: prompts, answers, lines of the agent, and news of its process and transport.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use sluice_wire::control::{Allow, CanUseToolResponse, ControlRequest, Deny, Interrupt, Request, RequestId};
use sluice_wire::stdin::User;
use sluice_wire::{Frame, Raw, ToAgent};

use super::line::frame_text;
use super::{Line, Time};
use crate::items::{NoticeKind, ProcessEnd, Sender};

/// An event of a conversation, and when it happened.
///
/// A conversation's log is its events in order; they can be written down and read back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ConversationEvent {
    /// When it happened.
    pub at: Time,
    /// What happened.
    pub what: What,
}

/// The kind of an event: something this side wants, a line of the protocol, or news of the process and the transport.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// A prompt is handed in. From here on it is accepted: it ends delivered or failed.
    Submit(Submit),
    /// A prompt that has not begun is taken back; `request` is the id a control request for it would get.
    Withdraw {
        /// The prompt's uuid.
        prompt: Box<str>,
        /// The id of the `cancel_async_message` that may become necessary.
        request: RequestId,
    },
    /// A prompt, by its uuid, certainly did not reach the process it was written to. It waits for the next one.
    NotWritten(Box<str>),
    /// Someone, or some callback, answered an ask.
    Answer(AskAnswer),
    /// This side asks the agent for something, an interrupt for example.
    Request(OwnRequest),
    /// The agent wrote a line.
    Said(#[serde(with = "frame_text")] Frame),
    /// The agent wrote something that is not a message.
    Garbled(Line),
    /// The host adds what no line of the agent contains.
    Noted(HostNote),
    /// A line to the agent, found in a log of its pipes: someone wrote it, this machine need not.
    Wrote(#[serde(with = "frame_text")] Frame),
    /// A process is about to be started; `resumed` says that it takes up the conversation there is.
    Starting {
        /// Whether it was told to resume.
        resumed: bool,
    },
    /// The process runs and its pipes are open.
    Up,
    /// The process is gone.
    Exited(Exit),
    /// Lines pass in both directions.
    Connected,
    /// Old lines are being read; what they ask may long be answered.
    CatchingUp,
    /// The way to the process is lost; the process may well live.
    Lost,
    /// No process will follow. What is still open ends now.
    Closed,
    /// Time passed.
    Tick,
}

/// Something that the host knows and that no line of the agent contains.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HostNote {
    /// Who sent a prompt.
    Prompt {
        /// The uuid of the prompt.
        prompt: Box<str>,
        /// Who sent it.
        sender: Sender,
    },
    /// Details of the answer to a permission request.
    Answer(AnswerNote),
    /// Why the last process ended.
    Exit(ProcessEnd),
    /// A notice.
    Notice {
        /// The kind of the notice.
        kind: NoticeKind,
        /// The text.
        text: String,
    },
    /// A message of another program that continued the conversation: an `assistant` or `user` line.
    Imported(#[serde(with = "frame_text")] Frame),
    /// The part of a text that had arrived when its process ended, from a log without streamed text.
    Unfinished {
        /// The call whose subagent wrote it.
        parent: Option<Box<str>>,
        /// Whether it is thinking.
        thinking: bool,
        /// The text.
        text: Box<str>,
    },
}

/// Details of the answer to a permission request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AnswerNote {
    /// The request.
    pub ask: RequestId,
    /// Who answered.
    pub sender: Option<Sender>,
    /// The comment of the sender.
    pub message: Option<String>,
    /// The rules that were saved with it, as in a settings file.
    pub rules: Vec<String>,
    /// Where these rules were saved.
    pub destination: Option<Box<str>>,
}

/// How a process ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
pub struct Exit {
    /// Its exit code, when it ended by itself.
    pub code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
}

/// A prompt as it will be written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Submit {
    /// The uuid it carries: fresh for every prompt, the same when the same prompt is handed in again.
    pub id: Box<str>,
    /// The line.
    pub line: Line,
}

impl Submit {
    /// `prompt` under the uuid `id`.
    pub fn new(id: impl Into<Box<str>>, mut prompt: User) -> Self {
        let id = id.into();
        prompt.uuid = Some(id.to_string());
        Self {
            id,
            line: ToAgent::from(prompt).into(),
        }
    }
}

/// The outcome an answer gives an ask.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AskVerdict {
    /// The call may run: the whole answer, or nothing for "as it was asked".
    Allow(Option<Raw>),
    /// The call may not run: the whole answer.
    Deny(Raw),
    /// What a hook, a server or a form gave back.
    Give(Raw),
    /// There is no answer; why.
    Refuse(Box<str>),
}

/// An answer to an ask.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AskAnswer {
    /// The ask's request id.
    pub ask: RequestId,
    /// What it says.
    pub verdict: AskVerdict,
    /// Who gave it, for others to see.
    pub by: Option<Box<str>>,
}

impl AskAnswer {
    /// Lets the call run as it was asked.
    pub fn allow(ask: RequestId) -> Self {
        Self::new(ask, AskVerdict::Allow(None))
    }

    /// Lets the call run, changed as `answer` says.
    pub fn allow_with(ask: RequestId, answer: Allow) -> Self {
        let answer = CanUseToolResponse::from(answer);
        Self::new(ask, AskVerdict::Allow(Some(Raw::of(&answer))))
    }

    /// Does not let the call run; `message` is what the model reads.
    pub fn deny(ask: RequestId, message: impl Into<String>) -> Self {
        Self::deny_with(
            ask,
            Deny {
                message: message.into(),
                ..Deny::default()
            },
        )
    }

    /// Does not let the call run, as `answer` says.
    pub fn deny_with(ask: RequestId, answer: Deny) -> Self {
        let answer = CanUseToolResponse::from(answer);
        Self::new(ask, AskVerdict::Deny(Raw::of(&answer)))
    }

    /// An answer that does not say who gave it.
    pub fn new(ask: RequestId, verdict: AskVerdict) -> Self {
        Self { ask, verdict, by: None }
    }
}

/// A control request of this side.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OwnRequest {
    /// Its id.
    pub id: RequestId,
    /// The line.
    pub line: Line,
    /// How long an answer may take; old agents never answer what they do not know.
    pub within: Option<Duration>,
}

impl OwnRequest {
    /// `request` under the id `id`.
    pub fn new(id: impl Into<RequestId>, request: impl Into<Request>) -> Self {
        let id = id.into();
        let request = ControlRequest::new(id.clone(), request);
        Self {
            id,
            line: ToAgent::from(request).into(),
            within: None,
        }
    }

    /// An interrupt.
    pub fn interrupt(id: impl Into<RequestId>) -> Self {
        Self::new(id, Interrupt::default())
    }
}

impl ConversationEvent {
    /// `what` at `at`.
    pub fn new(at: impl Into<Time>, what: What) -> Self {
        Self { at: at.into(), what }
    }

    /// A line the agent wrote.
    #[must_use]
    pub fn said(at: impl Into<Time>, frame: Frame) -> Self {
        Self::new(at, What::Said(frame))
    }

    /// A line the agent wrote, as text.
    #[must_use]
    pub fn line(at: impl Into<Time>, text: &str) -> Self {
        let what = match Frame::parse(text) {
            Ok(frame) => What::Said(frame),
            Err(_) => What::Garbled(text.into()),
        };
        Self::new(at, what)
    }

    /// Time passed.
    #[must_use]
    pub fn tick(at: impl Into<Time>) -> Self {
        Self::new(at, What::Tick)
    }
}
