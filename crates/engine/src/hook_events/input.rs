//! The input fields that all hook events share, and reports of hook results.

use sluice_hooks::event::Event;
use sluice_hooks::merge::{Merged, Note};
use sluice_permission::PermissionMode;
use sluice_wire::hook::{HookEffort, HookInput};
use sluice_wire::stdout::system::{HookNoVerdict, Informational, Level};

use crate::messages;
use crate::session::Session;
use crate::session_loop::SessionLoop;
use crate::session_loop::WaitOutcome;

/// How much of the session's state the input of an event contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Detail {
    /// No state.
    Bare,
    /// The permission mode.
    Mode,
    /// The permission mode and the effort level.
    Full,
}

/// The fields that all hook inputs share.
#[derive(Debug, Clone, Default)]
pub(super) struct Base {
    pub(super) session_id: String,
    pub(super) transcript_path: String,
    pub(super) cwd: String,
    pub(super) prompt_id: Option<String>,
    pub(super) permission_mode: Option<PermissionMode>,
    pub(super) agent_id: Option<String>,
    pub(super) agent_type: Option<String>,
    pub(super) effort: Option<HookEffort>,
}

/// Builds a hook input from the shared fields and those of its event.
macro_rules! hook_input {
    ($session:expr, $detail:ident, $event:ident($kind:ident) { $($field:ident: $value:expr),* $(,)? }) => {{
        let base = $session.shared_fields($crate::hook_events::input::Detail::$detail);
        #[allow(clippy::needless_update)]
        let input = sluice_wire::hook::$kind {
            session_id: base.session_id,
            transcript_path: base.transcript_path,
            cwd: base.cwd,
            prompt_id: base.prompt_id,
            permission_mode: base.permission_mode,
            agent_id: base.agent_id,
            agent_type: base.agent_type,
            effort: base.effort,
            ..Default::default()
        };
        #[allow(unused_mut)]
        let mut input = input;
        $(input.$field = $value;)*
        sluice_wire::hook::HookInput::$event(Box::new(input))
    }};
}
pub(super) use hook_input;

impl Session {
    pub(super) fn shared_fields(&self, detail: Detail) -> Base {
        let keeping = &self.options.session.keeping;
        let speaker = self.hooks.speaker().cloned();
        Base {
            session_id: self.options.session.id.clone(),
            transcript_path: self
                .hooks
                .transcript(keeping.file.as_ref())
                .map(|file| file.display().to_string())
                .unwrap_or_default(),
            cwd: self.tooling.cwd().get().display().to_string(),
            prompt_id: self.conversation.transcript.prompt_id().map(str::to_owned),
            permission_mode: (detail != Detail::Bare).then(|| self.policy.mode.clone()),
            agent_id: speaker.as_ref().map(|(id, _)| id.clone()),
            agent_type: speaker.map(|(_, kind)| kind),
            effort: (detail == Detail::Full).then(|| HookEffort {
                level: self.effort_level(),
                ..HookEffort::default()
            }),
        }
    }

    /// The effort level, with the default filled in.
    pub(super) fn effort_level(&self) -> String {
        self.options.model.effort.clone().unwrap_or_else(|| "medium".to_owned())
    }

    /// Sends messages of hooks to the host and stores their context for the model.
    pub(super) async fn report_hooks(&mut self, event: Event, merged: &Merged, call_id: Option<&str>) {
        for (name, text) in &merged.messages {
            self.emit(messages::informational(&format!("{name} says: {text}"), "notice"))
                .await;
        }
        for note in &merged.notes {
            let mut message = Informational {
                level: Level::Warning,
                uuid: messages::fresh_id(),
                ..Informational::default()
            };
            match note {
                Note::NoVerdict => {
                    "A hook didn't answer in time, so it didn't check this action.".clone_into(&mut message.content);
                    message.tag = Some("hook_no_verdict".to_owned());
                    message.hook_no_verdict = Some(HookNoVerdict {
                        hook_event: event.as_str().to_owned(),
                        tool_use_id: call_id.map(str::to_owned),
                        timed_out: Some(true),
                        ..HookNoVerdict::default()
                    });
                }
                Note::Callback(why) => {
                    message.content.clone_from(why);
                    message.tag = Some("hook_callback_failed".to_owned());
                }
                Note::Trouble(why) => {
                    // An error that repeats with every call is reported once.
                    if !self.line.report_once(why) {
                        continue;
                    }
                    message.content.clone_from(why);
                }
            }
            self.emit(message).await;
        }
        for (name, text) in &merged.contexts {
            self.hooks.add_context(reminder(name, text));
        }
    }

    /// Adds context from hooks to the conversation and the transcript, before the next model request.
    pub(crate) async fn add_hook_contexts(&mut self) {
        self.hook_instructions().await;
        for text in self.hooks.take_contexts() {
            self.keep_meta(&text).await;
            self.conversation.history.user_text(&text);
        }
    }
}

impl SessionLoop {
    /// Runs hooks and handles other events meanwhile. Returns `None` if the turn has to stop; the hooks are then
    /// cancelled.
    pub(super) async fn ask_hooks(&mut self, input: HookInput) -> Option<Merged> {
        let event = Event::of(&input)?;
        let Some(mut work) = self.session.begin_hooks(input).await else {
            return Some(Merged::default());
        };
        match self.wait_for(Some(std::pin::Pin::new(&mut work))).await {
            WaitOutcome::Ready(merged) => {
                self.session.report_hooks(event, &merged, None).await;
                Some(merged)
            }
            WaitOutcome::CallsDone | WaitOutcome::Stopped => None,
        }
    }
}

/// Formats the output of a hook for the model.
pub(super) fn reminder(name: &str, text: &str) -> String {
    format!("<system-reminder>\nA hook of this session ({name}) says:\n{text}\n</system-reminder>")
}
