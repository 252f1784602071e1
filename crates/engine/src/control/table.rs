//! Dispatch of control requests. The match is exhaustive over all requests of the protocol, so a new request does not
//! compile until it is handled here.

use sluice_wire::control::{
    CancelAsyncMessageResponse, ControlRequest, FileSuggestionsResponse, Request, RequestId, Subtype,
};

use crate::messages;
use crate::session::Session;

impl Session {
    pub(super) async fn control(&mut self, request: ControlRequest) {
        let id = &request.request_id;
        match request.request {
            // Session and turn.
            Request::Initialize(it) => self.initialize(id, *it).await,
            Request::Interrupt(it) => self.interrupt(id, it.cancel_queued == Some(true)).await,
            Request::CancelAsyncMessage(it) => self.cancel_prompt(id, &it.message_uuid).await,
            Request::EndSession(_) => self.end_session(id).await,
            Request::RenameSession(it) => self.rename_session(id, &it).await,
            Request::GenerateSessionTitle(it) => self.session_title(id, &it).await,
            Request::SideQuestion(it) => self.side_question(id, it.question.as_deref()).await,
            Request::MessageRated(it) => self.rated(id, &it).await,
            Request::ClaimSession(_) => {
                let text = "not_a_spare: claim_session is only for a process that was started to wait for a claim";
                self.emit(messages::error(id, text)).await;
            }
            // Behaviour does not depend on subscribers.
            Request::SetHasSubscribers(_) => self.emit(messages::ok(id)).await,
            Request::GetBinaryVersion(_) => self.binary_version(id).await,
            // Mode, model and thinking.
            Request::SetPermissionMode(it) => self.switch_mode(id, Some(it.mode.as_str())).await,
            Request::SetModel(it) => self.switch_model(id, it.model.as_deref()).await,
            Request::SetMaxThinkingTokens(it) => self.set_thinking(id, &it).await,
            Request::ListModels(_) => self.list_models(id).await,
            // Settings and files of the catalogue.
            Request::GetSettings(_) => self.get_settings(id).await,
            Request::ApplyFlagSettings(it) => self.apply_flag_settings(id, &it.settings).await,
            Request::UpdateSettings(it) => self.update_settings(id, &it).await,
            Request::ListPermissionRules(_) => self.list_rules(id).await,
            Request::GetHooksListing(_) => self.emit(messages::success(id, &self.hooks_listing())).await,
            Request::ReloadPlugins(it) => self.reload_plugins(id, &it).await,
            Request::ReloadSkills(_) => self.reload_skills(id).await,
            Request::ReloadOutputStyles(_) => self.reload_styles(id).await,
            Request::RegisterRepoRoot(it) => self.register_root(id, &it).await,
            // Usage.
            Request::GetContextUsage(it) => self.context_usage(id, it.detail.as_deref()).await,
            Request::GetSessionCost(_) => self.session_cost(id).await,
            Request::GetUsage(_) => self.usage(id).await,
            // Files and tasks.
            Request::ReadFile(it) => self.read_file(id, *it).await,
            Request::FileSuggestions(it) => self.file_suggestions(id, it.query),
            Request::SeedReadState(it) => self.seed_read_state(id, &it),
            Request::RewindFiles(it) => self.rewind(id, &it.user_message_id, it.dry_run == Some(true)).await,
            Request::GetPlan(_) => self.plan(id),
            Request::GetWorkspaceDiff(_) => self.workspace_diff(id),
            Request::GetTaskOutput(it) => self.task_output(id, &it.task_id).await,
            Request::StopTask(it) => self.stop_named_task(id, &it.task_id).await,
            Request::BackgroundTasks(it) => self.background_calls(id, it.tool_use_id.as_deref()).await,
            // MCP servers.
            Request::McpStatus(_) => self.server_status(id).await,
            Request::McpSetServers(it) => self.set_servers(id, &it.servers).await,
            Request::McpReconnect(it) => self.reconnect(id, &it.server_name).await,
            Request::McpToggle(it) => self.toggle(id, &it.server_name, it.enabled).await,
            Request::McpMessage(it) => self.server_message(id, &it).await,
            Request::McpCall(it) => self.call_server(id, &it).await,
            Request::McpReadResource(it) => self.read_resource(id, &it.server_name, &it.uri).await,
            Request::McpAuthenticate(it) => self.sign_in(id, &it.server_name).await,
            Request::McpClearAuth(it) => self.sign_out(id, &it.server_name).await,
            Request::McpOauthCallbackUrl(it) => self.finish_sign_in(id, &it.server_name, it.callback_url).await,
            Request::SetMcpPermissionModeOverride(it) => self.override_mode(id, &it.server_name, it.mode).await,
            Request::ChannelEnable(it) => self.enable_channel(id, it.server_name.as_deref()).await,
            // Requests of the bridge's clients, and requests that agents send to hosts.
            other @ (Request::SetColor(_)
            | Request::CanUseTool(_)
            | Request::HookCallback(_)
            | Request::Elicitation(_)
            | Request::RequestUserDialog(_)) => self.unsupported(id, Some(other.kind())).await,
            Request::Unknown(unknown) => self.unsupported(id, unknown.tag.as_deref()).await,
        }
    }

    async fn unsupported(&mut self, id: &RequestId, subtype: Option<&str>) {
        let subtype = subtype.unwrap_or("undefined");
        let text = format!("Unsupported control request subtype: {subtype}");
        self.emit(messages::refused(id, "unsupported_request", text)).await;
    }

    /// Handles a request with a known subtype and invalid fields.
    pub(crate) async fn reject_invalid(&mut self, id: &RequestId, subtype: Option<&str>, problem: &str) {
        let Some(subtype) = subtype.map(Subtype::from) else {
            let text = format!("A control request needs a `request` with a `subtype`: {problem}");
            return self.emit(messages::refused(id, "unsupported_request", text)).await;
        };
        match subtype {
            Subtype::SetPermissionMode => self.switch_mode(id, None).await,
            Subtype::SetModel => {
                let text = "set_model: model must be a string".to_owned();
                self.refuse_model(id, "invalid_request", text).await;
            }
            // A message for a missing server or path has no effect, so the request succeeds.
            Subtype::McpMessage | Subtype::SeedReadState => self.emit(messages::ok(id)).await,
            Subtype::CancelAsyncMessage => {
                self.emit(messages::success(id, &CancelAsyncMessageResponse::default()))
                    .await;
            }
            Subtype::Interrupt => self.interrupt(id, false).await,
            Subtype::FileSuggestions => {
                let response = FileSuggestionsResponse {
                    cwd: self.tooling.cwd().get().display().to_string(),
                    ..FileSuggestionsResponse::default()
                };
                self.emit(messages::success(id, &response)).await;
            }
            Subtype::ReadFile => self.emit(messages::error(id, "read denied: ")).await,
            // Requests that agents send to hosts are unsupported, valid or not.
            ours if !ours.is_of_hosts() && ours.is_of_agents() => self.unsupported(id, Some(ours.as_str())).await,
            subtype => {
                let text = format!("{subtype}: {}", without_position(problem));
                self.emit(messages::error(id, text)).await;
            }
        }
    }
}

/// Removes the position in the line, which the host cannot see, from a parse error.
fn without_position(problem: &str) -> &str {
    let problem = problem.strip_prefix("request: ").unwrap_or(problem);
    problem.rsplit_once(" at line ").map_or(problem, |(what, _)| what)
}
