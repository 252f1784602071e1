//! Forwards the messages of a subagent to the host, filtered and labelled.
//!
//! A subagent is a session like any other and emits the same messages. The host receives its calls and their results,
//! its permission requests and its errors, each labelled with the call that started it. Messages that only concern a
//! session and its own host (`init`, `result`, session state) are dropped.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use serde_json::Value;
use sluice_tools::Toolbox;
use sluice_wire::Number;
use sluice_wire::ToHost;
use sluice_wire::content::{Block, Content};
use sluice_wire::control::Request;
use sluice_wire::stdout::system::{ApiRetry, System, TaskProgress, TaskUsage};
use sluice_wire::stdout::{Assistant, SubagentRetry, ToolProgress, User};

use super::names;
use crate::messages;

/// Labels that identify a subagent in messages to the host.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct SubagentLabel {
    pub(crate) id: String,
    /// The call that started it.
    pub(crate) call_id: String,
    pub(crate) run_id: String,
    pub(crate) kind: String,
    pub(crate) description: String,
    /// Calls and results are not forwarded; for subagents that run a skill.
    pub(crate) quiet: bool,
}

/// Filter between a subagent and the host.
#[derive(Debug)]
pub(crate) struct Relay {
    pub(crate) label: SubagentLabel,
    /// The built-in tools of the subagent, which describe its activity.
    toolbox: Toolbox,
    /// The host asked for the text of subagents (`forward_subagent_text`).
    forward: bool,
    background: AtomicBool,
    muted: AtomicBool,
    /// Only control requests are forwarded.
    silent: bool,
    /// Started by another subagent: its messages are forwarded only while it runs in the background.
    nested: bool,
    /// Its prompt has been forwarded.
    prompted: AtomicBool,
    began: Instant,
    work_summary: Mutex<WorkSummary>,
    /// Messages that are held until the subagent has ended, if they are not forwarded immediately.
    held_messages: Option<Mutex<Vec<ToHost>>>,
}

/// The progress of a subagent so far.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct WorkSummary {
    pub(crate) tools: Vec<String>,
    pub(crate) calls: u64,
    pub(crate) tokens: u64,
}

impl Relay {
    pub(crate) fn new(label: SubagentLabel, forward: bool, background: bool) -> Self {
        Self {
            label,
            toolbox: Toolbox::default(),
            forward,
            background: AtomicBool::new(background),
            muted: AtomicBool::new(false),
            silent: false,
            nested: false,
            prompted: AtomicBool::new(false),
            began: Instant::now(),
            work_summary: Mutex::default(),
            held_messages: None,
        }
    }

    /// Creates a relay that forwards control requests only.
    pub(crate) fn silent(label: SubagentLabel) -> Self {
        Self {
            silent: true,
            ..Self::new(label, false, false)
        }
    }

    /// Sets the tools that describe its activity.
    pub(crate) fn with_tools(self, toolbox: Toolbox) -> Self {
        Self { toolbox, ..self }
    }

    /// Marks it as started by another subagent.
    pub(crate) fn nested(self) -> Self {
        Self { nested: true, ..self }
    }

    /// Holds assistant and user messages until the subagent has ended.
    pub(crate) fn holding_messages(self) -> Self {
        Self {
            held_messages: Some(Mutex::default()),
            ..self
        }
    }

    /// Returns the held messages and clears them.
    pub(crate) fn take_held_messages(&self) -> Vec<ToHost> {
        let lock = |held_messages: &Mutex<Vec<ToHost>>| {
            std::mem::take(&mut *held_messages.lock().unwrap_or_else(PoisonError::into_inner))
        };
        self.held_messages.as_ref().map(lock).unwrap_or_default()
    }

    /// Marks the subagent as running in the background: its call has returned.
    pub(crate) fn to_background(&self) {
        self.background.store(true, Ordering::Relaxed);
    }

    /// Stops forwarding, except for messages that must stay consistent.
    pub(crate) fn stop_forwarding(&self) {
        self.muted.store(true, Ordering::Relaxed);
    }

