//! Control requests of the host and the responses of the session. Every request gets exactly one response.

mod aside;
mod context;
mod diff;
mod files;
mod others;
mod roots;
mod servers;
mod settings;
pub(crate) mod spending;
mod table;

use serde_json::Value;
use sluice_settings::keys;
use sluice_tools::OutputSchema;
use sluice_wire::ToAgent;
use sluice_wire::control::{
    AccountInfo, CancelAsyncMessageResponse, ControlRequest, ControlResponse, InitializeResponse, InterruptResponse,
    ListModelsResponse, RenameSession, RequestId, Response, SetMaxThinkingTokens, SetModelResponse,
    SetPermissionModeResponse, Success,
};
use sluice_wire::stdin::User;

use crate::catalogue::styles;
use crate::messages;
use crate::model_choice::{Answers, Switch};
use crate::options::Thinking;
use crate::session::Session;
use crate::subagents;
use crate::turn::Stop;

impl Session {
    /// Handles a message of the host.
    pub(crate) async fn on_host_message(&mut self, message: ToAgent) {
        match message {
            ToAgent::User(prompt) => self.enqueue(*prompt).await,
            ToAgent::ControlRequest(request) => self.control(*request).await,
            ToAgent::ControlResponse(response) => self.on_host_answer(*response).await,
            ToAgent::UpdateEnvironmentVariables(update) => {
                for (name, value) in update.variables {
                    self.options.set_env(name, value);
                }
            }
            ToAgent::ControlCancelRequest(cancel) => self.requests.concurrent.cancel(&cancel.request_id),
            ToAgent::KeepAlive(_) | ToAgent::Unknown(_) => {}
        }
    }

    /// Handles the host's answer to a request of the session. Late and unknown answers are ignored.
    async fn on_host_answer(&mut self, answer: ControlResponse) {
        if self.options.host.replay {
            self.emit(answer.clone()).await;
        }
        let id = answer.request_id().to_string();
        if self.calls.asking(&id).is_none() && self.agents.route(&id, &answer) {
            return self.update_waiting_state().await;
        }
        let answer = match answer.response {
            Response::Success(success) => Ok(success.response.unwrap_or_default()),
            Response::Error(failure) => Err(failure.error),
            Response::Unknown(_) => Ok(Value::Null),
        };
        match self.calls.asking(&id) {
            Some(index) => self.answered(index, answer).await,
            None => {
                if !self.line.requests().deliver(&id, answer.clone()) {
                    self.hooks.answered(&id, answer);
                }
            }
        }
    }

    async fn initialize(&mut self, id: &RequestId, mut request: sluice_wire::control::Initialize) {
        let sdk_mcp_manifests_parked = self.host_servers(&request);
        let mcp_servers_applied = self.apply_initialize_servers(&request);
        if let Err(why) = self.apply_initialize_prompts(&mut request) {
            return self.emit(messages::error(id, why)).await;
        }
        let plugins_applied = self.apply_initialize_catalogue(request.skills, request.plugins);
        self.set_host_agents(request.agents.and_then(|agents| serde_json::to_value(agents).ok()));
        let first_prompt = self.start_main_agent_from_initialize();
        self.options.agents.forward_text |= request.forward_subagent_text == Some(true);
        self.options.agents.stopped_one_by_one |= request.per_task_stop_affordance == Some(true);
        self.options.agents.summaries |= request.agent_progress_summaries == Some(true);
        let agents = subagents::infos(&self.load_roster());
        self.conversation.remake_system();
        let hooks_applied = self.register_hooks(request.hooks.as_ref()).await;
        if !self.options.session.parked {
            self.tooling.servers().greet().await;
        }
        let repeated = self.line.initialize();
        let commands = self.commands();
        self.commands.set_host_commands(&commands);
        let response = InitializeResponse {
            commands: Some(commands),
            agents: Some(agents),
            output_style: Some(self.style_name()),
            available_output_styles: Some(styles::names(&self.commands.catalogue().styles)),
            user_output_styles_dir: Some(self.user_styles_dir()),
            plugins_applied: plugins_applied.then_some(true),
            models: serde_json::from_value(Value::Array(self.model.client.names().picker())).ok(),
            account: Some(AccountInfo {
                token_source: Some("none".to_owned()),
                api_key_source: Some(self.options.model.key_source.as_str().to_owned()),
                api_provider: Some("firstParty".to_owned()),
                ..AccountInfo::default()
            }),
            pid: Some(u64::from(std::process::id())),
            claude_code_version: Some(messages::PROTOCOL_VERSION.to_owned()),
            current_permission_mode: Some(self.policy.mode.clone()),
            hooks_applied,
            hook_on_failure_supported: Some(true),
            hooks_when_unanswered_kept: Some(0),
            other_hook_ask_outranks_host: Some(true),
            session_state: Some(messages::state(self.line.state(), false).state),
            sdk_mcp_manifests_parked,
            mcp_servers_applied,
            capabilities: Some(messages::CAPABILITIES.iter().map(|&word| word.to_owned()).collect()),
            ..InitializeResponse::default()
        };
        let answer = ControlResponse::from(Success {
            request_id: id.clone(),
            response: serde_json::to_value(response).ok(),
            pending_permission_requests: Some(self.open_requests()),
            pending_user_dialog_requests: Some(Vec::new()),
            ..Success::default()
        });
        self.emit(answer).await;
        if let Some(title) = request.title.filter(|_| self.conversation.transcript.title().is_none()) {
            // An invalid title must not fail the whole request.
            let _untitled = self.rename(&title, None).await;
        }
        // A resumed conversation had the initial prompt already.
        if let Some(first) = first_prompt.filter(|_| self.conversation.history.is_empty()) {
            self.enqueue(User::new(first)).await;
        }
        // A host that attaches again or late must receive the list of running tasks.
        let is_late = self.turn.is_open() && self.turn.resume_reason().is_none();
        if repeated || self.line.results() > 0 || is_late {
            self.emit_background_tasks().await;
        }
    }

