//! Results of hooks that ran concurrently with the session, and what they are for.

use std::path::PathBuf;

use sluice_hooks::{Consultation, Event, Late, Merged};
use sluice_settings::Settings;
use sluice_wire::control::RequestId;
use tokio::sync::oneshot;

use crate::model_choice::Switch;

/// The result of hooks that ran concurrently with the session.
#[derive(Debug)]
pub(crate) struct HookOutcome {
    pub(crate) event: Event,
    pub(crate) purpose: Purpose,
    pub(crate) merged: Merged,
}

impl HookOutcome {
    /// Wraps a consultation, whose hooks have not run yet.
    pub(crate) fn of_consultation(consultation: Consultation) -> Self {
        Self {
            event: Event::of(&consultation.input).unwrap_or(Event::Notification),
            purpose: Purpose::Consult(Box::new(consultation)),
            merged: Merged::default(),
        }
    }

    /// Wraps the timer of an unanswered permission request.
    pub(crate) fn of_unanswered(request_id: String, message: String) -> Self {
        Self {
            event: Event::Notification,
            purpose: Purpose::Unanswered(request_id, message),
            merged: Merged::default(),
        }
    }

    /// Wraps the result of an asynchronous hook.
    pub(crate) fn of_late(late: Late) -> Self {
        Self {
            event: late.event,
            purpose: Purpose::Late { rewakes: late.rewakes },
            merged: late.merged,
        }
    }

    /// Wraps changes of watched files.
    pub(crate) fn of_files(changed: Vec<(PathBuf, &'static str)>) -> Self {
        Self {
            event: Event::FileChanged,
            purpose: Purpose::Files(changed),
            merged: Merged::default(),
        }
    }
}

/// What the result of hooks is for.
#[derive(Debug)]
pub(crate) enum Purpose {
    /// Continues the call with this id.
    Before(String),
    /// Sends the result of this call.
    After(String),
    /// Confirms the task that this call created or completed.
    Task(String),
    /// Answers the permission request with this id.
    Asked(String),
    /// Applies these settings.
    Settings(Box<Settings>),
    /// Changes the model for this request.
    Switch(Box<(RequestId, Switch)>),
    /// Raises a notification with this text if the permission request with this id is still open.
    Unanswered(String, String),
    /// Raises `FileChanged` for these files.
    Files(Vec<(PathBuf, &'static str)>),
    /// Runs the hooks of a consultation.
    Consult(Box<Consultation>),
    /// Answers a consultation.
    Consulted(oneshot::Sender<Merged>),
    /// The result of an asynchronous hook. `rewakes`: its output starts a turn.
    Late { rewakes: bool },
    /// The result is only reported.
    ReportOnly,
}
