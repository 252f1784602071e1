//! What the agent says about itself: notices, commands, hooks, compactions, limits, the ends of tasks.

use std::time::Duration;

use serde::Deserialize;
use sluice_wire::MessageType;
use sluice_wire::stdout::SystemSubtype;
use sluice_wire::stdout::system::TaskOutcome;

use super::Fold;
use crate::conversation::Task;
use crate::conversation::read::{
    self, HookFields, Inner, Limit, LimitFields, MessageFields, Note, NoticeFields, Num, PathField, RetryFields,
    System, Word,
};
use crate::items::{
    Command, Compaction, Delivery, HookRun, HookStatus, ItemBody, ItemId, ItemStatus, ModelChange, ModelChangeReason,
    Notice, NoticeKind, NoticeLevel, OriginKind, Picture, PromptItem, PromptSource, RateLimit, RateLimitStatus, Retry,
    Sender, TaskEnd, Text, TurnOrigin, pictures,
};

/// `compact_metadata`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Compacted<'a> {
    #[serde(borrow)]
    trigger: Word<'a>,
    pre_tokens: Num,
    pub(crate) post_tokens: Num,
    duration_ms: Num,
}

/// The tags around what local commands say.
const OUTPUT: [&str; 2] = ["local-command-stdout", "local-command-stderr"];