    /// Applies the fields of `initialize` that concern prompts and responses.
    fn apply_initialize_prompts(&mut self, request: &mut sluice_wire::control::Initialize) -> Result<(), String> {
        if let Some(wanted) = request.prompt_suggestions {
            self.options.conversation.suggestions = wanted;
        }
        if let Some(schema) = request.json_schema.take().filter(|schema| !schema.is_null()) {
            let schema = OutputSchema::parse(schema.get());
            self.options.conversation.output_schema =
                Some(schema.map_err(|error| format!("initialize: jsonSchema: {error}"))?);
        }
        let words = &mut self.options.prompt.words;
        if let Some(prompt) = request.system_prompt.take() {
            words.replace = Some(prompt_text(prompt.as_slice()));
        }
        if let Some(append) = request.append_system_prompt.take() {
            words.append = Some(append);
        }
        words.plan = request.plan_mode_instructions.take().or(words.plan.take());
        words.keep = request.system_prompt_snapshot.unwrap_or(words.keep);
        words.place_apart |= request.exclude_dynamic_sections == Some(true);
        let aliases = request.tool_aliases.take();
        self.options.tools.aliases.extend(aliases.into_iter().flatten());
        Ok(())
    }

    async fn interrupt(&mut self, id: &RequestId, cancel_queued: bool) {
        let running = self.turn.is_open() && self.turn.stop().is_none();
        if running {
            self.withdraw_asks().await;
        }
        self.withdraw_agents_asks().await;
        let mut response = InterruptResponse::default();
        if cancel_queued {
            let cancelled = self.queue.cancel_all();
            for uuid in &cancelled {
                self.emit(messages::lifecycle(uuid, "cancelled")).await;
            }
            response.cancelled = Some(cancelled);
        }
        response.still_queued = Some(self.queue.uuids());
        self.interrupt_agents().await;
        self.emit(messages::success(id, &response)).await;
        if running {
            self.turn.stop_with(Stop::Interrupt);
        } else if !self.turn.is_open() {
            self.release_stopped_agents();
        }
    }

    async fn cancel_prompt(&mut self, id: &RequestId, uuid: &str) {
        let cancelled = self.queue.cancel(uuid);
        if cancelled {
            self.emit(messages::lifecycle(uuid, "cancelled")).await;
        }
        let response = CancelAsyncMessageResponse {
            cancelled,
            ..CancelAsyncMessageResponse::default()
        };
        self.emit(messages::success(id, &response)).await;
    }

    async fn rename_session(&mut self, id: &RequestId, request: &RenameSession) {
        let renamed = match request.source.as_deref() {
            None | Some("remote" | "host") => self.rename(&request.title, request.session_id.as_deref()).await,
            Some(_) => Err("rename_session: source must be 'remote' or 'host'".to_owned()),
        };
        self.emit(match renamed {
            Ok(()) => messages::ok(id),
            Err(why) => messages::error(id, why),
        })
        .await;
    }

    async fn list_models(&mut self, id: &RequestId) {
        let response = ListModelsResponse {
            models: serde_json::from_value(Value::Array(self.model.client.names().picker())).unwrap_or_default(),
            ..ListModelsResponse::default()
        };
        self.emit(messages::success(id, &response)).await;
    }

    async fn switch_mode(&mut self, id: &RequestId, word: Option<&str>) {
        let before = self.policy.mode.clone();
        match self.set_mode(word) {
            Err((code, text)) => self.emit(messages::refused(id, code, text)).await,
            Ok(()) => {
                let mode = self.policy.mode.clone();
                self.amend_mode(&mode);
                let response = SetPermissionModeResponse {
                    mode: Some(mode.clone()),
                    ..SetPermissionModeResponse::default()
                };
                self.emit(messages::success(id, &response)).await;
                if mode != before {
                    self.emit(messages::mode(&mode)).await;
                }
            }
        }
    }

