//! Tool calls of a session, from a `tool_use` block to its `tool_result`.
//!
//! * `driver`: advances the state machine of a call ([`sluice_call`]) and performs its effects;
//! * `asking`: sends permission requests and applies the answers;
//! * `ending`: ends calls early.

use std::path::PathBuf;

use serde_json::{Value, json};
use sluice_call::{Call, CallEvent};
use sluice_permission::PermissionMode;
use sluice_tools::{AnyTool, Context, Descriptor, Outcome, Pins};

use crate::guard;
use crate::messages;
use crate::session::Session;
use crate::structured;

mod asking;
mod driver;
mod ending;

pub(crate) use sluice_call::for_model;

/// The error for a background command if background tasks are disabled.
const NO_BACKGROUND: &str = "InputValidationError: background tasks are switched off here \
    (CLAUDE_CODE_DISABLE_BACKGROUND_TASKS), so there is no run_in_background. Run the command without it.";

impl Session {
    /// The tools that the model may use.
    pub(crate) fn offered(&self) -> impl Iterator<Item = AnyTool> + '_ {
        self.toolbox().filter(|tool| self.offers(tool.descriptor()))
    }

    /// All tools of this session, whether or not they are offered: built-in ones first.
    pub(crate) fn toolbox(&self) -> impl Iterator<Item = AnyTool> + '_ {
        let builtin = self.options.tools.toolbox.iter().map(AnyTool::Builtin);
        builtin.chain(self.tooling.extras().iter().cloned().map(AnyTool::Own))
    }

    fn find(&self, name: &str) -> Option<AnyTool> {
        self.tool_called(name).filter(|tool| self.offers(tool.descriptor()))
    }

    /// Finds a tool by name or alias, whether or not it is offered.
    pub(crate) fn tool_called(&self, name: &str) -> Option<AnyTool> {
        self.toolbox().find(|tool| tool.descriptor().is_called(name))
    }

    /// Adds a call. Returns its block as displayed by the host.
    pub(crate) async fn add_call(&mut self, block: &Value) -> Value {
        let field = |key: &str| block.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let (id, called) = (field("id"), field("name"));
        // Aliases are resolved once, not recursively.
        let name = self.options.tools.aliases.get(&called).cloned().unwrap_or(called);
        let tool = self.find(&name);
        let raw = block.get("input").cloned().unwrap_or_else(|| json!({}));
        let mut presented = false;
        let input = match &tool {
            Some(tool) if raw.get(messages::UNPARSED).is_none() => {
                let filled = tool.fill(&raw);
                let shown = tool.present(&filled, &self.context(&id)).await;
                presented = shown.is_some();
                shown.unwrap_or(filled)
            }
            _ => raw,
        };
        let mut shown = block.clone();
        if let Some(slot) = shown.get_mut("input") {
            slot.clone_from(&input);
        }
        let mut call = Call::new(id, name, input, tool);
        call.presented = presented;
        self.calls.add(call);
        shown
    }

    /// Validates a new call. An invalid call gets its result immediately; any other waits for the next event of the
    /// stream.
    pub(crate) async fn admit_last_call(&mut self) {
        let Some(index) = self.calls.len().checked_sub(1) else {
            return;
        };
        let Some(call) = self.calls.get_mut(index) else { return };
        let refusal = match &call.tool {
            None if call.name == structured::TOOL && self.options.conversation.output_schema.is_some() => None,
            None => Some(Outcome::unknown_tool(&call.name)),
            Some(tool) => match call.input.get(messages::UNPARSED) {
                Some(unparsed) => {
                    let raw = unparsed.get("raw").and_then(Value::as_str).unwrap_or_default();
                    Some(Outcome::unparsed_input(&call.name, raw))
                }
                None if self.options.agents.never_in_background
                    && is_background_call(tool.descriptor(), &call.input) =>
                {
                    Some(Outcome::failed(NO_BACKGROUND))
                }
                None => match tool.check(&call.input, &self.tooling.cwd().get()) {
                    Ok(checked) => {
                        call.checked = if call.presented { call.input.clone() } else { checked };
                        None
                    }
                    Err(invalid) => Some(invalid.into()),
                },
            },
        };
        match refusal {
            Some(outcome) => self.advance(index, CallEvent::Unfit(Box::new(outcome))).await,
            None => {
                self.calls.launch_soon();
            }
        }
    }

    /// Starts every call that may start now.
    pub(crate) async fn launch(&mut self) {
        self.release_agents_and_wait().await;
        self.apply_shared_changes().await;
        self.update_services();
        self.brief_agents();
        self.calls.clear_launch();
        // With a budget, the cost of the whole response is checked before its calls start.
        let budgeted = self.options.limits.max_budget_usd.is_some();
        if self.turn.stop().is_some() || (budgeted && (self.turn.stop_reason.is_none() || self.over_budget().is_some()))
        {
            return;
        }
        while let Some(index) = self.calls.startable() {
            self.begin(index).await;
        }
    }

    /// Starts one call.
    async fn begin(&mut self, index: usize) {
        let Some(call) = self.calls.get(index) else {
            return;
        };
        let Some(tool) = &call.tool else {
            // A call without a tool is structured output; other such calls have a result already.
            return self.judge(index);
        };
        // An earlier call may have changed what the person is shown, such as the plan.
        if tool.descriptor().needs_person
            && index > 0
            && let Some(shown) = tool
                .clone()
                .present(&call.checked, &self.context(&call.id.clone()))
                .await
            && let Some(call) = self.calls.get_mut(index)
        {
            call.checked = shown;
            call.presented = true;
        }
        let Some((call, tool)) = self.calls.get(index).and_then(|call| Some((call, call.tool.as_ref()?))) else {
            return;
        };
        let pins = Pins::of(tool.descriptor().touches, &call.checked, &self.tooling.cwd().get());
        self.advance(index, CallEvent::Begun(pins)).await;
    }

    /// Runs a call that is allowed.
    pub(crate) fn spawn_call(&mut self, index: usize) {
        let Some(call) = self.calls.get(index) else {
            return;
        };
        let Some(tool) = call.tool.clone() else { return };
        let (id, input, pins) = (call.id.clone(), call.run_input().clone(), call.pins.clone());
        self.hooks_at_start(&id);
        let context = Context {
            pins: Some(pins),
            ..self.context(&id)
        };
        self.calls.run(
            index,
            async move { guard::catch_panic(tool.run(input, &context)).await },
        );
    }

    pub(crate) fn context(&self, call_id: &str) -> Context {
        Context {
            roots: self.roots(),
            env: self.options.env.clone(),
            output_dir: self.options.folders.outputs.clone(),
            hidden: Some(self.hidden()),
            policy: Some(self.policy.clone()),
            takes_shared: self.policy.mode == PermissionMode::BypassPermissions,
            ..self.tooling.context(call_id, self.calls.cancellation())
        }
    }

    fn roots(&self) -> Vec<PathBuf> {
        std::iter::once(self.options.cwd.clone())
            .chain(self.options.folders.added.iter().cloned())
            .collect()
    }

    /// True if calls are running and none of them starts a subagent.
    pub(crate) fn runs_commands(&self) -> bool {
        let mut under_way = self.calls.iter().filter(|call| call.is_under_way());
        self.calls.any_run() && !under_way.any(|call| self.starts_agent(&call.name, &call.input))
    }

    /// Sends the results of held calls that only started a background task: the message has continued since.
    pub(crate) async fn release_launched(&mut self) {
        let launched = |outcome: &Outcome| outcome.result.get("isAsync").is_some();
        for (index, outcome) in self.calls.release(launched) {
            self.drain_events().await;
            self.finish_run(index, outcome).await;
        }
    }

    /// Sends all held results.
    pub(crate) async fn release(&mut self) {
        for (index, outcome) in self.calls.release(|_| true) {
            self.drain_events().await;
            self.finish_run(index, outcome).await;
        }
    }

    /// Applies the outcome of a call that has run.
    pub(crate) async fn finish_run(&mut self, index: usize, outcome: Outcome) {
        if !self.calls.get(index).is_some_and(Call::is_running) {
            return;
        }
        let mut outcome = self.with_schema(index, outcome);
        if outcome.is_error != Some(true) && !outcome.interrupted {
            self.touched_by_call(index);
        }
        self.apply_effects(std::mem::take(&mut outcome.effects)).await;
        self.advance(index, CallEvent::Ran(Box::new(outcome))).await;
    }
}

/// True if a command should run in the background.
fn is_background_call(tool: &Descriptor, input: &Value) -> bool {
    let wanted = tool.background.and_then(|key| input.get(key));
    wanted == Some(&Value::Bool(true))
}
