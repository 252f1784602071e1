//! Hooks around calls where there is no session: those of the settings, before and after a tool runs.
//!
//! There is no conversation to speak into, so that what they say for a model stands behind the result. What needs a
//! session to be asked, an agent or a server, cannot be asked here: such a hook before a call refuses it.

use std::sync::Arc;

use futures_util::future::join_all;
use serde_json::{Value, json};
use sluice_call::{HookVerdict, Permission};
use sluice_hooks::config::{Handler, Hook, Origin, Reader};
use sluice_hooks::event::Event;
use sluice_hooks::http::Rules;
use sluice_hooks::merge::{Merged, Said, merge};
use sluice_hooks::output::{Block, Failure, refusal};
use sluice_hooks::tool_output::{replace, text_of};
use sluice_hooks::{Due, HookRun, Late, meant, name_of, run, untrusted};
use sluice_permission::{Decision, PermissionMode};
use sluice_tools::{AnyTool, Outcome, Tasks};
use sluice_wire::Raw;
use sluice_wire::hook::{
    HookInput, PermissionRequestDecision, PermissionRequestInput, PostToolUseFailureInput, PostToolUseInput,
    PreToolUseInput,
};
use sluice_wire::permission_update::Behavior;
use tokio::sync::mpsc;

use super::{LATE_DEPTH, environment};
use crate::options::Options;
use crate::services::ToolServices;

/// Hooks of the settings, and what it takes to run them without a session.
#[derive(Debug, Clone)]
pub(crate) struct SessionlessHooks {
    list: Arc<[Arc<Hook>]>,
    tasks: Arc<Tasks>,
    tool_services: Arc<ToolServices>,
    late: mpsc::Sender<Late>,
}

/// A call, as hooks are told of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Watched<'a> {
    pub(crate) id: &'a str,
    pub(crate) tool: &'a str,
    pub(crate) mode: &'a PermissionMode,
    pub(crate) cwd: &'a std::path::Path,
}

/// What hooks say before a call.
#[derive(Debug, Default)]
pub(crate) struct Before {
    merged: Merged,
    /// The input they put in the place of the call's own.
    pub(crate) input: Option<Value>,
}

impl Before {
    /// What they say of the call. There is no turn to end with it undone: one that would put it off asks about it.
    pub(crate) fn verdict(&self) -> Option<HookVerdict> {
        let mut verdict = self.merged.verdict.clone()?;
        if verdict.permission == Permission::Defer {
            verdict.permission = Permission::Ask;
        }
        Some(verdict)
    }

    /// Why nothing more is to be done, if a hook says so.
    pub(crate) fn halt(&self) -> Option<String> {
        let why = self.merged.halt.as_deref()?;
        Some(format!("A hook stops this here. {why}"))
    }
}

impl SessionlessHooks {
    /// Has to be made on a runtime.
    pub(crate) fn new(tasks: &Arc<Tasks>, tool_services: &Arc<ToolServices>) -> Self {
        let (late, mut heard) = mpsc::channel(LATE_DEPTH);
        // Nobody here waits for what a hook says long after its call.
        tokio::spawn(async move { while heard.recv().await.is_some() {} });
        Self {
            list: Arc::default(),
            tasks: tasks.clone(),
            tool_services: tool_services.clone(),
            late,
        }
    }

    /// Reads the hooks of the settings.
    pub(crate) fn lay_out(&mut self, options: &Options) {
        let reader = Reader {
            cwd: &options.cwd,
            home: &options.folders.home,
        };
        let read = options.settings.hooks().into_iter();
        let hooks = read.flat_map(|(source, config)| reader.read(&Origin::Settings(source), config).0);
        self.list = hooks.map(Arc::new).collect();
    }

    /// Shows a call to hooks before it is decided about.
    pub(crate) async fn before(&self, options: &Options, call: Watched<'_>, input: &Value) -> Before {
        let told = PreToolUseInput {
            session_id: options.session.id.clone(),
            cwd: call.cwd.display().to_string(),
            permission_mode: Some(call.mode.clone()),
            tool_name: call.tool.to_owned(),
            tool_input: Raw::of(input),
            tool_use_id: call.id.to_owned(),
            ..PreToolUseInput::default()
        };
        let mut merged = self.ask(options, call, HookInput::PreToolUse(Box::new(told))).await;
        Before {
            input: merged.updated_input.take(),
            merged,
        }
    }

