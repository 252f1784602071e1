//! `system` messages, by subtype.

use sluice_wire::Frame;
use sluice_wire::stdout::SystemSubtype;

use super::Fold;
use super::facts::Init;
use super::items::Compacted;
use crate::conversation::read::{self, DeniedFields, HookFields, NoticeFields, RetryFields, System, ThinkingFields};
use crate::conversation::{Change, EntryKind, Evidence};

impl Fold<'_> {
    /// `system`: what the agent says about itself. Returns false if the line cannot be read.
    pub(super) fn system(&mut self, frame: &Frame) -> bool {
        let text = frame.readable();
        let subtype = SystemSubtype::of(frame.subtype().unwrap_or_default());
        match subtype {
            SystemSubtype::Init => self.read(text, |fold, it: Init<'_>| fold.init(&it)),
            // High-frequency messages that only indicate progress.
            SystemSubtype::HookProgress | SystemSubtype::ControlRequestProgress => {
                self.sign();
                true
            }
            SystemSubtype::ThinkingTokens => {
                self.sign();
                self.read(text, |fold, it: ThinkingFields| {
                    fold.thinking_tokens(it.estimated_tokens.count());
                })
            }
            SystemSubtype::HookStarted => {
                self.sign();
                self.read(text, |fold, it: HookFields<'_>| fold.hook(&it, false))
            }
            SystemSubtype::HookResponse => self.read(text, |fold, it: HookFields<'_>| {
                if fold.system_entry(frame, it.uuid.get()) {
                    fold.hook(&it, true);
                }
            }),
            SystemSubtype::ApiRetry => self.read(text, |fold, it: RetryFields<'_>| {
                if fold.is_new(it.uuid.get()) {
                    fold.void(None);
                    fold.cut_blocks(None);
                    fold.open(Evidence::Retrying);
                    fold.evidence(Evidence::Retrying);
                    fold.entry(frame, EntryKind::System, None);
                    fold.retry(&it);
                }
            }),
            SystemSubtype::PermissionDenied => self.read(text, |fold, it: DeniedFields<'_>| {
                if fold.system_entry(frame, it.uuid.get()) {
                    fold.denied(&it);
                }
            }),
            subtype if tells(&subtype) => self.read(text, |fold, it: NoticeFields<'_>| {
                if fold.system_entry(frame, it.uuid.get()) {
                    fold.system_notice(subtype, &it);
                }
            }),
            subtype => {
                let Some(it) = read::line::<System<'_>>(text) else {
                    return false;
                };
                if self.is_new(it.uuid.get()) {
                    self.system_fact(frame, &subtype, &it);
                }
                true
            }
        }
    }

    /// Adds an entry for a message, unless it came before.
    fn system_entry(&mut self, frame: &Frame, uuid: Option<&str>) -> bool {
        let new = self.is_new(uuid);
        if new {
            self.sign();
            self.entry(frame, EntryKind::System, None);
        }
        new
    }

    fn system_fact(&mut self, frame: &Frame, subtype: &SystemSubtype, it: &System<'_>) {
        match subtype {
            SystemSubtype::Status => self.status(it),
            SystemSubtype::SessionStateChanged => self.session_state(it),
            SystemSubtype::TaskStarted => self.task_started(it),
            SystemSubtype::TaskProgress => self.task_progress(it),
            SystemSubtype::TaskUpdated => self.task_updated(it),
            SystemSubtype::TaskNotification => {
                self.task_ended(it);
                self.entry(frame, EntryKind::System, None);
                self.task_end_item(it);
            }
            SystemSubtype::BackgroundTasksChanged => self.tasks_listed(&it.tasks.0),
            SystemSubtype::CommandsChanged => self.commands_changed(it.commands),
            SystemSubtype::SessionTitleChanged => {
                self.state.session.title = it.title.boxed();
                self.change(Change::Session);
            }
            SystemSubtype::UiInvalidate => {}
            SystemSubtype::CompactBoundary => {
                if let Some(it) = read::later::<Compacted<'_>>(it.compact_metadata) {
                    self.state.context.tokens = it.post_tokens.count();
                    self.change(Change::Context);
                    self.compacted(&it);
                }
                self.sign();
                self.entry(frame, EntryKind::System, None);
            }
            SystemSubtype::Unknown => {
                self.state.drift.unknown += 1;
                self.entry(frame, EntryKind::Unknown, None);
                self.unknown_item(Some((frame.ty(), frame.subtype())));
                self.change(Change::Drift);
            }
            _ => {
                self.sign();
                self.entry(frame, EntryKind::System, None);
            }
        }
    }

    /// A message that tells the person something.
    fn system_notice(&mut self, subtype: SystemSubtype, it: &NoticeFields<'_>) {
        let falls_back = matches!(
            subtype,
            SystemSubtype::ModelFallback | SystemSubtype::ModelRefusalFallback
        );
        if let Some(model) = it.fallback_model.boxed().filter(|_| falls_back) {
            self.state.session.model = Some(model);
            self.change(Change::Session);
        }
        self.told(subtype, it);
    }
}

/// Whether a message of this kind tells the person something.
fn tells(subtype: &SystemSubtype) -> bool {
    matches!(
        subtype,
        SystemSubtype::Informational
            | SystemSubtype::LocalCommandOutput
            | SystemSubtype::ModelFallback
            | SystemSubtype::ModelRefusalFallback
            | SystemSubtype::ModelRefusalNoFallback
            | SystemSubtype::Notification
            | SystemSubtype::MemoryRecall
            | SystemSubtype::FilesPersisted
            | SystemSubtype::PluginInstall
            | SystemSubtype::SessionWritesLost
            | SystemSubtype::MirrorError
            | SystemSubtype::WorkerShuttingDown
    )
}
