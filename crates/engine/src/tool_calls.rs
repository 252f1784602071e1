//! Tool calls, from a `tool_use` block to its `tool_result`: checked, decided about, run, told.

use std::path::PathBuf;

use serde_json::{Value, json};
use sluice_permission::{Decision, PermissionMode, Reason, ReasonKind, Verdict};
use sluice_tools::{AnyTool, Context, Outcome, Pins};
use tokio::time::Instant;

use crate::calls::{Call, LAUNCH_DELAY, State, result_block};
use crate::guard;
use crate::hooks;
use crate::messages;
use crate::options::Asker;
use crate::policy::Answer;
use crate::sandbox::may_look;
use crate::session::Session;
use crate::structured;

mod ending;

/// How long a message that is being refused may take to end.
const STOP_DELAY: std::time::Duration = std::time::Duration::from_millis(100);

/// What a command is told that would go on by itself where nothing may.
const NO_BACKGROUND: &str = "InputValidationError: background tasks are switched off here \
    (CLAUDE_CODE_DISABLE_BACKGROUND_TASKS), so there is no run_in_background. Run the command without it.";

/// Tools whose rules are about paths.
const FILE_TOOLS: &[&str] = &["Read", "Edit", "Write", "NotebookEdit", "Glob", "Grep"];

