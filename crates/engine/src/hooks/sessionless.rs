//! Hooks around calls without a session: those of the settings files, before and after a tool runs.
//!
//! There is no conversation, so hook output for the model is appended to the result. Hooks that need a session (agents,
//! tools of MCP servers) cannot run here; such a hook before a call denies it.

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

/// Hooks of the settings files and what is needed to run them without a session.
#[derive(Debug, Clone)]
pub(crate) struct SessionlessHooks {
    list: Arc<[Arc<Hook>]>,
    tasks: Arc<Tasks>,
    tool_services: Arc<ToolServices>,
    late: mpsc::Sender<Late>,
}

/// A call as described in hook inputs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HookedCall<'a> {
    pub(crate) id: &'a str,
    pub(crate) tool: &'a str,
    pub(crate) mode: &'a PermissionMode,
    pub(crate) cwd: &'a std::path::Path,
}

/// The result of hooks before a call.
#[derive(Debug, Default)]
pub(crate) struct BeforeCall {
    merged: Merged,
    /// The input with which hooks replaced the input of the call.
    pub(crate) input: Option<Value>,
}

impl BeforeCall {
    /// The verdict of the hooks. Without a session a call cannot be deferred, so `defer` becomes `ask`.
    pub(crate) fn verdict(&self) -> Option<HookVerdict> {
        let mut verdict = self.merged.verdict.clone()?;
        if verdict.permission == Permission::Defer {
            verdict.permission = Permission::Ask;
        }
        Some(verdict)
    }

    /// The reason for which a hook stops the agent, if one does.
    pub(crate) fn halt(&self) -> Option<String> {
        let why = self.merged.halt.as_deref()?;
        Some(format!("A hook stops this here. {why}"))
    }
}

impl SessionlessHooks {
    /// Must be called on a Tokio runtime.
    pub(crate) fn new(tasks: &Arc<Tasks>, tool_services: &Arc<ToolServices>) -> Self {
        let (late, mut received) = mpsc::channel(LATE_DEPTH);
        // Results of asynchronous hooks are dropped.
        tokio::spawn(async move { while received.recv().await.is_some() {} });
        Self {
            list: Arc::default(),
            tasks: tasks.clone(),
            tool_services: tool_services.clone(),
            late,
        }
    }

    /// Loads the hooks of the settings files.
    pub(crate) fn load(&mut self, options: &Options) {
        let reader = Reader {
            cwd: &options.cwd,
            home: &options.folders.home,
        };
        let read = options.settings.hooks().into_iter();
        let hooks = read.flat_map(|(source, config)| reader.read(&Origin::Settings(source), config).0);
        self.list = hooks.map(Arc::new).collect();
    }

    /// Runs `PreToolUse` hooks on a call.
    pub(crate) async fn before(&self, options: &Options, call: HookedCall<'_>, input: &Value) -> BeforeCall {
        let input = PreToolUseInput {
            session_id: options.session.id.clone(),
            cwd: call.cwd.display().to_string(),
            permission_mode: Some(call.mode.clone()),
            tool_name: call.tool.to_owned(),
            tool_input: Raw::of(input),
            tool_use_id: call.id.to_owned(),
            ..PreToolUseInput::default()
        };
        let mut merged = self.ask(options, call, HookInput::PreToolUse(Box::new(input))).await;
        BeforeCall {
            input: merged.updated_input.take(),
            merged,
        }
    }

    /// Runs `PermissionRequest` hooks on a call. Returns their decision, if any.
    pub(crate) async fn asked(
        &self,
        options: &Options,
        (call, input): (HookedCall<'_>, &Value),
        decision: &Decision,
    ) -> Option<PermissionRequestDecision> {
        let input = PermissionRequestInput {
            session_id: options.session.id.clone(),
            cwd: call.cwd.display().to_string(),
            permission_mode: Some(call.mode.clone()),
            tool_name: call.tool.to_owned(),
            tool_input: Raw::of(input),
            permission_suggestions: decision.suggestions.clone(),
            ..PermissionRequestInput::default()
        };
        let merged = self
            .ask(options, call, HookInput::PermissionRequest(Box::new(input)))
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

    /// Runs hooks on a finished call. Returns the outcome with their changes.
    pub(crate) async fn after(
        &self,
        options: &Options,
        (call, input): (HookedCall<'_>, &Value),
        before: BeforeCall,
        mut outcome: Outcome,
    ) -> Outcome {
        let input = if outcome.is_error == Some(true) {
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
        let merged = self.ask(options, call, input).await;
        if let Some(updated) = merged.updated_output.clone() {
            // An output of the wrong type is ignored.
            let _unused = replace(&mut outcome, updated);
        }
        for text in output_texts(before.merged).into_iter().chain(output_texts(merged)) {
            append(&mut outcome.content, &text);
        }
        outcome
    }

    /// Runs the hooks of an event and merges their results.
    async fn ask(&self, options: &Options, call: HookedCall<'_>, input: HookInput) -> Merged {
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
            // There is no host to report to.
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
        merge(event, join_all(waited.iter().map(|due| run_one(&hook_run, due))).await)
    }
}

async fn run_one(hook_run: &HookRun, due: &Due) -> Said {
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

/// The texts of hooks for the caller.
fn output_texts(merged: Merged) -> Vec<String> {
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