impl Fold<'_> {
    pub(in super::super) fn notice(&mut self, kind: NoticeKind, level: NoticeLevel, text: impl Into<String>) {
        self.done(ItemBody::Notice(Notice {
            kind,
            level,
            text: text.into(),
            call: None,
        }));
    }

    /// A `system` message that tells the person something.
    pub(in super::super) fn told(&mut self, subtype: SystemSubtype, it: &NoticeFields<'_>) {
        use NoticeKind as Kind;
        let content = it.content.text();
        let level = level(it.level.text());
        match subtype {
            SystemSubtype::Informational => {
                let call = it.tool_use_id.get().and_then(|id| self.state.find_call(id));
                let kind = match (it.tag.get(), it.is_meta.0) {
                    (Some("answered"), _) => Kind::Answered,
                    (_, true) => Kind::Context,
                    _ => Kind::Message,
                };
                let call = call.and_then(|call| self.state.items.of_call(call)).map(ItemId);
                self.done(ItemBody::Notice(Notice {
                    kind,
                    level,
                    text: content.to_owned(),
                    call,
                }));
            }
            SystemSubtype::LocalCommandOutput => self.command_said(content.to_owned(), false),
            SystemSubtype::ModelFallback | SystemSubtype::ModelRefusalFallback => {
                let reason = match subtype {
                    SystemSubtype::ModelFallback => ModelChangeReason::Unavailable,
                    _ => ModelChangeReason::Refused,
                };
                self.done(ItemBody::ModelChange(ModelChange {
                    from: it.original_model.boxed(),
                    to: it.fallback_model.boxed(),
                    reason,
                    text: content.to_owned(),
                }));
            }
            SystemSubtype::ModelRefusalNoFallback => self.notice(Kind::Refusal, NoticeLevel::Warning, content),
            SystemSubtype::Notification => self.notice(Kind::Notification, level, it.text.text()),
            SystemSubtype::MemoryRecall => self.notice(Kind::Memory, level, paths(&it.memories.0)),
            SystemSubtype::FilesPersisted => self.notice(Kind::FilesStored, level, paths(&it.files.0)),
            SystemSubtype::PluginInstall => {
                let failed = it.error.get().is_some();
                let level = if failed { NoticeLevel::Error } else { level };
                self.notice(Kind::Plugin, level, it.error.get().unwrap_or(it.name.text()));
            }
            SystemSubtype::SessionWritesLost => self.notice(Kind::WritesLost, NoticeLevel::Error, ""),
            SystemSubtype::MirrorError => self.notice(Kind::MirrorFailed, NoticeLevel::Error, it.error.text()),
            SystemSubtype::WorkerShuttingDown => self.notice(Kind::ShuttingDown, level, it.reason.text()),
            _ => {}
        }
    }

    /// The small messages that are no `system` ones.
    pub(in super::super) fn noted(&mut self, ty: MessageType, it: &Note<'_>) {
        let text = [&it.text, &it.summary]
            .into_iter()
            .find_map(|word| word.get())
            .unwrap_or_default();
        let kind = match ty {
            MessageType::PromptSuggestion => {
                let text = it.suggestion.text().to_owned();
                self.done(ItemBody::Suggestion { text });
                return;
            }
            MessageType::ToolUseSummary | MessageType::StreamlinedToolUseSummary => NoticeKind::Summary,
            MessageType::StreamlinedText => NoticeKind::Shortened,
            MessageType::AuthStatus => NoticeKind::Authentication,
            MessageType::ActiveGoal => NoticeKind::Goal,
            _ => return,
        };
        self.notice(kind, NoticeLevel::Info, text);
    }

    /// `api_retry`.
    pub(in super::super) fn retry(&mut self, it: &RetryFields<'_>) {
        let delay = Duration::from_millis(it.retry_delay_ms.count());
        let retry = Retry {
            error: it.error.text().to_owned(),
            status: it
                .error_status
                .0
                .and_then(|_| u16::try_from(it.error_status.count()).ok()),
            attempt: it.attempt.count(),
            max: it.max_retries.count(),
            next: self.state.now.after(delay),
        };
        self.retrying(retry);
    }

    /// `hook_started` and `hook_response`.
    pub(in super::super) fn hook(&mut self, it: &HookFields<'_>, ended: bool) {
        let known = self.state.items.current.hooks.iter();
        let known = known.clone().position(|(id, _)| Some(&**id) == it.hook_id.get());
        let exit_code = it.exit_code.0.and_then(|_| i32::try_from(it.exit_code.count()).ok());
        let outcome = match it.outcome.get() {
            _ if !ended => HookStatus::Running,
            Some("cancelled") => HookStatus::Cancelled,
            // The exit code with which a hook blocks.
            Some("error") if exit_code == Some(2) => HookStatus::Blocked,
            Some("error") => HookStatus::Failed,
            None if exit_code.is_some_and(|code| code != 0) => HookStatus::Failed,
            _ => HookStatus::Succeeded,
        };
        let status = match outcome {
            HookStatus::Running => ItemStatus::Running,
            HookStatus::Succeeded => ItemStatus::Done,
            HookStatus::Failed | HookStatus::Blocked => ItemStatus::Failed,
            HookStatus::Cancelled => ItemStatus::Cancelled,
        };
        let run = ItemBody::Hook(HookRun {
            name: it.hook_name.text().into(),
            event: it.hook_event.text().into(),
            outcome,
            exit_code,
            output: [&it.stderr, &it.output]
                .into_iter()
                .find_map(|word| word.get().filter(|text| !text.is_empty()))
                .unwrap_or_default()
                .into(),
        });
        match known {
            Some(at) => {
                let (_, item) = self.state.items.current.hooks.remove(at);
                self.set_item(item, status, run);
            }
            None => {
                let item = self.add_item(status, run, None);
                if !ended {
                    self.state.items.current.hooks.push((it.hook_id.text().into(), item));
                }
            }
        }
    }

    /// `status`: a compaction runs or has ended.
    pub(in super::super) fn compacting(&mut self, goes_on: bool, error: Option<&str>) {
        match (goes_on, self.state.items.current.compaction) {
            (true, None) => {
                let at = self.add_item(ItemStatus::Running, ItemBody::Compaction(Compaction::default()), None);
                self.state.items.current.compaction = Some(at);
            }
            (false, Some(at)) if error.is_some() => {
                self.state.items.current.compaction = None;
                let failed = Compaction {
                    error: error.map(str::to_owned),
                    ..Compaction::default()
                };
                self.set_item(at, ItemStatus::Failed, ItemBody::Compaction(failed));
            }
            _ => {}
        }
    }

    /// `compact_boundary`: a compaction is done.
    pub(in super::super) fn compacted(&mut self, it: &Compacted<'_>) {
        let count = |number: Num| number.0.map(|_| number.count());
        let compaction = ItemBody::Compaction(Compaction {
            manual: it.trigger.get() == Some("manual"),
            before: count(it.pre_tokens),
            after: count(it.post_tokens),
            duration: count(it.duration_ms).map(Duration::from_millis),
            summary: None,
            error: None,
        });
        let at = match self.state.items.current.compaction.take() {
            Some(at) => {
                self.set_item(at, ItemStatus::Done, compaction);
                at
            }
            None => self.done(compaction),
        };
        // The summary follows it.
        self.state.items.current.command = Some(at);
    }

    /// A local command ran and said this.
    pub(in super::super) fn command_ran(&mut self, name: &str, arguments: &str, output: Option<String>) {
        let command = ItemBody::Command(Command {
            name: name.to_owned(),
            arguments: arguments.to_owned(),
            output: output.map(Text::from),
            failed: false,
        });
        let at = self.done(command);
        self.state.items.current.command = Some(at);
    }

    /// The output of a local command. It belongs to the command before, if that has none.
    fn command_said(&mut self, text: String, failed: bool) {
        if text.trim().is_empty() {
            return;
        }
        let before = self.state.items.current.command;
        if let Some(ItemBody::Command(command)) = self.item_body(before)
            && command.output.is_none()
        {
            command.output = Some(text.into());
            command.failed = failed;
            if let Some(at) = before {
                self.item_changed(at);
            }
            return;
        }
        self.command_ran("", "", Some(text));
    }

    /// A `user` message with text: a prompt of another client, a local command, or context for the model.
    pub(in super::super) fn user_text(&mut self, message: &MessageFields<'_>, parent: Option<usize>) {
        let Some(inner) = &message.message.0 else { return };
        let text = text(inner);
        if parent.is_none() && (self.user_command(&text) || self.said_by_agent(&text)) {
            return;
        }
        let is_summary = text.starts_with(SUMMARY);
        if is_summary && parent.is_none() {
            let before = self.state.items.current.command;
            if let Some(ItemBody::Compaction(compaction)) = self.item_body(before) {
                compaction.summary = Some(text);
                if let Some(at) = before {
                    self.item_changed(at);
                }
                return;
            }
            self.done(ItemBody::Compaction(Compaction {
                summary: Some(text),
                ..Compaction::default()
            }));
            return;
        }
        let stopped = text.starts_with("[Request interrupted");
        if message.is_synthetic.0 || is_summary || text.starts_with('<') || stopped {
            self.add_item(
                ItemStatus::Done,
                ItemBody::Notice(Notice {
                    kind: if stopped {
                        NoticeKind::Stopped
                    } else {
                        NoticeKind::Context
                    },
                    level: NoticeLevel::Info,
                    text: text.to_string(),
                    call: None,
                }),
                parent,
            );
            return;
        }
        let images = images(inner);
        if text.is_empty() && images.is_empty() {
            return;
        }
        let prompt = PromptItem {
            uuid: message.uuid.boxed(),
            text,
            images,
            source: match (parent, message.is_replay.0) {
                (Some(_), _) => PromptSource::Agent,
                (None, true) => PromptSource::Replayed,
                (None, false) => PromptSource::Other,
            },
            sender: message.sluice_by.boxed().map(Sender::named),
            delivery: Delivery::Delivered,
            steered: false,
        };
        self.add_item(ItemStatus::Done, ItemBody::Prompt(prompt), parent);
    }

    fn user_command(&mut self, text: &str) -> bool {
        if let Some(name) = inside(text, "command-name") {
            let arguments = inside(text, "command-args").unwrap_or_default();
            self.command_ran(name.trim_start_matches('/'), arguments, None);
            return true;
        }
        let said = OUTPUT.iter().find_map(|tag| Some((inside(text, tag)?, *tag)));
        if let Some((said, tag)) = said {
            self.command_said(said.to_owned(), tag == OUTPUT[1]);
        }
        said.is_some()
    }

    /// `rate_limit_event`.
    pub(in super::super) fn rate_limit(&mut self, it: &LimitFields<'_>) {
        let Some(info) = &it.rate_limit_info.0 else { return };
        let limit = limit(info);
        let known = self.state.items.current.limit;
        let before = match self.item_body(known) {
            Some(ItemBody::RateLimit(before)) => Some(before.clone()),
            _ => None,
        };
        match before {
            // The same limit as before: the item shows its present state.
            Some(before) if before.limit == limit.limit && before.status == limit.status => {
                if let (Some(at), true) = (known, before != limit) {
                    self.set_item(at, ItemStatus::Done, ItemBody::RateLimit(limit));
                }
            }
            // Requests that pass as always are nothing new.
            None if limit.status == RateLimitStatus::Allowed => {}
            _ => {
                let at = self.done(ItemBody::RateLimit(limit));
                self.state.items.current.limit = Some(at);
            }
        }
    }

    /// `task_notification`: a task ended and says so.
    pub(in super::super) fn task_end_item(&mut self, it: &System<'_>) {
        if it.skip_transcript.0 {
            return;
        }
        let id = it.task_id.text();
        let known = self.state.find_task(id).and_then(|at| self.state.tasks.get(at));
        let call = known.and_then(|task| self.state.find_call(task.call.as_deref()?));
        let summary = it.summary.text().trim();
        let end = TaskEnd {
            task: id.into(),
            call: call.and_then(|call| self.state.items.of_call(call)).map(ItemId),
            outcome: TaskOutcome::from(it.status.text()),
            subject: known.map_or_else(|| summary.to_owned(), |task| subject(task, summary)),
            summary: summary.to_owned(),
            output: it.output_file.boxed().filter(|file| !file.is_empty()),
        };
        let at = self.done(ItemBody::TaskEnd(end));
        self.state.items.current.task_end = Some(at);
    }

    /// A task changed: so did the call that it runs.
    pub(in super::super) fn task_changed(&mut self, task: usize) {
        let call = self.state.tasks.get(task).and_then(|task| task.call.as_deref());
        if let Some(call) = call.and_then(|call| self.state.find_call(call)) {
            self.update_call(call);
            if let Some(at) = self.state.items.of_call(call) {
                self.item_changed(at);
            }
        }
    }

    /// Something that this version does not know.
    pub(in super::super) fn unknown_item(&mut self, ty: Option<(&str, Option<&str>)>) {
        let raw_type = ty.map(|(ty, subtype)| match subtype {
            Some(subtype) => format!("{ty}/{subtype}"),
            None => ty.to_owned(),
        });
        self.done(ItemBody::Unknown { raw_type });
    }
}