    pub(crate) fn work_summary(&self) -> WorkSummary {
        self.work_summary.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn is_silent(&self) -> bool {
        self.silent
    }

    pub(crate) fn is_background(&self) -> bool {
        self.background.load(Ordering::Relaxed)
    }

    /// Returns the messages that the host receives for a message of the subagent.
    pub(crate) fn pass(&self, message: ToHost) -> Vec<ToHost> {
        let messages = self.shown(message);
        let Some(held_messages) = &self.held_messages else {
            return messages;
        };
        let spoken = |message: &ToHost| matches!(message, ToHost::Assistant(_) | ToHost::User(_));
        let (later, now): (Vec<ToHost>, Vec<ToHost>) = messages.into_iter().partition(spoken);
        held_messages
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .extend(later);
        now
    }

    fn shown(&self, message: ToHost) -> Vec<ToHost> {
        let muted = self.muted.load(Ordering::Relaxed);
        match message {
            ToHost::ControlRequest(_) | ToHost::ControlCancelRequest(_) if self.silent => vec![message],
            _ if self.silent => Vec::new(),
            ToHost::TranscriptMirror(_) | ToHost::ControlCancelRequest(_) => vec![message],
            ToHost::System(system) => self.system(*system, muted),
            _ if muted => Vec::new(),
            ToHost::Assistant(assistant) => self.assistant(*assistant),
            ToHost::User(user) if self.shows(&user) => vec![self.user(*user)],
            ToHost::ToolProgress(_) => vec![message],
            ToHost::ControlRequest(mut request) => {
                if let Request::CanUseTool(ask) = &mut request.request {
                    ask.agent_id = Some(self.label.id.clone());
                }
                vec![ToHost::ControlRequest(request)]
            }
            _ => Vec::new(),
        }
    }

    fn assistant(&self, mut frame: Assistant) -> Vec<ToHost> {
        frame.parent_tool_use_id = Some(self.label.call_id.clone());
        frame.agent_id = Some(self.label.id.clone());
        frame.subagent_type = Some(self.label.kind.clone());
        frame.task_description = Some(self.label.description.clone());
        let call = frame.message.content.iter().find_map(|block| match block {
            Block::ToolUse(call) => Some((call.name.clone(), call.input.to_value())),
            _ => None,
        });
        let Some((tool, input)) = call else {
            let shown = self.is_background() || (self.forward && !self.nested);
            return if shown { vec![frame.into()] } else { Vec::new() };
        };
        let tokens = serde_json::to_value(&frame.message.usage).unwrap_or_default();
        let progress = self.progress(&tool, &input, &tokens, &frame.session_id);
        if self.nested && !self.is_background() {
            return if self.label.quiet {
                Vec::new()
            } else {
                vec![progress.into()]
            };
        }
        if self.label.quiet {
            return vec![frame.into()];
        }
        // The order that the reference CLI uses.
        if self.is_background() {
            vec![frame.into(), progress.into()]
        } else {
            vec![progress.into(), frame.into()]
        }
    }

    /// Describes a call in a few words.
    pub(crate) fn activity(&self, tool: &str, input: &Value) -> String {
        let agent = || names::FACTS.is_called(tool).then(|| names::undescribed().doing(input));
        match self.toolbox.find(tool) {
            Some(tool) => tool.descriptor().doing(input),
            None => agent().unwrap_or_else(|| sluice_tools::using(tool)),
        }
    }

    fn progress(&self, tool: &str, input: &Value, usage: &Value, session_id: &str) -> TaskProgress {
        let tokens = sluice_model::cost::Tokens::read(usage);
        let mut work_summary = self.work_summary.lock().unwrap_or_else(PoisonError::into_inner);
        work_summary.calls += 1;
        work_summary.tokens = tokens.prompt() + tokens.output;
        if !work_summary.tools.iter().any(|known| known == tool) {
            work_summary.tools.push(tool.to_owned());
        }
        TaskProgress {
            task_id: self.label.id.clone(),
            run_id: Some(self.label.run_id.clone()),
            tool_use_id: Some(self.label.call_id.clone()),
            description: self.activity(tool, input),
            subagent_type: Some(self.label.kind.clone()),
            usage: self.used(&work_summary),
            last_tool_name: Some(tool.to_owned()),
            uuid: messages::fresh_id(),
            session_id: session_id.to_owned(),
            ..TaskProgress::default()
        }
    }

    /// Creates a progress message with the summary that the subagent wrote.
    pub(crate) fn summary_progress(&self, messages: &str) -> TaskProgress {
        let work_summary = self.work_summary();
        TaskProgress {
            task_id: self.label.id.clone(),
            run_id: Some(self.label.run_id.clone()),
            tool_use_id: Some(self.label.call_id.clone()),
            description: messages.to_owned(),
            subagent_type: Some(self.label.kind.clone()),
            usage: self.used(&work_summary),
            summary: Some(messages.to_owned()),
            uuid: messages::fresh_id(),
            ..TaskProgress::default()
        }
    }

    fn used(&self, work_summary: &WorkSummary) -> TaskUsage {
        TaskUsage {
            total_tokens: work_summary.tokens,
            tool_uses: work_summary.calls,
            duration_ms: u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX),
            ..TaskUsage::default()
        }
    }