    /// Changes the model from the next request on. Only names that the settings exclude are refused, because only the
    /// API knows all names.
    async fn switch_model(&mut self, id: &RequestId, name: Option<&str>) {
        if let Some(name) = name
            && let Some((code, why)) = self.unavailable(name)
        {
            return self.refuse_model(id, code, why).await;
        }
        let switch = Switch {
            to: self.model.resolve(
                name.or(self.options.model.name.as_deref())
                    .filter(|name| *name != "default"),
            ),
            requested: name.map(str::to_owned),
            source: "sdk",
            answers: Answers::SetModel,
        };
        if !self.hooks_before_switch(id, &switch).await {
            self.apply_model(id, switch).await;
        }
    }

    /// Applies a model change that no hook rejected, and responds.
    pub(crate) async fn apply_model(&mut self, id: &RequestId, switch: Switch) {
        let from = self.change_model(&switch);
        self.report_model_change(&from, &switch).await;
        self.emit(match switch.answers {
            Answers::SetModel => messages::success(
                id,
                &SetModelResponse {
                    model: Some(switch.to.clone()),
                    ..SetModelResponse::default()
                },
            ),
            Answers::Settings => messages::ok(id),
        })
        .await;
        self.hook_switched(from, switch).await;
    }

    /// Adds a note about the new model to a conversation that is not empty.
    async fn report_model_change(&mut self, from: &str, switch: &Switch) {
        let to = &switch.to;
        if from == to || self.conversation.history.is_empty() {
            return;
        }
        let note = match &switch.requested {
            Some(name) if name != to && name != "default" => format!("Set model to `{name} ({to})`"),
            _ => format!("Set model to `{to}`"),
        };
        self.emit(messages::local_output(&note)).await;
    }

    /// Returns the error code and message if the settings exclude the model.
    fn unavailable(&self, name: &str) -> Option<(&'static str, String)> {
        if name.trim().is_empty() {
            return Some(("catalog_unknown", "set_model: a model needs a name".to_owned()));
        }
        let allowed = self
            .options
            .settings
            .get(&keys::AVAILABLE_MODELS)
            .and_then(Value::as_array)?;
        let meant = self.model.resolve(Some(name));
        let fits = |entry: &str| entry == name || self.model.resolve(Some(entry)) == meant || meant.starts_with(entry);
        let available = name == "default" || allowed.iter().filter_map(Value::as_str).any(fits);
        (!available).then(|| {
            let text = format!("The model {name:?} is not among the `availableModels` of the settings");
            ("restricted_by_org", text)
        })
    }

    /// Responds with an error that contains the current model.
    pub(crate) async fn refuse_model(&mut self, id: &RequestId, code: &str, why: String) {
        let mut refusal = messages::refused(id, code, why);
        if let Response::Error(failure) = &mut refusal.response {
            failure.extra.insert("model", &self.model.name);
        }
        self.emit(refusal).await;
    }

    async fn set_thinking(&mut self, id: &RequestId, request: &SetMaxThinkingTokens) {
        let display = request.thinking_display.as_deref();
        if !matches!(display, None | Some("summarized" | "omitted" | "highlights")) {
            let text = "set_max_thinking_tokens: thinking_display must be summarized, omitted, highlights or null";
            return self.emit(messages::error(id, text)).await;
        }
        let tokens = request.max_thinking_tokens.map(sluice_wire::Number::get);
        self.options.model.thinking = match tokens {
            None => Thinking::Default,
            Some(tokens) if tokens.fract() != 0.0 || tokens > f64::from(u32::MAX) => {
                let text = "set_max_thinking_tokens: max_thinking_tokens must be a whole number or null";
                return self.emit(messages::error(id, text)).await;
            }
            Some(tokens) if tokens <= 0.0 => Thinking::Off,
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
            Some(tokens) => Thinking::Budget(tokens as u32),
        };
        self.emit(messages::ok(id)).await;
    }

    /// Open permission requests, for a host that attaches again.
    fn open_requests(&self) -> Vec<ControlRequest> {
        self.calls
            .iter()
            .filter_map(|call| {
                let ask = call.ask()?;
                Some(messages::ask(&ask.request_id, call, &ask.decision, &self.options.cwd))
            })
            .chain(self.agents.shared().open_asks())
            .collect()
    }
}

/// Separates the static and dynamic parts of a host's system prompt; not part of the text.
const DYNAMIC_BOUNDARY: &str = "__SYSTEM_PROMPT_DYNAMIC_BOUNDARY__";

fn prompt_text(parts: &[String]) -> String {
    let parts: Vec<&str> = parts
        .iter()
        .map(String::as_str)
        .filter(|part| *part != DYNAMIC_BOUNDARY)
        .collect();
    parts.join("\n\n")
}