impl Fold<'_> {
    /// Text that the agent itself adds for the model and that has another place in the transcript.
    fn said_by_agent(&mut self, text: &str) -> bool {
        if let Some(feedback) = text.strip_prefix("Stop hook feedback:") {
            self.add_item(
                ItemStatus::Failed,
                ItemBody::Hook(HookRun {
                    name: "Stop".into(),
                    event: "Stop".into(),
                    outcome: HookStatus::Blocked,
                    exit_code: None,
                    output: feedback.trim_start().into(),
                }),
                None,
            );
            return true;
        }
        if text.starts_with("Base directory for this skill:") {
            return self.skill_loaded(text);
        }
        let Some(job) = inside(text, "task-notification") else {
            return false;
        };
        let word = |tag: &str| inside(job, tag).map(str::trim).filter(|word| !word.is_empty());
        let origin = TurnOrigin {
            kind: OriginKind::Task,
            text: word("summary").unwrap_or_default().to_owned(),
            outcome: word("status").map(TaskOutcome::from),
            task: word("task-id").or_else(|| word("task_id")).map(Into::into),
        };
        self.origin(origin)
    }
}

/// Returns the text of a message.
fn text(inner: &Inner<'_>) -> Text {
    let mut texts = inner.content.blocks().filter(|block| block.ty.get() == Some("text"));
    let stored = match (texts.next(), texts.next()) {
        (Some(only), None) => only.text.and_then(|text| serde_json::from_str(text.get()).ok()),
        _ => None,
    };
    stored.unwrap_or_else(|| inner.content.text().into())
}