    /// Shows a call to hooks that somebody would have to be asked about; what they decide, if they do.
    pub(crate) async fn asked(
        &self,
        options: &Options,
        (call, input): (Watched<'_>, &Value),
        decision: &Decision,
    ) -> Option<PermissionRequestDecision> {
        let told = PermissionRequestInput {
            session_id: options.session.id.clone(),
            cwd: call.cwd.display().to_string(),
            permission_mode: Some(call.mode.clone()),
            tool_name: call.tool.to_owned(),
            tool_input: Raw::of(input),
            permission_suggestions: decision.suggestions.clone(),
            ..PermissionRequestInput::default()
        };
        let merged = self
            .ask(options, call, HookInput::PermissionRequest(Box::new(told)))
            .await;
        if let Some(why) = merged.halt {
            return Some(PermissionRequestDecision {
                behavior: Behavior::Deny,
                message: Some(format!("A hook stops this here. {why}")),
                ..PermissionRequestDecision::default()
            });
        }
        merged.decision
    }

    /// Shows a call that has run to hooks; its outcome, as they leave it.
    pub(crate) async fn after(
        &self,
        options: &Options,
        (call, input): (Watched<'_>, &Value),
        before: Before,
        mut outcome: Outcome,
    ) -> Outcome {
        let told = if outcome.is_error == Some(true) {
            HookInput::PostToolUseFailure(Box::new(PostToolUseFailureInput {
                session_id: options.session.id.clone(),
                cwd: call.cwd.display().to_string(),
                permission_mode: Some(call.mode.clone()),
                tool_name: call.tool.to_owned(),
                tool_input: Raw::of(input),
                tool_use_id: call.id.to_owned(),
                error: text_of(&outcome.content),
                ..PostToolUseFailureInput::default()
            }))
        } else {
            HookInput::PostToolUse(Box::new(PostToolUseInput {
                session_id: options.session.id.clone(),
                cwd: call.cwd.display().to_string(),
                permission_mode: Some(call.mode.clone()),
                tool_name: call.tool.to_owned(),
                tool_input: Raw::of(input),
                tool_response: Raw::of(&outcome.result),
                tool_use_id: call.id.to_owned(),
                ..PostToolUseInput::default()
            }))
        };
        let merged = self.ask(options, call, told).await;
        if let Some(updated) = merged.updated_output.clone() {
            // One that is not of the tool's kind is not used.
            let _unused = replace(&mut outcome, updated);
        }
        for text in spoken(before.merged).into_iter().chain(spoken(merged)) {
            append(&mut outcome.content, &text);
        }
        outcome
    }

    /// What the hooks of an event say together.
    async fn ask(&self, options: &Options, call: Watched<'_>, input: HookInput) -> Merged {
        let Some(event) = Event::of(&input) else {
            return Merged::default();
        };
        let known = |name: &str| options.tools.toolbox.find(name).map(AnyTool::Builtin);
        let due = meant(&self.list, event, &input, call.cwd, known);
        if due.is_empty() {
            return Merged::default();
        }
        let hook_run = HookRun {
            event,
            name: name_of(event, &input),
            input: serde_json::to_string(&input).unwrap_or_default().into(),
            // Nobody hears of starts and ends here.
            reports: None,
            tasks: self.tasks.clone(),
            model: self.tool_services.clone(),
            cwd: call.cwd.to_owned(),
            env: environment(options),
            web: options.web_config(),
            rules: Rules::of(&options.settings),
            untrusted: untrusted(&options.settings),
            late: self.late.clone(),
        };
        let (beside, waited): (Vec<Due>, Vec<Due>) = due
            .into_iter()
            .partition(|due| matches!(due.hook.handler, Handler::Command { is_async: true, .. }));
        for due in beside {
            let hook_run = hook_run.clone();
            tokio::spawn(async move { run(&hook_run, &due).await });
        }
        merge(event, join_all(waited.iter().map(|due| said(&hook_run, due))).await)
    }
}

async fn said(hook_run: &HookRun, due: &Due) -> Said {
    let what = match due.hook.handler {
        Handler::Agent { .. } | Handler::McpTool { .. } => {
            let kind = due.hook.handler.kind();
            let why = format!("its hook ({kind}) needs a session, and there is none");
            match hook_run.event {
                Event::PreToolUse => Ok(refusal(hook_run.event, Block::plain(why))),
                _ => Err(Failure::Broken(why)),
            }
        }
        _ => run(hook_run, due).await,
    };
    due.said(hook_run, what)
}

/// What hooks say to whoever made the call.
fn spoken(merged: Merged) -> Vec<String> {
    let contexts = merged
        .contexts
        .into_iter()
        .map(|(name, text)| format!("[{name} hook] {text}"));
    let blocks = merged.block.map(|block| format!("[hook] {}", block.shown));
    contexts.chain(blocks).collect()
}

fn append(content: &mut Value, text: &str) {
    match content {
        Value::String(said) => {
            said.push_str("\n\n");
            said.push_str(text);
        }
        Value::Array(blocks) => blocks.push(json!({"type": "text", "text": text})),
        other => *other = text.into(),
    }
}