impl Session {
    /// The tools the model may use.
    pub(crate) fn offered(&self) -> impl Iterator<Item = AnyTool> + '_ {
        self.toolbox().filter(|tool| self.offers(tool.descriptor()))
    }

    /// Every tool there is in this session, offered or not: those built in, then its own.
    pub(crate) fn toolbox(&self) -> impl Iterator<Item = AnyTool> + '_ {
        let builtin = sluice_tools::registry().iter().copied().map(AnyTool::Builtin);
        builtin.chain(self.tooling.extras.iter().cloned().map(AnyTool::Own))
    }

    fn find(&self, name: &str) -> Option<AnyTool> {
        self.toolbox()
            .find(|tool| tool.descriptor().is_called(name))
            .filter(|tool| self.offers(tool.descriptor()))
    }

    /// Takes a call in; gives the block as the host is shown it.
    pub(crate) async fn add_call(&mut self, block: &Value) -> Value {
        let field = |key: &str| block.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let (id, called) = (field("id"), field("name"));
        // One step only: what an alias leads to is meant literally.
        let name = self.options.tool_aliases.get(&called).cloned().unwrap_or(called);
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
        self.calls.list.push(Call {
            id,
            name,
            checked: Value::Null,
            presented,
            pins: Pins::default(),
            safe: tool.as_ref().is_some_and(|tool| tool.concurrency_safe(&input)),
            input,
            tool,
            state: State::New,
            decision: None,
        });
        shown
    }

    /// Looks at a new call: one that cannot run has its result at once, any other waits for the
    /// stream's next event.
    pub(crate) async fn admit_last_call(&mut self) {
        let Some(index) = self.calls.list.len().checked_sub(1) else {
            return;
        };
        let Some(call) = self.calls.list.last_mut() else { return };
        let refusal = match &call.tool {
            None if call.name == structured::TOOL && self.options.output_schema.is_some() => None,
            None => Some(Outcome::unknown_tool(&call.name)),
            Some(tool) => match call.input.get(messages::UNPARSED) {
                Some(unparsed) => {
                    let raw = unparsed.get("raw").and_then(Value::as_str).unwrap_or_default();
                    Some(Outcome::unparsed_input(&call.name, raw))
                }
                None if self.options.agents.never_in_background && wants_background(&call.name, &call.input) => {
                    Some(Outcome::failed(NO_BACKGROUND))
                }
                None => match tool.check(&call.input, &self.tooling.cwd.get()) {
                    Ok(checked) => {
                        call.checked = if call.presented { call.input.clone() } else { checked };
                        None
                    }
                    Err(invalid) => Some(invalid.into()),
                },
            },
        };
        match refusal {
            Some(outcome) => self.finish(index, outcome, None).await,
            None => {
                let soon = Instant::now() + LAUNCH_DELAY;
                self.calls.launch_at.get_or_insert(soon);
            }
        }
    }

    /// Begins every call that may begin now.
    pub(crate) async fn launch(&mut self) {
        self.let_agents_speak().await;
        self.catch_up().await;
        self.brief_desk();
        self.brief_agents();
        self.calls.launch_at = None;
        // A budget is held against the whole reply before its tools run, so with one nothing begins early.
        let budgeted = self.options.max_budget_usd.is_some();
        if self.turn.stop.is_some() || (budgeted && (self.turn.stop_reason.is_none() || self.over_budget().is_some())) {
            return;
        }
        while let Some(index) = self.calls.startable() {
            self.begin(index).await;
        }
    }

    /// Asks, runs or refuses one call.
    async fn begin(&mut self, index: usize) {
        let Some(call) = self.calls.list.get_mut(index) else {
            return;
        };
        if call.tool.is_none() {
            // Only an answer gets here without a tool: any other such call has its result already.
            return self.judge(index);
        }
        call.state = State::Running;
        call.pins = Pins::of(&call.name, &call.checked, &self.tooling.cwd.get());
        if !self.hooks_before(index).await {
            self.rule_on(index, None).await;
        }
    }

    /// Asks about, runs or refuses one call, now that its hooks have spoken.
    pub(crate) async fn rule_on(&mut self, index: usize, verdict: Option<&hooks::Verdict>) {
        let Some((tool, decision)) = self.calls.list.get(index).and_then(|call| {
            let decision = self.decide_call(call);
            let decision = self.after_hooks(decision, verdict, &call.name);
            Some((call.tool.clone()?, decision))
        }) else {
            return;
        };
        let for_a_person = tool.provenance().is_some_and(|known| known.needs_answer);
        match decision.behavior {
            Verdict::Allow if !for_a_person => return self.start(index, None, allowed_by(&decision)),
            Verdict::Deny => return self.refuse(index, &decision).await,
            Verdict::Ask | Verdict::Allow => {}
        }
        if let Some(outcome) = self.vetted(&tool, index).await {
            return self.finish(index, outcome, None).await;
        }
        let request_id = messages::fresh_id();
        let asked = match self.asker() {
            Asker::Host if !self.line.eof => {
                let Some(call) = self.calls.list.get_mut(index) else {
                    return;
                };
                let request = messages::ask(&request_id, call, &decision, &self.options.cwd);
                call.state = State::Asking(request_id.clone());
                self.enter(messages::State::RequiresAction).await;
                self.say(request).await;
                true
            }
            Asker::Tool(name) => {
                if !self.ask_referee(index, &request_id, &name).await {
                    return;
                }
                true
            }
            Asker::Host | Asker::Nobody | Asker::Refuses => false,
        };
        if !self.hooks_beside_ask(index, &request_id, &decision).await && !asked {
            self.refuse_unasked(index, &decision).await;
        }
    }

    async fn vetted(&self, tool: &AnyTool, index: usize) -> Option<Outcome> {
        let call = self.calls.list.get(index)?;
        if !may_look(&call.checked, |read| self.decide_pinned("Read", read, &call.pins)) {
            return None;
        }
        let context = Context {
            pins: Some(call.pins.clone()),
            ..self.context(&call.id)
        };
        tool.vet(&call.checked, &context).await
    }

    /// Runs a call, with its own input or with what the host changed it to; once the file it changes is kept, if it
    /// changes one.
    pub(crate) fn start(&mut self, index: usize, changed: Option<Value>, meta: Value) {
        let Some(call) = self.calls.list.get_mut(index) else {
            return;
        };
        call.state = State::Running;
        call.decision = Some(meta);
        let name = call.name.clone();
        if !self.checkpoint_call(index, &name, changed.as_ref()) {
            self.spawn_call(index, changed);
        }
    }

    /// Runs a call now.
    pub(crate) fn spawn_call(&mut self, index: usize, changed: Option<Value>) {
        let Some(call) = self.calls.list.get(index) else {
            return;
        };
        let Some(tool) = call.tool.clone() else { return };
        // Where a person was asked to do something with the input, what runs is what they were shown.
        let own = match tool.descriptor().needs_person {
            true => &call.checked,
            false => &call.input,
        };
        let input = changed.unwrap_or_else(|| own.clone());
        let (id, pins) = (call.id.clone(), call.pins.clone());
        self.hooks_at_start(&id);
        let context = Context {
            pins: Some(pins),
            ..self.context(&id)
        };
        self.calls
            .running
            .spawn(async move { (index, guard::called(tool.run(input, &context)).await) });
    }

    pub(crate) fn context(&self, call_id: &str) -> Context {
        Context {
            call_id: call_id.to_owned(),
            cwd: self.tooling.cwd.clone(),
            roots: self.roots(),
            env: self.options.env.clone().into(),
            files: self.tooling.files.clone(),
            output_dir: self.options.output_dir.clone(),
            cancel: self.calls.cancel.clone(),
            events: self.tooling.reports.clone(),
            tasks: self.tooling.tasks.clone(),
            hidden: Some(self.hidden()),
            pins: None,
            takes_shared: self.policy.mode == PermissionMode::BypassPermissions,
            services: self.tooling.services.clone(),
            lists: self.tooling.lists.clone(),
            web: self.tooling.web.clone(),
            sandbox: self.tooling.sandbox.clone(),
        }
    }

    fn roots(&self) -> Vec<PathBuf> {
        std::iter::once(self.options.cwd.clone())
            .chain(self.options.add_dirs.iter().cloned())
            .collect()
    }

    /// A call has run while the model still speaks: its result is told when the message is whole, so
    /// that hosts see results behind the message they belong to.
    pub(crate) fn hold(&mut self, index: usize, outcome: Outcome) {
        self.calls.held.push((index, outcome));
    }

    /// Whether calls run that will end without being told to: no subagent among them.
    pub(crate) fn runs_commands(&self) -> bool {
        let running = || {
            self.calls
                .list
                .iter()
                .filter(|call| matches!(call.state, State::Running))
        };
        let agent = |call: &Call| self.starts_agent(&call.name, &call.input);
        !self.calls.running.is_empty() && !running().any(agent)
    }

    /// Tells of those that were held back and only start something: the message has gone on since.
    pub(crate) async fn release_launched(&mut self) {
        let launched = |(_, outcome): &(usize, Outcome)| outcome.result.get("isAsync").is_some();
        if !self.calls.held.iter().any(launched) {
            return;
        }
        let held = std::mem::take(&mut self.calls.held);
        let (now, later) = held.into_iter().partition(launched);
        self.calls.held = later;
        let now: Vec<(usize, Outcome)> = now;
        for (index, outcome) in now {
            self.drain_events().await;
            self.finish_run(index, outcome).await;
        }
    }

    /// Tells what was held back.
    pub(crate) async fn release(&mut self) {
        for (index, outcome) in std::mem::take(&mut self.calls.held) {
            self.drain_events().await;
            self.finish_run(index, outcome).await;
        }
    }

    /// A call has run.
    pub(crate) async fn finish_run(&mut self, index: usize, outcome: Outcome) {
        let mut outcome = self.taught(index, outcome);
        if outcome.is_error != Some(true) && !outcome.interrupted {
            self.touched_by_call(index);
        }
        self.take_effect(std::mem::take(&mut outcome.effects)).await;
        let meta = self.calls.list.get_mut(index).and_then(|call| call.decision.take());
        let meta = meta.map(|meta| match outcome.interrupted {
            true => json!({"permission_decision": meta, "non_execution_kind": "interrupted"}),
            false => json!({"permission_decision": meta}),
        });
        if let Some((outcome, meta)) = self.hooks_after(index, outcome, meta).await {
            self.finish(index, outcome, meta).await;
        }
    }

    /// A call would have to be asked about, and nobody can be.
    pub(crate) async fn refuse_unasked(&mut self, index: usize, decision: &Decision) {
        match self.asker() {
            Asker::Refuses => {
                let mut refused = decision.clone();
                refused.reason = Reason::said(ReasonKind::AsyncAgent, "nobody answers questions in this session");
                self.refuse(index, &refused).await;
            }
            Asker::Nobody => self.refuse(index, decision).await,
            Asker::Host => self.ask_failed(index, "AbortError: Stream closed").await,
            // It is asked, and will answer.
            Asker::Tool(_) => {}
        }
    }

    /// A call may not run, and nobody is asked.
    async fn refuse(&mut self, index: usize, decision: &Decision) {
        if decision.reason.kind == Some(ReasonKind::Hook) {
            return self.deny(index, &decision.message, "hook", Some("hook")).await;
        }
        if let Some(kind) = self.denied_kind(index, decision) {
            // So are the kinds of the tool that starts subagents.
            return self.finish(index, Outcome::failed(kind), None).await;
        }
        // A file tool's path rules are part of its own checks: its result says it all.
        let by_path = decision.behavior == Verdict::Deny && decision.reason.kind == Some(ReasonKind::Rule);
        if let Some(call) = self.calls.list.get(index)
            && !(by_path && FILE_TOOLS.contains(&call.name.as_str()))
        {
            let denied = messages::permission_denied(call, decision);
            self.say(denied).await;
        }
        let reason = decision.reason.kind.map(ReasonKind::as_str);
        // Hooks hear of what the mode judges by itself; rules and missing people are no news to whoever set them up.
        let judged = self.policy.mode == PermissionMode::Auto;
        if judged
            && self
                .hooks_after_denial(index, &decision.message, denial("config", reason))
                .await
        {
            return self.remember_denial(index);
        }
        self.deny(index, &decision.message, "config", reason).await;
    }

    pub(crate) async fn ask_failed(&mut self, index: usize, why: &str) {
        let message = format!("Tool permission request failed: {why}");
        self.deny(index, &message, "config", Some("other")).await;
    }

    pub(crate) async fn deny(&mut self, index: usize, message: &str, source: &str, reason_type: Option<&str>) {
        self.remember_denial(index);
        let meta = denial(source, reason_type);
        self.finish(index, Outcome::failed(message), Some(meta)).await;
    }

    pub(crate) fn remember_denial(&mut self, index: usize) {
        if let Some(call) = self.calls.list.get(index) {
            self.turn.denials.push(json!({
                "tool_name": call.name, "tool_use_id": call.id, "tool_input": call.checked,
            }));
        }
    }

    /// Every call ends here, once: the result is told and kept for the model.
    pub(crate) async fn finish(&mut self, index: usize, outcome: Outcome, meta: Option<Value>) {
        let Some(call) = self.calls.list.get_mut(index) else {
            return;
        };
        if matches!(call.state, State::Done(_)) {
            return;
        }
        let block = result_block(&call.id, &outcome.content, outcome.is_error);
        self.account.lines.count(&outcome.result);
        let frame = messages::tool_result(&call.id, &block, outcome.result, meta);
        call.state = State::Done(for_model(block.clone()));
        let id = call.id.clone();
        self.turn.frames += 1;
        self.say_result(&id, frame, block).await;
    }

    /// The host has answered an ask.
    pub(crate) async fn answered(&mut self, index: usize, answer: Result<Value, String>) {
        if self.calls.open_asks().len() <= 1 {
            self.enter(messages::State::Running).await;
        }
        let answer = match answer {
            Err(error) => {
                self.ask_failed(index, &format!("Error: {error}")).await;
                return self.launch().await;
            }
            Ok(value) => Answer::read(&value),
        };
        match answer {
            Answer::Allow { input, updates, meta } => {
                // The rules an answer brings are for what comes after the call it allows.
                let asked = self.calls.list.get(index).map(|call| self.decide_call(call));
                for update in updates {
                    self.apply(&update).await;
                }
                match input {
                    None => self.start_allowed(index, asked, meta).await,
                    Some(input) => self.start_changed(index, &input, asked, meta).await,
                }
            }
            Answer::Deny {
                message,
                interrupt: false,
            } => self.deny(index, &message, "user_reject", None).await,
            Answer::Deny { interrupt: true, .. } => {
                // The model may be in the middle of its message: what it is about to say now is part of what
                // the person refuses, so it gets a moment to finish.
                self.agents.refuse();
                self.remember_denial(index);
                if let Some(call) = self.calls.list.get_mut(index) {
                    call.state = State::Running;
                }
                self.turn.stop_by = Some(Instant::now() + STOP_DELAY);
            }
            Answer::Invalid(why) => self.deny(index, &why, "config", Some("other")).await,
        }
        self.launch().await;
    }

    /// Runs a call as it was asked about, unless a rule that came while the question was open forbids it: `asked` is what
    /// was decided when the answer came.
    async fn start_allowed(&mut self, index: usize, asked: Option<Decision>, meta: Value) {
        match asked {
            Some(decision) if decision.behavior == Verdict::Deny => self.refuse(index, &decision).await,
            _ => self.start(index, None, meta),
        }
    }

    /// Runs a call with the input the host put in place of the model's. It is held against the
    /// rules again: an answer can change what is done, not what is forbidden.
    pub(crate) async fn start_changed(&mut self, index: usize, input: &Value, asked: Option<Decision>, meta: Value) {
        let Some(call) = self.calls.list.get_mut(index) else {
            return;
        };
        let Some(tool) = call.tool.clone() else { return };
        if *input == call.checked {
            // What was asked about: the model's own spelling of paths is kept.
            return self.start_allowed(index, asked, meta).await;
        }
        match tool.check(input, &self.tooling.cwd.get()) {
            Err(invalid) => self.finish(index, invalid.into(), None).await,
            Ok(checked) => {
                call.pins = Pins::of(&call.name, &checked, &self.tooling.cwd.get());
                call.checked = checked;
                let decision = self.calls.list.get(index).map(|call| self.decide_call(call));
                match decision {
                    Some(decision) if decision.behavior == Verdict::Deny => self.refuse(index, &decision).await,
                    _ => self.start(index, Some(input.clone()), meta),
                }
            }
        }
    }
}