fn images(inner: &Inner<'_>) -> Vec<Picture> {
    let images = inner.content.blocks().filter(|block| block.ty.get() == Some("image"));
    let sources = images.filter_map(|block| serde_json::from_str(block.source?.get()).ok());
    sources.filter_map(|source| pictures::of_source(&source)).collect()
}

/// How a summary of the conversation begins.
const SUMMARY: &str = "This session is being continued from a previous conversation";

/// Returns the text between the tags of this name.
fn inside<'a>(text: &'a str, tag: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(&format!("<{tag}>"))?;
    Some(rest.split_once(&format!("</{tag}>"))?.0)
}

/// What a task was about. The summary of an agent is its report, which is written for the model.
fn subject(task: &Task, summary: &str) -> String {
    match &*task.kind {
        "local_agent" => task.description.to_string(),
        _ => summary.to_owned(),
    }
}

fn paths(list: &[read::Obj<PathField<'_>>]) -> String {
    let fields = list.iter().filter_map(|it| it.0.as_ref());
    let paths = fields.filter_map(|it| it.path.get().or(it.filename.get()));
    paths.collect::<Vec<_>>().join("\n")
}

fn level(word: &str) -> NoticeLevel {
    match word {
        "notice" | "suggestion" => NoticeLevel::Notice,
        "warning" => NoticeLevel::Warning,
        "error" => NoticeLevel::Error,
        _ => NoticeLevel::Info,
    }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn percent(part: f64) -> u32 {
    (part * 100.0).round() as u32
}

fn limit(info: &Limit<'_>) -> RateLimit {
    RateLimit {
        status: match info.status.text() {
            "rejected" => RateLimitStatus::Rejected,
            "allowed_warning" => RateLimitStatus::Warning,
            _ => RateLimitStatus::Allowed,
        },
        limit: info.kind.boxed(),
        used_percent: info.utilization.0.map(percent),
        resets_at: info.resets_at.0.map(|_| info.resets_at.count()),
    }
}
