//! The smaller requests: those that ask about something, and those that concern parts a session may not have.

use serde_json::{Value, json};
use sluice_tools::ToolEvent;
use sluice_wire::control::{BackgroundTasksResponse, MessageRated, Request, RequestId};
use tokio::time::Instant;

use crate::messages;
use crate::session::Session;
use crate::turn::Stop;

/// How long it may take until what was asked to go on in the background does.
const MOVING: std::time::Duration = std::time::Duration::from_millis(500);

impl Session {
    /// Answers what does not concern the turn.
    pub(super) async fn inquire(&mut self, id: &RequestId, request: Request) {
        match request {
            Request::GetSettings(_) => self.get_settings(id).await,
            Request::ApplyFlagSettings(request) => self.apply_flag_settings(id, &request.settings).await,
            Request::UpdateSettings(request) => self.update_settings(id, &request).await,
            Request::ListPermissionRules(_) => self.list_rules(id).await,
            Request::GetContextUsage(request) => self.context_usage(id, request.detail.as_deref()).await,
            Request::GetSessionCost(_) => self.session_cost(id).await,
            Request::GetUsage(_) => self.usage(id).await,
            Request::ReadFile(request) => self.read_file(id, *request).await,
            Request::FileSuggestions(request) => self.file_suggestions(id, request.query),
            Request::SeedReadState(request) => self.seed_read_state(id, &request),
            Request::GetTaskOutput(request) => self.task_output(id, &request.task_id).await,
            Request::GetPlan(_) => self.plan(id),
            Request::GetWorkspaceDiff(_) => self.workspace_diff(id),
            Request::GenerateSessionTitle(request) => self.session_title(id, &request).await,
            Request::SideQuestion(request) => self.side_question(id, request.question.as_deref()).await,
            Request::BackgroundTasks(request) => self.background_calls(id, request.tool_use_id.as_deref()).await,
            Request::GetHooksListing(_) => self.say(messages::success(id, &self.hooks_listing())).await,
            Request::EndSession(_) => self.end_session(id).await,
            Request::MessageRated(request) => self.rated(id, &request).await,
            // Nothing here depends on whether anybody watches.
            Request::ClaimSession(_) => {
                let text = "not_a_spare: claim_session is only for a process that was started to wait for a claim";
                self.say(messages::error(id, text)).await;
            }
            Request::SetHasSubscribers(_) => self.say(messages::ok(id)).await,
            Request::ReloadPlugins(request) => self.reload_plugins(id, &request).await,
            Request::RegisterRepoRoot(request) => self.register_root(id, &request).await,
            Request::ReloadSkills(_) => self.reload_skills(id).await,
            Request::ReloadOutputStyles(_) => self.reload_styles(id).await,
            Request::RewindFiles(request) => {
                self.rewind(id, &request.user_message_id, request.dry_run == Some(true))
                    .await;
            }
            other => self.about_servers(id, other).await,
        }
    }

    /// Lets running commands, or those of one call, go on in the background.
    async fn background_calls(&mut self, id: &RequestId, call: Option<&str>) {
        // Those of subagents stay: a subagent ends what it leaves in the background.
        let own: Vec<String> = match call {
            Some(call) => vec![call.to_owned()],
            None => self.calls.list.iter().map(|call| call.id.clone()).collect(),
        };
        let asked = own.iter().map(|call| self.tooling.tasks.background(Some(call))).sum();
        let moved = asked > 0;
        self.hear_of_moves(asked).await;
        let response = BackgroundTasksResponse {
            backgrounded: call.map(|_| moved),
            ..BackgroundTasksResponse::default()
        };
        self.say(messages::success(id, &response)).await;
    }

    /// What was asked to go on in the background is told before the answer.
    async fn hear_of_moves(&mut self, mut asked: usize) {
        let until = Instant::now() + MOVING;
        while asked > 0
            && let Ok(Some(event)) = tokio::time::timeout_at(until, self.tooling.reported.recv()).await
        {
            let moved = match &event {
                ToolEvent::TaskStarted { is_backgrounded, .. } => *is_backgrounded,
                event => matches!(event, ToolEvent::TaskBackgrounded { .. }),
            };
            asked -= usize::from(moved);
            self.on_tool_event(Some(event)).await;
        }
    }

    /// The host is done: the turn that runs is interrupted, and the process goes.
    async fn end_session(&mut self, id: &RequestId) {
        self.say(messages::ok(id)).await;
        self.line.leave = Some(i32::from(self.turn.open));
        if self.turn.open {
            self.withdraw_asks().await;
            self.turn.stop.get_or_insert(Stop::Interrupt);
        }
    }

    /// A person's opinion of an answer. It is sent nowhere.
    async fn rated(&mut self, id: &RequestId, request: &MessageRated) {
        let field = |name: &str| request.extra.value(name).unwrap_or_default();
        let known = matches!(field("sentiment").as_str(), Some("positive" | "negative"));
        if known && field("messageUuid").is_string() {
            return self.say(messages::success(id, &json!({}))).await;
        }
        let text = "message_rated: messageUuid must be a string, sentiment \"positive\" or \"negative\"";
        self.say(messages::error(id, text)).await;
    }

    /// What this program is.
    pub(super) async fn binary_version(&mut self, id: &RequestId) {
        let version = json!({"version": messages::PROTOCOL_VERSION, "buildTime": Value::Null});
        self.say(messages::success(id, &version)).await;
    }
}
