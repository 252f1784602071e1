//! Hooks that ran beside the session and are done, and who waits for that.

use std::path::PathBuf;

use sluice_hooks::{Consultation, Event, Late, Merged};
use sluice_settings::Settings;
use sluice_wire::control::RequestId;
use tokio::sync::oneshot;

use crate::model_choice::Switch;

/// Hooks that ran beside the session are done.
#[derive(Debug)]
pub(crate) struct Hooked {
    pub(crate) event: Event,
    pub(crate) purpose: Purpose,
    pub(crate) merged: Merged,
}

impl Hooked {
    /// Nothing ran yet: somebody who is not the session has something to tell.
    pub(crate) fn of_consultation(consultation: Consultation) -> Self {
        Self {
            event: Event::of(&consultation.input).unwrap_or(Event::Notification),
            purpose: Purpose::Consult(Box::new(consultation)),
            merged: Merged::default(),
        }
    }

    /// Nothing ran yet: an ask is still open.
    pub(crate) fn of_unanswered(request_id: String, message: String) -> Self {
        Self {
            event: Event::Notification,
            purpose: Purpose::Unanswered(request_id, message),
            merged: Merged::default(),
        }
    }

    /// One that went on by itself has ended.
    pub(crate) fn of_late(late: Late) -> Self {
        Self {
            event: late.event,
            purpose: Purpose::Late { rewakes: late.rewakes },
            merged: late.merged,
        }
    }

    /// Nothing ran: files have changed.
    pub(crate) fn of_files(changed: Vec<(PathBuf, &'static str)>) -> Self {
        Self {
            event: Event::FileChanged,
            purpose: Purpose::Files(changed),
            merged: Merged::default(),
        }
    }
}

/// What their end is waited for by.
#[derive(Debug)]
pub(crate) enum Purpose {
    /// The call of this id may begin.
    Before(String),
    /// The result of this call is told.
    After(String),
    /// The task this call noted or ended is as it says.
    Task(String),
    /// The ask of this request may be answered by it.
    Asked(String),
    /// The settings change to these.
    Settings(Box<Settings>),
    /// The model changes, as this request asks.
    Switch(Box<(RequestId, Switch)>),
    /// The ask of this request has waited long enough to be told of, in these words.
    Unanswered(String, String),
    /// Watched files have changed.
    Files(Vec<(PathBuf, &'static str)>),
    /// Somebody has something to tell.
    Consult(Box<Consultation>),
    /// Somebody waits for what they say.
    Consulted(oneshot::Sender<Merged>),
    /// It went on by itself; whether it wakes the model.
    Late { rewakes: bool },
    /// Nothing.
    Told,
}