    /// True if a message of the user side is forwarded. For a foreground subagent these are its prompt and its tool
    /// results, but no messages that the engine inserted.
    fn shows(&self, frame: &User) -> bool {
        if self.is_background() {
            return true;
        }
        let result = match &frame.message.content {
            Content::Blocks(blocks) => blocks.iter().any(|block| matches!(block, Block::ToolResult(_))),
            Content::Text(_) => false,
        };
        !self.nested && (result || !self.prompted.swap(true, Ordering::Relaxed))
    }

    fn user(&self, mut frame: User) -> ToHost {
        frame.parent_tool_use_id = Some(self.label.call_id.clone());
        frame.agent_id = Some(self.label.id.clone());
        frame.subagent_type = Some(self.label.kind.clone());
        frame.task_description = Some(self.label.description.clone());
        // Structured results of a subagent's calls are not forwarded, except those of skills and of failed calls.
        let shown = |result: &Value| result.is_string() || result.get("commandName").is_some();
        frame.tool_use_result = frame.tool_use_result.filter(shown);
        if frame.tool_use_result.as_ref().and_then(Value::as_str) == Some(messages::REJECTED_RESULT) {
            frame.tool_result_meta = None;
        }
        frame.into()
    }

    fn system(&self, system: System, muted: bool) -> Vec<ToHost> {
        match system {
            // The task list must stay consistent: every listed task is removed again, even if the relay is muted.
            System::TaskUpdated(_) | System::TaskNotification(_) | System::BackgroundTasksChanged(_) => {
                vec![ToHost::System(Box::new(system))]
            }
            // A task that is removed later must have been listed.
            System::TaskStarted(mut started) => {
                started.owned_by_subagent = Some(true);
                vec![(*started).into()]
            }
            _ if muted => Vec::new(),
            // In this mode the result of the call reports the denial.
            System::PermissionDenied(_) if self.held_messages.is_some() => Vec::new(),
            System::PermissionDenied(mut denied) => {
                denied.agent_id = Some(self.label.id.clone());
                vec![(*denied).into()]
            }
            System::ApiRetry(retry) => vec![self.retry(&retry).into()],
            System::TaskProgress(_)
            | System::Informational(_)
            | System::Notification(_)
            | System::HookStarted(_)
            | System::HookProgress(_)
            | System::HookResponse(_) => vec![ToHost::System(Box::new(system))],
            _ => Vec::new(),
        }
    }

    /// Creates the progress message for a model request that failed and is retried.
    fn retry(&self, retry: &ApiRetry) -> ToolProgress {
        let elapsed = u32::try_from(self.began.elapsed().as_secs()).unwrap_or(u32::MAX);
        ToolProgress {
            tool_use_id: format!("{}-retry-{}", self.label.call_id, retry.attempt),
            tool_name: names::AGENT.to_owned(),
            parent_tool_use_id: Some(self.label.call_id.clone()),
            elapsed_time_seconds: Number::from(elapsed),
            task_id: Some(self.label.id.clone()),
            subagent_type: Some(self.label.kind.clone()),
            subagent_retry: Some(SubagentRetry {
                agent_id: self.label.id.clone(),
                attempt: retry.attempt,
                max_retries: retry.max_retries,
                retry_delay_ms: retry.retry_delay_ms,
                error_status: retry.error_status,
                error_category: retry.error.as_str().to_owned(),
                ..SubagentRetry::default()
            }),
            session_id: retry.session_id.clone(),
            uuid: messages::fresh_id(),
            ..ToolProgress::default()
        }
    }
}