/// Whether a command is meant to go on by itself.
fn wants_background(tool: &str, input: &Value) -> bool {
    tool == "Bash" && input.get("run_in_background") == Some(&Value::Bool(true))
}

/// A result as the model is given it back. References to tools are a notation of the wire: what the model needs to
/// know is that the tools are there.
pub(crate) fn for_model(mut block: Value) -> Value {
    if let Some(Value::Array(parts)) = block.get_mut("content") {
        for part in parts {
            if part.get("type").and_then(Value::as_str) == Some("tool_reference") {
                let name = part.get("tool_name").and_then(Value::as_str).unwrap_or_default();
                *part = json!({"type": "text", "text": format!("{name} is loaded: you can call it from now on.")});
            }
        }
    }
    block
}

/// How a call came to be refused, for the result's meta.
fn denial(source: &str, reason_type: Option<&str>) -> Value {
    let mut decision = json!({"decision": "reject", "source": source});
    if let (Some(reason), Some(map)) = (reason_type, decision.as_object_mut()) {
        map.insert("reason_type".to_owned(), reason.into());
    }
    json!({"non_execution_kind": "permission-rule", "permission_decision": decision})
}

/// How a call came to be allowed without a question, for the result's meta.
fn allowed_by(decision: &Decision) -> Value {
    let by_hook = decision.reason.kind == Some(ReasonKind::Hook);
    let mut meta = json!({"decision": "accept", "source": if by_hook { "hook" } else { "config" }});
    if let (Some(kind), Some(map)) = (decision.reason.kind, meta.as_object_mut()) {
        map.insert("reason_type".to_owned(), kind.as_str().into());
    }
    meta
}
